"""Definitions that a schema uses once are written where they are used: shorter, and easier to read for a model."""

from __future__ import annotations

from collections import Counter
from typing import Any

from bitte_nb.spec.tree import is_list, is_map

__all__ = ["inlined"]

_PREFIX = "#/$defs/"
_MOST = 40
"""Number of definitions up to which it pays: beyond, they are shared between tools instead of copied."""
_DATA = frozenset({"const", "default", "enum", "examples", "required", "description", "type"})
_NAMED = frozenset({"dependentSchemas", "patternProperties", "properties"})
_BESIDE = frozenset({"$ref", "default", "deprecated", "description", "examples", "title"})


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema without the definitions that are used exactly once; recursive ones stay, as references."""
    definitions: dict[str, Any] = schema.get("$defs", {})
    if not 0 < len(definitions) <= _MOST:
        return schema
    uses: Counter[str] = Counter()
    body = {key: value for key, value in schema.items() if key != "$defs"}
    _count(body, uses, named=False)
    for definition in definitions.values():
        _count(definition, uses, named=False)
    once = {name: definitions[name] for name, count in uses.items() if count == 1 and name in definitions}
    if not once:
        return schema
    out = _written(body, once)
    # A definition that is used once, by itself or by a circle that nothing else enters, is never reached.
    kept = {name: _written(value, once) for name, value in definitions.items() if name not in once}
    return {**out, "$defs": kept} if kept else out


def _count(node: Any, uses: Counter[str], *, named: bool) -> None:
    if is_list(node):
        for entry in node:
            _count(entry, uses, named=False)
    elif is_map(node):
        for key, value in node.items():
            if not named and key == "$ref" and isinstance(value, str):
                # Beside other keywords a definition cannot simply take the place of its reference.
                uses[value.removeprefix(_PREFIX)] += 1 if node.keys() <= _BESIDE else 2
            elif named or key not in _DATA:
                _count(value, uses, named=not named and key in _NAMED)


def _written(node: Any, once: dict[str, Any], *, named: bool = False) -> Any:
    if is_list(node):
        return [_written(entry, once) for entry in node]
    if not is_map(node):
        return node
    ref = node.get("$ref")
    if not named and isinstance(ref, str) and (name := ref.removeprefix(_PREFIX)) in once:
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return {**_written(once[name], once), **beside}
    return {
        key: value if not named and key in _DATA else _written(value, once, named=not named and key in _NAMED)
        for key, value in node.items()
    }
