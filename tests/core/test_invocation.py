"""One tool call against its table, written out here by hand, and its guards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest

from bitte_nb.core import invocation_events as ev
from bitte_nb.core.answer import model_result
from bitte_nb.core.invocation import LIVE, SETTLED, Invocation, State, reduce, refusal
from bitte_nb.core.result import ToolData, ToolError
from tests.core.calls import (
    CARD,
    EVENTS,
    NOW,
    after_retry,
    approved,
    at,
    card,
    drive,
    edit,
    executing,
    grant,
    pending,
    proposed,
)
from tests.core.strategies import FALSY

STATES = (
    "streaming", "proposed", "pending", "approved", "executing", "unknown",
    "succeeded", "failed", "denied", "expired", "cancelled", "undone",
)  # fmt: skip

# from: event -> to. What is not named here is ignored. [remote] only what a remote runtime carries out,
# [person] only where a person gives the result, [idempotent] only what may be sent again.
TABLE = """
streaming: args_delta -> streaming
streaming: args_closed -> proposed
streaming: args_rejected -> failed
streaming: cancel -> cancelled
proposed: policy_allow -> approved
proposed: policy_ask -> pending
proposed: policy_deny -> denied
proposed: args_rejected -> failed
proposed: cancel -> cancelled
proposed: observed_result -> succeeded [remote]
proposed: observed_error -> failed [remote]
pending: approve -> approved
pending: edit -> pending
pending: deny -> denied
pending: respond -> succeeded [person]
pending: expire -> expired
pending: drift -> pending
pending: policy_deny -> denied
pending: cancel -> cancelled
pending: observed_result -> succeeded [remote]
pending: observed_error -> failed [remote]
approved: dispatch -> executing
approved: drift -> pending
approved: expire -> expired
approved: policy_deny -> denied
approved: cancel -> cancelled
executing: progress -> executing
executing: cancel -> executing
executing: result -> succeeded
executing: error -> failed
executing: lost -> unknown
unknown: reconcile_ok -> succeeded
unknown: reconcile_failed -> failed
unknown: retry -> proposed [idempotent]
failed: retry -> proposed
succeeded: compensated -> undone
"""


def edges() -> dict[tuple[str, str], tuple[str, str]]:
    """(state, event) -> (next state, condition or empty)."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for line in TABLE.strip().splitlines():
        source, rest = line.split(": ")
        event, target = rest.split(" -> ")
        target, _, condition = target.partition(" ")
        found[source, event] = (target, condition.strip("[]"))
    return found


EDGES = edges()
CELLS = [(state, name) for state in STATES for name in EVENTS]
FLAVOURS: dict[str, dict[str, Any]] = {
    "": {},
    "remote": {"executor": "remote"},
    "person": {"responds": True},
    "idempotent": {"idempotent": True},
    "safe": {"safe": True},
}


def test_the_table_covers_twelve_states_and_twenty_four_events():
    assert len(CELLS) == 12 * 24
    assert set(STATES) == set(get_args(State))
    assert {kind.model_fields["type"].default for kind in get_args(get_args(ev.InvocationEvent)[0])} == set(EVENTS)
    assert all(event.type == name for name, event in EVENTS.items())
    assert {state for state, _ in EDGES} | {"denied", "expired", "cancelled", "undone"} == set(STATES)
    assert set(STATES[:6]) == LIVE
    assert set(STATES[6:]) == SETTLED


@pytest.mark.parametrize(("state", "name"), CELLS)
def test_every_cell(state: str, name: str):
    target, condition = EDGES.get((state, name), ("", ""))
    for flavour, fields in FLAVOURS.items():
        before = replace(at(state), **fields)
        after = reduce(before, EVENTS[name])
        may = condition in {"", flavour} or (condition == "idempotent" and flavour == "safe")
        if target and may:
            assert after.state == target, flavour
            assert after is not before, flavour
            assert refusal(before, EVENTS[name]) is None, flavour
        else:
            assert after is before, flavour
            assert refusal(before, EVENTS[name]) is not None, flavour


# What each event does beside the state


def test_argument_text_grows_and_is_never_armed():
    call = drive(Invocation(key="1.1.0", tool="t"), ev.ArgsDelta(text='{"a":1'), ev.ArgsDelta(text="000}"))
    assert (call.state, call.args_text, call.args, call.prepared) == ("streaming", '{"a":1000}', None, None)
    for name in ("approve", "policy_allow", "dispatch", "respond", "edit"):
        assert reduce(call, EVENTS[name]) is call


