"""The life of one tool call: twelve states, twenty-four events, one pure reducer.

    streaming -> proposed -> pending -> approved -> executing -> succeeded -> undone
                    |            |         |            |-> failed -> (retry) proposed
                    |            |         v            `-> unknown -> succeeded, failed
                    `-> approved |      pending (drift)
                                 `-> denied, expired, cancelled: absorb everything

Three rules: the only edge into `executing` is `approved --dispatch-->`; a decision names the digest and version
of the card that the person saw; an event without a place in the state changes nothing (`refusal` says why).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from bitte_nb.core.invocation_events import (
    Approve,
    ArgsClosed,
    ArgsDelta,
    ArgsRejected,
    Cancel,
    Compensated,
    Deny,
    Dispatch,
    Drift,
    Edit,
    Error,
    Expire,
    Grant,
    InvocationEvent,
    Lost,
    ObservedError,
    ObservedResult,
    PolicyAllow,
    PolicyAsk,
    PolicyDeny,
    Prepared,
    Progress,
    ReconcileFailed,
    ReconcileOk,
    Respond,
    Result,
    Retry,
    Undo,
)
from bitte_nb.core.invocation_table import LIVE, SETTLED, TRANSITIONS, Executor, State
from bitte_nb.core.result import ToolData, ToolError, ToolResult
from bitte_nb.core.tool import ToolKind

__all__ = [
    "LIVE",
    "SETTLED",
    "TRANSITIONS",
    "Executor",
    "Invocation",
    "Refusal",
    "State",
    "reduce",
    "refusal",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One call of a tool, as far as the log tells."""

    key: str
    """Identity: `turn.step.index`; step 0 holds what the person started, for example an undo."""
    tool: str
    kind: ToolKind = "operation"
    executor: Executor = "http"
    call_id: str = ""
    """The provider's id: an alias for the wire only, since providers reuse and omit it."""
    agent: str = ""
    method: str = ""
    path: str = ""
    safe: bool = False
    """The method is safe (RFC 9110 section 9.2.1): sending it again changes nothing."""
    idempotent: bool = False
    responds: bool = False
    """A person gives the result."""
    checks: bool = False
    """Whether it took effect can be looked up, where that is not known."""
    compensates: str = ""
    """Key of the invocation that this one takes back."""
    started_at: int = 0

    state: State = "streaming"
    args_text: str = ""
    args: dict[str, Any] | None = None
    original_args: dict[str, Any] | None = None
    """What the model asked for, where the person edited it."""
    prepared: Prepared | None = None
    version: int = 1
    rule: str = ""
    reason: str = ""
    """A sentence about the present state."""
    decider: Literal["", "person", "code", "rule"] = ""
    """Who declined it or gave its result; who approved it stands in the grant."""
    editor: Literal["", "person", "code"] = ""
    """Who changed the arguments last."""
    grant: Grant | None = None
    expires_at: int | None = None
    attempt: int = 1
    idempotency_key: str = ""
    """The key it left with; kept for a further attempt while nobody knows what came of the one before."""
    doubt: bool = False
    """An earlier attempt left and nobody knows what came of it."""
    cancel_requested: bool = False
    input_failed: bool = False
    progress: str = ""
    result: ToolResult | None = None
    status: int | None = None
    """HTTP status of the answer, where a server answered."""
    undo: Undo | None = None
    undone_by: str = ""
    ended_at: int | None = None
    ran_ms: int = 0
    """Milliseconds from its leaving to its result or error; 0 where it has none, or nobody knows when that came."""

    @property
    def headers(self) -> dict[str, str]:
        """The headers of its request as a card shows them, with the key that it left with once there is one."""
        shown = self.prepared.headers if self.prepared else {}
        made = self.idempotency_key and "Idempotency-Key" in shown
        return {**shown, "Idempotency-Key": self.idempotency_key} if made else shown

    @property
    def settled(self) -> bool:
        """Nothing more will happen by itself."""
        return self.state in SETTLED


Refusal = Literal["late", "not_allowed", "stale_decision", "already_decided", "expired"]
_DECISIONS = frozenset({"approve", "deny", "edit", "respond"})


def refusal(call: Invocation, event: InvocationEvent) -> Refusal | None:
    """Why `reduce` would ignore the event, or None where it applies."""
    if event.type not in TRANSITIONS[call.state]:
        undecided = call.state in ("streaming", "proposed")
        return "already_decided" if event.type in _DECISIONS and not undecided else "late"
    match event:
        case Approve(grant=Grant(at=at)) | Respond(at=at) | Edit(at=at) if _over(call, at):
            return "expired"
        case Approve(grant=grant) if not _shown(call, grant.digest, grant.version):
            return "stale_decision"
        case Respond(digest=digest, version=version) | Edit(digest=digest, version=version) if not _shown(
            call, digest, version
        ):
            return "stale_decision"
        case Edit(prepared=prepared) if call.prepared is None or not prepared.goes_like(call.prepared):
            return "not_allowed"
        case PolicyAllow(grant=grant) if not _shown(call, grant.digest, grant.version):
            return "not_allowed"
        case Respond() if not call.responds:
            return "not_allowed"
        case ObservedResult() | ObservedError() if call.executor != "remote":
            return "not_allowed"
        case Dispatch() if not _dispatchable(call, event):
            return "not_allowed"
        case Retry() if call.state == "unknown" and not (call.safe or call.idempotent):
            return "not_allowed"
        case Retry() if call.input_failed or call.args is None:
            return "not_allowed"
        case _:
            return None


