"""Words from results: Markdown that says what came back, cut to what a person reads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from bitte_nb.model.said import Outcome

__all__ = ["answer_outcomes", "show"]

_ROWS, _COLUMNS, _FIELDS, _ITEMS, _CELL, _TEXT = 10, 6, 12, 15, 60, 1500
_NOT_RUN = re.compile(r"^(denied|forbidden|expired|cancelled)\b|\bnot run\b|\bdeclined\b", re.IGNORECASE)
_TO_MODELS = re.compile(r"\s*\bDo not (?:retry|repeat) it\b[^.:]*(?::[^.]*)?\.")
"""What an error tells a model to do; whoever reads the answer is a person."""
_UNKNOWN = re.compile(r"\boutcome is unknown\b|\bmay have (?:taken effect|already run)\b", re.IGNORECASE)
_ADVICE = (
    (r"could not be reached|did not (?:answer|finish its answer)|^The connection to \S+ failed",
     "Your words are not at fault: ask again once that server runs and can be reached from here."),
    (r"^HTTP (?:error during .*: )?(?:401|407)\b",
     "It wants to know who asks: give the document its credential (`authorize`) and ask again."),
    (r"^HTTP (?:error during .*: )?403\b",
     "The server does not allow this to whoever asks here: ask for something else, or with another credential."),
    (r"^HTTP (?:error during .*: )?(?:404|410)\b",
     "The server has nothing there: check the names and numbers that you gave and ask again."),
    (r"^HTTP (?:error during .*: )?(?:408|429)\b", "Your words are not at fault: wait a little and ask again."),
    (r"^HTTP (?:error during .*: )?5\d\d\b",
     "That is the server's own fault, not that of your words: ask again later, or ask for something else."),
    (r"", "Change what it complains about and ask again, or ask for something else."),
)  # fmt: skip
"""What to do about an error, by the sentence that says it; the first that fits."""
_PLAIN_NAMES = ("result", "results", "value", "data", "output", "answer", "message", "response")
_MARKUP = re.compile(r"[\\`*<|]|(?<![^\W_])_|_(?![^\W_])|~(?=~)|(?<=\])\(|^(?:[#>+-]|\d+[.)])(?=\s|$)")
"""What reads as Markdown where it stands; an underscore inside a word does not."""
_WHY = {
    "denied": ": it was declined",
    "declined": ": it was declined",
    "forbidden": ": a rule of your policy forbids it",
    "expired": ": nobody answered in time",
    "cancelled": ": it was cancelled",
}


def answer_outcomes(outcomes: Sequence[Outcome]) -> list[str]:
    """Pieces of Markdown in the order of the calls; short results of one operation share a line."""
    blocks: list[str] = []
    for name in dict.fromkeys(outcome.name for outcome in outcomes):
        alike = [outcome for outcome in outcomes if outcome.name == name]
        short = [_short(outcome) for outcome in alike]
        if all(short):
            times = f" ({len(alike)} times)" if len(alike) > 1 else ""
            blocks.append(f"`{name}`{times}: {', '.join(short)}")
        else:
            blocks += [_answer(outcome) for outcome in alike]
    return blocks


def _answer(outcome: Outcome) -> str:
    name = f"`{outcome.name}`"
    if outcome.error is None:
        return f"{name} returned:\n\n{show(_news(outcome))}"
    error = _plain(_TO_MODELS.sub("", _sentence(outcome.error), count=1))
    if _UNKNOWN.search(outcome.error):
        doubt = "was interrupted, so nobody knows whether it took effect. I will not repeat it unless you ask."
        return f"{name} {doubt}\n\n> {error}"
    if match := _NOT_RUN.search(outcome.error):
        why = _WHY.get((match.group(1) or match.group()).lower(), "")
        return f"{name} was not run{why}. It changed, signed and sent nothing.\n\n> {error}"
    advice = next(words for kind, words in _ADVICE if re.search(kind, outcome.error))
    return f"{name} failed:\n\n> {error}\n\n{advice}"


def _sentence(error: str) -> str:
    """An error without the JSON around its sentence, where an endpoint sent one."""
    head, brace, tail = error.partition("{")
    try:
        body: Any = json.loads(brace + tail) if brace else None
    except ValueError:
        return error
    while isinstance(body, dict):
        fields = cast("dict[str, Any]", body)
        body = next((fields[name] for name in ("error", "message", "detail", "title") if fields.get(name)), None)
    return head + body if isinstance(body, str) else error


def _short(outcome: Outcome) -> str:
    """A result of one value in a few words, or empty where it is more than that."""
    if outcome.error is not None:
        return ""
    news = _news(outcome)
    if _is_scalar(news):
        text = _cell(news)
    elif isinstance(news, Mapping) and len(fields := cast("Mapping[str, Any]", news)) == 1:
        name, only = next(iter(fields.items()))
        said = f"{_plain(name)} " if name.lower() not in _PLAIN_NAMES else ""
        text = f"{said}{_cell(only)}" if _is_scalar(only) else ""
    else:
        return ""
    return text if len(text) <= 4 * _CELL else ""


def _news(outcome: Outcome) -> Any:
    """The result without the fields that only repeat the call's own arguments, if anything else is in it."""
    whole: Any = outcome.data
    if not isinstance(whole, dict):
        return whole
    data = cast("dict[str, Any]", whole)
    news = {name: value for name, value in data.items() if not _repeats(name, value, outcome.args)}
    return news or data


