"""What people and models wrote, as Markdown that stays in its place: it looks as it was meant, and can do nothing else.

It stands in a quote, where neither an open fence, nor a comment, nor a heading reaches what comes after it (CommonMark
0.31, section 5.1), and holds no raw HTML, no image and no link but to http, https and mailto.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Any
from urllib.parse import urlsplit

__all__ = ["code", "fenced", "html_of", "inline", "quoted"]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_DRAWN = frozenset({"geojson", "latex", "math", "mermaid", "stl", "topojson"})
"""Languages of code blocks that readers draw instead of showing them."""
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_TAG = re.compile(r"<(?=[a-zA-Z/!?])(?!https?://[^\s<>]+>)")
_IMAGE = re.compile(r"!+\[(?=[^\]\n]*\]\()")
_LINK = re.compile(r"\](?!\([ \t]*<?(?:https?://|mailto:))([(:])", re.IGNORECASE)
_BROKEN = {"(": "]&#40;", ":": "]&#58;"}
_ACTIVE = re.compile(r"[\\`*_\[\]<>&~$|]")


def quoted(text: str) -> str:
    """A text as a quote: ordinary Markdown in it is kept, a fence that is open is closed."""
    lines = "\n".join(_blocks(text.strip("\n\r").splitlines())).split("\n")
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def inline(text: str) -> str:
    """A text on one line that is nothing but text."""
    return _ACTIVE.sub(r"\\\g<0>", " ".join(text.split()))


def code(text: str) -> str:
    """A text on one line as a code span, whatever backticks it has."""
    text = " ".join(text.split()) or "-"
    ticks = "`" * (_longest(text) + 1)
    return f"{ticks} {text} {ticks}" if "`" in text else f"`{text}`"


def fenced(text: str, language: str = "") -> str:
    """A text as a code block that nothing in it can end."""
    ticks = "`" * max(3, _longest(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _longest(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def _blocks(lines: list[str]) -> Iterator[str]:
    """The lines with every code block fenced anew, and with everything between two blank lines made harmless."""
    block: list[str] = []
    rest = iter(lines)
    for line in rest:
        opening = _FENCE.fullmatch(line)
        if opening is not None and not (opening[1][0] == "`" and "`" in opening[2]):
            yield from _harmless(block)
            block = []
            end = re.compile(rf" {{0,3}}{re.escape(opening[1][0])}{{{len(opening[1])},}}[ \t]*")
            inside: list[str] = []
            for one in rest:
                if end.fullmatch(one):
                    break
                inside.append(one)
            # At the margin, so that no list is around it that a line inside could leave.
            yield fenced("\n".join(inside), _language(opening[2]))
        elif line.strip(" \t"):
            block.append(line)
        else:
            yield from _harmless(block)
            block = []
            yield ""
    yield from _harmless(block)


def _language(info: str) -> str:
    word = info.split()[0] if info.split() else ""
    return word if re.fullmatch(r"[A-Za-z0-9_+#.-]{1,30}", word) and word.lower() not in _DRAWN else ""


def _harmless(block: list[str]) -> list[str]:
    certain = all(_spans_are_certain(line) for line in block)
    return [_without_reach(line, keep_code=certain) for line in block]


def _spans_are_certain(line: str) -> bool:
    """Whether every reader sees the same code spans in it: each begins and ends here, and nothing else takes it."""
    if any(mark in line for mark in ("\\`", "](", "]:", "][", "$")):
        return False
    return "`" not in _SPAN.sub("", line) and not any("|" in span[2] for span in _SPAN.finditer(line))


def _without_reach(line: str, *, keep_code: bool) -> str:
    if not keep_code:
        return _plain(line)
    parts: list[str] = []
    at = 0
    for span in _SPAN.finditer(line):
        parts += [_plain(line[at : span.start()]), span[0]]
        at = span.end()
    return "".join([*parts, _plain(line[at:])])


def _plain(text: str) -> str:
    # Character references, since they mean the same behind a backslash.
    text = _TAG.sub("&lt;", text)
    text = _IMAGE.sub("[", text).replace("![", "&#33;[")
    return _LINK.sub(lambda found: _BROKEN[found[1]], text)


def _safe(url: str) -> bool:
    """Whether a person may be led there: to a host that is named, by http or https, or to a mailbox.

    A browser makes `https:evil.example` a link to that host, so what reads as no address must not become one.
    """
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname
    except ValueError:
        return False
    return parts.scheme == "mailto" or (parts.scheme in {"http", "https"} and bool(host))


def html_of(text: str) -> str:
    """The Markdown as HTML: no raw HTML, no unsafe link, no image, no request by reading."""
    return str(_renderer()(text))


def _renderer() -> Any:
    import mistune

    class Renderer(mistune.HTMLRenderer):
        def link(self, text: str, url: str, title: str | None = None) -> str:
            del title
            return f'<a href="{escape(url)}" rel="noopener noreferrer">{text}</a>' if _safe(url) else text

        def image(self, text: str, url: str, title: str | None = None) -> str:
            return self.link(text or escape(url), url, title)

    return mistune.create_markdown(renderer=Renderer(escape=True), plugins=["table", "strikethrough"])