def _shown(call: Invocation, digest: str, version: int) -> bool:
    return call.prepared is not None and digest == call.prepared.digest and version == call.version


def _over(call: Invocation, at: int) -> bool:
    """Whether the time to say yes is over; a no holds at any time."""
    return call.expires_at is not None and at >= call.expires_at


def _dispatchable(call: Invocation, event: Dispatch) -> bool:
    grant = call.grant
    if grant is None or call.prepared is None or grant.used_at is not None:
        return False
    if grant.expires_at is not None and event.at >= grant.expires_at:
        return False
    return event.digest == grant.digest == call.prepared.digest and grant.version == call.version


def reduce(call: Invocation, event: InvocationEvent) -> Invocation:
    """Apply one event; a refused one returns the same object."""
    if refusal(call, event) is not None:
        return call
    before, call = call, replace(call, state=TRANSITIONS[call.state][event.type])
    match event:
        case ArgsDelta(text=text):
            return replace(call, args_text=call.args_text + text)
        case ArgsClosed(args=args, prepared=prepared):
            return replace(call, args=args, prepared=prepared)
        case ArgsRejected(error=error, args=args):
            return _failed(replace(call, args=call.args if args is None else args, input_failed=True), error)
        case PolicyAllow(grant=grant):
            return replace(call, grant=grant, rule=grant.rule, reason="")
        case PolicyAsk(rule=rule, reason=reason, expires_at=expires_at):
            return replace(call, rule=rule, reason=reason, expires_at=expires_at)
        case PolicyDeny(rule=rule, reason=reason):
            return replace(call, rule=rule, reason=reason, grant=None, decider="rule")
        case Approve(grant=grant):
            return replace(call, grant=grant, reason="")
        case Edit(args=args, prepared=prepared, expires_at=expires_at, actor=actor):
            original = call.args if call.original_args is None else call.original_args
            return replace(
                call, args=args, original_args=original, prepared=prepared,
                version=call.version + 1, grant=None, reason="", expires_at=expires_at, idempotency_key="",
                editor=_who(actor),
            )  # fmt: skip
        case Deny(reason=reason, at=at, actor=actor):
            return replace(call, reason=reason, ended_at=at, decider=_who(actor))
        case Respond(data=data, at=at, actor=actor):
            return replace(
                call, result=ToolData(data=data), reason="", progress="", doubt=False, ended_at=at, decider=_who(actor)
            )
        case ObservedResult(data=data, at=at) | ReconcileOk(data=data, at=at):
            return replace(call, result=ToolData(data=data), reason="", progress="", doubt=False, ended_at=at)
        case ReconcileFailed(error=error, at=at):
            return _failed(replace(call, doubt=False, ended_at=at), error)
        case ObservedError(error=error, at=at):
            return _failed(replace(call, ended_at=at, ran_ms=_ran(call, at)), error)
        case Error(error=error, status=status, at=at):
            return _failed(replace(call, status=status, ended_at=at, ran_ms=_ran(call, at)), error)
        case Expire(at=at):
            return replace(call, grant=None, ended_at=at)
        case Drift(prepared=prepared, reason=reason, expires_at=expires_at):
            same = call.prepared is not None and prepared.digest == call.prepared.digest
            return replace(
                call, prepared=prepared, version=call.version + 1, grant=None, reason=reason, expires_at=expires_at,
                idempotency_key=call.idempotency_key if same else "",
            )  # fmt: skip
        case Dispatch(at=at, idempotency_key=key):
            assert call.grant is not None  # `refusal` checked it
            grant = call.grant.model_copy(update={"used_at": at})
            return replace(call, grant=grant, idempotency_key=key)
        case Progress(note=note):
            return replace(call, progress=note)
        case Cancel(reason=reason, at=at):
            if call.state == "executing":
                return replace(call, cancel_requested=True)
            return replace(call, reason=reason, grant=None, ended_at=at)
        case Result(data=data, undo=undo, status=status, at=at):
            return replace(
                call, result=ToolData(data=data), undo=undo, status=status, reason="", progress="", doubt=False,
                ended_at=at, ran_ms=_ran(call, at),
            )  # fmt: skip
        case Lost(reason=reason, status=status):
            return replace(call, reason=reason, status=status)  # the last sign of life may name what was sent
        case Retry():
            doubt = before.doubt or before.state == "unknown"
            return replace(
                call, attempt=call.attempt + 1, version=call.version + 1, grant=None, result=None, reason="",
                status=None, progress="", cancel_requested=False, ended_at=None, ran_ms=0, expires_at=None, doubt=doubt,
                idempotency_key=call.idempotency_key if doubt else "",
            )  # fmt: skip
        case Compensated(by=by):
            return replace(call, undone_by=by)


def _ran(call: Invocation, at: int) -> int:
    left = call.grant.used_at if call.grant else None
    return 0 if left is None else max(1, at - left)


def _who(actor: str) -> Literal["person", "code"]:
    return "code" if actor == "code" else "person"


def _failed(call: Invocation, error: str) -> Invocation:
    sentence = error if error.strip() else "It failed without saying why."
    return replace(call, result=ToolError(error=sentence), reason=sentence, progress="")
