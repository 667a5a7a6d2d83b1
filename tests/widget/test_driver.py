"""The kernel's side of an open page: what it sends adds up to its state, and what a page asks is a request."""

from __future__ import annotations

import asyncio
import copy
import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitte_nb.agent import acts
from bitte_nb.core import invocation_events as ev
from bitte_nb.core import log
from bitte_nb.core import session as ses
from bitte_nb.core.log import Entry
from bitte_nb.history.record import storable
from bitte_nb.testing import Call, Pause
from bitte_nb.widget.driver import Driver
from bitte_nb.widget.view import chat_view, invocation_view
from bitte_nb.widget.wire import browser_text
from tests.core.logs import LOGS, valid_logs
from tests.golden.page import Page
from tests.widget.pages import HOSTILE, open_chat


def take(page: Page, messages: list[dict[str, Any]]) -> None:
    for message in messages:
        assert page.take(copy.deepcopy(message)) != "gap", message  # what is on the line belongs to nobody


@settings(LOGS, max_examples=60)
@given(st.data(), valid_logs())
def test_what_is_sent_to_a_page_adds_up_to_what_a_new_page_is_shown(data: st.DataObject, entries: list[Entry]) -> None:
    opened = open_chat()
    early, late, joined = opened.page(), None, 0
    rest = [_with_halves(one, data.draw(st.sampled_from(["", *HOSTILE]))) for one in entries]
    while rest:
        size = data.draw(st.integers(1, 12))
        opened.append(*rest[:size])
        rest = rest[size:]
        if data.draw(st.integers(0, 3)) == 1:
            opened.events()
        if late is None and data.draw(st.integers(0, 4)) == 1:
            late, joined = opened.page(), len(opened.sent)
    messages = opened.events()
    shown = opened.driver.snapshot()
    take(early, messages)
    assert (early.seq, early.chat) == (shown["seq"], shown["chat"])
    if late is not None:
        take(late, messages)  # with what was sent before it opened, which is stale
        assert (late.seq, late.chat) == (shown["seq"], shown["chat"])
        lost = Page()
        lost.take(shown)
        take(lost, messages[joined:])
        assert lost.chat == shown["chat"]


def test_a_listener_that_acts_in_the_middle_does_not_change_the_order_for_a_page() -> None:
    opened = open_chat([["One."], [Call("add-note", {}), "Two."], ["Three."]])
    chat, told = opened.chat, list[Entry]()

    def act(_before: Any, entries: tuple[Entry, ...], after: Any) -> None:
        if any(one.kind == "step_finished" for one in entries) and len(after.turns) < 3:
            chat.ask("on")  # in the middle of telling, before the page was told

    conversation = chat.conversation
    chat.thread.call(lambda: conversation._subscribers.insert(0, act))
    chat.thread.call(lambda: conversation.subscribe(lambda _before, entries, _after: told.extend(entries)))
    page = opened.page()
    chat.ask("first")
    end = time.monotonic() + 60
    while len(chat.turns) < 3 or chat.turns[-1].wait(60).phase != "done":
        assert time.monotonic() < end
    take(page, opened.events())
    assert page.chat == opened.driver.snapshot()["chat"]
    written = opened.store.entries
    assert [one for one in told if one.kind != "text_added"] == [one for one in written if one.kind != "text_added"]


def _with_halves(one: Entry, text: str) -> Entry:
    if isinstance(one, log.TextAdded | log.ThinkingAdded | log.TurnStarted):
        return one.model_copy(update={"text": one.text + text})
    return one


