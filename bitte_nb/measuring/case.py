"""A case: what is said to a model, and which calls or words are expected of it. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from bitte_nb.agent.given import why_left_out
from bitte_nb.core.nearest import nearest
from bitte_nb.errors import MeasureError
from bitte_nb.measuring.matching import assigned, fits, read_expected, words
from bitte_nb.spec.check import Checker

if TYPE_CHECKING:
    from bitte_nb.agent.agent import Agent

__all__ = ["Case", "ExpectedCall", "call_words", "check_cases"]

CallLike = str | tuple[str, Mapping[str, Any]] | Mapping[str, Any]
"""A tool's name, or that and its arguments: `("read-note", {"id": 7})`, `{"read-note": {"id": 7}}`."""


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """A call that is expected; `args` are what `read_expected` gives, empty for any arguments."""

    tool: str
    args: dict[str, Any]

    def fits(self, tool: str, args: dict[str, Any], *, exact: bool) -> bool:
        """Whether a call is this one."""
        return tool == self.tool and fits(self.args, args, exact=exact)


@dataclass(frozen=True)
class Case:
    """A prompt and what is expected of the model: which calls with which arguments, or that it says something.

    Args:
        prompt: What the person says.
        calls: The calls that must be made, whichever their order: names, or names with arguments. An argument is equal
            to what is given, found by a pattern (`re.compile`), approved by a function, or anything (`...`); others may
            be there too. `[]` is a prompt on which nothing may be called.
        text: What the answer must say: a part of it (whatever its case), a pattern, or a function of it.
        exact: Whether an argument that is not named must not be given.
        ordered: Whether the calls must be made in this order.
        more: Whether further calls may be made.
        name: What tells the case from others, and two measurements which case is the same; by default the prompt.

    Raises:
        MeasureError: it expects nothing, or something that cannot be read.
    """

    prompt: str
    calls: Sequence[CallLike] | None = None
    text: str | re.Pattern[str] | Mapping[str, Any] | Callable[[str], object] | None = None
    exact: bool = False
    ordered: bool = False
    more: bool = False
    name: str = ""
    expected: tuple[ExpectedCall, ...] | None = field(init=False, repr=False, compare=False)
    """The calls as they are held against those that were made; None where only words are expected."""
    said: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(cast("object", self.prompt), str) or not self.prompt.strip():
            raise MeasureError(f"A case needs a prompt, the words that are said to the model; it has {self.prompt!r}.")
        if self.calls is None and self.text is None:
            raise MeasureError(
                f"The case {self.prompt!r} expects nothing: give calls=[...], calls=[] for no call, or text=..."
            )
        if isinstance(self.calls, str | Mapping):
            raise MeasureError(f"The calls of {self.prompt!r} are a list: write [{self.calls!r}].")
        try:
            expected = None if self.calls is None else tuple(map(_expected, self.calls))
            said = read_expected(self.text)
        except ValueError as fault:
            raise MeasureError(f"The case {self.prompt!r}: {fault}") from fault
        for name, value in (("name", self.name or self.prompt), ("expected", expected), ("said", said)):
            object.__setattr__(self, name, value)

    def passes(self, calls: Sequence[tuple[str, dict[str, Any]]], text: str, *, refused: int = 0) -> bool:
        """Whether a trial is as expected.

        Args:
            calls: The calls that were made, in order.
            text: The answer.
            refused: How many calls could not be made as they were asked for; only where none is expected do they count,
                since a model that corrects itself got there.
        """
        return self._calls_fit(calls, refused) and (self.said is None or _says(self.said, text))

    def _calls_fit(self, calls: Sequence[tuple[str, dict[str, Any]]], refused: int) -> bool:
        expected = self.expected
        if expected is None:
            return True
        if not expected and refused and not self.more:
            return False
        if len(calls) < len(expected) or (len(calls) > len(expected) and not self.more):
            return False
        able = [[place for place, call in enumerate(calls) if one.fits(*call, exact=self.exact)] for one in expected]
        if not self.ordered:
            return assigned(able)
        at = -1
        for places in able:
            at = next((place for place in places if place > at), len(calls))
        return at < len(calls)

    @property
    def words(self) -> str:
        """What is expected, on one line."""
        said = "" if self.said is None else f"says {words(self.said)}"
        if self.expected is None:
            return said
        joint = ", then " if self.ordered else ", "
        calls = joint.join(call_words(one.tool, one.args) if one.args else one.tool for one in self.expected)
        terms = f"{' exactly' if self.exact else ''}{' and more' if self.more else ''}"
        return f"{calls or 'no call'}{terms}{'; ' if said else ''}{said}"


