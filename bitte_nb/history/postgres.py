"""Chats in PostgreSQL, for a hub with many people: each database role sees its own chats only.

The tables live in the schema `bitte_nb` and are made by the first who may; every row belongs to the role that wrote it,
and row-level security keeps it from all others. Needs psycopg 3 (`pip install bitte_nb[postgres]`).
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, TypeVar

from bitte_nb.core.log import Entry
from bitte_nb.errors import ChatConflict, HistoryError
from bitte_nb.history import postgres_index as index
from bitte_nb.history import record
from bitte_nb.history.holder import held, me
from bitte_nb.history.postgres_schema import MINE, Connection, lives, show_life, trouble, up_to_date
from bitte_nb.history.store import ChatInfo, Found, Gap, Loaded, StoredDocument, moved_on, no_chat, passage, snippet
from bitte_nb.history.summary import Summary, agent_of, summarise

__all__ = ["PostgresStore"]

FIRST = "(SELECT payload FROM bitte_nb.entry AS e WHERE e.owner = chat.owner AND e.number = chat.number AND e.seq = 1)"
"""A chat's first entry, which says who answers."""
INFO = f"chat, title, created, updated, turns, pending, {FIRST}"
HITS = 2_000
"""Newest places that a search looks at; they are grouped by chat."""
T = TypeVar("T")


