"""Bodies as bytes: JSON, lines of JSON, forms, multipart, text, XML and binary."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote_plus

from bitte_nb.errors import RequestRefused
from bitte_nb.spec.guard import check_header
from bitte_nb.spec.media import Content, Resolve, charset_of, codec_of, kind_of
from bitte_nb.spec.style import Pairs, compact, deep_pairs, encode_reserved, join, pairs, scalar
from bitte_nb.spec.tree import is_list, is_map, items, mapping, sequence, string

__all__ = ["encode_body"]

_FILE_KEYS = frozenset({"content", "content_base64", "content_type", "filename", "headers", "text"})
_PART_HEADERS = frozenset({"content-disposition", "content-length", "content-transfer-encoding", "content-type"})
"""Headers of a part that are written here (RFC 7578, 4); an Encoding Object cannot set them."""
_BETWEEN = {"form": ",", "spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}
_PART_BREAKING = re.compile(r'["\r\n]')


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of a multipart body."""

    name: str
    content: bytes
    media: str = ""
    filename: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    """Further headers of the part."""


def encode_body(content: Content, value: object, resolve: Resolve) -> tuple[bytes, str]:
    """The bytes of a body and its Content-Type. Raises RequestRefused for a value that the content cannot carry."""
    kind = content.kind
    if kind == "json":
        return compact(value).encode(), content.media
    if kind == "lines":
        # Records of a sequence begin with a separator (RFC 7464); lines only end.
        begin = "\x1e" if "json-seq" in content.media.lower() else ""
        return "".join(f"{begin}{compact(entry)}\n" for entry in _entries(value)).encode(), content.media
    if kind == "form":
        return _form(content, value, resolve), content.media
    if kind == "multipart":
        return _multipart(content, value, resolve)
    if kind == "text":
        return _text(value, content.media), content.media
    if kind == "xml":
        return _xml(value, content, resolve), content.media
    raw, _, media = _file(value)
    return raw, media if media and content.media == "application/octet-stream" else content.media


