"""What loading a chat appends: entries that turn "was in the middle of" into states that a person can act on.

Loading, replaying and rendering cause nothing: these entries only record that the program ended. A streaming call is
cancelled, and so is a proposed one whose answer broke off; an executing one becomes unknown, an approval that was not
used asks again, a pending one stays as it is, and nothing that is settled ever runs again. What a person always allows
ends with the program in which they said so.
"""

from __future__ import annotations

from bitte_nb.core.fold import ChatState, Turn, turn_of
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.invocation_events import Cancel, Drift, InvocationEvent, Lost, PolicyAsk
from bitte_nb.core.log import Entry, InvocationChanged, RuleRevoked, SessionChanged
from bitte_nb.core.session_events import Fail, Interrupt, Retry, SessionEvent

__all__ = ["ENDED", "recovery"]

_BROKE_OFF = "The program ended while the answer was streaming. Retry goes on from the finished calls."
_NO_ANSWER = "The program ended before the answer. Retry goes on from the finished calls."
ENDED = frozenset({_BROKE_OFF, _NO_ANSWER})
"""The reasons of sessions that a program's end broke off; when that was is not known."""
_RESTARTED = "The program ended before this ran; approve it again to run it."


def recovery(state: ChatState, *, at: int) -> list[Entry]:
    """The entries to append after loading `state` at the time `at` (milliseconds since the epoch)."""
    entries: list[Entry] = []
    for call in state.invocations.values():
        event = _call_event(state, call, at)
        if event is not None:
            entries.append(InvocationChanged(at=at, key=call.key, event=event))
    entries += [RuleRevoked(at=at, rule=rule.rule) for rule in state.rules]
    for turn in state.all_turns:
        entries += [SessionChanged(at=at, turn=turn.turn, event=event) for event in _session_events(state, turn)]
    return entries


def _session_events(state: ChatState, turn: Turn) -> list[SessionEvent]:
    match turn.session.phase:
        case "streaming" | "stalled" if _waits(state, turn):
            return [Interrupt()]  # the answer was complete and its calls ask: the turn goes on once they are decided
        case "connecting" | "streaming" | "stalled":
            return [Fail(cause="truncated", reason=_BROKE_OFF)]
        case "retrying":
            return [Retry(), Fail(cause="truncated", reason=_BROKE_OFF)]  # only a started attempt can fail
        case "awaiting" if not _waits(state, turn):
            return [Fail(cause="truncated", reason=_NO_ANSWER)]
        case _:
            return []


def _waits(state: ChatState, turn: Turn) -> bool:
    """Whether a call of the turn is, or is about to be, up to a person."""
    return any(
        call.state in {"pending", "approved"} or (call.state == "proposed" and not _broke_off(state, key))
        for key in turn.calls
        if (call := state.invocations[key])
    )


def _broke_off(state: ChatState, key: str) -> bool:
    """Whether the answer that asked for the call never came to its end; nothing of such an answer may run."""
    turn = state.turn(turn_of(key))
    if turn is None or key in turn.actions:
        return False
    return not any(step.finish and key in step.calls for step in turn.steps)


def _call_event(state: ChatState, call: Invocation, at: int) -> InvocationEvent | None:
    match call.state:
        case "streaming":
            return Cancel(reason="interrupted", at=at)
        case "proposed" if _broke_off(state, call.key):
            return Cancel(reason="interrupted", at=at)
        case "proposed":
            return PolicyAsk(rule="restart", reason=_RESTARTED)
        case "approved" if call.prepared is not None:
            durable = call.grant is not None and call.grant.source == "session" and call.grant.expires_at is not None
            if durable and call.grant is not None and call.grant.expires_at is not None and call.grant.expires_at > at:
                return None
            return Drift(prepared=call.prepared, reason=_RESTARTED)
        case "executing":
            return Lost(reason="The program ended while this ran; whether it took effect is not known.", at=at)
        case _:
            return None
