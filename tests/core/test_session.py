"""The stream session against its table, written out here by hand, cell by cell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitte_nb.core import session as ses
from bitte_nb.core.session import Session, reduce
from tests.core.strategies import session_events

PHASES = ("idle", "connecting", "streaming", "stalled", "retrying", "awaiting", "done", "cancelled", "failed")

EVENTS: dict[str, ses.SessionEvent] = {
    "start": ses.Start(),
    "connected": ses.Connected(),
    "token": ses.Token(),
    "heartbeat": ses.Heartbeat(),
    "stall": ses.Stall(),
    "disconnect": ses.Disconnect(reason="The connection broke."),
    "timeout": ses.Timeout(reason="Nothing came."),
    "truncated": ses.Truncated(reason="It stopped in the middle."),
    "offline": ses.Offline(),
    "retry": ses.Retry(),
    "cancel": ses.Cancel(),
    "complete": ses.Complete(),
    "interrupt": ses.Interrupt(),
    "resume": ses.Resume(),
    "fail": ses.Fail(reason="No."),
    "violation": ses.Violation(reason="Nonsense."),
    "flush": ses.Flush(),
    "online": ses.Online(),
}

# The columns of the table in their order there; `.` is "ignored, the same object", `R` is "fail or retry".
COLUMNS = (
    ("start",), ("connected",), ("token",), ("heartbeat",), ("stall",), ("disconnect", "timeout", "truncated"),
    ("offline",), ("retry",), ("cancel",), ("complete",), ("interrupt",), ("resume",), ("fail",), ("violation",),
    ("flush", "online"),
)  # fmt: skip
TABLE = """
idle       connecting .         .         .         .       . .      .          .         .    .        .          .      .      .
connecting .          streaming .         .         .       R failed .          cancelled .    awaiting .          failed failed .
streaming  .          .         streaming streaming stalled R failed .          cancelled done awaiting .          failed failed .
stalled    .          .         streaming stalled   .       R failed .          cancelled done awaiting .          failed failed .
retrying   .          .         .         .         .       . failed connecting cancelled .    .        .          .      .      .
awaiting   connecting .         .         .         .       . .      .          cancelled .    .        connecting failed .      .
done       connecting .         .         .         .       . .      .          .         .    .        .          failed .      .
cancelled  connecting .         .         .         .       . .      .          .         .    .        .          .      .      .
failed     connecting .         .         .         .       . .      connecting .         .    .        .          .      .      .
"""  # noqa: E501 - a table


def cells() -> list[tuple[str, str, str]]:
    """(phase, event, expected) for every cell."""
    found: list[tuple[str, str, str]] = []
    for line in TABLE.strip().splitlines():
        phase, *expected = line.split()
        assert len(expected) == len(COLUMNS), line
        found += [(phase, name, cell) for names, cell in zip(COLUMNS, expected, strict=True) for name in names]
    return found


CELLS = cells()


def at(phase: Any, **fields: Any) -> Session:
    """A session in `phase`, in its first attempt."""
    return replace(Session(phase=phase, attempt=0 if phase == "idle" else 1), **fields)


def drive(*events: ses.SessionEvent, session: Session | None = None) -> Session:
    """The session after all events."""
    session = session or Session()
    for event in events:
        session = reduce(session, event)
    return session


def test_the_table_covers_nine_phases_and_eighteen_events():
    assert len(CELLS) == 9 * 18
    assert {phase for phase, _, _ in CELLS} == set(PHASES) == set(get_args(ses.Phase))
    assert {name for _, name, _ in CELLS} == set(EVENTS)
    assert all(event.type == name for name, event in EVENTS.items())
    kinds = {kind.model_fields["type"].default for kind in get_args(get_args(ses.SessionEvent)[0])}
    assert kinds == set(EVENTS)


@pytest.mark.parametrize(("phase", "name", "expected"), CELLS)
def test_every_cell(phase: str, name: str, expected: str):
    before = at(phase)
    after = reduce(before, EVENTS[name])
    if expected == ".":
        assert after is before
    elif expected == "R":
        assert after.phase == "retrying"
    else:
        assert after.phase == expected


@pytest.mark.parametrize(("phase", "name", "expected"), [cell for cell in CELLS if cell[2] == "R"])
@pytest.mark.parametrize(("attempt", "replayable"), [(1, True), (2, True), (3, True), (1, False), (3, False)])
def test_a_broken_stream_is_tried_again_only_while_attempts_are_left_and_it_is_safe(
    phase: str, name: str, expected: str, attempt: int, replayable: bool
):
    event = EVENTS[name].model_copy(update={"replayable": replayable})
    after = reduce(at(phase, attempt=attempt), event)
    causes = {"disconnect": "http", "timeout": "timeout", "truncated": "truncated"}
    if not replayable:
        assert (after.phase, after.cause) == ("failed", causes[name])
    elif attempt < 3:
        assert (after.phase, after.cause, after.attempt) == ("retrying", None, attempt)
    else:
        assert (after.phase, after.cause) == ("failed", "exhausted")
    assert after.reason
    assert after.reason == event.model_dump()["reason"]


def test_there_are_three_attempts_in_all_and_then_it_is_exhausted():
    session = drive(ses.Start())
    seen = [session.attempt]
    while session.phase != "failed":
        session = drive(ses.Disconnect(), session=session)
        if session.phase == "retrying":
            session = drive(ses.Retry(), session=session)
            seen.append(session.attempt)
    assert seen == [1, 2, 3]
    assert session.cause == "exhausted"


def test_attempts_count_over_connecting_and_streaming_alike():
    session = drive(ses.Start(), ses.Timeout(), ses.Retry(), ses.Connected(), ses.Token(), ses.Truncated(), ses.Retry())
    assert (session.phase, session.attempt) == ("connecting", 3)
    assert drive(ses.Timeout(), session=session).cause == "exhausted"


def test_a_next_step_has_attempts_of_its_own():
    session = drive(ses.Start(), ses.Disconnect(), ses.Retry(), ses.Connected(), ses.Interrupt())
    assert session.attempt == 2
    assert drive(ses.Resume(), session=session).attempt == 1


def test_the_person_who_tries_again_after_a_failure_gets_all_attempts():
    again = reduce(at("failed", attempt=3, cause="exhausted", reason="No."), ses.Retry())
    assert (again.phase, again.attempt, again.cause, again.outcome) == ("connecting", 1, None, None)


def test_a_reason_is_shown_while_it_retries_and_is_gone_once_connected():
    session = drive(ses.Start(), ses.Disconnect(reason="The connection broke."))
    assert session.reason == "The connection broke."
    assert drive(ses.Retry(), session=session).reason == "The connection broke."
    assert drive(ses.Retry(), ses.Connected(), session=session).reason == ""


def test_going_offline_in_mid_stream_fails_at_once_and_only_the_person_starts_again():
    session = drive(ses.Start(), ses.Connected(), ses.Token(), ses.Offline())
    assert (session.phase, session.cause, session.online) == ("failed", "offline", False)
    assert session.reason
    back = drive(ses.Online(), session=session)
    assert (back.phase, back.online) == ("failed", True)
    assert drive(ses.Retry(), session=back).phase == "connecting"


@pytest.mark.parametrize(
    ("phase", "event"),
    [("failed", ses.Retry()), ("failed", ses.Start()), ("retrying", ses.Retry()), ("awaiting", ses.Resume())],
)
def test_only_the_network_says_that_it_is_back(phase: str, event: ses.SessionEvent):
    session = reduce(at(phase, online=False), event)
    assert (session.phase, session.online) == ("connecting", False)
    assert drive(ses.Online(), session=session).online


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("count", [0, 1, 10, 100])
def test_flush_and_online_never_change_the_phase(phase: str, count: int):
    before = at(phase, queued=20, paused=True, online=False)
    for event in (ses.Flush(count=count), ses.Online()):
        after = reduce(before, event)
        assert replace(after, queued=20, paused=True, online=False) == before


def test_reading_pauses_above_sixteen_unpainted_tokens_and_goes_on_at_six():
    session = at("streaming")
    paused: list[bool] = []
    for _ in range(17):
        session = reduce(session, ses.Token())
        paused.append(session.paused)
    assert paused == [False] * 16 + [True]
    while session.paused:
        assert session.queued > 6
        session = reduce(session, ses.Flush())
    assert session.queued == 6
    assert reduce(session, ses.Token()).paused is False  # between the two marks it stays as it is


def test_a_frame_paints_four_tokens_and_the_queue_never_goes_below_nothing():
    session = drive(ses.Token(count=30), session=at("streaming"))
    depths = [session.queued]
    while session.queued:
        session = reduce(session, ses.Flush(count=4))
        depths.append(session.queued)
    assert depths == [30, 26, 22, 18, 14, 10, 6, 2, 0]
    assert reduce(session, ses.Flush(count=4)) is session


@pytest.mark.parametrize(
    "event", [ses.Disconnect(), ses.Interrupt()], ids=lambda event: event.type
)  # what waits or starts over has nothing left to paint
def test_a_new_attempt_and_a_pause_start_with_an_empty_queue(event: ses.SessionEvent):
    after = reduce(at("streaming", queued=20, paused=True), event)
    assert (after.queued, after.paused) == (0, False)


@pytest.mark.parametrize("still_open", [1, 2, 7])
def test_it_does_not_resume_while_a_call_is_open(still_open: int):
    before = at("awaiting")
    assert reduce(before, ses.Resume(open=still_open)) is before
    assert reduce(before, ses.Resume(open=0)).phase == "connecting"


def test_a_late_error_turns_success_into_failure():
    done = drive(ses.Start(), ses.Connected(), ses.Token(), ses.Complete())
    assert (done.phase, done.outcome) == ("done", "success")
    failed = drive(ses.Fail(cause="error_event", reason="Too much."), session=done)
    assert (failed.phase, failed.outcome, failed.cause, failed.reason) == ("failed", None, "error_event", "Too much.")


@pytest.mark.parametrize("outcome", ["success", "capped"])
def test_done_says_how_it_ended(outcome: Any):
    assert drive(ses.Complete(outcome=outcome), session=at("streaming")).outcome == outcome


@pytest.mark.parametrize("phase", ["done", "cancelled", "failed", "idle"])
def test_nothing_that_arrives_late_revives_an_ended_stream(phase: str):
    session = at(phase)
    late = [ses.Token(), ses.Heartbeat(), ses.Connected(), ses.Stall(), ses.Complete(), ses.Interrupt(), ses.Resume()]
    late += [ses.Disconnect(), ses.Timeout(), ses.Truncated(), ses.Violation(), ses.Cancel(), ses.Offline()]
    assert drive(*late, session=session) is session


def test_a_truncated_stream_is_never_a_success():
    for attempt in (1, 2, 3):
        for replayable in (True, False):
            after = reduce(at("streaming", attempt=attempt), ses.Truncated(replayable=replayable))
            assert after.phase in {"retrying", "failed"}
            assert after.outcome is None


@pytest.mark.parametrize("cause", get_args(ses.Cause))
def test_a_failure_names_its_cause_and_its_reason(cause: Any):
    failed = reduce(at("connecting"), ses.Fail(cause=cause, reason="Because."))
    assert (failed.phase, failed.cause, failed.reason) == ("failed", cause, "Because.")


def test_a_new_message_starts_with_nothing_of_the_old_turn():
    ended = at("failed", attempt=3, cause="timeout", reason="Nothing came.", queued=9, paused=True)
    assert reduce(ended, ses.Start()) == Session(phase="connecting", attempt=1)


def test_back_off_doubles_from_350_ms_to_two_seconds():
    assert [round(ses.backoff(attempt), 3) for attempt in range(1, 6)] == [0.35, 0.7, 1.4, 2.0, 2.0]


def test_the_numbers_that_are_promised():
    assert (ses.FIRST_TIMEOUT, ses.STALL_HINT, ses.HARD_TIMEOUT, ses.MAX_ATTEMPTS) == (120.0, 1.2, 120.0, 3)
    assert (ses.PAUSE_ABOVE, ses.RESUME_AT) == (16, 6)


EXPECTED = {(phase, name): cell for phase, name, cell in CELLS}


@settings(max_examples=200, deadline=None)
@given(st.lists(session_events(), max_size=40))
def test_any_sequence_stays_within_the_table(events: list[ses.SessionEvent]):
    session = Session()
    for event in events:
        after = reduce(session, event)
        assert after == reduce(session, event)
        cell = EXPECTED[session.phase, event.type]
        waits = isinstance(event, ses.Resume) and event.open > 0
        allowed = {".": {session.phase}, "R": {"retrying", "failed"}}.get(cell, {cell})
        assert after.phase in ({session.phase} if waits else allowed)
        if cell == "." and event.type not in {"flush", "online"}:
            assert after is session
        assert after.attempt <= ses.MAX_ATTEMPTS
        assert after.queued >= 0
        assert (after.cause is not None) == (after.phase == "failed")
        assert (after.outcome is not None) == (after.phase == "done")
        session = after


@settings(max_examples=100, deadline=None)
@given(st.lists(session_events(), max_size=25))
def test_flushes_and_online_can_be_left_out_without_changing_any_phase(events: list[ses.SessionEvent]):
    quiet = [event for event in events if event.type not in {"flush", "online"}]
    assert drive(*events).phase == drive(*quiet).phase
