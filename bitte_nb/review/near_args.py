"""The arguments of a NEAR call in all the forms that JSON gives bytes."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any, cast

from bitte_nb.review.canonical import RepeatedName, strict_json
from bitte_nb.review.shapes import table

__all__ = ["json_bytes", "parse_args", "repeats_a_name", "strict_base64"]


def _octets(items: object) -> bytes | None:
    if not isinstance(items, list):
        return None
    numbers = cast("list[object]", items)
    if all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= 255 for n in numbers):
        return bytes(cast("list[int]", numbers))
    return None


def json_bytes(value: object) -> bytes | None:
    """Bytes that JSON carries as number[], {"type": "Buffer"}, {"0": 1, ...} or base64."""
    if isinstance(value, str):
        return strict_base64(value)
    if isinstance(value, list):
        return _octets(cast("object", value))
    box = table(value)
    if box.get("type") == "Buffer":
        return _octets(box.get("data"))
    if box and list(box) == [str(i) for i in range(len(box))]:
        return _octets(list(box.values()))
    keys = sorted(box, key=lambda k: (len(k), k))
    if box and keys == [str(i) for i in range(len(box))]:
        return _octets([box[k] for k in keys])
    return None


def strict_base64(text: str) -> bytes | None:
    """The bytes of standard or URL-safe base64 with right padding and no stray letters; None otherwise."""
    if not re.fullmatch(r"[A-Za-z0-9+/_-]*={0,2}", text) or len(text) % 4:
        return None
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        return None


def _read(data: bytes | str) -> Any:
    # Contracts read UTF-8 only; json.loads would guess UTF-16 from bytes.
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    return strict_json(text, parse_float=str, parse_constant=str)


def _json(data: bytes | str) -> tuple[bool, Any]:
    try:
        return True, _read(data)
    except (ValueError, RecursionError):
        return False, None


def repeats_a_name(data: bytes) -> bool:
    """Whether the bytes are JSON but for a name that stands twice in one object."""
    try:
        _read(data)
    except RepeatedName:
        return True
    except (ValueError, RecursionError):
        return False
    return False


def _decoded(data: bytes) -> tuple[bytes, bool, Any]:
    is_json, found = _json(data)
    return data, is_json, found


def parse_args(value: object, *, base64_first: bool = False) -> tuple[bytes, bool, Any]:
    """(bytes that are sent, whether they are JSON, the JSON value) of a FunctionCall's args in any form."""
    empty: dict[str, Any] = {}
    nothing: list[Any] = []
    if value is None:
        return b"{}", True, empty
    if isinstance(value, str):
        is_json, found = _json(value)
        structured = is_json and isinstance(found, dict | list)
        data = strict_base64(value) if value and not structured else None
        if data is not None and (base64_first or _json(data)[0] or not is_json):
            return _decoded(data)
        if value == "":
            return b"", True, empty
        return value.encode(), is_json, cast("Any", found)
    octets = json_bytes(value)
    if octets is not None and (not isinstance(value, list) or not value or _json(octets)[0] or base64_first):
        if isinstance(value, list) and not value:
            return b"[]", True, nothing
        return _decoded(octets) if octets else (octets, True, empty)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode(), True, cast("Any", value)
