"""The part of a chat that a cell shows: from its message up to the next cell's, whatever happens in the chat."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitte_nb as bn
from bitte_nb.core.log import Entry
from bitte_nb.testing import Call, Fault, ScriptedModel
from bitte_nb.widget.cell import Cell, say
from bitte_nb.widget.chat import Chat
from bitte_nb.widget.driver import Driver
from bitte_nb.widget.part import Parts
from tests.core.logs import LOGS, valid_logs
from tests.golden.page import Page
from tests.widget.pages import DOCUMENT, open_chat

Sent = list[dict[str, Any]]


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Chat]:
    words = [[f"Answer {number}."] for number in range(1, 9)]
    chat = Chat(bn.Agent(DOCUMENT, model=ScriptedModel(words)), store=tmp_path / "h.sqlite")
    yield chat
    chat.close()


def ask(chat: Chat, parts: Parts, text: str) -> Cell:
    turn, cell = say(chat, parts, text)
    turn.wait(60)
    return cell


def seen(cell: Cell) -> tuple[list[str], dict[str, Any]]:
    """What the person said in the turns that a page of the cell shows, and how they lie in the chat."""
    view = cell.widget.driver.snapshot()["chat"]
    return [turn["text"] for turn in view["turns"]], view["part"]


def test_each_cell_shows_its_own_message_and_what_was_said_below_it(chat: Chat) -> None:
    parts = Parts(chat.id)
    one, two = ask(chat, parts, "one"), ask(chat, parts, "two")
    chat.ask("more").wait(60)  # in the page of the newest cell, or from Python
    assert seen(one) == (["one"], {"earlier": 0, "unfolded": False, "ended": True, "gone": False})
    assert seen(two) == (["two", "more"], {"earlier": 1, "unfolded": False, "ended": False, "gone": False})
    three = ask(chat, parts, "three")
    assert seen(two)[1]["ended"]
    assert seen(three) == (["three"], {"earlier": 3, "unfolded": False, "ended": False, "gone": False})


def test_the_earlier_messages_are_a_click_away(chat: Chat) -> None:
    parts = Parts(chat.id)
    ask(chat, parts, "one")
    two = ask(chat, parts, "two")
    sent: Sent = []
    two.widget.send = sent.append  # pyright: ignore[reportAttributeAccessIssue]
    for unfolded, texts in ((True, ["one", "two"]), (False, ["two"])):
        sent.clear()
        chat.thread.call(lambda u=unfolded: two.widget.driver._receive({"type": "unfold", "mid": "m", "unfolded": u}))
        answers = [one for one in sent if one["type"] != "events"]  # the answer's end may still be on its way
        assert [one["type"] for one in answers] == ["snapshot", "ack"]
        assert [turn["text"] for turn in answers[0]["chat"]["turns"]] == texts


def test_another_version_of_a_message_stays_in_its_cell(chat: Chat) -> None:
    parts = Parts(chat.id)
    one, two = ask(chat, parts, "one"), ask(chat, parts, "two")
    chat.edit(1, "uno").wait(60)
    assert seen(one)[0] == ["uno"]
    assert not seen(one)[1]["ended"], "the chat goes on here"
    assert seen(two) == ([], {"earlier": 0, "unfolded": False, "ended": True, "gone": True})
    three = ask(chat, parts, "three")
    assert (seen(one)[0], seen(three)[0]) == (["uno"], ["three"])
    assert seen(one)[1]["ended"]
    chat.choose(2)
    assert (seen(one)[0], seen(two)[0], seen(three)[0]) == (["one"], ["two"], [])


def test_an_ended_cell_hears_nothing_of_what_is_said_later(chat: Chat) -> None:
    parts = Parts(chat.id)
    one = ask(chat, parts, "one")
    ask(chat, parts, "two")
    chat.thread.call(one.widget.driver._flush)
    sent: Sent = []
    one.widget.send = sent.append  # pyright: ignore[reportAttributeAccessIssue]
    ask(chat, parts, "three")
    chat.thread.call(one.widget.driver._flush)
    assert sent == []


def test_only_the_newest_turn_of_the_chat_can_be_retried(tmp_path: Path) -> None:
    model = ScriptedModel([[Fault.http(400)], ["Fine."]])
    chat = Chat(bn.Agent(DOCUMENT, model=model), store=tmp_path / "h.sqlite")
    parts = Parts(chat.id)
    one = ask(chat, parts, "one")
    can_retry = chat.state.turns[0].session.phase == "failed"
    assert can_retry
    assert one.widget.driver.snapshot()["chat"]["turns"][0]["can_retry"]
    ask(chat, parts, "two")
    assert not one.widget.driver.snapshot()["chat"]["turns"][0]["can_retry"]
    chat.close()


def test_a_message_that_was_never_said_ends_no_cell(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = Parts(chat.id)
    one = ask(chat, parts, "one")
    with pytest.raises(ValueError, match="empty"):
        say(chat, parts, "")
    assert not seen(one)[1]["ended"]
    chat.ask("more").wait(60)
    assert seen(one)[0] == ["one", "more"]


def test_the_saved_output_and_state_of_a_cell_hold_its_own_turns(chat: Chat) -> None:
    parts = Parts(chat.id)
    one, two = ask(chat, parts, "first words"), ask(chat, parts, "second words")
    chat.thread.call(lambda: None)
    for cell, own, other in ((one, "first words", "second words"), (two, "second words", "first words")):
        for text in cell.transcript.bundle().values():
            assert own in text
            assert other not in text
            assert f"chat {chat.id} in this cell" in text
        assert own in str(cell.widget.snapshot)
        assert other not in str(cell.widget.snapshot["chat"]["turns"])


def test_a_cell_is_silent_while_another_chat_is_open_and_goes_on_once_its_own_is(tmp_path: Path) -> None:
    model = ScriptedModel([["Answer."], [Call("add-note", {})], ["Other."], ["Done."]])
    store = tmp_path / "h.sqlite"
    chat = Chat(bn.Agent(DOCUMENT, model=model), store=store)
    parts, first = Parts(chat.id), chat.id
    ask(chat, parts, "one")
    two = ask(chat, parts, "note it")
    other = Chat(chat.agent, store=store)
    other.ask("elsewhere").wait(60)
    other_id = other.id
    other.close()
    chat.open(other_id)
    sent: Sent = []
    two.widget.send = sent.append  # pyright: ignore[reportAttributeAccessIssue]
    driver = two.widget.driver
    chat.thread.call(lambda: driver._receive({"type": "edit_message", "mid": "e", "turn": 1, "text": "x"}))
    assert [(one["ok"], one["message"].split(",")[0]) for one in sent if one["type"] == "ack"] == [
        (False, "Another chat was opened in this place meanwhile")
    ]
    assert [turn["text"] for turn in driver.snapshot()["chat"]["turns"]] == ["note it"]
    before = two.transcript.bundle()
    chat.open(first)
    assert two.transcript.bundle() != {} or before == {}
    [pending] = chat.pending
    pending.deny("no")
    chat.turns[-1].wait(60)
    view = driver.snapshot()["chat"]
    assert [turn["text"] for turn in view["turns"]] == ["note it"]
    assert [call["state"] for call in view["invocations"].values()] == ["denied"]
    chat.close()


@settings(LOGS, max_examples=30)
@given(st.data(), valid_logs())
def test_what_is_sent_to_the_page_of_a_cell_adds_up_to_what_a_new_page_of_it_is_shown(
    data: st.DataObject, entries: list[Entry]
) -> None:
    opened = open_chat()
    parts = Parts("c1")
    cells: list[tuple[Driver, Page, Sent]] = []
    rest, begun = entries, set[int]()
    while rest:
        number = opened.chat.state.count + 1
        if number not in begun and data.draw(st.integers(0, 3)) == 0:
            begun.add(number)
            sent: Sent = []
            part = opened.chat.thread.call(lambda number=number: parts.begin(number))
            driver = Driver(opened.chat, sent.append, part)
            page = Page()
            page.take(driver.snapshot())
            cells.append((driver, page, sent))
        size = data.draw(st.integers(1, 12))
        opened.append(*rest[:size])
        rest = rest[size:]
    shown: list[int] = []
    for driver, page, sent in cells:
        opened.chat.thread.call(driver._flush)
        for message in sent:
            assert page.take(copy.deepcopy(message)) != "gap", message
        snapshot = driver.snapshot()
        assert page.chat == snapshot["chat"]
        shown += [turn["turn"] for turn in snapshot["chat"]["turns"]]
    assert len(shown) == len(set(shown)), "no turn is in two cells"
    if cells:
        path = [turn.turn for turn in opened.chat.state.turns]
        assert set(shown) <= set(path)
