"""Histories that cannot be written, two programs in one chat, round trips, and waiting where it could never end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent import waiting
from bitte_nb.agent.chat import Chat
from bitte_nb.core.log import Entry
from bitte_nb.errors import BitteError, ChatConflict, DecisionRefused, HistoryError, WaitRefused
from bitte_nb.history.store import open_store
from bitte_nb.spec.load import Document
from bitte_nb.testing import Call, Pause, ScriptedModel
from tests.agent.conftest import WALLET, ChatMaker, Counts
from tests.agent.virtual import VirtualClock


def note(text: str) -> Call:
    return Call("add-note", {"text": text})


class Failing:
    """A store that stops writing where `when` says so; everything else is the real one's."""

    def __init__(self, path: Path, when: Callable[[Entry], bool]) -> None:
        self._store = open_store(path)
        self.when = when

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def append(self, chat_id: str, entries: Sequence[Entry], *, expected: int, durable: bool) -> int:
        if any(self.when(one) for one in entries):
            raise HistoryError("The disk is full. Make room, then load the chat again.")
        return self._store.append(chat_id, entries, expected=expected, durable=durable)


def event(name: str) -> Callable[[Entry], bool]:
    def found(one: Entry) -> bool:
        return getattr(one, "kind", "") == name or getattr(getattr(one, "event", None), "type", "") == name

    return found


@pytest.mark.parametrize(
    ("point", "effects"),
    [
        ("turn_started", 0),
        ("start", 0),
        ("step_started", 0),
        ("connected", 0),
        ("invocation_started", 0),
        ("step_finished", 0),
        ("args_closed", 0),
        ("policy_ask", 0),
        ("interrupt", 0),
        ("approve", 0),
        ("dispatch", 0),
        ("result", 1),
        ("resume", 1),
        ("complete", 1),
    ],
)
def test_where_the_history_cannot_be_written_nothing_runs_nothing_hangs_and_the_chat_says_so(
    document: Document, history: Path, counts: Counts, point: str, effects: int
) -> None:
    agent = bn.Agent(document, model=ScriptedModel([["Well. ", note("x")], *[["Noted."]] * 3]), wallet=WALLET)
    store = Failing(history, event(point))
    chat = Chat(agent, store=store)
    before = chat.state
    with contextlib.suppress(HistoryError):
        turn = chat.ask("note")
        for pending in turn.pending:
            pending.approve()
        turn.wait(60)
    if not chat.turns:
        assert chat.state == before
    assert "disk is full" in chat.notice
    assert counts.effects == effects
    kept = Chat.load(chat.id, agent=agent, store=history) if chat.conversation.recorder.head else None
    if kept is not None:
        assert [call.state for call in kept.invocations] in (
            [], ["cancelled"], ["pending"], ["unknown"], ["succeeded"],
        )  # fmt: skip
        assert counts.effects == effects
    store.when = lambda _: False  # the disk has room again
    assert chat.ask("once more").wait(60).phase in {"done", "awaiting"}
    assert not chat.notice
    chat.stop()
    assert all(call.settled or call.state == "unknown" for call in chat.invocations)
    assert counts.effects == effects
    chat.close()


def test_streamed_text_that_cannot_be_written_is_said_at_once(document: Document, history: Path) -> None:
    agent = bn.Agent(document, model=ScriptedModel([["a ", Pause(100), "b"]]), wallet=WALLET)
    store = Failing(history, event("text_added"))
    chat = Chat(agent, store=store)
    turn = chat.ask("hello")
    turn.wait(60)
    assert "disk is full" in chat.notice
    store.when = lambda _: False
    chat.close()


def test_a_notice_reaches_an_open_page(document: Document, history: Path) -> None:
    from bitte_nb.widget.driver import Driver

    chat = Chat(bn.Agent(document, model=ScriptedModel([["a"]])), store=Failing(history, event("complete")))
    sent: list[dict[str, Any]] = []
    Driver(chat, sent.append)
    chat.ask("hello").wait(60)
    end = time.monotonic() + 60
    while not any(message["type"] == "snapshot" and message["chat"]["notice"] for message in sent):
        assert time.monotonic() < end
        time.sleep(0.01)
    chat.close()


def test_two_programs_in_one_chat_never_mix_and_the_late_one_is_read_only(
    make_chat: ChatMaker, history: Path, counts: Counts
) -> None:
    first = make_chat([["One."], [note("from the first")], ["late"]])
    first.ask("one").wait(60)
    second = Chat.load(first.id, agent=first.agent, store=history)
    first.agent.model._steps = [["One."], ["Two."], [note("x")], ["late"]]
    assert second.ask("two").wait(60).text == "Two."
    with pytest.raises(ChatConflict, match="moved on"):
        first.ask("mine")
    assert "moved on" in first.notice
    assert [turn.phase for turn in first.turns] == ["done"]
    assert counts.requests == 0
    log = open_store(history).load(first.id).entries
    assert [one.text for one in log if one.kind == "turn_started"] == ["one", "two"]
    assert second.ask("three").wait(60).pending
    assert not second.notice
    second.close()


