"""The twenty-four events of an invocation, and what they carry.

A decision (approve, deny, edit, respond) names the digest and version of the card that the person saw.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bitte_nb.core.prepared import Grant, Prepared, Undo

__all__ = [
    "Approve",
    "ArgsClosed",
    "ArgsDelta",
    "ArgsRejected",
    "Cancel",
    "CancelReason",
    "Compensated",
    "Deny",
    "Dispatch",
    "Drift",
    "Edit",
    "Error",
    "Expire",
    "Grant",
    "InvocationEvent",
    "Lost",
    "ObservedError",
    "ObservedResult",
    "PolicyAllow",
    "PolicyAsk",
    "PolicyDeny",
    "Prepared",
    "Progress",
    "ReconcileFailed",
    "ReconcileOk",
    "Respond",
    "Result",
    "Retry",
    "Undo",
]

CancelReason = Literal["stopped", "superseded", "interrupted", "attempt_dropped"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ArgsDelta(_Model):
    """More of the arguments' JSON text; shown, never armed."""

    type: Literal["args_delta"] = "args_delta"
    text: str


class ArgsClosed(_Model):
    """The arguments are complete, strict JSON and valid."""

    type: Literal["args_closed"] = "args_closed"
    args: dict[str, Any]
    prepared: Prepared


class ArgsRejected(_Model):
    """The call cannot be made as asked; the sentence goes to the model."""

    type: Literal["args_rejected"] = "args_rejected"
    error: str
    args: dict[str, Any] | None = None


class PolicyAllow(_Model):
    """A rule of the person's policy lets it run."""

    type: Literal["policy_allow"] = "policy_allow"
    grant: Grant


class PolicyAsk(_Model):
    """A person must decide."""

    type: Literal["policy_ask"] = "policy_ask"
    rule: str
    reason: str = ""
    expires_at: int | None = None


class PolicyDeny(_Model):
    """A rule forbids it."""

    type: Literal["policy_deny"] = "policy_deny"
    rule: str
    reason: str = ""


class Approve(_Model):
    """The person approved what the card of this digest and version showed."""

    type: Literal["approve"] = "approve"
    grant: Grant


class Edit(_Model):
    """The person changed the arguments of the card of this digest and version; it comes back with a new digest.

    Operation and server stay: what is prepared anew goes the same way to the same origin.
    """

    type: Literal["edit"] = "edit"
    args: dict[str, Any]
    prepared: Prepared
    digest: str
    version: int
    actor: str = ""
    at: int
    expires_at: int | None = None


class Deny(_Model):
    """The person said no."""

    type: Literal["deny"] = "deny"
    reason: str = ""
    actor: str = ""
    at: int


class Respond(_Model):
    """The person gave the result, for a tool whose result a person gives."""

    type: Literal["respond"] = "respond"
    data: Any
    digest: str
    version: int
    actor: str = ""
    at: int


class Expire(_Model):
    """Nobody answered in time."""

    type: Literal["expire"] = "expire"
    at: int


class Drift(_Model):
    """What would be sent is no longer what was approved."""

    type: Literal["drift"] = "drift"
    prepared: Prepared
    reason: str = ""
    expires_at: int | None = None


class Dispatch(_Model):
    """It is about to leave; written to disk before it does."""

    type: Literal["dispatch"] = "dispatch"
    digest: str
    at: int
    idempotency_key: str = ""


class Progress(_Model):
    """A sign of life while it runs."""

    type: Literal["progress"] = "progress"
    note: str


class Cancel(_Model):
    """Stopped, superseded by a new message, interrupted by the kernel's end, or part of a dropped attempt."""

    type: Literal["cancel"] = "cancel"
    reason: CancelReason = "stopped"
    at: int


class Result(_Model):
    """It ran and returned `data`."""

    type: Literal["result"] = "result"
    data: Any
    undo: Undo | None = None
    status: int | None = None
    """HTTP status of the answer, where a server answered."""
    at: int


class Error(_Model):
    """It ran, or tried to, and failed."""

    type: Literal["error"] = "error"
    error: str
    status: int | None = None
    """HTTP status of the answer, where a server answered."""
    at: int


class Lost(_Model):
    """It left and nobody knows what came of it."""

    type: Literal["lost"] = "lost"
    reason: str = ""
    status: int | None = None
    """HTTP status of the answer, where a server answered without saying what came of it."""
    at: int


class ReconcileOk(_Model):
    """It turned out to have succeeded: a check found it so, or the person (`actor`) says it."""

    type: Literal["reconcile_ok"] = "reconcile_ok"
    data: Any
    actor: str = ""
    at: int


class ReconcileFailed(_Model):
    """It turned out not to have happened: a check found it so, or the person (`actor`) says it."""

    type: Literal["reconcile_failed"] = "reconcile_failed"
    error: str
    actor: str = ""
    at: int


class Retry(_Model):
    """Try it again, through the policy."""

    type: Literal["retry"] = "retry"
    actor: str = ""
    at: int


class Compensated(_Model):
    """Another invocation took it back."""

    type: Literal["compensated"] = "compensated"
    by: str
    at: int


class ObservedResult(_Model):
    """A remote runtime reported its result."""

    type: Literal["observed_result"] = "observed_result"
    data: Any
    at: int


class ObservedError(_Model):
    """A remote runtime reported its failure."""

    type: Literal["observed_error"] = "observed_error"
    error: str
    at: int


InvocationEvent = Annotated[
    ArgsDelta | ArgsClosed | ArgsRejected | PolicyAllow | PolicyAsk | PolicyDeny | Approve | Edit | Deny | Respond
    | Expire | Drift | Dispatch | Progress | Cancel | Result | Error | Lost | ReconcileOk | ReconcileFailed | Retry
    | Compensated | ObservedResult | ObservedError,
    Field(discriminator="type"),
]  # fmt: skip
