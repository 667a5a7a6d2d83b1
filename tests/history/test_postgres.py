"""What only a server has: other people, lost connections, its own age."""

from __future__ import annotations

import threading

import pytest

from bitte_nb.errors import ChatNotFound, HistoryError
from bitte_nb.history import postgres
from bitte_nb.history.postgres import PostgresStore
from bitte_nb.history.postgres_schema import trouble
from bitte_nb.history.store import Store

from . import chats

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'bitte_nb[postgres]'")


def filled(store: Store) -> int:
    store.create("c1", "Weather", 1)
    return store.append("c1", chats.small_chat(), expected=0, durable=True)


def end_connections(url: str) -> None:
    """As if the server had been restarted."""
    with psycopg.connect(url) as db:
        db.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bitte_nb' "
            "AND datname = current_database()"
        )


@pytest.fixture
def people(database: str):
    """URLs of two people who may do nothing but connect, after an administrator opened the history once."""
    PostgresStore(database).close()
    names = ("alice", "bob")
    with psycopg.connect(database, autocommit=True) as db:
        for name in names:
            db.execute(f"DROP ROLE IF EXISTS {name}")
            db.execute(f"CREATE ROLE {name} LOGIN")
    return [database.replace("//tests@", f"//{name}@") for name in names]


def test_people_see_their_own_chats_only(people: list[str]):
    alice, bob = (PostgresStore(url) for url in people)
    head = filled(alice)
    filled(bob)  # the same id
    bob.rename("c1", "Bob's")
    alice.put_document("d", "alice's", "")
    assert [one.title for one in alice.chats()] == ["Weather"]
    assert len(alice.search("lisbon")) == len(bob.search("lisbon")) == 1
    assert bob.document("d") is None
    bob.delete("c1")
    with pytest.raises(ChatNotFound):
        bob.load("c1")
    assert alice.load("c1").head == head
    # Not even by asking the tables themselves, nor by writing into the other one's chat.
    with psycopg.connect(people[1], autocommit=True) as db:
        assert db.execute("SELECT count(*) FROM bitte_nb.entry").fetchone() == (0,)
        with pytest.raises(psycopg.Error):
            db.execute(
                "INSERT INTO bitte_nb.entry (owner, number, seq, kind, payload) VALUES ('alice', 1, 99, 'x', 'x')"
            )
        with pytest.raises(psycopg.Error):
            db.execute("INSERT INTO bitte_nb.entry (number, seq, kind, payload) VALUES (1, 9, '', '')")
    assert alice.append("c1", [chats.ended(1, 1)], expected=head, durable=True) == head + 1
    alice.close()
    bob.close()


def test_an_administrator_keeps_apart_what_is_theirs(people: list[str], database: str):
    alice, tests = PostgresStore(people[0]), PostgresStore(database)
    filled(alice)
    assert tests.chats() == []
    assert tests.search("lisbon") == []
    with pytest.raises(ChatNotFound):
        tests.delete("c1")
    alice.close()
    tests.close()


def test_a_role_that_may_not_make_the_tables_is_told_whom_to_ask(database: str):
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("DROP ROLE IF EXISTS carol")
        db.execute("CREATE ROLE carol LOGIN")
    with pytest.raises(HistoryError, match="Ask who runs the database to let a role that may create the schema"):
        PostgresStore(database.replace("//tests@", "//carol@"))


def test_a_lost_connection_is_made_again(database: str):
    store = PostgresStore(database)
    head = filled(store)
    end_connections(database)
    assert store.load("c1").head == head
    end_connections(database)
    assert store.append("c1", [chats.ended(1, 1)], expected=head, durable=True) == head + 1
    assert store.load("c1").head == head + 1
    store.close()


def test_a_commit_whose_answer_was_lost_is_not_made_twice(database: str, monkeypatch: pytest.MonkeyPatch):
    store = PostgresStore(database)
    head = filled(store)
    real = store._using
    calls: list[str] = []

    def losing(use: str):
        from contextlib import contextmanager

        @contextmanager
        def using():
            with real(use) as db:
                yield db
            calls.append(use)
            if len(calls) == 1:
                raise postgres._Lost

        return using()

    monkeypatch.setattr(store, "_using", losing)
    assert store.append("c1", [chats.ended(1, 1)], expected=head, durable=True) == head + 1
    assert calls == ["write", "write"]
    assert store.load("c1").head == head + 1
    store.close()


def test_a_chat_that_stays_locked_ends_in_a_sentence(database: str):
    store = PostgresStore(database, timeout=3)
    head = filled(store)
    with psycopg.connect(database) as db:
        db.execute("SELECT 1 FROM bitte_nb.chat FOR UPDATE")
        with pytest.raises(HistoryError, match=r"kept a chat in .* locked for more than 3 s") as caught:
            store.append("c1", [chats.ended(1, 1)], expected=head, durable=True)
        assert caught.value.transient
    assert store.append("c1", [chats.ended(1, 1)], expected=head, durable=True) == head + 1
    store.close()


@pytest.mark.parametrize(
    ("state", "transient"), [(None, True), ("08006", True), ("57P01", True), ("53100", True), ("42501", False)]
)
def test_a_server_that_is_away_may_be_tried_again_and_one_that_refuses_may_not(state: str | None, *, transient: bool):
    error = psycopg.errors.lookup(state)("no") if state else psycopg.OperationalError("no answer")
    assert trouble("here", error, timeout=1).transient is transient


def test_many_programs_may_begin_at_once(database: str):
    errors: list[BaseException] = []

    def begin() -> None:
        try:
            PostgresStore(database).close()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=begin) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_a_newer_schema_says_to_update(database: str):
    PostgresStore(database).close()
    with psycopg.connect(database) as db:
        db.execute("UPDATE bitte_nb.version SET version = 99")
    with pytest.raises(HistoryError, match=r"was written by a newer bitte_nb \(schema 99; this one knows \d+\)"):
        PostgresStore(database)


def test_a_damaged_record_is_a_gap(database: str):
    store = PostgresStore(database)
    head = filled(store)
    with psycopg.connect(database) as db:
        db.execute("UPDATE bitte_nb.entry SET payload = left(payload, 9) WHERE seq = 2")
        db.execute("DELETE FROM bitte_nb.entry WHERE seq = 4")
    loaded = store.load("c1")
    assert [(gap.seq, gap.kind) for gap in loaded.gaps] == [(2, "turn_started"), (4, "")]
    assert (loaded.head, len(loaded.entries)) == (head, head - 2)
    store.close()


def test_no_message_has_the_password():
    url = "postgresql://me:hunter2@127.0.0.1:1/x?password=hunter2"
    with pytest.raises(HistoryError) as caught:
        PostgresStore(url, timeout=1)
    assert "hunter2" not in str(caught.value)
    assert "postgresql://me@127.0.0.1:1/x" in str(caught.value)


def test_a_long_text_is_kept_whole(database: str):
    store = PostgresStore(database)
    store.create("c1", "t", 1)
    text = " ".join(f"word{number}" for number in range(300_000)) + " " + "x" * 3_000_000
    store.append("c1", [chats.turn(1, text)], expected=0, durable=True)
    (entry,) = store.load("c1").entries
    assert entry == chats.turn(1, text)
    assert [one.seq for one in store.search("word7 word19")] == [1]
    store.close()
