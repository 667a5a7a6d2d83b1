"""The history at the size of a busy service: 344,000 chats, 2.85 million messages.

    python benchmarks/history_store.py [--chats 344000] [--keep PATH]

Fills a store the way kernels do (one append per turn), then times what a person waits for. Beside each number stands
what the plain way costs: a JSON file per chat, rewritten whole, as notebook chats commonly keep it. Fails where a limit
is not held; limits of appending are ratios to the disk's own write and fsync in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from bitte_nb.core.log import AgentRecord, ChatOpened, Entry, StepFinished, StepStarted, TextAdded, TurnStarted
from bitte_nb.history import record
from bitte_nb.history.sqlite import SqliteStore
from bitte_nb.history.store import Store

MESSAGES_PER_CHAT = 2_850_000 / 344_000
AGENT = AgentRecord(agent="agent.example", name="Agent")
VOCABULARY = 30_000
RAREST = "zyxwvut"
"""A word that is said once."""


def vocabulary(random: Random) -> list[str]:
    syllables = [consonant + vowel for consonant in "bdklmn" for vowel in "aeiou"]
    seen: dict[str, None] = {}
    while len(seen) < VOCABULARY:
        seen["".join(random.choices(syllables, k=random.randint(2, 5)))] = None
    return list(seen)


class Talk:
    """Says sentences whose words are as unevenly common as those of a language (Zipf)."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.words = vocabulary(self.random)
        self.weights = [0.0]
        for rank in range(1, VOCABULARY + 1):
            self.weights.append(self.weights[-1] + 1 / rank)
        self.weights.pop(0)

    def say(self, length: int) -> str:
        return " ".join(self.random.choices(self.words, cum_weights=self.weights, k=length))

    def chat(self, number: int) -> Iterator[Entry]:
        at = 1_700_000_000_000 + number * 1000
        yield ChatOpened(at=at, chat=f"chat{number}", title="", agents=(AGENT,))
        turns = max(1, round(self.random.expovariate(2 / MESSAGES_PER_CHAT)))
        for turn in range(1, turns + 1):
            yield TurnStarted(at=at, turn=turn, text=self.say(self.random.randint(3, 15)), agent=AGENT.agent)
            yield StepStarted(at=at, turn=turn, step=1, attempt=1, model="m")
            yield TextAdded(at=at, turn=turn, step=1, text=self.say(self.random.randint(10, 60)))
            yield StepFinished(at=at, turn=turn, step=1, reason="stop")


def fill(store: Store, talk: Talk, chats: int) -> int:
    messages = 0
    begun = time.perf_counter()
    for number in range(chats):
        entries = list(talk.chat(number))
        if number == chats // 2:
            entries.append(TextAdded(at=1, turn=1, step=1, text=f" {RAREST}"))
        messages += sum(isinstance(one, TurnStarted | TextAdded) for one in entries)
        store.create(f"chat{number}", talk.say(5), entries[0].at)
        store.append(f"chat{number}", entries, expected=0, durable=False)
        if number and number % 50_000 == 0:
            print(
                f"  {number:,} chats after {time.perf_counter() - begun:.0f} s, {memory():.0f} MB of memory", flush=True
            )
    return messages


def memory() -> float:
    """Megabytes of this process, at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


LOOKING, SEARCHING = 10.0, 50.0
"""Milliseconds that a list, a load and a search may take at the median."""
APPENDING = 3.0
"""How many times the disk's own write and fsync a durable append may cost."""
MEMORY = 150.0
"""Megabytes that the measuring process may use: those of an empty store and its imports, and a margin."""
too_slow: list[str] = []


def hold(what: str, found: float, limit: float) -> None:
    """Note what is over its limit; everything is measured before anything fails."""
    if found > limit:
        too_slow.append(f"{what}: {found:.2f}, and at most {limit:.2f} is held")


def timed(
    what: str, action: Callable[[int], object], *, runs: int = 50, plain: str = "", limit: float = LOOKING
) -> None:
    action(0)
    times: list[float] = []
    for run in range(1, runs + 1):
        begun = time.perf_counter()
        action(run)
        times.append((time.perf_counter() - begun) * 1000)
    times.sort()
    worst = times[int(len(times) * 0.95)]
    print(f"| {what} | {statistics.median(times):.2f} | {worst:.2f} | {plain} |", flush=True)
    hold(what, statistics.median(times), limit)


