"""The chats of the history as a page asks for them, and another one opened in the place of the one it shows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.history.store import Store, open_store
from bitte_nb.testing import Call, ScriptedModel
from bitte_nb.widget import protocol
from bitte_nb.widget.chat import ChatWidget
from bitte_nb.widget.driver import Driver
from tests.golden.page import Page
from tests.widget.pages import DOCUMENT


class Open:
    """A chat in a store, its driver and all that it sent."""

    def __init__(self, store: Store) -> None:
        steps: list[list[Any]] = [[Call("add-note", {})], ["Second."], ["Third."], ["Fourth."]]
        self.chat = Chat(bn.Agent(DOCUMENT, model=ScriptedModel(steps)), store=store)
        self.sent: list[dict[str, Any]] = []
        self.driver = Driver(self.chat, self.sent.append)
        self.asked = 0

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a page's message and return its acknowledgement."""
        self.asked += 1
        mid = str(request.pop("mid", f"m{self.asked}"))
        before = len(self.sent)
        self.driver.receive({"mid": mid, **request})
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for message in self.sent[before:]:
                if message["type"] == "ack" and message["mid"] == mid:
                    return message
            time.sleep(0.002)
        raise AssertionError("The request was never acknowledged.")

    def listed(self, **request: Any) -> list[dict[str, Any]]:
        answer = self.ask(type="list_chats", **request)
        protocol.ChatList.model_validate(answer["data"])
        return answer["data"]["chats"]


