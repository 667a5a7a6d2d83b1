"""What many calls at once cost: the writes before and after them, and Stop while they are open.

    python benchmarks/history_calls.py [--calls 500]

A real server answers the calls of one step; beside the time of the whole turn stands what the disk's own fsyncs would
cost if each call had its dispatch and its result written alone.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import bitte_nb as bn
from benchmarks.history_store import raw_fsync
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.journal import AT_ONCE
from bitte_nb.history.sqlite import SqliteStore
from bitte_nb.testing import Call, ScriptedModel

RETURNS_WITHIN = 200
"""Milliseconds in which Stop must give control back."""


class Server(ThreadingHTTPServer):
    request_queue_size = 1024

    def __init__(self) -> None:
        server = self
        self.go, self.arrived, self.keys = threading.Event(), threading.Semaphore(0), set[str]()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                server.keys.add(self.headers["Idempotency-Key"])
                server.arrived.release()
                server.go.wait(30)
                body = json.dumps({"done": self.path}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_args: Any) -> None:
                """Say nothing."""

        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, *_args: Any) -> None:
        """A client that was stopped hangs up; that is no news."""

    @property
    def document(self) -> dict[str, Any]:
        write = {
            "operationId": "write",
            "parameters": [{"name": "n", "in": "query", "schema": {"type": "integer"}}],
            "responses": {"200": {"description": "ok"}},
        }
        return {
            "openapi": "3.1.0",
            "info": {"title": "Many", "version": "1"},
            "servers": [{"url": f"http://127.0.0.1:{self.server_address[1]}"}],
            "paths": {"/w": {"post": write}},
        }


class Counted(SqliteStore):
    """A store that counts its durable appends."""

    durable = 0

    def append(self, chat_id: str, entries: Any, **how: Any) -> int:
        self.durable += how["durable"]
        return super().append(chat_id, entries, **how)


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.go.set()
        server.shutdown()
        server.server_close()


def chat_with(server: Server, folder: Path, calls: int) -> tuple[Chat, Counted]:
    store = Counted(folder / f"{time.monotonic_ns()}.db")
    steps = [[Call("write", {"n": n}) for n in range(calls)], ["Done."]]
    policy = bn.Policy([{"name": "all", "effect": "allow", "tools": ["write"]}])
    return Chat(bn.Agent(server.document, model=ScriptedModel(steps), policy=policy), store=store), store


def whole_turn(folder: Path, calls: int) -> tuple[float, int]:
    with serving() as server:
        server.go.set()
        chat, store = chat_with(server, folder, calls)
        begun = time.perf_counter()
        turn = chat.ask("go").wait(120)
        seconds = time.perf_counter() - begun
        assert turn.phase == "done", turn
        assert len(server.keys) == calls
        chat.close()
        return seconds, store.durable


def stop(folder: Path, calls: int) -> float:
    """Milliseconds until Stop returns with that many writes in flight."""
    with serving() as server:
        chat, _ = chat_with(server, folder, calls)
        turn = chat.ask("go")
        for _ in range(min(calls, AT_ONCE)):
            server.arrived.acquire(timeout=60)
        begun = time.perf_counter()
        chat.stop()
        took = (time.perf_counter() - begun) * 1000
        turn.wait(60)
        assert {call.state for call in turn.invocations} <= {"unknown", "cancelled"}
        chat.close()
        return took


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=500)
    calls = parser.parse_args().calls
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        disk = raw_fsync(folder)
        seconds, durable = whole_turn(folder, calls)
        one_by_one = 2 * calls * disk / 1000
        print(f"{calls} parallel calls: {seconds:.2f} s with {durable} durable appends;")
        print(f"their dispatches and results written one by one are {2 * calls} fsyncs, {one_by_one:.2f} s of disk.")
        times = [stop(folder, 300) for _ in range(5)]
        print(f"Stop with 300 calls open: {statistics.median(times):.0f} ms, at most {max(times):.0f} ms.")
    assert durable < calls / 2, "calls that leave together are not written together"
    assert max(times) < RETURNS_WITHIN, "Stop kept the person waiting"


if __name__ == "__main__":
    main()