def test_closing_keeps_the_text_and_gives_the_arguments_and_the_card():
    call = drive(Invocation(key="1.1.0", tool="t"), ev.ArgsDelta(text="{}"), ev.ArgsClosed(args={}, prepared=CARD))
    assert (call.args_text, call.args, call.prepared, call.version) == ("{}", {}, CARD, 1)


def test_rejected_arguments_fail_with_the_sentence_and_cannot_be_retried():
    call = drive(Invocation(key="1.1.0", tool="t"), ev.ArgsRejected(error="Missing a.", args={"b": 1}))
    assert (call.state, call.result, call.args) == ("failed", ToolError(error="Missing a."), {"b": 1})
    assert refusal(call, ev.Retry(at=NOW)) == "not_allowed"


def test_arguments_that_were_closed_stay_visible_when_they_are_rejected_later():
    call = reduce(proposed(), ev.ArgsRejected(error="No such tool."))
    assert (call.state, call.args) == ("failed", proposed().args)


def test_asking_says_which_rule_why_and_until_when():
    call = reduce(proposed(), ev.PolicyAsk(rule="money", reason="It moves money.", expires_at=NOW + 9))
    assert (call.state, call.rule, call.reason, call.expires_at) == ("pending", "money", "It moves money.", NOW + 9)
    assert call.grant is None


def test_the_rule_that_allowed_is_shown_as_the_approver():
    call = reduce(proposed(), ev.PolicyAllow(grant=grant(source="rule", rule="read-only")))
    assert (call.rule, call.grant and call.grant.source) == ("read-only", "rule")


def test_an_edit_bumps_the_version_and_keeps_what_the_model_asked_for():
    first = reduce(pending(), edit(2, to="d2"))
    assert (first.state, first.version, first.args, first.original_args) == ("pending", 2, {"a": 2}, {"a": 1})
    second = reduce(first, edit(3, to="d3", seen="d2", version=2))
    assert (second.version, second.args, second.original_args) == (3, {"a": 3}, {"a": 1})
    assert second.prepared == card("d3")


@pytest.mark.parametrize(
    "other",
    [
        {"method": "DELETE"},
        {"url": "https://other.example/notes"},
        {"url": "http://agent.example/notes"},
        {"url": "https://agent.example:444/notes"},
        {"url": "https://agent.example.evil/notes"},
        {"url": "https://agent.example@evil.example/notes"},
        {"url": ""},
    ],
)
def test_an_edit_cannot_change_the_operation_or_the_server(other: dict[str, str]):
    moved = edit(prepared=card("d2").model_copy(update=other))
    assert refusal(pending(), moved) == "not_allowed"


@pytest.mark.parametrize("url", ["https://agent.example", "https://agent.example?a=1", "https://agent.example/x#y"])
def test_an_edit_may_change_path_and_query(url: str):
    moved = edit(prepared=card("d2").model_copy(update={"url": url}))
    assert reduce(pending(), moved).version == 2


@pytest.mark.parametrize(("at_time", "refused"), [(NOW + 9, None), (NOW + 10, "expired"), (NOW + 99, "expired")])
def test_once_the_time_is_over_only_a_no_counts(at_time: int, refused: str | None):
    call = replace(proposed(), responds=True)
    call = reduce(call, ev.PolicyAsk(rule="ask", expires_at=NOW + 10))
    yes = [
        ev.Approve(grant=grant(at=at_time)),
        edit(at=at_time),
        ev.Respond(data=1, digest="d1", version=1, at=at_time),
    ]
    assert [refusal(call, event) for event in yes] == [refused] * 3
    assert reduce(call, ev.Deny(at=at_time)).state == "denied"


def test_a_card_that_comes_back_gets_its_own_time():
    call = reduce(proposed(), ev.PolicyAsk(rule="ask", expires_at=NOW + 10))
    assert reduce(call, edit(expires_at=NOW + 20)).expires_at == NOW + 20
    approval = ev.Approve(grant=grant())
    assert drive(call, approval, ev.Drift(prepared=CARD, expires_at=NOW + 30)).expires_at == NOW + 30
    assert drive(call, approval, ev.Drift(prepared=CARD)).expires_at is None


# Trying again


