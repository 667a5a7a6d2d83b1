"""Programs die, chats are opened, deleted and taken over at any moment: nothing is lost, mixed up or run twice."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.core.fold import fold
from bitte_nb.core.invocation_events import Dispatch
from bitte_nb.core.log import Entry, InvocationChanged
from bitte_nb.errors import BitteError, HistoryError
from bitte_nb.history.jsonl_store import JsonlStore
from bitte_nb.history.sqlite import SqliteStore
from bitte_nb.history.store import Store
from bitte_nb.testing import ScriptedModel
from tests.agent.bodies import Bodies
from tests.agent.test_any_act import NAMES, REFUSED, act, converge, granted
from tests.agent.test_any_script import provider_valid, units
from tests.agent.virtual import Hasty


@pytest.fixture(scope="module")
def server() -> Iterator[Bodies]:
    with Bodies(b'{"ok": 1}') as server:
        yield server


class Mortal:
    """A program's way to its store: after its death nothing of it arrives; what arrived before is noted in the book."""

    def __init__(self, store: Any, book: dict[str, list[Entry]]) -> None:
        self._store, self._book, self.dead = store, book, False

    def __getattr__(self, name: str) -> Any:
        if self.dead:
            raise HistoryError("This program is dead.")
        return getattr(self._store, name)

    def append(self, chat_id: str, entries: Sequence[Entry], *, expected: int, durable: bool) -> int:
        if self.dead:
            raise HistoryError("This program is dead.")
        head = int(self._store.append(chat_id, entries, expected=expected, durable=durable))
        self._book.setdefault(chat_id, []).extend(entries)
        return head


class Person:
    """Who uses one program after another on the same history."""

    def __init__(self, server: Bodies, path: Path, script: list[list[Any]]) -> None:
        self.path, self.clock = path, Hasty()
        self.book: dict[str, list[Entry]] = {}
        self.model = ScriptedModel(script, sleep=self.clock.sleep)
        self.agent = bn.Agent(server.document(), model=self.model)
        self.deleted: set[str] = set()
        self.mortal = self.begin()
        self.chat = Chat(self.agent, store=cast("Store", self.mortal), clock=self.clock)

    def begin(self) -> Mortal:
        kind = SqliteStore if self.path.suffix == ".db" else JsonlStore
        return Mortal(kind(self.path), self.book)

    def load(self, chat_id: str) -> Chat:
        return Chat.load(chat_id, agent=self.agent, store=cast("Store", self.mortal), clock=self.clock)

    def die(self, _n: int) -> None:
        """kill -9: no task goes on, nothing more is written, and the next program loads what is there."""
        old, self.mortal.dead = self.chat, True
        old.thread.call(lambda: old.conversation.end("This program is dead."))
        self.mortal = self.begin()
        if old.id in self.kept:
            self.chat = self.load(old.id)
        else:  # it had no word yet
            self.chat = Chat(self.agent, store=cast("Store", self.mortal), clock=self.clock)

    @property
    def kept(self) -> list[str]:
        return sorted(info.chat for info in self.mortal.chats())

    def open(self, n: int) -> None:
        if self.kept:
            self.chat.open(self.kept[n % len(self.kept)])

    def delete(self, n: int) -> None:
        if self.kept:
            doomed = self.kept[n % len(self.kept)]
            self.deleted.add(doomed)
            self.chat.delete(doomed)

    def new(self, _n: int) -> None:
        self.chat.new()

    def do(self, name: str, n: int, faults: list[BaseException]) -> None:
        if name not in ENDS:
            act(self.chat, name, n, 1, faults)
            return
        try:
            with contextlib.suppress(*REFUSED):
                getattr(self, name)(n)
        except BaseException as error:
            faults.append(error)


ENDS = ("die", "open", "delete", "new")
names = st.sampled_from([*NAMES, *ENDS, *ENDS, *ENDS, "die", "take over", "take over"])
scripts = st.lists(st.lists(units, max_size=3), max_size=30)
acts = st.lists(st.tuples(names, st.integers(0, 5)), max_size=14)


@pytest.mark.parametrize("kind", ["jsonl", "db"])
def test_whatever_ends_in_between_nothing_is_lost_run_twice_or_mixed_up(
    server: Bodies, tmp_path_factory: pytest.TempPathFactory, kind: str
) -> None:
    folder = tmp_path_factory.mktemp("ends")
    numbers = iter(range(10**9))

    @settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(scripts, acts)
    def holds(script: list[list[Any]], doing: list[tuple[str, int]]) -> None:
        run(server, folder / f"{next(numbers)}.{kind}", script, doing)

    holds()


def run(server: Bodies, path: Path, script: list[list[Any]], doing: list[tuple[str, int]]) -> None:
    person = Person(server, path, script)
    before, faults = server.count, list[BaseException]()
    with contextlib.suppress(BitteError):
        person.chat.ask("go")
    for name, n in doing:
        person.do(name, n, faults)
    assert not faults, faults
    person.chat.close()
    event(f"{len(person.kept)} chats, {sum(name == 'die' for name, _ in doing)} deaths")

    for request in person.model.requests:
        provider_valid(request.messages)
    assert not person.deleted & set(person.kept)
    for chat_id in person.kept:
        asked = len(person.model.requests)
        chat = person.load(chat_id)
        assert len(person.model.requests) == asked, "loading asked the model"
        assert not any(call.state in {"streaming", "proposed", "executing"} for call in chat.invocations)
        converge(chat)
        chat.close()
        loaded = person.mortal.load(chat_id)
        assert not loaded.gaps
        assert loaded.entries == person.book[chat_id], "an entry was lost, added or moved"
        looked = [*loaded.entries, *chat.conversation.unwritten]  # looking writes nothing
        assert fold(looked).invocations == chat.state.invocations
        provider_valid(chat.messages)
        granted(loaded.entries)

    sent = Counter(
        (chat_id, one.key, one.event.at)
        for chat_id, entries in person.book.items()
        for one in entries
        if isinstance(one, InvocationChanged) and isinstance(one.event, Dispatch)
    )
    assert server.count - before <= sent.total(), "something left that was not on disk"
    person.mortal.close()
