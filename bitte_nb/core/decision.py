"""Who decided about a call, as a sentence of a transcript."""

from __future__ import annotations

from bitte_nb.core.invocation import Invocation

__all__ = ["decision"]

_WHO = {"person": "you", "code": "code"}


def decision(call: Invocation) -> str:
    """Who approved, declined or answered it, or which rule did; empty where nobody did yet."""
    why = f": {call.reason}" if call.reason.strip() else ""
    if call.state == "denied":
        return f"Forbidden by the rule {call.rule}{why}" if call.decider == "rule" else f"Declined by {_by(call)}{why}"
    if call.grant is None:
        return f"Answered by {_by(call)}" if call.decider in _WHO else ""
    match call.grant.source:
        case "human":
            return f"Approved by {'code' if call.grant.actor == 'code' else 'you'}"
        case "rule":
            return f"Allowed by the rule {call.grant.rule}"
        case "session":
            return f"Allowed by your rule {call.grant.rule} for this chat"


def edited(call: Invocation) -> str:
    """Who changed the arguments that the model had asked for; empty where they are the model's."""
    if call.original_args is None:
        return ""
    return f"Changed by {_WHO[call.editor or 'person']} before approval; the model had asked for"


def _by(call: Invocation) -> str:
    return _WHO.get(call.decider, "you")
