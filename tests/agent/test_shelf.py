"""Other chats in the place of the one that is open: what runs goes on, what was looked up stays its own."""

from __future__ import annotations

from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.core.fold import ChatState
from bitte_nb.core.log import Entry
from bitte_nb.errors import AlreadyDecided, ChatNotFound, HistoryError
from bitte_nb.testing import Call, Pause, ScriptedModel
from tests.agent.conftest import ChatMaker, Counts
from tests.agent.virtual import VirtualClock


def note(text: str) -> Call:
    return Call("add-note", {"text": text})


def watched(chat: Chat) -> list[tuple[int, str]]:
    """What a watcher is told: how many entries, and of which chat."""
    told: list[tuple[int, str]] = []

    def take(before: ChatState, entries: tuple[Entry, ...], after: ChatState) -> None:
        told.append((len(entries), after.chat))

    chat.thread.call(lambda: chat.watch(take))
    return told


def test_the_object_speaks_of_the_chat_that_is_open(make_chat: ChatMaker) -> None:
    chat = make_chat()
    chat.ask("first").wait(60)
    first = chat.id
    told = watched(chat)
    assert chat.new() is chat
    assert chat.id != first
    assert (chat.turns, chat.title) == ([], "")
    assert told == [(0, chat.id)]
    second = chat.ask("second").wait(60)
    assert {of for _, of in told} == {chat.id}
    assert chat.open(first).id == first
    assert [turn.state.text for turn in chat.turns] == ["first"]
    assert second.state.text == "second"  # a turn stays one of its own chat


def test_looking_at_chats_runs_and_writes_nothing(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("a")]])
    chat.ask("note a").wait(60)
    first, head = chat.id, chat.conversation.recorder.head
    chat.new()
    new = chat.id
    chat.open(first)
    chat.new()
    assert chat.conversation.recorder.store.load(first).head == head
    with pytest.raises(ChatNotFound):
        chat.open(new)  # nothing was ever said in it
    assert counts.effects == 0


def test_what_runs_in_another_chat_goes_on(make_chat: ChatMaker) -> None:
    clock = VirtualClock()
    chat = make_chat([["One ", Pause(1), "two."]], clock=clock)
    slow = chat.ask("count")
    first = chat.id
    clock.until_asleep(1)
    chat.new()
    clock.advance(1)
    assert slow.wait(60).text == "One two."
    chat.open(first)
    assert chat.turns[0].text == "One two."


def test_a_pending_call_is_decided_in_its_own_chat(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("a")], [note("b")], ["Noted."]])
    turn = chat.ask("note a").wait(60)
    [pending] = turn.pending
    first = chat.id
    chat.new()
    other = chat.ask("note b").wait(60)
    assert [one.key for one in other.invocations] == [pending.call.key]  # the same key, in another chat
    pending.approve()
    assert turn.wait(60, until="end").text == "Noted."
    assert counts.effects == 1
    assert other.invocations[0].state == "pending"
    chat.open(first)
    with pytest.raises(AlreadyDecided):
        pending.approve()


def test_a_chat_that_waits_is_the_same_when_it_is_opened_again(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("a")], ["Noted."]])
    chat.ask("note a").wait(60)
    first, conversation = chat.id, chat.conversation
    chat.new()
    chat.open(first)
    assert chat.conversation is conversation
    chat.pending[0].approve()
    chat.turns[0].wait(60, until="end")
    assert counts.effects == 1


def test_a_chat_of_another_program_is_opened_with_its_own_agent(make_chat: ChatMaker) -> None:
    other = make_chat()
    other.ask("hello").wait(60)
    other.close()
    chat = make_chat([["Scripted."]])
    chat.open(other.id)
    assert chat.agent.model.name != "scripted"
    assert chat.ask("hello again").wait(60).phase == "done"


def test_a_chat_whose_agent_cannot_be_rebuilt_goes_on_with_the_one_that_is_here(make_chat: ChatMaker) -> None:
    chat = make_chat([["One."], ["Two."], ["Three."]])
    chat.ask("a").wait(60)
    first = chat.id
    chat.new()
    chat.ask("b").wait(60)
    chat.open(first)
    assert chat.ask("c").wait(60).text == "Three."


def test_a_chat_of_an_agent_that_is_not_here_can_be_read(make_chat: ChatMaker, history: Any) -> None:
    document: dict[str, Any] = {
        "openapi": "3.1.0", "info": {"title": "Elsewhere", "version": "1"}, "paths": {},
        "servers": [{"url": "http://127.0.0.1:9"}],
    }  # fmt: skip
    other = Chat(bn.Agent(document, model=ScriptedModel([["Hi."]])), store=history)
    other.ask("hello").wait(60)
    other.close()
    chat = make_chat()
    chat.open(other.id)
    assert chat.turns[0].text == "Hi."
    assert "can be read here" in chat.notice
    with pytest.raises(HistoryError, match="can be read here"):
        chat.ask("more")


def test_a_deleted_chat_gives_way_to_a_new_one_and_takes_no_act(make_chat: ChatMaker) -> None:
    chat = make_chat([[note("a")], ["x"]])
    turn = chat.ask("note a").wait(60)
    [pending] = turn.pending
    first = chat.id
    chat.delete(first)
    assert chat.id != first
    with pytest.raises(ChatNotFound):
        chat.open(first)
    with pytest.raises(HistoryError, match="deleted"):
        pending.approve()
    chat.ask("b").wait(60)


def test_closing_closes_what_went_on_out_of_sight(make_chat: ChatMaker) -> None:
    chat = make_chat([["One ", Pause(60)]])
    slow = chat.ask("count")
    chat.wait_for(lambda: slow.text != "", 60)
    chat.new()
    chat.close()
    assert slow.phase == "failed"
    assert "ended" in slow.reason


def test_a_watcher_that_left_is_told_nothing(make_chat: ChatMaker) -> None:
    chat = make_chat([["x"]])
    told: list[int] = []
    leave = chat.thread.call(lambda: chat.watch(lambda *_: told.append(1)))
    chat.new()
    chat.thread.call(leave)
    chat.thread.call(leave)
    count = len(told)
    chat.ask("a").wait(60)
    chat.new()
    assert len(told) == count == 1


def test_a_chat_that_was_left_is_free_for_another_program(make_chat: ChatMaker) -> None:
    chat = make_chat([["One."], ["Two."]])
    chat.ask("a").wait(60)
    first, store = chat.id, chat.conversation.recorder.store
    chat.new()
    elsewhere = Chat.load(first, agent=chat.agent, store=store)
    assert elsewhere.ask("b").wait(60).text == "Two."
    elsewhere.close()
    chat.open(first)
    assert [turn.text for turn in chat.turns] == ["One.", "Two."]
