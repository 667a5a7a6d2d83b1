"""What a tool's definition says, fact by fact: a field, an allowed value, a default, a limit, that null is allowed.

A fact belongs to the field that it is about, so that it is not taken for said because another field says the like.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

__all__ = ["COLLIDING", "WORD", "Fact", "bare", "dangling", "facts", "plain", "target", "words"]

Fact = tuple[str, str]
"""Kind, and the field with what is said of it."""
WORD = "word of a description"
LIMITS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "format", "multipleOf")
COLLIDING = re.compile("_+(path|query|header|cookie|body)$")
"""What tells arguments of one name apart; converters differ in which of them keeps its name."""


def facts(schema: dict[str, Any], root: dict[str, Any] | None = None, whole: str = "body") -> set[Fact]:
    """What a schema says of which field, through its references into the root (by default itself).

    `whole` is an argument that is the whole body: to spread out its fields says the same.
    """
    found = set(_Facts(schema if root is None else root, {whole, "body", "requestBody"}).of(schema, ""))
    # That an unknown field is required says nothing of it.
    return {(kind, told) for kind, told in found if kind != "required" or ("field", told) in found}


class _Facts:
    def __init__(self, root: dict[str, Any], wholes: set[str]) -> None:
        self._root = root
        self._wholes = wholes
        self._met: set[tuple[str, int]] = set()

    def of(self, node: Any, field: str) -> Iterator[Fact]:
        if isinstance(node, list):
            for entry in node:
                yield from self.of(entry, field)
        if not isinstance(node, dict) or (field, id(node)) in self._met:
            return
        self._met.add((field, id(node)))
        for kind, told in _told(node):
            yield kind, f"{field}: {told}"
        for name in names if isinstance(names := node.get("required"), list) else []:
            yield "required", f"{field}: {self._name(node, name)}"
        for name, inner in node.get("properties", {}).items():
            called = self._name(node, name)
            yield "field", f"{field}: {called}"
            yield from self.of(inner, "" if node is self._root and called == "body" else called)
        for key in ("items", "anyOf", "oneOf", "allOf", "additionalProperties", "not", "prefixItems"):
            yield from self.of(node.get(key), field)
        for inner in node.get("patternProperties", {}).values():
            yield from self.of(inner, field)
        if isinstance(ref := node.get("$ref"), str):
            yield from self.of(target(self._root, ref), field)

    def _name(self, node: Any, name: str) -> str:
        return "body" if node is self._root and name in self._wholes else bare(name)


def _told(node: dict[str, Any]) -> Iterator[Fact]:
    """What one schema says itself."""
    kinds = node.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        yield ("null" if kind == "null" else "type"), kind
    for value in node.get("enum", [node["const"]] if "const" in node else []):
        yield "value", json.dumps(value)
    for value in [*node.get("examples", []), *([node["example"]] if "example" in node else [])]:
        yield "example", json.dumps(value)
    if "default" in node:
        yield "default", json.dumps(node["default"])
    yield from words(text) if isinstance(text := node.get("description"), str) else ()
    for key in LIMITS:
        if isinstance(limit := node.get(key), str | int | float):
            yield "limit", f"{key}={limit if isinstance(limit, str) else float(limit)}"


def plain(name: str) -> str:
    """A name without what converters change in it."""
    return "".join(filter(str.isalnum, name))


def bare(name: str) -> str:
    """An argument's name without what tells it from others of the same name."""
    return plain(COLLIDING.sub("", name))


def words(text: str) -> set[Fact]:
    """The words of a name or a description."""
    return {(WORD, word) for word in re.findall(r"[^\W_]+", text.lower())}


def target(schema: dict[str, Any], ref: str) -> Any:
    """What a reference leads to inside a schema (RFC 6901), or None."""
    found: Any = schema
    for step in ref.split("/")[1:] if ref.startswith("#") else [""]:
        token = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            found = found[int(token)] if token.isdigit() and int(token) < len(found) else None
        else:
            found = found.get(token) if isinstance(found, dict) else None
    return found


def dangling(schema: dict[str, Any]) -> int:
    """How many references lead nowhere."""

    def count(node: Any) -> int:
        if isinstance(node, list):
            return sum(map(count, node))
        if not isinstance(node, dict):
            return 0
        ref = node.get("$ref")
        return (isinstance(ref, str) and target(schema, ref) is None) + sum(map(count, node.values()))

    return count(schema)
