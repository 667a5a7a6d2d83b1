"""The stream session of one turn: nine phases, eighteen events, one pure reducer.

Two rules: everything that decides a phase lives in this file, and this file knows no clock, network or page.
A runner turns what it saw (bytes, timers, clicks) into one of the events; a cell that is not in `TRANSITIONS`
ignores its event and returns the very same object.

    idle -> connecting -> streaming <-> stalled -> done
                ^  |          |  interrupt
                |  v          v
            retrying <- R   awaiting -> connecting        failed, cancelled: only the person starts again

A turn that is begun again while one of its calls is open is interrupted before it asks the model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from bitte_nb.core.session_events import (
    Cancel,
    Cause,
    Complete,
    Connected,
    Disconnect,
    Fail,
    Flush,
    Heartbeat,
    Interrupt,
    Offline,
    Online,
    Resume,
    Retry,
    SessionEvent,
    Stall,
    Start,
    Timeout,
    Token,
    Truncated,
    Violation,
)

__all__ = [
    "BACKOFF_CAP",
    "BACKOFF_FIRST",
    "FIRST_TIMEOUT",
    "HARD_TIMEOUT",
    "MAX_ATTEMPTS",
    "PAUSE_ABOVE",
    "PER_FRAME",
    "RESUME_AT",
    "STALL_HINT",
    "TRANSITIONS",
    "Phase",
    "Session",
    "Transition",
    "backoff",
    "reduce",
    "transition",
]

Phase = Literal["idle", "connecting", "streaming", "stalled", "retrying", "awaiting", "done", "cancelled", "failed"]

MAX_ATTEMPTS = 3
FIRST_TIMEOUT = 120.0
"""Seconds until `timeout` while connecting: a model on this machine is loaded, and reads all, before its first word."""
STALL_HINT = 1.2
"""Seconds without a token until the `stall` hint; it changes nothing else."""
HARD_TIMEOUT = 120.0
"""Seconds without a token or heartbeat until `timeout` while streaming: some models reason in silence. Stopped while
tools run or a person decides."""
BACKOFF_FIRST, BACKOFF_CAP = 0.35, 2.0
PAUSE_ABOVE, RESUME_AT, PER_FRAME = 16, 6, 4
"""Back-pressure: stop reading above 16 unpainted tokens, read again at 6 or fewer; a painted frame takes 4."""


def backoff(attempt: int) -> float:
    """Seconds to wait after the `attempt`-th attempt (from 1) failed: 0.35, doubling, at most 2."""
    return min(BACKOFF_FIRST * 2 ** (attempt - 1), BACKOFF_CAP)


@dataclass(frozen=True, slots=True)
class Session:
    """Where the stream of a turn stands."""

    phase: Phase = "idle"
    attempt: int = 0
    """Which attempt at the present step this is, from 1."""
    outcome: Literal["success", "capped"] | None = None
    cause: Cause | None = None
    reason: str = ""
    """A sentence: why it retries, failed or was cancelled."""
    online: bool = True
    queued: int = 0
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Transition:
    """One change of a session's phase, attempt or reason, as any widget can show it."""

    at: int
    """Milliseconds since the epoch."""
    event: str
    """The type of the event that made it."""
    before: Phase
    phase: Phase
    attempt: int
    cause: Cause | None = None
    reason: str = ""


def transition(before: Session, event: SessionEvent, after: Session, *, at: int) -> Transition | None:
    """What an event changed that is worth telling, or None."""
    if (before.phase, before.attempt, before.reason) == (after.phase, after.attempt, after.reason):
        return None
    return Transition(at, event.type, before.phase, after.phase, after.attempt, after.cause, after.reason)


_Targets = dict[str, Phase | Literal["R"]]
_BROKEN: _Targets = {"disconnect": "R", "timeout": "R", "truncated": "R"}
_LIVE: _Targets = {
    "token": "streaming",
    **_BROKEN,
    "offline": "failed",
    "cancel": "cancelled",
    "complete": "done",
    "interrupt": "awaiting",
    "fail": "failed",
    "violation": "failed",
}

TRANSITIONS: dict[Phase, _Targets] = {
    "idle": {"start": "connecting"},
    "connecting": {
        "connected": "streaming",
        **_BROKEN,
        "offline": "failed",
        "cancel": "cancelled",
        "interrupt": "awaiting",
        "fail": "failed",
        "violation": "failed",
    },
    "streaming": {**_LIVE, "heartbeat": "streaming", "stall": "stalled"},
    "stalled": {**_LIVE, "heartbeat": "stalled"},
    "retrying": {"offline": "failed", "retry": "connecting", "cancel": "cancelled"},
    "awaiting": {"start": "connecting", "cancel": "cancelled", "resume": "connecting", "fail": "failed"},
    "done": {"start": "connecting", "fail": "failed"},
    "cancelled": {"start": "connecting"},
    "failed": {"start": "connecting", "retry": "connecting"},
}
"""phase -> event type -> next phase; `R` is decided by `reduce`: `retrying` if attempts are left, else `failed`."""


def reduce(session: Session, event: SessionEvent) -> Session:
    """Apply one event; an event that has no place in the phase returns the same object."""
    match event:
        case Flush(count=count):
            queued = max(0, session.queued - count)
            paused = session.paused and queued > RESUME_AT
            return _set(session, queued=queued, paused=paused)
        case Online():
            return _set(session, online=True)
        case Resume(open=still_open) if still_open > 0:
            return session
        case _:
            pass
    if event.type not in TRANSITIONS[session.phase]:
        return session
    match event:
        case Start() | Resume():
            return Session(phase="connecting", attempt=1, online=session.online)
        case Retry():
            attempt = 1 if session.phase == "failed" else session.attempt + 1
            return Session(phase="connecting", attempt=attempt, reason=session.reason, online=session.online)
        case Token(count=count):
            queued = session.queued + count
            return _set(session, phase="streaming", queued=queued, paused=session.paused or queued > PAUSE_ABOVE)
        case Disconnect() | Timeout() | Truncated():
            return _retry_or_fail(session, event)
        case Offline():
            reason = "The network went away. Send again when it is back."
            return replace(session, phase="failed", cause="offline", reason=reason, online=False)
        case Cancel(reason=reason):
            return replace(session, phase="cancelled", reason=reason)
        case Complete(outcome=outcome):
            return replace(session, phase="done", outcome=outcome, reason="")
        case Fail(cause=cause, reason=reason):
            return replace(session, phase="failed", cause=cause, reason=reason, outcome=None)
        case Violation(reason=reason):
            return replace(session, phase="failed", cause="violation", reason=reason)
        case Connected():
            return replace(session, phase="streaming", reason="")
        case Heartbeat():
            return session
        case Stall():
            return replace(session, phase="stalled")
        case Interrupt():
            return replace(session, phase="awaiting", queued=0, paused=False)


def _retry_or_fail(session: Session, event: Disconnect | Timeout | Truncated) -> Session:
    if not event.replayable:
        cause: Cause = "http" if isinstance(event, Disconnect) else event.type
        return replace(session, phase="failed", cause=cause, reason=event.reason)
    if session.attempt < MAX_ATTEMPTS:
        return replace(session, phase="retrying", reason=event.reason, queued=0, paused=False)
    return replace(session, phase="failed", cause="exhausted", reason=event.reason)


def _set(session: Session, **changes: object) -> Session:
    """Replace fields, but keep the very object where nothing changes."""
    if all(getattr(session, name) == value for name, value in changes.items()):
        return session
    return replace(session, **changes)  # pyright: ignore[reportArgumentType] - field names are literals above
