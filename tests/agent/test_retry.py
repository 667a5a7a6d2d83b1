"""The resilient stream: attempts, back-off, timeouts and hints, on a clock that the test moves."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bitte_nb.agent.turn import Turn
from bitte_nb.errors import HistoryError, ModelStreamCut
from bitte_nb.model.port import CallStarted, Connected, Finished, ModelEvent, ModelRequest, TextDelta
from bitte_nb.testing import Call, Cut, Fault, Pause
from tests.agent.conftest import ChatMaker, Counts
from tests.agent.virtual import Hasty, VirtualClock


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def attempts(turn: Turn) -> list[int]:
    """The attempts of the turn's log, per started step."""
    return [one.attempt for one in turn.chat.log if one.kind == "step_started"]


@pytest.mark.parametrize(
    "fault", [Fault.http(429), Fault.http(500), Fault.http(503), Fault(ModelStreamCut("cut")), Cut()]
)
def test_a_fault_that_may_pass_is_tried_three_times_with_doubling_pauses(
    make_chat: ChatMaker, clock: VirtualClock, fault: Any
) -> None:
    turn = make_chat([[fault], [fault], [fault]], clock=clock).ask("hello")
    for pause in (0.35, 0.7):
        clock.until_asleep(pause)
        assert turn.phase == "retrying"
        assert turn.reason
        clock.advance(pause)
    turn.wait(60)
    assert (turn.phase, turn.state.session.cause, attempts(turn)) == ("failed", "exhausted", [1, 2, 3])
    assert clock.seconds == pytest.approx(1.05)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_fault_that_will_not_pass_fails_at_once(make_chat: ChatMaker, clock: VirtualClock, status: int) -> None:
    turn = make_chat([[Fault.http(status, "No such key.")]], clock=clock).ask("hello").wait(60)
    assert (turn.phase, turn.state.session.cause, turn.reason) == ("failed", "http", "No such key.")
    assert attempts(turn) == [1]


@pytest.mark.parametrize(("asked", "waits"), [(0.1, 0.35), (5.0, 5.0), (3600.0, 30.0)])
def test_retry_after_is_honoured_between_the_back_off_and_half_a_minute(
    make_chat: ChatMaker, clock: VirtualClock, asked: float, waits: float
) -> None:
    turn = make_chat([[Fault.http(429, retry_after=asked)], ["Better."]], clock=clock).ask("hello")
    clock.until_asleep(waits)
    clock.advance(waits)
    assert turn.wait(60).text == "Better."


def test_the_words_of_a_broken_attempt_stay_until_the_next_one_speaks_and_are_never_doubled(
    make_chat: ChatMaker, clock: VirtualClock
) -> None:
    turn = make_chat([["The answer is ", Cut()], [Pause(1), "The answer is 42."]], clock=clock).ask("hello")
    clock.until_asleep(0.35)
    assert turn.text == "The answer is "
    clock.advance(0.35)
    until(lambda: turn.phase == "streaming")
    assert turn.text == "The answer is "
    clock.advance(1)
    assert turn.wait(60).text == "The answer is 42."


def test_a_model_that_does_not_answer_times_out_after_the_first_timeout(
    make_chat: ChatMaker, clock: VirtualClock
) -> None:
    turn = make_chat([[Pause(300)]] * 3, clock=clock)
    model = turn.agent.model

    async def never(request: ModelRequest) -> AsyncIterator[ModelEvent]:
        model.requests.append(request)
        await clock.sleep(300)
        yield Connected()

    model.stream = never
    turn = turn.ask("hello")
    clock.until_asleep(120)
    clock.advance(119.9)
    assert turn.phase == "connecting"
    clock.advance(0.1)
    clock.until_asleep(0.35)
    assert turn.phase == "retrying"
    assert turn.reason.startswith("The model did not answer for 120 seconds. Where it needs longer,")
    clock.advance(0.35)
    clock.until_asleep(120)
    clock.advance(120)
    clock.until_asleep(0.7)
    clock.advance(0.7)
    clock.until_asleep(120)
    clock.advance(120)
    turn.wait(60)
    assert (turn.phase, turn.state.session.cause) == ("failed", "exhausted")


def test_a_gap_is_hinted_and_the_next_word_takes_the_hint_back(make_chat: ChatMaker, clock: VirtualClock) -> None:
    turn = make_chat([["One. ", Pause(5), "Two. ", Pause(5), "Three."]], clock=clock).ask("count")
    clock.until_asleep(5)
    clock.advance(1.1)
    assert turn.phase == "streaming"
    clock.advance(0.2)
    until(lambda: turn.phase == "stalled")
    clock.advance(3.7)
    clock.advance(0.1)
    until(lambda: turn.phase == "streaming")
    assert turn.text == "One. Two. "
    clock.advance(4.9)
    assert turn.wait(60).text == "One. Two. Three."


