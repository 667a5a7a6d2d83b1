"""The loop of one turn: model call, calls, model call, ... until the answer, the cap or a stop.

The session's phase says what comes next; this file only turns what it sees (model events, timers) into events.
Calls run only after the endpoint said that its answer is complete, so nothing of a cut stream ever runs.
"""

from __future__ import annotations

import asyncio
import json
import math
from typing import TYPE_CHECKING, Any

from bitte_nb.agent.calls import close_args
from bitte_nb.agent.context import context
from bitte_nb.agent.depth import DEEPEST, too_deep
from bitte_nb.agent.stream import Endless, StepStream
from bitte_nb.core import plan
from bitte_nb.core.invocation_events import ArgsRejected, Cancel
from bitte_nb.core.session import backoff
from bitte_nb.core.session_events import (
    Complete,
    Disconnect,
    Fail,
    Interrupt,
    Resume,
    Retry,
    Timeout,
    Truncated,
    Violation,
)
from bitte_nb.errors import HistoryError, ModelError, ModelStreamCut

if TYPE_CHECKING:
    from bitte_nb.agent.conversation import Conversation

__all__ = ["run_turn"]

_COME_BACK = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same request may succeed."""
_TOO_SLOW = "The model took too long."
_LONGEST_WAIT = 30.0
"""Seconds at most that a `Retry-After` is honoured."""


async def run_turn(chat: Conversation, number: int) -> None:
    """Carry the turn on until it ends or only a person can."""
    try:
        wait = 0.0
        while (turn := chat.state.turn(number)) is not None:
            match turn.session.phase:
                case "connecting":
                    wait = await _step(chat, number)
                case "retrying":
                    await chat.clock.sleep(max(backoff(turn.session.attempt), wait))
                    chat.session(number, Retry())
                case "awaiting":
                    await _calls(chat, number)
                case _:
                    return
    except HistoryError:
        return  # the chat has already said that it is read-only
    except Exception as error:  # a fault of ours must not leave a turn that never ends
        _broke(chat, number, f"Internal error: {type(error).__name__}: {error}")
        raise


def _broke(chat: Conversation, number: int, reason: str) -> None:
    turn = chat.state.turn(number)
    if turn is not None and turn.session.phase == "retrying":
        chat.session(number, Retry())  # only a started attempt can fail
    chat.session(number, Fail(cause="violation", reason=reason))


async def _calls(chat: Conversation, number: int) -> None:
    """Settle every open call of the turn, side by side, then go on."""
    turn = chat.state.turn(number)
    assert turn is not None
    still_open = plan.open_calls(chat.state, turn)
    for call in still_open:
        if call.state == "streaming":  # never closed, so never armed
            chat.call_event(call.key, Cancel(reason="attempt_dropped", at=chat.clock.now()))
    if still_open:
        drives = [chat.drive(call.key) for call in still_open]
        done, _ = await asyncio.wait(drives, return_when=asyncio.FIRST_EXCEPTION)
        for drive in done:
            if not drive.cancelled():
                drive.result()  # what could not be written ends the turn's work here; it says so and a person goes on
        turn = chat.state.turn(number)
        assert turn is not None
    chat.session(number, Resume(open=len(plan.open_calls(chat.state, turn))))


async def _step(chat: Conversation, number: int) -> float:
    """Make one model call; returns the seconds that the endpoint asked to wait before another attempt."""
    turn = chat.state.turn(number)
    assert turn is not None
    step = plan.next_step(turn)
    agent = chat.agents.get(plan.speaker(chat.state, turn)) or chat.first
    given = context(chat.state, agent, tools=step.tools, upto=(number, step.step))
    known = {key: chat.state.invocations[key].attempt for key in turn.calls}
    stream = StepStream(chat, number, step, agent)
    stream.begin(left_out=given.left_out, shortened=given.shortened)
    wait = 0.0
    try:
        finish = await stream.read(agent.model.stream(given.request))
    except ModelStreamCut as error:
        _drop_attempt(chat, stream)
        chat.session(number, Truncated(replayable=_replayable(chat, number), reason=str(error)))
    except TimeoutError as error:
        _drop_attempt(chat, stream)
        chat.session(number, Timeout(replayable=_replayable(chat, number), reason=str(error) or _TOO_SLOW))
    except ModelError as error:
        _drop_attempt(chat, stream)
        wait = _model_failed(chat, number, error)
    except Endless as error:
        _drop_attempt(chat, stream)
        chat.session(number, Violation(reason=str(error)))
    except HistoryError:
        raise
    except Exception as error:  # a model source may fail in any way; the chat goes on
        _drop_attempt(chat, stream)
        reason = f"The model failed: {type(error).__name__}: {error}"
        chat.session(number, Fail(cause="error_event", reason=reason))
    else:
        await _finished(chat, number, stream, finish, tools=step.tools, known=known)
    return wait


def _model_failed(chat: Conversation, number: int, error: ModelError) -> float:
    if error.status is not None and error.status not in _COME_BACK:
        chat.session(number, Fail(cause="http", reason=str(error)))
        return 0.0
    chat.session(number, Disconnect(replayable=_replayable(chat, number), reason=str(error)))
    return min(error.retry_after or 0.0, _LONGEST_WAIT)


def _replayable(chat: Conversation, number: int) -> bool:
    turn = chat.state.turn(number)
    return turn is not None and plan.replayable(chat.state, turn)


def _drop_attempt(chat: Conversation, stream: StepStream) -> None:
    """Cancel the calls of an attempt that broke off; they were never armed."""
    for key in stream.keys:
        if chat.state.invocations[key].state == "streaming":
            chat.call_event(key, Cancel(reason="attempt_dropped", at=chat.clock.now()))


async def _finished(
    chat: Conversation, number: int, stream: StepStream, reason: str, *, tools: bool, known: dict[str, int]
) -> None:
    """Close the calls of a complete answer, and say whether the turn is over.

    It goes on where there are calls, or where one that the model knew, by its attempt, was tried again while it spoke:
    whether that has its result by now or not, the words are about an outcome that is no more.
    """
    if reason in {"length", "content_filter"}:
        _drop_attempt(chat, stream)
        what = "its length limit" if reason == "length" else "the provider's content filter"
        chat.session(number, Fail(cause="truncated", reason=f"The model stopped at {what}; nothing of it was run."))
        return
    for key in stream.keys:
        await _close(chat, key, tools=tools)
    tried_again = any(chat.state.invocations[key].attempt != attempt for key, attempt in known.items())
    if tools and (stream.keys or tried_again):
        chat.session(number, Interrupt())
    else:
        chat.session(number, Complete(outcome="success" if tools else "capped"))


async def _close(chat: Conversation, key: str, *, tools: bool) -> None:
    """Close a call's arguments; only strict JSON of one object may be prepared."""
    call = chat.state.invocations[key]
    if call.state != "streaming":
        return
    if not tools:
        sentence = "No tools may be used in the last call of a turn; it was not run."
        chat.call_event(key, ArgsRejected(error=sentence))
        return
    args = _strict_object(call.args_text)
    if isinstance(args, str):
        chat.call_event(key, ArgsRejected(error=args))
        return
    await close_args(chat, key, args)


def _strict_object(text: str) -> dict[str, Any] | str:
    """The arguments, or a sentence about what is wrong; an empty text means no arguments."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text, object_pairs_hook=_no_twins, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        return f"The arguments are not valid JSON ({error}); send one JSON object."
    if not isinstance(value, dict):
        return f"The arguments are a JSON {type(value).__name__}; send one JSON object."
    if too_deep(value):
        return f"The arguments are nested more than {DEEPEST} levels deep; send flatter ones."
    return value  # pyright: ignore[reportUnknownVariableType] - keys of a JSON object are strings


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for name, one in pairs:
        if name in value:
            raise ValueError(f"the key {name!r} stands twice")
        value[name] = one
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text} is too large")
    return value
