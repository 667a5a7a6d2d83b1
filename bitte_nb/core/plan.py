"""What a turn needs next, as pure questions about the state; the loop carries the answers out."""

from __future__ import annotations

from dataclasses import dataclass

from bitte_nb.core.answer import model_result
from bitte_nb.core.fold import ChatState, Turn
from bitte_nb.core.invocation import Invocation

__all__ = ["NextStep", "at_rest", "ended", "next_step", "open_calls", "pending_calls", "replayable", "same_requests"]


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


def _same_request(one: Invocation, call: Invocation) -> bool:
    assert call.prepared is not None
    return one.key == call.key or (one.prepared is not None and one.prepared.digest == call.prepared.digest)
