"""What the versions of a chat know of each other: what they share, and what was already done in another one."""

from __future__ import annotations

from bitte_nb.core.fold import ChatState, Turn, turn_of
from bitte_nb.core.invocation import Invocation

__all__ = ["already_done", "done_elsewhere", "line_of"]

_RAN = frozenset({"executing", "unknown", "succeeded"})
"""States of a call that has left, so that its effect may be there."""


def line_of(state: ChatState, turn: Turn) -> set[int]:
    """The numbers of the turn and of all that it follows."""
    line: set[int] = set()
    one: Turn | None = turn
    while one is not None:
        line.add(one.turn)
        one = state.turn(one.after)
    return line


def done_elsewhere(state: ChatState, call: Invocation) -> Invocation | None:
    """A call of the same tool, not only reading, that ran in a version that this call's turn is no part of.

    One whose request is the very same comes before any other. A turn that this one follows, or that follows it, is of
    the same version: what is done there is done on purpose.
    """
    turn = state.turn(turn_of(call.key))
    if call.safe or turn is None or not state.elsewhere:
        return None
    line = line_of(state, turn)
    found: Invocation | None = None
    for other in state.invocations.values():
        if (other.tool, other.agent) != (call.tool, call.agent) or other.state not in _RAN:
            continue
        number = turn_of(other.key)
        there = state.turn(number)
        if number in line or there is None or turn.turn in line_of(state, there):
            continue
        if _same(other, call):
            return other
        found = other
    return found


def already_done(state: ChatState, call: Invocation) -> str:
    """A sentence for the card of a call that ran in another version, or empty."""
    other = done_elsewhere(state, call)
    if other is None:
        return ""
    done = "Already done" if other.state == "succeeded" else "May already have been done"
    what = "" if _same(other, call) else ", with other arguments"
    return f"{done} in another version of this answer{what}."


def _same(one: Invocation, other: Invocation) -> bool:
    return one.prepared is not None and other.prepared is not None and one.prepared.digest == other.prepared.digest
