"""Words from results: Markdown that says what came back, cut to what a person reads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from bitte_nb.model.slots import Outcome

__all__ = ["answer_outcome", "show"]

_ROWS, _COLUMNS, _FIELDS, _ITEMS, _CELL, _TEXT = 10, 6, 12, 15, 60, 1500
_NOT_RUN = re.compile(r"^(denied|expired|cancelled)\b|\bnot run\b|\bdeclined\b", re.IGNORECASE)
_UNKNOWN = re.compile(r"\boutcome is unknown\b|\bmay have (?:taken effect|already run)\b", re.IGNORECASE)
_MARKUP = re.compile(r"([\\`*_\[\]<>|#~])")


def answer_outcome(outcome: Outcome) -> str:
    """One result as a short piece of Markdown that begins with the operation's name."""
    name = f"`{outcome.name}`"
    if outcome.error is None:
        return (
            f"{name}: {show(outcome.data)}" if _is_scalar(outcome.data) else f"{name} returned:\n\n{show(outcome.data)}"
        )
    error = _plain(outcome.error)
    if _UNKNOWN.search(outcome.error):
        doubt = "was interrupted, so nobody knows whether it took effect. I will not repeat it unless you ask."
        return f"{name} {doubt}\n\n> {error}"
    if match := _NOT_RUN.search(outcome.error):
        said = (match.group(1) or "declined").lower()
        why = {"denied": "you declined it", "declined": "you declined it", "expired": "nobody answered in time"}.get(
            said
        )
        return f"{name} was not run{': ' + why if why else ''}. Nothing was changed, signed or sent by it.\n\n> {error}"
    return f"{name} failed:\n\n> {error}\n\nCorrect what it says and ask again, or ask for something else."


def show(data: Any) -> str:
    """A value as Markdown: a text, a list of fields, a list or a table, with counts where something is left out."""
    if isinstance(data, str):
        return _plain(data) if data.strip() else "an empty text"
    if isinstance(data, Mapping):
        return _object(cast("Mapping[str, Any]", data))
    if isinstance(data, list):
        return _list(cast("list[Any]", data))
    return _cell(data)


def _object(data: Mapping[str, Any]) -> str:
    if not data:
        return "an empty object"
    if len(data) == 1:
        name, only = next(iter(data.items()))
        if isinstance(only, list | dict) and only:
            return f"**{_plain(name)}**\n\n{show(only)}"
    lines = [f"- **{_plain(name)}**: {_brief(value)}" for name, value in list(data.items())[:_FIELDS]]
    if len(data) > _FIELDS:
        lines.append(f"- ... and {len(data) - _FIELDS} more fields")
    blocks = ["\n".join(lines)]
    for name, value in list(data.items())[:_FIELDS]:
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in cast("list[Any]", value)):
            blocks.append(f"**{_plain(name)}**\n\n{show(value)}")
    return "\n\n".join(blocks)


def _list(data: Sequence[Any]) -> str:
    if not data:
        return "an empty list"
    if all(isinstance(item, dict) for item in data):
        return _table(cast("Sequence[Mapping[str, Any]]", data))
    lines = [f"- {_brief(item)}" for item in data[:_ITEMS]]
    if len(data) > _ITEMS:
        lines.append(f"\n{_ITEMS} of {len(data)} shown.")
    return "\n".join(lines)


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows[:_ROWS] for name in row))
    plain = [
        name for name in names if any(_is_scalar(row.get(name)) and row.get(name) is not None for row in rows[:_ROWS])
    ]
    columns = (plain or names)[:_COLUMNS]
    if not columns:
        return f"{len(rows)} empty objects"
    lines = ["| " + " | ".join(map(_plain, columns)) + " |", "|" + " --- |" * len(columns)]
    for row in rows[:_ROWS]:
        lines.append("| " + " | ".join(_brief(row[name]) if name in row else "" for name in columns) + " |")
    notes: list[str] = []
    if len(rows) > _ROWS:
        notes.append(f"{_ROWS} of {len(rows)} rows shown")
    if len(names) > len(columns):
        notes.append(f"{len(names) - len(columns)} more columns left out")
    return "\n".join(lines) + (f"\n\n{'; '.join(notes).capitalize()}." if notes else "")


def _brief(value: Any) -> str:
    if _is_scalar(value):
        return _cell(value)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if items and len(items) <= 5 and all(_is_scalar(item) for item in items):
            return ", ".join(map(_cell, items))
        return f"{len(items)} items" if len(items) != 1 else "1 item"
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str)
    return f"`{_cut(text.replace('`', chr(39)), 2 * _CELL)}`"


def _cell(value: Any) -> str:
    if isinstance(value, str):
        text = " ".join(value.split())
        if re.fullmatch(r"https?://[^\s<>|]+", text):
            return f"<{text}>"
        return _plain(_cut(text, 4 * _CELL)) or "(empty)"
    return json.dumps(value, ensure_ascii=False, default=str)


def _plain(text: str) -> str:
    """Text in which nothing reads as Markdown."""
    return _MARKUP.sub(r"\\\1", " ".join(_cut(text, _TEXT).split()))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)
