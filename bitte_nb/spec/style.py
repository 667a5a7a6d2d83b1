"""Values as parameters write them: every style and explode of OAS 3.1, 4.8.12.3, on the rules of RFC 6570."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable
from typing import Any, cast
from urllib.parse import quote

from bitte_nb.errors import RequestRefused

__all__ = ["Pairs", "compact", "deep_pairs", "encode", "encode_reserved", "join", "pairs", "path_value", "scalar"]

Pairs = list[tuple[str, str]]
"""Names and values, both already encoded."""

_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}


def _base64(value: object) -> str:
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_base64).encode


def compact(value: object) -> str:
    """JSON without spaces; bytes as base64, which is what `format: byte` means. Raises RequestRefused for NaN."""
    try:
        return _write(value)
    except (TypeError, ValueError, RecursionError) as fault:
        raise RequestRefused(f"The value cannot be written as JSON: {fault}.") from fault


def scalar(value: object) -> str:
    """One value as text: true and false in lower case, whole floats without a point, nested ones as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return "" if value is None else compact(value)


def encode(text: str) -> str:
    """Percent-encode everything but RFC 3986's unreserved characters."""
    return quote(text, safe="")


def encode_reserved(text: str) -> str:
    """Percent-encode, but leave reserved characters that mean nothing in a query value (`allowReserved`)."""
    return quote(_ESCAPE.sub("%25", text), safe=":/?@!$'()*,;=%")


def join(values: Iterable[object], delimiter: str, write: Callable[[str], str]) -> str:
    """Values between delimiters; the delimiter itself is not encoded, so that it stays different from data."""
    return delimiter.join(write(scalar(value)) for value in values)


def _members(value: object) -> list[tuple[str, Any]]:
    return [(str(name), member) for name, member in cast("dict[Any, Any]", value).items() if member is not None]


def pairs(name: str, value: object, *, style: str, explode: bool, write: Callable[[str], str] = encode) -> Pairs:
    """A query, cookie or form value as name and value pairs; null and empty collections give none."""
    if value is None:
        return []
    key = encode(name)
    if isinstance(value, dict):
        members = _members(cast("dict[Any, Any]", value))
        if style == "deepObject":
            return deep_pairs(name, cast("dict[Any, Any]", value), write)
        if explode:
            return [(encode(member), write(scalar(entry))) for member, entry in members]
        flat = [part for member, entry in members for part in (member, entry)]
        return [(key, join(flat, _DELIMITERS.get(style, ","), write))] if flat else []
    if isinstance(value, list | tuple):
        entries = [entry for entry in cast("list[Any]", value) if entry is not None]
        if style == "deepObject":
            return deep_pairs(name, entries, write)
        if explode:
            return [(key, write(scalar(entry))) for entry in entries]
        return [(key, join(entries, _DELIMITERS.get(style, ","), write))] if entries else []
    return [(key, write(scalar(value)))]


def deep_pairs(
    name: str, value: object, write: Callable[[str], str] = encode, *, key: Callable[[str], str] = encode
) -> Pairs:
    """`deepObject`, nested as servers read it in practice: `a[b][c]=1`, arrays by index."""
    if isinstance(value, dict):
        nested = [(f"{name}[{member}]", entry) for member, entry in _members(cast("dict[Any, Any]", value))]
    elif isinstance(value, list | tuple):
        nested = [(f"{name}[{index}]", entry) for index, entry in enumerate(cast("list[Any]", value))]
    else:
        return [] if value is None else [(key(name), write(scalar(value)))]
    return [pair for inner, entry in nested for pair in deep_pairs(inner, entry, write, key=key)]


def path_value(name: str, value: object, *, style: str, explode: bool) -> str:
    """A path value, encoded, by style `simple`, `label` or `matrix`."""
    if style == "label":
        return "." + _simple(value, explode=explode, delimiter="." if explode else ",")
    if style == "matrix":
        return _matrix(encode(name), value, explode=explode)
    return _simple(value, explode=explode, delimiter=",")


def _simple(value: object, *, explode: bool, delimiter: str) -> str:
    if isinstance(value, dict):
        members = _members(cast("dict[Any, Any]", value))
        if explode:
            return delimiter.join(f"{encode(member)}={encode(scalar(entry))}" for member, entry in members)
        return join((part for pair in members for part in pair), delimiter, encode)
    if isinstance(value, list | tuple):
        return join((entry for entry in cast("list[Any]", value) if entry is not None), delimiter, encode)
    return encode(scalar(value))


def _matrix(key: str, value: object, *, explode: bool) -> str:
    if explode and isinstance(value, dict):
        members = _members(cast("dict[Any, Any]", value))
        return "".join(f";{encode(member)}={encode(scalar(entry))}" for member, entry in members)
    if explode and isinstance(value, list | tuple):
        return "".join(f";{key}={encode(scalar(entry))}" for entry in cast("list[Any]", value) if entry is not None)
    text = _simple(value, explode=False, delimiter=",")
    return f";{key}={text}" if text else f";{key}"
