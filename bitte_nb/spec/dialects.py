"""Dialects of JSON Schema that some providers demand: OpenAI's strict mode and Gemini's subset.

What a dialect cannot say as a schema is said in words, or becomes JSON text in a string; arguments given so are
converted back when they are checked.
"""

from __future__ import annotations

import re
from typing import Any, cast

from bitte_nb.spec.style import compact
from bitte_nb.spec.subschemas import references
from bitte_nb.spec.tree import items, mapping, sequence, string

__all__ = ["gemini", "strict"]

_STRICT = frozenset({
    "type", "description", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf",
    "$ref", "$defs", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minItems", "maxItems", "title",
})  # fmt: skip
_STRICT_FORMATS = frozenset(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"])
_LOOKS_AROUND = re.compile(r"\(\?<?[=!]|\\[1-9]|\\k<")
"""What no grammar can be made of: looking around, and what was found before."""
_STRICT_DEPTH = 10
"""Levels of nesting that strict mode takes."""
_STRICT_PROPERTIES = 5000
_STRICT_ENUMS = 1000
"""Values of all enums together."""
_STRICT_TEXT = 120_000
"""Characters of all names and enum values together."""
_LONG_ENUM = 250
"""Values from which the values of one enum of texts may have `_LONG_ENUM_TEXT` characters together."""
_LONG_ENUM_TEXT = 15_000
_GEMINI = frozenset({
    "default", "description", "format", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength",
    "minProperties", "minimum", "pattern", "title",
})  # fmt: skip
_GEMINI_FORMATS = {
    "string": frozenset({"date-time", "enum"}),
    "integer": frozenset({"int32", "int64"}),
    "number": frozenset({"float", "double"}),
}
_GEMINI_DEPTH = 5
"""References that are written out inside one another."""
_NODES = 1500
"""Schemas of one tool from which references are not written out any more; from twice as many none is opened."""
_LEVELS = 60
"""Schemas inside one another, of any kind, that are opened."""


def _target(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A reference with its definition in its place, and what stands beside it merged in."""
    ref = schema.get("$ref")
    if not isinstance(ref, str):
        return schema
    siblings = {key: value for key, value in schema.items() if key != "$ref"}
    return _merged([siblings, mapping(definitions.get(ref.removeprefix("#/$defs/")))])


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Schemas that all hold as one, as far as it can be one: objects by field, the rest by keyword, first wins."""
    out: dict[str, Any] = {}
    for part in parts:
        for key, value in part.items():
            if key == "properties":
                known = mapping(out.get(key))
                both = {name: {**mapping(node), **known[name]} for name, node in items(value) if name in known}
                out[key] = {**known, **{name: both.get(name, node) for name, node in items(value)}}
            elif key == "required":
                out[key] = list(dict.fromkeys([*sequence(out.get(key)), *sequence(value)]))
            else:
                out.setdefault(key, value)
    return out


def _flat(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema without `allOf`: its parts as one, each definition once."""
    if "allOf" not in schema:
        return schema
    parts: list[dict[str, Any]] = []
    seen: set[str] = set()
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        ref = node.get("$ref")
        parts.append({key: value for key, value in node.items() if key not in ("allOf", "$ref")})
        inner = [mapping(part) for part in sequence(node.get("allOf"))]
        if isinstance(ref, str) and ref not in seen:
            seen.add(ref)
            inner.append(mapping(definitions.get(ref.removeprefix("#/$defs/"))))
        waiting += reversed(inner)
    return _merged(parts)


def _branches(schema: dict[str, Any], definitions: dict[str, Any]) -> list[dict[str, Any]]:
    """The alternatives of a schema; the fields that all of them share are in each."""
    branches = [mapping(branch) for branch in sequence(schema.get("anyOf")) or sequence(schema.get("oneOf"))]
    if not mapping(schema.get("properties")):
        return branches
    shared = {key: schema[key] for key in ("properties", "required") if key in schema}
    return [
        branch if branch.get("type") == "null" else _merged([_flat(_target(branch, definitions), definitions), shared])
        for branch in branches
    ]


def _as_text(schema: dict[str, Any]) -> dict[str, Any]:
    """What cannot be said as a schema, as JSON text."""
    kinds = sequence(schema.get("type"))
    words = f"{string(schema.get('description'))} Write it as JSON text.".strip()
    return {"type": ["string", "null"] if "null" in kinds else "string", "description": words}


def _in_words(schema: dict[str, Any]) -> str:
    """The description, with the default and an example that the dialect has no keyword for."""
    words = [string(schema.get("description"))]
    if "default" in schema:
        words.append(f"Default: {compact(schema['default'])}.")
    if examples := sequence(schema.get("examples")):
        words.append(f"Example: {compact(examples[0])}.")
    return " ".join(word for word in words if word)


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    """OpenAI's strict mode: every object closed, every property required (null stands for absent), few keywords.

    Within its limits: levels of nesting, properties, values of enums, characters of names.
    """
    return _Strict(mapping(schema.get("$defs"))).whole(schema)


class _Strict:
    def __init__(self, definitions: dict[str, Any]) -> None:
        self._definitions = definitions
        self._level = self._nodes = 0
        self._properties = 0
        self._enums = 0
        self._text = 0

    def whole(self, schema: dict[str, Any]) -> dict[str, Any]:
        body = self._of({key: value for key, value in schema.items() if key != "$defs"}, 0)
        found: dict[str, Any] = {}
        waiting = references(body)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = {}
                self._text += len(name)
                found[name] = self._of(mapping(self._definitions.get(name)), 1)
                waiting |= references(found[name]) - found.keys()
        return {**body, "$defs": found} if found else body

    def _of(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        if self._level >= _LEVELS or self._nodes > 2 * _STRICT_PROPERTIES:
            return _as_text(schema)
        self._level += 1
        self._nodes += 1
        try:
            return self._opened(schema, depth)
        finally:
            self._level -= 1

    def _opened(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        schema = _flat(schema, self._definitions)
        if isinstance(schema.get("$ref"), str):
            return {"$ref": schema["$ref"]}
        if branches := _branches(schema, self._definitions):
            words = {"description": words} if (words := _in_words(schema)) else {}
            return {"anyOf": [self._of(branch, depth) for branch in branches], **words}
        out = {key: value for key, value in schema.items() if key in _STRICT}
        if words := _in_words(schema):
            out["description"] = words
        if out.get("format") not in _STRICT_FORMATS:
            out.pop("format", None)
        if _LOOKS_AROUND.search(string(out.get("pattern"))):
            out["description"] = f"{string(out.get('description'))} Pattern: {out.pop('pattern')}".strip()
        if "const" in out:
            out["enum"] = [out.pop("const")]
        if "enum" in out and not self._affords(out["enum"]):
            shown = ", ".join(compact(value) for value in out.pop("enum")[:50])
            out["description"] = f"{string(out.get('description'))} One of: {shown}, ...".strip()
        if _is(out, "array"):
            out["items"] = self._of(mapping(out.get("items")), depth + 1)
        else:
            out.pop("items", None)
        if depth == 0 or (mapping(out.get("properties")) and _is(out, "object")):
            return self._closed(out, schema, depth)
        if _is(out, "object") or not out.keys() & {"type", "enum"}:
            return _as_text(schema)
        return {
            key: value for key, value in out.items() if key not in ("properties", "required", "additionalProperties")
        }

    def _closed(self, out: dict[str, Any], schema: dict[str, Any], depth: int) -> dict[str, Any]:
        declared = mapping(out.get("properties"))
        size = sum(map(len, declared))
        if depth and (
            depth >= _STRICT_DEPTH
            or self._properties + len(declared) > _STRICT_PROPERTIES
            or self._text + size > _STRICT_TEXT
        ):
            return _as_text(schema)
        self._properties += len(declared)
        self._text += size
        required = set(sequence(schema.get("required")))
        properties: dict[str, Any] = {}
        for name, raw in declared.items():
            inner = self._of(mapping(raw), depth + 1)
            properties[name] = inner if name in required else _or_null(inner)
        return {**out, "properties": properties, "required": list(properties), "additionalProperties": False}

    def _affords(self, values: list[Any]) -> bool:
        """True if an enum is within the limits; it is counted then."""
        size = sum(len(value) for value in values if isinstance(value, str))
        if len(values) > _LONG_ENUM and size > _LONG_ENUM_TEXT:
            return False
        # One more, for the null that an optional property gets.
        if self._enums + len(values) + 1 > _STRICT_ENUMS or self._text + size > _STRICT_TEXT:
            return False
        self._enums += len(values) + 1
        self._text += size
        return True


def _is(schema: dict[str, Any], kind: str) -> bool:
    declared = schema.get("type")
    return declared == kind or (isinstance(declared, list) and kind in declared)


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    kind = schema.get("type")
    if "enum" in schema and None not in schema["enum"]:
        schema = {**schema, "enum": [*schema["enum"], None]}
    if isinstance(kind, str):
        return schema if kind == "null" else {**schema, "type": [kind, "null"]}
    if isinstance(kind, list):
        return schema if "null" in kind else {**schema, "type": [*cast("list[Any]", kind), "null"]}
    if "anyOf" in schema:
        known = any(branch.get("type") == "null" for branch in schema["anyOf"])
        return schema if known else {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    return schema if "enum" in schema else {"anyOf": [schema, {"type": "null"}]}


def gemini(schema: dict[str, Any]) -> dict[str, Any]:
    """Gemini's Schema: references written out to a depth, one type and `nullable`, enums of strings, `anyOf` alone."""
    body = {key: value for key, value in schema.items() if key != "$defs"}
    return _Gemini(mapping(schema.get("$defs"))).whole(body)


class _Gemini:
    def __init__(self, definitions: dict[str, Any]) -> None:
        self._definitions = definitions
        self._level = self._nodes = 0

    def whole(self, schema: dict[str, Any]) -> dict[str, Any]:
        out = self._of(schema, ())
        return out if out.get("type") == "object" else {"type": "object", "properties": {}}

    def _of(self, schema: dict[str, Any], seen: tuple[str, ...]) -> dict[str, Any]:
        if self._level >= _LEVELS or self._nodes > 2 * _NODES:
            return _as_text(schema) | {"type": "string"}
        self._level += 1
        try:
            return self._opened(schema, seen)
        finally:
            self._level -= 1

    def _opened(self, schema: dict[str, Any], seen: tuple[str, ...]) -> dict[str, Any]:
        self._nodes += 1
        ref = schema.get("$ref")
        if isinstance(ref, str):
            if seen.count(ref) > 1 or len(seen) >= _GEMINI_DEPTH or self._nodes > _NODES:
                return _as_text({"description": string(schema.get("description")) or "Further objects of this form."})
            return self._of(_target(schema, self._definitions), (*seen, ref))
        schema = _flat(schema, self._definitions)
        if branches := _branches(schema, self._definitions):
            return self._any(schema, branches, seen)
        kinds = [schema["type"]] if isinstance(schema.get("type"), str) else sequence(schema.get("type"))
        real = [kind for kind in kinds if kind != "null"]
        if len(real) > 1:
            rest = {key: value for key, value in schema.items() if key != "type"}
            null = ["null"] if "null" in kinds else []
            return self._any({}, [{**rest, "type": kind} for kind in [*real, *null]], seen)
        return self._one(schema, real[0] if real else "", seen, nullable="null" in kinds)

    def _one(self, schema: dict[str, Any], kind: str, seen: tuple[str, ...], *, nullable: bool) -> dict[str, Any]:
        out = {key: value for key, value in schema.items() if key in _GEMINI}
        allowed = [schema["const"]] if "const" in schema else sequence(schema.get("enum"))
        values = [value if isinstance(value, str) else compact(value) for value in allowed if value is not None]
        if values:
            out["enum"] = list(dict.fromkeys(values))
            kind = "string"
        properties = mapping(schema.get("properties"))
        # Only the tool's own object may have no properties.
        if (kind == "object" and not properties and self._nodes > 1) or not kind:
            out = _as_text({"description": string(schema.get("description"))})
            kind = "string"
        out["type"] = kind
        if nullable or None in allowed:
            out["nullable"] = True
        if out.get("format") not in _GEMINI_FORMATS.get(kind, frozenset()):
            out.pop("format", None)
        if kind == "object":
            out["properties"] = {name: self._of(mapping(node), seen) for name, node in properties.items()}
            if required := [name for name in sequence(schema.get("required")) if name in properties]:
                out["required"] = required
        if kind == "array":
            out["items"] = self._of(mapping(schema.get("items")), seen)
        if examples := sequence(schema.get("examples")):
            out["example"] = examples[0]
        return out

    def _any(self, schema: dict[str, Any], branches: list[Any], seen: tuple[str, ...]) -> dict[str, Any]:
        kept = [branch for branch in branches if branch.get("type") != "null"]
        null = {"nullable": True} if len(kept) < len(branches) else {}
        words = {"description": schema["description"]} if "description" in schema else {}
        if not kept:
            return {"type": "string", "nullable": True, **words}
        if len(kept) == 1:
            one = self._of(kept[0], seen)
            return (
                {"anyOf": [{**branch, **null} for branch in one["anyOf"]]}
                if "anyOf" in one
                else {**one, **words, **null}
            )
        found: list[dict[str, Any]] = []
        for branch in kept:
            one = self._of(branch, seen)
            found += one.get("anyOf", [one])
        # Beside `anyOf` nothing else is taken, so its description goes where there is none.
        return {"anyOf": [{**words, **branch, **null} for branch in found]}
