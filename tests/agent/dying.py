"""A program that dies on command: it forks a child per run, which is killed at the n-th point around its dispatches.

Each line of the input is a run: the address of the document, the history, the scenario and the number of the point
(0 lets it live). Points are every step of the agent's loop, every statement of SQL and both sides of every append, from
the moment before anything may leave until the turn is at rest. Each run answers with one line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from typing import Any

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.history.sqlite import SqliteStore
from bitte_nb.testing import Call, ScriptedModel


class Points:
    """Counts the points, and dies at one of them."""

    def __init__(self, at: int, out: int) -> None:
        self.at, self.out, self.count, self.armed = at, out, 0, False

    def reached(self, name: str) -> None:
        if not self.armed:
            return
        self.count += 1
        if self.count == self.at:
            self.say(point=name)
            os.kill(os.getpid(), signal.SIGKILL)

    def say(self, **facts: Any) -> None:
        os.write(self.out, json.dumps({"count": self.count, **facts}).encode())


def watch(points: Points) -> None:
    handle_run, append = asyncio.events.Handle._run, SqliteStore.append

    def run(self: Any) -> None:
        points.reached(f"loop {getattr(self._callback, '__qualname__', type(self._callback).__name__)}")
        handle_run(self)

    def appended(self: SqliteStore, chat: str, entries: Any, **how: Any) -> int:
        kinds = " ".join(one.event.type if one.kind in {"invocation", "session"} else one.kind for one in entries)
        points.reached(f"before {kinds}")
        self._writer.set_trace_callback(lambda sql: points.reached(f"{sql.split()[0]} of {kinds}"))
        head = append(self, chat, entries, **how)
        points.reached(f"after {kinds}")
        return head

    asyncio.events.Handle._run = run  # type: ignore[method-assign]
    SqliteStore.append = appended  # type: ignore[method-assign]


def live(url: str, history: str, scenario: str, at: int, out: int) -> None:
    points = Points(at, out)
    calls = [Call("write", {"n": n}) for n in range(3 if scenario == "rule" else 1)]
    if scenario == "read":
        calls = [Call("read", {})]
    rules = [{"name": "all", "effect": "allow", "tools": ["write"]}] if scenario == "rule" else None
    policy = bn.Policy(rules) if rules else bn.Policy.default()
    agent = bn.Agent(url, model=ScriptedModel([calls, ["Done."]]), policy=policy)
    chat = Chat(agent, store=history)
    watch(points)
    if scenario == "person":
        turn = chat.ask("go")
        [pending] = turn.pending
        points.armed = True
        pending.approve()
    else:
        points.armed = True
        turn = chat.ask("go")
    turn.wait(60)
    points.armed = False
    points.say(point="", phase=turn.phase)


def main() -> None:
    for line in sys.stdin:
        url, history, scenario, at = line.split()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                live(url, history, scenario, int(at), writer)
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            said = pipe.read()
        os.waitpid(child, 0)
        # A thread may still say that all is done while another one dies; the death came first.
        print(json.dumps(json.JSONDecoder().raw_decode(said or "{}")[0]), flush=True)


if __name__ == "__main__":
    main()
