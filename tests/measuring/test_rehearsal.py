"""An agent as it is measured: what it shares with the one it is made of, and that nothing of it can run."""

from __future__ import annotations

from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.agent import Agent
from bitte_nb.agent.bindings.binding import Outcome
from bitte_nb.agent.thread import agent_thread
from bitte_nb.measuring.rehearsal import rehearsed
from tests.measuring.conftest import Answering

TREE: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Painter", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "x-mb": {"assistant": {"name": "Painter", "tools": [{"type": "generate-image"}, {"type": "sign-message"}]}},
    "paths": {"/notes": {"post": {"operationId": "add-note"}}},
}


def shout(text: str) -> str:
    """Say it loudly."""
    raise AssertionError("no function runs")


def run(agent: Agent, tool: str, args: dict[str, Any]) -> Outcome:
    """What comes of a call, even if some policy let it run."""
    ready = agent.binding(tool).prepare(args)
    return agent_thread().submit(ready.run("key")).result(timeout=60)  # type: ignore[arg-type]


@pytest.fixture
def agent() -> Agent:
    return bn.Agent(TREE, tools=[shout], signer="development", wallet=bn.Wallet(account_id="alice.near"))


@pytest.mark.parametrize(
    ("tool", "args"), [("add-note", {}), ("shout", {"text": "hi"}), ("sign-message", {"message": "hi"})]
)
def test_whatever_is_allowed_nothing_runs(agent: Agent, tool: str, args: dict[str, Any]):
    assert run(rehearsed(agent, {}), tool, args).error == "Nothing is sent while an agent is measured."
    assert run(rehearsed(agent, {tool: {"done": True}}), tool, args).data == {"done": True}


def test_the_model_is_offered_the_same_tools_and_words(agent: Agent):
    other = rehearsed(agent, {})
    assert (other.tools, other.system, other.document) == (agent.tools, agent.system, agent.document)
    assert agent.binding("shout") is not other.binding("shout")


def test_a_service_that_nobody_supplies_is_refused_as_in_a_chat_unless_its_result_is_given(agent: Agent):
    call = ("generate-image", {"prompt": "a cat"})
    agent.model = Answering(lambda request: [call] if len(request.messages) == 1 else "There you are.")
    case = bn.Case("Draw a cat", [call], text="there")
    [without] = bn.measure(agent, [case]).trials
    assert (without.outcome, without.calls) == ("missed", ())
    assert "which this notebook does not have" in without.refused[0]
    assert bn.measure(agent, [case], results={"generate-image": {"url": "https://x.example/cat.png"}}).passed
    agent.model = Answering(lambda request: [("generate-image", {})] if len(request.messages) == 1 else "Sorry.")
    [wrong] = bn.measure(agent, [case], results={"generate-image": {}}).trials
    assert "prompt" in wrong.refused[0]


def test_a_function_that_stands_in_cannot_change_what_was_called(agent: Agent):
    def noted(args: dict[str, Any]) -> Any:
        args["text"] = "changed"
        return bn.ToolError(error="too loud")

    assert run(rehearsed(agent, {"shout": noted}), "shout", args := {"text": "hi"}).error == "too loud"
    assert args == {"text": "hi"}
    assert run(rehearsed(agent, {"shout": bn.ToolData(data=None)}), "shout", args).kind == "result"