def _entries(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _text(value: object, media: str) -> bytes:
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    charset = charset_of(media) or "utf-8"
    # XML has references for the characters that a charset lacks (XML 1.0, section 4.1).
    lacking = "xmlcharrefreplace" if kind_of(media) == "xml" else "strict"
    try:
        if codec := codec_of(charset):
            return scalar(value).encode(codec, lacking)
    except UnicodeError:
        pass
    raise RequestRefused(f"The text cannot be written in the charset {charset} that the operation declares.")


def _fields(value: object, what: str) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise RequestRefused(f"The body is a {what}: give an object with its fields.")
    return [(str(name), member) for name, member in cast("dict[Any, Any]", value).items() if member is not None]


def _property(content: Content, name: str, resolve: Resolve) -> dict[str, Any]:
    """The resolved schema of one field, looked for through `allOf`."""
    schema = resolve(content.schema)
    for part in (schema, *(resolve(branch) for branch in sequence(schema.get("allOf")))):
        if name in mapping(part.get("properties")):
            return resolve(mapping(part["properties"])[name])
    return {}


def _form(content: Content, value: object, resolve: Resolve) -> bytes:
    found: Pairs = []
    if isinstance(value, str):
        return value.encode()
    for name, member in _fields(value, "form"):
        rules = mapping(content.encoding.get(name))
        if rules.keys() & {"style", "explode", "allowReserved"}:
            style = string(rules.get("style")) or "form"
            explode = rules.get("explode")
            exploded = explode if isinstance(explode, bool) else style in ("form", "deepObject")
            write = encode_reserved if rules.get("allowReserved") is True else quote_plus
            found += pairs(name, member, style=style, explode=exploded, write=write)
        else:
            found += _form_field(name, member, string(rules.get("contentType")))
    return "&".join(f"{key}={text}" for key, text in found).encode()


def _form_field(name: str, value: object, media: str) -> Pairs:
    """A field without a style: by content type, which is JSON for objects (OAS 3.1, 4.8.15.1)."""
    key = quote_plus(name)
    if media and kind_of(media) == "json":
        return [(key, quote_plus(compact(value)))]
    if is_map(value):
        return [(key, quote_plus(compact(value)))]
    if is_list(value):
        return [pair for entry in value if entry is not None for pair in _form_field(name, entry, media)]
    return [(key, quote_plus(scalar(value)))]


def _file(value: object) -> tuple[bytes, str | None, str]:
    """Bytes, file name and media type of a file value: text, bytes, or an object that describes it."""
    if isinstance(value, bytes | bytearray):
        return bytes(value), None, ""
    if _describes_file(value):
        members = mapping(value)
        return _described(members), string(members.get("filename")) or None, string(members.get("content_type"))
    if is_map(value) or is_list(value):
        return compact(value).encode(), None, "application/json"
    return scalar(value).encode(), None, ""


def _describes_file(value: object) -> bool:
    keys = mapping(value).keys()
    return keys <= _FILE_KEYS and bool(keys & {"content", "content_base64", "text"})


def _described(members: dict[str, Any]) -> bytes:
    if "content_base64" in members:
        try:
            return base64.b64decode(re.sub(r"\s+", "", scalar(members["content_base64"])), validate=True)
        except (binascii.Error, ValueError) as fault:
            raise RequestRefused("content_base64 is not valid base64.") from fault
    content = members.get("content", members.get("text"))
    return bytes(content) if isinstance(content, bytes | bytearray) else scalar(content).encode()


def _multipart(content: Content, value: object, resolve: Resolve) -> tuple[bytes, str]:
    parts: list[_Part] = []
    if is_list(value) and not content.media.lower().startswith("multipart/form-data"):
        parts = [part for index, entry in enumerate(value) for part in _listed(index, entry, content, resolve)]
    else:
        for name, member in _fields(value, "multipart form"):
            rules = mapping(content.encoding.get(name))
            parts += _parts(name, member, _property(content, name, resolve), rules, resolve)
    body = [_part_bytes(part) for part in parts]
    # The boundary comes from the content, so that the same arguments give the same bytes to approve.
    seed = hashlib.sha256(b"\0".join(body)).hexdigest()
    boundary = seed[:32]
    while any(boundary.encode() in part for part in body):
        seed = hashlib.sha256(seed.encode()).hexdigest()
        boundary = seed[:32]
    mark = b"--" + boundary.encode()
    raw = b"".join(mark + b"\r\n" + part + b"\r\n" for part in body) + mark + b"--\r\n"
    media = content.media.split(";", 1)[0].strip()
    return raw, f"{media}; boundary={boundary}"


def _listed(index: int, value: object, content: Content, resolve: Resolve) -> list[_Part]:
    """One entry of a multipart body that is a list: a part without a name (OAS 3.2, `prefixEncoding`)."""
    schema = resolve(content.schema)
    first = sequence(schema.get("prefixItems"))
    own = resolve(first[index] if index < len(first) else schema.get("items", {}))
    rules = content.first_encodings[index] if index < len(content.first_encodings) else content.rest_encoding
    return _parts("", value, own, rules, resolve)


def _parts(name: str, value: object, schema: dict[str, Any], rules: dict[str, Any], resolve: Resolve) -> list[_Part]:
    style = string(rules.get("style"))
    entries = [entry for entry in value if entry is not None] if is_list(value) else []
    scalars = not any(isinstance(entry, dict | list | bytes | bytearray) for entry in entries)
    if entries and scalars and rules.get("explode") is False and (style or "form") in _BETWEEN:
        # Written like a query value (OAS 3.1, 4.8.15.1), but nothing is percent-encoded in a part.
        return [_Part(name, join(entries, _BETWEEN[style or "form"], str).encode())]
    if is_list(value) and "json" not in string(rules.get("contentType")):
        item = resolve(schema.get("items", {}))
        return [part for entry in entries for part in _parts(name, entry, item, rules, resolve)]
    media = string(rules.get("contentType")).split(",", 1)[0].strip()
    media = "" if "*" in media else media
    if style == "deepObject" and is_map(value):
        return [_Part(key, text.encode()) for key, text in deep_pairs(name, value, str, key=str)]
    headers = tuple(_part_headers(name, value, rules, resolve))
    if _is_file(value, schema, media):
        raw, filename, own = _file(value)
        return [_Part(name, raw, own or media or "application/octet-stream", filename or name, headers)]
    if is_map(value) or is_list(value) or (media and kind_of(media) == "json"):
        return [_Part(name, compact(value).encode(), media or "application/json", headers=headers)]
    return [_Part(name, scalar(value).encode(), media, headers=headers)]


def _part_headers(name: str, value: object, rules: dict[str, Any], resolve: Resolve) -> Iterator[tuple[str, str]]:
    """The headers that an Encoding Object declares for a part: as the file gives them, else with their only value."""
    given = {key.lower(): text for key, text in items(mapping(value).get("headers"))} if _describes_file(value) else {}
    for header, node in items(rules.get("headers")):
        if header.lower() in _PART_HEADERS:
            continue
        declared = resolve(node)
        schema = resolve(declared.get("schema", {}))
        allowed = [schema["const"]] if "const" in schema else sequence(schema.get("enum"))
        fixed = allowed[0] if len(allowed) == 1 else schema.get("default", given.get(header.lower()))
        text = given.get(header.lower(), fixed)
        if text is not None:
            yield header, check_header(header, scalar(text))
        elif declared.get("required") is True:
            raise RequestRefused(f"The part {name} needs the header {header}: give the file as an object with headers.")


def _is_file(value: object, schema: dict[str, Any], media: str) -> bool:
    if isinstance(value, bytes | bytearray):
        return True
    if is_map(value):
        return _describes_file(value) and not mapping(schema.get("properties"))
    if schema.get("format") == "binary" or schema.get("type") == "file":
        return True
    declared = string(schema.get("contentMediaType"))
    return (bool(declared) and kind_of(declared) == "binary" and "contentEncoding" not in schema) or (
        bool(media) and kind_of(media) == "binary" and schema.get("format") != "byte"
    )


def _part_bytes(part: _Part) -> bytes:
    def quoted(text: str) -> str:
        return _PART_BREAKING.sub(lambda found: f"%{ord(found[0]):02X}", text)

    lines: list[str] = []
    if part.name:
        filename = f'; filename="{quoted(part.filename)}"' if part.filename is not None else ""
        lines.append(f'Content-Disposition: form-data; name="{quoted(part.name)}"{filename}')
    elif part.filename:
        lines.append(f'Content-Disposition: attachment; filename="{quoted(part.filename)}"')
    if part.media:
        if "\r" in part.media or "\n" in part.media:
            raise RequestRefused(f"The content type of {part.name} must not have line breaks.")
        lines.append(f"Content-Type: {part.media}")
    lines += [f"{header}: {text}" for header, text in part.headers]
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + part.content


def _xml(value: object, content: Content, resolve: Resolve) -> bytes:
    if isinstance(value, str | bytes | bytearray):
        return _text(value, content.media)
    from bitte_nb.spec.xml import write_xml

    return _text(write_xml(value, content.schema, resolve), content.media)
