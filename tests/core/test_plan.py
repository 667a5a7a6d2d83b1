"""What a turn needs next, asked of states that logs lead to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from bitte_nb.core import log, plan
from bitte_nb.core import session as ses
from bitte_nb.core.answer import model_result
from bitte_nb.core.fold import ChatState, Step, Turn, fold
from bitte_nb.core.invocation import LIVE, SETTLED, Invocation
from bitte_nb.core.log import Entry
from bitte_nb.core.result import ToolData
from tests.core.calls import at, card
from tests.core.logs import LOGS, valid_logs

STATES = sorted(LIVE | SETTLED)


def chat(*calls: Invocation, phase: ses.Phase = "awaiting") -> tuple[ChatState, Turn]:
    """A chat whose only step asked for `calls`, and its turn."""
    keyed = {f"1.1.{index}": replace(call, key=f"1.1.{index}") for index, call in enumerate(calls)}
    step = Step(step=1, calls=tuple(keyed), finish="tools")
    turn = Turn(turn=1, text="Hello", agent="demo", at=0, session=ses.Session(phase=phase, attempt=1), steps=(step,))
    return ChatState(turns=(turn,), invocations=keyed), turn


def turns_of(steps: list[list[Invocation]]) -> tuple[ChatState, Turn]:
    """A chat with one turn whose steps asked for these calls."""
    keyed = {
        f"1.{number}.{index}": replace(call, key=f"1.{number}.{index}")
        for number, calls in enumerate(steps, 1)
        for index, call in enumerate(calls)
    }
    made = tuple(
        Step(step=number, calls=tuple(key for key in keyed if key.startswith(f"1.{number}.")), finish="tools")
        for number in range(1, len(steps) + 1)
    )
    turn = Turn(turn=1, text="Hello", agent="demo", at=0, session=ses.Session(phase="awaiting"), steps=made)
    return ChatState(turns=(turn,), invocations=keyed), turn


def turn_of_steps(count: int, *, budget: int = 7) -> Turn:
    """A turn whose steps all finished with a call."""
    steps = tuple(Step(step=number, finish="tools", calls=(f"1.{number}.0",)) for number in range(1, count + 1))
    return Turn(turn=1, text="", agent="demo", at=0, steps=steps, budget=budget)


def test_six_calls_may_use_tools_and_the_seventh_must_end_in_words():
    offered = [plan.next_step(turn_of_steps(done)).tools for done in range(7)]
    assert offered == [True] * 6 + [False]


def test_a_new_budget_offers_tools_again():
    assert plan.next_step(turn_of_steps(7, budget=14)).tools
    assert not plan.next_step(turn_of_steps(13, budget=14)).tools


def test_a_step_that_broke_off_is_tried_again_and_does_not_cost_another():
    turn = turn_of_steps(2)
    broken = replace(turn, steps=(*turn.steps, Step(step=3, attempt=2, calls=("1.3.0",))))
    assert plan.next_step(broken) == plan.NextStep(step=3, attempt=3, tools=True)


def test_the_first_step_is_number_one():
    assert plan.next_step(turn_of_steps(0)) == plan.NextStep(step=1, attempt=1, tools=True)


@pytest.mark.parametrize("state", STATES)
def test_a_call_is_open_until_the_model_has_its_result(state: str):
    whole, turn = chat(at("succeeded"), at(state))
    assert [call.state for call in plan.open_calls(whole, turn)] == (
        [state] if state in {"streaming", "proposed", "pending", "approved", "executing"} else []
    )


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("phase", ["awaiting", "done", "failed", "cancelled", "streaming", "connecting", "retrying"])
def test_a_turn_rests_when_nothing_happens_without_a_person(state: str, phase: ses.Phase):
    whole, turn = chat(at(state), phase=phase)
    over = phase in {"done", "failed", "cancelled"}
    # A call that still streams when its turn is over can never go on: nobody reads its stream any more.
    busy = state in {"proposed", "approved", "executing"} or (state == "streaming" and not over)
    waits = phase == "awaiting" and state == "pending"
    assert plan.at_rest(whole, turn) == (not busy and (over or waits))


def test_a_turn_with_a_running_call_beside_a_pending_one_does_not_rest():
    whole, turn = chat(at("pending"), at("executing"))
    assert not plan.at_rest(whole, turn)


@pytest.mark.parametrize("state", STATES)
def test_a_step_is_only_run_again_while_none_of_its_calls_could_have_acted(state: str):
    whole, turn = chat(at(state))
    assert plan.replayable(whole, turn) == (state in {"streaming", "proposed", "cancelled"})
    reading, turn = chat(replace(at(state), safe=True))
    assert plan.replayable(reading, turn)


def test_the_same_request_counts_once_for_each_earlier_step():
    same = at("succeeded")
    whole, turn = turns_of([[same], [same], [at("proposed")]])
    assert [plan.same_requests(whole, turn, whole.invocations[f"1.{n}.0"]) for n in (1, 2, 3)] == [0, 1, 2]


def test_equal_calls_of_one_step_count_in_rounds_of_five_by_their_order():
    whole, turn = turns_of([[at("proposed")] * 12])
    counts = [plan.same_requests(whole, turn, whole.invocations[f"1.1.{n}"]) for n in range(12)]
    assert counts == [0] * 5 + [1] * 5 + [2] * 2


def test_another_request_does_not_count():
    other = at("succeeded")
    assert other.prepared is not None
    other = replace(other, prepared=other.prepared.model_copy(update={"digest": "d2"}))
    whole, turn = turns_of([[other], [at("proposed")]])
    assert plan.same_requests(whole, turn, whole.invocations["1.2.0"]) == 0
    assert plan.same_requests(whole, turn, at("streaming")) == 0


@settings(LOGS, max_examples=25)
@given(valid_logs())
def test_the_questions_have_an_answer_in_every_state(parts: list[Entry]):
    state = fold(parts)
    for turn in state.all_turns:
        step = plan.next_step(turn)
        assert 1 <= step.step <= len(turn.steps) + 1
        keys = {call.key for call in plan.open_calls(state, turn)}
        assert keys == {key for one in turn.steps for key in one.calls if model_result(state.invocations[key]) is None}
        assert all(call.state == "pending" for call in plan.pending_calls(state, turn))
        again = log.StepStarted(at=1, turn=turn.turn, step=step.step, attempt=step.attempt, model="m")
        after = fold([again], state).turn(turn.turn)
        assert after is not None
        assert after.steps[-1].attempt == step.attempt  # the fold takes the step that the plan names


def handed(to: str, state: str = "succeeded") -> Invocation:
    return replace(at(state), kind="handoff", result=ToolData(data={"agent": to}) if state == "succeeded" else None)


def test_whoever_was_handed_over_to_last_speaks_next():
    whole, turn = turns_of([[at("succeeded")], [handed("money")], [at("succeeded")]])
    assert plan.speaker(whole, turn) == "money"
    whole, turn = turns_of([[handed("money")], [handed("notes"), handed("money")], [handed("notes", "denied")]])
    assert plan.speaker(whole, turn) == "money"
    whole, turn = turns_of([[replace(handed("money"), kind="operation")]])
    assert plan.speaker(whole, turn) == "demo"


def same(state: str, text: str = "", **fields: object) -> Invocation:
    return replace(at(state), args_text=text, **fields)


@pytest.mark.parametrize(
    ("first", "second", "declined"),
    [
        (same("denied"), same("proposed"), True),
        (same("succeeded"), same("proposed"), False),
        (same("expired"), same("proposed"), False),
        (same("denied", '{"a": 1}', prepared=card("d9")), same("proposed", '{"a":1}'), True),
        (same("denied", '{"a": 2}', prepared=card("d9")), same("proposed", '{"a":1}'), False),
        (same("denied", tool="other"), same("proposed"), False),
        (same("denied", agent="other"), same("proposed"), False),
        (same("denied"), same("proposed", attempt=2), False),
        (same("denied", "not json", prepared=card("d9")), same("proposed", "not json"), False),
    ],
)
def test_a_request_is_declined_before_if_the_very_same_one_was_in_this_turn(
    first: Invocation, second: Invocation, declined: bool
):
    whole, turn = turns_of([[first], [second]])
    assert plan.declined_before(whole, turn, whole.invocations["1.2.0"]) == declined
    assert not plan.declined_before(whole, turn, whole.invocations["1.1.0"])


def test_a_call_was_edited_before_if_the_person_changed_its_very_arguments():
    edited = replace(at("succeeded"), original_args={"a": 1}, args={"a": 2})
    again, other = replace(at("proposed"), args={"a": 1}), replace(at("proposed"), args={"a": 3})
    back = replace(at("succeeded"), original_args={"a": 1}, args={"a": 1})
    for first, second, expected in ((edited, again, True), (edited, other, False), (back, again, False)):
        whole, turn = turns_of([[first], [second]])
        assert plan.edited_before(whole, turn, whole.invocations["1.2.0"]) == expected
