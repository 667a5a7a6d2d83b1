"""Any OpenAI-compatible endpoint by URL, over a real local server: streaming, cancelling, and failing closed."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from bitte_nb.core.messages import AssistantMessage, UserMessage, core_messages
from bitte_nb.core.tool import Tool
from bitte_nb.demo.faults import (
    Answer,
    FaultServer,
    Hold,
    call_args,
    call_start,
    chunk,
    done,
    finish,
    split,
    status,
    text,
)
from bitte_nb.errors import ModelError, ModelStreamCut
from bitte_nb.model.port import (
    CallArgsDelta,
    CallStarted,
    Connected,
    Finished,
    Model,
    ModelEvent,
    ModelRequest,
    TextDelta,
    ThinkingDelta,
    Usage,
)
from bitte_nb.model.pydantic_ai import PydanticAIModel
from bitte_nb.model.registry import connect


@pytest.fixture
def llm() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


COIN = Tool(
    name="flip-coin",
    description="Flip a coin",
    input_schema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
)


def model_of(llm: FaultServer, **options: Any) -> Model:
    return connect(f"{llm.url}#test-model", api_key="sk-very-secret", timeout=60, **options)


async def read(model: Model, request: ModelRequest | None = None) -> list[ModelEvent]:
    return [event async for event in model.stream(request or ask())]


async def read_into(seen: list[ModelEvent], model: Model) -> None:
    async for event in model.stream(ask()):
        seen.append(event)


def ask(said: str = "hi") -> ModelRequest:
    return ModelRequest(system="You are a test.", messages=[UserMessage(content=said)], tools=[COIN])


def said(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def calls(events: list[ModelEvent]) -> list[tuple[str, str, str]]:
    found = {event.index: (event.call_id, event.name) for event in events if isinstance(event, CallStarted)}
    args = dict.fromkeys(found, "")
    for event in events:
        if isinstance(event, CallArgsDelta):
            args[event.index] += event.text
    return [(*found[index], args[index]) for index in found]


async def test_text_streams_in_pieces_and_ends_with_reason_and_usage(llm: FaultServer):
    llm.reply(*text("Hel", "lo ", "you"), *finish("stop"))
    events = await read(model_of(llm))
    assert events[0] == Connected()
    assert [e for e in events if isinstance(e, TextDelta)] == [TextDelta("Hel"), TextDelta("lo "), TextDelta("you")]
    assert events[-1] == Finished("stop", Usage(11, 7))


async def test_the_request_says_system_history_and_tools_as_they_are(llm: FaultServer):
    llm.reply(*text("ok"), *finish())
    history = core_messages.validate_python(
        [
            {"role": "user", "content": "flip"},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Sure."},
                    {"type": "tool-call", "toolCallId": "turn 1/step 1/0", "toolName": "flip-coin", "args": {"n": 1}},
                    {"type": "tool-call", "toolCallId": "b", "toolName": "flip-coin", "args": {"n": 2}},
                ],
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "turn 1/step 1/0",
                        "toolName": "flip-coin",
                        "result": {"data": 0},
                    },
                    {
                        "type": "tool-result",
                        "toolCallId": "b",
                        "toolName": "flip-coin",
                        "result": {"error": "no coin é"},
                    },
                ],
            },
        ]
    )
    await read(model_of(llm), ModelRequest(system="You are a test.", messages=history, tools=[COIN]))
    (seen,) = llm.requests
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == "Bearer sk-very-secret"
    body = seen.body
    assert (body["model"], body["stream"]) == ("test-model", True)
    system, user, assistant, first, second = body["messages"]
    assert system == {"role": "system", "content": "You are a test."}
    assert user == {"role": "user", "content": "flip"}
    assert assistant["content"] == "Sure."
    ids = [call["id"] for call in assistant["tool_calls"]]
    assert [call["function"]["name"] for call in assistant["tool_calls"]] == ["flip-coin", "flip-coin"]
    assert [json.loads(call["function"]["arguments"]) for call in assistant["tool_calls"]] == [{"n": 1}, {"n": 2}]
    assert all(len(one) <= 40 and one.replace("_", "").replace("-", "").isalnum() for one in ids)
    assert [first["tool_call_id"], second["tool_call_id"]] == ids
    assert [first["content"], second["content"]] == ['{"data":0}', '{"error":"no coin é"}']
    (tool,) = body["tools"]
    assert tool["function"]["name"] == "flip-coin"
    assert tool["function"]["parameters"]["properties"]["n"] == {"type": "integer"}
    assert tool["function"]["parameters"]["required"] == ["n"]


async def test_a_long_result_is_read_within_a_budget_and_the_shape_of_results_is_told(llm: FaultServer):
    llm.reply(*text("ok"), *finish())
    rows = [{"n": n, "words": "x" * 90} for n in range(2000)]
    result = {"type": "tool-result", "toolCallId": "a", "toolName": "list", "result": {"data": rows}}
    call = {"type": "tool-call", "toolCallId": "a", "toolName": "list", "args": {}}
    history = core_messages.validate_python(
        [
            {"role": "user", "content": "list"},
            {"role": "assistant", "content": [call]},
            {"role": "tool", "content": [result]},
        ]
    )
    schema = {"type": "object", "properties": {"limit": {"type": "integer"}}}
    tool = Tool(name="list", description="Lists.", input_schema=schema, result_hint="[{n: integer, words: string}]")
    await read(model_of(llm), ModelRequest(system="", messages=history, tools=[tool]))
    body = llm.requests[0].body
    content = body["messages"][-1]["content"]
    assert len(content) <= 32_100
    assert json.loads(content)["data"][-1].endswith(" of 2,000 items left out; ask for others with limit]")
    assert body["tools"][0]["function"]["description"] == "Lists.\n\nReturns [{n: integer, words: string}]"


async def test_the_same_call_id_in_two_turns_is_two_ids(llm: FaultServer):
    llm.reply(*text("ok"), *finish())
    turn: list[Any] = [
        {"role": "user", "content": "flip"},
        {
            "role": "assistant",
            "content": [{"type": "tool-call", "toolCallId": "x", "toolName": "flip-coin", "args": {}}],
        },
        {
            "role": "tool",
            "content": [{"type": "tool-result", "toolCallId": "x", "toolName": "flip-coin", "result": {"data": 1}}],
        },
    ]
    await read(
        model_of(llm), ModelRequest(system="", messages=core_messages.validate_python(turn + turn), tools=[COIN])
    )
    messages = llm.requests[0].body["messages"]
    asked = [call["id"] for message in messages for call in message.get("tool_calls", [])]
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert asked == answered
    assert len(set(asked)) == 2


async def test_names_that_the_endpoint_would_refuse_are_aliased_and_come_back_as_they_are(llm: FaultServer):
    names = ["session.list", "session/list", "session_list", "Get all History", "x" * 80, "1st"]
    tools = [Tool(name=name, input_schema={"type": "object", "properties": {}}) for name in names]
    llm.reply(*text("ok"), *finish())
    await read(model_of(llm), ModelRequest(system="", messages=[UserMessage(content="hi")], tools=tools))
    sent = [tool["function"]["name"] for tool in llm.requests[0].body["tools"]]
    assert len(set(sent)) == len(names)
    assert sent[2] == "session_list"
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", name) for name in sent)
    llm.reply(*(call_start(at, f"c{at}", name, "{}") for at, name in enumerate(sent)), *finish("tool_calls"))
    events = await read(model_of(llm), ModelRequest(system="", messages=[UserMessage(content="hi")], tools=tools))
    assert [name for _, name, _ in calls(events)] == names


async def test_interleaved_argument_deltas_stay_apart(llm: FaultServer):
    llm.reply(
        call_start(0, "call_a", "flip-coin"),
        call_start(1, "call_b", "flip-coin"),
        call_args(0, '{"n"'),
        call_args(1, '{"n":'),
        call_args(0, ": 1}"),
        call_args(1, " 2}"),
        *finish("tool_calls"),
    )
    events = await read(model_of(llm))
    assert calls(events) == [("call_a", "flip-coin", '{"n": 1}'), ("call_b", "flip-coin", '{"n": 2}')]
    assert sum(isinstance(event, CallArgsDelta) for event in events) == 4
    assert isinstance(events[-1], Finished)
    assert events[-1].reason == "tool_calls"


ONE, TWO = '{"n": 1}', '{"n": 2}'


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([call_start(None, "a", "flip-coin", ONE), call_start(None, "b", "flip-coin", TWO)], [ONE, TWO]),
        ([call_start(3, "a", "flip-coin", ONE), call_start(7, "b", "flip-coin"), call_args(7, TWO)], [ONE, TWO]),
        ([call_start(0, "a", "flip-coin", ONE), call_start(1, "a", "flip-coin", TWO)], [ONE, TWO]),
        ([call_start(0, None, "flip-coin", ONE), call_start(1, None, "flip-coin", TWO)], [ONE, TWO]),
        ([call_start(0, "a", "flip-coin"), call_start(0, "a", "flip-coin", ONE)], [ONE]),
        ([call_start(0, "a", "flip-coin", '{"n":'), *text("x"), call_args(0, " 1}")], [ONE]),
        ([call_start(0, "a", "flip-coin")], ["{}"]),
        # One index for two calls: what comes is no JSON, so the loop rejects it; it is never taken for either call.
        ([call_start(0, "a", "flip-coin", ONE), call_start(0, "b", "flip-coin", TWO)], [ONE + TWO]),
    ],
)
async def test_strange_indices_and_ids_never_mix_two_calls(llm: FaultServer, pieces: list[bytes], expected: list[str]):
    llm.reply(*pieces, *finish("tool_calls"))
    assert [args for _, _, args in calls(await read(model_of(llm)))] == expected


async def test_calls_with_the_finish_reason_stop_are_calls(llm: FaultServer):
    llm.reply(call_start(0, "c", "flip-coin", '{"n": 1}'), *finish("stop"))
    events = await read(model_of(llm))
    assert isinstance(events[-1], Finished)
    assert events[-1].reason == "tool_calls"


async def test_length_passes_through(llm: FaultServer):
    llm.reply(call_start(0, "c", "flip-coin", '{"n": 1'), *finish("length"))
    events = await read(model_of(llm))
    assert calls(events) == [("c", "flip-coin", '{"n": 1')]
    assert isinstance(events[-1], Finished)
    assert events[-1].reason == "length"


async def test_reasoning_is_thinking_and_goes_back_only_to_its_provider(llm: FaultServer):
    llm.reply(chunk({"reasoning_content": "Let me "}), chunk({"reasoning_content": "see."}), *text("Yes"), *finish())
    events = await read(model_of(llm))
    assert "".join(e.text for e in events if isinstance(e, ThinkingDelta)) == "Let me see."
    assert said(events) == "Yes"
    end = events[-1]
    assert isinstance(end, Finished)
    record = json.loads(json.dumps(end.raw))
    assert record["provider"] == "openai"
    llm.reply(*text("ok"), *finish())
    history = [UserMessage(content="hi"), AssistantMessage(content="Yes"), UserMessage(content="again")]
    await read(
        model_of(llm), ModelRequest(system="", messages=list(history), tools=[], raw=(record, {"provider": "other"}, 7))
    )
    assert [message["role"] for message in llm.requests[-1].body["messages"]] == ["user", "assistant", "user"]


@pytest.mark.parametrize("end", ["no finish reason", "no end marker", "nothing"])
async def test_a_clean_end_without_a_finish_reason_is_cut(llm: FaultServer, end: str):
    pieces = {
        "no finish reason": [call_start(0, "c", "flip-coin", '{"n": 1}'), done()],
        "no end marker": [call_start(0, "c", "flip-coin", '{"n": 1}')],
        "nothing": [],
    }[end]
    llm.reply(*pieces)
    seen: list[ModelEvent] = []
    with pytest.raises(ModelStreamCut) if pieces else pytest.raises(ModelError):
        await read_into(seen, model_of(llm))
    assert not any(isinstance(event, Finished) for event in seen)


async def test_an_endpoint_that_never_says_so_can_be_trusted_by_name(llm: FaultServer):
    llm.reply(*text("fine"), done())
    events = await read(model_of(llm, trust_missing_finish_reason=True))
    assert said(events) == "fine"
    assert events[-1] == Finished("stop", Usage(0, 0))


async def test_a_connection_cut_in_mid_arguments_is_cut_and_not_retried(llm: FaultServer):
    llm.reply(call_start(0, "c", "flip-coin", '{"n"'), cut=True)
    seen: list[ModelEvent] = []
    with pytest.raises(ModelStreamCut):
        await read_into(seen, model_of(llm))
    assert [type(event) for event in seen] == [Connected, CallStarted, CallArgsDelta]
    assert len(llm.requests) == 1


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (401, "API key"),
        (403, "API key"),
        (404, "model's name"),
        (400, "shorten"),
        (500, "Retry later"),
        (529, "Retry later"),
    ],
)
async def test_a_status_is_an_error_sentence_without_the_key_and_without_a_retry(
    llm: FaultServer, code: int, words: str
):
    llm.answer(status(code, "Incorrect API key provided: sk-very-secret, or something else"))
    with pytest.raises(ModelError, match=words) as caught:
        await read(model_of(llm))
    assert caught.value.status == code
    assert f"HTTP {code}" in str(caught.value)
    assert "something else" in str(caught.value)
    assert "very-secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert len(llm.requests) == 1


async def test_retry_after_is_told(llm: FaultServer):
    llm.answer(status(429, "slow down", retry_after="7"))
    with pytest.raises(ModelError, match="slow down") as caught:
        await read(model_of(llm))
    assert (caught.value.status, caught.value.retry_after) == (429, 7.0)


async def test_a_context_that_is_too_long_says_what_to_do(llm: FaultServer):
    llm.answer(status(400, "This model's maximum context length is 8 tokens.", error_code="context_length_exceeded"))
    with pytest.raises(ModelError, match=r"maximum context length is 8 tokens\. The same request will fail again"):
        await read(model_of(llm))


async def test_an_error_event_in_mid_stream_is_an_error(llm: FaultServer):
    llm.reply(*text("Half"), b'data: {"error": {"message": "overloaded right now", "type": "server_error"}}\n\n')
    seen: list[ModelEvent] = []
    with pytest.raises(ModelError, match="overloaded right now"):
        await read_into(seen, model_of(llm))
    assert said(seen) == "Half"


@pytest.mark.parametrize(
    "answer",
    [
        Answer((b"data: {not json\n\n", done())),
        Answer((b"data: [1, 2]\n\n", done())),
        Answer((b"<html>hello</html>",), headers=(("Content-Type", "text/html"),)),
        Answer((b'{"choices": []}',), headers=(("Content-Type", "application/json"),)),
        Answer((b"\xff\xfe\x00garbage\n\n",)),
    ],
)
async def test_garbage_is_an_error_sentence(llm: FaultServer, answer: Answer):
    llm.answer(answer)
    with pytest.raises(ModelError) as caught:
        await read(model_of(llm))
    assert str(caught.value).endswith((".", "?"))


async def test_nobody_listening_is_an_error_sentence():
    with FaultServer() as gone:
        url = gone.url
    with pytest.raises(ModelError, match="Is it running"):
        await read(connect(f"{url}#x", timeout=2))


async def test_cancelling_is_seen_by_the_server_at_once(llm: FaultServer):
    llm.reply(*text("One ", "two "), Hold())
    seen: list[ModelEvent] = []
    task = asyncio.create_task(read_into(seen, model_of(llm)))
    async with asyncio.timeout(60):
        while said(seen) != "One two ":  # noqa: ASYNC110 - the reader under test offers no event to wait for
            await asyncio.sleep(0.01)
    cancelled = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    request = llm.requests[0]
    assert await asyncio.to_thread(request.finished.wait, 60)
    assert request.hung_up is not None
    assert request.hung_up - cancelled < 15, "not when the server would have ended"


async def test_leaving_the_iteration_closes_the_connection(llm: FaultServer):
    llm.reply(*text("One"), Hold())
    stream = model_of(llm).stream(ask())
    async for event in stream:
        if isinstance(event, TextDelta):
            break
    await stream.aclose()  # type: ignore[attr-defined]
    assert await asyncio.to_thread(llm.requests[0].finished.wait, 60)
    assert llm.requests[0].hung_up is not None


WORDS = "naïve 日本語 👩‍👩‍👧 e\u0301"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
async def test_characters_split_between_packets_stay_whole(llm: FaultServer, size: int):
    llm.reply(*split([*text(WORDS, "!"), *finish()], size))
    events = await read(model_of(llm))
    assert said(events) == WORDS + "!"


@pytest.mark.parametrize("newline", [b"\r\n\r\n", b"\r\r", b"\n\n"])
async def test_every_line_end_of_the_standard_is_read(llm: FaultServer, newline: bytes):
    llm.reply(
        b": comment" + newline, chunk({"content": "hi"}, newline=newline), chunk({}, reason="stop", newline=newline)
    )
    assert said(await read(model_of(llm))) == "hi"


@pytest.mark.parametrize("newlines", [b"", b"\n", b"\n\n"])
async def test_the_last_event_counts_with_and_without_its_blank_line(llm: FaultServer, newlines: bytes):
    llm.reply(*text("hi"), chunk({}, reason="stop", newline=newlines))
    events = await read(model_of(llm))
    assert said(events) == "hi"
    assert isinstance(events[-1], Finished)


@pytest.mark.parametrize("kept", [1, 5, 60, 100])
async def test_half_an_event_at_the_end_is_cut_and_never_an_answer(llm: FaultServer, kept: int):
    llm.reply(*text("hi"), chunk({}, reason="stop")[:kept])
    seen: list[ModelEvent] = []
    with pytest.raises(ModelStreamCut):
        await read_into(seen, model_of(llm))
    assert said(seen) == "hi"


async def test_the_first_answer_does_not_stall_the_loop(llm: FaultServer, monkeypatch: pytest.MonkeyPatch):
    llm.reply(*text("hi"), *finish())
    connect_at_first = PydanticAIModel._connect
    threads: list[threading.Thread] = []

    def recorded(model: PydanticAIModel) -> Any:
        threads.append(threading.current_thread())
        return connect_at_first(model)

    monkeypatch.setattr(PydanticAIModel, "_connect", recorded)  # it imports the library, which takes a second
    assert said(await read(model_of(llm))) == "hi"
    assert threads
    assert threading.current_thread() not in threads
