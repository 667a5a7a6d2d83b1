"""The fold: a chat's state is its log, applied entry by entry.

Applying is total: an entry that speaks of something unknown (a torn or foreign log) changes nothing. Folding the same
entries again gives an equal state, and nothing here has any effect outside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import assert_never

from bitte_nb.core import invocation as calls
from bitte_nb.core import session as sessions
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.log import (
    BranchChosen,
    BudgetExtended,
    ChatOpened,
    Entry,
    InvocationChanged,
    InvocationStarted,
    Offered,
    Rated,
    Renamed,
    RuleGranted,
    RuleRevoked,
    SessionChanged,
    StepFinished,
    StepStarted,
    TextAdded,
    ThinkingAdded,
    TurnStarted,
)
from bitte_nb.core.state import STEP_CAP, ChatState, Step, Turn, place_in

__all__ = ["STEP_CAP", "ChatState", "Step", "Turn", "apply", "fold", "turn_of"]

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
        case RuleGranted(rule=rule):
            known = any(other.rule == rule.rule for other in state.rules)
            return state if known else replace(state, rules=(*state.rules, rule))
        case RuleRevoked(rule=name):
            return replace(state, rules=tuple(rule for rule in state.rules if rule.rule != name))
        case TurnStarted():
            return _turn_started(state, one)
        case BranchChosen(turn=number):
            chosen = state.elsewhere.get(number)
            return state if chosen is None else _through(state, chosen)
        case Rated(turn=number, rating=rating):
            turn = state.turn(number)
            return _with_turn(state, replace(turn, rating=rating)) if turn else state
        case BudgetExtended(turn=number, calls=count):
            turn = state.turn(number)
            return _with_turn(state, replace(turn, budget=turn.budget + count)) if turn else state
        case SessionChanged(turn=number, event=event):
            turn = state.turn(number)
            if turn is None:
                return state
            session = sessions.reduce(turn.session, event)
            if session is turn.session:
                return state
            told = sessions.transition(turn.session, event, session, at=one.at)
            transitions = turn.transitions if told is None else (*turn.transitions, told)
            return _with_turn(state, replace(turn, session=session, transitions=transitions))
        case StepStarted():
            return _step_started(state, one)
        case TextAdded(turn=number, step=step, text=text):
            return _with_step(
                state, number, step, lambda s: replace(s, text=s.text + text, thought_ms=_thought(s, one.at))
            )
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
                    thought_ms=_thought(s, one.at),
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


def _turn_started(state: ChatState, one: TurnStarted) -> ChatState:
    last = state.last.turn if state.last else 0
    after = last if one.after is None else one.after
    if one.turn != state.count + 1 or (after != 0 and state.turn(after) is None):
        return state
    turn = Turn(turn=one.turn, text=one.text, agent=one.agent, at=one.at, after=after, files=one.files)
    if after == last:
        return replace(state, turns=(*state.turns, turn))
    return _through(replace(state, elsewhere={**state.elsewhere, turn.turn: turn}), turn)


def _through(state: ChatState, turn: Turn) -> ChatState:
    """The state whose path leads through a turn that is not on it, and from there on as it last did."""
    line = [turn]
    while (before := state.turn(line[-1].after)) is not None:  # each has a lower number than the one after it
        line.append(before)
    line.reverse()
    while (number := state.continued.get(line[-1].turn)) is not None:
        line.append(state.elsewhere[number])
    on_it = {one.turn for one in line}
    left = [one for one in state.turns if one.turn not in on_it]
    elsewhere = {n: one for n, one in state.elsewhere.items() if n not in on_it} | {one.turn: one for one in left}
    continued = {n: then for n, then in state.continued.items() if n not in on_it}
    continued |= {one.turn: then.turn for one, then in pairwise(left)}
    return replace(state, turns=tuple(line), elsewhere=elsewhere, continued=continued)


def _fresh(step: Step) -> Step:
    return replace(step, text="", thinking="", offers=(), stale=False) if step.stale else step


def _thought(step: Step, at: int) -> int:
    """How long a step thought before its first word, or before its end where it said none."""
    ends = step.thinking and (not step.text or step.stale) and not step.thought_ms
    return max(1, at - step.started_at) if ends else step.thought_ms


def _step_started(state: ChatState, one: StepStarted) -> ChatState:
    turn = state.turn(one.turn)
    if turn is None:
        return state
    new = Step(
        step=one.step,
        attempt=one.attempt,
        model=one.model,
        agent=one.agent,
        tools=one.tools,
        left_out=one.left_out,
        shortened=one.shortened,
        started_at=one.at,
    )
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
        checks=one.checks,
        compensates=one.compensates,
        started_at=one.at,
    )
    state = replace(state, invocations={**state.invocations, one.key: call})
    if step_number == 0:
        return _with_turn(state, replace(turn, actions=(*turn.actions, one.key)))
    return _with_step(state, number, step_number, lambda s: replace(s, calls=(*s.calls, one.key)))


def _with_turn(state: ChatState, turn: Turn) -> ChatState:
    turns, place = state.turns, place_in(state.turns, turn.turn)
    if place is None:
        return replace(state, elsewhere={**state.elsewhere, turn.turn: turn})
    return replace(state, turns=(*turns[:place], turn, *turns[place + 1 :]))


def _with_step(state: ChatState, number: int, step_number: int, change: Callable[[Step], Step]) -> ChatState:
    turn = state.turn(number)
    if turn is None or not 0 < step_number <= len(turn.steps):
        return state
    steps = turn.steps
    step = change(_fresh(steps[step_number - 1]))
    return _with_turn(state, replace(turn, steps=(*steps[: step_number - 1], step, *steps[step_number:])))
