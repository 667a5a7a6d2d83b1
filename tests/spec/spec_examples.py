"""Deterministic example values for a tool's input schema, to call every operation of real documents."""

from __future__ import annotations

from typing import Any

TEXTS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T00:00:00Z",
    "uuid": "8c4f2a52-64d5-4f8f-a0f1-0c2f4a6c1d11",
    "uri": "https://example.com/x",
    "email": "a@example.com",
}


def example(schema: Any, defs: dict[str, Any], depth: int = 0) -> Any:
    """A value that the schema accepts in all ordinary cases; only required fields are filled in."""
    if not isinstance(schema, dict):
        return "x"
    if "$ref" in schema:
        return example(defs[schema["$ref"].removeprefix("#/$defs/")], defs, depth + 1) if depth < 12 else {}
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return next((value for value in schema["enum"] if value is not None), None)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            branches = [branch for branch in schema[key] if branch.get("type") != "null"]
            own = {name: value for name, value in schema.items() if name not in (key, "description")}
            first = example(branches[0], defs, depth + 1) if branches else None
            more = example(own, defs, depth + 1) if own.keys() & {"properties", "required"} else {}
            return {**more, **first} if isinstance(first, dict) and isinstance(more, dict) else first
    if "allOf" in schema:
        told = ("$ref", "type", "properties", "required", "anyOf", "oneOf", "allOf", "enum")
        values = [example(part, defs, depth + 1) for part in schema["allOf"] if part.keys() & set(told)]
        own = {name: value for name, value in schema.items() if name != "allOf"}
        values += [example(own, defs, depth + 1)] if own.keys() & {"properties", "required"} else []
        if all(isinstance(value, dict) for value in values):
            return {name: member for value in values for name, member in value.items()}
        return next((value for value in values if not isinstance(value, dict)), {})
    kind = schema.get("type")
    kind = next((entry for entry in kind if entry != "null"), "null") if isinstance(kind, list) else kind
    return _typed(kind, schema, defs, depth)


def _typed(kind: Any, schema: dict[str, Any], defs: dict[str, Any], depth: int) -> Any:
    if kind == "object" or "properties" in schema:
        fields = schema.get("properties", {})
        more = schema.get("additionalProperties")
        out = {
            name: example(fields.get(name, more if isinstance(more, dict) else {}), defs, depth + 1)
            for name in schema.get("required", [])
        }
        for number in range(max(0, schema.get("minProperties", 0) - len(out))):
            names = [name for name in fields if name not in out] or [f"k{number}"]
            out[names[0]] = example(fields.get(names[0], more if isinstance(more, dict) else {}), defs, depth + 1)
        return out
    if kind == "array":
        return [example(schema.get("items", {}), defs, depth + 1) for _ in range(max(1, schema.get("minItems", 1)))]
    if kind in ("integer", "number"):
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        return min(low, schema["maximum"]) if "maximum" in schema else low
    if kind == "boolean":
        return True
    for value in [*schema.get("examples", []), schema.get("default")]:
        if isinstance(value, str) and value and "pattern" in schema:
            return value
    text = TEXTS.get(schema.get("format", ""), "x" * max(1, schema.get("minLength", 1)))
    return text[: schema.get("maxLength", len(text))] or "x"
