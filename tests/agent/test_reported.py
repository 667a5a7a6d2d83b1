"""Faults that people reported elsewhere and that no other test here holds: what must be true instead."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.core.messages import ToolMessage
from bitte_nb.errors import DecisionRefused, HistoryBusy
from bitte_nb.history.sqlite import SqliteStore
from bitte_nb.history.store import open_store
from bitte_nb.model.port import CallArgsDelta, CallStarted
from bitte_nb.spec.load import Document
from bitte_nb.testing import Call, Cut, ScriptedModel
from bitte_nb.widget.driver import Driver
from tests.agent.conftest import WALLET, ChatMaker, Counts
from tests.agent.virtual import Hasty, VirtualClock

NOTE = Call("add-note", {"text": "x"})


def results(model: Any, request: int) -> list[Any]:
    tools = [message for message in model.requests[request].messages if isinstance(message, ToolMessage)]
    return [part for message in tools for part in message.content]


@pytest.mark.parametrize("count", [2, 5, 20])
def test_many_results_at_one_moment_settle_all_and_make_one_continuation(make_chat: ChatMaker, count: int) -> None:
    chat = make_chat([[Call("add-note", {"text": f"{n}"}) for n in range(count)], ["Done."]])
    turn = chat.ask("notes")
    waiting = turn.pending

    def all_at_once() -> None:
        for pending in reversed(waiting):
            chat.decide(pending.call, "approve")

    chat.thread.call(all_at_once)
    turn.wait(60)
    assert [call.state for call in turn.invocations] == ["succeeded"] * count
    assert len(chat.agent.model.requests) == 2
    assert [part.toolCallId for part in results(chat.agent.model, 1)] == [call.call_id for call in turn.invocations]


def test_a_new_attempt_lets_no_card_of_the_old_one_be_approved(make_chat: ChatMaker, counts: Counts) -> None:
    steps = [[CallStarted(0, "a", "add-note"), CallArgsDelta(0, '{"text": "x"}'), Cut()], [NOTE], ["Done."]]
    chat = make_chat(steps, clock=Hasty())
    turn = chat.ask("note")
    [pending] = turn.pending
    [old] = [call for call in chat.state.invocations.values() if call.state == "cancelled"]
    with pytest.raises(DecisionRefused):
        chat.decide(old, "approve")
    pending.approve()
    assert turn.wait(60).phase == "done"
    assert counts.effects == 1


def test_a_page_that_closes_never_answers_and_stop_does(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[NOTE], ["never"]])
    turn = chat.ask("note").wait(60)
    page = Driver(chat, lambda _: None)
    page.close()
    chat.thread.call(lambda: None)
    assert [pending.tool for pending in chat.pending] == ["add-note"]
    assert len(chat.agent.model.requests) == 1
    chat.stop()
    assert [call.state for call in turn.invocations] == ["cancelled"]
    assert counts.effects == 0


class Full(SqliteStore):
    """A store whose disk is full while a test says so."""

    full = False

    def append(self, chat_id: str, entries: Any, **how: Any) -> int:
        if self.full:
            raise HistoryBusy("The disk is full. Nothing was lost; make room and send again.")
        return super().append(chat_id, entries, **how)


def test_an_approval_that_could_not_be_kept_leaves_the_card_with_the_error_and_counts_the_second_time(
    document: Document, tmp_path: Path, counts: Counts
) -> None:
    store = Full(tmp_path / "history.db")
    agent = bn.Agent(document, wallet=WALLET, model=ScriptedModel([[NOTE], ["Done."]]))
    chat = Chat(agent, store=store)
    turn = chat.ask("note")
    [pending] = turn.pending
    store.full = True
    with pytest.raises(HistoryBusy, match="make room"):
        pending.approve()
    assert [call.state for call in turn.invocations] == ["pending"]
    assert "The disk is full" in chat.notice
    assert counts.effects == 0
    store.full = False
    pending.approve()
    assert (turn.wait(60).phase, chat.notice, counts.effects) == ("done", "", 1)
    chat.close()


@pytest.mark.parametrize("minutes", [30, 60 * 24 * 7])
def test_an_approval_after_any_time_runs_and_the_next_message_works(
    make_chat: ChatMaker, counts: Counts, minutes: int
) -> None:
    clock = VirtualClock()
    chat = make_chat([[NOTE], ["Done."], ["Next."]], clock=clock)
    turn = chat.ask("note").wait(60)
    clock.advance(60 * minutes)
    turn.pending[0].approve()
    assert turn.wait(60).phase == "done"
    assert chat.ask("next").wait(60).text == "Next."
    assert counts.effects == 1


def test_a_whole_batch_beyond_the_cap_runs_nothing(make_chat: ChatMaker, counts: Counts) -> None:
    batch = [Call("create-share-link", {"text": f"{n}"}) for n in range(5)]
    chat = make_chat([[Call("create-share-link", {"text": f"step {step}"})] for step in range(6)] + [["words", *batch]])
    turn = chat.ask("go on and on").wait(60)
    assert (turn.phase, turn.outcome, turn.text) == ("done", "capped", "words")
    assert [call.state for call in turn.invocations] == ["succeeded"] * 6 + ["failed"] * 5
    assert not chat.agent.model.requests[6].tools


@pytest.mark.parametrize("name", ["history.db", "history.jsonl"])
def test_a_chat_that_goes_on_while_another_program_loads_it_is_whole_for_both(
    document: Document, tmp_path: Path, name: str
) -> None:
    model = ScriptedModel([[f"{n}"] for n in range(30)])
    chat = Chat(bn.Agent(document, model=model), store=tmp_path / name)
    chat.ask("0").wait(60)
    done = threading.Event()
    seen: list[list[str]] = []

    def load() -> None:
        store = open_store(tmp_path / name)
        while not done.is_set():
            loaded = store.load(chat.id)
            assert not loaded.gaps
            seen.append([one.text for one in loaded.entries if one.kind == "turn_started"])

    thread = threading.Thread(target=load)
    thread.start()
    for number in range(1, 30):
        chat.ask(f"{number}").wait(60)
    done.set()
    thread.join()
    whole = [f"{number}" for number in range(30)]
    assert seen
    assert all(one == whole[: len(one)] for one in seen)
    chat.close()
    assert [turn.state.text for turn in Chat.load(chat.id, agent=chat.agent, store=tmp_path / name).turns] == whole


def test_another_model_goes_on_with_the_whole_history(make_chat: ChatMaker, document: Document, history: Path) -> None:
    chat = make_chat([["One."], [NOTE], ["Two."]])
    chat.ask("first").wait(60)
    turn = chat.ask("second").wait(60)
    turn.pending[0].deny("no")
    turn.wait(60)
    chat.close()
    other = ScriptedModel([["Three."]], name="another model")
    again = Chat.load(chat.id, agent=bn.Agent(document, model=other, wallet=WALLET), store=history)
    assert again.ask("third").wait(60).text == "Three."
    roles = [message.role for message in other.requests[0].messages]
    assert roles == ["user", "assistant", "user", "assistant", "tool", "assistant", "user"]
    assert [step.model for turn in again.turns for step in turn.state.steps][-1] == "another model"
    again.close()


def test_a_history_is_found_by_its_place_by_every_program(make_chat: ChatMaker, history: Path) -> None:
    chat = make_chat([["One."]])
    chat.ask("first").wait(60)
    other = open_store(str(history))
    assert [info.chat for info in other.chats()] == [chat.id]
    assert other.where == str(history)
