"""What a chat is, as far as its log tells: values without any act; `fold` makes them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bitte_nb.core.attachment import Attachment
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.log import AgentRecord, Choice, Rating
from bitte_nb.core.session import Session, Transition
from bitte_nb.core.session_rules import SessionRule

__all__ = ["STEP_CAP", "ChatState", "Step", "Turn", "place_in"]

STEP_CAP = 7
"""Model calls per turn: calls 1 to 6 may use tools, the seventh must end in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One model call."""

    step: int
    attempt: int = 1
    model: str = ""
    agent: str = ""
    tools: bool = True
    left_out: int = 0
    """How many of the oldest turns the model was not given, because its context is too small."""
    shortened: int = 0
    """How many long results and messages the model was given in part."""
    text: str = ""
    thinking: str = ""
    thought_ms: int = 0
    """Milliseconds from the start of the step to the end of its reasoning; 0 while it goes on, or without any."""
    offers: tuple[Choice, ...] = ()
    calls: tuple[str, ...] = ()
    stale: bool = False
    """The text is of an attempt that broke off; the first piece of the next attempt replaces it."""
    finish: str = ""
    """The endpoint's reason, or empty while it streams."""
    input_tokens: int = 0
    output_tokens: int = 0
    raw: Any = None
    started_at: int = 0
    ended_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A person's message and what came of it."""

    turn: int
    text: str
    agent: str
    at: int
    after: int = 0
    """The number of the turn that it follows, 0 for none."""
    files: tuple[Attachment, ...] = ()
    """What the person attached."""
    rating: Rating = ""
    """What the person thinks of the answer."""
    session: Session = field(default_factory=Session)
    transitions: tuple[Transition, ...] = ()
    """The log of its session: every change of phase, attempt or reason, oldest first."""
    steps: tuple[Step, ...] = ()
    actions: tuple[str, ...] = ()
    """Keys of invocations that the person started."""
    budget: int = STEP_CAP
    """Model calls allowed in this turn."""

    @property
    def calls(self) -> tuple[str, ...]:
        """Keys of all its invocations, in order."""
        return tuple(key for step in self.steps for key in step.calls) + self.actions


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatState:
    """A chat as far as its log tells: a tree of turns, of which one path is the chat as it is read, shown and told."""

    chat: str = ""
    title: str = ""
    agents: tuple[AgentRecord, ...] = ()
    turns: tuple[Turn, ...] = ()
    """The path that was chosen last, oldest first; numbers rise, and skip those of other versions."""
    elsewhere: Mapping[int, Turn] = field(default_factory=dict[int, Turn])
    """The turns that are not on that path, by number."""
    continued: Mapping[int, int] = field(default_factory=dict[int, int])
    """Which turn followed each turn of `elsewhere` when it was last on the path."""
    invocations: Mapping[str, Invocation] = field(default_factory=dict[str, Invocation])
    rules: tuple[SessionRule, ...] = ()
    """What the person always allows in this chat."""
    seq: int = 0
    """How many entries were applied."""

    def turn(self, number: int) -> Turn | None:
        """The turn of that number, from 1, on the path or not."""
        place = place_in(self.turns, number)
        return self.turns[place] if place is not None else self.elsewhere.get(number)

    @property
    def last(self) -> Turn | None:
        """The last turn of the path."""
        return self.turns[-1] if self.turns else None

    @property
    def count(self) -> int:
        """How many turns there are in all versions; also the highest number."""
        return len(self.turns) + len(self.elsewhere)

    @property
    def all_turns(self) -> tuple[Turn, ...]:
        """The turns of all versions, by number."""
        return tuple(sorted((*self.turns, *self.elsewhere.values()), key=_number)) if self.elsewhere else self.turns

    def versions(self, turn: Turn) -> tuple[int, ...]:
        """The numbers of the turns that stand in the same place, itself included, oldest first."""
        found = {turn.turn, *(number for number, other in self.elsewhere.items() if other.after == turn.after)}
        if turn.turn in self.elsewhere:  # of the path's turns only itself stands in its place
            found |= {other.turn for other in self.turns if other.after == turn.after}
        return tuple(sorted(found))


def _number(turn: Turn) -> int:
    return turn.turn


def place_in(turns: Sequence[Turn], number: int) -> int | None:
    """Where the turn stands in the path, or None."""
    place = bisect_left(turns, number, key=_number)
    return place if place < len(turns) and turns[place].turn == number else None
