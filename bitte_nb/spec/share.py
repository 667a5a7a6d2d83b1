"""Subschemas that one tool repeats become definitions where that makes the tool smaller."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from bitte_nb.spec.subschemas import POINTER, inside, mapped
from bitte_nb.spec.tree import is_map

__all__ = ["shared"]

_LEAST = 80
"""Characters from which a subschema is worth a name of its own."""
_GAIN = 40
"""Characters that a definition must save: a reference costs its reader a look elsewhere."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_write = json.JSONEncoder(separators=(",", ":"), default=str).encode


@dataclass(slots=True)
class _Seen:
    """Subschemas of one text."""

    node: dict[str, Any]
    name: str
    """What the first of them is called where it stands."""
    defined: bool
    """True where a definition has that text already."""
    size: int
    """Characters, without what is saved inside it."""
    inner: list[str] = field(default_factory=list[str])
    """The texts right inside it."""
    count: int = 1


def shared(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema with what it repeats in its `$defs`, or the schema itself where nothing is gained.

    The same input gives the same names: that of the property, or of the definition where one says the same already.
    """
    if len(_write(schema)) < 3 * _LEAST:
        return schema
    found = _Search()
    definitions: dict[str, Any] = schema.get("$defs", {})
    for name, definition in definitions.items():
        found.visit(definition, name, definition=True)
    body = {key: value for key, value in schema.items() if key != "$defs"}
    for key, name, inner in inside(body):
        found.visit(inner, _called(key, name, ""))
    names = found.names(set(definitions))
    if not names:
        return schema
    out = mapped(body, lambda inner: _referring(inner, names))
    new = {name: found.first[name] for name in dict.fromkeys(names.values()) if name not in definitions}
    kept = {
        name: _referring(node, names, keep=names.get(id(node)) in (None, name))
        for name, node in {**definitions, **new}.items()
    }
    return {**out, "$defs": dict(sorted(kept.items()))}


class _Search:
    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}
        self._ended: list[str] = []
        """The texts, inner ones first."""
        self._texts: dict[int, str] = {}
        self.first: dict[str, Any] = {}
        """The repeated subschemas by the name that they got."""

    def visit(self, node: Any, name: str, *, outer: _Seen | None = None, definition: bool = False) -> None:
        text = _write(node)
        if len(text) < _LEAST or not is_map(node):
            return
        self._texts[id(node)] = text
        if outer is not None:
            outer.inner.append(text)
        if text in self._seen:
            self._seen[text].count += 1
            return
        seen = self._seen[text] = _Seen(node, name, definition, len(text))
        for key, inner_name, inner in inside(node):
            self.visit(inner, _called(key, inner_name, name), outer=seen)
        self._ended.append(text)

    def names(self, taken: set[str]) -> dict[int, str]:
        """The definition that stands for each subschema that gets one, by the subschema's identity."""
        chosen: dict[str, str] = {}
        saved: dict[str, int] = {}
        for text in self._ended:
            seen = self._seen[text]
            less = sum(saved[inner] for inner in seen.inner)
            base = seen.name if seen.defined else _UNSAFE.sub("_", seen.name).strip("_")[:40] or "shared"
            reference = len(base) + len('{"$ref":""}' + POINTER)
            gain = (seen.count - 1) * (seen.size - less - reference)
            if not seen.defined:
                gain -= reference + len(base) + len('"":,')
            saved[text] = less
            if seen.count < 2 or gain < _GAIN:
                continue
            name, number = base, 2
            while not seen.defined and name in taken:
                name, number = f"{base}_{number}", number + 1
            taken.add(name)
            chosen[text] = name
            saved[text] = seen.size - reference
            self.first[name] = seen.node
        return {identity: chosen[text] for identity, text in self._texts.items() if text in chosen}


def _called(key: str, inner_name: str, name: str) -> str:
    """What a subschema is called where it stands inside one of a name."""
    return inner_name or (f"{name}_item" if key == "items" else name)


def _referring(node: Any, names: dict[int, str], *, keep: bool = False) -> Any:
    """A schema with references in it; `keep`: it is the definition itself."""
    if not is_map(node):
        return node
    name = None if keep else names.get(id(node))
    if name is not None:
        return {"$ref": POINTER + name}
    return mapped(node, lambda inner: _referring(inner, names))
