"""Results that a page draws, as a reader without it sees them: charts as pictures, tables as tables, figures as images.

Pictures are images with a `data:` address, in which nothing can run and which ask nobody for anything.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any, cast
from urllib.parse import quote

from bitte_nb.core.chart import ChartError, as_drawn
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.result import ToolData
from bitte_nb.history.chart_svg import chart_svg, moment_of, written
from bitte_nb.history.markdown import fenced, html_of, inline, quoted
from bitte_nb.history.plain_html import plain_html

__all__ = ["DrawnResult", "drawn", "drawn_markdown", "drawn_value"]

_ROWS = 30
_COLUMNS = 20
_CELL = 200
_TEXT = re.compile(r"data:text/(html|markdown);base64,([A-Za-z0-9+/=]+)\Z")
_PICTURE = re.compile(r"data:image/(?:png|jpeg|svg\+xml);base64,[A-Za-z0-9+/=]+\Z")


@dataclass(frozen=True, slots=True)
class DrawnResult:
    """A drawn result in both forms of a transcript."""

    html: str
    markdown: str


@dataclass(frozen=True, slots=True)
class _Table:
    names: list[str]
    count: int
    cell: Callable[[int, int], str]


def drawn(call: Invocation) -> DrawnResult | None:
    """The result as a page draws it, or None where it is shown as it came."""
    if not isinstance(call.result, ToolData) or call.state not in ("succeeded", "undone"):
        return None
    data = call.result.data
    if call.tool == "render-chart":
        return _chart(data)
    return drawn_value(data) if call.kind == "local" else None


def drawn_value(data: Any) -> DrawnResult | None:
    """What a Python function returned, described as JSON: its table, its picture, or its HTML as far as it can be read.

    None where it is best shown as it came.
    """
    if not isinstance(data, dict):
        return None
    given = cast("dict[str, Any]", data)
    display, said = given.get("display"), str(given.get("type", "")) or "Picture"
    if isinstance(display, str) and _PICTURE.match(display):
        return DrawnResult(f'<p><img alt="{escape(said)}" src="{display}"></p>', f"_{inline(said)}_")
    if isinstance(display, str) and (found := _TEXT.match(display)):
        text = base64.b64decode(found[2]).decode("utf-8", "replace")
        if found[1] == "markdown":
            return drawn_markdown(text)
        if html := plain_html(text):
            words = str(given.get("text", "")) or said
            return DrawnResult(html, fenced(words))
    table = _frame(given)
    return None if table is None else DrawnResult(_table_html(table), _table_markdown(table))


def drawn_markdown(text: str) -> DrawnResult:
    """Markdown that stands in place of a result."""
    return DrawnResult(html_of(text), quoted(text))


def _chart(data: Any) -> DrawnResult | None:
    inner = cast("dict[str, Any]", data).get("result", data) if isinstance(data, dict) else data
    try:
        model, svg = as_drawn(inner), chart_svg(inner)
    except (ChartError, TypeError):
        return None

    def cell(row: int, column: int) -> str:
        if column:
            return written(model.columns[column - 1][1][row], model.format)
        if model.names is not None:
            return model.names[row]
        moment = moment_of(model.times[row])
        return f"{moment:%Y-%m-%d %H:%M}".removesuffix(" 00:00") if moment else str(model.times[row])

    table = _Table([model.time_label, *(name for name, _ in model.columns)], len(model.times), cell)
    picture = f'<img alt="{escape(f"Chart: {model.title}")}" src="data:image/svg+xml,{quote(svg)}">'
    about = f"<br>{escape(model.description)}" if model.description else ""
    html = (
        f"<p><strong>{escape(model.title)}</strong>{about}</p><p>{picture}</p>"
        f"<details><summary>As a table</summary>{_table_html(table)}</details>"
    )
    lines = [f"**{inline(model.title)}**", *([inline(model.description)] if model.description else [])]
    return DrawnResult(html, "\n\n".join([*lines, _table_markdown(table)]))


def _frame(data: dict[str, Any]) -> _Table | None:
    """The table that a Python function returned: `{columns, row_count, rows}`."""
    columns, rows, count = data.get("columns"), data.get("rows"), data.get("row_count")
    if not isinstance(columns, list) or not isinstance(rows, list) or not isinstance(count, int):
        return None
    heads, lines = cast("list[Any]", columns), cast("list[Any]", rows)
    if not all(isinstance(one, dict) for one in heads) or not all(isinstance(one, list) for one in lines):
        return None

    def cell(row: int, column: int) -> str:
        values = cast("list[Any]", lines[row])
        value = values[column] if column < len(values) else None
        return "" if value is None else str(value)

    shown = min(len(lines), _ROWS)
    return _Table([str(one.get("name", "")) for one in heads], max(count, shown), cell)


def _shape(table: _Table) -> tuple[range, range, str]:
    rows, columns = min(table.count, _ROWS), min(len(table.names), _COLUMNS)
    left = [f"{table.count - rows:,} more rows"] if table.count > rows else []
    left += [f"{len(table.names) - columns:,} more columns"] if len(table.names) > columns else []
    return range(rows), range(columns), f"… {', '.join(left)}" if left else ""


def _cut(text: str) -> str:
    return text if len(text) <= _CELL else f"{text[:_CELL]}…"


def _table_html(table: _Table) -> str:
    rows, columns, more = _shape(table)
    head = "".join(f"<th>{escape(_cut(table.names[column]))}</th>" for column in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(_cut(table.cell(row, column)))}</td>' for column in columns)}</tr>" for row in rows
    )
    foot = f"<p><em>{more}</em></p>" if more else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"


def _table_markdown(table: _Table) -> str:
    rows, columns, more = _shape(table)
    if not columns:
        return "_An empty table_"
    lines = [
        "| " + " | ".join(inline(_cut(table.names[column])) for column in columns) + " |",
        "|" + " --- |" * len(columns),
        *("| " + " | ".join(inline(_cut(table.cell(row, column))) for column in columns) + " |" for row in rows),
    ]
    return "\n".join(lines) + (f"\n\n_{more}_" if more else "")
