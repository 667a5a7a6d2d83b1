"""Several agents in one chat: who speaks, whose tool it is, and how the conversation passes from one to the other."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.handoff import addressed
from bitte_nb.core.agent_id import format_agent_id, handle_of
from bitte_nb.core.messages import AssistantMessage, ToolCallPart
from bitte_nb.core.result import ToolData
from bitte_nb.errors import DecisionRefused
from bitte_nb.testing import Call, ScriptedModel


class Servers:
    """Two servers with an operation of the same name each, which say who they are."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._running: list[ThreadingHTTPServer] = []

    def document(self, title: str, method: str = "get") -> dict[str, Any]:
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(title)
                body = f'{{"server": "{title}"}}'.encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET  # noqa: N815 - the library's name

            def log_message(self, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever, daemon=True).start()
        self._running.append(server)
        return {
            "openapi": "3.1.0",
            "info": {"title": title, "version": "1"},
            "servers": [{"url": f"http://127.0.0.1:{server.server_port}"}],
            "paths": {"/x": {method: {"operationId": "look", "responses": {"200": {"description": "Ok."}}}}},
            "x-mb": {"assistant": {"name": title, "description": f"Knows {title}.", "instructions": f"Be {title}."}},
        }

    def close(self) -> None:
        for server in self._running:
            server.shutdown()
            server.server_close()


@pytest.fixture
def servers() -> Iterator[Servers]:
    running = Servers()
    yield running
    running.close()


def pair(servers: Servers, history: Path, notes: list[Any], money: list[Any], method: str = "get") -> Chat:
    agents = [
        bn.Agent(servers.document(title, method), model=ScriptedModel(steps, name=f"model of {title}"))
        for title, steps in (("My Notes", notes), ("Money", money))
    ]
    return Chat(agents, store=history)


def hand_over(to: str, reason: str = "You know money.") -> Call:
    return Call("hand-off", {"agent": to, "reason": reason})


def requests(chat: Chat, number: int) -> list[Any]:
    model = chat.agents[number].model
    assert isinstance(model, ScriptedModel)
    return model.requests


def test_the_first_agent_begins_and_a_person_addresses_another_by_its_name(servers: Servers, history: Path) -> None:
    chat = pair(servers, history, [["I am Notes."]], [["I am Money."], ["Still me."]])
    assert chat.ask("hello").wait(60).text == "I am Notes."
    assert chat.ask("@money, how much?").wait(60).text == "I am Money."
    assert chat.ask("and now?").wait(60).text == "Still me."
    assert [turn.agent for turn in chat.state.turns] == ["my-notes", "money", "money"]
    assert [message.agentId for message in chat.messages if message.role == "assistant"] == [
        "my-notes",
        "money",
        "money",
    ]
    chat.close()


def test_same_named_operations_stay_apart(servers: Servers, history: Path) -> None:
    chat = pair(servers, history, [[Call("look")], ["Notes looked."]], [[Call("look")], ["Money looked."]])
    chat.ask("look").wait(60)
    chat.ask("@money look").wait(60)
    assert [(call.tool, call.agent) for call in chat.invocations] == [("look", "my-notes"), ("look", "money")]
    assert [call.result for call in chat.invocations] == [
        ToolData(data={"server": "My Notes"}),
        ToolData(data={"server": "Money"}),
    ]
    assert servers.asked == ["My Notes", "Money"]
    told = [part for one in requests(chat, 1)[1].messages if isinstance(one, AssistantMessage) for part in one.parts]
    assert [part.toolName for part in told if isinstance(part, ToolCallPart)] == ["look@my-notes", "look"]
    chat.close()


def test_an_agent_hands_over_and_the_other_goes_on_in_the_same_turn(servers: Servers, history: Path) -> None:
    chat = pair(
        servers, history, [["Let me see. ", hand_over("money")]], [[Call("look")], ["It is 7."], ["Anything else?"]]
    )
    turn = chat.ask("how much?").wait(60)
    assert turn.text == "Let me see. \n\nIt is 7."
    assert [step.agent for step in turn.state.steps] == ["my-notes", "money", "money"]
    handed, looked = turn.invocations
    assert (handed.kind, handed.state, handed.grant and handed.grant.rule) == ("handoff", "succeeded", "hand-off")
    assert handed.result == ToolData(data={"agent": "money", "name": "Money", "reason": "You know money."})
    assert (looked.agent, servers.asked) == ("money", ["Money"])
    system = requests(chat, 1)[0].system
    assert system.startswith("You are Money.")
    assert "My Notes" in system
    said = requests(chat, 1)[0].messages[1]
    assert said.parts[0].text == "[My Notes] Let me see. "
    assert chat.ask("thanks").wait(60).text == "Anything else?"
    chat.close()


def test_who_speaks_survives_a_reload(servers: Servers, history: Path) -> None:
    chat = pair(servers, history, [[hand_over("money")]], [["Here I am."]])
    chat.ask("go").wait(60)
    before, chat_id, agents = chat.messages, chat.id, chat.agents
    chat.close()
    for one in agents:
        assert isinstance(one.model, ScriptedModel)
    again = Chat.load(chat_id, agent=list(agents), store=history)
    assert again.messages == before
    assert again.conversation._speaking(None) == "money"  # pyright: ignore[reportPrivateUsage]
    again.close()


def test_only_an_agent_of_the_chat_and_never_itself_is_handed_over_to(servers: Servers, history: Path) -> None:
    chat = pair(servers, history, [[hand_over("my-notes")], [hand_over("nobody")], [Call("hand-off", {})], ["ok"]], [])
    turn = chat.ask("go").wait(60)
    assert [call.state for call in turn.invocations] == ["failed"] * 3
    assert turn.text == "ok"
    chat.close()


