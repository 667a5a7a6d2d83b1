"""The arguments of a decoded call as rows of the card, none of them hidden inside another."""

from __future__ import annotations

from typing import Any, cast

from bitte_nb.review.abi import plain_value
from bitte_nb.review.abi_places import Place, places
from bitte_nb.review.abi_table import Known
from bitte_nb.review.abi_types import AbiType
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.text import escape, judge_tricks

__all__ = ["LONG", "argument_rows"]

LONG = 4_096
"""Characters of one value in a row; the raw request holds all of it."""


def argument_rows(known: Known, values: list[Any], data: bytes, sheet: Sheet) -> None:
    """A row for each argument, with the place in the data that it was read from."""
    inputs = known.function.inputs
    for index, (kind, value, place) in enumerate(zip(inputs, values, places(inputs, data, 4), strict=True)):
        _argument(sheet, f"arg.{kind.name or index}", kind.name or f"argument {index + 1}", kind, value, place, 0)


def _argument(sheet: Sheet, row_id: str, name: str, kind: AbiType, value: Any, place: Place, depth: int) -> None:
    """One row per value; structs and arrays of structs are opened so that nothing hides inside them."""
    if kind.dims and (kind.base == "tuple" or len(kind.dims) > 1) and depth < 4:
        for index, (item, part) in enumerate(zip(value, place.parts, strict=True)):
            _argument(sheet, f"{row_id}[{index}]", f"{name} {index + 1}", kind.element, item, part, depth + 1)
        if not value:
            sheet.row(row_id, name, "empty list", note=kind.canonical, source=str(place))
        return
    if kind.base == "tuple" and not kind.dims and depth < 4:
        for index, (inner, item, part) in enumerate(zip(kind.components, value, place.parts, strict=True)):
            label = inner.name or str(index + 1)
            _argument(sheet, f"{row_id}.{label}", f"{name} · {label}" if name else label, inner, item, part, depth + 1)
        return
    plain = plain_value(value)
    if kind.base == "address" and not kind.dims:
        sheet.row(row_id, name, plain, kind="address", note=sheet.ctx.name(plain) or kind.canonical, source=str(place))
    else:
        text = ", ".join(map(str, cast("list[Any]", plain))) if isinstance(plain, list) else str(plain)
        if kind.base == "string":
            judge_tricks(sheet, text, what=f"The argument {name[:60]}")
        shown = escape(text if len(text) <= LONG else text[:LONG] + "…")
        sheet.row(row_id, name, shown, raw=text, kind="code", note=kind.canonical, source=str(place))