def test_a_program_that_lost_its_chat_sends_nothing_though_a_person_approves(
    make_chat: ChatMaker, history: Path, counts: Counts
) -> None:
    first = make_chat([[note("x")], ["ok"]])
    [pending] = first.ask("note").pending
    second = Chat.load(first.id, agent=bn.Agent(first.agent.document, model=ScriptedModel([["ok"]])), store=history)
    [same] = second.pending
    same.deny("decided in the second")
    assert second.turns[0].wait(60).invocations[0].state == "denied"
    with pytest.raises((HistoryError, DecisionRefused)):
        pending.approve()
    first.turns[0].wait(60)
    assert counts.effects == 0
    second.close()


@pytest.mark.parametrize("ending", [".jsonl", ".json", ".core.json"])
def test_an_exported_chat_is_imported_again_and_nothing_in_it_runs(
    make_chat: ChatMaker, history: Path, tmp_path: Path, counts: Counts, ending: str
) -> None:
    chat = make_chat([["Let me. ", Call("get-user"), note("é😀")], ["Done."]])
    turn = chat.ask("both")
    turn.pending[0].approve()
    turn.wait(60)
    path = chat.export(tmp_path / f"chat{ending}")
    requests = counts.requests
    again = Chat.import_from(path, agent=chat.agent, store=history)
    assert again.id != chat.id
    assert counts.requests == requests

    def bare(messages: list[dict[str, Any]]) -> Any:
        return json.loads(json.dumps(messages), object_hook=lambda one: {k: v for k, v in one.items() if k != "id"})

    assert bare(again.core_messages()) == bare(chat.core_messages())
    if ending != ".core.json":
        assert [call.result for call in again.invocations] == [call.result for call in chat.invocations]
    assert again.pending == []
    again.close()


def test_core_messages_are_imported_as_a_list(make_chat: ChatMaker, history: Path) -> None:
    chat = make_chat([[Call("get-user")], ["You are alice."]])
    chat.ask("who").wait(60)
    again = Chat.import_from(chat.core_messages(), agent=chat.agent, store=history, title="Imported")
    assert again.title == "Imported"
    assert [message["role"] for message in again.core_messages()] == ["user", "assistant", "tool", "assistant"]
    again.close()


@pytest.mark.parametrize("source", [b"", b"nonsense", b"{}", b'{"role": "user"}'])
def test_what_is_no_chat_is_refused_with_a_sentence(make_chat: ChatMaker, history: Path, source: Any) -> None:
    chat = make_chat([[]])
    with pytest.raises(HistoryError) as error:
        Chat.import_from(source, agent=chat.agent, store=history)
    assert len(str(error.value)) > 20


# Waiting --------------------------------------------------------------------------------------------------------------


def test_waiting_for_the_end_is_refused_in_a_kernel_while_a_click_is_needed(
    make_chat: ChatMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "in_kernel", lambda: True)
    monkeypatch.setattr(waiting, "_ipykernel", lambda: (7, 0))
    chat = make_chat([[note("x")], ["ok"]])
    turn = chat.ask("note")
    start = time.monotonic()
    assert turn.wait(60).phase == "awaiting"
    with pytest.raises(WaitRefused, match="clicks only between cells"):
        turn.wait(until="end")
    assert time.monotonic() - start < 60
    chat.clicks_off_main = True  # a click did come in on another thread: waiting can end

    def click() -> None:
        time.sleep(0.2)
        turn.pending[0].approve()

    clicker = threading.Thread(target=click)
    clicker.start()
    assert turn.wait(60, until="end").text == "ok"
    clicker.join()


@pytest.mark.parametrize(("version", "refused"), [((6, 29), True), ((7, 3), True), ((7, 4), False)])
async def test_awaiting_the_end_in_a_kernel_depends_on_its_version(
    make_chat: ChatMaker, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int], refused: bool
) -> None:
    monkeypatch.setattr(waiting, "in_kernel", lambda: True)
    monkeypatch.setattr(waiting, "_ipykernel", lambda: version)
    turn = make_chat([[note("x")], ["ok"]]).ask("note")
    await turn
    if refused:
        with pytest.raises(WaitRefused):
            await turn.finished()
        return
    finished = asyncio.ensure_future(turn.finished())
    await asyncio.sleep(0.05)
    turn.pending[0].approve()
    assert (await asyncio.wait_for(finished, 60)).text == "ok"


def test_a_script_may_wait_for_the_end_and_another_thread_decides(make_chat: ChatMaker) -> None:
    turn = make_chat([[note("x")], ["ok"]]).ask("note").wait(60)
    threading.Timer(0.2, lambda: turn.pending[0].approve()).start()
    assert turn.wait(60, until="end").text == "ok"


