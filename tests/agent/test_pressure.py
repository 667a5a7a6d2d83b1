"""Back-pressure 16/6, four tokens a frame, on a clock that the test moves; and the log of a session's phases."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bitte_nb.agent.chat import Chat
from bitte_nb.model.port import Connected, Finished, ModelEvent, ModelRequest, TextDelta
from bitte_nb.testing import Call, Cut, Pause
from tests.agent.conftest import ChatMaker
from tests.agent.virtual import VirtualClock


class Counting:
    """A model that says numbers as fast as they are read, and knows how many were."""

    name = "counting"

    def __init__(self, count: int) -> None:
        self.count = count
        self.read = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        del request
        yield Connected()
        for number in range(self.count):
            self.read = number + 1
            yield TextDelta(f"{number} ")
        yield Finished("stop")


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


def shown(chat: Chat) -> int:
    return len(chat.turns[-1].text.split())


def test_reading_pauses_above_16_and_goes_on_at_6_and_a_frame_takes_four(
    make_chat: ChatMaker, clock: VirtualClock
) -> None:
    model = Counting(60)
    chat = make_chat(model=model, clock=clock)
    screen = chat.attach()
    turn = chat.ask("count")
    until(lambda: screen.session.paused)
    clock.settle()
    assert (model.read, screen.session.queued, shown(chat)) == (17, 17, 17), "what was read is shown"
    screen.painted(2)
    clock.settle()
    assert (model.read, screen.session.queued, screen.session.paused) == (17, 9, True)
    screen.painted()
    until(lambda: model.read == 29)  # 5 were left, so 12 more fit
    clock.settle()
    assert (screen.session.queued, screen.session.paused) == (17, True)
    assert turn.phase == "streaming"
    while turn.phase != "done":
        screen.painted(3)
        clock.settle()
    assert turn.text.split() == [str(number) for number in range(60)]


@pytest.mark.parametrize("gone", ["never painted", "left", "never attached"])
def test_nothing_waits_for_a_front_end_that_is_not_there(make_chat: ChatMaker, clock: VirtualClock, gone: str) -> None:
    model = Counting(40)
    chat = make_chat(model=model, clock=clock)
    if gone != "never attached":
        screen = chat.attach()
        turn = chat.ask("count")
        until(lambda: screen.session.paused)
        if gone == "left":
            screen.leave()
        else:
            clock.until_asleep(1.0)
            clock.advance(0.9)
            assert model.read == 17
            clock.advance(0.1)
    else:
        turn = chat.ask("count")
    assert turn.wait(60).phase == "done"
    assert len(turn.text.split()) == 40


def test_a_pause_for_the_page_is_no_silence_of_the_model_and_stop_ends_it(
    make_chat: ChatMaker, clock: VirtualClock
) -> None:
    chat = make_chat(model=Counting(10_000), clock=clock)
    screen = chat.attach()
    turn = chat.ask("count")
    for _ in range(40):
        until(lambda: screen.session.paused)
        clock.advance(0.9)
        screen.painted(3)
        clock.settle()
    assert clock.seconds > 30
    assert {one.phase for one in turn.state.transitions} == {"connecting", "streaming"}
    chat.stop()
    assert turn.phase == "cancelled"


def told(turn: Any) -> list[tuple[str, str, str, int]]:
    return [(one.event, one.before, one.phase, one.attempt) for one in turn.state.transitions]


def test_the_log_of_a_session_says_each_phase_with_its_attempt_and_reason(
    make_chat: ChatMaker, clock: VirtualClock
) -> None:
    steps = [["a", Cut()], ["b", Pause(2), "c", Call("add-note", {"text": "x"})], ["Done."]]
    turn = make_chat(steps, clock=clock).ask("hello")
    clock.until_asleep(0.35)
    clock.advance(0.35)
    clock.until_asleep(2.0)
    clock.advance(1.3)
    until(lambda: turn.phase == "stalled")
    clock.advance(0.7)
    turn.wait(60)
    turn.pending[0].approve()
    turn.wait(60)
    assert told(turn) == [
        ("start", "idle", "connecting", 1),
        ("connected", "connecting", "streaming", 1),
        ("truncated", "streaming", "retrying", 1),
        ("retry", "retrying", "connecting", 2),
        ("connected", "connecting", "streaming", 2),
        ("stall", "streaming", "stalled", 2),
        ("token", "stalled", "streaming", 2),
        ("interrupt", "streaming", "awaiting", 2),
        ("resume", "awaiting", "connecting", 1),
        ("connected", "connecting", "streaming", 1),
        ("complete", "streaming", "done", 1),
    ]
    reasons = [one.reason for one in turn.state.transitions]
    assert reasons[2] == reasons[3] == "The scripted stream was cut before it finished."
    assert reasons[4:] == [""] * 7
    assert [one.at for one in turn.state.transitions] == sorted(one.at for one in turn.state.transitions)


def test_a_machine_without_a_network_fails_at_once_and_only_the_person_starts_again(
    make_chat: ChatMaker, clock: VirtualClock
) -> None:
    chat = make_chat([["word", Pause(5)], ["Back."]], clock=clock)
    turn = chat.ask("hello")
    clock.until_asleep(5)
    clock.advance(0.1)
    chat.network(online=False)
    assert (turn.phase, turn.state.session.cause, turn.text) == ("failed", "offline", "word")
    chat.network(online=True)
    clock.advance(60)
    assert (turn.phase, turn.text, turn.state.session.online) == ("failed", "word", True)
    assert chat.retry().wait(60).text == "Back."
