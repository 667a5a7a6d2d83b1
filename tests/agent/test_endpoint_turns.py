"""Whole turns over two real servers: an OpenAI-compatible endpoint on one side, the demo agent on the other."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.timeouts import Timeouts
from bitte_nb.demo.faults import (
    FaultServer,
    Hold,
    call_args,
    call_start,
    finish,
    split,
    status,
    text,
)
from bitte_nb.spec.load import Document
from tests.agent.conftest import WALLET, Counts
from tests.agent.virtual import VirtualClock


@pytest.fixture
def chat(llm: FaultServer, document: Document, history: Path) -> Iterator[Chat]:
    patient = Timeouts(first=60, stall=60, hard=60)  # however busy the machine is
    agent = bn.Agent(document, model=f"{llm.url}#test-model", wallet=WALLET, timeouts=patient)
    chat = Chat(agent, store=history)
    yield chat
    chat.close()


def test_a_turn_with_an_allowed_and_an_approved_call_goes_over_the_wire_and_back(
    llm: FaultServer, chat: Chat, counts: Counts
) -> None:
    llm.reply(*text("Let me ", "see. "), call_start(0, "call_a", "get-user", "{}"), *finish("tool_calls"))
    start = call_start(0, "call_b", "add-note", '{"text": ')
    llm.reply(start, call_args(0, '"mi'), call_args(0, 'lk 🥛"}'), *finish("tool_calls"))
    llm.reply(*text("Noted, ", "alice."), *finish())
    turn = chat.ask("note milk for me")
    [pending] = turn.pending
    assert (pending.tool, pending.args) == ("add-note", {"text": "milk 🥛"})
    pending.approve()
    turn.wait(60)
    assert (turn.phase, turn.text) == ("done", "Let me see. \n\nNoted, alice.")
    assert counts.effects == 1
    first, second, third = (request.body for request in llm.requests)
    assert {tool["function"]["name"] for tool in first["tools"]} >= {"get-user", "add-note", "generate-transaction"}
    assert first["stream"] is True
    roles = [message["role"] for message in third["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert json.loads(third["messages"][3]["content"])["data"]["accountId"] == "alice.near"
    assert json.loads(third["messages"][5]["content"])["data"]["text"] == "milk 🥛"
    assert [message["role"] for message in second["messages"]] == roles[:4]
    step = turn.state.steps[0]
    assert (step.input_tokens, step.output_tokens) == (11, 7)


def test_a_chat_goes_on_over_the_wire_after_a_reload(llm: FaultServer, chat: Chat, history: Path) -> None:
    llm.reply(call_start(0, "call_a", "get-user", "{}"), *finish("tool_calls"))
    llm.reply(*text("You are alice."), *finish())
    chat.ask("who am I?").wait(60)
    chat.close()
    again = Chat.load(chat.id, store=history)
    llm.reply(*text("As I said."), *finish())
    assert again.ask("again?").wait(60).text == "As I said."
    roles = [message["role"] for message in llm.requests[-1].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    again.close()


def test_too_many_requests_are_retried_when_the_endpoint_says(llm: FaultServer, chat: Chat) -> None:
    llm.answer(status(429, "slow down", retry_after="1"))
    llm.reply(*text("Now."), *finish())
    start = time.monotonic()
    turn = chat.ask("hello").wait(60)
    assert turn.text == "Now."
    assert time.monotonic() - start >= 1


def test_a_wrong_key_fails_at_once_and_is_not_shown(llm: FaultServer, chat: Chat) -> None:
    llm.answer(status(401, "Incorrect API key provided"))
    turn = chat.ask("hello").wait(60)
    assert (turn.phase, turn.state.session.cause, len(llm.requests)) == ("failed", "http", 1)
    assert "401" in turn.reason


def test_a_connection_that_breaks_in_a_call_runs_nothing_and_the_next_attempt_replaces_it(
    llm: FaultServer, chat: Chat, counts: Counts
) -> None:
    llm.reply(*text("I will"), call_start(0, "call_a", "get-user", "{}"), cut=True)
    llm.reply(*text("I did not need it."), *finish())
    turn = chat.ask("hello").wait(60)
    assert (turn.phase, turn.text) == ("done", "I did not need it.")
    assert turn.invocations == []
    assert [call.state for call in chat.state.invocations.values()] == ["cancelled"]
    assert counts.requests == 0


def test_a_stream_cut_into_single_bytes_is_the_same_turn(llm: FaultServer, chat: Chat) -> None:
    whole = [*text("Grüße 🌍 𝒳"), call_start(0, "call_a", "create-share-link", '{"text": "é🧵"}')]
    llm.reply(*split([*whole, *finish("tool_calls")], 1))
    llm.reply(*text("Done."), *finish())
    turn = chat.ask("share").wait(60)
    assert turn.text == "Grüße 🌍 𝒳\n\nDone."
    assert turn.invocations[0].args == {"text": "é🧵"}


def test_two_interleaved_calls_over_the_wire_keep_their_own_arguments(llm: FaultServer, chat: Chat) -> None:
    llm.reply(
        call_start(0, "call_a", "create-share-link"),
        call_start(1, "call_b", "create-share-link"),
        call_args(1, '{"text": "b"}'),
        call_args(0, '{"text": "a"}'),
        *finish("tool_calls"),
    )
    llm.reply(*text("Both."), *finish())
    turn = chat.ask("two links").wait(60)
    assert [call.args for call in turn.invocations] == [{"text": "a"}, {"text": "b"}]
    results = [message for message in llm.requests[1].body["messages"] if message["role"] == "tool"]
    assert [message["tool_call_id"] for message in results] == ["call_a", "call_b"]


def test_stop_hangs_up_on_the_endpoint(llm: FaultServer, chat: Chat) -> None:
    llm.reply(*text("One. "), Hold())
    turn = chat.ask("hello")
    end = time.monotonic() + 60
    while turn.text != "One. ":
        assert time.monotonic() < end
        time.sleep(0.01)
    chat.stop()
    assert llm.requests[0].finished.wait(60)
    assert llm.requests[0].hung_up is not None
    assert turn.wait(60).text == "One. "


def test_a_silent_endpoint_times_out_and_is_asked_again(llm: FaultServer, document: Document, history: Path) -> None:
    clock = VirtualClock()
    agent = bn.Agent(document, model=f"{llm.url}#test-model", timeouts=Timeouts(first=100_000, stall=1, hard=4))
    chat = Chat(agent, store=history, clock=clock)
    llm.reply(*text("Well"), Hold())
    llm.reply(*text("Quick."), *finish())
    turn = chat.ask("hello")
    assert chat.wait_for(lambda: turn.phase == "streaming", 60)
    end = time.monotonic() + 60
    while turn.phase not in {"done", "failed"}:
        assert time.monotonic() < end
        if turn.phase == "retrying" or turn.state.session.attempt == 1:  # the second attempt takes no time
            clock.advance(1)
        time.sleep(0.005)
    assert (turn.phase, turn.text) == ("done", "Quick.")
    assert "stall" in [one.event for one in turn.state.transitions]
    assert llm.requests[0].finished.wait(60)
    assert llm.requests[0].hung_up is not None
    chat.close()
