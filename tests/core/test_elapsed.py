"""How long an answer took: what counts and what does not."""

from __future__ import annotations

from typing import Any

from bitte_nb.core import invocation_events as ev
from bitte_nb.core import log
from bitte_nb.core import session as ses
from bitte_nb.core.elapsed import elapsed
from bitte_nb.core.fold import ChatState, fold
from bitte_nb.core.log import Entry
from bitte_nb.core.rehydrate import recovery

PREPARED = ev.Prepared(
    digest="d", method="POST", url="https://a.example/", headers={"Idempotency-Key": "(later)"}, body=""
)


class Log:
    """Writes a turn, each entry at the second that it is given."""

    def __init__(self) -> None:
        self.entries: list[Entry] = [
            log.ChatOpened(at=0, chat="c1", agents=()),
            log.TurnStarted(at=0, turn=1, text="Hello", agent="demo"),
        ]

    @property
    def state(self) -> ChatState:
        return fold(self.entries)

    @property
    def seconds(self) -> float:
        return elapsed(self.state, self.state.turns[0]) / 1_000

    def session(self, at: float, *events: Any) -> Log:
        self.entries += [log.SessionChanged(at=int(at * 1_000), turn=1, event=event) for event in events]
        return self

    def step(self, at: float, step: int = 1) -> Log:
        self.entries.append(log.StepStarted(at=int(at * 1_000), turn=1, step=step, attempt=1, model="m"))
        return self

    def call(self, at: float, index: int = 0, **more: Any) -> Log:
        key, now = f"1.1.{index}", int(at * 1_000)
        self.entries.append(log.InvocationStarted(at=now, key=key, tool="add-note", method="POST", **more))
        return self.event(at, ev.ArgsClosed(args={}, prepared=PREPARED), index=index)

    def event(self, at: float, *events: Any, index: int = 0) -> Log:
        key = f"1.1.{index}"
        self.entries += [log.InvocationChanged(at=int(at * 1_000), key=key, event=event) for event in events]
        return self

    def runs(self, at: float, until: float | None, index: int = 0) -> Log:
        begin = int(at * 1_000)
        grant = ev.Grant(source="human", actor="page", digest="d", version=1, at=begin)
        self.event(at, ev.Approve(grant=grant), ev.Dispatch(digest="d", at=begin, idempotency_key="k"), index=index)
        return self if until is None else self.event(until, ev.Result(data=1, at=int(until * 1_000)), index=index)

    def asked(self, **more: Any) -> Log:
        """A model that took two seconds to ask for a call, which waits for a person."""
        self.session(0, ses.Start()).step(0).session(1, ses.Connected()).call(1.5, **more)
        return self.event(2, ev.PolicyAsk(rule="ask")).session(2, ses.Interrupt())

    def answered(self, at: float) -> Log:
        """Two seconds of the last words."""
        self.session(at, ses.Resume(open=0)).step(at, 2).session(at + 1, ses.Connected())
        return self.session(at + 2, ses.Complete(outcome="success"))


def test_the_time_of_a_decision_does_not_count_and_that_of_the_call_does() -> None:
    assert Log().asked().seconds == 2
    assert Log().asked().runs(100, 103).answered(103).seconds == 7


def test_a_wallet_that_a_person_reads_does_not_count() -> None:
    assert Log().asked(executor="wallet").runs(100, 103).answered(103).seconds == 4


def test_what_overlaps_counts_once() -> None:
    written = Log().asked().call(2, 1).event(2, ev.PolicyAsk(rule="ask"), index=1)
    assert written.runs(100, 103).runs(101, 105, 1).answered(105).seconds == 9
    early = Log().session(0, ses.Start()).step(0).session(1, ses.Connected()).call(1)
    early.event(1, ev.PolicyAsk(rule="ask")).runs(1, 3).session(2, ses.Interrupt())
    assert early.answered(3).seconds == 5


def test_the_time_without_a_program_does_not_count() -> None:
    asked = Log().asked()
    asked.entries += recovery(asked.state, at=500_000)
    assert asked.runs(600, 603).answered(603).seconds == 7
    streaming = Log().session(0, ses.Start()).step(0).session(1, ses.Connected())
    streaming.entries += recovery(streaming.state, at=500_000)
    assert streaming.state.turns[0].session.phase == "failed"
    assert streaming.seconds == 1  # when the words broke off is not known
    retrying = streaming.session(600, ses.Retry()).step(600).session(601, ses.Connected())
    assert retrying.session(602, ses.Complete(outcome="success")).seconds == 3
    broken = Log().session(0, ses.Start()).step(0).session(1, ses.Disconnect(replayable=True, reason="gone"))
    broken.entries += recovery(broken.state, at=500_000)
    assert broken.seconds == 1


def test_a_call_of_unknown_outcome_has_no_time_even_once_its_outcome_is_said() -> None:
    written = Log().asked().runs(100, None)
    written.entries += recovery(written.state, at=500_000)
    assert written.state.invocations["1.1.0"].state == "unknown"
    written.event(900, ev.ReconcileOk(data=1, at=900_000))
    assert (written.state.invocations["1.1.0"].ran_ms, written.seconds) == (0, 2)


def test_another_attempt_of_a_call_has_its_own_time() -> None:
    written = Log().asked().runs(100, None).event(103, ev.Error(error="No.", at=103_000))
    assert written.state.invocations["1.1.0"].ran_ms == 3_000
    written.event(200, ev.Retry(at=200_000))
    assert written.state.invocations["1.1.0"].ran_ms == 0


def test_the_headers_of_a_call_have_the_key_that_it_left_with() -> None:
    asked = Log().asked()
    assert asked.state.invocations["1.1.0"].headers == {"Idempotency-Key": "(later)"}
    left = asked.runs(100, 103).state.invocations["1.1.0"]
    assert left.headers == {"Idempotency-Key": "k"}
    assert left.prepared is not None
    assert left.prepared.headers == {"Idempotency-Key": "(later)"}
    plain = PREPARED.model_copy(update={"headers": {}})
    assert Log().asked().event(3, ev.Drift(prepared=plain)).state.invocations["1.1.0"].headers == {}
