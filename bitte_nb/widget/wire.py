"""Data as a browser can take it: what UTF-8, JSON or a JavaScript number cannot hold is replaced, here and only here.

Half a surrogate pair becomes U+FFFD, one by one, so that pieces of a text and the whole of it are changed alike. A
whole number beyond 2**53 becomes text, since a browser would round it. NaN and the infinities become null, as in the
history.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

__all__ = ["browser_data", "browser_text"]

_HALVES = re.compile("[\ud800-\udfff]")
_EXACT = 2**53
"""Whole numbers up to here are exact in a browser."""


def browser_text(text: str) -> str:
    """The text with every half of a surrogate pair replaced by U+FFFD."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def browser_data(value: Any, *, text: Callable[[str], str] = browser_text) -> Any:
    """The value as JSON data that a browser reads as it was meant; `text` is what is done to every string and key.

    Keys that become equal stay apart, so that nothing a person decides on is hidden.
    """
    match value:
        case None | bool():
            return value
        case str():
            return text(value)
        case int():
            return value if -_EXACT <= value <= _EXACT else str(value)
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return _object(cast("Mapping[object, object]", value), text)
        case list() | tuple():
            return [browser_data(item, text=text) for item in cast("list[object]", value)]
        case _:
            return text(str(value))


def _object(value: Mapping[object, object], text: Callable[[str], str]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, item in value.items():
        key = text(str(name))
        while key in made:
            key += "\ufffd"
        made[key] = browser_data(item, text=text)
    return made
