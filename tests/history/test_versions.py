"""Chats of other versions of this package: an older store keeps all it holds, a newer record is said and not lost."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from bitte_nb.core.attachment import Attachment
from bitte_nb.core.fold import fold
from bitte_nb.core.log import BranchChosen, Entry, Rated, TurnStarted
from bitte_nb.errors import HistoryError
from bitte_nb.history import postgres_index, record
from bitte_nb.history.export import export
from bitte_nb.history.gaps import bridged
from bitte_nb.history.jsonl import read_chat
from bitte_nb.history.jsonl_store import JsonlStore
from bitte_nb.history.postgres import PostgresStore
from bitte_nb.history.postgres_schema import SCHEMA_STEPS as POSTGRES_STEPS
from bitte_nb.history.sqlite import SqliteStore
from bitte_nb.history.sqlite_file import APPLICATION, SCHEMA_STEPS
from bitte_nb.history.sqlite_index import SHIFT
from bitte_nb.history.store import Store, passage

from . import chats

PICTURE = b"\x89PNG and so on"
DIGEST = sha256(PICTURE).hexdigest()
FILE = Attachment(digest=DIGEST, name="sky.png", media="image/png", size=len(PICTURE))
BRANCHED: list[Entry] = [
    *chats.small_chat(),
    TurnStarted(at=20, turn=2, text="And in Porto?", agent=chats.AGENT.agent, files=(FILE,)),
    chats.step(2, 1),
    chats.says(2, 1, "Clouds over Porto."),
    TurnStarted(at=30, turn=3, text="What is it in Braga?", agent=chats.AGENT.agent, after=0),
    TurnStarted(at=40, turn=4, text="And in Faro?", agent=chats.AGENT.agent),
    BranchChosen(at=50, turn=2),
    Rated(at=60, turn=2, rating="good"),
]
"""Two versions of a chat, an attached file, and a call that waits."""


def keeps_everything(store: Store, *, files: bool) -> None:
    loaded = store.load("c1")
    assert (loaded.entries, loaded.gaps, loaded.head) == (BRANCHED, [], len(BRANCHED))
    state = fold(loaded.entries)
    assert [turn.turn for turn in state.turns] == [1, 2]
    assert (sorted(state.elsewhere), dict(state.continued)) == ([3, 4], {3: 4})
    assert (state.turns[1].files, state.turns[1].rating) == ((FILE,), "good")
    assert store.file("c1", DIGEST) == (PICTURE if files else None)
    assert [one.title for one in store.chats(query="Weat")] == ["Weather"]
    assert [one.chat for one in store.search("clouds porto")] == ["c1"]
    store.put_file("c1", DIGEST, PICTURE)
    assert store.file("c1", DIGEST) == PICTURE
    assert store.hold("c1") == ""
    assert store.append("c1", [BranchChosen(at=70, turn=4)], expected=len(BRANCHED), durable=True) == len(BRANCHED) + 1
    assert [turn.turn for turn in fold(store.load("c1").entries).turns] == [3, 4]


@pytest.mark.parametrize("version", range(1, len(SCHEMA_STEPS) + 1))
def test_an_older_file_keeps_versions_and_attached_files(tmp_path: Path, version: int):
    path = tmp_path / "history.db"
    with sqlite3.connect(path, isolation_level=None) as db:
        for step in SCHEMA_STEPS[:version]:
            step(db)
        db.execute(f"PRAGMA user_version = {version}")
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        chat = (1, "c1", "Weather", 1, 60, len(BRANCHED))
        db.execute("INSERT INTO chat (number, chat, title, created, updated, head) VALUES (?, ?, ?, ?, ?, ?)", chat)
        db.execute("INSERT INTO titled (rowid, title) VALUES (1, 'Weather')")
        for seq, one in enumerate(BRANCHED, 1):
            row = ((1 << SHIFT) + seq, one.kind, record.dump(one))
            db.execute("INSERT INTO entry (id, kind, payload) VALUES (?, ?, ?)", row)
            if words := passage(one):
                db.execute("INSERT INTO said (rowid, words) VALUES (?, ?)", (row[0], words))
        if files := version >= 4:
            db.execute("INSERT INTO file (number, digest, data) VALUES (1, ?, ?)", (DIGEST, PICTURE))
    db.close()
    store = SqliteStore(path)
    keeps_everything(store, files=files)
    store.delete("c1")
    assert (store.chats(), store.file("c1", DIGEST)) == ([], None)
    store.close()
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(SCHEMA_STEPS),)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


@pytest.mark.parametrize("version", range(1, len(POSTGRES_STEPS) + 1))
def test_an_older_database_keeps_versions_and_attached_files(database: str, version: int):
    import psycopg

    words = postgres_index.words_of
    with psycopg.connect(database) as db:
        db.execute("CREATE SCHEMA bitte_nb")
        db.execute("CREATE TABLE bitte_nb.version (version integer NOT NULL)")
        for step in POSTGRES_STEPS[:version]:
            db.execute(step.encode())
        db.execute("INSERT INTO bitte_nb.version VALUES (%s)", (version,))
        db.execute(
            "INSERT INTO bitte_nb.chat (chat, title, created, updated, head, words) "
            "VALUES ('c1', 'Weather', 1, 60, %s, array_to_tsvector(%s))",
            (len(BRANCHED), words("Weather")),
        )
        for seq, one in enumerate(BRANCHED, 1):
            db.execute(
                "INSERT INTO bitte_nb.entry (number, seq, kind, payload, words) "
                "VALUES (1, %s, %s, %s, array_to_tsvector(%s))",
                (seq, one.kind, record.dump(one), words(passage(one)) if passage(one) else None),
            )
        if files := version >= 3:
            db.execute("INSERT INTO bitte_nb.file (number, digest, data) VALUES (1, %s, %s)", (DIGEST, PICTURE))
    store = PostgresStore(database)
    keeps_everything(store, files=files)
    store.close()


NEWER: list[tuple[str, str]] = [
    ('{"kind":"poll_opened","at":9,"question":"?"}', "its kind is not known here"),
    ('{"kind":"rated","at":9,"turn":1,"rating":"good","stars":5}', "it holds rated.stars"),
    ('{"kind":"session","at":9,"turn":1,"event":{"type":"dreaming"}}', "it holds session.event"),
]
"""What a newer version may write, and what is said of it."""


def inserted(target: str, payloads: Sequence[str]) -> None:
    """Write records into the chat `c1` as another version would."""
    if target.endswith(".jsonl"):
        with (Path(target) / "chats" / "c1.jsonl").open("a") as file:
            file.writelines(f"{one}\n" for one in payloads)
        return
    if target.startswith("postgres"):
        import psycopg

        with psycopg.connect(target) as db:
            for one in payloads:
                db.execute(
                    "INSERT INTO bitte_nb.entry (number, seq, kind, payload) "
                    "SELECT number, head + 1, %s, %s FROM bitte_nb.chat",
                    (json.loads(one)["kind"], one),
                )
                db.execute("UPDATE bitte_nb.chat SET head = head + 1")
        return
    with sqlite3.connect(target) as db:
        for one in payloads:
            sql = f"INSERT INTO entry (id, kind, payload) SELECT (number << {SHIFT}) + head + 1, ?, ? FROM chat"
            db.execute(sql, (json.loads(one)["kind"], one))
            db.execute("UPDATE chat SET head = head + 1")
    db.close()


def test_a_record_of_a_newer_version_is_said_shown_as_a_gap_and_kept(target: str, store: Store):
    store.create("c1", "Weather", 1)
    store.append("c1", BRANCHED, expected=0, durable=True)
    before = len(BRANCHED)
    inserted(target, [payload for payload, _ in NEWER])
    loaded = store.load("c1")
    assert loaded.entries == BRANCHED
    assert [gap.seq for gap in loaded.gaps] == [before + 1, before + 2, before + 3]
    for gap, (_, what) in zip(loaded.gaps, NEWER, strict=True):
        assert gap.reason == f"unreadable record: a newer bitte_nb wrote it ({what}); update to see it"
    assert fold(bridged(loaded)).turns[1].rating == "good"
    sentence = (
        f"3 of {before + 3} records of this chat could not be read (number {before + 1}, {before + 2}, {before + 3})."
    )
    assert f"{sentence} A newer bitte_nb wrote some of them; update to see them." in export(loaded, "markdown")

    head = store.append("c1", [Rated(at=99, turn=2, rating="bad")], expected=loaded.head, durable=True)
    assert head == before + 4
    again = store.load("c1")
    assert (again.entries[:-1], len(again.gaps)) == (BRANCHED, 3)
    assert fold(bridged(again)).turns[1].rating == "bad"
    kept = raw(target)
    assert all(payload in kept for payload, _ in NEWER), "the newer version finds its records again"


def raw(target: str) -> list[str]:
    """The chat's records as they are stored."""
    if target.endswith(".jsonl"):
        return (Path(target) / "chats" / "c1.jsonl").read_text().splitlines()
    if target.startswith("postgres"):
        import psycopg

        with psycopg.connect(target) as db:
            return [str(row[0]) for row in db.execute("SELECT payload FROM bitte_nb.entry ORDER BY seq")]
    with sqlite3.connect(target) as db:
        found = [str(row[0]) for row in db.execute("SELECT payload FROM entry ORDER BY id")]
    db.close()
    return found


def test_a_file_of_a_newer_format_is_refused_with_a_sentence_and_left_as_it_is(tmp_path: Path):
    store = JsonlStore(tmp_path / "history.jsonl")
    store.create("c1", "Weather", 1)
    store.append("c1", BRANCHED, expected=0, durable=True)
    path = tmp_path / "history.jsonl" / "chats" / "c1.jsonl"
    newer = path.read_text().replace('{"bitte_nb":1,', '{"bitte_nb":2,', 1)
    path.write_text(newer)
    with pytest.raises(HistoryError, match=r"written by a newer bitte_nb \(version 2; this one knows 1\)"):
        store.load("c1")
    with pytest.raises(HistoryError, match="newer bitte_nb"):
        read_chat(newer.encode())
    with pytest.raises(HistoryError, match="newer bitte_nb"):
        JsonlStore(tmp_path / "history.jsonl").append(
            "c1", [Rated(at=99, turn=2, rating="bad")], expected=len(BRANCHED), durable=True
        )
    assert path.read_text() == newer
