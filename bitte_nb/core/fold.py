"""The fold: a chat's state is its log, applied entry by entry.

Applying is total: an entry that speaks of something unknown (a torn or foreign log) changes nothing. Folding the same
entries again gives an equal state, and nothing here has any effect outside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from bitte_nb.core import invocation as calls
from bitte_nb.core import session as sessions
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.log import (
    AgentRecord,
    BudgetExtended,
    ChatOpened,
    Choice,
    Entry,
    InvocationChanged,
    InvocationStarted,
    Offered,
    Renamed,
    SessionChanged,
    StepFinished,
    StepStarted,
    TextAdded,
    ThinkingAdded,
    TurnStarted,
)
from bitte_nb.core.session import Session

__all__ = ["STEP_CAP", "ChatState", "Step", "Turn", "apply", "fold", "turn_of"]

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
    text: str = ""
    thinking: str = ""
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
    session: Session = field(default_factory=Session)
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
    """A chat as far as its log tells."""

    chat: str = ""
    title: str = ""
    agents: tuple[AgentRecord, ...] = ()
    turns: tuple[Turn, ...] = ()
    invocations: Mapping[str, Invocation] = field(default_factory=dict[str, Invocation])
    seq: int = 0
    """How many entries were applied."""

    def turn(self, number: int) -> Turn | None:
        """The turn of that number, from 1."""
        return self.turns[number - 1] if 0 < number <= len(self.turns) else None

    @property
    def last(self) -> Turn | None:
        """The newest turn."""
        return self.turns[-1] if self.turns else None


_KEY = re.compile(r"([1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")
"""`turn.step.index`, written in one way only."""


def turn_of(key: str) -> int:
    """The turn's number in an invocation's key."""
    return int(key.split(".", 1)[0])


def fold(entries: Iterable[Entry], state: ChatState | None = None) -> ChatState:
    """Apply all entries, in order, to an empty chat or to `state`."""
    state = state or ChatState()
    for one in entries:
        state = apply(state, one)
    return state


def apply(state: ChatState, one: Entry) -> ChatState:
    """Apply one entry; `seq` counts it even where it changes nothing else."""
    return replace(_applied(state, one), seq=state.seq + 1)


def _applied(state: ChatState, one: Entry) -> ChatState:
    match one:
        case ChatOpened(chat=chat, title=title, agents=agents):
            return replace(state, chat=chat, title=title, agents=agents)
        case Renamed(title=title):
            return replace(state, title=title)
        case TurnStarted(turn=number, text=text, agent=agent, at=at):
            if number != len(state.turns) + 1:
                return state
            return replace(state, turns=(*state.turns, Turn(turn=number, text=text, agent=agent, at=at)))
        case BudgetExtended(turn=number, calls=count):
            turn = state.turn(number)
            return _with_turn(state, replace(turn, budget=turn.budget + count)) if turn else state
        case SessionChanged(turn=number, event=event):
            turn = state.turn(number)
            if turn is None:
                return state
            session = sessions.reduce(turn.session, event)
            return state if session is turn.session else _with_turn(state, replace(turn, session=session))
        case StepStarted():
            return _step_started(state, one)
        case TextAdded(turn=number, step=step, text=text):
            return _with_step(state, number, step, lambda s: replace(s, text=s.text + text))
        case ThinkingAdded(turn=number, step=step, text=text):
            return _with_step(state, number, step, lambda s: replace(s, thinking=s.thinking + text))
        case Offered(turn=number, step=step, choices=choices):
            return _with_step(state, number, step, lambda s: replace(s, offers=choices))
        case StepFinished():
            return _with_step(
                state,
                one.turn,
                one.step,
                lambda s: replace(
                    s,
                    finish=one.reason,
                    input_tokens=one.input_tokens,
                    output_tokens=one.output_tokens,
                    raw=one.raw,
                    ended_at=one.at,
                ),
            )
        case InvocationStarted():
            return _invocation_started(state, one)
        case InvocationChanged(key=key, event=event):
            before = state.invocations.get(key)
            if before is None:
                return state
            after = calls.reduce(before, event)
            if after.settled and after.ended_at is None:
                after = replace(after, ended_at=one.at)
            return state if after is before else replace(state, invocations={**state.invocations, key: after})
        case _:
            assert_never(one)


def _fresh(step: Step) -> Step:
    return replace(step, text="", thinking="", offers=(), stale=False) if step.stale else step


def _step_started(state: ChatState, one: StepStarted) -> ChatState:
    turn = state.turn(one.turn)
    if turn is None:
        return state
    new = Step(step=one.step, attempt=one.attempt, model=one.model, agent=one.agent, tools=one.tools, started_at=one.at)
    if one.step == len(turn.steps) + 1:
        return _with_turn(state, replace(turn, steps=(*turn.steps, new)))
    if turn.steps and one.step == turn.steps[-1].step:
        # The partial text stays on the page until the new attempt says its first word.
        old = turn.steps[-1]
        again = replace(new, text=old.text, thinking=old.thinking, stale=True)
        return _with_turn(state, replace(turn, steps=(*turn.steps[:-1], again)))
    return state


def _invocation_started(state: ChatState, one: InvocationStarted) -> ChatState:
    key = _KEY.fullmatch(one.key)
    if key is None or one.key in state.invocations:
        return state
    number, step_number = int(key[1]), int(key[2])
    turn = state.turn(number)
    if turn is None or step_number > len(turn.steps):
        return state
    call = Invocation(
        key=one.key,
        tool=one.tool,
        kind=one.tool_kind,
        executor=one.executor,
        call_id=one.call_id,
        agent=one.agent,
        method=one.method,
        path=one.path,
        safe=one.safe,
        idempotent=one.idempotent,
        responds=one.responds,
        compensates=one.compensates,
        started_at=one.at,
    )
    state = replace(state, invocations={**state.invocations, one.key: call})
    if step_number == 0:
        return _with_turn(state, replace(turn, actions=(*turn.actions, one.key)))
    return _with_step(state, number, step_number, lambda s: replace(s, calls=(*s.calls, one.key)))


def _with_turn(state: ChatState, turn: Turn) -> ChatState:
    turns = state.turns
    return replace(state, turns=(*turns[: turn.turn - 1], turn, *turns[turn.turn :]))


def _with_step(state: ChatState, number: int, step_number: int, change: Callable[[Step], Step]) -> ChatState:
    turn = state.turn(number)
    if turn is None or not 0 < step_number <= len(turn.steps):
        return state
    steps = turn.steps
    step = change(_fresh(steps[step_number - 1]))
    return _with_turn(state, replace(turn, steps=(*steps[: step_number - 1], step, *steps[step_number:])))
