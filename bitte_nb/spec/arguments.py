"""The arguments of a tool: parameters and body fields side by side, each with where it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from bitte_nb.spec.guard import reserved_header
from bitte_nb.spec.media import Body, Content
from bitte_nb.spec.parameters import Parameter
from bitte_nb.spec.schema import Schemas, discriminator
from bitte_nb.spec.subschemas import mapped, worded
from bitte_nb.spec.tree import clean, finite, is_map, items, mapping, sequence

__all__ = ["FILE_SCHEMA", "IDEMPOTENCY_KEY", "Argument", "Plan", "body_required", "make_plan"]

FILE_SCHEMA: dict[str, Any] = {
    "type": ["string", "object"],
    "description": "A file: its text, or {content_base64, filename, content_type}.",
}
"""How a model gives a file: as text, or as base64 with a name and a media type."""

IDEMPOTENCY_KEY = "idempotency-key"
"""The header that says whether a call is the same one again: the runtime's to set, never a model's."""

_WORDS = {"path": "path parameter", "query": "query parameter", "header": "header", "cookie": "cookie"}
_CONDITIONS = frozenset({"not", "if", "patternProperties", "enum", "const"})
_ONLY_REQUIRED = frozenset({"required", "title", "description"})
_MAX_MERGE = 8


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool."""

    name: str
    """As the model sees it."""
    location: str
    """`path`, `query`, `header`, `cookie`, `querystring`, `field` (of the body) or `body` (the whole)."""
    key: str
    """Its name at its location."""
    schema: dict[str, Any]
    required: bool

    @property
    def words(self) -> str:
        """What it is, for a sentence."""
        return _WORDS.get(self.location, "body field" if self.location == "field" else "argument")


@dataclass(frozen=True, slots=True)
class Plan:
    """All arguments of a tool and the schema that describes them."""

    arguments: tuple[Argument, ...]
    extra: Any
    """Schema of further body fields, or None where none are allowed."""
    content: Content | None
    body_required: bool
    definitions: dict[str, Any]
    by_name: dict[str, Argument] = field(default_factory=dict[str, Argument])

    def schema(self) -> dict[str, Any]:
        """The tool's input schema."""
        out: dict[str, Any] = {
            "type": "object",
            "properties": {argument.name: argument.schema for argument in self.arguments},
        }
        if required := [argument.name for argument in self.arguments if argument.required]:
            out["required"] = required
        if self.extra is not None:
            out["additionalProperties"] = self.extra
        if self.definitions:
            out["$defs"] = self.definitions
        return out


@dataclass(slots=True)
class _Fields:
    """The fields of an object body, `allOf` merged."""

    properties: dict[str, Any] = field(default_factory=dict[str, Any])
    required: list[str] = field(default_factory=list[str])
    extra: Any = None
    closed: bool = False
    telling: dict[str, dict[str, Any]] = field(default_factory=dict[str, "dict[str, Any]"])
    """The schemas that tell their forms apart by a field, by the name of that field."""


def make_plan(
    parameters: Iterable[Parameter], body: Body | None, schemas: Schemas, secrets: frozenset[tuple[str, str]]
) -> Plan:
    """The arguments of an operation.

    An object body gives its fields as arguments; any other body is one argument called `body`. Only names that collide
    are suffixed, with their location. Headers that no model may choose and parameters that carry credentials
    (`secrets`, as location and name) are left out.
    """
    uses: set[str] = set()
    found: list[Argument] = []
    for parameter in parameters:
        hidden = parameter.location == "header" and (
            reserved_header(parameter.name) or parameter.name.lower() == IDEMPOTENCY_KEY
        )
        if not hidden and (parameter.location, parameter.name) not in secrets:
            schema = _described(schemas.convert(parameter.schema, uses), parameter)
            found.append(Argument(parameter.name, parameter.location, parameter.name, schema, parameter.required))
    extra: Any = None
    content = body.best if body else None
    if body and content:
        fields = _fields(content, schemas)
        if _always_empty(content, schemas):
            pass
        elif fields is None:
            found.append(_whole(body, content, schemas, uses))
        else:
            found += _field_arguments(fields, body, content, schemas, uses)
            extra = None if fields.closed or fields.extra is None else schemas.convert(fields.extra, uses)
    renamed = tuple(_distinct(found))
    return Plan(
        renamed,
        extra,
        content,
        bool(body and body.required),
        schemas.definitions(uses),
        {argument.name: argument for argument in renamed},
    )


def _described(schema: dict[str, Any], parameter: Parameter) -> dict[str, Any]:
    out = dict(schema)
    if parameter.description:
        out = worded(out, {"description": parameter.description})
    if parameter.example is not None and finite(parameter.example) and "examples" not in out:
        out["examples"] = [parameter.example]
    if parameter.deprecated:
        out["deprecated"] = True
    return out


def _always_empty(content: Content, schemas: Schemas) -> bool:
    """True for a body whose only value is an empty object: there is nothing to ask a model for."""
    source = schemas.resolve(content.schema)
    return source.get("properties") == {} and source.get("additionalProperties") is False and content.kind != "binary"