@pytest.mark.parametrize("text", HOSTILE)
def test_half_a_surrogate_pair_anywhere_reaches_the_page_as_a_replacement_and_nothing_stops(text: str) -> None:
    opened = open_chat()
    page = opened.page()
    key, args = "1.1.0", {text: [text, {"deep": text}], "amount": 10**24, "much": float("inf")}
    prepared = ev.Prepared(digest="d", url=text, headers={text: text}, body=text, review={"rows": [{"value": text}]})
    agent = opened.chat.agent.record().model_copy(update={"name": text, "description": text, "url": text})
    opened.append(
        log.ChatOpened(at=1, chat="c1", agents=(agent,)),
        log.Renamed(at=1, title=text),
        log.TurnStarted(at=1, turn=1, text=text, agent="a"),
        log.SessionChanged(at=1, turn=1, event=ses.Start()),
        log.StepStarted(at=1, turn=1, step=1, attempt=1, model=text),
        log.ThinkingAdded(at=1, turn=1, step=1, text=text),
        log.TextAdded(at=1, turn=1, step=1, text=text),
        log.InvocationStarted(at=1, key=key, tool=text, executor="http", agent="a"),
        log.InvocationChanged(at=1, key=key, event=ev.ArgsDelta(text=text)),
        log.InvocationChanged(at=1, key=key, event=ev.ArgsClosed(args=args, prepared=prepared)),
        log.InvocationChanged(at=1, key=key, event=ev.PolicyAsk(rule=text, reason=text)),
    )
    for piece in text:  # one code point in each message, as a broken stream cuts it
        opened.append(log.TextAdded(at=1, turn=1, step=1, text=piece))
        opened.events()
    take(page, opened.events())
    assert page.chat is not None
    assert page.chat == opened.driver.snapshot()["chat"]
    card = page.chat["invocations"][key]
    assert card["state"] == "pending"
    assert card["args"]["amount"] == str(10**24)
    assert card["tool"] == browser_text(storable(text))  # what is stored is what is shown: whole pairs come together
    assert page.chat["turns"][0]["steps"][0]["text"] == browser_text(
        storable(text) + "".join(storable(piece) for piece in text)
    )
    assert opened.ask(type="ping", mid=text)["mid"] == browser_text(text)


def test_there_is_no_field_of_a_page_that_the_kernel_never_sets() -> None:
    opened = open_chat([[Call("add-note", {})]])
    turn = opened.chat.ask("note").wait(60)
    chat = chat_view(opened.chat.state)
    [view], [call] = chat.turns, turn.invocations
    for shown in (chat, view, *view.steps, *chat.agents, invocation_view(call)):
        assert shown.model_fields_set == set(type(shown).model_fields)


def test_a_page_that_missed_a_message_sees_the_gap_and_one_snapshot_mends_it() -> None:
    opened = open_chat([["One."], ["Two."]])
    page = opened.page()
    opened.chat.ask("one").wait(60)
    missed = len(opened.events())
    opened.chat.ask("two").wait(60)
    messages = opened.events()
    assert "gap" in [page.take(message) for message in messages[missed:] if message["type"] == "events"]
    assert opened.ask(type="resync")["ok"]
    snapshot = [message for message in opened.sent if message["type"] == "snapshot"][-1]
    assert page.take(snapshot) == "applied"
    assert page.chat == opened.driver.snapshot()["chat"]


def most_in_a_second(times: list[float]) -> int:
    return max((sum(1 for other in times if 0 <= other - one < 1) for one in times), default=0)


def test_a_flood_of_pieces_makes_at_most_thirty_messages_a_second() -> None:
    opened = open_chat([["start ", *["piece " if n % 40 else Pause(0.02) for n in range(2_000)]]])
    page = opened.page()
    turn = opened.chat.ask("flood").wait(60)
    take(page, opened.events())
    assert page.chat is not None
    assert page.chat["turns"][0]["steps"][0]["text"] == turn.text
    assert most_in_a_second(opened.times[:-1]) <= 31


def test_ten_thousand_pieces_in_one_burst_arrive_exactly() -> None:
    pieces = [f"{n}-é😀\n" for n in range(10_000)]
    opened = open_chat([pieces])
    page = opened.page()
    start = time.monotonic()
    turn = opened.chat.ask("burst").wait(90)
    seconds = time.monotonic() - start
    take(page, opened.events())
    assert page.chat is not None
    assert page.chat["turns"][0]["steps"][0]["text"] == "".join(pieces) == turn.text
    assert len(opened.sent) <= 31 * seconds + 5
    assert len(opened.store.entries) < 30 * seconds + 20


def test_two_pages_get_the_same_messages_and_one_of_them_may_ask_for_a_snapshot_at_any_time() -> None:
    opened = open_chat([[*["word ", Pause(0.01)] * 40]])
    first = opened.page()
    opened.chat.ask("go")
    pages = [first]
    for _ in range(5):
        time.sleep(0.05)
        pages.append(opened.page())
    opened.chat.turns[0].wait(60)
    messages = opened.events()
    for page in pages:
        take(page, messages)
    assert all(page.chat == opened.driver.snapshot()["chat"] for page in pages)


# What a page asks -----------------------------------------------------------------------------------------------------


def test_a_repeated_request_is_answered_again_and_carried_out_once() -> None:
    opened = open_chat([["One."], ["Two."]])
    first = opened.ask(type="send", text="hello", mid="same")
    opened.chat.turns[0].wait(60)
    again = opened.ask(type="send", text="hello", mid="same")
    assert again == first
    assert [turn.text for turn in opened.chat.turns] == ["One."]


