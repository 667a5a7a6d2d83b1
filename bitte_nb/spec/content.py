"""What a response says, by its content type: JSON, text, events, lines, or a described attachment."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from math import isfinite
from typing import Any
from urllib.parse import unquote

from bitte_nb.spec.media import charset_of, codec_of, kind_of
from bitte_nb.spec.tree import clean

__all__ = ["Unreadable", "read_content", "read_events", "read_json"]

_MEDIA = re.compile(r"\s*([!#$%&'*+\-.^`|~\w]+/[!#$%&'*+\-.^`|~\w]+)", re.ASCII)
_FILENAME = re.compile(r"(?:^|;)\s*filename\s*=\s*(?:\"([^\"]*)|([^\";\s]+))", re.IGNORECASE)
_ENCODED_FILENAME = re.compile(r"(?:^|;)\s*filename\*\s*=\s*([\w-]+)'[^']*'([^;\s]+)", re.IGNORECASE)
"""The form that can say every character, and wins (RFC 6266, 4.3; RFC 8187)."""
_PREVIEW_BYTES = 24_576
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_LONG_NUMBER = re.compile(r"(?<!\d)\d{309}|\d[eE]\+?\d{3}")
"""What may be a number that Python has no value for."""
_BINARY_SIGNS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class Unreadable(ValueError):
    """A body that is not what its content type says; the message is a sentence."""


def _integer(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:  # Python reads no more than 4,300 digits.
        return text


def _number(text: str) -> float | str:
    value = float(text)
    return value if isfinite(value) else text


_read_json = json.JSONDecoder(parse_constant=str).decode
_read_long_json = json.JSONDecoder(parse_constant=str, parse_int=_integer, parse_float=_number).decode


@dataclass(frozen=True, slots=True)
class _Type:
    essence: str
    charset: str
    kind: str


def _type(header: str) -> _Type:
    found = _MEDIA.match(header)
    essence = found[1].lower() if found else ""
    kind = "events" if essence == "text/event-stream" else kind_of(essence) if essence else "unknown"
    return _Type(essence, charset_of(header), kind)


def read_content(
    body: bytes, content_type: str, *, disposition: str = "", max_depth: int = 200, preview: bool = True
) -> Any:
    """The data of a body.

    An empty body is None. NaN and infinities, which JSON does not have, become the strings `"NaN"`, `"Infinity"` and
    `"-Infinity"`, and a number that is too large to be read the text that stands there. Binary content becomes its
    description (type, size, SHA-256, with `preview` small images themselves). Raises Unreadable for JSON that is broken
    or nested deeper than `max_depth`.
    """
    if not body:
        return None
    declared = _type(content_type)
    if declared.kind == "unknown":
        return _guessed(body, disposition, max_depth, preview=preview)
    if declared.kind == "json":
        text = _decode(body, declared.charset)
        return read_json(text, max_depth) if text.strip() else None
    if declared.kind == "events":
        return read_events(_decode(body, declared.charset), max_depth)
    if declared.kind == "lines":
        # Records of a sequence begin with a separator (RFC 7464); lines end, and only with a line feed.
        records = _decode(body, declared.charset).split("\x1e" if "json-seq" in declared.essence else "\n")
        return [read_json(record, max_depth) for record in records if record.strip()]
    if declared.kind in ("text", "xml", "form") and not _looks_binary(body, declared.charset):
        return _decode(body, declared.charset)
    return _attachment(body, declared.essence, disposition, preview=preview)


def _decode(body: bytes, charset: str) -> str:
    """Text by the declared charset, UTF-8 by default; a byte order mark wins, unknown charsets count as UTF-8."""
    if body.startswith(b"\xef\xbb\xbf"):
        return body[3:].decode("utf-8", "replace")
    if body.startswith((b"\xff\xfe", b"\xfe\xff")) and (not charset or charset.startswith("utf-16")):
        return body.decode("utf-16", "replace")
    return body.decode(codec_of(charset or "utf-8") or "utf-8", "replace")


def _looks_binary(body: bytes, charset: str) -> bool:
    return (
        not charset.startswith(("utf-16", "utf-32"))
        and b"\0" in body[:1024]
        and not body.startswith((b"\xff\xfe", b"\xfe\xff"))
    )


def read_json(text: str, max_depth: int = 200) -> Any:
    """A JSON text; numbers as in `read_content`. Raises Unreadable."""
    if text.count("[") + text.count("{") > max_depth:
        depth = 0
        for token in _BRACKETS.finditer(text):
            mark = token[0][0]
            depth += (mark in "[{") - (mark in "]}")
            if depth > max_depth:
                raise Unreadable(f"The response is JSON nested deeper than {max_depth} levels.")
    try:
        return (_read_long_json if _LONG_NUMBER.search(text) else _read_json)(text)
    except RecursionError as fault:
        raise Unreadable("The response is JSON nested too deeply.") from fault
    except ValueError as fault:
        excerpt = text.strip()[:200]
        raise Unreadable(f"The response says that it is JSON but is not ({fault}); it begins: {excerpt}") from fault


def _guessed(body: bytes, disposition: str, max_depth: int, *, preview: bool) -> Any:
    """A body without a content type: JSON if it is, text if it reads as such, else an attachment."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _attachment(body, "application/octet-stream", disposition, preview=preview)
    if text.lstrip()[:1] in ("{", "[", '"') or text.strip() in ("true", "false", "null"):
        try:
            return read_json(text, max_depth)
        except Unreadable:
            return text
    if _BINARY_SIGNS.search(body[:4096]):
        return _attachment(body, "application/octet-stream", disposition, preview=preview)
    return text


def _attachment(body: bytes, essence: str, disposition: str, *, preview: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"type": essence, "size": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    if name := _filename(disposition):
        found["filename"] = name
    if preview and essence in ("image/png", "image/jpeg", "image/gif", "image/webp") and len(body) <= _PREVIEW_BYTES:
        found["preview"] = f"data:{essence};base64,{base64.b64encode(body).decode()}"
    return found


def _filename(disposition: str) -> str:
    """The file name that a Content-Disposition gives, without a folder; empty where it gives none."""
    if encoded := _ENCODED_FILENAME.search(disposition):
        name = unquote(encoded[2], codec_of(encoded[1]) or "utf-8", "replace")
    else:
        found = _FILENAME.search(disposition)
        name = (found[1] or found[2] or "") if found else ""
    return re.split(r"[\\/]", clean(name))[-1]


def read_events(text: str, max_depth: int = 200) -> list[dict[str, Any]]:
    """The events of a `text/event-stream` (HTML Living Standard, 9.2.6); data that is JSON is parsed."""
    events: list[dict[str, Any]] = []
    event: dict[str, Any] = {}
    data: list[str] = []
    for line in [*re.split(r"\r\n|\r|\n", text), ""]:
        if not line:
            if data:
                events.append({**event, "data": _event_data("\n".join(data), max_depth)})
            event, data = {}, []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name in ("event", "id"):
            event[name] = value
    return events


def _event_data(text: str, max_depth: int) -> Any:
    if text[:1] not in ("{", "[", '"') and text not in ("true", "false", "null"):
        return text
    try:
        return read_json(text, max_depth)
    except Unreadable:
        return text
