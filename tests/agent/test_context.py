"""What the model is given: always valid, within its budget, and what is left out is said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitte_nb as bn
from bitte_nb.agent.agent import together
from bitte_nb.agent.context import context
from bitte_nb.core.fold import ChatState, fold
from bitte_nb.core.messages import AssistantMessage, TextPart, ToolCallPart, ToolMessage, UserMessage
from bitte_nb.history.budget import size
from bitte_nb.model.window import context_window
from bitte_nb.testing import Call, ScriptedModel
from tests.agent.conftest import ChatMaker
from tests.core.logs import valid_logs
from tests.history.logs import chats
from tests.history.test_core_messages import assert_provider_valid

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Small", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {"/a": {"get": {"operationId": "get-user", "responses": {"200": {"description": "Ok."}}}}},
}
OTHER = {**DOCUMENT, "info": {"title": "Other", "version": "1"}}


def agent(tokens: int, document: dict[str, Any] = DOCUMENT) -> bn.Agent:
    return bn.Agent(document, model=ScriptedModel([]), context_tokens=tokens)


@settings(max_examples=60, deadline=None)
@given(state=st.one_of(chats(), valid_logs().map(fold)), budget=st.integers(0, 4_000), several=st.booleans())
def test_any_log_becomes_a_history_that_providers_accept_whatever_the_budget(
    state: ChatState, budget: int, several: bool
) -> None:
    one = agent(1_000)
    if several:
        one = together({"small": one, "demo": bn.Agent(OTHER, model=ScriptedModel([]), agent_id="demo")})["small"]
    one.context_tokens = budget // 4
    steps = [(turn.turn, step.step) for turn in state.turns for step in turn.steps]
    for upto in [None, *steps[-2:]]:
        found = context(state, one, tools=True, upto=upto)
        assert_provider_valid(found.request.messages)
        users = sum(isinstance(message, UserMessage) for message in found.request.messages)
        assert found.left_out + users <= len(state.turns)
        assert not found.left_out or users >= 1


def test_what_is_left_out_is_in_the_log_and_told_to_the_model(make_chat: ChatMaker) -> None:
    long = "x" * 1_500
    chat = make_chat([[f"{n} {long}"] for n in range(6)], context_tokens=1_000)
    for number in range(6):
        chat.ask(f"question {number}").wait(60)
    steps = [turn.steps[0] for turn in chat.state.turns]
    assert [step.left_out for step in steps] == [0, 0, 0, 1, 2, 3]
    model = chat.agent.model
    assert isinstance(model, ScriptedModel)
    last = model.requests[-1].messages
    assert size(last) <= 4_000
    opening = last[0]
    assert isinstance(opening, UserMessage)
    assert opening.text.startswith("[What was said before this was left out, 3 turns:")
    assert opening.text.endswith("question 3")
    assert len(chat.messages) == 12  # the chat itself keeps everything


def test_a_message_longer_than_the_window_is_given_in_part_and_that_is_said(make_chat: ChatMaker) -> None:
    chat = make_chat([["I read it."], ["Yes."]], context_tokens=2_000)
    long = "Summarise this. " + "lorem ipsum " * 20_000 + "In three words."
    assert chat.ask(long).wait(60).phase == "done"
    chat.ask("and?").wait(60)
    model = chat.agent.model
    assert isinstance(model, ScriptedModel)
    [given] = model.requests[0].messages
    assert isinstance(given, UserMessage)
    assert size([given]) <= 8_000
    assert given.text.startswith("Summarise this. lorem")
    assert "characters were left out here: the message is longer than what you can read at once" in given.text
    assert given.text.endswith("ipsum In three words.")
    assert [turn.steps[0].shortened for turn in chat.state.turns] == [1, 0]
    assert [turn.steps[0].left_out for turn in chat.state.turns] == [0, 1]
    assert chat.turns[0].state.text == long  # the chat itself keeps everything


def test_long_results_are_cut_before_a_turn_is_left_out(make_chat: ChatMaker) -> None:
    note = {"text": "n" * 280}
    chat = make_chat([[Call("create-share-link", note)] * 5, ["ok"], ["well"]], context_tokens=2_000)
    chat.ask("links").wait(60)
    chat.ask("and?").wait(60)
    step = chat.state.turns[1].steps[0]
    assert step.left_out == 0 or step.shortened == 0
    model = chat.agent.model
    assert isinstance(model, ScriptedModel)
    calls = [p for m in model.requests[-1].messages if isinstance(m, AssistantMessage) for p in m.parts]
    results = [p for m in model.requests[-1].messages if isinstance(m, ToolMessage) for p in m.content]
    assert sum(isinstance(part, ToolCallPart) for part in calls) == len(results)


@pytest.mark.parametrize(
    ("name", "tokens"),
    [("gpt-4.1-mini", 1_000_000), ("gpt-4o", 128_000), ("gpt-4", 8_000), ("claude-sonnet-4-5", 200_000),
     ("o3", 128_000), ("my-own-model", 32_000), ("llama-3.1-8b", 128_000), ("gemini-2.5-pro", 1_000_000)],
)  # fmt: skip
def test_a_model_has_the_window_that_its_name_tells_or_a_small_one(name: str, tokens: int) -> None:
    assert context_window(name) == tokens


def test_a_budget_is_kept_with_the_chat() -> None:
    assert agent(5_000).record().context_tokens == 5_000
    with pytest.raises(ValueError, match="context_tokens"):
        agent(10)


def test_one_agent_reads_its_history_unchanged(make_chat: ChatMaker) -> None:
    chat = make_chat([["Hello."], ["Again."]])
    chat.ask("hi").wait(60)
    chat.ask("and").wait(60)
    model = chat.agent.model
    assert isinstance(model, ScriptedModel)
    said = model.requests[1].messages[1]
    assert isinstance(said, AssistantMessage)
    assert said.parts == [TextPart(text="Hello.")]
    assert "Other agents" not in model.requests[1].system


def test_what_the_model_was_given_can_be_looked_at_later(make_chat: ChatMaker) -> None:
    chat = make_chat([[Call("flip-coin")], ["Heads."], [Call("get-user", {"id": "1"})], [Call("flip-coin")], ["Done."]])
    turns = [chat.ask("flip a coin").wait(60), chat.ask("and again").wait(60)]
    model = chat.agent.model
    assert isinstance(model, ScriptedModel)
    steps = [(turn, step.step) for turn in turns for step in turn.state.steps]
    assert [turn.request(step) for turn, step in steps] == model.requests
    assert len(model.requests) == 5
    assert {request.system for request in model.requests} == {chat.agent.system}
    with pytest.raises(ValueError, match="Turn 1 has no step 3; it has 2"):
        turns[0].request(3)