def test_an_act_is_known_again_behind_any_number_of_pings_and_resyncs() -> None:
    opened = open_chat([["One."], ["Two."]])
    first = opened.ask(type="send", text="hello", mid="act")
    opened.chat.turns[0].wait(60)
    for number in range(300):
        opened.driver.receive({"type": "resync" if number % 50 == 0 else "ping", "mid": f"p{number}"})
    opened.driver.receive({"type": "no such type", "mid": "act"})  # its refusal does not take the answer's place
    assert opened.ask(type="ping", mid="last")["ok"]
    opened.driver.receive({"type": "send", "text": "hello", "mid": "act"})
    opened.driver.snapshot()
    assert opened.sent[-1] == first
    assert len(opened.chat.turns) == 1


def test_an_act_that_is_repeated_is_remembered_longer_than_one_that_is_not() -> None:
    opened = open_chat([["One."], ["Two."]])
    opened.ask(type="send", text="hello", mid="act")
    opened.chat.turns[0].wait(60)
    for number in range(300):  # each is refused, and each is an act
        opened.driver.receive({"type": "undo", "key": "9.9.9", "mid": f"u{number}"})
        if number % 100 == 0:
            opened.driver.receive({"type": "send", "text": "hello", "mid": "act"})
    opened.driver.receive({"type": "send", "text": "hello", "mid": "act"})
    opened.driver.snapshot()
    assert len(opened.chat.turns) == 1


def test_a_repeated_answer_is_checked_once_though_it_comes_while_the_first_is_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened = open_chat()
    checked: list[str] = []

    async def respond(_chat: object, key: str, text: str, **_more: Any) -> None:
        checked.append(text)
        await asyncio.sleep(0.05)

    monkeypatch.setattr(acts, "respond", respond)
    for _ in range(3):
        opened.driver.receive(
            {"type": "respond", "mid": "r", "key": "1.1.0", "digest": "d", "version": 1, "text": "0xab"}
        )
    assert opened.ask(type="ping", mid="p")["ok"]

    end = time.monotonic() + 60
    while opened.driver._checking:
        assert time.monotonic() < end
        time.sleep(0.005)
    opened.chat.thread.call(lambda: None)
    assert checked == ["0xab"]
    assert [message["ok"] for message in opened.sent if message.get("mid") == "r"] == [True]


@pytest.mark.parametrize(
    "content",
    [
        {"type": "send", "text": "", "files": ["d"] * 11},
        {"type": "send"},
        {"type": "send", "text": "x", "state": "approved"},
        {"type": "send", "text": "\ud800"},
        {"type": "send", "text": "x" * 200_001},
        {"type": "no such type"},
        {"type": "decide", "key": "1.1.0", "decision": "maybe", "digest": "", "version": 1},
        {"type": "decide", "key": "1.1.0", "decision": "approve", "digest": "", "version": "one"},
        {"type": "snapshot", "boot": "b", "seq": 1, "chat": {}},
        {"type": "events", "boot": "b", "first": 1, "events": []},
        {"text": "no type"},
        {"type": {"nested": []}},
    ],
)
def test_a_message_that_is_not_part_of_the_contract_is_acknowledged_as_malformed(content: dict[str, Any]) -> None:
    opened = open_chat()
    before = opened.driver.snapshot()
    ack = opened.ask(**content)
    assert (ack["ok"], ack["code"]) == (False, "malformed")
    assert ack["message"]
    assert opened.driver.snapshot() == before


@pytest.mark.parametrize("content", [None, 1, "send", [], {}, {"mid": 5}, {"mid": ""}, {"type": "ping"}, b"\x00"])
def test_what_is_no_message_at_all_is_ignored_and_the_next_one_is_heard(content: object) -> None:
    opened = open_chat()
    opened.driver.receive(content)
    assert opened.ask(type="ping")["ok"]
    assert len(opened.sent) == 1