@pytest.fixture(params=["history.sqlite", "history.jsonl"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    store = open_store(tmp_path / request.param)
    one = Open(store)
    yield one
    one.chat.close()
    store.close()


def test_the_list_says_which_chats_there_are_who_answers_and_what_waits(opened: Open) -> None:
    assert opened.listed() == []
    opened.chat.ask("note milk").wait(60)
    first = opened.chat.id
    assert opened.ask(type="new_chat")["ok"]
    opened.chat.ask("and bread").wait(60)
    rows = opened.listed()
    assert [(row["title"], row["agent"], row["turns"], row["pending"]) for row in rows] == [
        ("and bread", "Nowhere", 1, 0),
        ("note milk", "Nowhere", 1, 1),
    ]
    assert rows[1]["chat"] == first
    page = opened.ask(type="list_chats", limit=1)["data"]
    assert page["more"] is True
    assert opened.ask(type="list_chats", limit=1, offset=1)["data"] == {"chats": [rows[1]], "more": False}


def test_a_search_looks_at_what_was_said(opened: Open) -> None:
    opened.chat.ask("note milk").wait(60)
    opened.ask(type="new_chat")
    opened.chat.ask("bread").wait(60)
    [row] = opened.listed(query="second")
    assert "Second." in row["snippet"]
    assert row | {"snippet": ""} == opened.listed()[0], "a row of a search says what a row of the list does"
    assert opened.listed(query="milk")[0]["pending"] == 1
    assert opened.listed(query="nothing like this") == []


def test_opening_a_chat_shows_it_and_the_page_goes_on(opened: Open) -> None:
    page = Page()
    page.take(opened.driver.snapshot())
    opened.chat.ask("note milk").wait(60)
    first = opened.chat.id
    opened.ask(type="new_chat")
    opened.chat.ask("bread").wait(60)
    assert opened.ask(type="open_chat", chat=first)["ok"]
    for message in [message for message in opened.sent if message["type"] != "ack"]:
        page.take(message)
    assert page.chat is not None
    assert (page.chat["chat"], page.chat["turns"][0]["text"]) == (first, "note milk")
    [card] = page.chat["invocations"].values()
    request = {key: card[key] for key in ("key", "digest", "version")}
    mark = len(opened.sent)
    assert opened.ask(type="decide", decision="deny", page="p", **request)["ok"]
    opened.chat.turns[0].wait(60, until="end")
    opened.driver.snapshot()
    results = [page.take(message) for message in opened.sent[mark:] if message["type"] != "ack"]
    assert results
    assert "gap" not in results
    assert page.chat == opened.driver.snapshot()["chat"]


def test_an_act_that_was_meant_for_the_chat_before_is_not_done_in_the_one_that_is_open_now(opened: Open) -> None:
    opened.chat.ask("note milk").wait(60)
    before = opened.driver.boot
    assert opened.ask(type="new_chat")["ok"]
    boot = opened.driver.boot
    assert boot != before
    late: list[dict[str, Any]] = [
        {"type": "send", "text": "late"},
        {"type": "edit_message", "turn": 1, "text": "late"},
        {"type": "regenerate", "turn": 1},
        {"type": "stop"},
    ]
    for request in late:
        answer = opened.ask(boot=before, **request)
        assert not answer["ok"]
        assert "Another chat" in answer["message"]
    assert opened.chat.turns == []
    assert opened.ask(type="send", text="in time", boot=boot)["ok"]
    assert [turn.text for turn in opened.chat.conversation.state.turns] == ["in time"]


def test_a_rename_shows_at_once_in_the_page_and_in_the_list(opened: Open) -> None:
    opened.chat.ask("note milk").wait(60)
    first = opened.chat.id
    assert opened.ask(type="rename_chat", chat=first, title="  Shopping \n list ")["ok"]
    assert opened.chat.title == "Shopping list"
    assert opened.listed()[0]["title"] == "Shopping list"
    opened.ask(type="new_chat")
    opened.chat.shelf._busy.clear()
    assert opened.ask(type="rename_chat", chat=first, title="Later")["ok"]
    assert opened.listed()[0]["title"] == "Later"
    assert not opened.ask(type="rename_chat", chat=first, title="   ")["ok"]
    assert not opened.ask(type="rename_chat", chat="nowhere", title="x")["ok"]


def test_a_chat_is_deleted_once_and_the_open_one_gives_way(opened: Open) -> None:
    opened.chat.ask("note milk").wait(60)
    first = opened.chat.id
    answer = opened.ask(type="delete_chat", chat=first, mid="same")
    assert answer["ok"]
    assert (
        opened.ask(type="delete_chat", chat=first, mid="same") == answer
    )  # asked again, as by a page that heard nothing
    assert opened.listed() == []
    assert opened.driver.snapshot()["chat"]["turns"] == []
    refused = opened.ask(type="delete_chat", chat=first)
    assert not refused["ok"]
    assert first in refused["message"]


@pytest.mark.parametrize(
    ("form", "ending"),
    [("jsonl", ".jsonl"), ("json", ".json"), ("core", ".core.json"), ("markdown", ".md"), ("html", ".html")],
)
def test_a_chat_leaves_as_a_file(opened: Open, form: str, ending: str) -> None:
    opened.chat.ask("../note milk/").wait(60)
    answer = opened.ask(type="export_chat", chat=opened.chat.id, form=form)
    file = protocol.ExportedFile.model_validate(answer["data"])
    assert file.name == f"note-milk{ending}"
    assert "note milk" in file.text


def test_a_chat_that_is_not_there_cannot_be_opened_or_exported(opened: Open) -> None:
    before = opened.chat.id
    for request in ({"type": "open_chat"}, {"type": "export_chat", "form": "json"}):
        answer = opened.ask(chat="nowhere", **request)
        assert not answer["ok"]
        assert "nowhere" in answer["message"]
    assert opened.chat.id == before


def test_a_widget_saves_the_chat_that_is_open(tmp_path: Path) -> None:
    chat = bn.Chat(bn.Agent(DOCUMENT, model=ScriptedModel([["One."]])), store=tmp_path / "h.sqlite")
    widget = ChatWidget(chat)
    chat.ask("hello").wait(60)
    chat.new()
    chat.thread.call(lambda: None)
    end = time.monotonic() + 60
    while widget.snapshot["chat"]["chat"] != chat.id and time.monotonic() < end:
        time.sleep(0.005)
    assert widget.snapshot["chat"]["turns"] == []
    widget.close()
    chat.close()
