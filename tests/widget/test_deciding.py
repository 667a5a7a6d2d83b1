"""What a page asks about a call: every request is checked by the kernel, acknowledged, and seen by every page."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.bindings.binding import Outcome
from bitte_nb.agent.bindings.operation import OperationBinding
from bitte_nb.agent.chat import Chat
from bitte_nb.demo.agent import serve
from bitte_nb.testing import Call, ScriptedModel
from bitte_nb.widget.driver import Driver
from tests.golden.page import Page

Opened = tuple[Chat, Driver, list[dict[str, Any]]]
Opener = Callable[..., Opened]


@pytest.fixture
def opener(tmp_path: Path) -> Iterator[Opener]:
    chats: list[Chat] = []
    with serve(seed=3) as demo:
        document = bn.load_document(demo.document_url)

        def open_chat(steps: list[list[Any]], **options: Any) -> Opened:
            agent = bn.Agent(document, model=ScriptedModel(steps), **options)
            chats.append(Chat(agent, store=tmp_path / "history.sqlite"))
            sent: list[dict[str, Any]] = []
            return chats[-1], Driver(chats[-1], sent.append), sent

        yield open_chat
        for chat in chats:
            chat.close()


NUMBER = iter(range(10_000))


def ask(opened: Opened, **request: Any) -> dict[str, Any]:
    _, driver, sent = opened
    mid = f"m{next(NUMBER)}"
    driver.receive({"mid": mid, **request})
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for message in sent:
            if message["type"] == "ack" and message["mid"] == mid:
                return message
        time.sleep(0.005)
    raise AssertionError(f"{request} was never acknowledged")


def card(opened: Opened, key: str = "1.1.0") -> dict[str, Any]:
    return opened[1].snapshot()["chat"]["invocations"][key]


def asked(opened: Opened) -> dict[str, Any]:
    opened[0].ask("note").wait(60)
    return card(opened)


def note(text: str = "milk") -> Call:
    return Call("add-note", {"text": text})


def test_a_card_is_changed_and_then_approved(opener: Opener) -> None:
    opened = opener([[note()], ["ok"]])
    view = asked(opened)
    shown = {"key": "1.1.0", "digest": view["digest"], "version": view["version"]}
    form = ask(opened, type="arguments_form", key="1.1.0")
    assert form["data"]["properties"]["text"]["type"] == "string"
    refused = ask(opened, type="edit_call", args={"text": "x" * 281}, **shown)
    assert (refused["ok"], "text" in refused["message"]) == (False, True)
    assert ask(opened, type="edit_call", args={"text": "bread"}, **shown)["ok"]
    after = card(opened)
    assert (after["state"], after["version"], after["args"]) == ("pending", 2, {"text": "bread"})
    assert after["original_args"] == {"text": "milk"}
    stale = ask(opened, type="edit_call", args={"text": "wine"}, **shown)
    assert (stale["ok"], stale["code"]) == (False, "stale_decision")
    now = {"key": "1.1.0", "digest": after["digest"], "version": 2}
    assert ask(opened, type="decide", decision="approve", **now)["ok"]
    opened[0].turns[0].wait(60)
    assert card(opened)["state"] == "succeeded"


def test_what_is_always_allowed_is_on_every_page_until_it_is_revoked(opener: Opener) -> None:
    opened = opener([[note()], [note("eggs")], ["ok"]])
    page = Page()
    page.take(opened[1].snapshot())
    view = asked(opened)
    assert view["always"]["tool"] == "add-note"
    shown = {"key": "1.1.0", "digest": view["digest"], "version": view["version"]}
    assert ask(opened, type="decide", decision="approve", always=True, **shown)["ok"]
    opened[0].turns[0].wait(60)
    [rule] = opened[1].snapshot()["chat"]["rules"]
    assert rule == {**view["always"], "at": rule["at"]}
    assert card(opened, "1.2.0")["grant"]["source"] == "session"
    assert ask(opened, type="revoke", rule=rule["rule"])["ok"]
    again = ask(opened, type="revoke", rule=rule["rule"])
    assert (again["ok"], "no rule" in again["message"]) == (False, True)
    opened[1].snapshot()
    for message in [one for one in opened[2] if one["type"] != "ack"]:
        page.take(message)
    assert page.chat is not None
    assert page.chat["rules"] == []


def lost(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A call of which nobody knows whether it happened."""

    async def run(_self: object, _args: object, _key: str) -> Any:
        return Outcome(kind="unknown", error="No answer came.")

    monkeypatch.setattr(OperationBinding, "_run", run)
    view = asked(opened)
    shown = {"key": "1.1.0", "digest": view["digest"], "version": view["version"]}
    assert ask(opened, type="decide", decision="approve", **shown)["ok"]
    opened[0].turns[0].wait(60)
    monkeypatch.undo()
    return card(opened)


def test_what_came_of_a_call_is_said_and_it_is_tried_again(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = opener([[note()], ["Not sure."]])
    view = lost(opened, monkeypatch)
    assert (view["state"], view["can_retry"], view["checks"]) == ("unknown", False, False)
    assert not ask(opened, type="retry_call", key="1.1.0")["ok"]
    assert not ask(opened, type="check_call", key="1.1.0")["ok"]
    assert ask(opened, type="reconcile", key="1.1.0", happened=False, note="The list is empty.")["ok"]
    view = card(opened)
    assert (view["state"], view["can_retry"]) == ("failed", True)
    assert "The list is empty." in view["result"]["error"]
    assert not ask(opened, type="reconcile", key="1.1.0", happened=True)["ok"]
    assert ask(opened, type="retry_call", key="1.1.0")["ok"]
    assert opened[0].turns[0].pending[0].call.attempt == 2


@pytest.mark.parametrize(
    "request_",
    [
        {"type": "edit_call", "key": "1.1.0", "digest": "d", "version": 1, "args": ["no", "object"]},
        {"type": "edit_call", "key": "1.1.0", "digest": "d", "version": 1, "args": {}, "tool": "remove-note"},
        {
            "type": "edit_call",
            "key": "1.1.0",
            "digest": "d",
            "version": 1,
            "args": {},
            "server": "https://evil.example",
        },
        {"type": "reconcile", "key": "1.1.0"},
        {"type": "retry_call", "key": "1.1.0", "state": "approved"},
        {"type": "decide", "key": "1.1.0", "digest": "d", "version": 1, "decision": "allow"},
        {"type": "revoke"},
    ],
)
def test_a_page_cannot_say_more_than_the_contract(opener: Opener, request_: dict[str, Any]) -> None:
    opened = opener([[note()], ["ok"]])
    before = asked(opened)
    refused = ask(opened, **request_)
    assert (refused["ok"], refused["code"]) == (False, "malformed")
    assert card(opened) == before


@pytest.mark.parametrize("type_", ["edit_call", "reconcile", "retry_call", "check_call", "arguments_form"])
def test_a_call_that_is_not_there_is_a_sentence(opener: Opener, type_: str) -> None:
    opened = opener([["ok"]])
    extra: dict[str, Any] = {
        "edit_call": {"digest": "d", "version": 1, "args": {}},
        "reconcile": {"happened": True},
    }.get(type_, {})
    refused = ask(opened, type=type_, key="9.9.9", **extra)
    assert not refused["ok"]
    assert "There is no call '9.9.9'" in refused["message"]
