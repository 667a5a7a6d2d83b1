"""What a tool's definition says, fact by fact: a field, an allowed value, a default, a limit, that null is allowed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["LIMITS", "dangling", "facts", "words"]

Fact = tuple[str, str]
LIMITS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "format", "multipleOf")


def facts(node: Any) -> Iterator[Fact]:
    """What a schema says, wherever in it: shared definitions and copies of them say the same."""
    if isinstance(node, list):
        for entry in node:
            yield from facts(entry)
    if not isinstance(node, dict):
        return
    kinds = node.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        yield ("null" if kind == "null" else "type"), kind
    for value in node.get("enum", [node["const"]] if "const" in node else []):
        yield "value", json.dumps(value)
    for value in [*node.get("examples", []), *([node["example"]] if "example" in node else [])]:
        yield "example", json.dumps(value)
    if "default" in node:
        yield "default", json.dumps(node["default"])
    for key in LIMITS:
        if key in node and not isinstance(node[key], dict):
            yield "limit", f"{key}={node[key]}"
    required = node.get("required")
    for field in required if isinstance(required, list) else []:
        yield "required", field
    for key, value in node.items():
        if key in ("properties", "$defs", "patternProperties") and isinstance(value, dict):
            for field, schema in value.items():
                if key == "properties":
                    yield "field", field
                yield from facts(schema)
        elif key in ("items", "anyOf", "oneOf", "allOf", "additionalProperties", "not", "prefixItems"):
            yield from facts(value)


def words(text: str) -> set[Fact]:
    """The words of a name or a description."""
    return {("word of a description", word) for word in re.findall(r"[^\W_]+", text.lower())}


def dangling(schema: dict[str, Any]) -> int:
    """How many references lead nowhere."""

    def count(node: Any) -> int:
        if isinstance(node, list):
            return sum(map(count, node))
        if not isinstance(node, dict):
            return 0
        ref = node.get("$ref")
        lost = isinstance(ref, str) and ref.removeprefix("#/$defs/") not in schema.get("$defs", {})
        return lost + sum(map(count, node.values()))

    return count(schema)
