"""Every fault of an endpoint, over a real connection, against the whole loop: what `FAULTS` says is what happens."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.timeouts import Timeouts
from bitte_nb.agent.turn import Turn
from bitte_nb.demo.damage import FAULTS, drop, plain
from bitte_nb.demo.faults import Answer, FaultServer, call_args, call_start, chunk, done, finish, split, text
from bitte_nb.spec.load import Document
from tests.agent.conftest import WALLET, Counts
from tests.agent.virtual import Hasty, VirtualClock

WORDS = "Grüße, 世界 🌍 e\u0301!"
GOOD = [*text("Grüße, ", "世界 🌍 ", "e\u0301!"), *finish()]
WITH_CALL = [*text("Let me look. "), call_start(0, "call_a", "get-user", "{}"), *finish("tool_calls")]
AGAIN = [*text("Once more."), *finish()]
PATIENT = Timeouts(first=100_000, stall=100_000, hard=100_000)
"""However busy the machine is."""


Begin = Callable[..., Chat]


@pytest.fixture
def begin(llm: FaultServer, document: Document, history: Path) -> Iterator[Begin]:
    """Begins a chat whose back-off passes a hundred times as fast, or whose time passes when the test says so."""
    made: list[Chat] = []

    def start(timeouts: Timeouts = PATIENT, clock: VirtualClock | None = None) -> Chat:
        agent = bn.Agent(document, model=f"{llm.url}#any", wallet=WALLET, timeouts=timeouts)
        made.append(Chat(agent, store=history, clock=clock or Hasty()))
        return made[-1]

    yield start
    for chat in made:
        chat.close()


TIMES = {
    "slow-connect": replace(PATIENT, first=4),
    "silence": replace(PATIENT, hard=30),
    "long-pause": replace(PATIENT, stall=20),  # 0.2 s of a clock that is hasty
}


def time_passes(turn: Turn, clock: VirtualClock, llm: FaultServer, *, begins: bool) -> None:
    """Let time pass for the first attempt once its request is there, or its answer `begins`, and while it backs off."""
    end = time.monotonic() + 60
    while turn.phase not in {"done", "failed"}:
        assert time.monotonic() < end, f"it is still {turn.phase}"
        is_due = turn.phase in {"streaming", "stalled"} if begins else bool(llm.requests)
        if turn.phase == "retrying" or (is_due and turn.state.session.attempt == 1):
            clock.advance(100)
        time.sleep(0.005)


def of(outcome: str) -> list[str]:
    return [name for name, fault in FAULTS.items() if fault.outcome == outcome]


def tool_messages(llm: FaultServer) -> list[dict[str, Any]]:
    return [message for message in llm.requests[-1].body["messages"] if message["role"] == "tool"]


@pytest.mark.parametrize("name", of("same"))
def test_what_nobody_should_notice_is_not_noticed(llm: FaultServer, begin: Begin, name: str) -> None:
    llm.answer(FAULTS[name].reply(GOOD))
    turn = begin(TIMES.get(name, PATIENT)).ask("hello").wait(60)
    assert (turn.phase, turn.text, len(llm.requests)) == ("done", WORDS, 1)
    stalls = [one.phase for one in turn.state.transitions if one.event == "stall"]
    assert set(stalls) == ({"stalled"} if name == "long-pause" else set())


@pytest.mark.parametrize("name", of("retried"))
@pytest.mark.parametrize("good", [GOOD, WITH_CALL], ids=["words", "a call"])
def test_a_broken_attempt_is_made_again_and_nothing_of_it_runs(
    llm: FaultServer, begin: Begin, counts: Counts, name: str, good: list[bytes]
) -> None:
    llm.answer(FAULTS[name].reply(good))
    llm.reply(*AGAIN)
    if name in TIMES:
        clock = VirtualClock()
        turn = begin(TIMES[name], clock).ask("hello")
        time_passes(turn, clock, llm, begins=name == "silence")
    else:
        turn = begin().ask("hello").wait(60)
    assert (turn.phase, turn.text, len(llm.requests)) == ("done", "Once more.", 2)
    [retrying] = [one for one in turn.state.transitions if one.phase == "retrying"]
    assert retrying.reason
    assert [call.state for call in turn.chat.state.invocations.values()] in ([], ["cancelled"])
    assert turn.invocations == []
    assert counts.requests == 0


@pytest.mark.parametrize("name", ["drop-at-token", "truncated", "garbage", "reset"])
def test_after_the_last_attempt_its_words_stay_marked_and_survive_a_reload(
    llm: FaultServer, begin: Begin, history: Path, name: str
) -> None:
    for _ in range(3):
        llm.answer(FAULTS[name].reply(GOOD))
    turn = begin().ask("hello").wait(60)
    assert (turn.phase, turn.state.session.cause, len(llm.requests)) == ("failed", "exhausted", 3)
    assert turn.text
    assert WORDS.startswith(turn.text)
    assert not turn.state.steps[-1].finish
    turn.chat.close()
    again = Chat.load(turn.chat.id, store=history)
    assert [(one.phase, one.text, one.reason) for one in again.turns] == [("failed", turn.text, turn.reason)]
    again.close()


@pytest.mark.parametrize("name", of("failed"))
def test_what_will_not_pass_is_said_at_once(llm: FaultServer, begin: Begin, counts: Counts, name: str) -> None:
    llm.answer(FAULTS[name].reply(WITH_CALL))
    turn = begin().ask("hello").wait(60)
    assert (turn.phase, len(llm.requests)) == ("failed", 1)
    assert turn.reason.endswith(".")
    assert {call.state for call in turn.invocations} <= {"cancelled"}
    assert counts.requests == 0


CALLS: dict[str, list[tuple[str, dict[str, str] | None]]] = {
    "interleaved-calls": [("succeeded", {"text": "0"}), ("succeeded", {"text": "1"})],
    "repeated-call": [("succeeded", {"text": "0"})],
    "reused-id": [("succeeded", {"text": "0"}), ("failed", None)],
    "missing-id": [("succeeded", {"text": "0"})],
    "missing-index": [("succeeded", {"text": "0"}), ("succeeded", {"text": "1"})],
    "sparse-index": [("succeeded", {"text": "0"}), ("succeeded", {"text": "1"})],
    "glued-arguments": [("failed", None)],
    "cut-arguments": [("failed", None)],
    "empty-arguments": [("failed", {})],
    "no-arguments": [("succeeded", {})],
    "unknown-tool": [("failed", {})],
}
"""How each call ends, and the arguments it ran with."""


@pytest.mark.parametrize("name", of("call"))
def test_each_call_has_its_own_arguments_and_exactly_one_result_in_call_order(
    llm: FaultServer, begin: Begin, name: str
) -> None:
    llm.answer(FAULTS[name].reply(GOOD))
    llm.reply(*AGAIN)
    turn = begin().ask("hello").wait(60)
    assert (turn.phase, turn.text, len(llm.requests)) == ("done", "Once more.", 2)
    assert [(call.state, call.args) for call in turn.invocations] == CALLS[name]
    asked = [call["id"] for message in llm.requests[1].body["messages"] for call in message.get("tool_calls") or ()]
    assert [message["tool_call_id"] for message in tool_messages(llm)] == asked
    assert len(set(asked)) == len(asked) == len(turn.invocations)
    for call, message in zip(turn.invocations, tool_messages(llm), strict=True):
        assert json.loads(message["content"]).keys() >= {"data" if call.state == "succeeded" else "error"}


def test_a_fault_table_is_whole() -> None:
    assert CALLS.keys() == set(of("call"))


@pytest.mark.parametrize("after", range(len(WITH_CALL)))
def test_a_connection_that_breaks_after_any_event_runs_nothing(
    llm: FaultServer, begin: Begin, counts: Counts, after: int
) -> None:
    llm.answer(drop(WITH_CALL, after))
    llm.reply(*AGAIN)
    turn = begin().ask("hello").wait(60)
    if after == len(WITH_CALL) - 1:  # only the end marker is missing: the finish reason was there
        assert turn.phase == "done"
        return
    assert (turn.phase, turn.text, counts.requests) == ("done", "Once more.", 0)


def test_every_split_of_every_character_is_the_same_text(llm: FaultServer, begin: Begin) -> None:
    event = chunk({"role": "assistant", "content": WORDS})
    first = event.index(WORDS[0].encode())
    places = range(first, first + len(WORDS.encode()))
    chat = begin()
    for place in places:
        llm.reply(event[:place], event[place:], *finish())
        turn = chat.ask("hello").wait(60)
        assert turn.text == WORDS, place
    assert len(llm.requests) == len(places)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
def test_pieces_of_any_size_are_the_same_turn(llm: FaultServer, begin: Begin, size: int) -> None:
    llm.reply(
        *split([*text(WORDS), call_start(0, "a", "create-share-link", '{"text": "é🧵"}'), *finish("tool_calls")], size)
    )
    llm.reply(*AGAIN)
    turn = begin().ask("share").wait(60)
    assert turn.text == f"{WORDS}\n\nOnce more."
    assert [call.args for call in turn.invocations] == [{"text": "é🧵"}]


@pytest.mark.parametrize("ending", [b"", b"\n", b"\n\n", b"\r\n", b"\r\n\r\n"])
@pytest.mark.parametrize("last", ["the finish reason", "the end marker"])
def test_the_last_event_counts_with_any_line_break_behind_it(
    llm: FaultServer, begin: Begin, ending: bytes, last: str
) -> None:
    events = [*GOOD[:-1], done()] if last == "the end marker" else GOOD[:-1]
    llm.answer(Answer((b"".join(events).rstrip(b"\r\n") + ending,)))
    turn = begin().ask("hello").wait(60)
    assert (turn.phase, turn.text, len(llm.requests)) == ("done", WORDS, 1)


def test_arguments_whose_beginning_is_json_run_once_and_whole(llm: FaultServer, begin: Begin, counts: Counts) -> None:
    llm.reply(
        call_start(0, "a", "create-share-link", '{"text":"test"'),
        call_args(0, "}"[:0]),
        call_args(0, ', "note": "x"}'),
        *finish("tool_calls"),
    )
    llm.reply(*AGAIN)
    turn = begin().ask("share").wait(60)
    assert len(turn.invocations) == 1
    assert turn.invocations[0].args_text == '{"text":"test", "note": "x"}'


@pytest.mark.parametrize("name", ["too-many-requests", "too-many-requests-date"])
def test_retry_after_is_read_as_seconds_and_as_a_date(llm: FaultServer, begin: Begin, name: str) -> None:
    llm.answer(FAULTS[name].reply(GOOD))
    llm.reply(*AGAIN)
    turn = begin().ask("hello").wait(60)
    assert turn.text == "Once more."
    [retrying] = [one for one in turn.state.transitions if one.phase == "retrying"]
    assert "429" in retrying.reason


def test_an_endpoint_that_is_not_there_fails_with_a_sentence_and_the_next_message_works(
    llm: FaultServer, document: Document, history: Path
) -> None:
    agent = bn.Agent(document, model="http://127.0.0.1:9/v1#any", wallet=WALLET, timeouts=PATIENT)
    chat = Chat(agent, store=history, clock=Hasty())
    turn = chat.ask("hello").wait(60)
    assert (turn.phase, turn.text) == ("failed", "")
    assert "127.0.0.1:9" in turn.reason
    assert chat.ask("again").wait(60).phase == "failed"
    chat.close()


@pytest.mark.parametrize("moment", ["before the first word", "in the middle", "while it backs off"])
def test_stop_at_any_moment_adds_nothing_and_hangs_up(llm: FaultServer, begin: Begin, moment: str) -> None:
    match moment:
        case "before the first word":
            llm.answer(FAULTS["slow-connect"].reply(GOOD))
        case "in the middle":
            llm.answer(FAULTS["silence"].reply(GOOD))
        case _:
            llm.answer(FAULTS["too-many-requests"].reply(GOOD))
    chat = begin(clock=VirtualClock())  # which stands still, so that it backs off until it is stopped
    turn = chat.ask("hello")
    end = time.monotonic() + 60
    wanted = {"before the first word": "connecting", "in the middle": "streaming"}.get(moment, "retrying")
    while turn.phase != wanted or (wanted != "retrying" and not llm.requests):
        assert time.monotonic() < end
        assert turn.phase != "failed"
        time.sleep(0.0005)
    chat.stop()
    seen = len(llm.requests)
    words = turn.text
    assert turn.phase == "cancelled"
    if wanted != "retrying":
        assert llm.requests[0].finished.wait(60)
        assert llm.requests[0].hung_up is not None
    assert (turn.wait(60).phase, turn.text, len(llm.requests)) == ("cancelled", words, seen)


def test_the_server_plays_a_good_reply_as_it_is(llm: FaultServer, begin: Begin) -> None:
    llm.answer(plain(GOOD))
    assert begin().ask("hello").wait(60).text == WORDS
