"""Dialects of JSON Schema that some providers demand: OpenAI's strict mode and Gemini's subset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from bitte_nb.spec.tree import items, mapping, sequence, string

__all__ = ["gemini", "strict"]

_STRICT = frozenset({
    "type", "description", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf",
    "$ref", "$defs", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minItems", "maxItems", "title",
})  # fmt: skip
_STRICT_FORMATS = frozenset(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"])
_GEMINI = frozenset({
    "default", "description", "format", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength",
    "minProperties", "minimum", "pattern", "title",
})  # fmt: skip
_GEMINI_FORMATS = {
    "string": frozenset({"date-time", "enum"}),
    "integer": frozenset({"int32", "int64"}),
    "number": frozenset({"float", "double"}),
}
_MAX_DEPTH = 5


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """`allOf` as one schema, as far as it can be one: objects by field, the rest by keyword, first wins."""
    out: dict[str, Any] = {}
    for part in parts:
        for key, value in part.items():
            if key == "properties":
                out[key] = {**mapping(value), **mapping(out.get(key))}
            elif key == "required":
                out[key] = list(dict.fromkeys([*sequence(out.get(key)), *sequence(value)]))
            else:
                out.setdefault(key, value)
    return out


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    """OpenAI's strict mode: every object closed, every property required (null stands for absent), few keywords.

    Maps, which strict mode cannot say, become JSON text in a string; arguments are converted back when checked.
    """
    definitions = mapping(schema.get("$defs"))
    body = _strict({key: value for key, value in schema.items() if key != "$defs"}, definitions, 0)
    if definitions:
        used = {name: _strict(mapping(value), definitions, 0) for name, value in definitions.items()}
        body["$defs"] = used
    return body


def _strict(schema: dict[str, Any], definitions: dict[str, Any], depth: int) -> dict[str, Any]:
    if "allOf" in schema:
        parts = [_target(mapping(part), definitions) for part in sequence(schema["allOf"])]
        schema = _merged([{key: value for key, value in schema.items() if key != "allOf"}, *parts])
    if "oneOf" in schema:
        schema = {**{key: value for key, value in schema.items() if key != "oneOf"}, "anyOf": schema["oneOf"]}
    if isinstance(schema.get("$ref"), str):
        return {"$ref": schema["$ref"]}
    out = {key: value for key, value in schema.items() if key in _STRICT}
    if out.get("format") not in _STRICT_FORMATS:
        out.pop("format", None)
    if "const" in out:
        out["enum"] = [out.pop("const")]
    if "anyOf" in out:
        out["anyOf"] = [_strict(mapping(branch), definitions, depth + 1) for branch in sequence(out["anyOf"])]
        out.pop("type", None)
    if "items" in out or out.get("type") == "array":
        out["items"] = _strict(mapping(out.get("items")), definitions, depth + 1)
    if "properties" in out or (depth == 0 and out.get("type") == "object"):
        out = _closed(out, definitions, depth)
    elif _is(out, "object") or not out.keys() & {"type", "anyOf", "enum"}:
        words = f"{string(out.get('description'))} Write it as JSON text.".strip()
        kinds = sequence(out.get("type"))
        return {"type": ["string", "null"] if "null" in kinds else "string", "description": words}
    return out


def _is(schema: dict[str, Any], kind: str) -> bool:
    declared = schema.get("type")
    return declared == kind or (isinstance(declared, list) and kind in declared)


def _closed(schema: dict[str, Any], definitions: dict[str, Any], depth: int) -> dict[str, Any]:
    required = set(sequence(schema.get("required")))
    properties: dict[str, Any] = {}
    for name, raw in items(schema.get("properties")):
        inner = _strict(mapping(raw), definitions, depth + 1)
        properties[name] = inner if name in required else _or_null(inner)
    return {**schema, "properties": properties, "required": list(properties), "additionalProperties": False}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    kind = schema.get("type")
    if "enum" in schema and None not in schema["enum"]:
        schema = {**schema, "enum": [*schema["enum"], None]}
    if isinstance(kind, str):
        return {**schema, "type": [kind, "null"]}
    if isinstance(kind, list):
        return schema if "null" in kind else {**schema, "type": [*cast("list[Any]", kind), "null"]}
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    return {"anyOf": [schema, {"type": "null"}]}


def _target(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    ref = schema.get("$ref")
    if not isinstance(ref, str):
        return schema
    siblings = {key: value for key, value in schema.items() if key != "$ref"}
    return {**mapping(definitions.get(ref.removeprefix("#/$defs/"))), **siblings}


def gemini(schema: dict[str, Any]) -> dict[str, Any]:
    """Gemini's Schema: references written out to a depth, one type and `nullable`, enums of strings, `anyOf` alone."""
    return _Gemini(mapping(schema.get("$defs"))).of({key: value for key, value in schema.items() if key != "$defs"}, ())


