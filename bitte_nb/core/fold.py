"""The fold: a chat's state is its log, applied entry by entry.

Applying is total: an entry that speaks of something unknown (a torn or foreign log) changes nothing. Folding the same
entries again gives an equal state, and nothing here has any effect outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from bitte_nb.core import invocation as calls
from bitte_nb.core import session as sessions
from bitte_nb.core.draft import Draft
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
from bitte_nb.core.state import STEP_CAP, ChatState, Step, Turn

__all__ = ["STEP_CAP", "ChatState", "Step", "Turn", "apply", "apply_to", "fold", "turn_of"]

_KEY = re.compile(r"([1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")
"""`turn.step.index`, written in one way only."""


def turn_of(key: str) -> int:
    """The turn's number in an invocation's key."""
    return int(key.split(".", 1)[0])


def fold(entries: Iterable[Entry], state: ChatState | None = None) -> ChatState:
    """Apply all entries, in order, to an empty chat or to `state`."""
    draft = Draft(state or ChatState())
    for one in entries:
        apply_to(draft, one)
    return draft.state()


def apply(state: ChatState, one: Entry) -> ChatState:
    """Apply one entry."""
    return fold((one,), state)


def apply_to(draft: Draft, one: Entry) -> None:
    """Apply one entry; `seq` counts it even where it changes nothing else."""
    draft.seq += 1
    match one:
        case ChatOpened():
            draft.chat, draft.title, draft.agents = one.chat, one.title, one.agents
        case Renamed():
            draft.title = one.title
        case RuleGranted(rule=rule):
            if all(other.rule != rule.rule for other in draft.rules):
                draft.rules = (*draft.rules, rule)
        case RuleRevoked():
            draft.rules = tuple(rule for rule in draft.rules if rule.rule != one.rule)
        case TurnStarted():
            _turn_started(draft, one)
        case BranchChosen():
            if (chosen := draft.elsewhere.get(one.turn)) is not None:
                draft.go_through(chosen)
        case Rated():
            if (turn := draft.turn(one.turn)) is not None:
                draft.put(replace(turn, rating=one.rating))
        case BudgetExtended():
            if (turn := draft.turn(one.turn)) is not None:
                draft.put(replace(turn, budget=turn.budget + one.calls))
        case SessionChanged():
            _session_changed(draft, one)
        case StepStarted():
            _step_started(draft, one)
        case TextAdded() | ThinkingAdded() | Offered() | StepFinished():
            draft.put_step(one.turn, one.step, lambda step: _said(_fresh(step), one))
        case InvocationStarted():
            _invocation_started(draft, one)
        case InvocationChanged():
            _invocation_changed(draft, one)
        case _:
            assert_never(one)


def _turn_started(draft: Draft, one: TurnStarted) -> None:
    last = draft.turns[-1].turn if draft.turns else 0
    after = last if one.after is None else one.after
    if one.turn != draft.count + 1 or (after != 0 and draft.turn(after) is None):
        return
    turn = Turn(turn=one.turn, text=one.text, agent=one.agent, at=one.at, after=after, files=one.files)
    if after == last:
        draft.turns.append(turn)
    else:
        draft.go_through(turn)


def _session_changed(draft: Draft, one: SessionChanged) -> None:
    turn = draft.turn(one.turn)
    if turn is None:
        return
    session = sessions.reduce(turn.session, one.event)
    if session is turn.session:
        return
    told = sessions.transition(turn.session, one.event, session, at=one.at)
    transitions = turn.transitions if told is None else (*turn.transitions, told)
    draft.put(replace(turn, session=session, transitions=transitions))


def _fresh(step: Step) -> Step:
    return replace(step, text="", thinking="", offers=(), stale=False) if step.stale else step


def _said(step: Step, one: TextAdded | ThinkingAdded | Offered | StepFinished) -> Step:
    match one:
        case TextAdded():
            return replace(step, text=step.text + one.text, thought_ms=_thought(step, one.at))
        case ThinkingAdded():
            return replace(step, thinking=step.thinking + one.text)
        case Offered():
            return replace(step, offers=one.choices)
        case StepFinished():
            return replace(
                step,
                finish=one.reason,
                input_tokens=one.input_tokens,
                output_tokens=one.output_tokens,
                raw=one.raw,
                ended_at=one.at,
                thought_ms=_thought(step, one.at),
            )


def _thought(step: Step, at: int) -> int:
    """How long a step thought before its first word, or before its end where it said none."""
    ends = step.thinking and (not step.text or step.stale) and not step.thought_ms
    return max(1, at - step.started_at) if ends else step.thought_ms


def _step_started(draft: Draft, one: StepStarted) -> None:
    turn = draft.turn(one.turn)
    if turn is None:
        return
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
        draft.put(replace(turn, steps=(*turn.steps, new)))
    elif turn.steps and one.step == turn.steps[-1].step:
        # The partial text stays on the page until the new attempt says its first word.
        old = turn.steps[-1]
        again = replace(new, text=old.text, thinking=old.thinking, stale=True)
        draft.put(replace(turn, steps=(*turn.steps[:-1], again)))


def _invocation_started(draft: Draft, one: InvocationStarted) -> None:
    key = _KEY.fullmatch(one.key)
    if key is None or one.key in draft.invocations:
        return
    number, step_number = int(key[1]), int(key[2])
    turn = draft.turn(number)
    if turn is None or step_number > len(turn.steps):
        return
    draft.invocations[one.key] = Invocation(
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
    if step_number == 0:
        draft.put(replace(turn, actions=(*turn.actions, one.key)))
    else:
        draft.put_step(number, step_number, lambda step: _with_call(_fresh(step), one.key))


def _with_call(step: Step, key: str) -> Step:
    return replace(step, calls=(*step.calls, key))


def _invocation_changed(draft: Draft, one: InvocationChanged) -> None:
    before = draft.invocations.get(one.key)
    if before is None:
        return
    after = calls.reduce(before, one.event)
    if after.settled and after.ended_at is None:
        after = replace(after, ended_at=one.at)
    draft.invocations[one.key] = after
