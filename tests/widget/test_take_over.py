"""Two kernels on one chat as their pages see it: one reads and offers to take over, the other learns it by acting."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bitte_nb.agent.chat import Chat
from bitte_nb.widget.driver import Driver
from tests.agent.conftest import demo as demo
from tests.agent.test_take_over import Kernel, begun
from tests.agent.test_take_over import kernel as kernel
from tests.agent.test_take_over import target as target

HELD = "is written by another kernel now (process "
WITH_A_PAGE = (
    "setattr(chat, 'sent', []) or setattr(chat, 'driver', __import__('bitte_nb.widget.driver', fromlist=['x'])"
    ".Driver(chat, chat.sent.append))"
)


class Page:
    """A page of a chat in this process."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.sent: list[dict[str, Any]] = []
        self.driver = Driver(chat, self.sent.append)
        self.asked = 0

    def ask(self, **request: Any) -> dict[str, Any]:
        self.asked += 1
        mid = request.pop("mid", f"m{self.asked}")
        before = len(self.sent)
        self.driver.receive({"mid": mid, **request})
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for message in self.sent[before:]:
                if message["type"] == "ack" and message["mid"] == mid:
                    return message
            time.sleep(0.01)
        raise AssertionError("The request was never acknowledged.")

    @property
    def shows(self) -> dict[str, Any]:
        """What the newest snapshot on the line says."""
        return next(one["chat"] for one in reversed(self.sent) if one["type"] == "snapshot")


def said(kernel: Kernel, **request: Any) -> tuple[str, dict[str, Any]]:
    """Ask the kernel's page; the sentence of the answer, and the newest snapshot that the page was sent."""
    mid = request.setdefault("mid", "m1")
    kernel.do(f"chat.driver.receive({request!r})")
    end = time.monotonic() + 60
    while time.monotonic() < end:
        answers: Any = eval(str(kernel.do(f"[one for one in chat.sent if one.get('mid') == {mid!r}]")))
        if answers:
            snapshots: Any = eval(str(kernel.do("[one for one in chat.sent if one['type'] == 'snapshot'][-1:]")))
            return answers[-1]["message"], snapshots[-1]["chat"] if snapshots else {}
        time.sleep(0.02)
    raise AssertionError("The request was never acknowledged.")


@pytest.fixture
def reader(kernel: Callable[..., Kernel], target: str) -> Iterator[tuple[Kernel, Page]]:
    """A kernel that writes a chat, with a page; and a page of the same chat here."""
    first = kernel()
    chat_id = begun(first)
    first.do(WITH_A_PAGE)
    page = Page(Chat.load(chat_id, store=target))
    yield first, page
    page.chat.close()


def test_the_page_that_reads_takes_over_and_the_other_says_so_on_its_next_act(reader: tuple[Kernel, Page]) -> None:
    first, page = reader
    opened = page.driver.snapshot()["chat"]
    assert (HELD in opened["notice"], opened["elsewhere"]) == (True, True)
    refused = page.ask(type="send", text="mine")
    assert (refused["ok"], HELD in refused["message"]) == (False, True)

    taken = page.ask(type="take_over", chat=page.chat.id)
    assert taken["ok"], taken["message"]
    assert (page.shows["notice"], page.shows["elsewhere"]) == ("", False)
    assert [turn["text"] for turn in page.shows["turns"]] == ["who am I?"]
    assert page.ask(type="send", text="who am I?")["ok"]
    assert page.chat.turns[-1].wait(60).phase == "done"

    sentence, shows = said(first, type="send", text="lost?")
    assert HELD in sentence
    assert (HELD in shows["notice"], shows["elsewhere"]) == (True, True)
    assert "lost?" not in [turn["text"] for turn in shows["turns"]]

    sentence, shows = said(first, type="take_over", chat=page.chat.id, mid="m2")
    assert (sentence, shows["notice"], len(shows["turns"])) == ("", "", 2), "and back again, with all that was said"
    assert HELD in page.ask(type="send", text="lost?")["message"]
    assert (HELD in page.shows["notice"], page.shows["elsewhere"]) == (True, True)


def test_only_what_is_shown_and_held_elsewhere_is_taken_and_once(reader: tuple[Kernel, Page]) -> None:
    _, page = reader
    refused = page.ask(type="take_over", chat="another")
    assert (refused["ok"], "Another chat is shown here" in refused["message"]) == (False, True)
    assert page.chat.elsewhere

    chat_id = page.chat.id
    assert page.ask(type="take_over", chat=chat_id, mid="one")["ok"]
    assert page.ask(type="send", text="add a note saying once")["ok"]
    assert page.chat.turns[-1].wait(60).phase == "awaiting"
    conversation = page.chat.conversation
    for mid in ("one", "two"):  # the same click again, and that of a view which did not know yet
        assert page.ask(type="take_over", chat=chat_id, mid=mid)["ok"]
    assert page.chat.conversation is conversation, "reading it again would end what runs since"
    assert [call.state for call in page.chat.turns[-1].invocations] == ["pending"]

    page.chat.close()
    closed = page.driver.snapshot()["chat"]
    assert ("is closed here" in closed["notice"], closed["elsewhere"]) == (True, False)
