"""Whatever a model does and however a person decides: every turn comes to rest, and every projection agrees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.recorder import Recorder
from bitte_nb.core.answer import model_result
from bitte_nb.core.fold import fold
from bitte_nb.core.log import ChatOpened, Entry
from bitte_nb.core.messages import AssistantMessage, CoreMessage, ToolCallPart, ToolMessage
from bitte_nb.core.plan import at_rest
from bitte_nb.core.rehydrate import recovery
from bitte_nb.errors import DecisionRefused
from bitte_nb.testing import Call, Cut, Fault, Pause, ScriptedModel
from bitte_nb.widget.driver import Driver
from tests.agent.bodies import Bodies
from tests.agent.virtual import Hasty
from tests.golden.page import Page
from tests.widget.pages import Memory


@pytest.fixture(scope="module")
def server() -> Iterator[Bodies]:
    with Bodies(b'{"ok": [0, false, "", null]}') as server:
        yield server


units = st.one_of(
    st.text(max_size=5),
    st.builds(
        Call,
        st.sampled_from(["read", "read", "write", "write", "no-such-tool"]),
        st.sampled_from([{}, {"n": 1}, {"n": 2}, {"zzz": 1}, "{", "[]", '{"n": 1}{"n": 2}']),
        call_id=st.sampled_from(["", "", "same"]),
        piece=st.integers(0, 3),
    ),
    st.sampled_from(
        [
            Pause(0.01),
            Pause(1.5),
            Cut(),
            Fault.http(503),
            Fault.http(401),
            Fault(RuntimeError("odd")),
            Fault(TimeoutError()),
        ]
    ),
)
scripts = st.lists(st.lists(units, max_size=4), max_size=9)
decisions = st.lists(st.sampled_from(["approve", "approve", "deny", "stop", "ask", "undo"]), max_size=12)


def begun(server: Bodies, script: list[list[Any]], kept: Sequence[Entry] = ()) -> tuple[Chat, Memory]:
    """A chat over a store in memory: a new one, or one that goes on from the entries that were kept."""
    clock, store = Hasty(), Memory()
    agent = bn.Agent(server.document(), model=ScriptedModel(script, sleep=clock.sleep))
    store.entries += kept
    state = fold(kept)
    first = [ChatOpened(at=1, chat="c1", agents=(agent.record(),))]
    chat = Chat.__new__(Chat)
    entries = recovery(state, at=clock.now()) if kept else first
    chat._begin(state, {agent.id: agent}, Recorder(store, "c1", head=len(kept)), clock, entries)
    return chat, store


def provider_valid(messages: list[CoreMessage]) -> None:
    """Every call is answered once, in the message right after it, and no answer has no call."""
    expected: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            assert [part.toolCallId for part in message.content] == expected
            expected = []
            continue
        assert not expected, "a call has no result"
        if isinstance(message, AssistantMessage):
            expected = [part.toolCallId for part in message.parts if isinstance(part, ToolCallPart)]
            assert len(expected) == len(set(expected))
    assert not expected


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(scripts, decisions)
def test_every_turn_comes_to_rest_and_log_page_and_history_agree(
    server: Bodies, script: list[list[Any]], acts: list[str]
) -> None:
    chat, store = begun(server, script)
    model = chat.agent.model
    sent: list[dict[str, Any]] = []
    driver, page = Driver(chat, sent.append), Page()
    page.take(driver.snapshot())
    requests = server.count
    turn = chat.ask("go")
    for act in [*acts, *["approve"] * 40]:
        turn = chat.turns[-1].wait(60)
        assert at_rest(chat.state, turn.state)
        pending = turn.pending
        if act == "stop":
            chat.stop()
        elif act == "ask":
            turn = chat.ask("and?")
        elif act == "undo":
            for call in chat.invocations:
                with pytest.raises(DecisionRefused):
                    chat.undo(call)
        elif pending:
            pending[0].approve() if act == "approve" else pending[0].deny("no")
    turn = chat.turns[-1].wait(60)
    assert turn.phase in {"done", "failed", "cancelled"}
    assert not chat.notice
    event(f"{turn.phase} with {min(len(model.requests), 8)} model calls")

    calls = list(chat.state.invocations.values())
    assert all(call.settled or call.state == "unknown" for call in calls)
    assert all(model_result(call) is not None for call in calls)
    ran = [call for call in calls if call.grant is not None and call.grant.used_at is not None]
    assert server.count - requests == len(ran), "a call ran without a grant, or twice"
    for request in model.requests:
        provider_valid(request.messages)
        assert request.messages[-1].role in {"user", "tool"}
    provider_valid(chat.messages)
    for one in chat.state.turns:
        assert len(one.steps) <= 7

    chat.thread.call(chat.conversation.save)
    state = fold(store.entries)
    assert state.turns == chat.state.turns
    assert state.invocations == chat.state.invocations
    shown = driver.snapshot()
    for message in sent:
        assert page.take(message) != "gap"
    assert page.chat == shown["chat"]
    chat.close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scripts, st.data())
def test_a_program_that_ends_anywhere_is_taken_up_again_and_nothing_runs_by_itself(
    server: Bodies, script: list[list[Any]], data: st.DataObject
) -> None:
    chat, store = begun(server, script)
    chat.ask("go")
    for _ in range(20):
        pending = chat.turns[-1].wait(60).pending
        if not pending:
            break
        pending[0].approve()
    chat.close()
    kept = store.entries[: data.draw(st.sampled_from(store.heads), label="entries on disk")]
    requests = server.count
    again, _ = begun(server, [["Well."]] * 9, kept)
    assert server.count == requests, "loading sent something"
    assert all(at_rest(again.state, turn) for turn in again.state.turns)
    assert again.ask("and now?").wait(60).text == "Well."
    assert server.count == requests
    provider_valid(again.agent.model.requests[-1].messages)
    again.close()