def test_a_wait_that_is_too_short_says_so_and_the_turn_goes_on(make_chat: ChatMaker) -> None:
    clock = VirtualClock()
    turn = make_chat([["a", Pause(1), "b"]], clock=clock).ask("hello")
    with pytest.raises(TimeoutError, match="it goes on"):
        turn.wait(0.05)
    clock.until_asleep(1)
    clock.advance(1)
    assert turn.wait(60).text == "ab"


def test_the_agent_thread_may_decide_but_never_waits_for_itself(make_chat: ChatMaker) -> None:
    clock = VirtualClock()
    chat = make_chat([[note("x")], [Pause(1), "ok"]], clock=clock)
    turn = chat.ask("note").wait(60)
    [pending] = turn.pending
    chat.thread.call(pending.approve)
    with pytest.raises(WaitRefused, match="agent thread"):
        chat.thread.call(lambda: turn.wait(60))
    with pytest.raises(WaitRefused, match="agent thread"):
        chat.thread.call(lambda: pending.respond("0xab"))
    clock.until_asleep(1)
    clock.advance(1)
    assert turn.wait(60).text == "ok"


def test_a_forked_process_is_told_that_nothing_would_answer(
    make_chat: ChatMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = make_chat([["Hello."]])
    monkeypatch.setattr(chat.thread, "pid", chat.thread.pid + 1)
    for act in (lambda: chat.ask("hi"), chat.stop, lambda: chat.log):
        with pytest.raises(WaitRefused, match="forked"):
            act()
    monkeypatch.undo()


async def test_a_running_loop_may_decide(make_chat: ChatMaker) -> None:
    turn = make_chat([[note("x")], ["ok"]]).ask("note")
    await turn
    turn.pending[0].approve()
    await asyncio.wait_for(turn.finished(), 60)
    assert turn.text == "ok"


def test_a_subscriber_that_fails_does_not_stop_the_chat(make_chat: ChatMaker, caplog: pytest.LogCaptureFixture) -> None:
    chat = make_chat([["Hello."]])

    def broken(*_args: object) -> None:
        raise ZeroDivisionError

    chat.thread.call(lambda: chat.conversation.subscribe(broken))
    assert chat.ask("hi").wait(60).text == "Hello."
    assert "subscriber" in caplog.text


def test_a_stored_chat_that_cannot_be_written_is_still_there_to_read(
    make_chat: ChatMaker, history: Path, counts: Counts
) -> None:
    chat = make_chat([["One."], [note("x")], ["ok"]])
    chat.ask("one").wait(60)
    [pending] = chat.ask("note").pending
    chat.thread.call(lambda: chat.conversation._drives[pending.call.key].cancel())  # as if the program had ended here
    pending.approve()
    again = Chat.load(chat.id, agent=chat.agent, store=Failing(history, lambda _: True))
    assert again.turns[0].text == "One."
    assert again.turns[1].wait(60).invocations[0].tool == "add-note"
    with pytest.raises(HistoryError, match="disk is full"):
        again.ask("more")
    assert "disk is full" in again.notice
    assert again.export(history.parent / "chat.md").read_text(encoding="utf-8").count("One.") == 1
    again.close()


def test_half_a_surrogate_pair_that_a_person_sends_is_shown_as_such(make_chat: ChatMaker) -> None:
    turn = make_chat([["Hello."]]).ask("hi \ud83d there").wait(60)
    assert (turn.state.text, turn.text) == ("hi \ufffd there", "Hello.")


@pytest.mark.parametrize(
    "text",
    ["", " ", "0x", "nonsense", "{}", "null", '{"signature": 5}', "0x" + "zz" * 65, "9" * 5_000, "[" * 5_000, "\ud800"],
    ids=range(11),
)
def test_whatever_a_person_pastes_as_a_result_is_checked_and_refused_with_a_sentence(
    make_chat: ChatMaker, text: str
) -> None:
    chat = make_chat([[Call("sign-message", {"message": "hello", "recipient": "shop.near"})], ["ok"]])
    [pending] = chat.ask("sign").pending
    with pytest.raises(BitteError) as error:
        pending.respond(text)
    assert str(error.value)
    assert chat.invocations[0].state == "pending"


def test_an_answer_that_a_busy_disk_holds_up_is_kept_through_a_new_message(
    document: Document, history: Path, counts: Counts
) -> None:
    agent = bn.Agent(document, model=ScriptedModel([[note("x")], ["Next."]]), wallet=WALLET)
    store = Failing(history, event("result"))
    chat = Chat(agent, store=store)
    turn = chat.ask("note")
    turn.pending[0].approve()
    turn.wait(60)
    assert (turn.invocations[0].state, counts.effects) == ("executing", 1)
    store.when = lambda _: False
    assert chat.ask("next").wait(60).text == "Next."
    chat.thread.call(lambda: None)
    assert [call.state for call in turn.invocations] == ["succeeded"]
    assert counts.effects == 1
    chat.close()