class _Gemini:
    def __init__(self, definitions: dict[str, Any]) -> None:
        self._definitions = definitions

    def of(self, schema: dict[str, Any], seen: tuple[str, ...]) -> dict[str, Any]:
        ref = schema.get("$ref")
        if isinstance(ref, str):
            if seen.count(ref) > 1 or len(seen) >= _MAX_DEPTH:
                return {"type": "object", "description": "Nested further in the same form."}
            return self.of(_target(schema, self._definitions), (*seen, ref))
        if "allOf" in schema:
            parts = [self.of(mapping(part), seen) for part in sequence(schema["allOf"])]
            return _merged([self.of({key: value for key, value in schema.items() if key != "allOf"}, seen), *parts])
        branches = sequence(schema.get("anyOf")) or sequence(schema.get("oneOf"))
        if branches:
            return self._any(schema, branches, seen)
        out = {key: value for key, value in schema.items() if key in _GEMINI}
        self._type(schema, out)
        self._enum(schema, out)
        if out.get("format") not in _GEMINI_FORMATS.get(string(out.get("type")), frozenset()):
            out.pop("format", None)
        self._children(schema, out, seen)
        return out

    def _any(self, schema: dict[str, Any], branches: list[Any], seen: tuple[str, ...]) -> dict[str, Any]:
        kept = [mapping(branch) for branch in branches if mapping(branch).get("type") != "null"]
        null = len(kept) < len(branches)
        if len(kept) == 1:
            words = {key: schema[key] for key in ("description", "title") if key in schema}
            return {**self.of(kept[0], seen), **words, **({"nullable": True} if null else {})}
        return {"anyOf": [{**self.of(branch, seen), **({"nullable": True} if null else {})} for branch in kept]}

    @staticmethod
    def _type(schema: dict[str, Any], out: dict[str, Any]) -> None:
        declared = schema.get("type")
        kinds = [declared] if isinstance(declared, str) else list(sequence(declared))
        if "null" in kinds:
            out["nullable"] = True
        real = [kind for kind in kinds if kind != "null"]
        if len(real) > 1:
            out["anyOf"] = [{"type": kind} for kind in real]
        elif real:
            out["type"] = real[0]

    @staticmethod
    def _enum(schema: dict[str, Any], out: dict[str, Any]) -> None:
        allowed = [schema["const"]] if "const" in schema else sequence(schema.get("enum"))
        if allowed:
            out["enum"] = [value if isinstance(value, str) else str(value) for value in allowed if value is not None]
            out["type"] = "string"

    def _children(self, schema: dict[str, Any], out: dict[str, Any], seen: tuple[str, ...]) -> None:
        convert: Callable[[object], dict[str, Any]] = lambda node: self.of(mapping(node), seen)  # noqa: E731 - read below
        if "properties" in schema:
            properties = mapping(schema["properties"])
            out["properties"] = {name: convert(node) for name, node in properties.items()}
            if required := [name for name in sequence(schema.get("required")) if name in properties]:
                out["required"] = required
        if out.get("type") == "array":
            out["items"] = convert(schema.get("items")) or {"type": "string"}
        if examples := sequence(schema.get("examples")):
            out["example"] = examples[0]
