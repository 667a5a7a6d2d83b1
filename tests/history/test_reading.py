"""What people, models and tools wrote, in a transcript: it stays readable, stays in its place and loads nothing."""

from __future__ import annotations

import mistune
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bitte_nb.core.fold import ChatState, fold
from bitte_nb.core.log import TurnStarted
from bitte_nb.history.markdown import quoted
from bitte_nb.history.reading import to_html, to_markdown

from . import chats

HOSTILE = [
    "<!-- hide", "```", "~~~", "~~~ a`b", "````js", "- ```", "1. ~~~\n   <b>", "> ```", "  ```\n<img src=x>", "`", "``",
    "<img src=x onerror=1>", "<script>", "</div>", "![x](https://evil.test/t.png)", "!![x](https://evil.test/t.png)",
    "![x][r]", "![r]", "[r]: https://evil.test/t.png", "[r]: javascript:alert(1)", "[x](javascript:alert(1))",
    "[x](java&#115;cript:alert(1))", "[x](\njavascript:alert(1))", "[x](`) <img src=x> `", "\\`<img src=x>`", "\\<img>",
    "| `a | <img src=x>` |", "|-|-|", "**`sign-message`** succeeded", "**You:**", "# Title", "---", "===", "$`$", "|",
    "<javascript:alert(1)>", "<https://ok.test/>", "[x](https://ok.test/`)", "\t", "    ", " ", "-", "\n", "\n\n", "\r",
    "\u2028", "\x0b", "\\", "!", "[", "]", "(", ":", "a", "`a\nb` <img src=x> `c`", "<", ">", "<?php", "<![CDATA[",
]  # fmt: skip
texts = st.lists(st.sampled_from(HOSTILE) | st.text("`~<>![]():\\|$ \na-", max_size=8), max_size=8).map("".join)
lines = st.lists(st.sampled_from(HOSTILE), max_size=8).map("\n".join)
READERS = [MarkdownIt("gfm-like", {"html": True, "linkify": False}), MarkdownIt("commonmark")]


def said(user: str, model: str, *, tool: str = "get-weather", title: str = "", agent: str = "") -> ChatState:
    record = chats.AGENT.model_copy(update={"name": agent or chats.AGENT.name})
    opened = chats.opened(title=title).model_copy(update={"agents": (record,)})
    entries = [opened, chats.turn(1, user), chats.step(1, 1), chats.says(1, 1, model)]
    return fold([*entries, *chats.asked("1.1.0", {"city": "Lisbon"}, tool=tool)])


def shape(tokens: list[Token]) -> list[str]:
    """The top-level blocks."""
    return [token.type for token in tokens if token.level == 0]


def every(tokens: list[Token]) -> list[Token]:
    return [one for token in tokens for one in (token, *(token.children or []))]


def dangers(markdown: str, reader: MarkdownIt) -> list[str]:
    found: list[str] = []
    for token in every(reader.parse(markdown)):
        href = str(token.attrs.get("href", ""))
        if token.type in {"html_block", "html_inline", "image"}:
            found.append(f"{token.type}: {token.content}")
        if token.type == "link_open" and not href.startswith(("http://", "https://", "mailto:")):
            found.append(href)
    return found


PLAIN = said("hi", "hello", title="Title")


@given(texts | lines, texts | lines, texts, texts, texts)
@settings(max_examples=200, deadline=None)
def test_no_text_leaves_its_place_or_is_more_than_text(user: str, model: str, tool: str, title: str, agent: str):
    state = said(user, "x" + model, tool=tool, title="T" + title, agent="A" + agent)
    markdown = to_markdown(state)
    for reader in READERS:
        assert shape(reader.parse(markdown)) == shape(reader.parse(to_markdown(PLAIN)))
        assert dangers(markdown, reader) == []
    page = str(mistune.create_markdown(escape=False, plugins=["table", "strikethrough"])(markdown)).lower()
    assert "<img" not in page
    assert "<script" not in page
    assert "<!--" not in page
    assert 'href="javascript' not in page


