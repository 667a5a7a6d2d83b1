"""P1 to P7 of the invocation, over every reachable situation and over random sequences."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from bitte_nb.core import invocation_events as ev
from bitte_nb.core.answer import model_result
from bitte_nb.core.invocation import LIVE, SETTLED, TRANSITIONS, Invocation, reduce, refusal
from bitte_nb.core.result import ToolData, ToolError
from tests.core.calls import EVENTS, NOW, card, edit, grant
from tests.core.logs import LOGS
from tests.core.strategies import invocation_events

SOON = NOW + 10
FLAVOURS: dict[str, dict[str, Any]] = {
    "plain": {},
    "remote": {"executor": "remote"},
    "person": {"responds": True},
    "idempotent": {"idempotent": True},
    "safe": {"safe": True},
    "all": {"executor": "remote", "responds": True, "idempotent": True, "safe": True},
}


def moves(call: Invocation) -> tuple[ev.InvocationEvent, ...]:
    """Every event in every way that can matter: right and wrong digest and version, fresh, used and expiring grants."""
    return _moves(call.prepared.digest if call.prepared else "d1", call.version)


@cache
def _moves(now: str, current: int) -> tuple[ev.InvocationEvent, ...]:
    return tuple(_all_moves(now, current))


def _all_moves(now: str, current: int) -> Iterator[ev.InvocationEvent]:
    other = "d2" if now == "d1" else "d1"
    seen = [(digest, current + by) for digest in (now, other) for by in (-1, 0, 1)]
    for digest, version in seen:
        for used in (None, NOW):
            for until in (None, SOON):
                given = grant(digest=digest, version=version, used_at=used, expires_at=until)
                yield ev.Approve(grant=given)
                yield ev.PolicyAllow(grant=given)
        yield ev.Respond(data=0, digest=digest, version=version, at=NOW)
        yield edit(to=other, seen=digest, version=version)
    for digest in (now, other):
        yield ev.Drift(prepared=card(digest))
        yield ev.Dispatch(digest=digest, at=NOW)
        yield ev.Dispatch(digest=digest, at=SOON)
    special = {"approve", "policy_allow", "respond", "edit", "drift", "dispatch"}
    yield from (event for name, event in EVENTS.items() if name not in special)


@dataclass(frozen=True)
class Permission:
    """What the events so far permit, kept apart from the reducer: nothing, asked, or yes to exactly one card."""

    asked: bool = False
    card: tuple[str, int] | None = None
    by: str = ""


def permit(permission: Permission, call: Invocation, event: ev.InvocationEvent) -> Permission:
    """The permission after an event that was accepted in `call`."""
    match event:
        case ev.ArgsClosed() | ev.Retry():
            return Permission()
        case ev.PolicyAsk() | ev.Edit() | ev.Drift():
            return Permission(asked=True)
        case ev.PolicyAllow(grant=given):
            return Permission(asked=permission.asked, card=(given.digest, given.version), by="rule")
        case ev.Approve(grant=given):
            return Permission(asked=permission.asked, card=(given.digest, given.version), by="human")
        case _:
            return permission


@dataclass(frozen=True)
class Move:
    before: Invocation
    permission: Permission
    event: ev.InvocationEvent
    after: Invocation


def situation(call: Invocation, permission: Permission) -> tuple[Any, ...]:
    """What of a call decides its future: versions count only relative to each other, times only in order."""
    given = call.grant
    return (
        call.state,
        call.prepared.digest if call.prepared else None,
        call.args is None,
        given and (given.digest, given.version - call.version, given.used_at is None, given.expires_at is None),
        call.input_failed,
        call.cancel_requested,
        call.doubt,
        permission.asked,
        permission.card and (permission.card[0], permission.card[1] - call.version, permission.by),
    )


@cache
def explored(flavour: str) -> tuple[tuple[Invocation, ...], tuple[Move, ...]]:
    """Breadth-first: every situation that any sequence of events leads to, and every move out of each."""
    first = Invocation(key="1.1.0", tool="add-note", **FLAVOURS[flavour])
    found = {situation(first, Permission()): first}
    queue = deque([(first, Permission())])
    taken: list[Move] = []
    while queue:
        call, permission = queue.popleft()
        for event in moves(call):
            after = reduce(call, event)
            taken.append(Move(call, permission, event, after))
            if after is call:
                continue
            then = permit(permission, call, event)
            if situation(after, then) not in found:
                found[situation(after, then)] = after
                queue.append((after, then))
    return tuple(found.values()), tuple(taken)


def all_moves() -> list[Move]:
    return [move for flavour in FLAVOURS for move in explored(flavour)[1]]


def all_calls() -> list[Invocation]:
    return [call for flavour in FLAVOURS for call in explored(flavour)[0]]


def test_the_exploration_is_finite_and_not_trivial():
    assert 40 < len(all_calls()) < 2_000
    assert len(all_moves()) > 3_000


def test_p1_the_only_edge_into_executing_is_a_dispatch_of_an_approved_call():
    into = {
        (move.before.state, move.event.type)
        for move in all_moves()
        if move.after.state == "executing" and move.before.state != "executing"
    }
    assert into == {("approved", "dispatch")}
    table = {(state, name) for state, row in TRANSITIONS.items() for name, to in row.items() if to == "executing"}
    assert table == {("approved", "dispatch"), ("executing", "progress"), ("executing", "cancel")}


def test_p2_nothing_runs_without_an_approval_or_an_allowing_rule_for_exactly_its_card():
    runs = [move for move in all_moves() if move.event.type == "dispatch" and move.after is not move.before]
    assert runs
    for move in runs:
        assert move.before.prepared is not None
        assert move.permission.card == (move.before.prepared.digest, move.before.version)
        assert isinstance(move.event, ev.Dispatch)
        assert move.event.digest == move.before.prepared.digest


def test_p3_where_the_policy_asks_only_a_persons_approval_lets_it_run():
    runs = [move for move in all_moves() if move.event.type == "dispatch" and move.after is not move.before]
    asked = [move for move in runs if move.permission.asked]
    assert asked
    assert {move.permission.by for move in asked} == {"human"}
    out_of_pending = {
        move.event.type for move in all_moves() if move.before.state == "pending" and move.after.state == "approved"
    }
    assert out_of_pending == {"approve"}


def test_p4_what_is_denied_expired_cancelled_or_undone_absorbs_everything():
    final = [move for move in all_moves() if move.before.state in {"denied", "expired", "cancelled", "undone"}]
    assert {move.before.state for move in final} == {"denied", "expired", "cancelled", "undone"}
    assert {move.event.type for move in final} == set(EVENTS)
    assert all(move.after is move.before for move in final)


def test_p5_a_retry_goes_through_the_policy_without_a_grant_or_a_result():
    retries = [move for move in all_moves() if move.event.type == "retry" and move.after is not move.before]
    assert {move.before.state for move in retries} == {"failed", "unknown"}
    for move in retries:
        after = move.after
        assert (after.state, after.grant, after.result) == ("proposed", None, None)
        assert after.attempt == move.before.attempt + 1
        old = move.before.grant
        assert old is None or old.version < after.version  # what was approved then is stale now


def test_a_settled_call_moves_only_by_a_retry_or_by_being_taken_back():
    leaves = {
        (move.before.state, move.event.type, move.after.state)
        for move in all_moves()
        if move.before.state in SETTLED and move.after is not move.before
    }
    assert leaves == {("failed", "retry", "proposed"), ("succeeded", "compensated", "undone")}


def test_p6_every_live_situation_can_settle_by_one_event():
    for flavour in FLAVOURS:
        calls, taken = explored(flavour)
        can = {id(move.before) for move in taken if move.after.state in SETTLED}
        assert [call for call in calls if call.state in LIVE and id(call) not in can] == []


def test_p7_every_state_is_reached_and_every_edge_is_taken():
    assert {call.state for call in all_calls()} == LIVE | SETTLED
    taken = {(m.before.state, m.event.type, m.after.state) for m in all_moves() if m.after is not m.before}
    edges = {(state, name, to) for state, row in TRANSITIONS.items() for name, to in row.items()}
    assert taken == edges


def test_refusal_and_reduce_never_disagree():
    for move in all_moves():
        assert (refusal(move.before, move.event) is not None) == (move.after is move.before)


def check(call: Invocation) -> None:
    """What holds in every state of every call."""
    given, card = call.grant, call.prepared
    if call.state in {"approved", "executing"}:
        assert given is not None
        assert card is not None
        assert (given.digest, given.version) == (card.digest, call.version)
        if call.state == "executing":
            assert given.used_at is not None
    if call.state in {"streaming", "proposed", "pending", "denied", "expired", "cancelled"}:
        assert given is None
    if call.state == "streaming":
        assert (call.args, card) == (None, None)
    if call.state in {"succeeded", "undone"}:
        assert isinstance(call.result, ToolData)
    elif call.state == "failed":
        assert isinstance(call.result, ToolError)
    else:
        assert call.result is None
    answer = model_result(call)
    assert (answer is None) == (call.state in LIVE - {"unknown"})
    if isinstance(answer, ToolError):
        assert answer.error.strip()
    assert call.settled == (call.state in SETTLED)
    assert call.version >= 1
    assert call.attempt >= 1


def test_what_holds_in_every_situation():
    for call in all_calls():
        check(call)


class Calls(RuleBasedStateMachine):
    """One call under well-formed, stale and nonsensical events in any order."""

    call: Invocation
    permission: Permission

    @initialize(
        executor=st.sampled_from(["http", "remote"]),
        responds=st.booleans(),
        idempotent=st.booleans(),
        safe=st.booleans(),
    )
    def begin(self, executor: Any, responds: bool, idempotent: bool, safe: bool) -> None:
        self.call = Invocation(
            key="1.1.0", tool="t", executor=executor, responds=responds, idempotent=idempotent, safe=safe
        )
        self.permission = Permission()

    @rule(data=st.data())
    def something_apt(self, data: st.DataObject) -> None:
        apt = [event for event in moves(self.call) if event.type in TRANSITIONS[self.call.state]]
        self.see(data.draw(st.sampled_from(apt or moves(self.call))))

    @rule(data=st.data())
    def something_known(self, data: st.DataObject) -> None:
        self.see(data.draw(st.sampled_from(moves(self.call))))

    @rule(event=invocation_events())
    def anything(self, event: ev.InvocationEvent) -> None:
        self.see(event)

    def see(self, event: ev.InvocationEvent) -> None:
        before = self.call
        after = reduce(before, event)
        assert after == reduce(before, event)
        if after is not before:
            assert TRANSITIONS[before.state][event.type] == after.state
            if isinstance(event, ev.Dispatch):
                assert before.prepared is not None
                assert self.permission.card == (before.prepared.digest, before.version)
                assert event.digest == before.prepared.digest
                assert not self.permission.asked or self.permission.by == "human"
            self.permission = permit(self.permission, before, event)
        self.call = after

    @invariant()
    def holds(self) -> None:
        if hasattr(self, "call"):
            check(self.call)


TestCalls = Calls.TestCase
TestCalls.settings = settings(LOGS, max_examples=40, stateful_step_count=30)