def test_a_retry_of_an_unknown_outcome_keeps_the_key_and_says_that_there_is_a_doubt():
    call = after_retry(replace(at("unknown"), idempotent=True))
    assert (call.idempotency_key, call.doubt, call.state) == ("k1", True, "proposed")
    for event in (ev.PolicyDeny(rule="no"), ev.Cancel(at=NOW), ev.ArgsRejected(error="Gone.")):
        result = model_result(reduce(call, event))
        assert isinstance(result, ToolError)
        assert "may have taken effect" in result.error
    ran = drive(call, ev.PolicyAsk(rule="ask"), ev.Approve(grant=grant(version=2)), EVENTS["dispatch"])
    assert reduce(ran, EVENTS["result"]).doubt is False
    failed = reduce(ran, EVENTS["error"])
    assert failed.doubt
    assert after_retry(failed).idempotency_key == "k1"


def test_a_retry_after_a_failure_gets_a_key_of_its_own():
    call = after_retry(at("failed"))
    assert (call.idempotency_key, call.doubt) == ("", False)


def test_what_the_person_says_did_not_happen_is_tried_again_with_a_key_of_its_own():
    said = reduce(at("unknown"), ev.ReconcileFailed(error="It did not happen.", actor="me", at=NOW))
    assert (said.state, said.doubt) == ("failed", False)
    assert after_retry(said).idempotency_key == ""


def test_an_edited_or_drifted_request_never_goes_out_under_the_key_of_another():
    call = drive(after_retry(replace(at("unknown"), idempotent=True)), ev.PolicyAsk(rule="ask"))
    assert reduce(call, edit(version=2)).idempotency_key == ""
    assert reduce(call, ev.Drift(prepared=card("d2"))).idempotency_key == ""
    assert reduce(call, ev.Drift(prepared=CARD)).idempotency_key == "k1"


def test_an_edit_to_the_same_bytes_still_asks_for_the_new_version():
    call = reduce(pending(), edit(1, prepared=CARD))
    assert refusal(call, ev.Approve(grant=grant(version=1))) == "stale_decision"
    assert reduce(call, ev.Approve(grant=grant(version=2))).state == "approved"


@pytest.mark.parametrize("before", [pending(), approved()], ids=lambda call: call.state)
def test_drift_asks_again_with_a_new_version_and_drops_the_grant(before: Invocation):
    after = reduce(before, ev.Drift(prepared=ev.Prepared(digest="d2"), reason="The wallet changed."))
    assert (after.state, after.version, after.grant, after.reason) == ("pending", 2, None, "The wallet changed.")
    assert refusal(after, ev.Approve(grant=grant())) == "stale_decision"
    assert refusal(after, ev.Dispatch(digest="d1", at=NOW)) == "late"


def test_drift_that_changes_nothing_visible_does_not_let_the_old_grant_back_in():
    again = drive(approved(), ev.Drift(prepared=CARD))
    assert reduce(again, ev.Approve(grant=grant(version=1))) is again
    assert drive(again, ev.Approve(grant=grant(version=2)), ev.Dispatch(digest="d1", at=NOW)).state == "executing"


def test_dispatch_marks_the_grant_as_used_and_keeps_its_key():
    call = reduce(approved(), ev.Dispatch(digest="d1", at=NOW + 5, idempotency_key="k1"))
    assert (call.state, call.idempotency_key) == ("executing", "k1")
    assert call.grant is not None
    assert call.grant.used_at == NOW + 5


def test_cancelling_what_runs_only_asks_it_to_stop():
    call = reduce(executing(), ev.Cancel(at=NOW))
    assert (call.state, call.cancel_requested, call.ended_at) == ("executing", True, None)
    assert model_result(call) is None
    assert reduce(call, ev.Result(data=1, at=NOW)).state == "succeeded"


def test_progress_is_gone_once_the_outcome_is_known():
    call = reduce(executing(), ev.Progress(note="half"))
    assert call.progress == "half"
    for event in (ev.Result(data=1, at=NOW), ev.Error(error="No.", at=NOW)):
        assert reduce(call, event).progress == ""
    lost = reduce(call, ev.Lost(at=NOW))
    assert lost.progress == "half", "the last sign of life may name what was sent"
    for event in (ev.ReconcileOk(data=1, at=NOW), ev.ReconcileFailed(error="No.", at=NOW)):
        assert reduce(lost, event).progress == ""


