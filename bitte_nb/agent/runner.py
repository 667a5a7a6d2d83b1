"""Carries one call from proposed to settled: policy, decision, dispatch, result.

The order is the guarantee: the request is built again and its digest compared with the approved one, `dispatch` is on
disk before anything leaves, and whatever is not known to have failed is never run again.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from bitte_nb.agent.asked import asked_for, heard
from bitte_nb.agent.attachments import binding_of
from bitte_nb.agent.bindings.binding import prepare, report
from bitte_nb.agent.depth import too_deep
from bitte_nb.agent.judging import deadline, judged, revoked, verdict
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.invocation_events import (
    ArgsRejected,
    Compensated,
    Dispatch,
    Drift,
    Error,
    Expire,
    InvocationEvent,
    Lost,
    PolicyDeny,
    Progress,
    Result,
)
from bitte_nb.core.prepared import Prepared
from bitte_nb.errors import BitteError, ChatConflict, HistoryError

if TYPE_CHECKING:
    from bitte_nb.agent.bindings.binding import Outcome, Ready
    from bitte_nb.agent.conversation import Conversation
    from bitte_nb.agent.journal import CallEvent

__all__ = ["drive"]


async def drive(chat: Conversation, key: str) -> None:
    """Carry the call on until it is settled or its outcome is unknown; a pending one waits for its decision."""
    try:
        while True:
            call = chat.state.invocations[key]
            match call.state:
                case "proposed":
                    await _judge(chat, call)
                case "pending":
                    await _decided(chat, call)
                case "approved":
                    await _dispatch(chat, call)
                case _:
                    return
    except HistoryError:
        raise  # nothing may happen that is not on disk; the chat has already said why
    except Exception as error:  # a fault of ours must not leave a call that never settles
        _broke(chat, key, f"Internal error: {type(error).__name__}: {error}")
        raise


def _broke(chat: Conversation, key: str, sentence: str) -> None:
    now = chat.clock.now()
    for event in (
        ArgsRejected(error=sentence, args=chat.state.invocations[key].args),
        PolicyDeny(rule="internal-error", reason=sentence),
        Lost(reason=sentence, at=now),
    ):
        chat.call_event(key, event)  # only the one that has a place in the state counts


async def _judge(chat: Conversation, call: Invocation) -> None:
    try:
        event: InvocationEvent = judged(chat, call)
    except BitteError as error:  # its tool is gone
        event = ArgsRejected(error=str(error), args=call.args)
    await chat.soon((call.key, event))


async def _decided(chat: Conversation, call: Invocation) -> None:
    """Wait until the call is no longer pending, or its time is over."""
    if call.expires_at is None:
        await chat.change()
        return
    left = (call.expires_at - chat.clock.now()) / 1000
    if left <= 0:
        chat.call_event(call.key, Expire(at=chat.clock.now()))
        return
    timer = asyncio.ensure_future(chat.clock.sleep(left))
    change = asyncio.ensure_future(chat.change())
    try:
        await asyncio.wait({timer, change}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        timer.cancel()
        change.cancel()


async def _prepare(chat: Conversation, call: Invocation) -> Ready | None:
    """Build the call again; one that can no longer be built fails."""
    assert call.args is not None
    assert call.prepared is not None  # an approved call was prepared
    try:
        binding = binding_of(chat, call)
        heard.set(asked_for(chat.state, call.key, call.args))
        return await prepare(binding, call.args)
    except BitteError as error:
        _ask_again(chat, call, call.prepared, f"It can no longer be sent: {error}")
        return None


def _ask_again(chat: Conversation, call: Invocation, prepared: Prepared, reason: str) -> None:
    """Bring an approved call back to its card."""
    try:
        until = deadline(chat, call, verdict(chat, call))
    except BitteError:  # its tool is gone; a person can still decline it
        until = None
    chat.call_event(call.key, Drift(prepared=prepared, reason=reason, expires_at=until))


async def _dispatch(chat: Conversation, call: Invocation) -> None:
    ready = await _prepare(chat, call)
    if ready is None:
        return
    if call.executor != "http":  # a wallet may wait for its person, and keeps nobody else waiting
        await _send(chat, call.key, ready)
        return
    async with chat.sending:
        await _send(chat, call.key, ready)


async def _send(chat: Conversation, key: str, ready: Ready) -> None:
    call = chat.state.invocations[key]
    if call.state != "approved" or call.prepared is None:
        return
    if ready.prepared.digest != call.prepared.digest:
        _ask_again(
            chat, call, ready.prepared, "What would be sent has changed since it was approved; look at it again."
        )
        return
    if revoked(chat, call):
        _ask_again(chat, call, ready.prepared, "The rule that allowed it was revoked before it ran.")
        return
    said = verdict(chat, call)  # the policy may have changed while the card waited
    if said.effect == "deny":
        chat.call_event(key, PolicyDeny(rule=said.rule, reason=said.reason))
        return
    # One key per grant: a transport that repeats the request keeps it, and a new approval gets a new one, unless it
    # repeats a request of which nobody knows what came.
    idempotency_key = call.idempotency_key or f"{chat.state.chat}:{key}:{call.version}:{call.attempt}"
    if not await _journalled(chat, key, ready, idempotency_key):
        return
    report.set(lambda note: chat.call_event(key, Progress(note=note)))
    try:
        outcome = await ready.run(idempotency_key)
    except asyncio.CancelledError:
        _aborted(chat, call)
        raise
    except Exception as error:  # a tool may fail in any way; whether it had its effect by then is not known
        _failed(chat, call, f"{call.tool} failed: {type(error).__name__}: {error}")
        return
    await _recorded(chat, _settled(call, outcome, at=chat.clock.now()))


async def _journalled(chat: Conversation, key: str, ready: Ready, idempotency_key: str) -> bool:
    """Write the dispatch, with those of all calls that leave at this moment, before any of them does."""
    now = chat.clock.now()
    dispatch = Dispatch(digest=ready.prepared.digest, at=now, idempotency_key=idempotency_key)
    try:
        if await chat.soon((key, dispatch)):
            return True
    except asyncio.CancelledError:
        if chat.state.invocations[key].state == "executing":
            chat.soon((key, Error(error="Stopped before it was sent; nothing happened.", at=now)))
        raise
    chat.call_event(key, Expire(at=now))  # its grant can no longer be used
    return False


async def _recorded(chat: Conversation, events: list[CallEvent]) -> None:
    """Write what came of a call, and try again for a while: the answer of a write is worth more than a busy disk.

    What came of it is known, so a stop meanwhile does not make it unknown.
    """
    try:
        for seconds in (0.5, 1.0, 2.0, 4.0):
            try:
                await chat.soon(*events)
                return
            except ChatConflict:
                raise
            except HistoryError:
                await chat.clock.sleep(seconds)
        await chat.soon(*events)
    except asyncio.CancelledError:
        chat.soon(*events)
        raise


def _failed(chat: Conversation, call: Invocation, sentence: str) -> None:
    """A fault says nothing about what had already left, so only a call that reads has failed for certain."""
    now = chat.clock.now()
    chat.call_event(call.key, Error(error=sentence, at=now) if call.safe else Lost(reason=sentence, at=now))


def _aborted(chat: Conversation, call: Invocation) -> None:
    now = chat.clock.now()
    if call.safe:
        event: InvocationEvent = Error(error="Stopped before the answer came; it only reads, nothing changed.", at=now)
    else:
        event = Lost(reason="Stopped while it ran; whether it took effect is not known.", at=now)
    chat.soon((call.key, event))  # many are stopped at once


def _flat(data: Any) -> Any:
    """The data, or its JSON as one text where it is nested too deeply for a history."""
    return json.dumps(data, ensure_ascii=False, default=str) if too_deep(data) else data


def _settled(call: Invocation, outcome: Outcome, *, at: int) -> list[CallEvent]:
    match outcome.kind:
        case "result":
            events: list[CallEvent] = [
                (call.key, Result(data=_flat(outcome.data), undo=outcome.undo, status=outcome.status, at=at))
            ]
            if call.compensates:  # both or neither: no crash may leave a call taken back and not marked so
                events.append((call.compensates, Compensated(by=call.key, at=at)))
            return events
        case "error":
            return [(call.key, Error(error=outcome.error, status=outcome.status, at=at))]
        case "unknown":
            return [(call.key, Lost(reason=outcome.error, status=outcome.status, at=at))]