def plain_append(folder: Path, entries: list[Entry]) -> float:
    """Milliseconds to add a message the plain way: rewrite the chat's JSON, fsync, replace."""
    path, fresh = folder / "chat.json", folder / "chat.json.part"
    kept = [json.loads(record.dump(one)) for one in entries]
    times: list[float] = []
    for _ in range(30):
        begun = time.perf_counter()
        kept.append(kept[1])
        with fresh.open("w") as file:
            json.dump(kept, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def raw_fsync(folder: Path) -> float:
    """Milliseconds of one 4 KB write and fsync: what the disk itself costs."""
    times: list[float] = []
    with (folder / "raw").open("wb", buffering=0) as file:
        for _ in range(50):
            begun = time.perf_counter()
            file.write(b"x" * 4096)
            os.fsync(file.fileno())
            times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def measure(path: Path, chats: int, talk: Talk) -> None:
    """Open the full store afresh and time it."""
    store = SqliteStore(path)
    random = Random(3)
    common, middle, seldom = talk.words[0], talk.words[300], talk.words[25_000]
    thousand_messages = (list(talk.chat(chats)) * 2000)[:2000]
    disk = raw_fsync(path.parent)
    plain = plain_append(path.parent, thousand_messages)
    heads: dict[str, int] = {}

    def append(run: int, *, durable: bool) -> None:
        name = f"chat{(run * 7919) % chats}"
        head = heads.get(name) or store.load(name).head
        heads[name] = store.append(
            name, [TextAdded(at=2, turn=1, step=1, text=talk.say(30))], expected=head, durable=durable
        )

    def append_known(run: int) -> None:
        heads["chat1"] = store.append(
            "chat1", [TextAdded(at=2, turn=1, step=1, text=talk.say(30))], expected=heads["chat1"], durable=True
        )

    heads["chat1"] = store.load("chat1").head
    print("| what | median ms | 95 % ms | beside it |")
    print("|---|---|---|---|")
    timed("list the 50 newest chats", lambda _: store.chats())
    timed("list 50 chats after 100,000 others", lambda _: store.chats(offset=min(100_000, chats // 2)), limit=SEARCHING)
    timed("load a chat", lambda _: store.load(f"chat{random.randrange(chats)}"), runs=200)
    timed(
        "append a message, durable",
        append_known,
        plain=f"disk's own write + fsync {disk:.2f}; a JSON file of 1,000 messages rewritten {plain:.2f}",
        limit=max(APPENDING * disk, 2.0),
    )
    timed("append a message to any chat, not fsynced", lambda run: append(run, durable=False))
    for what, words in (
        ("a word said once", RAREST),
        ("a seldom word", seldom),
        ("a middling word", middle),
        ("the most common word", common),
        ("two common words", f"{common} {talk.words[1]}"),
        ("a common and a seldom word", f"{common} {seldom}"),
        ("three middling words", f"{middle} {talk.words[301]} {talk.words[302]}"),
        ("the beginning of the most common word", common[:-1]),
        ("the beginning of a seldom word", seldom[:-1]),
        ("one letter", common[0]),
        ("two letters", common[:2]),
        ("a common word and the beginning of a seldom one", f"{common} {seldom[:-1]}"),
        ("a beginning that nobody said", "qqq"),
        ("a word that nobody said", "qqqq"),
    ):
        timed(
            f"search {what} ({len(store.search(words))} chats shown)",
            lambda _, words=words: store.search(words),
            runs=15,
            limit=SEARCHING,
        )
    for what, words in (("a middling word", middle), ("the most common word", common), ("two letters", common[:2])):
        timed(f"search titles for {what}", lambda _, words=words: store.chats(query=words), runs=15, limit=SEARCHING)
    timed("rename", lambda run: store.rename("chat2", f"title {run}"))
    doomed = [f"doomed{os.getpid()}.{run}" for run in range(11)]
    for name in doomed:
        store.create(name, "doomed", 1)
        store.append(name, list(talk.chat(1)), expected=0, durable=False)
    timed("delete a chat", lambda run: store.delete(doomed[run]), runs=10)
    print(f"\nMemory of the measuring process: {memory():.0f} MB. File: {path.stat().st_size / 1e9:.2f} GB.")
    hold("memory of the measuring process, MB", memory(), MEMORY)
    store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--chats", type=int, default=344_000)
    parser.add_argument("--keep", type=Path, help="fill this file if it is missing, and leave it there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.keep or Path(folder) / "history.db"
        talk = Talk(1)
        if not path.exists():
            store = SqliteStore(path)
            begun = time.perf_counter()
            messages = fill(store, talk, arguments.chats)
            seconds = time.perf_counter() - begun
            store.close()
            print(f"Filled {arguments.chats:,} chats, {messages:,} messages in {seconds:.0f} s.\n", flush=True)
        if (child := os.fork()) == 0:  # a fresh process, so that its memory is its own
            measure(path, arguments.chats, talk)
            print("\n".join(too_slow), flush=True)
            os._exit(bool(too_slow))
        raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    main()