def test_a_retry_starts_clean_and_counts():
    call = reduce(at("failed"), ev.Retry(at=NOW))
    assert (call.state, call.attempt, call.version, call.grant, call.result) == ("proposed", 2, 2, None, None)
    assert (call.reason, call.progress, call.cancel_requested, call.ended_at) == ("", "", False, None)
    assert call.args == {"a": 1}


def test_an_undone_call_keeps_its_result_and_says_by_whom():
    call = reduce(at("succeeded"), ev.Compensated(by="1.0.0", at=NOW))
    assert (call.state, call.result, call.undone_by) == ("undone", ToolData(data={"ok": True}), "1.0.0")


def test_what_a_success_offers_to_take_back_is_kept():
    undo = ev.Undo(tool="delete-note", args={"id": 1})
    assert reduce(executing(), ev.Result(data=1, undo=undo, at=NOW)).undo == undo


# Decisions and grants


@pytest.mark.parametrize(("digest", "version"), [("d2", 1), ("d1", 2), ("d1", 0), ("", 1), ("D1", 1)])
def test_a_decision_about_another_card_is_stale(digest: str, version: int):
    call = replace(pending(), responds=True)
    events: list[ev.InvocationEvent] = [
        ev.Approve(grant=grant(digest=digest, version=version)),
        ev.Respond(data=1, digest=digest, version=version, at=NOW),
        edit(seen=digest, version=version),
    ]
    for event in events:
        assert refusal(call, event) == "stale_decision"
        assert reduce(call, event) is call


@pytest.mark.parametrize("state", [state for state in STATES if state not in {"streaming", "proposed", "pending"}])
@pytest.mark.parametrize("name", ["approve", "deny", "edit", "respond"])
def test_the_first_decision_wins_and_the_second_is_told(state: str, name: str):
    before = at(state)
    assert refusal(before, EVENTS[name]) == "already_decided"
    assert reduce(before, EVENTS[name]) is before


@pytest.mark.parametrize("state", ["streaming", "proposed"])
@pytest.mark.parametrize("name", ["approve", "deny", "edit", "respond"])
def test_a_decision_before_anything_was_asked_is_not_said_to_be_decided(state: str, name: str):
    assert refusal(at(state), EVENTS[name]) == "late"


def test_a_double_click_approves_once():
    once = reduce(pending(), ev.Approve(grant=grant()))
    assert reduce(once, ev.Approve(grant=grant(at=NOW + 1))) is once


@pytest.mark.parametrize(("digest", "version"), [("d2", 1), ("d1", 2)])
def test_a_rule_cannot_allow_another_card(digest: str, version: int):
    assert refusal(proposed(), ev.PolicyAllow(grant=grant(digest=digest, version=version))) == "not_allowed"


@pytest.mark.parametrize("digest", ["d2", "", "D1", "d1 "])
def test_another_digest_never_runs(digest: str):
    call = approved()
    assert refusal(call, ev.Dispatch(digest=digest, at=NOW)) == "not_allowed"
    assert reduce(call, ev.Dispatch(digest=digest, at=NOW)) is call


def test_a_grant_for_another_version_never_runs_even_in_a_state_that_no_log_makes():
    torn = replace(approved(), version=2)
    assert refusal(torn, ev.Dispatch(digest="d1", at=NOW)) == "not_allowed"


def test_a_grant_is_used_once():
    used = replace(approved(), grant=grant(used_at=NOW))
    assert refusal(used, ev.Dispatch(digest="d1", at=NOW)) == "not_allowed"
    again = drive(executing(), ev.Error(error="No.", at=NOW), ev.Retry(at=NOW), ev.PolicyAsk(rule="r"))
    assert refusal(again, ev.Approve(grant=grant(version=1))) == "stale_decision"


@pytest.mark.parametrize(("at_time", "runs"), [(NOW + 9, True), (NOW + 10, False), (NOW + 11, False)])
def test_a_grant_runs_until_just_before_it_expires(at_time: int, runs: bool):
    call = drive(pending(), ev.Approve(grant=grant(expires_at=NOW + 10)))
    assert reduce(call, ev.Dispatch(digest="d1", at=at_time)).state == ("executing" if runs else "approved")


@pytest.mark.parametrize("before", [pending(), approved()], ids=lambda call: call.state)
def test_what_expired_cannot_be_approved_or_run(before: Invocation):
    call = reduce(before, ev.Expire(at=NOW))
    assert (call.state, call.grant) == ("expired", None)
    assert drive(call, ev.Approve(grant=grant()), ev.Dispatch(digest="d1", at=NOW)) is call


