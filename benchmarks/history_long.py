"""One chat that never ended: what it costs to list, load, open and export a log of a million entries.

    python benchmarks/history_long.py [--entries 1000000]

Times are of the processor, and stand beside what an entry costs, so that a longer chat that costs more per entry shows.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.core import session as ses
from bitte_nb.core.invocation_events import ArgsClosed, Dispatch, Grant, PolicyAllow, Prepared, Result
from bitte_nb.core.log import (
    ChatOpened,
    Entry,
    InvocationChanged,
    InvocationStarted,
    SessionChanged,
    StepFinished,
    StepStarted,
    TextAdded,
    TurnStarted,
)
from bitte_nb.history.sqlite import SqliteStore
from bitte_nb.testing import ScriptedModel

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Small", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {"/a": {"get": {"operationId": "read", "responses": {"200": {"description": "Ok."}}}}},
}
AT_ONCE = 20_000
"""Entries of one append."""


def turn(number: int, agent: str) -> Iterator[Entry]:
    """A question, a call and an answer: 15 entries."""
    key, at = f"{number}.1.0", number * 1000
    card = Prepared(digest=key, method="GET", url="http://127.0.0.1:9/a")
    yield TurnStarted(at=at, turn=number, text=f"What is there at {number}?", agent=agent)
    yield SessionChanged(at=at, turn=number, event=ses.Start())
    yield StepStarted(at=at, turn=number, step=1, attempt=1, model="m", agent=agent)
    yield InvocationStarted(at=at, key=key, tool="read", agent=agent, safe=True)
    yield StepFinished(at=at, turn=number, step=1, reason="tool_calls")
    for event in (
        ArgsClosed(args={}, prepared=card),
        PolicyAllow(grant=Grant(source="rule", rule="read-only", digest=key, version=1, at=at)),
        Dispatch(digest=key, at=at),
        Result(data={"found": number}, at=at),
    ):
        yield InvocationChanged(at=at, key=key, event=event)
    yield SessionChanged(at=at, turn=number, event=ses.Connected())
    yield SessionChanged(at=at, turn=number, event=ses.Interrupt())
    yield SessionChanged(at=at, turn=number, event=ses.Resume(open=0))
    yield StepStarted(at=at, turn=number, step=2, attempt=1, model="m", agent=agent)
    yield TextAdded(at=at, turn=number, step=2, text="This is what I found there. " * 5)
    yield StepFinished(at=at, turn=number, step=2, reason="stop")
    yield SessionChanged(at=at, turn=number, event=ses.Connected())
    yield SessionChanged(at=at, turn=number, event=ses.Complete(outcome="success"))


def fill(store: SqliteStore, agent: bn.Agent, entries: int) -> int:
    store.put_document(agent.document.digest, agent.document.text, agent.document.url)
    store.create("long", "A long talk", 0)
    waiting: list[Entry] = [ChatOpened(at=0, chat="long", title="A long talk", agents=(agent.record(),))]
    head = number = 0
    while head + len(waiting) < entries:
        number += 1
        waiting += turn(number, agent.id)
        if len(waiting) >= AT_ONCE:
            head, waiting = store.append("long", waiting, expected=head, durable=False), []
    return store.append("long", waiting, expected=head, durable=False) if waiting else head


def timed(what: str, entries: int, action: Callable[[], object]) -> None:
    begun = time.process_time()
    action()
    seconds = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| {what} | {seconds:.2f} | {seconds / entries * 1e6:.1f} | {memory:,.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--entries", type=int, default=1_000_000)
    entries = parser.parse_args().entries
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.db"
        agent = bn.Agent(DOCUMENT, model=ScriptedModel([]))
        store = SqliteStore(path)
        entries = fill(store, agent, entries)
        print(f"{entries:,} entries, {path.stat().st_size / 1e6:,.0f} MB on disk\n")
        print("| what | s of processor | µs per entry | MB of memory at most so far |")
        print("|---|---|---|---|")
        timed("list", entries, store.chats)
        loaded: list[Chat] = []
        timed("load", entries, lambda: loaded.append(Chat.load("long", agent=agent, store=store)))
        [chat] = loaded
        chat.new()
        timed("open from another chat", entries, lambda: chat.open("long"))
        for ending in (".jsonl", ".json", ".md", ".html", ".core.json"):
            timed(f"export {ending}", entries, lambda ending=ending: chat.export(Path(folder) / f"talk{ending}"))
        chat.close()


if __name__ == "__main__":
    main()
