"""Versions of a chat: where turns go, what is shown, and that nothing of another version is lost or done twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bitte_nb.core import log
from bitte_nb.core.branches import already_done, done_elsewhere, line_of
from bitte_nb.core.fold import ChatState, apply, fold
from bitte_nb.core.invocation import Invocation, State
from bitte_nb.core.invocation_events import Prepared
from bitte_nb.core.log import Entry, entry
from bitte_nb.history.core_messages import to_core_messages


def said(number: int, after: int | None = None) -> log.TurnStarted:
    return log.TurnStarted(at=number, turn=number, text=f"turn {number}", agent="demo", after=after)


def chose(number: int) -> log.BranchChosen:
    return log.BranchChosen(at=99, turn=number)


def path(state: ChatState) -> list[int]:
    return [turn.turn for turn in state.turns]


PATHS: dict[str, tuple[list[Entry], list[int]]] = {
    "a message goes on": ([said(1), said(2), said(3)], [1, 2, 3]),
    "the first message is edited": ([said(1), said(2), said(3, 0)], [3]),
    "the last message is edited": ([said(1), said(2), said(3, 1)], [1, 3]),
    "a message in the middle is edited": ([said(1), said(2), said(3), said(4, 1)], [1, 4]),
    "the edited message goes on": ([said(1), said(2), said(3, 1), said(4)], [1, 3, 4]),
    "the old version comes back": ([said(1), said(2), said(3, 1), said(4), chose(2)], [1, 2]),
    "a version comes back to its end": ([said(1), said(2), said(3), said(4, 0), chose(1)], [1, 2, 3]),
    "a version comes back as it was last seen": (
        [said(1), said(2), said(3), said(4, 1), said(5, 0), chose(1)],
        [1, 4],
    ),
    "a turn deep in another version": ([said(1), said(2), said(3), said(4, 0), chose(2)], [1, 2, 3]),
    "an older version within another": (
        [said(1), said(2), said(3, 1), said(4, 0), chose(2)],
        [1, 2],
    ),
    "the old version goes on": ([said(1), said(2), said(3, 1), chose(2), said(4)], [1, 2, 4]),
    "after a turn of another version": ([said(1), said(2), said(3, 0), said(4, 2)], [1, 2, 4]),
    "what is shown already": ([said(1), said(2), chose(1)], [1, 2]),
    "a turn that is not there": ([said(1), said(2), chose(7), chose(0), chose(-1)], [1, 2]),
}


@pytest.mark.parametrize("name", PATHS)
def test_the_path_is_what_was_said_and_chosen_last(name: str):
    entries, expected = PATHS[name]
    state = fold(entries)
    assert path(state) == expected
    assert [turn.turn for turn in state.all_turns] == list(range(1, state.count + 1))


@pytest.mark.parametrize("after", [2, 5, -1])
def test_a_turn_follows_an_earlier_one(after: int):
    with pytest.raises(ValidationError, match=f"turn 2 cannot follow turn {after}"):
        said(2, after)


@st.composite
def trees(draw: st.DrawFn) -> list[Entry]:
    """Turns anywhere, and choices of any."""
    entries: list[Entry] = []
    count = 0
    for _ in range(draw(st.integers(0, 12))):
        if count and draw(st.booleans()):
            entries.append(chose(draw(st.integers(1, count))))
        else:
            count += 1
            entries.append(said(count, draw(st.none() | st.integers(0, count - 1))))
    return entries


@settings(max_examples=200, deadline=None)
@given(trees())
def test_every_turn_stays_in_its_place_and_can_be_chosen(entries: list[Entry]):
    state = fold(entries)
    assert fold(entry.validate_json(entry.dump_json(one)) for one in entries) == state
    for turn in state.all_turns:
        chosen = fold([chose(turn.turn)], state)
        assert turn.turn in path(chosen)
        assert chosen.all_turns == state.all_turns
        assert line_of(chosen, turn) == set(path(chosen)[: path(chosen).index(turn.turn) + 1])
        assert [one.after for one in chosen.turns] == [0, *path(chosen)][: len(chosen.turns)]
        assert turn.turn in chosen.versions(turn)
        assert chosen.versions(turn) == state.versions(turn)
        last = chosen.last
        assert last is not None
        assert all(other.after != last.turn for other in state.all_turns)  # a path ends where nothing follows


@settings(max_examples=200, deadline=None)
@given(trees(), st.data())
def test_going_to_another_version_and_back_restores_exactly(entries: list[Entry], data: st.DataObject):
    state = fold(entries)
    if state.last is None:
        return
    there = state
    for _ in range(data.draw(st.integers(1, 3))):
        there = apply(there, chose(data.draw(st.integers(1, state.count))))
    assert apply(there, chose(state.last.turn)).turns == state.turns
    turn = data.draw(st.sampled_from(state.turns))
    sibling = data.draw(st.sampled_from(state.versions(turn)))
    back = apply(apply(state, chose(sibling)), chose(turn.turn))
    assert replace(back, seq=0) == replace(state, seq=0)


def test_the_model_reads_the_chosen_version_only():
    state = fold([said(1), said(2), said(3, 1), said(4)])
    assert [message.content for message in to_core_messages(state)] == ["turn 1", "turn 3", "turn 4"]
    state = fold([chose(2)], state)
    assert [message.content for message in to_core_messages(state)] == ["turn 1", "turn 2"]


def test_old_logs_have_one_path():
    stored = b'{"at":1,"kind":"turn_started","turn":1,"text":"a","agent":"demo"}'
    state = fold([entry.validate_json(stored), said(2)])
    assert path(state) == [1, 2]
    assert not state.elsewhere
    assert state.versions(state.turns[0]) == (1,)


# What was already done


def call(key: str, state: State = "proposed", *, digest: str = "d", tool: str = "add-note", safe: bool = False):
    return Invocation(
        key=key,
        tool=tool,
        agent="demo",
        safe=safe,
        state=state,
        args={},
        prepared=Prepared(digest=digest),
    )


def chat(entries: list[Entry], *calls: Invocation) -> ChatState:
    return replace(fold(entries), invocations={one.key: one for one in calls})


SAME = "Already done in another version of this answer."
OTHER = "Already done in another version of this answer, with other arguments."
DONE: dict[str, tuple[list[Entry], Invocation, str]] = {
    "the same request": ([said(1), said(2, 0)], call("1.1.0", "succeeded"), SAME),
    "with other arguments": ([said(1), said(2, 0)], call("1.1.0", "succeeded", digest="e"), OTHER),
    "nobody knows": (
        [said(1), said(2, 0)],
        call("1.1.0", "unknown"),
        "May already have been done in another version of this answer.",
    ),
    "it still runs there": (
        [said(1), said(2, 0)],
        call("1.1.0", "executing"),
        "May already have been done in another version of this answer.",
    ),
    "it was declined there": ([said(1), said(2, 0)], call("1.1.0", "denied"), ""),
    "it was taken back there": ([said(1), said(2, 0)], call("1.1.0", "undone"), ""),
    "another tool": ([said(1), said(2, 0)], call("1.1.0", "succeeded", tool="other"), ""),
    "an earlier turn of the same version": ([said(1), said(2)], call("1.1.0", "succeeded"), ""),
    "earlier, and there are other versions": (
        [said(1), said(2), said(3, 1), chose(2)],
        call("1.1.0", "succeeded"),
        "",
    ),
    "a later turn of the same version": (
        [said(1), said(2), said(3), said(4, 0), chose(3)],
        call("3.1.0", "succeeded"),
        "",
    ),
    "deep in another version": ([said(1), said(2, 0), said(3, 1), chose(2)], call("3.1.0", "succeeded"), SAME),
}


@pytest.mark.parametrize("name", DONE)
def test_what_ran_in_another_version_is_known(name: str):
    entries, other, sentence = DONE[name]
    this = call("2.1.0")
    assert already_done(chat(entries, other, this), this) == sentence


def test_reading_again_is_nothing_to_speak_of():
    this = call("2.1.0", safe=True)
    assert done_elsewhere(chat([said(1), said(2, 0)], call("1.1.0", "succeeded", safe=True), this), this) is None


def test_the_very_same_request_comes_before_any_other():
    this = call("2.1.0")
    others = [
        call("1.1.0", "succeeded", digest="e"),
        call("1.1.1", "succeeded"),
        call("1.1.2", "succeeded", digest="f"),
    ]
    found = done_elsewhere(chat([said(1), said(2, 0)], *others, this), this)
    assert found is not None
    assert found.key == "1.1.1"
