"""A document's regular expressions, run only where they cannot take long: `pattern` is untrusted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["SafePattern", "safe_pattern"]

_LONGEST = (1000, 1000, 120)
"""Longest text that is tried, by the number of unbounded quantifiers: the steps grow with that power and one more."""
_MAX_LENGTH = 1000
_COUNTED = 20
"""A repetition that may count up to this many is as good as unbounded."""
_BRACES = re.compile(r"\{(\d{1,5})(,?)(\d{0,5})\}|\{(),(\d{1,5})\}")
_GROUP = re.compile(r"\(\?(?:[:=!>]|<[=!]|P?<[A-Za-z_]\w*>|P=\w+\))")


@dataclass(frozen=True, slots=True)
class SafePattern:
    """A pattern that is bounded in time on texts up to a length."""

    expression: re.Pattern[str]
    longest: int

    def rejects(self, text: str) -> bool:
        """True if the text surely does not match; a text that is too long to try is not rejected."""
        return len(text) <= self.longest and self.expression.search(text) is None

    def accepts(self, text: str) -> bool:
        """True if the text matches as far as was tried."""
        return self.expression.search(text[: self.longest]) is not None


@lru_cache(maxsize=2048)
def safe_pattern(pattern: str) -> SafePattern | None:
    """A pattern to run, or None where it cannot be run here.

    None for one that Python cannot read (ECMA 262 differs) and for one that could take exponential or high polynomial
    time: a repeated group that varies inside, or many unbounded quantifiers. The server still checks it.
    """
    quantifiers = _quantifiers(pattern) if len(pattern) <= _MAX_LENGTH else None
    if quantifiers is None or quantifiers >= len(_LONGEST):
        return None
    try:
        # ECMA 262's $ is the very end; Python's would let a line break follow.
        expression = re.compile(re.sub(r"(?<!\\)((?:\\\\)*)\$\Z", r"\1\\Z", pattern))
    except (re.error, OverflowError, RecursionError):
        return None
    return SafePattern(expression, _LONGEST[quantifiers])


def _quantifiers(pattern: str) -> int | None:
    """How many unbounded quantifiers a pattern has, or None if a repeated group varies inside."""
    outer: list[bool] = []
    varies = False
    closed: bool | None = None
    count = 0
    index = 0
    while index < len(pattern):
        mark, step = pattern[index], 1
        if mark == "\\":
            step, closed = 2, None
        elif mark == "[":
            step, closed = _class_length(pattern, index), None
        elif mark == "(":
            opening = _GROUP.match(pattern, index)
            step, closed = (opening.end() - index if opening else 1), None
            outer.append(varies)
            varies = False
        elif mark == ")":
            closed = varies
            varies = (outer.pop() if outer else False) or varies
        elif mark == "|":
            varies, closed = True, None
        elif (repetition := _repetition(pattern, index)) is not None:
            step, low, high = repetition
            if closed and high > 1:
                return None
            count += high > _COUNTED
            varies = varies or low != high
            closed = None
            step += pattern[index + step : index + step + 1] in ("?", "+")
        else:
            closed = None
        index += step
    return count


def _repetition(pattern: str, index: int) -> tuple[int, int, int] | None:
    """Length, least and most of the quantifier at a place, or None where there is none."""
    simple = {"*": (1, 0, 10**9), "+": (1, 1, 10**9), "?": (1, 0, 1)}.get(pattern[index])
    if simple is not None:
        return simple
    found = _BRACES.match(pattern, index)
    if found is None:
        return None
    low = int(found[1] or 0)
    most = found[3] or found[5]
    high = int(most) if most else low if not found[2] and found[1] else 10**9
    return len(found[0]), low, high


def _class_length(pattern: str, start: int) -> int:
    index = start + 1
    if pattern[index : index + 1] == "^":
        index += 1
    if pattern[index : index + 1] == "]":
        index += 1
    while index < len(pattern) and pattern[index] != "]":
        index += 2 if pattern[index] == "\\" else 1
    return index - start + 1