def test_a_call_after_a_gap_takes_the_hint_back_too(make_chat: ChatMaker, clock: VirtualClock) -> None:
    events = ["Let me see.", Pause(5), CallStarted(0, "a", "add-note"), Pause(5), Finished("tool_calls")]
    turn = make_chat([events], clock=clock).ask("note")
    clock.until_asleep(5)
    clock.advance(2)
    until(lambda: turn.phase == "stalled")
    clock.advance(3)
    until(lambda: turn.phase == "streaming")
    assert [call.tool for call in turn.invocations] == ["add-note"]


@pytest.mark.parametrize("moment", ["streaming", "retrying", "stalled"])
def test_stop_ends_a_turn_that_waits_for_the_clock(make_chat: ChatMaker, clock: VirtualClock, moment: str) -> None:
    script = [Cut()] if moment == "retrying" else ["word", Pause(9)]
    chat = make_chat([script, ["never"]], clock=clock)
    turn = chat.ask("hello")
    clock.until_asleep(0.35 if moment == "retrying" else 9)
    clock.advance(2 if moment == "stalled" else 0.1)
    until(lambda: turn.phase == moment)
    chat.stop()
    assert turn.phase == "cancelled"
    until(lambda: clock.waits() == [])
    clock.advance(60)
    assert (turn.phase, len(chat.agent.model.requests)) == ("cancelled", 1)


def test_silence_in_the_middle_ends_the_attempt_after_the_hard_timeout_and_words_reset_it(
    make_chat: ChatMaker, clock: VirtualClock
) -> None:
    turn = make_chat([["a", Pause(119), "b", Pause(121), "c"], ["d"]], clock=clock).ask("hello")
    clock.until_asleep(119)
    clock.advance(119)
    clock.until_asleep(121)
    clock.advance(119.9)
    assert turn.phase == "stalled"
    clock.advance(0.1)
    clock.until_asleep(0.35)
    assert turn.reason.startswith("The model said nothing more for 120 seconds. Where it needs longer,")
    clock.advance(0.35)
    assert turn.wait(60).text == "d"


def test_no_timeout_runs_while_a_person_decides(make_chat: ChatMaker, clock: VirtualClock) -> None:
    turn = make_chat([[Call("add-note", {"text": "x"})], ["ok"]], clock=clock).ask("note").wait(60)
    assert clock.waits() == []
    clock.advance(3600)
    assert turn.phase == "awaiting"
    turn.pending[0].approve()
    assert turn.wait(60).text == "ok"


def test_a_person_can_retry_after_all_attempts_and_gets_three_new_ones(
    make_chat: ChatMaker, clock: VirtualClock
) -> None:
    chat = make_chat([[Cut()]] * 5 + [["At last."]], clock=clock)
    turn = chat.ask("hello")
    for pause in (0.35, 0.7):
        clock.until_asleep(pause)
        clock.advance(pause)
    assert turn.wait(60).phase == "failed"
    chat.retry()
    for pause in (0.35, 0.7):
        clock.until_asleep(pause)
        clock.advance(pause)
    assert turn.wait(60).text == "At last."


class _Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class Odd:
    """A model made of one function."""

    name = "odd"

    def __init__(self, stream: Callable[[ModelRequest], Any]) -> None:
        self.stream = stream
        self.requests: list[ModelRequest] = []


