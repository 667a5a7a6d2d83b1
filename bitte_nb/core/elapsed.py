"""How long an answer took to make: the time of the model and of its calls.

A person's time is not in it, nor a wallet's, which is a person's too; nor a stretch that a program's end broke off.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from bitte_nb.core.rehydrate import ENDED
from bitte_nb.core.state import ChatState, Turn

__all__ = ["elapsed"]

_WORKING = frozenset({"connecting", "streaming", "stalled", "retrying"})


def elapsed(state: ChatState, turn: Turn) -> int:
    """Milliseconds in which the model spoke or a call ran, up to the turn's last change; what overlaps counts once."""
    total, until = 0, 0
    for begin, end in sorted((*_spoken(turn), *_ran(state, turn))):
        total += max(0, end - max(begin, until))
        until = max(until, end)
    return total


def _spoken(turn: Turn) -> Iterator[tuple[int, int]]:
    # Loading writes that a session broke off when the next program begins, not when the last one ended.
    loaded = {one.at for one in turn.transitions if one.reason in ENDED}
    for one, after in pairwise(turn.transitions):
        if one.phase in _WORKING and after.at not in loaded:
            yield one.at, after.at


def _ran(state: ChatState, turn: Turn) -> Iterator[tuple[int, int]]:
    for key in (key for step in turn.steps for key in step.calls):
        call = state.invocations[key]
        left = call.grant.used_at if call.grant else None
        if left is not None and call.ran_ms and call.executor != "wallet":
            yield left, left + call.ran_ms
