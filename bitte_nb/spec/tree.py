"""Reading untyped trees: a wrong shape reads as empty, never as an exception."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, TypeGuard, cast

__all__ = [
    "both",
    "clean",
    "escape",
    "finite",
    "index_of",
    "is_list",
    "is_map",
    "items",
    "mapping",
    "plain",
    "pointer",
    "sequence",
    "string",
    "words",
]

_HIDDEN = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe0e\ufe0f]"
)
"""What has no shape of its own. Variation selectors are among it, as runs of them carry bytes; the two that say how an
emoji looks stay, each alone."""
_WORD = re.compile(r"[^\W_]+")
_INDEX = re.compile(r"[0-9]{1,18}")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def is_map(value: object) -> TypeGuard[dict[str, Any]]:
    """True for an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """True for an array."""
    return isinstance(value, list)


def mapping(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    """The value if it is an array, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def items(value: object) -> Iterable[tuple[str, Any]]:
    """The members of the value if it is an object, else none."""
    return mapping(value).items()


def string(value: object) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def plain(value: object) -> str:
    """A scalar as text, for fields such as `info.version` that YAML reads as numbers; else an empty string."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def clean(value: object) -> str:
    """Document text as a model or a person may see it: without control, zero-width and tag characters or comments.

    Line breaks and tabs stay. The text is still untrusted: this removes only what a reader cannot see.
    """
    text = string(value)
    if "<!--" in text:
        text = _COMMENT.sub("", text)
    return text.strip() if text.isascii() and text.isprintable() else _HIDDEN.sub("", text).strip()


def words(text: str) -> set[str]:
    """The words of a text, in small letters."""
    return set(_WORD.findall(text.lower()))


def both(first: str, second: str) -> str:
    """Two texts about one thing as one: the one that has all words of the other, or one after the other."""
    one, other = words(first), words(second)
    if other <= one:
        return first
    return second if one <= other else f"{first}\n\n{second}"


def index_of(step: str) -> int:
    """The index of a list that a step of a pointer names (RFC 6901, 4), -1 where it names none."""
    return int(step) if _INDEX.fullmatch(step) else -1


def finite(value: object) -> bool:
    """False where YAML's `.nan` or `.inf` stands somewhere in a value: JSON has no such number."""
    if isinstance(value, float):
        return math.isfinite(value)
    return all(map(finite, sequence(value))) and all(map(finite, mapping(value).values()))


def escape(token: str) -> str:
    """One step of a JSON pointer (RFC 6901, section 3)."""
    return token.replace("~", "~0").replace("/", "~1")


def pointer(*tokens: str | int) -> str:
    """A JSON pointer from its steps."""
    return "".join("/" + escape(str(token)) for token in tokens)
