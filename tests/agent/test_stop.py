"""Stop: returns at once in every phase, adds nothing afterwards, and tells what may have happened."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.turn import Turn
from bitte_nb.testing import Call, Pause
from tests.agent.conftest import ChatMaker

AT_ONCE = 30.0
"""Seconds, on a machine that is as busy as can be; what is stopped here would go on for far longer."""


class Holding:
    """A real server that takes a request and does not answer until told."""

    def __init__(self) -> None:
        holding = self
        self.arrived, self.answer = Event(), Event()
        self.keys: list[str | None] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                holding.keys.append(self.headers.get("Idempotency-Key"))
                holding.arrived.set()
                holding.answer.wait(100)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(b'{"done": true}')

            do_GET = do_POST  # noqa: N815

            def log_message(self, *_args: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def document(self) -> Any:
        operation = {"responses": {"200": {"description": "ok"}}}
        return bn.load_document(
            {
                "openapi": "3.1.0",
                "info": {"title": "Holding", "version": "1"},
                "servers": [{"url": f"http://127.0.0.1:{self.server.server_address[1]}"}],
                "paths": {
                    "/w": {"post": {"operationId": "write", **operation}},
                    "/r": {"get": {"operationId": "read", **operation}},
                },
            }
        )


@pytest.fixture
def holding() -> Iterator[Holding]:
    server = Holding()
    yield server
    server.answer.set()
    server.server.shutdown()
    server.server.server_close()


def stopped(turn: Turn) -> float:
    """Stop the turn; how many seconds until control is back."""
    start = time.monotonic()
    turn.chat.stop()
    return time.monotonic() - start


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_stop_while_streaming_adds_nothing_afterwards(make_chat: ChatMaker) -> None:
    turn = make_chat([[piece for n in range(5_000) for piece in (f"{n} ", Pause(0.02))]]).ask("count")
    until(lambda: "5 " in turn.text)
    assert stopped(turn) < AT_ONCE
    after = turn.text
    time.sleep(0.3)
    assert (turn.wait(60).phase, turn.text) == ("cancelled", after)


def test_stop_before_the_first_word(make_chat: ChatMaker) -> None:
    chat = make_chat([[Pause(100), "late"]])
    turn = chat.ask("hello")
    assert stopped(turn) < AT_ONCE
    assert (turn.wait(60).phase, turn.text) == ("cancelled", "")
    until(lambda: not chat.agent.model.requests or chat.agent.model.closed == [0])


def test_stop_while_a_person_is_asked_cancels_the_call(make_chat: ChatMaker) -> None:
    turn = make_chat([[Call("add-note", {"text": "x"})]]).ask("note").wait(60)
    assert stopped(turn) < AT_ONCE
    assert [call.state for call in turn.wait(60).invocations] == ["cancelled"]


def test_stop_while_a_write_is_in_flight_marks_it_unknown(make_chat: ChatMaker, holding: Holding) -> None:
    chat = make_chat([[Call("write")], ["after"]], document=holding.document)
    turn = chat.ask("write")
    turn.pending[0].approve()
    assert holding.arrived.wait(60)
    assert stopped(turn) < AT_ONCE
    [call] = turn.wait(60).invocations
    assert (turn.phase, call.state, call.cancel_requested) == ("cancelled", "unknown", True)
    assert len(holding.keys) == 1
    holding.answer.set()
    again = chat.ask("go on").wait(60)
    [results] = [message for message in chat.agent.model.requests[-1].messages if message.role == "tool"]
    result = results.content[0].result
    assert "unknown" in result["error"]
    assert again.text == "after"
    assert len(holding.keys) == 1, "an unknown call was sent again"


def test_stop_while_a_read_is_in_flight_drops_it(make_chat: ChatMaker, holding: Holding) -> None:
    turn = make_chat([[Call("read")]], document=holding.document).ask("read")
    assert holding.arrived.wait(60)
    assert stopped(turn) < AT_ONCE
    [call] = turn.wait(60).invocations
    assert (turn.phase, call.state) == ("cancelled", "failed")


def test_a_new_message_while_a_write_is_in_flight_marks_it_unknown(make_chat: ChatMaker, holding: Holding) -> None:
    chat = make_chat([[Call("write")], ["new"]], document=holding.document)
    first = chat.ask("write")
    first.pending[0].approve()
    assert holding.arrived.wait(60)
    second = chat.ask("something else").wait(60)
    assert second.text == "new"
    assert [call.state for call in first.invocations] == ["unknown"]


def test_one_grant_has_one_idempotency_key(make_chat: ChatMaker, holding: Holding) -> None:
    holding.answer.set()
    turn = make_chat([[Call("write"), Call("write")], ["done"]], document=holding.document).ask("twice")
    for pending in turn.pending:
        pending.approve()
    turn.wait(60)
    assert len(set(holding.keys)) == 2
    assert all(holding.keys)