def _repeats(name: str, value: Any, args: Mapping[str, Any]) -> bool:
    if name in args and args[name] == value:
        return True
    parts = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    return bool(parts) and all(key in args and args[key] == part for key, part in parts.items())


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
    told = {name: value for name, value in data.items() if value is not None} or data
    fields = list(told.items())[:_FIELDS]
    tables = [(name, value) for name, value in fields if _is_rows(value)]
    lines = [f"- **{_plain(name)}**: {_brief(value)}" for name, value in fields if not _is_rows(value)]
    if len(told) > _FIELDS:
        lines.append(f"- ... and {len(told) - _FIELDS} more fields")
    blocks = ["\n".join(lines)] if lines else []
    blocks += [f"**{_plain(name)}**\n\n{show(value)}" for name, value in tables]
    return "\n\n".join(blocks)


def _list(data: Sequence[Any]) -> str:
    if not data:
        return "an empty list"
    if _is_rows(data):
        return _table(cast("Sequence[Mapping[str, Any]]", data))
    lines = [f"- {_brief(item)}" for item in data[:_ITEMS]]
    if len(data) > _ITEMS:
        lines.append(f"\n{_ITEMS} of {len(data)} shown.")
    return "\n".join(lines)


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    shown = rows[:_ROWS]
    names = list(dict.fromkeys(name for row in shown for name in row))
    told = [name for name in names if any(row.get(name) not in (None, "", [], {}) for row in shown)]
    flat = [name for name in told if all(_is_scalar(row.get(name)) for row in shown)]
    columns = (flat + [name for name in told if name not in flat])[:_COLUMNS]
    if not columns:
        return f"{len(rows)} objects with nothing in them"
    columns.sort(key=names.index)
    lines = ["| " + " | ".join(map(_plain, columns)) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(_brief(row[name]) if name in row else "" for name in columns) + " |" for row in shown]
    notes: list[str] = []
    if len(rows) > _ROWS:
        notes.append(f"{_ROWS} of {len(rows)} rows are shown")
    if len(told) > len(columns):
        notes.append(f"columns left out: {', '.join(map(_plain, [n for n in told if n not in columns][:10]))}")
    return "\n".join(lines) + (f"\n\n{'; '.join(notes).capitalize()}." if notes else "")


def _brief(value: Any) -> str:
    if _is_scalar(value):
        return _cell(value)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if items and len(items) <= 5 and all(_is_scalar(item) for item in items):
            return ", ".join(map(_cell, items))
        if not items or len(items) > 2 or _is_scalar(items[0]):
            return f"{len(items)} items"
    text = _cut(json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str), 2 * _CELL)
    return _plain(text) if "|" in text or "`" in text else f"`{text}`"


def _cell(value: Any) -> str:
    if isinstance(value, str):
        text = " ".join(value.split())
        if re.fullmatch(r"https?://[^\s<>|]+", text):
            return f"<{text}>"
        return _plain(_cut(text, 4 * _CELL)) or "(empty)"
    return json.dumps(value, ensure_ascii=False, default=str)


def _plain(text: str) -> str:
    """Text in which nothing reads as Markdown."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(_cut(text, _TEXT).split()))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _is_rows(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    rows = cast("list[Any]", value)
    return bool(rows) and all(isinstance(item, dict) for item in rows)
