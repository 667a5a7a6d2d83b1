"""How a call begins: its start, and the arguments that are checked, built and shown before anybody is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, cast

from bitte_nb.agent.asked import asked_for, heard
from bitte_nb.agent.attachments import binding_of
from bitte_nb.agent.bindings.binding import Checking, prepare
from bitte_nb.core.invocation_events import ArgsClosed, ArgsRejected, Drift, Prepared
from bitte_nb.core.log import InvocationStarted
from bitte_nb.errors import BitteError
from bitte_nb.history.record import storable_value

if TYPE_CHECKING:
    from bitte_nb.agent.agent import Agent
    from bitte_nb.agent.bindings.binding import Ready
    from bitte_nb.agent.conversation import Conversation

__all__ = ["close_args", "show_later", "start_call"]


def start_call(
    chat: Conversation, key: str, tool: str, *, agent: Agent, call_id: str = "", compensates: str = ""
) -> None:
    """Append the start of a call; an unknown tool starts too, so that it gets its error result."""
    binding = agent.find(tool)
    started = InvocationStarted(
        at=chat.clock.now(), key=key, tool=tool, call_id=call_id, agent=agent.id, compensates=compensates
    )
    if binding is not None:
        facts = {
            "tool_kind": binding.tool.kind,
            "executor": binding.executor,
            "method": binding.tool.method,
            "path": binding.tool.path,
            "safe": binding.safe,
            "idempotent": binding.idempotent,
            "responds": binding.responds,
            "checks": isinstance(binding, Checking),
        }
        started = started.model_copy(update=facts)
    chat.append(started)


async def close_args(chat: Conversation, key: str, args: dict[str, object]) -> None:
    """Prepare the call, in a worker thread since a review may decode a lot; a refused one fails."""
    call = chat.state.invocations[key]
    args = cast("dict[str, object]", storable_value(args))  # the digest is taken of what a reload will read
    try:
        binding = binding_of(chat, call)
        heard.set(asked_for(chat.state, key, args))
        ready = await prepare(binding, args)
    except BitteError as error:
        chat.call_event(key, ArgsRejected(error=str(error), args=args))
    except Exception as error:  # what cannot be prepared is never armed
        sentence = f"{call.tool} could not be prepared: {type(error).__name__}: {error}"
        chat.call_event(key, ArgsRejected(error=sentence, args=args))
    else:
        chat.call_event(key, ArgsClosed(args=ready.args, prepared=ready.prepared))
        show_later(chat, key, ready)


def show_later(chat: Conversation, key: str, ready: Ready) -> None:
    """Show more on the card once it is known, where something will come."""
    if ready.later is not None:
        chat.spawn(_show_later(chat, key, ready.prepared.digest, ready.later))


async def _show_later(
    chat: Conversation, key: str, digest: str, later: Callable[[], Awaitable[Prepared | None]]
) -> None:
    """Show another version of the card once more is known about the same request; a decided one stays as it is."""
    prepared = await later()
    call = chat.state.invocations[key]
    if prepared is not None and call.state == "pending" and call.prepared and call.prepared.digest == digest:
        reason = "The node has answered: the card shows what it knows. The request is the same."
        chat.call_event(key, Drift(prepared=prepared, reason=reason, expires_at=call.expires_at))
