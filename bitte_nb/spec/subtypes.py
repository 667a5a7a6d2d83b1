"""What a discriminator without alternatives means: the schemas that build on its own by `allOf` (OAS 3.1, 4.8.25)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from bitte_nb.spec.refs import BrokenReference, References, reference
from bitte_nb.spec.tree import clean, is_list, items, mapping, sequence, string

__all__ = ["Subtypes"]

_MOST = 12
"""Subtypes that are named."""
_FIELDS = 8
"""Fields of a subtype that are named."""


class Subtypes:
    """Finds the named schemas of a document that build on others."""

    def __init__(self, refs: References) -> None:
        self._refs = refs

    def names(self, node: Mapping[str, Any]) -> list[str]:
        """The names of the schemas that build on this one."""
        return [name for name, _ in self._below(node, {id(node)})]

    def words(self, node: Mapping[str, Any], values: Mapping[str, Any]) -> str:
        """Which value of the discriminator brings which further fields; empty for a schema that nothing builds on.

        `values` are the references or names of its subtypes by value, where it gives them.
        """
        told: list[str] = []
        for name, schema in self._below(node, {id(node)}):
            own = [value for value, target in values.items() if string(target).rsplit("/", 1)[-1] == name]
            value = own[0] if own else string(schema.get("x-ms-discriminator-value")) or name
            fields = [f"{field} ({_kind(inner)})" for field, inner in self._own_fields(schema)]
            shown = ", ".join(fields[:_FIELDS]) + (", ..." if len(fields) > _FIELDS else "")
            told.append(f"{value}: {shown}" if shown else value)
        if not told:
            return ""
        more = f" And {len(told) - _MOST} more." if len(told) > _MOST else ""
        return clean(f"Its value says which further fields there are. {'; '.join(told[:_MOST])}.{more}")

    @cached_property
    def _by_base(self) -> dict[int, list[tuple[str, dict[str, Any]]]]:
        """Names and schemas by the identity of the schema that they build on."""
        found: dict[int, list[tuple[str, dict[str, Any]]]] = {}
        root = mapping(self._refs.root)
        for holder in (root.get("definitions"), mapping(root.get("components")).get("schemas")):
            for name, schema in items(holder):
                for part in sequence(mapping(schema).get("allOf")):
                    if reference(part) is None:
                        continue
                    try:
                        base = self._refs.follow(part)
                    except BrokenReference:
                        continue
                    found.setdefault(id(base), []).append((name, mapping(schema)))
        return found

    def _below(self, node: Mapping[str, Any], seen: set[int]) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, schema in self._by_base.get(id(node), []):
            if id(schema) not in seen:
                seen.add(id(schema))
                yield name, schema
                yield from self._below(schema, seen)

    def _own_fields(self, schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for part in (schema, *sequence(schema.get("allOf"))):
            if reference(part) is None:
                for name, inner in items(mapping(part).get("properties")):
                    try:
                        end = mapping(self._refs.follow(inner))
                    except BrokenReference:
                        end = {}
                    if end.get("readOnly") is not True:
                        yield name, end


def _kind(schema: dict[str, Any]) -> str:
    kind = schema.get("type")
    if is_list(kind):
        kind = next((one for one in kind if one != "null"), None)
    return kind if isinstance(kind, str) else "object" if "properties" in schema or "allOf" in schema else "any"
