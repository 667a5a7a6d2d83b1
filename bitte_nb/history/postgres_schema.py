"""The tables of the PostgreSQL store, how they are made and brought up to date, and what is used of psycopg."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol
from zlib import crc32

from bitte_nb.errors import HistoryBusy, HistoryError

__all__ = ["MINE", "SCHEMA_STEPS", "Connection", "lives", "show_life", "trouble", "up_to_date"]

MINE = "owner = current_user"
SCHEMA_STEPS: tuple[str, ...] = (
    """
    CREATE TABLE bitte_nb.chat (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        owner name NOT NULL DEFAULT current_user,
        chat text NOT NULL,
        title text NOT NULL,
        created bigint NOT NULL,
        updated bigint NOT NULL,
        head integer NOT NULL DEFAULT 0,
        turns integer NOT NULL DEFAULT 0,
        pending integer NOT NULL DEFAULT 0,
        live text NOT NULL DEFAULT '{}',
        words tsvector NOT NULL,
        UNIQUE (owner, chat),
        UNIQUE (owner, number)
    );
    CREATE INDEX chat_updated ON bitte_nb.chat (owner, updated DESC, number DESC);
    CREATE INDEX chat_words ON bitte_nb.chat USING gin (words);
    CREATE TABLE bitte_nb.entry (
        owner name NOT NULL DEFAULT current_user,
        number bigint NOT NULL,
        seq integer NOT NULL,
        kind text NOT NULL,
        payload text NOT NULL,
        words tsvector,
        PRIMARY KEY (owner, number, seq),
        FOREIGN KEY (owner, number) REFERENCES bitte_nb.chat (owner, number) ON DELETE CASCADE
    );
    CREATE INDEX entry_words ON bitte_nb.entry USING gin (words);
    CREATE TABLE bitte_nb.document (
        owner name NOT NULL DEFAULT current_user,
        digest text NOT NULL,
        text text NOT NULL,
        url text NOT NULL,
        PRIMARY KEY (owner, digest)
    );
    GRANT USAGE ON SCHEMA bitte_nb TO PUBLIC;
    GRANT SELECT ON bitte_nb.version TO PUBLIC;
    GRANT SELECT, INSERT, UPDATE, DELETE ON bitte_nb.chat, bitte_nb.entry, bitte_nb.document TO PUBLIC;
    """
    + "".join(
        f"""
    ALTER TABLE bitte_nb.{table} ENABLE ROW LEVEL SECURITY;
    ALTER TABLE bitte_nb.{table} FORCE ROW LEVEL SECURITY;
    CREATE POLICY own ON bitte_nb.{table} USING ({MINE}) WITH CHECK ({MINE});
    """
        for table in ("chat", "entry", "document")
    ),
    "ALTER TABLE bitte_nb.chat ADD COLUMN holder text NOT NULL DEFAULT ''",
    f"""
    CREATE TABLE bitte_nb.file (
        owner name NOT NULL DEFAULT current_user,
        number bigint NOT NULL,
        digest text NOT NULL,
        data bytea NOT NULL,
        PRIMARY KEY (owner, number, digest),
        FOREIGN KEY (owner, number) REFERENCES bitte_nb.chat (owner, number) ON DELETE CASCADE
    );
    GRANT SELECT, INSERT, DELETE ON bitte_nb.file TO PUBLIC;
    ALTER TABLE bitte_nb.file ENABLE ROW LEVEL SECURITY;
    ALTER TABLE bitte_nb.file FORCE ROW LEVEL SECURITY;
    CREATE POLICY own ON bitte_nb.file USING ({MINE}) WITH CHECK ({MINE});
    """,
)
"""Step n brings the schema from version n to n + 1."""


class _Rows(Protocol):
    """What a statement gave."""

    rowcount: int

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...
    def fetchone(self) -> tuple[Any, ...] | None: ...
    def fetchall(self) -> list[tuple[Any, ...]]: ...


class _Cursor(AbstractContextManager["_Cursor"], Protocol):
    """Runs one statement for many rows."""

    def executemany(self, query: str, arguments: Sequence[Sequence[object]]) -> None: ...


class Connection(Protocol):
    """What of psycopg's connection is used here, so that psycopg is needed only by those who use it."""

    closed: bool
    broken: bool

    def execute(self, query: str, arguments: Sequence[object] | Mapping[str, object] | None = None) -> _Rows:
        """Run a statement."""
        ...

    def cursor(self) -> _Cursor:
        """Something that runs a statement for many rows."""
        ...

    def transaction(self) -> AbstractContextManager[object]:
        """A block that is committed at its end and rolled back by an exception."""
        ...

    def close(self) -> None:
        """Let go of the server."""
        ...


