"""The twelve states of an invocation and the table of its transitions."""

from __future__ import annotations

from typing import Literal

__all__ = ["LIVE", "SETTLED", "TRANSITIONS", "Executor", "State"]

State = Literal[
    "streaming", "proposed", "pending", "approved", "executing", "unknown",
    "succeeded", "failed", "denied", "expired", "cancelled", "undone",
]  # fmt: skip
LIVE: frozenset[State] = frozenset({"streaming", "proposed", "pending", "approved", "executing", "unknown"})
SETTLED: frozenset[State] = frozenset({"succeeded", "failed", "denied", "expired", "cancelled", "undone"})

Executor = Literal["http", "wallet", "local", "remote"]
"""Who carries it out: an HTTP request to the document's server, the person's wallet, a Python function, or the
remote runtime that reported it."""

_DECIDED: dict[str, State] = {"cancel": "cancelled", "observed_result": "succeeded", "observed_error": "failed"}

TRANSITIONS: dict[State, dict[str, State]] = {
    "streaming": {
        "args_delta": "streaming",
        "args_closed": "proposed",
        "args_rejected": "failed",
        "cancel": "cancelled",
    },
    "proposed": {
        "policy_allow": "approved",
        "policy_ask": "pending",
        "policy_deny": "denied",
        "args_rejected": "failed",
        **_DECIDED,
    },
    "pending": {
        "approve": "approved",
        "edit": "pending",
        "deny": "denied",
        "respond": "succeeded",
        "expire": "expired",
        "drift": "pending",
        "policy_deny": "denied",
        **_DECIDED,
    },
    "approved": {
        "dispatch": "executing",
        "drift": "pending",
        "expire": "expired",
        "policy_deny": "denied",
        "cancel": "cancelled",
    },
    "executing": {
        "progress": "executing",
        "cancel": "executing",
        "result": "succeeded",
        "error": "failed",
        "lost": "unknown",
    },
    "unknown": {"reconcile_ok": "succeeded", "reconcile_failed": "failed", "retry": "proposed"},
    "failed": {"retry": "proposed"},
    "succeeded": {"compensated": "undone"},
    "denied": {},
    "expired": {},
    "cancelled": {},
    "undone": {},
}
"""state -> event type -> next state; guards are in `invocation.refusal`."""
