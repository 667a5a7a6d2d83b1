"""The file behind the SQLite store: how it is begun, brought up to date and opened, and what its troubles mean."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from bitte_nb.errors import HistoryBusy, HistoryError
from bitte_nb.history.place import NETWORK, disk_of
from bitte_nb.history.sqlite_index import plain
from bitte_nb.history.store import WAYS_OUT

__all__ = ["SCHEMA_STEPS", "open_file", "trouble"]

APPLICATION = 0x62746E62
"""SQLite's application id of our files: `btnb`."""
_INDEX = "columnsize=0, tokenize='unicode61 remove_diacritics 2'"


def _first(db: sqlite3.Connection) -> None:
    for statement in (
        """CREATE TABLE chat (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            chat TEXT NOT NULL UNIQUE,
            title TEXT NOT NULL,
            created INTEGER NOT NULL,
            updated INTEGER NOT NULL,
            head INTEGER NOT NULL DEFAULT 0,
            turns INTEGER NOT NULL DEFAULT 0,
            pending INTEGER NOT NULL DEFAULT 0,
            live TEXT NOT NULL DEFAULT '{}'
        )""",
        "CREATE INDEX chat_updated ON chat (updated, number)",
        "CREATE TABLE entry (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, payload TEXT NOT NULL)",
        "CREATE TABLE document (digest TEXT PRIMARY KEY, text TEXT NOT NULL, url TEXT NOT NULL) WITHOUT ROWID",
        # The indexes read the words they show from the tables, so they are stored once.
        """CREATE VIEW passage AS
            SELECT id, json_extract(payload, '$.text') AS words FROM entry
            WHERE kind IN ('turn_started', 'text_added') AND json_valid(payload)""",
        f"CREATE VIRTUAL TABLE said USING fts5(words, content='passage', content_rowid='id', {_INDEX})",
        f"CREATE VIRTUAL TABLE titled USING fts5(title, content='chat', content_rowid='number', {_INDEX})",
    ):
        db.execute(statement)


def _holder(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE chat ADD COLUMN holder TEXT NOT NULL DEFAULT ''")


def _words(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE word (word TEXT PRIMARY KEY) WITHOUT ROWID")
    for index in ("said", "titled"):
        db.execute(f"CREATE VIRTUAL TABLE temp.{index}_words USING fts5vocab(main, {index}, row)")
        db.execute(f"INSERT OR IGNORE INTO word SELECT term FROM temp.{index}_words")
        db.execute(f"DROP TABLE temp.{index}_words")


def _files(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE file (number INTEGER NOT NULL, digest TEXT NOT NULL, data BLOB NOT NULL)")
    db.execute("CREATE UNIQUE INDEX file_of_chat ON file (number, digest)")


def _listed(db: sqlite3.Connection) -> None:
    db.execute("DROP INDEX chat_updated")
    db.execute("CREATE INDEX chat_listed ON chat (updated, number) WHERE head > 0")


def _beginnings(db: sqlite3.Connection) -> None:
    db.execute("DROP TABLE titled")
    index = f"content='chat', content_rowid='number', {_INDEX}, prefix='1 2 3'"
    db.execute(f"CREATE VIRTUAL TABLE titled USING fts5(title, {index})")
    db.create_function("plain", 1, plain, deterministic=True)
    db.execute("INSERT INTO titled (rowid, title) SELECT number, plain(title) FROM chat WHERE title != ''")


SCHEMA_STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    _first, _holder, _words, _files, _listed, _beginnings,
)  # fmt: skip
"""Step n brings a file of schema version n to n + 1; the file's `user_version` says which it has."""


def open_file(
    path: Path, *, timeout: float, steps: Sequence[Callable[[sqlite3.Connection], None]]
) -> tuple[sqlite3.Connection, bool]:
    """A connection to the file, and whether it may be written.

    Args:
        path: The file; made, readable by its owner only, if it is missing.
        timeout: Seconds to wait for another program that is writing.
        steps: All steps that make a file up to date, or none to open one that is.
    """
    try:
        writable = _prepare(path)
    except OSError as error:
        raise HistoryError(f"The history cannot be kept in {path}: {error.strerror}. {WAYS_OUT}") from error
    try:
        db = _connection(path, timeout=timeout, writable=writable)
        if steps:
            _up_to_date(db, path, steps, writable=writable)
    except sqlite3.Error as error:
        raise trouble(path, error, timeout=timeout) from error
    return db, writable


def _prepare(path: Path) -> bool:
    if path.exists():
        writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
        if writable and os.name == "posix" and path.stat().st_mode & 0o077 and path.stat().st_uid == os.geteuid():
            path.chmod(0o600)
        return writable
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    return True


def _connection(path: Path, *, timeout: float, writable: bool) -> sqlite3.Connection:
    if not writable:
        try:
            return _connected(path, "mode=ro", timeout=timeout)
        except sqlite3.OperationalError:
            # There is no room for SQLite's lock files in its folder: read the file as it is.
            return _connected(path, "immutable=1", timeout=timeout)
    db = _connected(path, "mode=rw", timeout=timeout)
    # The write-ahead log needs memory that all programs share, which two machines do not have (sqlite.org/wal).
    db.execute(f"PRAGMA journal_mode = {'DELETE' if disk_of(path) in NETWORK else 'WAL'}")
    db.execute("PRAGMA secure_delete = ON")
    return db


def _connected(path: Path, query: str, *, timeout: float) -> sqlite3.Connection:
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?{query}", uri=True, timeout=timeout, isolation_level=None, check_same_thread=False
    )
    try:
        db.execute("SELECT 1 FROM sqlite_master")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _up_to_date(
    db: sqlite3.Connection, path: Path, steps: Sequence[Callable[[sqlite3.Connection], None]], *, writable: bool
) -> None:
    if _version(db, path, len(steps)) == len(steps) or not writable:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another program may have brought it up to date meanwhile.
        version = _version(db, path, len(steps))
        for step in steps[version:]:
            step(db)
        db.execute(f"PRAGMA user_version = {len(steps)}")
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _version(db: sqlite3.Connection, path: Path, newest: int) -> int:
    application: int = db.execute("PRAGMA application_id").fetchone()[0]
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION and (version or db.execute("SELECT 1 FROM sqlite_master").fetchone()):
        raise HistoryError(f"{path} is a database of another program. {WAYS_OUT}")
    if version > newest:
        raise HistoryError(
            f"{path} was written by a newer bitte_nb (schema {version}; this one knows {newest}). Update bitte_nb, or "
            "set BITTE_NB_HISTORY to another path."
        )
    return version


def trouble(path: Path, error: sqlite3.Error, *, timeout: float) -> HistoryError:
    """What an error of SQLite means for the person, and the way out."""
    text = str(error)
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            why = f"Another program kept {path} locked for more than {timeout:g} s. Try again; if it stays, close the "
            return HistoryBusy(why + f"other kernels that use it. A network home can cause this too. {WAYS_OUT}")
        case sqlite3.SQLITE_FULL:
            return HistoryBusy(f"The disk that holds {path} is full. Nothing was lost; make room and send again.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return HistoryError(f"The history {path} cannot be written ({text}). {WAYS_OUT}")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return HistoryError(
                f"{path} is damaged or is not a history ({text}). It was left as it is; move it away, or set "
                "BITTE_NB_HISTORY to another path."
            )
        case sqlite3.SQLITE_IOERR:
            return HistoryBusy(f"The disk that holds {path} fails or is full ({text}). {WAYS_OUT}")
        case _:
            return HistoryError(f"The history {path} gave an error: {text}. {WAYS_OUT}")
