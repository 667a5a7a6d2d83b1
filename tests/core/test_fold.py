"""The fold of the log: total, repeatable, deaf to how pieces are cut and to what it does not know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitte_nb.core import invocation_events as ev
from bitte_nb.core import log
from bitte_nb.core import session as ses
from bitte_nb.core.fold import STEP_CAP, ChatState, Step, apply, fold, turn_of
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.log import Entry, entry
from bitte_nb.core.result import ToolData
from tests.core.logs import LOGS, cut_logs, valid_logs
from tests.core.strategies import FALSY, entries


def opened(*more: Entry) -> list[Entry]:
    """A chat with one turn whose first step has begun, and `more`."""
    return [
        log.ChatOpened(at=0, chat="c1", agents=()),
        log.TurnStarted(at=1, turn=1, text="Hello", agent="demo"),
        log.SessionChanged(at=2, turn=1, event=ses.Start()),
        log.StepStarted(at=3, turn=1, step=1, attempt=1, model="m"),
        *more,
    ]


def text(words: str, *, step: int = 1) -> Entry:
    return log.TextAdded(at=4, turn=1, step=step, text=words)


def thinking(words: str) -> Entry:
    return log.ThinkingAdded(at=4, turn=1, step=1, text=words)


def started(key: str, *, call_id: str = "", tool: str = "t") -> Entry:
    return log.InvocationStarted(at=5, key=key, tool=tool, call_id=call_id)


def changed(key: str, *events: ev.InvocationEvent) -> list[Entry]:
    return [log.InvocationChanged(at=6, key=key, event=event) for event in events]


def run(key: str, data: Any) -> list[Entry]:
    """All that happens to a call that a rule allows and that returns `data`."""
    grant = ev.Grant(source="rule", rule="read-only", digest=key, version=1, at=7)
    return changed(
        key,
        ev.ArgsClosed(args={"key": key}, prepared=ev.Prepared(digest=key)),
        ev.PolicyAllow(grant=grant),
        ev.Dispatch(digest=key, at=8),
        ev.Result(data=data, at=9),
    )


def attempt(number: int, *, step: int = 1) -> Entry:
    return log.StepStarted(at=9, turn=1, step=step, attempt=number, model="m")


def first_step(state: ChatState) -> Step:
    return state.turns[0].steps[0]


def content(state: ChatState) -> ChatState:
    """The state without the number of entries that it took to say it."""
    return replace(state, seq=0)


def piece_of(one: Entry) -> str | None:
    """The text of a piece, or None for an entry that is whole."""
    match one:
        case log.TextAdded() | log.ThinkingAdded():
            return one.text
        case log.InvocationChanged(event=ev.ArgsDelta(text=words)):
            return words
        case _:
            return None


def with_piece(one: Entry, words: str) -> Entry:
    if isinstance(one, log.InvocationChanged):
        return one.model_copy(update={"event": ev.ArgsDelta(text=words)})
    return one.model_copy(update={"text": words})


def same_stream(one: Entry, other: Entry) -> bool:
    return with_piece(one, "").model_copy(update={"at": 0}) == with_piece(other, "").model_copy(update={"at": 0})


def join(parts: list[Entry]) -> list[Entry]:
    """Neighbouring pieces of the same stream as one."""
    joined: list[Entry] = []
    for one in parts:
        words, last = piece_of(one), piece_of(joined[-1]) if joined else None
        if words is not None and last is not None and same_stream(joined[-1], one):
            joined[-1] = with_piece(joined[-1], last + words)
        else:
            joined.append(one)
    return joined


def split(parts: list[Entry], at: st.DataObject) -> list[Entry]:
    """Every piece cut at a drawn place, which may be its start or its end."""
    cut: list[Entry] = []
    for one in parts:
        words = piece_of(one)
        if words is None:
            cut.append(one)
        else:
            where = at.draw(st.integers(0, len(words)))
            cut += [with_piece(one, words[:where]), with_piece(one, words[where:])]
    return cut


# Repeating, splitting, storing


@settings(LOGS, max_examples=25)
@given(valid_logs(), st.data())
def test_folding_again_or_in_two_parts_gives_the_same_state(parts: list[Entry], data: st.DataObject):
    whole = fold(parts)
    assert fold(parts) == whole
    where = data.draw(st.integers(0, len(parts)))
    before = fold(parts[:where])
    kept = repr(before)
    assert fold(parts[where:], before) == whole
    assert repr(before) == kept  # what was folded on is untouched
    assert whole.seq == len(parts)


@settings(LOGS, max_examples=25)
@given(valid_logs(), st.data())
def test_pieces_may_be_split_and_joined_anywhere(parts: list[Entry], data: st.DataObject):
    expected = content(fold(parts))
    assert content(fold(join(parts))) == expected
    assert content(fold(split(parts, data))) == expected
    assert content(fold(join(split(parts, data)))) == expected


@pytest.mark.parametrize("words", ["Hello", "", "e\u0301", "👩‍👩‍👧", "日本\n"])
def test_text_cut_at_every_place_is_the_same_text(words: str):
    whole = content(fold(opened(text(words), thinking(words))))
    for where in range(len(words) + 1):
        a, b = words[:where], words[where:]
        assert content(fold(opened(text(a), thinking(a), text(b), thinking(b)))) == whole


@settings(max_examples=60, deadline=None)
@given(entries())
def test_every_entry_survives_its_json(one: Entry):
    again = entry.validate_json(entry.dump_json(one))
    assert again == one
    assert type(again) is type(one)
    assert entry.dump_json(again) == entry.dump_json(one)


@settings(LOGS, max_examples=20)
@given(valid_logs())
def test_a_stored_log_folds_to_the_same_state(parts: list[Entry]):
    stored = [entry.dump_json(one) for one in parts]
    assert fold(entry.validate_json(one) for one in stored) == fold(parts)


@pytest.mark.parametrize("data", FALSY, ids=repr)
def test_a_falsy_result_survives_storing(data: Any):
    parts = opened(started("1.1.0"), *run("1.1.0", data))
    call = fold(entry.validate_json(entry.dump_json(one)) for one in parts).invocations["1.1.0"]
    assert call.state == "succeeded"
    assert isinstance(call.result, ToolData)
    assert call.result.data == data
    assert type(call.result.data) is type(data)


def test_every_field_of_a_grant_survives_storing():
    given = ev.Grant(source="session", rule="r", actor="me", digest="d", version=3, at=4, expires_at=5, used_at=6)
    one = log.InvocationChanged(at=1, key="1.1.0", event=ev.Approve(grant=given))
    assert entry.validate_json(entry.dump_json(one)) == one


# Totality


def well_formed(state: ChatState) -> None:
    """What holds for any state, whatever the log."""
    assert [turn.turn for turn in state.all_turns] == list(range(1, state.count + 1))
    assert [turn.after for turn in state.turns] == [0, *(turn.turn for turn in state.turns)][: len(state.turns)]
    assert not {turn.turn for turn in state.turns} & state.elsewhere.keys()
    for number, then in state.continued.items():
        assert state.elsewhere[then].after == number
    named: list[str] = []
    for turn in state.all_turns:
        assert [step.step for step in turn.steps] == list(range(1, len(turn.steps) + 1))
        for step in turn.steps:
            assert all(key.startswith(f"{turn.turn}.{step.step}.") for key in step.calls)
        assert all(key.startswith(f"{turn.turn}.0.") for key in turn.actions)
        named += turn.calls
    assert len(named) == len(set(named))
    assert set(named) <= set(state.invocations)
    for key, call in state.invocations.items():
        assert call.key == key
        number, step, index = key.split(".")
        assert index.isascii()
        assert turn_of(key) == int(number)
        assert int(step) <= len(state.all_turns[int(number) - 1].steps)


@settings(LOGS, max_examples=30)
@given(cut_logs(max_turns=1), st.lists(entries(), max_size=15))
def test_any_entries_in_any_order_are_taken_without_an_error(parts: list[Entry], more: list[Entry]):
    state = fold(parts)
    for one in more:
        after = apply(state, one)
        assert after.seq == state.seq + 1
        well_formed(after)
        state = after


UNKNOWN: dict[str, Entry] = {
    "a turn that skips one": log.TurnStarted(at=9, turn=3, text="", agent=""),
    "a turn that exists": log.TurnStarted(at=9, turn=1, text="again", agent=""),
    "turn zero": log.TurnStarted(at=9, turn=0, text="", agent=""),
    "a budget of no turn": log.BudgetExtended(at=9, turn=2, calls=7),
    "a session of no turn": log.SessionChanged(at=9, turn=2, event=ses.Start()),
    "a session of turn zero": log.SessionChanged(at=9, turn=0, event=ses.Start()),
    "a session of turn minus one": log.SessionChanged(at=9, turn=-1, event=ses.Cancel()),
    "a step of no turn": log.StepStarted(at=9, turn=2, step=1, attempt=1, model="m"),
    "a step that skips one": log.StepStarted(at=9, turn=1, step=3, attempt=1, model="m"),
    "step zero": log.StepStarted(at=9, turn=1, step=0, attempt=1, model="m"),
    "text of no step": log.TextAdded(at=9, turn=1, step=2, text="x"),
    "text of step zero": log.TextAdded(at=9, turn=1, step=0, text="x"),
    "text of step minus one": log.TextAdded(at=9, turn=1, step=-1, text="x"),
    "text of no turn": log.TextAdded(at=9, turn=2, step=1, text="x"),
    "thinking of no step": log.ThinkingAdded(at=9, turn=1, step=2, text="x"),
    "an offer of no step": log.Offered(at=9, turn=1, step=2, choices=(log.Choice(tool="t", label="l"),)),
    "the end of no step": log.StepFinished(at=9, turn=1, step=2, reason="stop"),
    "a call of no turn": log.InvocationStarted(at=9, key="2.1.0", tool="t"),
    "a call of no step": log.InvocationStarted(at=9, key="1.2.0", tool="t"),
    "a call with no key": log.InvocationStarted(at=9, key="", tool="t"),
    "a call with half a key": log.InvocationStarted(at=9, key="1.1", tool="t"),
    "a call with a longer key": log.InvocationStarted(at=9, key="1.1.0.0", tool="t"),
    "a call with words as key": log.InvocationStarted(at=9, key="call_1", tool="t"),
    "a call with another spelling": log.InvocationStarted(at=9, key="01.1.0", tool="t"),
    "a call with foreign digits": log.InvocationStarted(at=9, key="١.1.0", tool="t"),
    "a call with a sign": log.InvocationStarted(at=9, key="1.-1.0", tool="t"),
    "a call with endless digits": log.InvocationStarted(at=9, key="1" * 5000 + ".1.0", tool="t"),
    "a call that was started": log.InvocationStarted(at=9, key="1.1.0", tool="other"),
    "an event of no call": log.InvocationChanged(at=9, key="1.1.7", event=ev.Retry(at=9)),
    "an event without a place": log.InvocationChanged(at=9, key="1.1.0", event=ev.Result(data=1, at=9)),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_the_log_does_not_know_changes_nothing(name: str):
    state = fold(opened(text("Hi"), started("1.1.0")))
    after = apply(state, UNKNOWN[name])
    assert content(after) == content(state)
    assert after.seq == state.seq + 1


def test_entries_before_the_chat_was_opened_or_had_a_turn_change_nothing():
    loose = opened(text("x"), started("1.1.0"), *run("1.1.0", 1))[2:]
    assert content(fold(loose)) == ChatState()


# Attempts


def test_a_new_attempt_keeps_the_text_until_its_first_piece():
    state = fold(opened(text("Half an ans"), thinking("Hm"), attempt(2)))
    step = first_step(state)
    assert (step.text, step.thinking, step.stale, step.attempt) == ("Half an ans", "Hm", True, 2)
    step = first_step(apply(state, text("The")))
    assert (step.text, step.thinking, step.stale) == ("The", "", False)
    assert first_step(fold([text("The"), text(" answer")], state)).text == "The answer"


@pytest.mark.parametrize(
    "one",
    [
        thinking("Again"),
        started("1.1.1"),
        log.Offered(at=9, turn=1, step=1, choices=()),
        log.StepFinished(at=9, turn=1, step=1, reason="stop"),
    ],
    ids=lambda one: one.kind,
)
def test_any_piece_of_a_new_attempt_drops_the_old_text(one: Entry):
    state = fold(opened(text("Half an ans"), attempt(2), one))
    assert first_step(state).text == ""
    assert not first_step(state).stale


def test_the_text_of_a_broken_attempt_stays_through_several_that_say_nothing():
    state = fold(opened(text("Half"), attempt(2), attempt(3)))
    assert (first_step(state).text, first_step(state).attempt) == ("Half", 3)
    assert first_step(apply(state, text("Whole"))).text == "Whole"


def test_a_new_attempt_drops_the_calls_of_the_old_one_but_not_their_history():
    cancel = ev.Cancel(reason="attempt_dropped", at=9)
    state = fold(opened(started("1.1.0"), *changed("1.1.0", cancel), attempt(2), started("1.1.1")))
    assert first_step(state).calls == ("1.1.1",)
    assert state.invocations["1.1.0"].state == "cancelled"


def test_text_of_a_finished_step_stays_while_the_next_one_begins():
    state = fold(opened(text("First"), attempt(1, step=2), text("Second", step=2)))
    assert [step.text for step in state.turns[0].steps] == ["First", "Second"]


# Calls


def test_interleaved_calls_get_their_own_arguments_and_results():
    def delta(key: str, words: str) -> list[Entry]:
        return changed(key, ev.ArgsDelta(text=words))

    state = fold(
        opened(
            started("1.1.0", call_id="a"),
            *delta("1.1.0", '{"x"'),
            started("1.1.1", call_id="b"),
            *delta("1.1.1", '{"y":'),
            *delta("1.1.0", ":1}"),
            *delta("1.1.1", "2}"),
            *run("1.1.1", "B"),
            *run("1.1.0", "A"),
        )
    )
    assert [state.invocations[key].args_text for key in first_step(state).calls] == ['{"x":1}', '{"y":2}']
    assert [state.invocations[key].result for key in first_step(state).calls] == [
        ToolData(data="A"),
        ToolData(data="B"),
    ]
    assert [state.invocations[key].args for key in first_step(state).calls] == [{"key": "1.1.0"}, {"key": "1.1.1"}]


@settings(max_examples=30, deadline=None)
@given(st.permutations([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]))
def test_parallel_calls_may_finish_in_any_order(order: list[int]):
    keys = ["1.1.0", "1.1.1", "1.1.2"]
    waiting = {key: run(key, f"result of {key}") for key in keys}
    parts = [waiting[keys[index]].pop(0) for index in order]
    state = fold(opened(*(started(key, call_id="same") for key in keys), *parts))
    assert first_step(state).calls == tuple(keys)  # call order, not the order in which they finished
    for key in keys:
        assert state.invocations[key].result == ToolData(data=f"result of {key}")


def test_the_same_provider_id_in_two_steps_is_two_calls():
    state = fold(
        opened(
            started("1.1.0", call_id="call_1"),
            *run("1.1.0", "first"),
            attempt(1, step=2),
            started("1.2.0", call_id="call_1"),
            *run("1.2.0", "second"),
        )
    )
    results = {key: call.result for key, call in state.invocations.items()}
    assert results == {"1.1.0": ToolData(data="first"), "1.2.0": ToolData(data="second")}
    assert state.turns[0].calls == ("1.1.0", "1.2.0")


def test_a_call_that_is_started_twice_is_one_call():
    state = fold(opened(started("1.1.0"), *changed("1.1.0", ev.ArgsDelta(text="{")), started("1.1.0", tool="twin")))
    assert first_step(state).calls == ("1.1.0",)
    assert (state.invocations["1.1.0"].tool, state.invocations["1.1.0"].args_text) == ("t", "{")


def test_what_a_person_starts_belongs_to_the_turn_and_to_no_step():
    state = fold(opened(started("1.0.0"), started("1.1.0")))
    turn = state.turns[0]
    assert (turn.actions, turn.steps[0].calls, turn.calls) == (("1.0.0",), ("1.1.0",), ("1.1.0", "1.0.0"))


def test_a_call_carries_what_its_start_said():
    one = log.InvocationStarted(
        at=5, key="1.1.0", tool="put-note", tool_kind="operation", executor="http", call_id="c", agent="demo",
        method="PUT", path="/notes/{id}", idempotent=True, compensates="1.0.0",
    )  # fmt: skip
    assert fold(opened(one)).invocations["1.1.0"] == Invocation(
        key="1.1.0", tool="put-note", kind="operation", executor="http", call_id="c", agent="demo",
        method="PUT", path="/notes/{id}", idempotent=True, compensates="1.0.0", started_at=5,
    )  # fmt: skip


# Turns


def test_a_turn_has_seven_calls_and_more_only_when_the_person_says_so():
    assert STEP_CAP == 7
    assert fold(opened()).turns[0].budget == 7
    assert fold(opened(log.BudgetExtended(at=9, turn=1, calls=7))).turns[0].budget == 14


def test_a_late_entry_of_an_old_turn_reaches_that_turn():
    again = log.TurnStarted(at=9, turn=2, text="More", agent="demo")
    state = fold(opened(text("One"), again, text(" and a half")))
    assert state.turns[0].steps[0].text == "One and a half"
    assert state.turns[1].steps == ()


def test_the_last_step_says_what_it_cost_and_when_it_ended():
    end = log.StepFinished(at=99, turn=1, step=1, reason="stop", input_tokens=3, output_tokens=4, raw={"id": 1})
    step = first_step(fold(opened(end)))
    assert (step.finish, step.input_tokens, step.output_tokens, step.raw, step.ended_at) == (
        "stop",
        3,
        4,
        {"id": 1},
        99,
    )


@settings(LOGS, max_examples=25)
@given(valid_logs())
def test_every_call_of_a_log_has_its_place(parts: list[Entry]):
    state = fold(parts)
    well_formed(state)
    placed = {key for turn in state.all_turns for key in turn.calls}
    for key in set(state.invocations) - placed:
        call = state.invocations[key]
        assert call.settled or call.state == "unknown"  # only the calls of dropped attempts are shown nowhere


def test_a_step_says_how_long_it_thought_before_its_first_word():
    begun = log.StepStarted(at=1_000, turn=1, step=1, model="m", attempt=1)
    thought = log.ThinkingAdded(at=1_200, turn=1, step=1, text="Hm")
    said = log.TextAdded(at=3_500, turn=1, step=1, text="So")
    more = log.TextAdded(at=9_000, turn=1, step=1, text=" it is")
    done = log.StepFinished(at=9_100, turn=1, step=1, reason="stop")
    for parts, took in (
        ([begun, thought], 0),
        ([begun, thought, said], 2_500),
        ([begun, thought, said, more, done], 2_500),
        ([begun, thought, done], 8_100),
        ([begun, said, done], 0),
    ):
        turn = fold([*opened()[:-1], *parts]).turn(1)
        assert turn is not None
        assert turn.steps[-1].thought_ms == took
