"""What a turn needs next, as pure questions about the state; the loop carries the answers out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from bitte_nb.core.answer import model_result
from bitte_nb.core.fold import ChatState, Turn
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.result import ToolData

__all__ = [
    "NextStep", "at_rest", "declined_before", "edited_before", "ended", "next_step", "open_calls", "pending_calls",
    "replayable", "same_requests", "speaker",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class NextStep:
    """The model call to make."""

    step: int
    attempt: int
    tools: bool
    """Off for the last call of the budget, so that a turn always ends in words."""


def next_step(turn: Turn) -> NextStep:
    """The step that a connecting session calls for: the next one, or another attempt at a broken one."""
    last = turn.steps[-1] if turn.steps else None
    if last is None:
        step, attempt = 1, 1
    elif last.finish and (last.calls or not last.tools):  # words at the cap stay when the person goes on
        step, attempt = last.step + 1, 1
    else:
        step, attempt = last.step, last.attempt + 1
    return NextStep(step=step, attempt=attempt, tools=step < turn.budget)


def speaker(state: ChatState, turn: Turn) -> str:
    """The id of the agent that speaks next in the turn: whom the person addressed, or who was handed over to last."""
    for key in reversed([key for step in turn.steps for key in step.calls]):
        call = state.invocations[key]
        if call.kind == "handoff" and call.state == "succeeded" and isinstance(call.result, ToolData):
            data: Any = call.result.data
            if isinstance(data, dict) and isinstance(to := cast("dict[str, Any]", data).get("agent"), str):
                return to
    return turn.agent


def open_calls(state: ChatState, turn: Turn) -> list[Invocation]:
    """Calls of the turn's steps that have no result for the model yet, in call order."""
    calls = [state.invocations[key] for step in turn.steps for key in step.calls]
    return [call for call in calls if model_result(call) is None]


def pending_calls(state: ChatState, turn: Turn) -> list[Invocation]:
    """Calls that wait for a person, actions such as undo included."""
    return [call for key in turn.calls if (call := state.invocations[key]).state == "pending"]


def ended(turn: Turn) -> bool:
    """The turn is over: done, failed or cancelled."""
    return turn.session.phase in {"done", "failed", "cancelled"}


def at_rest(state: ChatState, turn: Turn) -> bool:
    """Nothing more happens without a person: the turn is over, or every open call waits for a decision."""
    over = ended(turn)
    states = {state.invocations[key].state for key in turn.calls}
    if states & {"proposed", "approved", "executing"}:
        return False
    # Once the turn is over nobody reads its stream any more; what a person started closes by itself.
    closing = turn.actions if over else turn.calls
    if any(state.invocations[key].state == "streaming" for key in closing):
        return False
    return over or (turn.session.phase == "awaiting" and "pending" in states)


def replayable(state: ChatState, turn: Turn) -> bool:
    """Running the broken step again is safe: none of its calls left the proposal stage."""
    if not turn.steps:
        return True
    untouched = {"streaming", "proposed", "cancelled"}
    return all((call := state.invocations[key]).state in untouched or call.safe for key in turn.steps[-1].calls)


def same_requests(state: ChatState, turn: Turn, call: Invocation) -> int:
    """How many earlier steps of the turn made the very same request, and how many rounds of five this step did.

    It depends on the order of the calls only, so calls that are judged side by side get the same answer every time.
    """
    if call.prepared is None:
        return 0
    earlier = 0
    for step in turn.steps:
        same = [key for key in step.calls if _same_request(state.invocations[key], call)]
        if call.key in step.calls:
            return earlier + same.index(call.key) // _AT_ONCE
        earlier += bool(same)
    return 0


_AT_ONCE = 5
"""Equal calls that one step may make before they count as a repetition."""


def declined_before(state: ChatState, turn: Turn, call: Invocation) -> bool:
    """Whether the very same request was already declined in this turn; another one, or another turn, asks anew."""
    return any(one.state == "denied" and _same_request(one, call) for one in _earlier(state, turn, call))


def edited_before(state: ChatState, turn: Turn, call: Invocation) -> bool:
    """Whether the person changed this very call earlier in the turn, so that it is not what they want."""
    return any(
        one.original_args is not None
        and one.original_args != one.args
        and (one.tool, one.agent) == (call.tool, call.agent)
        and (one.original_args == call.args or _asked_alike(one, call))
        for one in _earlier(state, turn, call)
    )


def _earlier(state: ChatState, turn: Turn, call: Invocation) -> Iterator[Invocation]:
    """What the model asked for before this; nothing where the person asks for it, by an undo or another attempt."""
    if call.key in turn.actions or call.attempt > 1:
        return
    for key in (key for step in turn.steps for key in step.calls):
        if key == call.key:
            return
        yield state.invocations[key]


def _same_request(one: Invocation, call: Invocation) -> bool:
    """Whether both ask for the same: the same bytes, or the same words of the model where a fresh nonce came in."""
    if one.key == call.key:
        return True
    if one.prepared is None or call.prepared is None or (one.tool, one.agent) != (call.tool, call.agent):
        return False
    return one.prepared.digest == call.prepared.digest or _asked_alike(one, call)


def _asked_alike(one: Invocation, call: Invocation) -> bool:
    asked = _asked(call)
    return asked is not None and asked == _asked(one)


def _asked(call: Invocation) -> Any:
    try:
        return json.loads(call.args_text) if call.args_text else None
    except (ValueError, RecursionError):
        return None