def test_handing_to_and_fro_ends_at_the_cap(servers: Servers, history: Path) -> None:
    to_and_fro: list[Any] = [[hand_over("money")]] * 4
    back: list[Any] = [[hand_over("my-notes")]] * 4
    chat = pair(servers, history, [*to_and_fro[:3], ["stop"]], back[:3])
    turn = chat.ask("go").wait(60)
    assert turn.outcome == "capped"
    assert len(turn.state.steps) == 7
    chat.close()


def test_a_tool_of_the_other_agent_is_not_called_in_its_place(servers: Servers, history: Path) -> None:
    chat = pair(servers, history, [[Call("look@money")], ["ok"]], [])
    turn = chat.ask("go").wait(60)
    assert turn.invocations[0].state == "failed"
    assert "is a tool of Money" in turn.invocations[0].reason
    assert servers.asked == []
    chat.close()


def test_a_policy_that_denies_handing_over_is_obeyed(servers: Servers, history: Path) -> None:
    closed = bn.Policy([{"name": "alone", "effect": "deny", "kinds": ["handoff"]}])
    model = ScriptedModel([[hand_over("money")], ["Alone then."]])
    notes = bn.Agent(servers.document("My Notes"), model=model, policy=closed)
    chat = Chat([notes, bn.Agent(servers.document("Money"), model=ScriptedModel([]))], store=history)
    turn = chat.ask("go").wait(60)
    assert (turn.invocations[0].state, turn.text) == ("denied", "Alone then.")
    chat.close()


def test_what_is_always_allowed_is_of_one_agent_only(servers: Servers, history: Path) -> None:
    chat = pair(servers, history, [[Call("look")], ["ok"]], [[Call("look")], ["ok"]], method="post")
    turn = chat.ask("look")
    turn.pending[0].approve(always=True)
    turn.wait(60)
    assert [card.tool for card in chat.ask("@money look").pending] == ["look"]
    chat.close()


def test_an_operation_keeps_its_name_where_it_is_called_as_the_hand_over(servers: Servers, history: Path) -> None:
    document = servers.document("My Notes")
    document["paths"]["/x"]["get"]["operationId"] = "hand-off"
    chat = Chat(
        [bn.Agent(document, model=ScriptedModel([])), bn.Agent(servers.document("Money"), model=ScriptedModel([]))],
        store=history,
    )
    kinds = {tool.name: tool.kind for tool in chat.agents[0].tools}
    assert kinds == {"hand-off": "operation", "hand-off-to-agent": "handoff"}
    chat.close()


def test_one_agent_alone_has_nobody_to_hand_over_to(servers: Servers, history: Path) -> None:
    chat = Chat(bn.Agent(servers.document("Money"), model=ScriptedModel([])), store=history)
    assert [tool.name for tool in chat.agent.tools] == ["look"]
    chat.close()


def test_agents_of_the_same_id_are_refused_and_of_another_id_are_two(servers: Servers, history: Path) -> None:
    document = servers.document("Money")
    with pytest.raises(ValueError, match="agent_id"):
        Chat([bn.Agent(document), bn.Agent(document)], store=history)
    chat = Chat([bn.Agent(document), bn.Agent(document, agent_id="second")], store=history)
    assert [one.id for one in chat.agents] == ["money", "second"]
    with pytest.raises(ValueError, match="takes no part"):
        chat.ask("hi", agent="third")
    with pytest.raises(ValueError, match="needs an agent"):
        Chat([], store=history)
    chat.close()


def test_a_call_whose_agent_is_gone_is_nobody_elses(servers: Servers, history: Path) -> None:
    chat = pair(servers, history, [[Call("look")], ["ok"]], [], method="post")
    turn = chat.ask("look")
    [card] = turn.pending
    conversation = chat.conversation
    third = bn.Agent(servers.document("Third"), model=ScriptedModel([]))
    conversation.agents = {"money": conversation.agents["money"], "third": third}
    with pytest.raises((DecisionRefused, bn.errors.UnknownTool)):
        card.edit({"a": 1})
    card.approve()
    turn.wait(60)
    assert servers.asked == []
    chat.close()


AGENTS = [("notes.vercel.app", "My Notes"), ("127.0.0.1:8787", "Demo agent"), ("money", "")]


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("@my-notes hello", "notes.vercel.app"),
        ("  @My-Notes: hello", "notes.vercel.app"),
        ("@notes hello", "notes.vercel.app"),
        ("@notes.vercel.app hello", "notes.vercel.app"),
        ("@127.0.0.1:8787 hello", "127.0.0.1:8787"),
        ("@demo-agent, hello", "127.0.0.1:8787"),
        ("@demo-agent.", "127.0.0.1:8787"),
        ("@money", "money"),
        ("@nobody hello", ""),
        ("@ money", ""),
        ("hello @money", ""),
        ("mail@money", ""),
        ("", ""),
    ],
)
def test_a_message_addresses_an_agent_by_what_it_begins_with(text: str, agent: str) -> None:
    assert addressed(text, AGENTS) == agent


def test_ids_are_shown_as_bitte_shows_them() -> None:
    assert format_agent_id("a.vercel.app") == "a"
    assert format_agent_id("a.vercel.app.vercel.app") == "a.vercel.app"
    assert format_agent_id("a.example") == "a.example"
    assert handle_of("My Notes!") == "my-notes"