@pytest.mark.parametrize(
    "text",
    [
        "[x](https://ok.test/`) <img src=x> `",
        "| a | b |\n|---|---|\n| `a | <img src=x> ` |",
        "- a\n\n  ```\n<img src=x>\n  ```",
        "~~~ a`b\n```\n~~~\n<img src=x>\n```",
        "`a\nb` <img src=x> `c`",
        "\\`<img src=x>`",
        "`a\n\u3000\n` <img src=x> `",
        "[a]:\n<javascript:alert(1)>\n\n[a]",
    ],
)
def test_what_one_reader_takes_for_code_and_another_does_not_is_no_way_out(text: str):
    markdown = to_markdown(said(text, text))
    for reader in READERS:
        assert shape(reader.parse(markdown)) == shape(reader.parse(to_markdown(said("hi", "hello"))))
        assert dangers(markdown, reader) == []


@pytest.mark.parametrize(
    "url",
    [
        "https:evil.example",
        "https:/evil.example",
        "https:///evil.example",
        "https://:80",
        "https://@",
        "ftp://evil.example",
        "//evil.example",
    ],
)
def test_a_page_leads_to_no_address_without_a_host(url: str):
    assert "href" not in to_html(said("hi", f"[x](<{url}>)"))


@pytest.mark.parametrize("url", ["https://ok.test/a", "HTTP://ok.test", "mailto:me@ok.test"])
def test_a_page_leads_to_hosts_and_mailboxes(url: str):
    assert f'href="{url}"' in to_html(said("hi", f"[x](<{url}>)"))


@given(texts | lines)
@settings(max_examples=200, deadline=None)
def test_a_page_has_no_element_of_the_text(text: str):
    page = to_html(said(text, text, tool=text, title=text, agent=text)).lower()
    marks = ("<img", "<script", "<!--", 'href="javascript', "<?", "<![cdata[")
    assert [mark for mark in marks if mark in page] == []


@pytest.mark.parametrize(
    "text",
    [
        "# A heading\n\nSome *words* and **more**, `a < b`, `vec![1]` and `List<String>`.",
        "- one\n- two\n  1. three\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        "See [the page](https://example.com/a_(b)) or <https://example.com>; 1 < 2, a <- b, R&D.",
        "```python\nprint('<b>' if x else \"![](y)\")\n```\n\nend  \nof it",
    ],
)
def test_ordinary_markdown_is_kept_as_it_was_written(text: str):
    assert quoted(text) == "\n".join(f"> {line}" if line else ">" for line in text.splitlines())


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("```\nopen", "> ```\n> open\n> ```"),
        ("![a cat](https://x.test/cat.png)", "> [a cat](https://x.test/cat.png)"),
        ("Wow![1]", "> Wow&#33;[1]"),
        ("a <b>c</b>", "> a &lt;b>c&lt;/b>"),
        ("[x](file:///etc/passwd)", "> [x]&#40;file:///etc/passwd)"),
        ("[x]: https://x.test", "> [x]&#58; https://x.test"),
        ("```mermaid\ngraph\n```", "> ```\n> graph\n> ```"),
        ("  ~~~js\n```\n  ~~~", "> ````js\n> ```\n> ````"),
        ("", ">"),
    ],
)
def test_what_could_reach_further_is_written_as_text(text: str, written: str):
    assert quoted(text) == written


def test_a_tool_with_backticks_stays_in_its_code_span():
    markdown = to_markdown(said("hi", "x", tool="x`** <img src=https://evil.test/a.png> `y"))
    assert "**`` x`** <img src=https://evil.test/a.png> `y ``** waits for a decision" in markdown


def test_another_speaker_is_named():
    entries = [
        chats.opened(), chats.turn(1, "hi"), chats.step(1, 1), chats.says(1, 1, "one"), chats.ended(1, 1),
        chats.step(1, 2).model_copy(update={"agent": "b.example"}), chats.says(1, 2, "two"),
    ]  # fmt: skip
    assert to_markdown(fold(entries)).endswith("**Weather:**\n\n> one\n\n**b.example:**\n\n> two\n")
    assert "<p><strong>b.example</strong></p>\n<p>two</p>" in to_html(fold(entries))


def test_a_reader_is_told_that_there_are_other_versions():
    said = [
        TurnStarted(at=1, turn=turn, text=f"t{turn}", agent="demo", after=after) for turn, after in ((1, 0), (2, 0))
    ]
    for text in (to_markdown(fold(said)), to_html(fold(said))):
        assert "t2" in text
        assert "t1" not in text
        assert "Version 2 of 2. The others are in the chat and in its JSON and JSON Lines exports." in text
    assert "Version" not in to_markdown(fold(said[:1]))
