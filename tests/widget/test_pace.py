"""A page that paints slower than a model speaks makes its reading pause; no other page does, and none says much."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from bitte_nb.agent.pressure import GONE_AFTER
from bitte_nb.agent.turn import Turn
from bitte_nb.widget import protocol
from tests.agent.test_pressure import Counting
from tests.agent.virtual import VirtualClock
from tests.widget.pages import Open, open_chat

WORDS = 400


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


class Speaking:
    """A chat whose model says numbers as fast as it is read, and a page that is behind already."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.model = Counting(WORDS)
        self.opened: Open = open_chat(model=self.model, clock=self.clock)

    def tell(self, behind: int, page: str = "a") -> None:
        self.opened.driver.receive({"type": "painted", "mid": "p", "page": page, "behind": behind})
        self.settle()

    def settle(self) -> None:
        self.opened.chat.thread.call(lambda: None)
        self.clock.settle()

    def ask(self) -> Turn:
        return self.opened.chat.ask("count")

    @property
    def paused(self) -> bool:
        return self.opened.chat.conversation.pressure.paused


@pytest.fixture
def speaking() -> Speaking:
    return Speaking()


def test_the_model_is_not_read_on_above_16_and_is_again_at_6(speaking: Speaking) -> None:
    speaking.tell(16)
    assert not speaking.paused
    speaking.tell(17)
    turn = speaking.ask()
    until(lambda: turn.phase != "idle")
    speaking.settle()
    assert (speaking.model.read, speaking.paused) == (0, True)
    for behind in (16, 10, 7):
        speaking.tell(behind)
        assert (speaking.model.read, speaking.paused) == (0, True), "it stays until 6"
    speaking.tell(6)
    assert turn.wait(60).phase == "done"
    assert len(turn.text.split()) == WORDS


def test_pages_that_say_nothing_keep_nothing_waiting(speaking: Speaking) -> None:
    for page in range(5):
        speaking.opened.driver.receive({"type": "ping", "mid": f"m{page}", "page": f"page {page}"})
        speaking.opened.driver.receive({"type": "resync", "mid": f"r{page}"})
    assert speaking.ask().wait(60).phase == "done"
    assert speaking.clock.seconds == 0, "nobody was waited for"


def test_a_page_that_stopped_painting_is_waited_for_a_second_and_then_never_again(speaking: Speaking) -> None:
    speaking.tell(40)
    turn = speaking.ask()
    speaking.clock.until_asleep(GONE_AFTER)
    speaking.clock.advance(GONE_AFTER - 0.1)
    assert (speaking.model.read, turn.phase) == (0, "connecting")
    speaking.clock.advance(0.1)
    assert turn.wait(60).phase == "done"
    speaking.tell(0, "b")
    assert not speaking.opened.driver._pace._behind, "a closed page leaves nothing behind"


def test_the_slowest_page_counts_and_each_speaks_for_itself(speaking: Speaking) -> None:
    speaking.tell(20, "a")
    speaking.tell(30, "b")
    turn = speaking.ask()
    until(lambda: turn.phase != "idle")
    speaking.tell(0, "b")
    assert speaking.paused
    speaking.tell(0, "a")
    assert turn.wait(60).phase == "done"


def test_stop_does_not_wait_for_a_page(speaking: Speaking) -> None:
    speaking.tell(20)
    turn = speaking.ask()
    until(lambda: turn.phase != "idle")
    speaking.opened.ask(type="stop")
    assert turn.wait(60).phase == "cancelled"


def test_a_closed_widget_has_no_page_to_wait_for(speaking: Speaking) -> None:
    speaking.tell(20)
    before = speaking.opened.chat.conversation.pressure
    speaking.opened.driver.close()
    speaking.settle()
    assert not before.paused


def test_nothing_is_answered_and_nonsense_is_refused(speaking: Speaking) -> None:
    opened = speaking.opened
    opened.chat.thread.call(lambda: opened.driver._flush())
    opened.sent.clear()
    for behind in (20, 0, 20, 0):
        speaking.tell(behind)
    assert opened.sent == []
    assert opened.ask(type="painted", page="a", behind=-1)["code"] == "malformed"
    with pytest.raises(ValueError, match="behind"):
        protocol.Painted(mid="m", page="a", behind=-1)
