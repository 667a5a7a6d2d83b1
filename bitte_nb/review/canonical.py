"""The canonical form of a request: the JSON that is shown, copied, hashed and bound to an approval."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from bitte_nb.errors import ReviewRefused

__all__ = ["MAX_DEPTH", "MAX_NODES", "RepeatedName", "canonical_json", "normalise", "sha256_hex", "strict_json"]

MAX_DEPTH = 40
MAX_NODES = 60_000
_MAX_TEXT = 2_000_000


def normalise(value: object) -> Any:
    """The request as plain JSON values (bytes become 0x hex), or ReviewRefused if it cannot be one.

    Refused: values JSON has no word for, more than 40 levels, more than 60,000 values, more than 2 MB of text.
    """
    budget = [MAX_NODES, _MAX_TEXT]

    def text(item: str) -> str:
        budget[1] -= len(item)
        if budget[1] < 0:
            raise ReviewRefused("The request holds more than 2 MB of text: too large to review.")
        # A lone surrogate has no UTF-8 form, so no wallet could sign or send it.
        return item.encode("utf-8", "backslashreplace").decode("utf-8")

    def walk(item: object, depth: int) -> Any:
        budget[0] -= 1
        if budget[0] < 0:
            raise ReviewRefused(f"The request holds more than {MAX_NODES} values: too large to review.")
        if depth > MAX_DEPTH:
            raise ReviewRefused(f"The request is nested more than {MAX_DEPTH} levels deep: too deep to review.")
        if item is None or isinstance(item, bool):
            return item
        if isinstance(item, int):
            if item.bit_length() > 4096:
                raise ReviewRefused("The request holds a number of more than 4096 bits.")
            return int(item)
        if isinstance(item, float):
            if not math.isfinite(item):
                raise ReviewRefused("The request holds a number that JSON cannot express (infinity or not-a-number).")
            return float(item)
        if isinstance(item, str):
            return text(item)
        if isinstance(item, bytes | bytearray | memoryview):
            return text("0x" + bytes(cast("bytes", item)).hex())
        if isinstance(item, Mapping):
            return {
                text(str(key)): walk(part, depth + 1) for key, part in cast("Mapping[object, object]", item).items()
            }
        if isinstance(item, Sequence | set | frozenset):
            return [walk(part, depth + 1) for part in cast("Sequence[object]", item)]
        raise ReviewRefused(f"The request holds a {type(item).__name__}, which is not a JSON value.")

    return walk(value, 0)


class RepeatedName(ValueError):
    """A name stands twice in one JSON object: readers disagree on which of its values counts."""


def strict_json(text: str, **how: Any) -> Any:
    """Read JSON text (`how` as for json.loads).

    Raises:
        RepeatedName: a name stands twice in one object.
        ValueError: it is not JSON.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise RepeatedName("a name stands twice in one object, so readers could disagree on what it says")
        return found

    return json.loads(text, object_pairs_hook=once, **how)


def canonical_json(value: Any) -> str:
    """Sorted keys, no blanks, UTF-8: one text per meaning."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def sha256_hex(text: str) -> str:
    """SHA-256 of the text's UTF-8 bytes, hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