@pytest.mark.parametrize("event", [ev.PolicyDeny(rule="r"), ev.Cancel(at=NOW), ev.Expire(at=NOW)])
def test_whatever_ends_an_approved_call_takes_its_grant(event: ev.InvocationEvent):
    assert reduce(approved(), event).grant is None


@pytest.mark.parametrize("flavour", ["", "person", "idempotent", "safe"])
@pytest.mark.parametrize("state", STATES)
def test_a_result_from_outside_is_ignored_for_what_this_program_carries_out(state: str, flavour: str):
    call = replace(at(state), **FLAVOURS[flavour])
    assert reduce(call, EVENTS["observed_result"]) is call
    assert reduce(call, EVENTS["observed_error"]) is call


def test_an_unknown_outcome_is_retried_only_where_repeating_is_safe():
    assert refusal(at("unknown"), ev.Retry(at=NOW)) == "not_allowed"
    for flavour in ("safe", "idempotent"):
        call = after_retry(replace(at("unknown"), **FLAVOURS[flavour]))
        assert (call.state, call.attempt) == ("proposed", 2)


# Results


@pytest.mark.parametrize("data", FALSY, ids=repr)
def test_falsy_data_settles_as_data(data: Any):
    person = replace(pending(), responds=True)
    remote = replace(pending(), executor="remote")
    settled = [
        reduce(executing(), ev.Result(data=data, at=NOW)),
        reduce(person, ev.Respond(data=data, digest="d1", version=1, at=NOW)),
        reduce(remote, ev.ObservedResult(data=data, at=NOW)),
        reduce(at("unknown"), ev.ReconcileOk(data=data, at=NOW)),
    ]
    for call in settled:
        assert call.state == "succeeded"
        assert isinstance(call.result, ToolData)
        assert call.result.data == data
        assert type(call.result.data) is type(data)
        assert model_result(call) is call.result
        assert call.ended_at == NOW


@pytest.mark.parametrize("error", ["", " ", "\n"], ids=repr)
def test_a_failure_that_says_nothing_still_has_a_sentence(error: str):
    remote = replace(pending(), executor="remote")
    failed = [
        reduce(executing(), ev.Error(error=error, at=NOW)),
        reduce(proposed(), ev.ArgsRejected(error=error)),
        reduce(remote, ev.ObservedError(error=error, at=NOW)),
        reduce(at("unknown"), ev.ReconcileFailed(error=error, at=NOW)),
    ]
    for call in failed:
        assert isinstance(call.result, ToolError)
        assert call.result.error.strip()
        assert call.reason == call.result.error


@pytest.mark.parametrize("state", STATES)
def test_a_call_has_a_result_for_the_model_exactly_when_it_is_answered(state: str):
    result = model_result(at(state))
    if state in SETTLED or state == "unknown":
        assert isinstance(result, ToolData | ToolError)
        if isinstance(result, ToolError):
            assert result.error.strip()
    else:
        assert result is None


def test_a_result_and_a_live_state_never_meet():
    for state in STATES:
        assert at(state).result is None or state in SETTLED


def test_what_did_not_run_and_what_may_have_run_are_told_apart():
    reasons = get_args(ev.CancelReason)
    cancelled = [drive(pending(), ev.Cancel(reason=reason, at=NOW)) for reason in reasons]
    calls = [at("denied"), drive(pending(), ev.Deny(at=NOW)), at("expired"), *cancelled, at("unknown")]
    words: list[str] = []
    for call in calls:
        result = model_result(call)
        assert isinstance(result, ToolError)
        words.append(result.error)
    assert len(set(words)) == len(words)
    *not_run, unknown = words
    assert all("not run" in word for word in not_run)
    assert "not run" not in unknown
    assert "unknown" in unknown
    assert "Do not repeat it" in unknown
    assert all("Do not retry" in word for word in words[:2])


def test_a_denial_tells_the_model_why():
    result = model_result(drive(pending(), ev.Deny(reason="Too much money.", at=NOW)))
    assert isinstance(result, ToolError)
    assert "Too much money." in result.error


def test_a_denial_by_a_rule_is_not_put_in_a_persons_mouth():
    result = model_result(drive(proposed(), ev.PolicyDeny(rule="never", reason="No transfers here.")))
    assert isinstance(result, ToolError)
    assert "No transfers here." in result.error
    assert "They said" not in result.error
