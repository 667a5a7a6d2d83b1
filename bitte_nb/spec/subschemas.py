"""Where schemas stand inside a converted schema (JSON Schema 2020-12, 10), and walking them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bitte_nb.spec.tree import both, is_list, is_map

__all__ = ["MANY", "NAMED", "ONE", "POINTER", "inside", "mapped", "references", "worded"]

ONE = frozenset({
    "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
"""Keywords whose value is a schema."""
MANY = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas."""
NAMED = frozenset({"$defs", "dependentSchemas", "patternProperties", "properties"})
"""Keywords whose value is an object of schemas by name."""
POINTER = "#/$defs/"
"""How a reference to a definition begins."""


def inside(schema: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """The schemas right inside a schema: keyword, name (of a property or definition, else empty) and schema."""
    for key, value in schema.items():
        if key in NAMED and is_map(value):
            for name, inner in value.items():
                yield key, name, inner
        elif key in MANY and is_list(value):
            for inner in value:
                yield key, "", inner
        elif key in ONE:
            yield key, "", value


def mapped(schema: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """The schema with every schema right inside it changed; what is no schema stays as it is."""
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key in NAMED and is_map(value):
            out[key] = {name: change(inner) for name, inner in value.items()}
        elif key in MANY and is_list(value):
            out[key] = [change(inner) for inner in value]
        else:
            out[key] = change(value) if key in ONE else value
    return out


def worded(schema: dict[str, Any], beside: dict[str, Any]) -> dict[str, Any]:
    """The schema with the keywords that stand beside it: those win, but of two descriptions none is lost."""
    if "description" in schema and "description" in beside:
        return {**schema, **beside, "description": both(beside["description"], schema["description"])}
    return {**schema, **beside}


def references(schema: object) -> set[str]:
    """The names of the definitions that a schema refers to, at any depth."""
    if not is_map(schema):
        return set()
    ref = schema.get("$ref")
    found = {ref.removeprefix(POINTER)} if isinstance(ref, str) else set[str]()
    return found.union(*(references(inner) for _, _, inner in inside(schema)))