@pytest.mark.parametrize(
    "error",
    [
        ValueError("odd"),
        RecursionError("deep"),
        AssertionError(),
        MemoryError(),
        HistoryError("not the chat's own"),
        OSError(28, "No space left on device"),
        StopIteration(),
        ExceptionGroup("several", [ValueError("a"), TypeError("b")]),
        TimeoutError(),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
        _Unspeakable(),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("when", ["at once", "after a word"])
def test_a_model_that_raises_anything_ends_the_turn_with_a_sentence_and_the_chat_goes_on(
    make_chat: ChatMaker, error: Exception, when: str
) -> None:
    async def stream(_request: ModelRequest) -> AsyncIterator[ModelEvent]:
        if when == "after a word":
            yield Connected()
            yield TextDelta("word")
        raise error
        yield

    chat = make_chat(model=Odd(stream), clock=Hasty())
    turn = chat.ask("hello").wait(60)
    assert turn.phase == "failed"
    assert turn.reason
    assert not chat.notice
    assert chat.ask("again").wait(60).phase == "failed"


def test_a_model_that_is_no_stream_at_all_fails_with_a_sentence(make_chat: ChatMaker) -> None:
    for broken in (lambda _: None, lambda _: [1], lambda _: 1 / 0):
        turn = make_chat(model=Odd(broken)).ask("hello").wait(60)
        assert turn.phase == "failed"
        assert turn.reason


async def _cancels_itself(_request: ModelRequest) -> AsyncIterator[ModelEvent]:
    yield TextDelta("word")
    raise asyncio.CancelledError


def test_a_source_that_cancels_itself_is_a_cut_stream_and_no_stop(make_chat: ChatMaker, clock: VirtualClock) -> None:
    turn = make_chat(model=Odd(_cancels_itself), clock=clock).ask("hello")
    clock.until_asleep(0.35)
    assert turn.phase == "retrying"
    assert "cancelled itself" in turn.reason


def test_a_source_that_does_not_close_holds_nothing_up(make_chat: ChatMaker, clock: VirtualClock) -> None:
    released = threading.Event()

    async def stubborn(_request: ModelRequest) -> AsyncIterator[ModelEvent]:
        yield TextDelta("word")
        while not released.is_set():
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                continue

    chat = make_chat(model=Odd(stubborn), clock=clock)
    turn = chat.ask("hello")
    until(lambda: turn.phase == "streaming")
    clock.advance(0.05)
    clock.until_asleep(1.15)
    clock.advance(120)
    clock.until_asleep(0.35)
    assert turn.phase == "retrying"
    released.set()


@pytest.mark.parametrize(
    "events",
    [
        [None],
        ["a string", Finished("stop")],
        [CallStarted(0, "x", "get-user"), CallStarted(0, "x", "get-user"), Finished("stop")],
        [CallStarted(-5, "", ""), Finished("tool_calls")],
    ],
    ids=["none", "a string", "a repeated start", "no name"],
)
def test_events_that_break_the_port_never_hang_a_turn(make_chat: ChatMaker, events: list[Any]) -> None:
    async def stream(request: ModelRequest) -> AsyncIterator[ModelEvent]:
        model.requests.append(request)
        for event in events if len(model.requests) == 1 else [TextDelta("end"), Finished("stop")]:
            yield event

    model = Odd(stream)
    turn = make_chat(model=model).ask("hello").wait(60)
    assert turn.phase in {"done", "failed"}
    assert all(call.settled for call in turn.invocations)
    assert len(turn.invocations) <= 1


def test_half_a_surrogate_pair_in_each_of_two_pieces_is_one_character(make_chat: ChatMaker) -> None:
    chat = make_chat([[TextDelta("a\ud83d"), TextDelta("\ude00b\ud83d"), TextDelta("c")]])
    turn = chat.ask("smile").wait(60)
    assert (turn.phase, turn.text) == ("done", "a\U0001f600b\ufffdc")


def test_a_model_that_never_pauses_is_shown_on_the_way_and_not_only_at_its_end(make_chat: ChatMaker) -> None:
    appended: list[int] = []
    took: list[float] = []

    async def flood(_request: ModelRequest) -> AsyncIterator[ModelEvent]:
        start = time.monotonic()
        number = 0
        while len(appended) < 5 and time.monotonic() < start + 60:
            yield TextDelta(f"{number} ")
            number += 1
        took.append(time.monotonic() - start)
        yield TextDelta(f"= {number}")
        yield Finished("stop")

    chat = make_chat(model=Odd(flood))

    def count(_before: Any, entries: Any, _after: Any) -> None:
        appended.extend(len(one.text) for one in entries if one.kind == "text_added")

    chat.thread.call(lambda: chat.conversation.subscribe(count))
    turn = chat.ask("flood").wait(60)
    words = turn.text.split()
    assert words == [*map(str, range(int(words[-1]))), "=", words[-1]]
    assert 5 <= len(appended) <= 30 * took[0] + 5


@pytest.mark.parametrize("bound", ["MOST_CHARACTERS", "MOST_CALLS", "MOST_SECONDS"])
def test_an_answer_without_an_end_is_ended_and_nothing_of_it_runs(
    make_chat: ChatMaker, counts: Counts, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(f"bitte_nb.agent.stream.{bound}", 0 if bound == "MOST_SECONDS" else 3)
    words = [unit for n in range(20) for unit in (f"{n} ", Call("get-user"), Pause(0.01))]
    turn = make_chat([words]).ask("go on for ever").wait(60)
    assert (turn.phase, turn.state.session.cause) == ("failed", "violation")
    assert "was ended here" in turn.reason
    assert {call.state for call in turn.invocations} <= {"cancelled"}
    assert counts.requests == 0
