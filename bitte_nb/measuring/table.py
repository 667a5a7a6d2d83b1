"""A table of words that come from anywhere, for a terminal and for a notebook, light or dark. Pure."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

__all__ = ["Table"]

_WIDEST = 48
"""Characters of a cell in a terminal."""
_LINE = 100
"""Characters of a line of the note in a terminal."""
_LONGEST = 200
"""Characters of a cell in a page."""
_MOST = 200
"""Rows that are shown; all of them are in `to_rows()`."""
_HEAD = "text-align:left;white-space:nowrap"
_CELL = "text-align:left;vertical-align:top;white-space:normal;overflow-wrap:anywhere;min-width:6em"
_QUIET = "color:var(--jp-ui-font-color2,inherit)"

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows to look at, rows that only have to be there, and a sentence on all of them.

    Colours are the page's own, so that it reads in every theme; nothing is told by colour alone.
    """

    head: Row
    rows: Sequence[Row]
    rest: Sequence[Row]
    about: str
    """What is to be said of the rest, such as `passed every time`."""
    note: str

    def __str__(self) -> str:
        shown = [*self.rows[:_MOST], *self.rest[: _MOST - len(self.rows[:_MOST])]]
        lines = [[_cell(cell, _WIDEST) for cell in line] for line in _filled(self.head, shown)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        left = self._left(len(self.rows) + len(self.rest) - len(shown))
        return "\n".join([*(line.rstrip() for line in text), *left, "", fill(_plain(self.note), _LINE)])

    def html(self) -> str:
        """The table as a fragment of HTML that needs no script and no style sheet."""
        parts = [f"<p>{html.escape(_plain(self.note))}</p>"]
        if self.rows:
            parts.append(self._html(self.rows))
        if self.rest:
            parts.append(f"<details><summary>{len(self.rest)} {html.escape(self.about)}</summary>")
            parts.append(f"{self._html(self.rest)}</details>")
        return "".join(parts)

    def _html(self, rows: Sequence[Row]) -> str:
        head, *shown = _filled(self.head, rows[:_MOST])
        first = "".join(f'<th style="{_HEAD}">{html.escape(cell)}</th>' for cell in head)
        body = "".join(
            "<tr>" + "".join(f'<td style="{_CELL}">{html.escape(_cell(cell, _LONGEST))}</td>' for cell in row) + "</tr>"
            for row in shown
        )
        left = "".join(f'<p style="{_QUIET}">{line}</p>' for line in self._left(len(rows) - _MOST))
        return f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>{left}"

    def _left(self, count: int) -> list[str]:
        return [f"… and {count} more; to_rows() has all."] if count > 0 else []


def _filled(head: Row, rows: Sequence[Row]) -> list[Row]:
    """Head and rows without the columns in which no row has anything."""
    kept = [column for column in range(len(head)) if not rows or any(row[column] for row in rows)]
    return [tuple(line[column] for column in kept) for line in (head, *rows)]


def _plain(text: str) -> str:
    """The text on one line, without what steers a screen or turns the direction of writing."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())


def _cell(text: str, longest: int) -> str:
    plain = _plain(text)
    return plain if len(plain) <= longest else f"{plain[: longest - 1]}…"
