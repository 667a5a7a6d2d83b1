"""What a value is expected to be, held against what a model gave. Pure.

A file can write what Python writes as a pattern or `...`, in the words of MongoDB's queries: `{$regex: "^Os"}`,
`{$in: [Oslo, Bergen]}`, `{$exists: true}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, cast

from bitte_nb.core.nearest import nearest

__all__ = ["ABSENT", "Absent", "OneOf", "assigned", "fits", "read_expected", "words"]


@dataclass(frozen=True, slots=True)
class OneOf:
    """Any of these values."""

    values: tuple[Any, ...]


class Absent:
    """Not given at all."""


ABSENT = Absent()
_OPERATORS = ("$exists", "$in", "$regex")


def read_expected(value: Any) -> Any:
    """The expectation that a value means, its `$` operators read.

    Raises:
        ValueError: an operator is unknown or its operand cannot be used; the message is a sentence.
    """
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Any]", value)
        operator = next((str(key) for key in members if str(key).startswith("$")), None)
        if operator is None:
            return {str(key): read_expected(one) for key, one in members.items()}
        if len(members) > 1:
            raise ValueError(f"{operator} stands beside other keys; it must be the only one.")
        return _operated(operator, members[operator])
    if isinstance(value, list | tuple):
        return [read_expected(one) for one in cast("Sequence[Any]", value)]
    return value


def _operated(operator: str, operand: Any) -> Any:
    match operator:
        case "$regex" if isinstance(operand, str):
            try:
                return re.compile(operand)
            except re.error as fault:
                raise ValueError(f"$regex {operand!r} is no regular expression: {fault}.") from fault
        case "$in" if isinstance(operand, list | tuple):
            return OneOf(tuple(read_expected(one) for one in cast("Sequence[Any]", operand)))
        case "$exists" if isinstance(operand, bool):
            return ... if operand else ABSENT
        case _ if operator in _OPERATORS:
            takes = {"$regex": "a text", "$in": "a list", "$exists": "true or false"}[operator]
            raise ValueError(f"{operator} takes {takes}, not {operand!r}.")
        case _:
            near = nearest(operator, _OPERATORS)
            advice = f"Did you mean {near}?" if near else f"Known are {', '.join(_OPERATORS)}."
            raise ValueError(f"{operator} is no operator. {advice}")


def fits(expected: Any, value: Any, *, exact: bool = False) -> bool:
    """Whether a value is as expected: equal, found by a pattern, approved by a function, or one of several.

    Args:
        expected: From `read_expected`; of an object its named members count, unless `exact`.
        value: A JSON value.
        exact: Whether an object may have no other members.
    """
    match expected:
        case EllipsisType():
            return True
        case Absent():
            return False
        case OneOf(values=values):
            return any(fits(one, value, exact=exact) for one in values)
        case re.Pattern():
            pattern = cast("re.Pattern[str]", expected)
            return isinstance(value, str | int | float) and pattern.search(_text(value)) is not None
        case dict():
            return isinstance(value, dict) and _members(
                cast("dict[str, Any]", expected), cast("dict[str, Any]", value), exact=exact
            )
        case list():
            ours, theirs = cast("list[Any]", expected), cast("list[Any]", value)
            return (
                isinstance(value, list)
                and len(ours) == len(theirs)
                and all(fits(one, other, exact=exact) for one, other in zip(ours, theirs, strict=True))
            )
        case _ if callable(expected):
            return bool(expected(value))
        case _:
            # In Python True is 1; in JSON it is not.
            return expected == value and isinstance(expected, bool) == isinstance(value, bool)


def _members(expected: dict[str, Any], value: dict[str, Any], *, exact: bool) -> bool:
    if exact and value.keys() - expected.keys():
        return False
    return all(
        fits(one, value[name], exact=exact) if name in value else isinstance(one, Absent)
        for name, one in expected.items()
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def assigned(able: Sequence[Sequence[int]]) -> bool:
    """Whether each of several can have one of its own (a matching that covers all; Kuhn's augmenting paths).

    Args:
        able: For each, the numbers of those that it can have.
    """
    taken: dict[int, int] = {}

    def place(one: int, tried: set[int]) -> bool:
        for candidate in able[one]:
            if candidate in tried:
                continue
            tried.add(candidate)
            if candidate not in taken or place(taken[candidate], tried):
                taken[candidate] = one
                return True
        return False

    return all(place(one, set()) for one in range(len(able)))


def words(expected: Any) -> str:
    """The expectation, or a value, as a person reads it on one line."""
    match expected:
        case EllipsisType():
            return "…"
        case Absent():
            return "(not given)"
        case OneOf(values=values):
            return " or ".join(map(words, values))
        case re.Pattern():
            return f"/{cast('re.Pattern[str]', expected).pattern}/"
        case dict():
            return "{" + ", ".join(f"{k}: {words(v)}" for k, v in cast("dict[str, Any]", expected).items()) + "}"
        case list():
            return "[" + ", ".join(words(one) for one in cast("list[Any]", expected)) + "]"
        case _ if callable(expected):
            return f"<{getattr(cast('Callable[..., Any]', expected), '__name__', 'check')}>"
        case _:
            return repr(expected)
