"""Stores under test, and entries to put into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bitte_nb.history.jsonl_store import JsonlStore
from bitte_nb.history.sqlite import SqliteStore
from bitte_nb.history.store import Store

Opener = Callable[[], Store]


@pytest.fixture(params=["sqlite", "jsonl"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Opens the same store each time it is called, as another program would."""
    opened: list[Store] = []

    def open_again() -> Store:
        match request.param:
            case "sqlite":
                store = SqliteStore(tmp_path / "home" / "history.db", timeout=2)
            case "jsonl":
                store = JsonlStore(tmp_path / "home" / "history.jsonl", timeout=2)
            case other:
                raise AssertionError(other)
        opened.append(store)
        return store

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(opener: Opener) -> Store:
    return opener()
