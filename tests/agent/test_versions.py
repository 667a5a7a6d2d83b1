"""Versions of a chat: edited messages, further answers, and going back, over real HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.turn import Turn
from bitte_nb.core.messages import AssistantMessage, UserMessage
from bitte_nb.errors import DecisionRefused
from bitte_nb.history.gaps import LOST
from bitte_nb.spec.load import Document
from bitte_nb.testing import Call, Pause, ScriptedModel
from tests.agent.conftest import ChatMaker, Counts

ALLOWED = bn.Policy((bn.Rule(name="all", effect="allow"),))


def note(text: str) -> Call:
    return Call("add-note", {"text": text})


def read(chat: Chat) -> list[str]:
    """The words of the chat as the model reads it."""
    return [
        message.text
        if isinstance(message, UserMessage)
        else "".join(getattr(part, "text", "") for part in message.parts)
        for message in chat.messages
        if isinstance(message, UserMessage | AssistantMessage)
    ]


def test_an_edited_message_makes_a_version_and_the_old_one_is_found_again(make_chat: ChatMaker) -> None:
    chat = make_chat([["Oslo is cold."], ["Bring a coat."], ["Rome is warm."], ["Yes."]])
    oslo = chat.ask("Weather in Oslo?").wait(60)
    coat = chat.ask("What to wear?").wait(60)
    rome = chat.edit(oslo, "Weather in Rome?").wait(60)
    assert read(chat) == ["Weather in Rome?", "Rome is warm."]
    assert [turn.number for turn in chat.branches(rome)] == [oslo.number, rome.number] == [1, 3]
    chat.choose(oslo)
    assert read(chat) == ["Weather in Oslo?", "Oslo is cold.", "What to wear?", "Bring a coat."]
    assert chat.turn is not None
    assert chat.turn.number == coat.number
    assert chat.ask("Sure?").wait(60).number == 4
    assert read(chat)[-2:] == ["Sure?", "Yes."]
    assert [turn.number for turn in chat.turns] == [1, 2, 4]
    assert rome.text == "Rome is warm."  # a handle of another version still speaks of it


def test_a_regenerated_answer_takes_the_place_of_the_old_one_whole(make_chat: ChatMaker) -> None:
    chat = make_chat([[note("a")], ["First."], ["Second."]])
    turn = chat.ask("note a")
    turn.pending[0].approve()
    turn.wait(60)
    again = chat.regenerate().wait(60)
    assert read(chat) == ["note a", "Second."]  # [U, B'], nothing of the step before
    assert chat.agent.model.requests[-1].messages == [UserMessage(content="note a", agentId=chat.agent.id)]  # type: ignore[attr-defined]
    assert [one.text for one in chat.branches(again)] == ["First.", "Second."]


def test_a_version_is_there_after_loading_and_nothing_runs(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("a")], ["Noted."], ["No."]], policy=ALLOWED)
    chat.ask("note a").wait(60)
    chat.regenerate(1).wait(60)
    before = counts.requests
    chat.close()
    again = Chat.load(chat.id, agent=chat.agent, store=chat.conversation.recorder.store)
    assert again.state.turns == chat.state.turns
    assert again.state.elsewhere == chat.state.elsewhere
    again.choose(1)
    assert read(again)[-1] == "Noted."
    assert counts.requests == before
    again.close()


def test_what_ran_in_another_version_asks_again_whatever_the_policy_says(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("a")], ["Noted."], [note("a")], ["Noted again."]], policy=ALLOWED)
    chat.ask("note a").wait(60)
    assert counts.effects == 1
    turn = chat.regenerate().wait(60)
    [pending] = turn.pending
    assert pending.call.rule == "another-version"
    assert pending.call.reason == "Already done in another version of this answer."
    assert counts.effects == 1
    pending.approve()
    assert turn.wait(60).text == "Noted again."
    assert counts.effects == 2


def test_a_card_that_asks_anyway_says_that_it_was_done(make_chat: ChatMaker) -> None:
    chat = make_chat([[note("a")], ["Noted."], [note("b")]])
    first = chat.ask("note a")
    first.pending[0].approve()
    first.wait(60)
    [pending] = chat.edit(1, "note b").wait(60).pending
    assert pending.call.reason.startswith("Already done in another version of this answer, with other arguments.")


@pytest.mark.parametrize("act", ["edit", "regenerate", "choose"])
def test_what_waits_is_superseded_and_never_runs(make_chat: ChatMaker, counts: Counts, act: str) -> None:
    chat = make_chat([["Hi."], ["Hello."], [note("a")], ["Other."]])
    chat.ask("hi").wait(60)
    chat.regenerate(1).wait(60)
    waiting = chat.ask("note a").wait(60)
    [pending] = waiting.pending
    {"edit": lambda: chat.edit(waiting, "no"), "regenerate": chat.regenerate, "choose": lambda: chat.choose(1)}[act]()
    assert waiting.invocations[0].state == "cancelled"
    with pytest.raises(DecisionRefused):
        pending.approve()
    assert waiting.phase == "cancelled"
    assert counts.effects == 0


def test_what_streams_is_superseded(make_chat: ChatMaker) -> None:
    chat = make_chat([["Hi, ", Pause(60), "there."], ["Yes."]])
    slow = chat.ask("hi")
    chat.wait_for(lambda: slow.text != "", 60)
    assert chat.edit(slow, "hello").wait(60).text == "Yes."
    assert (slow.phase, slow.text) == ("cancelled", "Hi, ")


def test_an_undo_that_waits_is_cancelled_where_it_gets_out_of_sight(make_chat: ChatMaker) -> None:
    chat = make_chat([[note("a")], ["Noted."], ["Other."]])
    first = chat.ask("note a")
    first.pending[0].approve()
    first.wait(60)
    undo = chat.undo(first.invocations[0]).wait(60)
    [pending] = undo.pending
    chat.edit(1, "note b").wait(60)
    assert chat.state.invocations[pending.call.key].state == "cancelled"


@pytest.mark.parametrize("number", [0, -1, 7])
def test_a_turn_that_is_not_there_is_refused(make_chat: ChatMaker, number: int) -> None:
    chat = make_chat([["Hi."]])
    chat.ask("hi").wait(60)
    acts = (lambda: chat.edit(number, "x"), lambda: chat.regenerate(number), lambda: chat.choose(number))
    for act in (*acts, lambda: chat.branches(number)):
        with pytest.raises(DecisionRefused, match=f"no turn {number}"):
            act()
    with pytest.raises(ValueError, match="empty"):
        chat.edit(1, "  ")


def test_going_where_one_is_changes_nothing(make_chat: ChatMaker) -> None:
    chat = make_chat([["Hi."], [note("a")]])
    chat.ask("hi").wait(60)
    waiting: Turn = chat.ask("note a").wait(60)
    chat.choose(1)
    assert [pending.tool for pending in waiting.pending] == ["add-note"]


def test_a_rating_is_kept_with_its_version_and_outlives_the_program(make_chat: ChatMaker) -> None:
    chat = make_chat([["Hi."], ["Hello."]])
    chat.ask("hi").wait(60)
    again = chat.regenerate().wait(60)
    chat.rate(1, "bad")
    chat.rate(again, "good")
    chat.rate(again, "good")
    assert sum(one.kind == "rated" for one in chat.log) == 2
    chat.close()
    loaded = Chat.load(chat.id, agent=chat.agent, store=chat.conversation.recorder.store)
    assert [turn.state.rating for turn in loaded.branches(1)] == ["bad", "good"]
    loaded.rate(1, "")
    assert loaded.branches(1)[0].state.rating == ""
    with pytest.raises(DecisionRefused):
        loaded.rate(9, "good")
    loaded.close()


def test_turns_that_follow_each_other_in_a_circle_load_and_are_named(document: Document, tmp_path: Path) -> None:
    agent = bn.Agent(document, model=ScriptedModel([["One."], ["Four."]]))
    chat = Chat(agent, store=tmp_path / "chats.jsonl")
    chat.ask("first").wait(60)
    chat.close()
    (path,) = (tmp_path / "chats.jsonl" / "chats").glob("*.jsonl")
    before = path.read_bytes()
    circle: list[dict[str, Any]] = [
        {"at": 1, "kind": "turn_started", "turn": 2, "text": "second", "agent": agent.id, "after": 3},
        {"at": 2, "kind": "step_started", "turn": 2, "step": 1, "attempt": 1, "model": "m"},
        {"at": 3, "kind": "text_added", "turn": 2, "step": 1, "text": "Two."},
        {"at": 4, "kind": "turn_started", "turn": 3, "text": "third", "agent": agent.id, "after": 2},
    ]
    stored = before + b"".join(json.dumps(one).encode() + b"\n" for one in circle)
    path.write_bytes(stored)

    loaded = Chat.load(chat.id, agent=agent, store=tmp_path / "chats.jsonl")
    number = before.count(b"\n")  # the first line is the file's own
    assert f"1 of {number + 3} records of this chat could not be read (number {number})." in loaded.notice
    assert [turn.turn for turn in loaded.state.turns] == [1, 2, 3]
    assert [turn.text for turn in loaded.state.turns] == ["first", LOST, "third"]
    assert loaded.state.turns[1].steps[0].text == "Two."
    assert path.read_bytes() == stored
    loaded.ask("fourth").wait(60)
    assert path.read_bytes().startswith(stored)
    loaded.close()
    again = Chat.load(chat.id, agent=agent, store=tmp_path / "chats.jsonl")
    assert [turn.text for turn in again.state.turns] == ["first", LOST, "third", "fourth"]
    again.close()