def test_state_that_a_page_claims_is_never_believed() -> None:
    opened = open_chat([[Call("add-note", {})], ["done"]])
    turn = opened.chat.ask("note").wait(60)
    [pending] = turn.pending
    digest = pending.call.prepared.digest if pending.call.prepared else ""
    forged: list[dict[str, Any]] = [
        {"type": "invocation", "view": {"key": "1.1.0", "state": "approved"}},
        {"type": "decide", "key": "1.1.0", "decision": "approve", "digest": "0" * 64, "version": 1},
        {"type": "decide", "key": "1.1.0", "decision": "approve", "digest": digest, "version": 2},
        {"type": "decide", "key": "9.9.9", "decision": "approve", "digest": digest, "version": 1},
        {"type": "respond", "key": "1.1.0", "digest": digest, "version": 1, "text": '{"data": "signed"}'},
        {
            "type": "decide",
            "key": "1.1.0",
            "decision": "approve",
            "digest": digest,
            "version": 1,
            "result": {"data": 1},
        },
        {"type": "undo", "key": "1.1.0"},
        {"type": "retry", "turn": 1},
        {"type": "continue", "turn": 1},
        {"type": "continue", "turn": 10**30},
    ]
    for number, message in enumerate(forged):
        ack = opened.ask(**message, mid=f"m{number}")
        assert not ack["ok"], message
        assert ack["message"]
    assert [call.state for call in turn.invocations] == ["pending"]
    assert opened.ask(type="decide", key="1.1.0", decision="deny", digest=digest, version=1, mid="last")["ok"]
    assert turn.wait(60).invocations[0].state == "denied"


def test_a_page_may_ask_how_a_review_was_read() -> None:
    message = {"message": "hello", "recipient": "app.near", "callbackUrl": "https://app.near"}
    opened = open_chat([[Call("sign-message", message), Call("add-note", {})], ["done"]])
    signature, note = opened.chat.ask("sign").pending
    ack = opened.ask(type="explain", key=signature.call.key)
    steps = {step["row"]: step for step in ack["data"]["steps"]}
    assert steps["message"]["taken"] == '"hello"'
    for key in (note.call.key, "9.9.9"):
        refused = opened.ask(type="explain", key=key)
        assert (refused["ok"], refused["data"]) == (False, None)
        assert refused["message"]


def test_a_second_decision_of_another_view_is_told_who_was_first() -> None:
    opened = open_chat([[Call("add-note", {})], ["done"]])
    [pending] = opened.chat.ask("note").pending
    assert pending.call.prepared is not None
    card = {"type": "decide", "key": "1.1.0", "digest": pending.call.prepared.digest, "version": 1}
    assert opened.ask(**card, decision="deny", mid="view 1")["ok"]
    late = opened.ask(**card, decision="approve", mid="view 2")
    assert (late["ok"], late["code"]) == (False, "already_decided")


def test_a_fault_of_ours_is_acknowledged_too() -> None:
    opened = open_chat()

    def broken(_text: str, **_: object) -> int:
        raise KeyError("ours")

    opened.chat.conversation.ask = broken  # pyright: ignore[reportAttributeAccessIssue]
    ack = opened.ask(type="send", text="hello")
    assert (ack["ok"], ack["code"]) == (False, "internal")
    assert "KeyError" in ack["message"]


def test_an_acknowledgement_comes_after_the_events_of_its_act() -> None:
    opened = open_chat([["One."]])
    ack = opened.ask(type="send", text="hello")
    assert ack["seq"] > 0
    before = opened.sent[: opened.sent.index(ack)]
    assert any(event["type"] == "turn" for message in before for event in message.get("events", []))


def test_the_latest_message_of_a_page_shows_whether_clicks_arrive_while_a_cell_runs() -> None:
    opened = open_chat()

    def elsewhere(mid: str) -> None:
        thread = threading.Thread(target=opened.driver.receive, args=({"type": "ping", "mid": mid},))
        thread.start()
        thread.join()

    opened.driver.receive({"type": "ping", "mid": "a"})
    assert not opened.chat.clicks_off_main
    elsewhere("b")
    assert opened.chat.clicks_off_main
    opened.driver.receive({"type": "ping", "mid": "c"})  # another front end took over, one that cannot
    assert not opened.chat.clicks_off_main


