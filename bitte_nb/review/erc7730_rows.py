"""The formats of ERC-7730: described fields become rows, amounts in units, dates, names, nested calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from bitte_nb.review.abi import plain_value
from bitte_nb.review.eip712 import TypedDataError
from bitte_nb.review.erc7730_formats import FORMATS, Show, Shown, raw_format
from bitte_nb.review.erc7730_paths import PathError, resolve
from bitte_nb.review.shapes import listed, table
from bitte_nb.review.text import escape

__all__ = ["DescriptionError", "show"]

_DEPTH = 4
_NATIVE = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"


class DescriptionError(ValueError):
    """The descriptor does not fit this data: it promises a value that is another one."""


def show(s: Show) -> str | None:
    """Add the described rows; returns the sentence of the descriptor's intent, or None if it does not fit."""
    shape, texts = s.described.format, dict[str, str]()
    before, held = len(s.sheet.rows), len(s.sheet.amounts)
    owner = table(s.described.descriptor.get("metadata")).get("owner")
    intent = shape.get("intent")
    words = intent if isinstance(intent, str) else "; ".join(f"{k}: {v}" for k, v in table(intent).items())
    try:
        if isinstance(owner, str):
            s.sheet.row("described.owner", "Interaction with", escape(owner)[:200], note="says the descriptor")
        _fields(s, _list_of_fields(shape.get("fields")), "", texts, 0)
    except DescriptionError as error:
        del s.sheet.rows[before:], s.sheet.amounts[held:]
        s.sheet.skip(f"A descriptor for this request was set aside: {error}.")
        return None
    sentence = _interpolated(shape.get("interpolatedIntent"), texts) or words
    if sentence:
        s.sheet.row("described.intent", "Intent", escape(sentence)[:400], note="says the descriptor")
    return escape(sentence)[:400] or None


def _list_of_fields(value: object) -> list[Mapping[str, Any]]:
    if isinstance(value, Mapping):  # an early draft wrote {path: field}
        return [{"path": path, **table(field)} for path, field in cast("Mapping[str, Any]", value).items()]
    return [table(item) for item in listed(value)]


def _interpolated(text: object, texts: Mapping[str, str]) -> str | None:
    """The intent with the shown values put in; None unless every brace names a field that is visible on the card."""
    if not isinstance(text, str) or len(text) > 1_000:
        return None
    marked = text.replace("{{", "\0").replace("}}", "\1")
    names = re.findall(r"\{([^{}]*)\}", marked)
    if any(_key(name) not in texts for name in names) or "{" in re.sub(r"\{[^{}]*\}", "", marked):
        return None
    filled = re.sub(r"\{([^{}]*)\}", lambda m: texts[_key(m[1])], marked)
    return filled.replace("\0", "{").replace("\1", "}")


def _key(path: str) -> str:
    return path.strip().removeprefix("#.")


def _fields(s: Show, fields: list[Mapping[str, Any]], base: str, texts: dict[str, str], depth: int) -> None:
    if depth > _DEPTH:
        return
    for field in fields:
        s.left -= 1
        if s.left < 0:
            s.sheet.skip("The descriptor has too many fields; the raw arguments show all of them.")
            return
        entry = _with_definition(s, field)
        path = entry.get("path")
        if isinstance(entry.get("fields"), list | dict):
            inner = ".".join(filter(None, (base, str(path).removeprefix("#.") if isinstance(path, str) else "")))
            _fields(s, _list_of_fields(entry["fields"]), inner, texts, depth + 1)
            continue
        _field(s, entry, path, base, texts)


def _with_definition(s: Show, field: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = field.get("$ref")
    if not isinstance(reference, str):
        return field
    try:
        found = table(resolve(reference, s.scope)[0])
    except (PathError, IndexError):
        return field
    params = {**table(found.get("params")), **table(field.get("params"))}
    return {**found, **field, "params": params}


def _field(s: Show, entry: Mapping[str, Any], path: Any, base: str, texts: dict[str, str]) -> None:
    label = str(entry.get("label") or path or "value")[:100]
    try:
        values = resolve(path, s.scope, base=base) if isinstance(path, str) else [entry["value"]]
    except (PathError, KeyError):
        s.sheet.row("described.missing", escape(label), "not found in the data", note="the descriptor names it")
        return
    rule = entry.get("visible", "always")
    for value in values:
        plain = str(plain_value(value)).lower()
        must = [str(item).lower() for item in listed(table(rule).get("mustBe"))]
        if must and plain not in must:
            raise DescriptionError(f"{label} is {plain[:60]}, which it does not expect")
        hidden = [str(item).lower() for item in listed(table(rule).get("ifNotIn"))]
        if rule == "never" or must or plain in hidden:
            continue
        shown = _format(s, entry, value, base)
        s.sheet.row(
            f"described.{_key(path) if isinstance(path, str) else label}",
            escape(label),
            escape(shown.text)[:4_000],
            raw=shown.raw or str(plain_value(value)),
            kind=shown.kind,
            symbol=shown.symbol,
            note=shown.note,
            source=str(path or ""),
        )
        if isinstance(path, str):
            key = _key(".".join(filter(None, (base, path))))
            texts[key] = f"{texts[key]} and {shown.text}" if key in texts else shown.text


def _format(s: Show, entry: Mapping[str, Any], value: Any, base: str) -> Shown:
    name, params = str(entry.get("format", "raw")), table(entry.get("params"))
    maker = FORMATS.get(name, raw_format)
    try:
        return maker(s, params, value, base)
    except (PathError, TypedDataError, ValueError, IndexError) as error:
        shown = raw_format(s, params, value, base)
        return Shown(shown.text, shown.raw, shown.kind, note=f"not formatted as {name[:20]}: {error}")
