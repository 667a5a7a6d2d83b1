"""A chat's state while entries are applied to it: changed in place, so that a log costs what its length costs.

The state that it began with is left as it is. A part that entries concern is copied from there once, when it is first
looked at; the others are shared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from bitte_nb.core.invocation import Invocation
from bitte_nb.core.log import AgentRecord
from bitte_nb.core.session_rules import SessionRule
from bitte_nb.core.state import ChatState, Step, Turn, place_in

__all__ = ["Draft"]


class Draft:
    """See the module; its parts are named as those of `ChatState`."""

    def __init__(self, begun: ChatState) -> None:
        self._begun = begun
        self.chat: str = begun.chat
        self.title: str = begun.title
        self.agents: tuple[AgentRecord, ...] = begun.agents
        self.rules: tuple[SessionRule, ...] = begun.rules
        self.seq: int = begun.seq

    @cached_property
    def turns(self) -> list[Turn]:
        """The path."""
        return list(self._begun.turns)

    @cached_property
    def elsewhere(self) -> dict[int, Turn]:
        """The turns that are not on it."""
        return dict(self._begun.elsewhere)

    @cached_property
    def continued(self) -> dict[int, int]:
        """Which turn followed each of them."""
        return dict(self._begun.continued)

    @cached_property
    def invocations(self) -> dict[str, Invocation]:
        """All calls."""
        return dict(self._begun.invocations)

    def state(self) -> ChatState:
        """What it came to."""
        parts = {name: part for name, part in vars(self).items() if not name.startswith("_")}
        if "turns" in parts:
            parts["turns"] = tuple(self.turns)
        return replace(self._begun, **parts)

    def turn(self, number: int) -> Turn | None:
        """The turn of that number, on the path or not."""
        place = place_in(self.turns, number)
        return self.turns[place] if place is not None else self.elsewhere.get(number)

    @property
    def count(self) -> int:
        """How many turns there are in all versions; also the highest number."""
        return len(self.turns) + len(self.elsewhere)

    def put(self, turn: Turn) -> None:
        """Let the turn stand in the place of the one of its number."""
        place = place_in(self.turns, turn.turn)
        if place is None:
            self.elsewhere[turn.turn] = turn
        else:
            self.turns[place] = turn

    def put_step(self, number: int, step_number: int, change: Callable[[Step], Step]) -> None:
        """Change a step, if it is there."""
        turn = self.turn(number)
        if turn is not None and 0 < step_number <= len(turn.steps):
            step = change(turn.steps[step_number - 1])
            self.put(replace(turn, steps=(*turn.steps[: step_number - 1], step, *turn.steps[step_number:])))

    def go_through(self, turn: Turn) -> None:
        """Lead the path through a turn that is not on it, and from there on as it last did."""
        line = [turn]
        while (before := self.turn(line[-1].after)) is not None:  # each has a lower number than the one after it
            line.append(before)
        line.reverse()
        while (number := self.continued.get(line[-1].turn)) is not None:
            line.append(self.elsewhere[number])
        on_it = {one.turn for one in line}
        left = [one for one in self.turns if one.turn not in on_it]
        for number in on_it:
            self.elsewhere.pop(number, None)
            self.continued.pop(number, None)
        self.elsewhere.update((one.turn, one) for one in left)
        self.continued.update((one.turn, then.turn) for one, then in pairwise(left))
        self.turns = line
