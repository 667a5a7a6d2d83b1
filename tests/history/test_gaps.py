"""A chat whose records are torn never offers as new what may have run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitte_nb.core import invocation_events as on
from bitte_nb.core.fold import ChatState, apply, fold
from bitte_nb.core.log import Entry, InvocationChanged, TextAdded, TurnStarted
from bitte_nb.core.rehydrate import recovery
from bitte_nb.history.export import as_loaded, export
from bitte_nb.history.gaps import bridged, doubts
from bitte_nb.history.store import Gap, Loaded

from . import chats, logs

GRANT = on.Grant(source="human", digest=chats.DIGEST, version=1, at=1)
RUN: list[Entry] = [
    *chats.small_chat(),
    chats.event("1.1.0", on.Approve(grant=GRANT)),
    chats.event("1.1.0", on.Dispatch(digest=chats.DIGEST, at=7)),
    chats.event("1.1.0", chats.result({"sky": "blue"})),
]


def after_loss(lost: set[int]) -> tuple[str, str]:
    """State and reason of the call once those records (from 1) could not be read and the chat was loaded."""
    kept = [one for seq, one in enumerate(RUN, 1) if seq not in lost]
    gaps = [Gap(seq=seq, kind=RUN[seq - 1].kind, reason="torn") for seq in sorted(lost)]
    state = fold(kept)
    state = fold(doubts(state, gaps, at=50), state)
    call = fold(recovery(state, at=50), state).invocations["1.1.0"]
    return call.state, call.reason


@pytest.mark.parametrize("lost", [{10}, {11}, {10, 11}])
def test_an_approved_call_whose_dispatch_or_result_is_lost_is_unknown(lost: set[int]):
    state, reason = after_loss(lost)
    assert state == "unknown"
    assert "not known" in reason


def test_a_call_whose_approval_is_lost_says_that_it_may_have_run():
    state, reason = after_loss({9, 10, 11})
    assert state == "pending"
    assert "may have been answered or run already" in reason


def test_a_lost_word_casts_no_doubt():
    assert after_loss({4}) == ("succeeded", "")
    waiting = fold(chats.small_chat())
    assert doubts(waiting, [Gap(seq=4, kind="text_added", reason="torn")], at=9) == []
    assert doubts(waiting, [], at=9) == []
    assert len(doubts(waiting, [Gap(seq=4, kind="", reason="missing")], at=9)) == 1


@given(logs.entries(), st.data())
@settings(max_examples=100, deadline=None)
def test_no_approved_call_survives_a_doubt(entries: list[Entry], data: st.DataObject):
    lost = data.draw(st.sets(st.integers(2, max(2, len(entries))), min_size=1, max_size=4))
    state = fold([one for seq, one in enumerate(entries, 1) if seq not in lost])
    more = doubts(state, [Gap(seq=seq, kind="", reason="torn") for seq in lost], at=9)
    after = fold(more, state)
    assert "approved" not in {call.state for call in after.invocations.values()}
    settled = [key for key, call in state.invocations.items() if call.settled]
    assert all(after.invocations[key] == state.invocations[key] for key in settled)


def torn(entries: list[Entry], lost: set[int]) -> Loaded:
    kept = [one for seq, one in enumerate(entries, 1) if seq not in lost]
    gaps = [Gap(seq=seq, kind=entries[seq - 1].kind, reason="torn") for seq in sorted(lost)]
    return replace(as_loaded(entries), entries=kept, gaps=gaps)


TWO_TURNS: list[Entry] = [
    *RUN,
    chats.turn(2, "And in Porto?"),
    chats.step(2, 1),
    chats.says(2, 1, "It rains in Porto."),
    *chats.asked("2.1.0", {"city": "Porto"}),
]


@pytest.mark.parametrize("lost", range(1, len(TWO_TURNS) + 1))
def test_losing_any_record_hides_nothing_else(lost: int):
    chat = torn(TWO_TURNS, {lost})
    text = export(chat, "markdown")
    for seq, one in enumerate(TWO_TURNS, 1):
        if isinstance(one, TurnStarted | TextAdded) and seq != lost:
            assert one.text in text
    state = fold(bridged(chat))
    assert set(state.invocations) == {"1.1.0", "2.1.0"}
    assert state.chat == "c1"


@given(logs.entries(), st.data())
@settings(max_examples=100, deadline=None)
def test_every_readable_word_is_shown(drawn: list[Entry], data: st.DataObject):
    entries: list[Entry] = []
    state = ChatState()
    for one in drawn:  # a chat writes only what applies
        after = apply(state, one)
        if replace(after, seq=0) != replace(state, seq=0):
            entries.append(one)
        state = after
    lost = data.draw(st.sets(st.integers(1, len(entries)), min_size=1, max_size=4))
    chat = torn(entries, lost)
    state = fold(bridged(chat))
    for one in chat.entries:
        if isinstance(one, TurnStarted):
            assert state.turns[one.turn - 1].text == one.text
        if isinstance(one, InvocationChanged):
            assert one.key in state.invocations
    assert bridged(torn(entries, set())) == entries


def test_a_number_that_no_loss_explains_is_not_filled_up_to():
    far = chats.says(10**9, 10**9, "x")
    chat = torn([*chats.small_chat(), far, chats.call("1000000000.1.1")], {4})
    assert len(bridged(chat)) == len(chat.entries)