class PostgresStore:
    """A `Store` in the database of a `postgresql://` URL."""

    def __init__(self, url: str, *, timeout: float = 5.0) -> None:
        """Connect, and make the tables if they are missing.

        Args:
            url: A connection URI (PostgreSQL manual, 34.1.1.2).
            timeout: Seconds to wait for the server and for another program that is writing to the same chat.
        """
        try:
            self._psycopg: Any = import_module("psycopg")
        except ImportError:
            raise HistoryError(
                "A history in PostgreSQL needs psycopg. Install it: pip install 'bitte_nb[postgres]'."
            ) from None
        self._url = url
        self._timeout = timeout
        self._locks = {"read": threading.Lock(), "write": threading.Lock()}
        self._connections: dict[str, Connection] = {}
        self._open = True
        self.where = _without_password(url)
        with self._using("write") as db:
            up_to_date(db, self.where)

    def create(self, chat_id: str, title: str, at: int) -> None:
        """Begin an empty chat."""
        with self._using("write") as db:
            made = db.execute(
                "INSERT INTO bitte_nb.chat (chat, title, created, updated, words) "
                "VALUES (%s, %s, %s, %s, array_to_tsvector(%s)) ON CONFLICT DO NOTHING",
                (index.storable(chat_id), index.storable(title), at, at, index.words_of(title)),
            )
            if made.rowcount == 0:
                raise ChatConflict(f"There already is a chat with the id {chat_id!r} in {self.where}.")

    def append(self, chat_id: str, entries: Sequence[Entry], *, expected: int, durable: bool) -> int:
        """Add all entries or none, if the head is the expected one."""
        rows = [(record.dump(one), one.kind, passage(one)) for one in entries]

        def append(db: Connection) -> int:
            # Without waiting for the disk a commit outlives this program, but not the server's sudden end.
            db.execute(f"SET LOCAL synchronous_commit = {'on' if durable else 'off'}")
            found = db.execute(
                "SELECT number, head, title, updated, turns, live, holder FROM bitte_nb.chat "
                f"WHERE {MINE} AND chat = %s FOR UPDATE",
                (index.storable(chat_id),),
            ).fetchone()
            if found is None:
                raise no_chat(chat_id, self.where)
            number, head, title, updated, turns, live, holder = found
            if holder not in {"", me()} and lives(db, holder):
                raise held(chat_id, holder)
            if head != expected:
                raise moved_on(chat_id, head=head, expected=expected)
            with db.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO bitte_nb.entry (number, seq, kind, payload, words) "
                    "VALUES (%s, %s, %s, %s, array_to_tsvector(%s))",
                    [
                        (number, head + place, kind, payload, index.words_of(words) if words else None)
                        for place, (payload, kind, words) in enumerate(rows, 1)
                    ],
                )
            old = Summary(title=title, updated=updated, turns=turns, live=json.loads(live))
            new = summarise(old, entries)
            db.execute(
                "UPDATE bitte_nb.chat SET head = %s, title = %s, updated = %s, turns = %s, pending = %s, live = %s, "
                f"words = array_to_tsvector(%s) WHERE {MINE} AND number = %s",
                (
                    head + len(rows), index.storable(new.title), new.updated, new.turns, new.pending,
                    json.dumps(dict(new.live)), index.words_of(new.title), number,
                ),
            )  # fmt: skip
            return head + len(rows)

        def already(db: Connection) -> int | None:
            """The head, where the commit arrived although its answer did not."""
            kept = db.execute(
                "SELECT payload FROM bitte_nb.entry JOIN bitte_nb.chat USING (owner, number) "
                f"WHERE {MINE} AND chat = %s AND seq > %s ORDER BY seq LIMIT %s",
                (index.storable(chat_id), expected, len(rows)),
            ).fetchall()
            return expected + len(rows) if rows and [row[0] for row in kept] == [row[0] for row in rows] else None

        return self._retried("write", append, already=already)

    def hold(self, chat_id: str, *, take: bool = False) -> str:
        """Be the program that writes the chat, unless another living one is; `take` takes it over."""

        def hold(db: Connection) -> str:
            found = db.execute(
                f"SELECT holder FROM bitte_nb.chat WHERE {MINE} AND chat = %s FOR UPDATE", (index.storable(chat_id),)
            ).fetchone()
            if found is None:
                raise no_chat(chat_id, self.where)
            if found[0] not in {"", me()} and not take and lives(db, found[0]):
                return str(found[0])
            sql = f"UPDATE bitte_nb.chat SET holder = %s WHERE {MINE} AND chat = %s"
            db.execute(sql, (me(), index.storable(chat_id)))
            return ""

        return self._retried("write", hold)

    def release(self, chat_id: str) -> None:
        """Hold the chat no longer."""
        sql = f"UPDATE bitte_nb.chat SET holder = '' WHERE {MINE} AND chat = %s AND holder = %s"
        self._retried("write", lambda db: db.execute(sql, (index.storable(chat_id), me())))

    def load(self, chat_id: str) -> Loaded:
        """Read a chat; records that cannot be read become gaps."""

        def load(db: Connection) -> Loaded:
            found = db.execute(
                f"SELECT number, head, {INFO} FROM bitte_nb.chat WHERE {MINE} AND chat = %s", (index.storable(chat_id),)
            ).fetchone()
            if found is None:
                raise no_chat(chat_id, self.where)
            number, head, *info = found
            rows = db.execute(
                "SELECT seq, kind, payload FROM bitte_nb.entry "
                f"WHERE {MINE} AND number = %s AND seq <= %s ORDER BY seq",
                (number, head),
            )
            kept: dict[int, tuple[str, str]] = {seq: (kind, payload) for seq, kind, payload in rows}
            entries: list[Entry] = []
            gaps: list[Gap] = []
            for seq in range(1, head + 1):
                kind, payload = kept.get(seq, ("", ""))
                try:
                    entries.append(record.read(payload))
                except HistoryError as error:
                    reason = str(error) if seq in kept else "The record is missing."
                    gaps.append(Gap(seq=seq, kind=kind, reason=reason))
            return Loaded(info=_info(info), entries=entries, head=head, gaps=gaps)

        return self._retried("read", load)

    def chats(self, *, limit: int = 50, offset: int = 0, query: str | None = None) -> list[ChatInfo]:
        """Chats, the most recently used first."""

        def chats(db: Connection, wanted: str) -> list[ChatInfo]:
            where = f"WHERE {MINE} AND head > 0" + (" AND words @@ %s::tsquery" if wanted else "")
            sql = f"SELECT {INFO} FROM bitte_nb.chat {where} ORDER BY updated DESC, number DESC LIMIT %s OFFSET %s"
            return [_info(row) for row in db.execute(sql, (*([wanted] if wanted else []), limit, offset))]

        for wanted in index.queries_for(query or "") or [""]:
            if found := self._retried("read", lambda db, wanted=wanted: chats(db, wanted)):
                return found
        return []

    def infos(self, chats: Sequence[str]) -> dict[str, ChatInfo]:
        """What a list shows of these chats."""
        sql = f"SELECT {INFO} FROM bitte_nb.chat WHERE {MINE} AND chat = ANY(%s)"
        wanted = [index.storable(chat) for chat in chats]
        rows = self._retried("read", lambda db: list(db.execute(sql, (wanted,))))
        return {info.chat: info for info in map(_info, rows)}

    def search(self, text: str, *, limit: int = 20) -> list[Found]:
        """The newest chats in which all words occur together."""
        # Newest first, one place per chat; a title counts as place 0.
        hits = f"""
            SELECT DISTINCT ON (number) number, seq FROM (
                (SELECT number, seq FROM bitte_nb.entry WHERE {MINE} AND words @@ %(q)s::tsquery
                 ORDER BY number DESC, seq DESC LIMIT {HITS})
                UNION ALL
                (SELECT number, 0 FROM bitte_nb.chat WHERE {MINE} AND words @@ %(q)s::tsquery
                 ORDER BY number DESC LIMIT {HITS})
            ) AS hit ORDER BY number DESC, seq DESC LIMIT %(limit)s"""
        sql = f"""
            SELECT chat, title, hit.seq, payload FROM ({hits}) AS hit JOIN bitte_nb.chat USING (number)
            LEFT JOIN bitte_nb.entry ON entry.owner = chat.owner AND entry.number = hit.number AND entry.seq = hit.seq
            ORDER BY hit.number DESC"""

        def search(db: Connection, wanted: str) -> list[Found]:
            rows = db.execute(sql, {"q": wanted, "limit": limit})
            return [found for row in rows for found in _found(*row, words=text.split())]

        for wanted in index.queries_for(text):
            if found := self._retried("read", lambda db, wanted=wanted: search(db, wanted)):
                return found
        return []

    def rename(self, chat_id: str, title: str) -> None:
        """Give a chat another title."""
        self._change(
            chat_id,
            f"UPDATE bitte_nb.chat SET title = %s, words = array_to_tsvector(%s) WHERE {MINE} AND chat = %s",
            (index.storable(title), index.words_of(title), index.storable(chat_id)),
        )

    def delete(self, chat_id: str) -> None:
        """Remove a chat and its entries."""
        self._change(chat_id, f"DELETE FROM bitte_nb.chat WHERE {MINE} AND chat = %s", (index.storable(chat_id),))

    def put_file(self, chat_id: str, digest: str, data: bytes) -> None:
        """Keep the bytes of a file of the chat."""

        def put(db: Connection) -> None:
            found = db.execute(
                f"SELECT number FROM bitte_nb.chat WHERE {MINE} AND chat = %s", (index.storable(chat_id),)
            ).fetchone()
            if found is None:
                raise no_chat(chat_id, self.where)
            sql = "INSERT INTO bitte_nb.file (number, digest, data) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
            db.execute(sql, (found[0], digest, data))

        self._retried("write", put)

    def file(self, chat_id: str, digest: str) -> bytes | None:
        """The bytes of that SHA-256, if they were kept for the chat."""
        sql = (
            "SELECT data FROM bitte_nb.file JOIN bitte_nb.chat USING (owner, number) "
            f"WHERE {MINE} AND chat = %s AND digest = %s"
        )
        row = self._retried("read", lambda db: db.execute(sql, (index.storable(chat_id), digest)).fetchone())
        return bytes(row[0]) if row else None

    def put_document(self, digest: str, text: str, url: str) -> None:
        """Keep a document's text under its SHA-256."""
        sql = "INSERT INTO bitte_nb.document (digest, text, url) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
        self._retried("write", lambda db: db.execute(sql, (digest, index.storable(text), index.storable(url))))

    def document(self, digest: str) -> StoredDocument | None:
        """The document of that SHA-256, if it was kept."""
        sql = f"SELECT digest, text, url FROM bitte_nb.document WHERE {MINE} AND digest = %s"
        row = self._retried("read", lambda db: db.execute(sql, (digest,)).fetchone())
        return StoredDocument(digest=row[0], text=row[1], url=row[2]) if row else None

    def close(self) -> None:
        """Close the connections."""
        self._open = False
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def _change(self, chat_id: str, sql: str, arguments: tuple[object, ...]) -> None:
        def change(db: Connection) -> None:
            if db.execute(sql, arguments).rowcount == 0:
                raise no_chat(chat_id, self.where)

        self._retried("write", change)

    def _retried(
        self, use: str, action: Callable[[Connection], T], *, already: Callable[[Connection], T | None] | None = None
    ) -> T:
        """Do it in a transaction; where the connection was lost, again on a new one, unless it is done `already`."""
        try:
            with self._using(use) as db:
                return action(db)
        except _Lost:
            with self._using(use) as db:
                done = already(db) if already is not None else None
                return action(db) if done is None else done

    def __del__(self) -> None:
        with suppress(Exception):  # also where it was never opened
            self.close()

    @contextmanager
    def _using(self, use: str) -> Generator[Connection]:
        """A connection in a transaction of its own."""
        psycopg = self._psycopg
        with self._locks[use]:
            if not self._open:
                raise HistoryError(f"The history {self.where} was closed.")
            try:
                db = self._connections.get(use)
                fresh = db is None or db.closed
                if db is None or fresh:
                    db = self._connections[use] = self._connect()
                try:
                    with db.transaction():
                        yield db
                except psycopg.OperationalError as error:
                    if db.broken and not fresh:
                        raise _Lost from error
                    raise
            except psycopg.Error as error:
                raise trouble(self.where, error, timeout=self._timeout) from error

    def _connect(self) -> Connection:
        wait = max(1, round(self._timeout))
        db = self._psycopg.connect(self._url, connect_timeout=wait, application_name="bitte_nb")
        db.isolation_level = self._psycopg.IsolationLevel.READ_COMMITTED
        with db.transaction():
            db.execute(f"SET lock_timeout = {round(self._timeout * 1000)}")
            show_life(db, me())
        return db


class _Lost(Exception):
    """The connection that was open broke."""


def _without_password(url: str) -> str:
    return re.sub(r"(?<=://)([^/@:]*):[^/@]*@", r"\1@", url).partition("?")[0]


def _found(chat: str, title: str, seq: int, payload: str | None, *, words: list[str]) -> list[Found]:
    try:
        said = title if payload is None else passage(record.read(payload))
    except HistoryError:
        return []
    return [Found(chat=chat, title=title, seq=seq, snippet=snippet(said, words))]


def _info(row: Sequence[Any]) -> ChatInfo:
    chat, title, created, updated, turns, pending, first = row
    try:
        agent = agent_of([record.read(first)]) if first else ""
    except HistoryError:
        agent = ""
    return ChatInfo(chat=chat, title=title, created=created, updated=updated, turns=turns, pending=pending, agent=agent)
