"""What loading a chat appends, for every state that a log can lead to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from bitte_nb.core import invocation_events as ev
from bitte_nb.core import log
from bitte_nb.core import session as ses
from bitte_nb.core.answer import model_result
from bitte_nb.core.fold import ChatState, apply, fold
from bitte_nb.core.invocation import LIVE, SETTLED, Invocation, refusal
from bitte_nb.core.log import Entry
from bitte_nb.core.rehydrate import recovery
from bitte_nb.core.result import ToolError
from tests.core.calls import EVENTS, NOW, at, card, drive, grant, pending, proposed
from tests.core.logs import LOGS, cut_logs

LATER = 10_000
STATES = sorted(LIVE | SETTLED)


def chat(*calls: Invocation, phase: ses.Phase = "awaiting", finish: str = "tools") -> ChatState:
    """A chat in the middle of a turn whose only step asked for `calls`."""
    state = fold(
        [
            log.ChatOpened(at=0, chat="c1", agents=()),
            log.TurnStarted(at=1, turn=1, text="Hello", agent="demo"),
            log.StepStarted(at=2, turn=1, step=1, attempt=1, model="m"),
        ]
    )
    keyed = {f"1.1.{index}": replace(call, key=f"1.1.{index}") for index, call in enumerate(calls)}
    step = replace(state.turns[0].steps[0], calls=tuple(keyed), finish=finish)
    turn = replace(state.turns[0], steps=(step,), session=ses.Session(phase=phase, attempt=1))
    return replace(state, turns=(turn,), invocations=keyed)


def recovered(state: ChatState, *, when: int = LATER) -> ChatState:
    return fold(recovery(state, at=when), state)


def only(state: ChatState) -> Invocation:
    (call,) = state.invocations.values()
    return call


EXPECTED = {
    "streaming": "cancelled",
    "proposed": "pending",
    "pending": "pending",
    "approved": "pending",
    "executing": "unknown",
    "unknown": "unknown",
    **{state: state for state in SETTLED},
}


@pytest.mark.parametrize("state", STATES)
def test_every_state_comes_back_as_one_that_a_person_can_act_on(state: str):
    before = chat(at(state))
    after = only(recovered(before))
    assert after.state == EXPECTED[state]
    if state in SETTLED | {"pending", "unknown"}:
        assert after is only(before)


def test_a_streaming_call_says_that_the_program_ended():
    result = model_result(only(recovered(chat(at("streaming")))))
    assert isinstance(result, ToolError)
    assert "not run" in result.error
    assert "program ended" in result.error


def test_a_call_that_was_running_has_an_unknown_outcome_and_must_not_be_repeated():
    call = only(recovered(chat(at("executing"))))
    assert (call.state, call.result) == ("unknown", None)
    result = model_result(call)
    assert isinstance(result, ToolError)
    assert "Do not repeat" in result.error


def test_what_was_asked_to_stop_while_it_ran_is_unknown_too():
    assert only(recovered(chat(drive(at("executing"), ev.Cancel(at=NOW))))).state == "unknown"


def test_a_pending_card_is_the_same_card():
    before = drive(pending(), EVENTS["edit"])
    after = only(recovered(chat(before)))
    assert after.prepared == card("d2")
    assert after.version == 2
    approval = ev.Approve(grant=grant(digest="d2", version=2, at=LATER))
    assert refusal(after, approval) is None


@pytest.mark.parametrize("source", ["human", "rule", "session"])
@pytest.mark.parametrize(("until", "fresh"), [(None, False), (LATER, False), (LATER + 1, True)])
def test_only_an_unexpired_session_grant_outlives_the_program(source: str, until: int | None, fresh: bool):
    call = drive(proposed(), ev.PolicyAllow(grant=grant(source=source, expires_at=until)))
    after = only(recovered(chat(call)))
    if fresh and source == "session":
        assert after.state == "approved"
        assert after.grant == call.grant
    else:
        assert (after.state, after.grant) == ("pending", None)
        assert (
            refusal(after, ev.Approve(grant=grant())) == "stale_decision"
        )  # the old approval does not fit the new card
        assert refusal(after, ev.Dispatch(digest="d1", at=LATER)) == "late"


@pytest.mark.parametrize("phase", ["connecting", "streaming", "stalled", "retrying", "failed"])
def test_a_complete_call_of_an_answer_that_broke_off_is_not_offered_any_more(phase: ses.Phase):
    call = only(recovered(chat(proposed(), phase=phase, finish="")))
    assert (call.state, call.reason) == ("cancelled", "interrupted")


def test_what_a_person_started_is_asked_for_again():
    state = chat(at("succeeded"))
    more: list[Entry] = [
        log.InvocationStarted(at=5, key="1.0.0", tool="delete-note", compensates="1.1.0"),
        log.InvocationChanged(at=6, key="1.0.0", event=ev.ArgsClosed(args={}, prepared=ev.Prepared(digest="d9"))),
    ]
    assert recovered(fold(more, state)).invocations["1.0.0"].state == "pending"


@pytest.mark.parametrize("phase", ["connecting", "streaming", "stalled", "retrying"])
def test_an_answer_that_was_coming_failed_and_can_be_retried(phase: ses.Phase):
    session = recovered(chat(phase=phase)).turns[0].session
    assert (session.phase, session.cause) == ("failed", "truncated")
    assert "Retry" in session.reason
    assert ses.reduce(session, ses.Retry()).phase == "connecting"


@pytest.mark.parametrize("phase", ["idle", "done", "cancelled", "failed"])
def test_a_turn_that_was_over_stays_as_it_was(phase: ses.Phase):
    assert recovery(chat(at("succeeded"), phase=phase), at=LATER) == []


@pytest.mark.parametrize("state", ["proposed", "pending", "approved"])
def test_a_turn_that_waits_for_a_person_goes_on_waiting(state: str):
    after = recovered(chat(at("succeeded"), at(state)))
    assert after.turns[0].session.phase == "awaiting"


@pytest.mark.parametrize("state", ["executing", "unknown", "succeeded", "failed", "denied"])
def test_a_turn_that_waits_for_nobody_can_be_retried(state: str):
    session = recovered(chat(at(state))).turns[0].session
    assert (session.phase, session.cause) == ("failed", "truncated")


def test_the_words_so_far_are_kept():
    state = apply(chat(phase="streaming", finish=""), log.TextAdded(at=4, turn=1, step=1, text="Half an ans"))
    assert recovered(state).turns[0].steps[0].text == "Half an ans"


@settings(LOGS, max_examples=60)
@given(cut_logs())
def test_wherever_the_program_dies_nothing_runs_and_everything_can_go_on(parts: list[Entry]):
    before = fold(parts)
    appended = recovery(before, at=LATER)
    after = fold(appended, before)
    assert recovery(after, at=LATER) == []
    assert recovery(after, at=LATER + 10_000) == [] or any(
        call.state == "approved" for call in after.invocations.values()
    )
    assert not any(isinstance(one, log.InvocationChanged) and one.event.type == "dispatch" for one in appended)
    assert [turn.text for turn in after.turns] == [turn.text for turn in before.turns]
    for key, call in before.invocations.items():
        again = after.invocations[key]
        assert again.state not in {"streaming", "proposed", "executing"}
        assert again.attempt == call.attempt
        if call.settled or call.state in {"pending", "unknown"}:
            assert again is call
        if again.state == "approved":
            assert call.grant is not None
            assert (again, call.grant.source) == (call, "session")
    for turn in after.turns:
        assert turn.session.phase in {"idle", "awaiting", "done", "failed", "cancelled"}
        if turn.session.phase == "awaiting":
            assert any(after.invocations[key].state in {"pending", "approved"} for key in turn.calls)


@settings(LOGS, max_examples=30)
@given(cut_logs())
def test_every_entry_that_loading_appends_has_its_effect(parts: list[Entry]):
    state = fold(parts)
    for one in recovery(state, at=LATER):
        after = apply(state, one)
        assert replace(after, seq=state.seq) != state
        state = after


@settings(LOGS, max_examples=25)
@given(cut_logs())
def test_dying_while_it_recovers_ends_the_same(parts: list[Entry]):
    before = fold(parts)
    whole = replace(recovered(before), seq=0)
    appended = recovery(before, at=LATER)
    for cut in range(len(appended)):
        partly = fold(appended[:cut], before)
        assert replace(recovered(partly), seq=0) == whole
