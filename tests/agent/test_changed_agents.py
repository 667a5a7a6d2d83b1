"""An agent of a document with other words: what it keeps, and that its chats load again."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.spec.load import Document
from bitte_nb.testing import ScriptedModel
from tests.agent.conftest import WALLET

BRIEF = "Answer in one sentence."


def ping() -> str:
    """Say pong."""
    return "pong"


def test_the_instructions_of_an_agent_are_those_that_its_model_reads_and_its_stored_chat_keeps_them(
    document: Document, history: Path
):
    agent = bn.Agent(document, instructions=BRIEF)
    assert BRIEF in agent.system
    assert BRIEF not in bn.Agent(document).system
    chat = Chat(agent, store=history)
    chat.ask("flip a coin").wait()
    chat.close()
    again = Chat.load(chat.id, store=history)
    assert again.agent.system == agent.system
    assert again.turns[0].request().instructions == BRIEF
    again.close()


def test_a_chat_of_a_document_takes_instructions_too(document: Document, history: Path):
    chat = Chat(document, store=history, instructions=BRIEF)
    assert BRIEF in chat.agent.system
    chat.close()


def test_a_changed_agent_has_other_words_and_everything_else_of_the_first(document: Document):
    model, policy = ScriptedModel([]), bn.Policy([bn.Rule(name="no-notes", effect="deny", tools=("add-note",))])
    agent = bn.Agent(document, model=model, wallet=WALLET, policy=policy, tools=[ping], timeouts=bn.Timeouts(first=9))
    other = agent.changed({"flip-coin": {"description": "Toss it."}}, instructions=BRIEF)
    assert (other.model, other.policy, other.wallet, other.id) == (model, policy, WALLET, agent.id)
    assert other.timeouts == agent.timeouts
    words = {tool.name: tool.description for tool in other.tools}
    assert words.pop("flip-coin").endswith("Toss it.")
    assert words == {tool.name: tool.description for tool in agent.tools if tool.name != "flip-coin"}
    assert BRIEF in other.system
    assert BRIEF not in agent.system


def test_a_policy_that_names_a_tool_by_its_old_name_is_refused(document: Document):
    policy = bn.Policy([bn.Rule(name="no-notes", effect="deny", tools=("add-note",))])
    agent = bn.Agent(document, policy=policy)
    with pytest.raises(bn.errors.PolicyError, match="add-note"):
        agent.changed({"add-note": {"operationId": "write-note"}})