@pytest.mark.parametrize("early", [True, False], ids=["an open driver", "a new driver"])
def test_a_page_that_opens_while_a_listener_acts_is_told_of_everything_once(*, early: bool) -> None:
    opened = open_chat()
    opened.append(
        log.ChatOpened(at=1, chat="c1", agents=(opened.chat.agent.record(),)),
        log.TurnStarted(at=1, turn=1, text="hi", agent="a"),
        log.SessionChanged(at=1, turn=1, event=ses.Start()),
        log.StepStarted(at=1, turn=1, step=1, attempt=1, model="m"),
        log.TextAdded(at=1, turn=1, step=1, text="a"),
    )
    sent, page, joined = list[dict[str, Any]](), Page(), list[Driver]()

    def act(*_told: object) -> None:
        if not joined:
            opened.append(log.TextAdded(at=1, turn=1, step=1, text="c"))  # now the chat is ahead of its listeners
            joined.append(opened.driver if early else Driver(opened.chat, sent.append))
            page.take(joined[0].snapshot())

    opened.events()
    before = len(opened.sent)
    opened.chat.thread.call(lambda: opened.chat.conversation._subscribers.insert(0, act))
    opened.append(log.TextAdded(at=1, turn=1, step=1, text="b"))
    shown = joined[0].snapshot()
    take(page, opened.sent[before:] if early else sent)
    assert page.chat == shown["chat"] == opened.driver.snapshot()["chat"]
    assert shown["chat"]["turns"][0]["steps"][0]["text"] == "abc"


def test_a_closed_driver_sends_nothing_and_the_chat_goes_on() -> None:
    opened = open_chat([["One."], ["Two."]])
    opened.chat.ask("one").wait(60)
    opened.driver.snapshot()
    opened.driver.close()
    opened.driver.close()
    before = len(opened.sent)
    assert opened.chat.ask("two").wait(60).text == "Two."
    opened.driver.receive({"type": "ping", "mid": "late"})
    opened.driver.snapshot()
    assert len(opened.sent) == before


def test_a_page_that_cannot_be_reached_does_not_stop_the_chat() -> None:
    opened = open_chat([["One."], ["Two."]])

    def unreachable(_message: dict[str, Any]) -> None:
        raise OSError("the comm is closed")

    opened.driver._send = unreachable
    assert opened.chat.ask("one").wait(60).text == "One."
    time.sleep(0.1)
    sent: list[dict[str, Any]] = []
    opened.driver._send = sent.append
    page = Page()
    opened.chat.ask("two").wait(60)
    page.take(opened.driver.snapshot())
    assert page.chat is not None
    assert [turn["phase"] for turn in page.chat["turns"]] == ["done", "done"]


def test_a_retry_shows_the_old_words_until_new_ones_come() -> None:
    opened = open_chat()
    opened.append(
        log.ChatOpened(at=1, chat="c1", agents=(opened.chat.agent.record(),)),
        log.TurnStarted(at=1, turn=1, text="hi", agent="a"),
        log.SessionChanged(at=1, turn=1, event=ses.Start()),
        log.StepStarted(at=1, turn=1, step=1, attempt=1, model="m"),
        log.TextAdded(at=1, turn=1, step=1, text="old"),
    )
    page = opened.page()
    opened.append(log.StepStarted(at=1, turn=1, step=1, attempt=2, model="m"))
    take(page, opened.events())
    assert page.chat is not None
    assert page.chat["turns"][0]["steps"][0]["text"] == "old"
    opened.append(log.TextAdded(at=1, turn=1, step=1, text="old"), log.TextAdded(at=1, turn=1, step=1, text="er"))
    take(page, opened.events())
    assert page.chat["turns"][0]["steps"][0]["text"] == "older"


def test_a_page_edits_a_message_asks_for_another_answer_and_goes_back() -> None:
    opened = open_chat([["One."], ["Two."], ["Three."]])
    page = opened.page()
    assert opened.ask(type="send", text="a", mid="1")["ok"]
    opened.chat.turns[0].wait(60)
    assert opened.ask(type="edit_message", turn=1, text="b", mid="2")["ok"]
    opened.chat.turns[0].wait(60)
    assert opened.ask(type="regenerate", turn=2, mid="3")["ok"]
    opened.chat.turns[0].wait(60)
    assert opened.ask(type="choose", turn=1, mid="4")["ok"]
    take(page, opened.events())
    assert page.chat == opened.driver.snapshot()["chat"]
    assert page.chat is not None
    [turn] = page.chat["turns"]
    assert (turn["text"], turn["versions"], turn["steps"][0]["text"]) == ("a", [1, 2, 3], "One.")
    snapshots = [message for message in opened.events() if message["type"] == "snapshot"]
    assert len(snapshots) == 1  # of the title: what changed is sent after that, not everything
    refused = [opened.ask(type=kind, turn=9, mid=kind) for kind in ("regenerate", "choose")]
    refused += [opened.ask(type="edit_message", turn=9, text="x", mid="6")]
    refused += [opened.ask(type="edit_message", turn=1, text=" ", mid="7")]
    assert [one["ok"] for one in refused] == [False] * 4
