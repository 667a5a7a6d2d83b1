"""HTML of others, as it is read: its text and structure, never its markup."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitte_nb.history.plain_html import plain_html

CORPUS: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[1] / "hostile" / "corpus.json").read_text(encoding="utf-8")
)
HOSTILE = [text for kind in CORPUS.values() for text in kind]
SNIPPETS = [
    *("<b>", "</b>", "<table>", "<td colspan=2>", "</div>", "</blockquote>", "<script>", "</script>", "<svg onload=x>"),
    *(
        "<img src=x onerror=y>",
        "<a href=javascript:z>",
        "<style>",
        "<!--",
        "-->",
        "<![CDATA[",
        "&lt;i&gt;",
        "text",
        "<br/>",
    ),
]


class Tags(HTMLParser):
    """Every tag is known, has no attribute but how far a cell reaches, and is closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in {"script", "style", "img", "a", "svg", "iframe", "form", "input", "link", "meta", "object"}
        assert all(name in {"colspan", "rowspan"} and (value or "").isdigit() for name, value in attrs)
        if tag not in {"br", "hr"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check(html: str) -> None:
    tags = Tags()
    tags.feed(plain_html(html))
    tags.close()
    assert tags.open == []


@pytest.mark.parametrize("html", HOSTILE)
def test_nothing_hostile_comes_through(html: str) -> None:
    check(html)


@given(st.lists(st.sampled_from(SNIPPETS) | st.text(max_size=8), max_size=20).map("".join))
def test_whatever_comes_in_what_comes_out_is_plain_and_closed(html: str) -> None:
    check(html)


def test_a_table_stays_a_table_and_styles_and_scripts_leave_nothing() -> None:
    html = (
        "<style>td{color:red}</style><table class=x><tr><td colspan='2' onclick=a>1 &amp; 2</td></tr></table><script>b"
    )
    assert plain_html(f"{html}<script>b") == '<table><tr><td colspan="2">1 &amp; 2</td></tr></table>'
    assert plain_html("<canvas></canvas><script>draw()</script> ") == ""
