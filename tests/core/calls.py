"""Sample invocations in every state, and one well-formed event of every type that fits them."""

from __future__ import annotations

from typing import Any

from bitte_nb.core import invocation_events as ev
from bitte_nb.core.invocation import Invocation, reduce

__all__ = [
    "CARD", "EVENTS", "NOW", "after_retry", "approved", "at", "card", "drive", "edit", "executing", "grant", "pending",
    "proposed",
]  # fmt: skip

NOW = 1_000
CARD = ev.Prepared(digest="d1", method="POST", url="https://agent.example/notes", body='{"a":1}')


def grant(**fields: Any) -> ev.Grant:
    """What a person gives for the first version of `CARD`."""
    return ev.Grant(**{"source": "human", "digest": "d1", "version": 1, "at": NOW, **fields})


def card(digest: str) -> ev.Prepared:
    """`CARD` with other arguments: the same operation and server."""
    return CARD.model_copy(update={"digest": digest, "body": digest})


def edit(a: int = 2, *, to: str = "d2", seen: str = "d1", version: int = 1, **fields: Any) -> ev.Edit:
    """What a person makes of the first version of `CARD`."""
    args = {"a": a}
    return ev.Edit(**{"args": args, "prepared": card(to), "digest": seen, "version": version, "at": NOW, **fields})


EVENTS: dict[str, ev.InvocationEvent] = {
    "args_delta": ev.ArgsDelta(text="{"),
    "args_closed": ev.ArgsClosed(args={"a": 1}, prepared=CARD),
    "args_rejected": ev.ArgsRejected(error="Missing a."),
    "policy_allow": ev.PolicyAllow(grant=grant(source="rule", rule="read-only")),
    "policy_ask": ev.PolicyAsk(rule="ask"),
    "policy_deny": ev.PolicyDeny(rule="never"),
    "approve": ev.Approve(grant=grant()),
    "edit": edit(),
    "deny": ev.Deny(reason="Not now.", at=NOW),
    "respond": ev.Respond(data="0xsigned", digest="d1", version=1, at=NOW),
    "expire": ev.Expire(at=NOW),
    "drift": ev.Drift(prepared=ev.Prepared(digest="d2")),
    "dispatch": ev.Dispatch(digest="d1", at=NOW, idempotency_key="k1"),
    "progress": ev.Progress(note="sending"),
    "cancel": ev.Cancel(at=NOW),
    "result": ev.Result(data={"ok": True}, at=NOW),
    "error": ev.Error(error="404: no such note", at=NOW),
    "lost": ev.Lost(at=NOW),
    "reconcile_ok": ev.ReconcileOk(data={"ok": True}, at=NOW),
    "reconcile_failed": ev.ReconcileFailed(error="It never arrived.", at=NOW),
    "retry": ev.Retry(at=NOW),
    "compensated": ev.Compensated(by="1.0.0", at=NOW),
    "observed_result": ev.ObservedResult(data={"ok": True}, at=NOW),
    "observed_error": ev.ObservedError(error="It failed there.", at=NOW),
}

_PATHS: dict[str, tuple[str, ...]] = {
    "streaming": (),
    "proposed": ("args_closed",),
    "pending": ("args_closed", "policy_ask"),
    "approved": ("args_closed", "policy_ask", "approve"),
    "executing": ("args_closed", "policy_ask", "approve", "dispatch"),
    "unknown": ("args_closed", "policy_ask", "approve", "dispatch", "lost"),
    "succeeded": ("args_closed", "policy_ask", "approve", "dispatch", "result"),
    "failed": ("args_closed", "policy_ask", "approve", "dispatch", "error"),
    "denied": ("args_closed", "policy_ask", "deny"),
    "expired": ("args_closed", "policy_ask", "expire"),
    "cancelled": ("args_closed", "policy_ask", "cancel"),
    "undone": ("args_closed", "policy_ask", "approve", "dispatch", "result", "compensated"),
}


def drive(call: Invocation, *events: ev.InvocationEvent) -> Invocation:
    """The call after all events."""
    for event in events:
        call = reduce(call, event)
    return call


def at(state: str) -> Invocation:
    """A call that came to `state` on the usual path."""
    call = drive(Invocation(key="1.1.0", tool="add-note"), *(EVENTS[name] for name in _PATHS[state]))
    assert call.state == state, call
    return call


def proposed() -> Invocation:
    """A call whose arguments are complete."""
    return at("proposed")


def pending() -> Invocation:
    """A call that waits for a person."""
    return at("pending")


def approved() -> Invocation:
    """A call that a person approved."""
    return at("approved")


def executing() -> Invocation:
    """A call that is running."""
    return at("executing")


def after_retry(call: Invocation) -> Invocation:
    """The call, tried again."""
    return reduce(call, ev.Retry(at=NOW))
