"""What the model was given for a step, made for a page that asks; the key of a model or a server is never in it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.model.port import Finished, ModelEvent, ModelRequest
from bitte_nb.model.pydantic_ai import PydanticAIModel
from bitte_nb.spec.budget import budget
from bitte_nb.spec.doctor.report import tool_list
from bitte_nb.testing import Call, ScriptedModel
from bitte_nb.widget import protocol
from bitte_nb.widget.given import given
from tests.widget.pages import DOCUMENT, Open, open_chat

KEY = "sk-live-0123456789abcdef0123456789abcdef"
LARGE = 12_345_678_901_234_567_890


class Silent(PydanticAIModel):
    """A model of an endpoint that answers nothing at once."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        yield Finished("stop")


def asked(opened: Open, turn: int, step: int) -> dict[str, Any]:
    answer = opened.ask(type="step_request", turn=turn, step=step)
    assert answer["ok"], answer["message"]
    protocol.StepGiven.model_validate(answer["data"])
    return answer["data"]


def test_a_page_gets_the_request_of_each_step_as_the_model_did() -> None:
    opened = open_chat([[Call("sign-message", {"message": "x"})], ["Done."]])
    opened.chat.ask("sign x").wait(60).pending[0].deny("no")
    turn = opened.chat.turns[0].wait(60)
    model = opened.chat.agent.model
    assert isinstance(model, ScriptedModel)
    assert len(model.requests) == 2
    made: dict[str, Any] = {}
    for step, request in enumerate(model.requests, 1):
        made = asked(opened, turn.number, step)
        assert made["system"] == request.system
        assert [one["name"] for one in made["tools"]] == [tool.name for tool in request.tools]
        assert [one["input_schema"] for one in made["tools"]] == [tool.input_schema for tool in request.tools]
        assert made["messages"] == [one.model_dump(mode="json", exclude_none=True) for one in request.messages]
    assert [one["role"] for one in made["messages"]] == ["user", "assistant", "tool"]


def test_its_size_is_counted_as_a_measurement_and_the_list_of_tools_count_it() -> None:
    opened = open_chat([["Done."]])
    opened.chat.ask("hello").wait(60)
    made = asked(opened, 1, 1)
    shown = json.loads(opened.ask(type="step_request", turn=1, step=1, raw=True)["data"])
    assert made["system_tokens"] == -(-len(shown["system"]) // 4)
    assert made["message_tokens"] == -(-len(json.dumps(shown["messages"], separators=(",", ":"))) // 4)
    agent = opened.chat.agent
    tools = [tool for tool in agent.tools if tool.kind == "operation"]
    assert made["tool_tokens"] == budget(agent.tools).tokens
    assert f", about {budget(tools).tokens:,} tokens in every request" in tool_list(tools)
    counted = bn.measure(agent, [bn.Case("hello", [])]).prompt_tokens
    assert counted == made["system_tokens"] + made["tool_tokens"]


def test_as_json_every_digit_is_there_and_a_page_reads_it_as_text() -> None:
    opened = open_chat([[Call("no-such-tool", {"amount": LARGE})], ["Done."]])
    opened.chat.ask("pay").wait(60)
    shown = json.loads(opened.ask(type="step_request", turn=1, step=2, raw=True)["data"])
    assert list(shown) == ["system", "messages", "tools"]
    assert {"name", "input_schema"} <= shown["tools"][0].keys() <= {"name", "description", "input_schema"}
    [call] = shown["messages"][1]["content"]
    assert call["args"] == {"amount": LARGE}
    [rounded] = asked(opened, 1, 2)["messages"][1]["content"]
    assert rounded["args"] == {"amount": str(LARGE)}, "a number for the page to show, in every digit"


def test_asking_changes_nothing_and_nothing_of_it_is_kept() -> None:
    opened = open_chat([["Done."]])
    opened.chat.ask("hello").wait(60)
    opened.events()
    before, entries = len(opened.sent), len(opened.store.entries)
    assert asked(opened, 1, 1) == asked(opened, 1, 1)
    assert [one["type"] for one in opened.sent[before:]] == ["ack", "ack"]
    assert len(opened.store.entries) == entries
    system = asked(opened, 1, 1)["system"]
    assert system.split("\n", 1)[0] not in json.dumps(opened.driver.snapshot())


@pytest.mark.parametrize(
    ("turn", "step", "said"),
    [(7, 1, "There is no turn 7 in this chat."), (1, 4, "Turn 1 has no step 4; it has 1.")],
)
def test_what_is_not_there_is_refused_in_a_sentence(turn: int, step: int, said: str) -> None:
    opened = open_chat([["Done."]])
    opened.chat.ask("hello").wait(60)
    refused = opened.ask(type="step_request", turn=turn, step=step)
    assert (refused["ok"], refused["message"]) == (False, said)


def test_no_key_is_in_it(tmp_path: Path) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    document["components"] = {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}
    document["security"] = [{"key": []}]
    loaded = bn.load_document(document)
    loaded.authorize("key", KEY)
    model = Silent(provider="openai", model_name="m", base_url="http://127.0.0.1:9/v1", api_key=KEY)
    chat = bn.Chat(bn.Agent(loaded, model=model), store=tmp_path / "history.sqlite")
    chat.ask("hello").wait(60)
    made = chat.thread.call(lambda: given(chat.conversation, 1, 1))
    assert made.system
    assert "add-note" in {one.name for one in made.tools}
    assert KEY not in made.model_dump_json()


def test_a_name_that_its_provider_does_not_take_is_shown_with_the_one_that_was_sent(tmp_path: Path) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    document["paths"]["/notes"]["post"]["operationId"] = "notes.add/new"
    model = Silent(provider="openai", model_name="m", base_url="http://127.0.0.1:9/v1")
    chat = bn.Chat(bn.Agent(document, model=model), store=tmp_path / "history.sqlite")
    chat.ask("hello").wait(60)
    made = chat.thread.call(lambda: given(chat.conversation, 1, 1))
    assert {one.name: one.sent_as for one in made.tools} == {"notes.add/new": "notes_add_new", "sign-message": ""}


def test_a_loaded_chat_says_whether_its_agent_is_still_the_same(tmp_path: Path) -> None:
    store = tmp_path / "history.sqlite"
    chat = bn.Chat(bn.Agent(DOCUMENT), store=store)
    chat.ask("hello").wait(60)
    before = chat.thread.call(lambda: given(chat.conversation, 1, 1))
    chat.close()
    again = bn.Chat.load(chat.id, store=store)
    assert again.thread.call(lambda: given(again.conversation, 1, 1)) == before
    assert before.changed is False
    again.close()
    other = bn.Chat.load(
        chat.id, agent=bn.Agent({**DOCUMENT, "info": {"title": "Nowhere", "version": "2"}}), store=store
    )
    made = other.thread.call(lambda: given(other.conversation, 1, 1))
    assert made.changed is True
    other.close()


def test_an_answer_of_another_version_was_given_that_version(tmp_path: Path) -> None:
    chat = bn.Chat(
        bn.Agent(DOCUMENT, model=ScriptedModel([["One."], ["Two."], ["Three."]])), store=tmp_path / "h.sqlite"
    )
    chat.ask("first").wait(60)
    chat.ask("second").wait(60)
    made = chat.thread.call(lambda: given(chat.conversation, 2, 1))
    chat.edit(2, "another").wait(60)
    assert 2 in chat.state.elsewhere
    assert chat.thread.call(lambda: given(chat.conversation, 2, 1)) == made
    assert [one.get("content") for one in made.messages if one["role"] == "user"] == ["first", "second"]
