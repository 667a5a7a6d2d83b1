"""Definitions are written where they are used where that is shorter: those used once, and small ones.

A model reads them there without looking elsewhere.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from bitte_nb.spec.subschemas import POINTER, inside, mapped, references, worded
from bitte_nb.spec.tree import is_map, mapping

__all__ = ["inlined"]

_MOST = 40
"""Number of definitions up to which it pays: beyond, they are shared between tools instead of copied."""
_write = json.JSONEncoder(separators=(",", ":"), default=str).encode
_BESIDE = frozenset({"default", "deprecated", "description", "examples", "title"})
_ALONE = _BESIDE | {"enum", "format", "pattern", "type"}
"""Keywords that mean the same whatever stands beside them."""


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema with what need not be a definition in its place; recursive ones stay, as references."""
    definitions: dict[str, Any] = schema.get("$defs", {})
    if not 0 < len(definitions) <= _MOST:
        return schema
    uses: Counter[str] = Counter()
    bound: set[str] = set()
    body = {key: value for key, value in schema.items() if key != "$defs"}
    for part in (body, *definitions.values()):
        _count(part, definitions, uses, bound)
    placed = {
        name: definitions[name]
        for name, count in uses.items()
        if name in definitions and name not in bound and (count == 1 or _short(name, definitions[name], count))
    }
    out = _written(body, definitions, placed)
    # A definition that is used once, by itself or by a circle that nothing else enters, is never reached.
    kept = {name: _written(value, definitions, placed) for name, value in definitions.items() if name not in placed}
    return {**out, "$defs": kept} if kept else out


def _short(name: str, definition: Any, count: int) -> bool:
    """True for a definition that refers to no other, and is shorter in its places than with references to it."""
    size, ref = len(_write(definition)), len(_write({"$ref": POINTER + name}))
    return count * size <= count * ref + size + len(name) and not references(definition)


def _beside(schema: dict[str, Any], definition: Any) -> dict[str, Any]:
    """What stands beside a reference, without what its definition says in the same words."""
    if len(schema) == 1:
        return {}
    said = mapping(definition)
    return {
        key: value
        for key, value in schema.items()
        if key != "$ref" and (key not in _ALONE or key not in said or said[key] != value)
    }


def _count(schema: Any, definitions: dict[str, Any], uses: Counter[str], bound: set[str]) -> None:
    if not is_map(schema):
        return
    if isinstance(ref := schema.get("$ref"), str):
        name = ref.removeprefix(POINTER)
        uses[name] += 1
        if not _beside(schema, definitions.get(name)).keys() <= _BESIDE:
            # Beside other keywords a definition cannot simply take the place of its reference.
            bound.add(name)
    for _, _, inner in inside(schema):
        _count(inner, definitions, uses, bound)


def _written(schema: Any, definitions: dict[str, Any], placed: dict[str, Any]) -> Any:
    if not is_map(schema):
        return schema
    if isinstance(ref := schema.get("$ref"), str):
        name = ref.removeprefix(POINTER)
        beside = _beside(schema, definitions.get(name))
        if name in placed:
            return worded(_written(placed[name], definitions, placed), beside)
        schema = {"$ref": ref, **beside}
    return mapped(schema, lambda inner: _written(inner, definitions, placed))
