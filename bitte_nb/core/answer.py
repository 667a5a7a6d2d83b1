"""What the model reads of a call: exactly one result, whose words say what happened and what must not be repeated."""

from __future__ import annotations

from bitte_nb.core.invocation import Invocation
from bitte_nb.core.primitives import PRIMITIVES
from bitte_nb.core.result import ToolError, ToolResult

__all__ = ["forbidding", "model_result"]

_OURS = frozenset({"declined-before", "internal-error"})
"""Rules of the runtime that deny; neither was written by a person as a policy."""

_CANCELLED = {
    "stopped": "Cancelled: the person stopped before it ran. It was not run.",
    "superseded": "Cancelled: the person sent a new message before it ran. It was not run.",
    "interrupted": "Cancelled: the program ended before it ran. It was not run.",
    "attempt_dropped": "Cancelled: the answer that asked for it broke off. It was not run.",
}

_DOUBT = (
    "This is about the latest attempt only: an earlier one left, its outcome is unknown and it may have taken effect."
)


def model_result(call: Invocation) -> ToolResult | None:
    """The one result that the model reads for this call, or None while it is still open.

    `unknown` counts as answered: the turn may go on, and the sentence forbids repeating the call unasked.
    """
    result = _own_result(call)
    if call.doubt and isinstance(result, ToolError) and call.state != "unknown":
        return ToolError(error=f"{result.error} {_DOUBT}")
    return result


def _own_result(call: Invocation) -> ToolResult | None:
    match call.state:
        case "succeeded" | "undone" | "failed":
            return call.result
        case "denied" if words := forbidding(call):
            return ToolError(error=f"{words} This call was not run. Do not retry it: the rule holds whoever asks.")
        case "denied":
            why = f" The reason given: {call.reason}" if call.reason else ""
            said = PRIMITIVES[call.tool].declined if call.kind == "primitive" and call.tool in PRIMITIVES else "Denied"
            return ToolError(error=f"{said}: this call was not run. Do not retry it unless the user asks.{why}")
        case "expired":
            return ToolError(error="Expired: nobody answered in time. This call was not run.")
        case "cancelled":
            return ToolError(error=_CANCELLED.get(call.reason, "Cancelled: it was not run."))
        case "unknown":
            return ToolError(
                error="Interrupted while it ran: the outcome is unknown, it may have taken effect. "
                "Do not repeat it without asking the user."
            )
        case _:
            return None


def forbidding(call: Invocation) -> str:
    """The sentence of a call that a rule of the policy forbids; empty for any other, one that a person denied too."""
    if call.state != "denied" or call.decider != "rule" or call.rule in _OURS:
        return ""
    reason = call.reason.strip()
    why = f": {reason}{'' if reason.endswith(('.', '!', '?')) else '.'}" if reason else "."
    return f"Forbidden by the rule “{call.rule}”{why}"
