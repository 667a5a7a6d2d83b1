"""Stores under test, and the servers behind them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bitte_nb.history.store import Store, open_store

from .server import NoServer, running

Opener = Callable[[], Store]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of a PostgreSQL server; BITTE_NB_TEST_POSTGRES names one that already runs."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'bitte_nb[postgres]'")
    given = os.environ.get("BITTE_NB_TEST_POSTGRES")
    if given:
        yield given
        return
    try:
        with running() as url:
            yield url
    except NoServer as missing:
        pytest.skip(str(missing))


@pytest.fixture
def database(server: str) -> Iterator[str]:
    """The URL of a database that has no history yet."""
    import psycopg

    yield server
    with psycopg.connect(server, autocommit=True) as db:
        db.execute("SET lock_timeout = '60s'")
        db.execute("DROP SCHEMA IF EXISTS bitte_nb CASCADE")


@pytest.fixture(params=["sqlite", "jsonl", "postgres"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """What `open_store` takes, for each kind of store."""
    match request.param:
        case "sqlite":
            return str(tmp_path / "home" / "history.db")
        case "jsonl":
            return str(tmp_path / "home" / "history.jsonl")
        case _:
            return str(request.getfixturevalue("database"))


@pytest.fixture
def opener(target: str) -> Iterator[Opener]:
    """Opens the same store each time it is called, as another program would."""
    opened: list[Store] = []

    def open_again() -> Store:
        opened.append(open_store(target, timeout=60))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(opener: Opener) -> Store:
    return opener()
