"""The public double: what the script says is what the port gives."""

from __future__ import annotations

import asyncio

import pytest

from bitte_nb.core.messages import UserMessage
from bitte_nb.errors import ModelError, ModelStreamCut
from bitte_nb.model.port import (
    CallArgsDelta,
    CallStarted,
    Choice,
    Connected,
    Finished,
    ModelRequest,
    Offer,
    TextDelta,
)
from bitte_nb.testing import Call, Cut, Fault, Pause, ScriptedModel


def ask(text: str = "hello") -> ModelRequest:
    return ModelRequest(system="", messages=[UserMessage(content=text)], tools=[])


async def read_into(seen: list[object], model: ScriptedModel) -> None:
    async for event in model.stream(ask()):
        seen.append(event)


async def test_a_step_streams_text_calls_and_its_finish():
    model = ScriptedModel([["Look. ", Call("a", {"x": 1}), Call("b", '{"broken', piece=3)]])
    events = [event async for event in model.stream(ask())]
    assert events == [
        Connected(),
        TextDelta("Look. "),
        CallStarted(0, "call_0_0", "a"),
        CallArgsDelta(0, '{"x": 1}'),
        CallStarted(1, "call_0_1", "b"),
        CallArgsDelta(1, '{"b'),
        CallArgsDelta(1, "rok"),
        CallArgsDelta(1, "en"),
        Finished("tool_calls"),
    ]


async def test_a_pause_uses_the_injected_sleep():
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    model = ScriptedModel([["a", Pause(30), "b"]], sleep=sleep)
    assert [e.text async for e in model.stream(ask()) if isinstance(e, TextDelta)] == ["a", "b"]
    assert slept == [30]


async def test_a_fault_before_the_first_word_never_connects():
    model = ScriptedModel([[Fault.http(429, "slow down", retry_after=2)], ["ok"]])
    seen: list[object] = []
    with pytest.raises(ModelError, match="slow down") as caught:
        await read_into(seen, model)
    assert (seen, caught.value.status, caught.value.retry_after) == ([], 429, 2)
    assert [type(e) async for e in model.stream(ask())] == [Connected, TextDelta, Finished]


async def test_a_cut_has_no_finish():
    seen: list[object] = []
    with pytest.raises(ModelStreamCut):
        await read_into(seen, ScriptedModel([["half", Cut()]]))
    assert seen == [Connected(), TextDelta("half")]


async def test_a_step_can_be_a_function_of_the_request_and_an_offer_is_a_tuple():
    choice = Choice("a", "A")
    model = ScriptedModel([lambda request: [request.messages[-1].text, (choice,)]])
    events = [event async for event in model.stream(ask("echo"))]
    assert events[1:] == [TextDelta("echo"), Offer((choice,)), Finished("stop")]


async def test_an_explicit_finish_ends_the_step():
    model = ScriptedModel([["a", Finished("length"), "never"]])
    assert [e async for e in model.stream(ask())] == [Connected(), TextDelta("a"), Finished("length")]


async def test_a_request_after_the_last_step_is_an_error_sentence():
    model = ScriptedModel([])
    with pytest.raises(ModelError, match="0 steps"):
        _ = [e async for e in model.stream(ask())]


async def test_cancelling_is_recorded():
    model = ScriptedModel([["a", Pause(60), "b"]])

    async def read() -> None:
        async for _ in model.stream(ask()):
            pass

    task = asyncio.create_task(read())
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.closed == [0]
