"""Definitions that a schema uses once are written where they are used: shorter, and easier to read for a model."""

from __future__ import annotations

from collections import Counter
from typing import Any

from bitte_nb.spec.subschemas import POINTER, inside, mapped
from bitte_nb.spec.tree import is_map

__all__ = ["inlined"]

_MOST = 40
"""Number of definitions up to which it pays: beyond, they are shared between tools instead of copied."""
_BESIDE = frozenset({"$ref", "default", "deprecated", "description", "examples", "title"})


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema without the definitions that are used exactly once; recursive ones stay, as references."""
    definitions: dict[str, Any] = schema.get("$defs", {})
    if not 0 < len(definitions) <= _MOST:
        return schema
    uses: Counter[str] = Counter()
    body = {key: value for key, value in schema.items() if key != "$defs"}
    _count(body, uses)
    for definition in definitions.values():
        _count(definition, uses)
    once = {name: definitions[name] for name, count in uses.items() if count == 1 and name in definitions}
    if not once:
        return schema
    out = _written(body, once)
    # A definition that is used once, by itself or by a circle that nothing else enters, is never reached.
    kept = {name: _written(value, once) for name, value in definitions.items() if name not in once}
    return {**out, "$defs": kept} if kept else out


def _count(schema: Any, uses: Counter[str]) -> None:
    if not is_map(schema):
        return
    if isinstance(ref := schema.get("$ref"), str):
        # Beside other keywords a definition cannot simply take the place of its reference.
        uses[ref.removeprefix(POINTER)] += 1 if schema.keys() <= _BESIDE else 2
    for _, _, inner in inside(schema):
        _count(inner, uses)


def _written(schema: Any, once: dict[str, Any]) -> Any:
    if not is_map(schema):
        return schema
    ref = schema.get("$ref")
    if isinstance(ref, str) and (name := ref.removeprefix(POINTER)) in once:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return {**_written(once[name], once), **beside}
    return mapped(schema, lambda inner: _written(inner, once))
