"""Where an operation takes files, which kinds, and how the bytes of one get to their place.

A document declares a file as a part of a multipart body, as a body of a binary type, or as text that holds bytes:
`contentEncoding: base64` (JSON Schema 2020-12, content 8.3) and the formats `byte` and `binary` of OpenAPI 3.0.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bitte_nb.spec.arguments import FILE_SCHEMA, Argument
from bitte_nb.spec.operation import Operation
from bitte_nb.spec.tree import is_list, is_map, items, mapping, sequence, string

__all__ = ["File", "Find", "accepted_files", "with_files"]

ANY = "*/*"
_DEEPEST = 16
_ENCODED = frozenset({"byte", "binary"})
_TEXTS = ("content_base64", "content", "text")


@dataclass(frozen=True, slots=True)
class File:
    """A file with its bytes."""

    name: str
    media: str
    content: bytes


Find = Callable[[str], File | None]
"""The file that a text stands for; None where it is only a text."""


def accepted_files(operation: Operation) -> tuple[str, ...]:
    """The media types and ranges of the files that an operation takes; empty where it takes none."""
    found: list[str] = []
    definitions = mapping(operation.input_schema.get("$defs"))
    for argument in operation.plan.arguments:
        if _is_file(argument):
            found += _declared(operation, argument)
        else:
            _encoded_in(argument.schema, definitions, found, 0)
    return tuple(dict.fromkeys(found))


def with_files(operation: Operation, args: Mapping[str, Any], find: Find) -> dict[str, Any]:
    """The arguments with the bytes of files in the places of the texts that stand for them."""
    by_name = operation.plan.by_name
    definitions = mapping(operation.input_schema.get("$defs"))
    out: dict[str, Any] = {}
    for name, value in args.items():
        argument = by_name.get(name)
        if argument is None:
            out[name] = value
        elif _is_file(argument):
            out[name] = _part(value, find)
        else:
            out[name] = _filled(value, argument.schema, definitions, find, 0)
    return out


def _is_file(argument: Argument) -> bool:
    schema = mapping(argument.schema)
    one = mapping(schema.get("items")) if schema.get("type") == "array" else schema
    return one.get("type") == FILE_SCHEMA["type"] and argument.location in {"field", "body"}


def _declared(operation: Operation, argument: Argument) -> list[str]:
    """The kinds of file that the body or its encoding names for an argument."""
    content = operation.plan.content
    if content is None:
        return [ANY]
    if argument.location == "body":
        media = [content.media]
    else:
        node = operation.document.schemas.resolve(mapping(content.schema.get("properties")).get(argument.key, {}))
        kind = string(mapping(content.encoding.get(argument.key)).get("contentType"))
        media = [part.strip() for part in (kind or string(node.get("contentMediaType"))).split(",")]
    return [ANY if one in {"", "application/octet-stream"} else one.split(";")[0].strip() for one in media]


def _part(value: Any, find: Find) -> Any:
    """A value of a multipart field or binary body."""
    if is_list(value):
        return [_part(one, find) for one in value]
    given = mapping(value)
    text = value if isinstance(value, str) else next((given[key] for key in _TEXTS if key in given), None)
    file = find(text) if isinstance(text, str) else None
    if file is None:
        return value
    named = string(given.get("filename")), string(given.get("content_type"))
    return {"content": file.content, "filename": named[0] or file.name, "content_type": named[1] or file.media}


def _filled(value: Any, schema: object, definitions: Mapping[str, Any], find: Find, depth: int) -> Any:
    """A value with base64 in the places whose schema says that bytes stand there as text."""
    if depth > _DEEPEST:
        return value
    for node in _nodes(schema, definitions):
        if isinstance(value, str) and _is_encoded(node):
            file = find(value)
            return value if file is None else base64.b64encode(file.content).decode()
        if is_map(value) and "properties" in node:
            inner = mapping(node["properties"])
            return {name: _filled(one, inner.get(name, {}), definitions, find, depth + 1) for name, one in items(value)}
        if is_list(value) and "items" in node:
            return [_filled(one, node["items"], definitions, find, depth + 1) for one in value]
    return value


def _encoded_in(schema: object, definitions: Mapping[str, Any], found: list[str], depth: int) -> None:
    if depth > _DEEPEST:
        return
    for node in _nodes(schema, definitions):
        if _is_encoded(node):
            media = string(node.get("contentMediaType"))
            found.append(ANY if media in {"", "application/octet-stream"} else media)
        for inner in (*mapping(node.get("properties")).values(), node.get("items")):
            _encoded_in(inner, definitions, found, depth + 1)


def _nodes(schema: object, definitions: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A schema and its alternatives, references followed."""
    node = mapping(schema)
    for _ in range(_DEEPEST):
        target = string(node.get("$ref")).removeprefix("#/$defs/")
        if target not in definitions:
            break
        node = mapping(definitions[target])
    branches = [branch for key in ("anyOf", "oneOf", "allOf") for branch in sequence(node.get(key))]
    return [node, *(mapping(branch) for branch in branches)] if node else []


def _is_encoded(node: Mapping[str, Any]) -> bool:
    kinds = node.get("type")
    text = kinds in ("string", None) or (isinstance(kinds, list) and "string" in kinds)
    return text and (node.get("contentEncoding") == "base64" or node.get("format") in _ENCODED)
