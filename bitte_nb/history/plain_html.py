"""HTML that somebody else made, as HTML that can only be read: known tags without attributes, text, and nothing else.

What comes out is written anew from what a parser saw, so that nothing of the input's own markup is ever passed on.
Every tag that was opened is closed, and none that was not, so that it stays inside whatever holds it.
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

__all__ = ["plain_html"]

_KEPT = frozenset(
    {
        *("b", "blockquote", "br", "caption", "code", "dd", "del", "div", "dl", "dt", "em", "h1", "h2", "h3", "h4"),
        *("h5", "h6", "hr", "i", "li", "ol", "p", "pre", "s", "small", "span", "strong", "sub", "sup", "table"),
        *("tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul"),
    }
)
_EMPTY = frozenset({"br", "hr"})
_SILENT = frozenset({"script", "style", "template", "noscript", "iframe", "object", "svg", "math", "head", "title"})
"""What is left out with all that is in it."""
_COUNT = re.compile(r"[1-9][0-9]{0,2}\Z")
_DEEPEST = 60


def plain_html(html: str) -> str:
    """The HTML with only its text and structure; empty where there is no text."""
    writer = _Writer()
    writer.feed(html)
    writer.close()
    return writer.text()


class _Writer(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._open: list[str] = []
        self._silent: list[str] = []
        self._says = False

    def text(self) -> str:
        return "".join([*self._parts, *(f"</{tag}>" for tag in reversed(self._open))]) if self._says else ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent.append(tag)
        elif not self._silent and tag in _EMPTY:
            self._parts.append(f"<{tag}>")
        elif not self._silent and tag in _KEPT and len(self._open) < _DEEPEST:
            self._open.append(tag)
            self._parts.append(f"<{tag}{_spans(attrs) if tag in ('td', 'th') else ''}>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _SILENT:  # `<svg/>` has nothing in it
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            while self._silent.pop() != tag:
                pass
        elif not self._silent and tag in self._open:
            while (last := self._open.pop()) != tag:
                self._parts.append(f"</{last}>")
            self._parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._says = self._says or not data.isspace()
            self._parts.append(escape(data))


def _spans(attrs: list[tuple[str, str | None]]) -> str:
    """How many columns and rows a cell takes: the one thing without which a table is another one."""
    kept = ((name, value) for name, value in attrs if name in ("colspan", "rowspan"))
    return "".join(f' {name}="{value}"' for name, value in kept if value and _COUNT.match(value))
