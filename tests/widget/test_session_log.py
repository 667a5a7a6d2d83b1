"""How the session of a turn went, told to a page that asks; and which turns a page is told to be rough."""

from __future__ import annotations

from typing import Any

import pytest

from bitte_nb.core import log
from bitte_nb.core import session_events as ses
from bitte_nb.testing import Call, Cut, Fault
from bitte_nb.widget import protocol
from tests.widget.pages import Open, open_chat


def asked(opened: Open, turn: int) -> list[dict[str, Any]]:
    answer = opened.ask(type="session_log", turn=turn)
    assert answer["ok"], answer["message"]
    for part in answer["data"]:
        protocol.SessionPart.model_validate(part)
    return answer["data"]


def head(opened: Open) -> dict[str, Any]:
    return opened.driver.snapshot()["chat"]["turns"][-1]


def test_the_log_says_phase_attempt_reason_and_time_of_each_change() -> None:
    opened = open_chat([["a", Cut()], ["Done."]])
    turn = opened.chat.ask("hello").wait(60)
    parts = asked(opened, 1)
    assert [(one["event"], one["phase"], one["attempt"]) for one in parts] == [
        ("start", "connecting", 1),
        ("connected", "streaming", 1),
        ("truncated", "retrying", 1),
        ("retry", "connecting", 2),
        ("connected", "streaming", 2),
        ("complete", "done", 2),
    ]
    assert parts[2]["reason"] == "The scripted stream was cut before it finished."
    assert [one["at"] for one in parts] == [one.at for one in turn.transitions]
    assert parts[3]["at"] - parts[2]["at"] >= 340, "the back-off, in milliseconds"


def test_asking_costs_nothing_else_and_changes_nothing() -> None:
    opened = open_chat([["Done."]])
    opened.chat.ask("hello").wait(60)
    opened.events()
    before, entries = len(opened.sent), len(opened.store.entries)
    assert asked(opened, 1) == asked(opened, 1)
    assert [one["type"] for one in opened.sent[before:]] == ["ack", "ack"]
    assert len(opened.store.entries) == entries
    assert all("transitions" not in one for one in opened.sent)


def test_a_turn_that_is_not_there_is_refused_in_a_sentence() -> None:
    refused = open_chat().ask(type="session_log", turn=7)
    assert (refused["ok"], refused["message"]) == (False, "There is no turn 7 in this chat.")


@pytest.mark.parametrize(
    ("steps", "rough"),
    [
        ([["Done."]], False),
        ([[Call("sign-message", {"message": "x"})]], False),
        ([["a", Cut()], ["Done."]], True),
        ([[Fault.http(400)]], True),
    ],
    ids=["smooth", "waits for a person", "tried again", "failed"],
)
def test_a_turn_is_rough_once_it_stalled_was_tried_again_or_failed(steps: list[list[Any]], *, rough: bool) -> None:
    opened = open_chat(steps)
    opened.chat.ask("hello").wait(60)
    assert head(opened)["rough"] is rough
    page = opened.page()
    assert page.chat is not None
    assert page.chat["turns"][-1]["rough"] is rough


def test_a_page_is_told_when_an_answer_stalls() -> None:
    opened = open_chat()
    page = opened.page()
    opened.append(
        log.TurnStarted(at=1, turn=1, text="x", agent="a"),
        log.SessionChanged(at=1, turn=1, event=ses.Start()),
        log.SessionChanged(at=2, turn=1, event=ses.Connected()),
        log.SessionChanged(at=3, turn=1, event=ses.Stall()),
        log.SessionChanged(at=4, turn=1, event=ses.Token()),
    )
    for message in opened.events():
        page.take(message)
    assert page.chat is not None
    assert (page.chat["turns"][0]["phase"], page.chat["turns"][0]["rough"]) == ("streaming", True)
