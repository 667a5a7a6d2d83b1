"""Carries one call from proposed to settled: policy, decision, dispatch, result.

The order is the guarantee: the request is built again and its digest compared with the approved one, `dispatch` is on
disk before anything leaves, and whatever is not known to have failed is never run again.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from bitte_nb.agent.binding import forbidden, prepare
from bitte_nb.agent.depth import too_deep
from bitte_nb.agent.policy import Subject, Verdict
from bitte_nb.core.fold import turn_of
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.invocation_events import (
    ArgsRejected,
    Compensated,
    Dispatch,
    Drift,
    Error,
    Expire,
    Grant,
    InvocationEvent,
    Lost,
    PolicyAllow,
    PolicyAsk,
    PolicyDeny,
    Result,
)
from bitte_nb.core.plan import same_requests
from bitte_nb.errors import BitteError, ChatConflict, HistoryError

if TYPE_CHECKING:
    from bitte_nb.agent.binding import Outcome, Ready
    from bitte_nb.agent.conversation import Conversation
    from bitte_nb.agent.journal import CallEvent

__all__ = ["drive"]

_REPEATS = 3
"""The same request for this many times in a turn asks a person, whatever the policy says."""


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
    """Let the policy speak; a person is asked as well where the same request ran again and again."""
    now = chat.clock.now()
    assert call.args is not None  # a proposed call is prepared
    assert call.prepared is not None
    ready = await _prepare(chat, call)
    if ready is None:
        return
    verdict = _verdict(chat, call, ready)
    event: InvocationEvent
    if verdict.effect == "deny":
        event = PolicyDeny(rule=verdict.rule, reason=verdict.reason)
    elif verdict.effect == "allow" and (why_not := forbidden(call.prepared)):
        event = PolicyAsk(rule="review", reason=why_not)
    elif verdict.effect == "allow" and _repeated(chat, call):
        reason = "The same request already ran in this turn; look whether it makes sense once more."
        event = PolicyAsk(rule="repeated-request", reason=reason)
    elif verdict.effect == "allow":
        grant = Grant(source="rule", rule=verdict.rule, digest=call.prepared.digest, version=call.version, at=now)
        event = PolicyAllow(grant=grant)
    else:
        event = PolicyAsk(rule=verdict.rule, reason=verdict.reason)
    await chat.soon((call.key, event))


def _verdict(chat: Conversation, call: Invocation, ready: Ready) -> Verdict:
    """What the policy of the call's agent says now."""
    assert call.args is not None
    binding = chat.agent_of(call).binding(call.tool)
    subject = Subject(
        tool=call.tool,
        kind=binding.tool.kind,
        executor=binding.executor,
        method=binding.tool.method,
        origin=ready.origin,
        args=call.args,
    )
    return chat.agent_of(call).policy.judge(subject)


def _repeated(chat: Conversation, call: Invocation) -> bool:
    """Whether the same request already ran so often in this turn that a person should look."""
    turn = chat.state.turn(turn_of(call.key))
    return turn is not None and same_requests(chat.state, turn, call) >= _REPEATS - 1


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
    try:
        binding = chat.agent_of(call).binding(call.tool)
        return await prepare(binding, call.args)
    except BitteError as error:
        if call.state == "proposed":
            chat.call_event(call.key, ArgsRejected(error=str(error), args=call.args))
        elif call.prepared is not None:
            chat.call_event(call.key, Drift(prepared=call.prepared, reason=f"It can no longer be sent: {error}"))
        return None


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
        reason = "What would be sent has changed since it was approved; look at it again."
        chat.call_event(key, Drift(prepared=ready.prepared, reason=reason))
        return
    verdict = _verdict(chat, call, ready)  # the policy may have changed while the card waited
    if verdict.effect == "deny":
        chat.call_event(key, PolicyDeny(rule=verdict.rule, reason=verdict.reason))
        return
    # One key per grant: a transport that repeats the request keeps it, a new approval gets a new one.
    idempotency_key = f"{chat.state.chat}:{key}:{call.version}:{call.attempt}"
    if not await _journalled(chat, key, ready, idempotency_key):
        return
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
            events: list[CallEvent] = [(call.key, Result(data=_flat(outcome.data), undo=outcome.undo, at=at))]
            if call.compensates:  # both or neither: no crash may leave a call taken back and not marked so
                events.append((call.compensates, Compensated(by=call.key, at=at)))
            return events
        case "error":
            return [(call.key, Error(error=outcome.error, at=at))]
        case "unknown":
            return [(call.key, Lost(reason=outcome.error, at=at))]
