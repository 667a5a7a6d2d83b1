"""Definitions are written where they are used where that is shorter: those used once, and small ones.

A model reads them there without looking elsewhere.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from bitte_nb.spec.subschemas import POINTER, inside, mapped, references
from bitte_nb.spec.tree import is_map

__all__ = ["inlined"]

_MOST = 40
"""Number of definitions up to which it pays: beyond, they are shared between tools instead of copied."""
_write = json.JSONEncoder(separators=(",", ":"), default=str).encode
_BESIDE = frozenset({"$ref", "default", "deprecated", "description", "examples", "title"})


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema with what need not be a definition in its place; recursive ones stay, as references."""
    definitions: dict[str, Any] = schema.get("$defs", {})
    if not 0 < len(definitions) <= _MOST:
        return schema
    uses: Counter[str] = Counter()
    bound: set[str] = set()
    body = {key: value for key, value in schema.items() if key != "$defs"}
    for part in (body, *definitions.values()):
        _count(part, uses, bound)
    placed = {
        name: definitions[name]
        for name, count in uses.items()
        if name in definitions and name not in bound and (count == 1 or _short(name, definitions[name], count))
    }
    if not placed:
        return schema
    out = _written(body, placed)
    # A definition that is used once, by itself or by a circle that nothing else enters, is never reached.
    kept = {name: _written(value, placed) for name, value in definitions.items() if name not in placed}
    return {**out, "$defs": kept} if kept else out


def _short(name: str, definition: Any, count: int) -> bool:
    """True for a definition that refers to no other, and is shorter in its places than with references to it."""
    size, ref = len(_write(definition)), len(_write({"$ref": POINTER + name}))
    return count * size <= count * ref + size + len(name) and not references(definition)


def _count(schema: Any, uses: Counter[str], bound: set[str]) -> None:
    if not is_map(schema):
        return
    if isinstance(ref := schema.get("$ref"), str):
        name = ref.removeprefix(POINTER)
        uses[name] += 1
        if not schema.keys() <= _BESIDE:
            # Beside other keywords a definition cannot simply take the place of its reference.
            bound.add(name)
    for _, _, inner in inside(schema):
        _count(inner, uses, bound)


def _written(schema: Any, placed: dict[str, Any]) -> Any:
    if not is_map(schema):
        return schema
    ref = schema.get("$ref")
    if isinstance(ref, str) and (name := ref.removeprefix(POINTER)) in placed:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return {**_written(placed[name], placed), **beside}
    return mapped(schema, lambda inner: _written(inner, placed))
