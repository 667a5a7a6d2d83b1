"""The eighteen events of a stream session, and what they carry; no clock, no network."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "Cancel",
    "Cause",
    "Complete",
    "Connected",
    "Disconnect",
    "Fail",
    "Flush",
    "Heartbeat",
    "Interrupt",
    "Offline",
    "Online",
    "Resume",
    "Retry",
    "SessionEvent",
    "Stall",
    "Start",
    "Timeout",
    "Token",
    "Truncated",
    "Violation",
]

Cause = Literal["http", "error_event", "violation", "truncated", "timeout", "offline", "exhausted"]


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Start(_Event):
    """The person sent a message; open invocations of an earlier turn were cancelled first."""

    type: Literal["start"] = "start"


class Connected(_Event):
    """The endpoint accepted the request."""

    type: Literal["connected"] = "connected"


class Token(_Event):
    """`count` pieces of text, reasoning or arguments arrived."""

    type: Literal["token"] = "token"
    count: int = 1


class Heartbeat(_Event):
    """The endpoint is alive but has nothing to say."""

    type: Literal["heartbeat"] = "heartbeat"


class Stall(_Event):
    """Nothing arrived for the stall hint."""

    type: Literal["stall"] = "stall"


class _Broken(_Event):
    replayable: bool = True
    """Whether running the step again is safe: no call with side effects of it ran, and its text can be reset."""
    reason: str = ""


class Disconnect(_Broken):
    """The connection broke, or the endpoint asked to come back later."""

    type: Literal["disconnect"] = "disconnect"


class Timeout(_Broken):
    """The connect timeout or the hard timeout passed."""

    type: Literal["timeout"] = "timeout"


class Truncated(_Broken):
    """The stream ended without its terminal marker."""

    type: Literal["truncated"] = "truncated"


class Offline(_Event):
    """The machine lost its network."""

    type: Literal["offline"] = "offline"


class Online(_Event):
    """The network is back; only the person starts again."""

    type: Literal["online"] = "online"


class Retry(_Event):
    """The back-off passed, or the person asked to try again."""

    type: Literal["retry"] = "retry"


class Cancel(_Event):
    """The person stopped the turn."""

    type: Literal["cancel"] = "cancel"
    reason: str = "Stopped."


class Complete(_Event):
    """The answer is complete."""

    type: Literal["complete"] = "complete"
    outcome: Literal["success", "capped"] = "success"


class Interrupt(_Event):
    """The step ended with calls; the turn waits until they are settled."""

    type: Literal["interrupt"] = "interrupt"


class Resume(_Event):
    """Every call of the step is settled; `open` counts those that are not."""

    type: Literal["resume"] = "resume"
    open: int = 0


class Fail(_Event):
    """Something that no retry mends."""

    type: Literal["fail"] = "fail"
    cause: Cause = "http"
    reason: str = ""


class Violation(_Event):
    """The endpoint broke its protocol."""

    type: Literal["violation"] = "violation"
    reason: str = ""


class Flush(_Event):
    """`count` queued pieces were painted."""

    type: Literal["flush"] = "flush"
    count: int = 1


SessionEvent = Annotated[
    Start | Connected | Token | Heartbeat | Stall | Disconnect | Timeout | Truncated | Offline | Online | Retry
    | Cancel | Complete | Interrupt | Resume | Fail | Violation | Flush,
    Field(discriminator="type"),
]  # fmt: skip