def call_words(tool: str, args: Mapping[str, Any]) -> str:
    """A call, or what is expected of one, as Python writes it."""
    return f"{tool}({', '.join(f'{name}={words(value)}' for name, value in args.items())})"


def _expected(call: CallLike) -> ExpectedCall:
    pair: object = call
    if isinstance(call, Mapping) and len(call) == 1:
        pair = next(iter(call.items()))
    if isinstance(pair, str):
        return ExpectedCall(pair, {})
    if isinstance(pair, list | tuple) and len(cast("Sequence[object]", pair)) == 2:
        tool, args = cast("tuple[object, object]", tuple(cast("Sequence[object]", pair)))
        if isinstance(tool, str) and isinstance(args, Mapping | None):
            expected = read_expected(cast("Mapping[str, Any]", args or {}))
            if isinstance(expected, dict):  # and no operator in the place of the arguments
                return ExpectedCall(tool, cast("dict[str, Any]", expected))
    raise ValueError(f"{call!r} is no call: write a tool's name, or ('name', {{'argument': value}}).")


def _says(expected: Any, text: str) -> bool:
    if isinstance(expected, str):
        return expected.casefold() in text.casefold()
    return fits(expected, text)


def check_cases(cases: Sequence[Case], agent: Agent) -> None:
    """Refuse a case that could never pass because it names what the agent does not have, and two of one name.

    Raises:
        MeasureError: the sentence names the case, the word and the one that was meant.
    """
    tools = {tool.name: tool.input_schema for tool in agent.tools}
    seen: set[str] = set()
    for case in cases:
        if case.name in seen:
            raise MeasureError(f"Two cases are called {case.name!r}; give each a name of its own (name=...).")
        seen.add(case.name)
        for call in case.expected or ():
            if call.tool not in tools:
                why = why_left_out(agent.document, call.tool)
                raise MeasureError(
                    f"The case {case.name!r} expects {call.tool!r}, which is no tool of {agent.name}"
                    f"{f': {why}' if why else f'.{_meant(call.tool, tools)}'}"
                )
            operation = agent.document.operations.get(call.tool)
            # A model may be offered a name that its provider takes; calls have the document's own.
            schema = operation.input_schema if operation is not None else tools[call.tool]
            known: dict[str, Any] = schema.get("properties", {})
            unknown = next((name for name in call.args if name not in known), None)
            if unknown is not None and schema.get("additionalProperties", False) is False:
                raise MeasureError(
                    f"The case {case.name!r} expects {unknown!r} of {call.tool}, which has no such argument."
                    f"{_meant(unknown, known)}"
                )
            if operation is not None:
                _check_values(case, call, schema)


def _check_values(case: Case, call: ExpectedCall, schema: Mapping[str, Any]) -> None:
    """Refuse a plain value that no call can have, since its arguments are checked and converted by this schema."""
    checker = Checker(schema.get("$defs", {}))
    for name, value in call.args.items():
        argument = schema.get("properties", {}).get(name)
        if argument is None or not _plain(value):
            continue
        had, faults = checker.check(value, argument, name)
        if faults or not fits(value, had):
            why = " ".join(faults) or f"a call has {words(had)} there. Write {name}: {json.dumps(had)}."
            raise MeasureError(f"The case {case.name!r} expects {name}={value!r} of {call.tool}, but {why}")


def _plain(value: object) -> bool:
    """Whether it is a value of JSON, all of which is expected: a pattern or an object's members are only a part."""
    if isinstance(value, list):
        return all(map(_plain, cast("list[object]", value)))
    return isinstance(value, str | int | float)


def _meant(word: str, known: Mapping[str, Any]) -> str:
    near = nearest(word, known)
    if near:
        return f" Did you mean {near!r}?"
    return f" Known are {', '.join(list(known)[:12])}." if known else ""
