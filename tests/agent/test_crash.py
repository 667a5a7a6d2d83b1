"""kill -9 at every point around a dispatch: at most one request leaves, and loading runs nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.demo.agent import DemoAgent
from bitte_nb.history.store import open_store
from bitte_nb.testing import ScriptedModel

MOST = 1000
ROOT = Path(__file__).parents[2]
MOST_RUNS = int(os.environ.get("BITTE_NB_DEATHS", "8"))
"""Points at which a scenario is killed; where there are more, they are spread evenly over all of them."""


class Counting(ThreadingHTTPServer):
    """A real server that counts the requests by their idempotency key."""

    daemon_threads = True

    def __init__(self) -> None:
        server = self
        self.seen: Counter[str] = Counter()
        self.reads = 0
        self.talking = threading.Semaphore(MOST)

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                server.seen[self.headers["Idempotency-Key"]] += 1
                self.answer()

            def do_GET(self) -> None:
                if self.path == "/openapi.json":
                    self.answer(server.document)
                elif self.path == "/quiet":
                    self.answer()
                else:
                    server.reads += 1
                    self.answer()

            def answer(self, data: Any = True) -> None:
                body = json.dumps(data).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_args: Any) -> None:
                """Say nothing."""

        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, *_args: Any) -> None:
        """A program that dies hangs up; that is what is tested."""

    def process_request(self, *args: Any) -> None:
        self.talking.acquire()
        super().process_request(*args)

    def process_request_thread(self, *args: Any) -> None:
        try:
            super().process_request_thread(*args)
        finally:
            self.talking.release()

    def settle(self) -> None:
        """Wait until everything that had left when a program died is counted: connections are taken in order."""
        httpx.get(f"{self.url}/quiet", trust_env=False, timeout=60)
        end = time.monotonic() + 60
        while self.talking._value < MOST:
            assert time.monotonic() < end
            time.sleep(0.002)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def document(self) -> dict[str, Any]:
        number = {"name": "n", "in": "query", "schema": {"type": "integer"}}
        responses = {"200": {"description": "ok"}}
        return {
            "openapi": "3.1.0",
            "info": {"title": "Counting", "version": "1"},
            "servers": [{"url": self.url}],
            "paths": {
                "/w": {"post": {"operationId": "write", "parameters": [number], "responses": responses}},
                "/r": {"get": {"operationId": "read", "responses": responses}},
            },
        }


@pytest.fixture
def server() -> Iterator[Counting]:
    with Counting() as counting:
        threading.Thread(target=counting.serve_forever, args=(0.02,), daemon=True).start()
        yield counting
        counting.shutdown()


Die = Callable[[Path, str, int], dict[str, Any]]


@pytest.fixture
def die(server: Counting) -> Iterator[Die]:
    """Runs a scenario until it is killed at its n-th point."""
    command = [sys.executable, "-m", "tests.agent.dying"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        pipes = program.stdin, program.stdout

        def run(history: Path, scenario: str, at: int) -> dict[str, Any]:
            pipes[0].write(f"{server.url}/openapi.json {history} {scenario} {at}\n")
            pipes[0].flush()
            said: dict[str, Any] = json.loads(pipes[1].readline())
            return said

        yield run
        program.stdin.close()


def spread(count: int) -> list[int]:
    """The numbers of the points to die at."""
    runs = min(count, MOST_RUNS)
    return sorted({round(1 + place * (count - 1) / (runs - 1)) for place in range(runs)})


@pytest.mark.timeout(300 + 10 * MOST_RUNS)
@pytest.mark.parametrize("scenario", ["person", "rule", "read"])
def test_a_call_runs_at_most_once_wherever_the_program_dies(
    server: Counting, die: Die, tmp_path: Path, scenario: str
) -> None:
    whole = die(tmp_path / "whole.db", scenario, 0)
    assert whole["phase"] == "done"
    total = whole["count"]
    assert total > 20
    states: Counter[str] = Counter()
    points: set[str] = set()
    for at in spread(total):
        history = tmp_path / f"{at}.db"
        server.seen.clear()
        server.reads = 0
        points.add(str(die(history, scenario, at).get("point")))
        states.update(_loaded(server, history, scenario))
    print(f"{scenario}: {total} points, {len(spread(total))} deaths at {len(points)} kinds of them: {dict(states)}")
    assert states.keys() >= ({"succeeded"} if scenario == "read" else {"pending", "unknown", "succeeded"})


def _loaded(server: Counting, history: Path, scenario: str) -> list[str]:
    """What a dead program's chat says when it is loaded, checked against what the server saw."""
    server.settle()
    left = Counter(server.seen)
    reads = server.reads
    assert max(left.values(), default=0) <= 1
    model = ScriptedModel([["Done."]])
    agent = bn.Agent(f"{server.url}/openapi.json", model=model)
    if not history.exists() or not open_store(history).chats():
        assert not left, "something left before the chat was on disk"
        return ["never begun"]
    [info] = open_store(history).chats()
    chat = Chat.load(info.chat, agent=agent, store=history)
    again = Chat.load(info.chat, agent=agent, store=history)
    assert [call.state for call in again.invocations] == [call.state for call in chat.invocations]
    assert (server.seen, server.reads, model.requests) == (left, reads, []), "loading sent something"
    for call in chat.invocations:
        sent = sum(count for key, count in left.items() if f":{call.key}:" in key)
        match call.state:
            case "pending" | "cancelled" | "denied":
                assert sent == 0, "a call that left is offered as new"
            case "succeeded" if scenario != "read":
                assert sent == 1
            case _:
                pass
        if sent and scenario != "read":
            assert call.state in {"unknown", "succeeded"}
            assert any(call.idempotency_key == key for key in left)
    states = [call.state for call in chat.invocations]
    waiting = [call for call in chat.invocations if call.state == "pending"]
    for call in waiting:
        chat.decide(call, "approve")
    if waiting:
        assert chat.turns[-1].wait(60).phase in {"done", "failed"}
        for call in waiting if scenario != "read" else []:
            assert sum(count for key, count in server.seen.items() if f":{call.key}:" in key) == 1
    chat.close()
    again.close()
    return states


def test_an_offline_chat_is_loaded_with_no_agent_and_no_network(demo: DemoAgent, history: Path) -> None:
    chat = Chat(bn.Agent(demo.document_url, wallet=bn.Wallet(account_id="alice.near")), store=history)
    chat.ask("who am I?").wait(60)
    waiting = chat.ask("add a note saying later").wait(60)
    assert [pending.tool for pending in waiting.pending] == ["add-note"]
    chat.close()
    demo.close()
    again = Chat.load(chat.id, store=history)
    assert [turn.phase for turn in again.turns] == ["done", "awaiting"]
    assert again.agent.wallet.account_id == "alice.near"
    [pending] = again.pending
    pending.approve()
    turn = again.turn
    assert turn is not None
    assert turn.wait(60).invocations[0].state == "failed"  # nobody listens any more, and it is said
    again.close()