def up_to_date(db: Connection, where: str) -> None:
    """Make the tables, or bring them up to date, once however many programs begin at the same time.

    Raises:
        HistoryError: a newer version of this package made them.
    """
    exists = db.execute("SELECT to_regclass('bitte_nb.version')").fetchone()
    if exists is None or exists[0] is None:
        db.execute("SELECT pg_advisory_xact_lock(hashtext('bitte_nb'))")
        db.execute("CREATE SCHEMA IF NOT EXISTS bitte_nb")
        db.execute("CREATE TABLE IF NOT EXISTS bitte_nb.version (version integer NOT NULL)")
    version = _version(db)
    if version > len(SCHEMA_STEPS):
        raise HistoryError(
            f"{where} was written by a newer bitte_nb (schema {version}; this one knows {len(SCHEMA_STEPS)}). "
            "Update bitte_nb, or set BITTE_NB_HISTORY to another place."
        )
    if version < len(SCHEMA_STEPS):
        db.execute("SELECT pg_advisory_xact_lock(hashtext('bitte_nb'))")
        for step in SCHEMA_STEPS[_version(db) :]:
            db.execute(step)
        db.execute("DELETE FROM bitte_nb.version")
        db.execute("INSERT INTO bitte_nb.version VALUES (%s)", (len(SCHEMA_STEPS),))


def _version(db: Connection) -> int:
    row = db.execute("SELECT coalesce(max(version), 0) FROM bitte_nb.version").fetchone()
    return row[0] if row else 0


_LIVES = 0x62746E62
"""The first half of our advisory locks: `btnb`."""


def show_life(db: Connection, holder: str) -> None:
    """Show that the program of that name lives, until this connection ends."""
    db.execute("SELECT pg_advisory_lock_shared(%s, %s)", (_LIVES, _number(holder)))


def lives(db: Connection, holder: str) -> bool:
    """Whether a program of that name has a connection to this database."""
    found = db.execute(
        "SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE datname = current_database() "
        "AND locktype = 'advisory' AND classid::bigint = %s AND objid::bigint = %s AND granted",
        (_LIVES, _number(holder) % (1 << 32)),
    )
    return found.fetchone() is not None


def _number(holder: str) -> int:
    """The second half of its lock: four bytes with a sign."""
    return crc32(holder.encode()) - (1 << 31)


def trouble(where: str, error: Any, *, timeout: float) -> HistoryError:
    """What an error of psycopg means for the person, and the way out."""
    said = " ".join(str(error).split()) or type(error).__name__
    if error.sqlstate == "55P03":
        return HistoryBusy(f"Another program kept a chat in {where} locked for more than {timeout:g} s. Try again.")
    if error.sqlstate in {"53100", "53200"}:
        return HistoryBusy(f"The server of {where} is out of room ({said}). Nothing was lost; try again later.")
    if error.sqlstate == "42501":
        return HistoryError(
            f"This role may not use the history in {where} ({said}). Ask who runs the database to let a role "
            "that may create the schema bitte_nb open it once."
        )
    # No state means that the server was not reached or the connection broke (psycopg); 08, 40 and 57 say that it is
    # away or gave way to another transaction (PostgreSQL, Appendix A).
    kind = HistoryBusy if error.sqlstate is None or error.sqlstate[:2] in {"08", "40", "57"} else HistoryError
    return kind(f"The history in {where} cannot be used: {said}. Try again, or set BITTE_NB_HISTORY to a local path.")