def _whole(body: Body, content: Content, schemas: Schemas, uses: set[str]) -> Argument:
    if content.kind == "binary":
        schema: dict[str, Any] = worded(FILE_SCHEMA, _words(schemas.resolve(content.schema)))
    elif content.kind in ("text", "xml") and not (content.kind == "xml" and schemas.resolve(content.schema)):
        schema = {"type": "string", **schemas.convert(content.schema, uses)}
    else:
        schema = _with_files(schemas.convert(content.schema, uses), content)
        if content.kind == "xml" and schema.get("type") == "object":
            schema = {"anyOf": [{"type": "string", "description": "The document as XML text."}, schema]}
    if body.description:
        schema = worded(schema, {"description": body.description})
    elif content.kind not in ("json", "form", "multipart") and "description" not in schema:
        schema = {**schema, "description": f"The request body ({content.media})."}
    return Argument("body", "body", "", schema, body.required)


def _field_arguments(
    fields: _Fields, body: Body, content: Content, schemas: Schemas, uses: set[str]
) -> Iterable[Argument]:
    for name, node in fields.properties.items():
        if schemas.read_only(node):
            continue
        needed = body.required and name in fields.required
        schema = _file_field(schemas.resolve(node), content) or schemas.convert(node, uses)
        if name in fields.telling:
            schema = schemas.discriminating(fields.telling[name], schema)
        yield Argument(name, "field", name, schema, needed)


def _file_field(node: dict[str, Any], content: Content) -> dict[str, Any] | None:
    """The schema of a field that is a file of a multipart body, or of several files."""
    if content.kind != "multipart":
        return None
    if node.get("type") == "array":
        one = _file_field(mapping(node.get("items")), content)
        return None if one is None else {"type": "array", "items": one, **_words(node)}
    binary = node.get("format") == "binary" or node.get("type") == "file"
    media = node.get("contentMediaType")
    if not binary and not (isinstance(media, str) and "contentEncoding" not in node and not media.startswith("text/")):
        return None
    return worded(FILE_SCHEMA, _words(node))


def _with_files(schema: Any, content: Content) -> Any:
    """The schema of a multipart body that is no plain object, with what a model gives where a file is a part."""
    if content.kind != "multipart" or not is_map(schema):
        return schema
    return _file_field(schema, content) or mapped(schema, lambda inner: _with_files(inner, content))


def _words(node: dict[str, Any]) -> dict[str, Any]:
    return {"description": words} if (words := clean(node.get("description"))) else {}


def _fields(content: Content, schemas: Schemas) -> _Fields | None:
    """The fields of a body that is plainly one object (in a text type it is written as JSON), else None."""
    if content.kind not in ("json", "form", "multipart", "text"):
        return None
    fields = _Fields()
    if not _merge(content.schema, schemas, fields, 0) or not fields.properties:
        return None
    return fields


def body_required(content: Content, schemas: Schemas) -> frozenset[str]:
    """The fields that an object body needs whenever it is given at all; readOnly ones are not the caller's."""
    fields = _fields(content, schemas)
    if fields is None:
        return frozenset()
    return frozenset(
        name for name in fields.required if name in fields.properties and not schemas.read_only(fields.properties[name])
    )


def _varies(source: dict[str, Any]) -> bool:
    """True for a schema whose fields depend on which alternative is meant.

    Alternatives that only say which fields are required together (`anyOf: [{required: [a]}, {required: [b]}]`) do not
    change the fields; whether they are met is left to the server.
    """
    if _CONDITIONS & source.keys():
        return True
    branches = [branch for key in ("anyOf", "oneOf") for branch in sequence(source.get(key))]
    return any(not mapping(branch).keys() <= _ONLY_REQUIRED for branch in branches)


def _merge(node: object, schemas: Schemas, fields: _Fields, depth: int) -> bool:
    source = schemas.resolve(node)
    kinds = source.get("type", "object")
    if depth > _MAX_MERGE or _varies(source) or "object" not in (kinds if isinstance(kinds, list) else [kinds]):
        return False
    if "properties" not in source and "allOf" not in source and not source.get("required") and depth == 0:
        return False
    for part in sequence(source.get("allOf")):
        if not _merge(part, schemas, fields, depth + 1):
            return False
    for name, schema in items(source.get("properties")):
        known = fields.properties.get(name)
        fields.properties[name] = schema if known is None or known == schema else {"allOf": [known, schema]}
    fields.required += [name for name in sequence(source.get("required")) if isinstance(name, str)]
    more = source.get("additionalProperties")
    if depth == 0 and (name := discriminator(source)[0]):
        fields.telling[name] = source
        # The fields of the forms that it tells apart are not its own.
        more = True if more is None else more
    if more is False and depth == 0:
        fields.closed = True
    elif more is True or isinstance(more, dict):
        fields.extra = more
    return True


def _distinct(arguments: list[Argument]) -> Iterable[Argument]:
    counts = Counter(argument.name for argument in arguments)
    taken = {name for name, count in counts.items() if count == 1}
    for argument in arguments:
        if counts[argument.name] == 1:
            yield argument
            continue
        place = "body" if argument.location in ("field", "body") else argument.location
        name = base = f"{argument.name}_{place}"
        number = 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name)
        yield Argument(name, argument.location, argument.key, argument.schema, argument.required)
