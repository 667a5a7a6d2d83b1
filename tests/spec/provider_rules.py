"""What each provider documents that it takes as a tool, checked by code that knows nothing of how we make them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

STRICT = {
    "type", "description", "enum", "properties", "required", "additionalProperties", "items", "anyOf", "$ref", "$defs",
    "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems",
    "maxItems", "title",
}  # fmt: skip
STRICT_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
GEMINI = {
    "anyOf", "default", "description", "enum", "example", "format", "items", "maxItems", "maxLength", "maxProperties",
    "maximum", "minItems", "minLength", "minProperties", "minimum", "nullable", "pattern", "properties", "required",
    "title", "type",
}  # fmt: skip
TYPES = {"string", "number", "integer", "boolean", "array", "object"}


def schemas(node: Any, depth: int = 0) -> Iterator[tuple[dict[str, Any], int]]:
    """Every schema in a schema, with the number of objects around it."""
    if not isinstance(node, dict):
        return
    yield node, depth
    below = depth + ("properties" in node)
    for value in node.get("properties", {}).values():
        yield from schemas(value, below)
    for value in node.get("$defs", {}).values():
        yield from schemas(value, 0)
    for key in ("items", "additionalProperties", "not"):
        yield from schemas(node.get(key), below)
    for key in ("anyOf", "oneOf", "allOf"):
        for value in node.get(key, []):
            yield from schemas(value, below)


def faults(provider: str, name: str, schema: dict[str, Any]) -> list[str]:
    """What the provider would refuse."""
    found = [] if re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) else [f"name {name!r}"]
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
        found.append("the root is no object with properties")
    if provider != "openai":
        bad = [one for one in schema["properties"] if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", one)]
        found += [f"property {one!r}" for one in bad]
    found += {"openai-strict": strict_faults, "gemini": gemini_faults}.get(provider, plain_faults)(schema)
    return found


def plain_faults(schema: dict[str, Any]) -> list[str]:
    """OpenAI without strict and Anthropic take JSON Schema 2020-12 whose references stay inside."""
    refs = {node["$ref"] for node, _ in schemas(schema) if isinstance(node.get("$ref"), str)}
    known = {f"#/$defs/{name}" for name in schema.get("$defs", {})}
    return [f"dangling {ref}" for ref in refs - known] + [f"unused {ref}" for ref in known - refs]


def strict_faults(schema: dict[str, Any]) -> list[str]:
    """Structured outputs: supported keywords, closed objects, all properties required, limits of size."""
    found = plain_faults(schema)
    properties = enums = text = 0
    for node, depth in schemas(schema):
        found += [f"keyword {key}" for key in node.keys() - STRICT]
        if "$ref" in node and len(node) > 1:
            found.append("something beside $ref")
        if not node.keys() & {"$ref", "type", "anyOf", "enum"}:
            found.append("no type")
        if "object" in (node.get("type") if isinstance(node.get("type"), list) else [node.get("type")]):
            if node.get("additionalProperties") is not False:
                found.append("an open object")
            if node.get("required") != list(node.get("properties", {})):
                found.append("a property that is not required")
        if "array" in str(node.get("type")) and "items" not in node:
            found.append("an array of nothing")
        if node.get("format", "date") not in STRICT_FORMATS:
            found.append(f"format {node['format']}")
        if re.search(r"\(\?<?[=!]|\\[1-9]", node.get("pattern", "")):
            found.append(f"pattern {node['pattern']}")
        if depth > 10:
            found.append("too deep")
        values = [value for value in node.get("enum", []) if isinstance(value, str)]
        if len(node.get("enum", [])) > 250 and sum(map(len, values)) > 15_000:
            found.append("an enum that is too long")
        properties += len(node.get("properties", {}))
        enums += len(node.get("enum", []))
        text += sum(map(len, [*values, *node.get("properties", {}), *node.get("$defs", {})]))
    for what, count, most in (("properties", properties, 5000), ("enums", enums, 1000), ("text", text, 120_000)):
        if count > most:
            found.append(f"too many {what}: {count}")
    if "anyOf" in schema:
        found.append("a root of alternatives")
    return found


def gemini_faults(schema: dict[str, Any]) -> list[str]:
    """The Schema object of the Gemini API: one type, enums of strings, no empty objects, alternatives alone."""
    found: list[str] = []
    for node, _ in schemas(schema):
        found += [f"keyword {key}" for key in node.keys() - GEMINI]
        if "anyOf" in node:
            if node.keys() != {"anyOf"} or not node["anyOf"]:
                found.append("something beside anyOf")
            continue
        if node.get("type") not in TYPES:
            found.append(f"type {node.get('type')}")
        if "enum" in node and (node["type"] != "string" or not all(isinstance(one, str) for one in node["enum"])):
            found.append("an enum that is not of strings")
        if len(set(node.get("enum", []))) < len(node.get("enum", [])):
            found.append("an enum with twins")
        if node["type"] == "object" and not node.get("properties") and node is not schema:
            found.append("an object without properties")
        if not set(node.get("required", [])) <= set(node.get("properties", {})):
            found.append("an unknown property is required")
        if node["type"] == "array" and not node.get("items"):
            found.append("an array of nothing")
    return found
