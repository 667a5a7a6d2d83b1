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
    # Asked of every value of every message: what is most of them comes first, and by `isinstance`, which is quicker.
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return _object(cast(_Object, value), text)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -_EXACT <= value <= _EXACT else str(value)
    if isinstance(value, list | tuple):
        return [browser_data(item, text=text) for item in cast(_List, value)]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return _object(cast(_Object, value), text)
    return text(str(value))


_Object = Mapping[object, object]
_List = list[object]


def _object(value: _Object, text: Callable[[str], str]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, item in value.items():
        key = text(name if isinstance(name, str) else str(name))
        while key in made:
            key += "\ufffd"
        made[key] = text(item) if isinstance(item, str) else browser_data(item, text=text)
    return made
