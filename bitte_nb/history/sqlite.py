"""Chats in one SQLite file: a row per chat, a row per entry, and a full-text index of what was said.

An entry's id is its chat's number and its place in the chat in one integer, so that a chat's entries lie side by side
and the index needs no table of its own to find them.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from bitte_nb.core.invocation import State
from bitte_nb.core.log import Entry
from bitte_nb.errors import ChatConflict, HistoryError
from bitte_nb.history import record
from bitte_nb.history import sqlite_index as index
from bitte_nb.history.holder import Lives, held, me
from bitte_nb.history.sqlite_file import SCHEMA_STEPS, open_file, trouble
from bitte_nb.history.sqlite_index import PLACE, SHIFT
from bitte_nb.history.store import ChatInfo, Found, Gap, Loaded, StoredDocument, moved_on, no_chat, passage
from bitte_nb.history.summary import Summary, summarise

__all__ = ["SqliteStore"]

AGENT = f"""(SELECT CASE WHEN json_valid(payload) THEN json_extract(payload, '$.agents[0].name') END
    FROM entry WHERE id = (chat.number << {SHIFT}) + 1)"""
"""The name in a chat's first entry, which says who answers."""
INFO = f"chat, title, created, updated, turns, pending, {AGENT}"


class SqliteStore:
    """A `Store` in one file, for one person on one machine; any number of programs may use it at once."""

    def __init__(
        self,
        path: Path,
        *,
        timeout: float = 5.0,
        steps: Sequence[Callable[[sqlite3.Connection], None]] = SCHEMA_STEPS,
    ) -> None:
        """Open or begin the file.

        Args:
            path: The file; its folder is made if needed, both readable by their owner only.
            timeout: Seconds to wait for another program that is writing.
            steps: How to bring an older file up to date, one step per schema version.
        """
        self.path = path
        self._timeout = timeout
        self._steps = steps
        self._write_lock, self._read_lock = threading.Lock(), threading.Lock()
        self._lives = Lives(path.with_name(path.name + "-kernels"))
        self._connect()

    def _connect(self) -> None:
        self._pid = os.getpid()
        self._writer, self.writable = open_file(self.path, timeout=self._timeout, steps=self._steps)
        self._reader = open_file(self.path, timeout=self._timeout, steps=())[0]
        self._open = True

    @property
    def where(self) -> str:
        """The file."""
        return str(self.path)

    def create(self, chat_id: str, title: str, at: int) -> None:
        """Begin an empty chat."""
        title = record.storable(title)
        with self._writing(durable=False) as db:  # the first durable append takes it along
            if db.execute("SELECT 1 FROM chat WHERE chat = ?", (chat_id,)).fetchone():
                raise ChatConflict(f"There already is a chat with the id {chat_id!r} in {self.where}.")
            cursor = db.execute(
                "INSERT INTO chat (chat, title, created, updated) VALUES (?, ?, ?, ?)", (chat_id, title, at, at)
            )
            index.add(db, "titled", cursor.lastrowid or 0, title)

    def append(self, chat_id: str, entries: Sequence[Entry], *, expected: int, durable: bool) -> int:
        """Add all entries or none, if the head is the expected one."""
        rows = [(record.dump(one), one.kind, passage(one)) for one in entries]
        with self._writing(durable=durable) as db:
            row = db.execute(
                "SELECT number, head, title, updated, turns, live, holder FROM chat WHERE chat = ?", (chat_id,)
            ).fetchone()
            if row is None:
                raise no_chat(chat_id, self.where)
            number, head, title, updated, turns, live, holder = row
            if holder and self._lives.lives(holder) and holder != me():
                raise held(chat_id, holder)
            if head != expected:
                raise moved_on(chat_id, head=head, expected=expected)
            first = (number << SHIFT) + head + 1
            db.executemany(
                "INSERT INTO entry (id, kind, payload) VALUES (?, ?, ?)",
                [(first + place, kind, payload) for place, (payload, kind, _) in enumerate(rows)],
            )
            for place, (_, _, words) in enumerate(rows):
                index.add(db, "said", first + place, words)
            old = Summary(title=title, updated=updated, turns=turns, live=_live(live))
            new = summarise(old, entries)
            if new.title != title:
                index.retitle(db, number, title, new.title)
            db.execute(
                "UPDATE chat SET head = ?, title = ?, updated = ?, turns = ?, pending = ?, live = ? WHERE number = ?",
                (head + len(rows), new.title, new.updated, new.turns, new.pending, json.dumps(dict(new.live)), number),
            )
            return head + len(rows)

    def hold(self, chat_id: str, *, take: bool = False) -> str:
        """Be the program that writes the chat, unless another living one is; `take` takes it over."""
        if not self.writable:
            return ""
        try:
            self._lives.show()
        except OSError as error:
            raise HistoryError(f"The history {self.where} can be read but not written ({error.strerror}).") from error
        with self._writing(durable=False) as db:
            row = db.execute("SELECT holder FROM chat WHERE chat = ?", (chat_id,)).fetchone()
            if row is None:
                raise no_chat(chat_id, self.where)
            if row[0] == me():
                return ""
            if row[0] and not take and self._lives.lives(row[0]):
                return str(row[0])
            db.execute("UPDATE chat SET holder = ? WHERE chat = ?", (me(), chat_id))
            return ""

    def release(self, chat_id: str) -> None:
        """Hold the chat no longer."""
        if self.writable:
            with self._writing(durable=False) as db:
                db.execute("UPDATE chat SET holder = '' WHERE chat = ? AND holder = ?", (chat_id, me()))

    def load(self, chat_id: str) -> Loaded:
        """Read a chat; records that cannot be read become gaps."""
        with self._reading() as db:
            row = db.execute(f"SELECT number, head, {INFO} FROM chat WHERE chat = ?", (chat_id,)).fetchone()
            if row is None:
                raise no_chat(chat_id, self.where)
            number, head, *info = row
            entries: list[Entry] = []
            gaps: list[Gap] = []
            seen = 0
            for seq, kind, payload in _rows(db, number, head):
                gaps += [Gap(seq=lost, kind="", reason="The record is missing.") for lost in range(seen + 1, seq)]
                seen = seq
                try:
                    entries.append(record.read(payload))
                except HistoryError as error:
                    gaps.append(Gap(seq=seq, kind=kind, reason=str(error)))
            gaps += [Gap(seq=lost, kind="", reason="The record is missing.") for lost in range(seen + 1, head + 1)]
        return Loaded(info=_info(info), entries=entries, head=head, gaps=gaps)

    def chats(self, *, limit: int = 50, offset: int = 0, query: str | None = None) -> list[ChatInfo]:
        """Chats, the most recently used first."""
        with self._reading() as db:
            # Which chats is read from the indexes alone, and only what is shown of them from their rows.
            wanted = [index.title_query(db, query or "")] if index.match(query or "") else []
            titled = f"SELECT rowid FROM titled WHERE titled MATCH ? ORDER BY rowid DESC LIMIT {index.MOST_TITLES}"
            among = f"AND number IN ({titled})" if wanted else ""
            order = "ORDER BY updated DESC, number DESC"
            listed = f"SELECT number FROM chat WHERE head > 0 {among} {order} LIMIT ? OFFSET ?"
            sql = f"SELECT {INFO} FROM chat WHERE number IN ({listed}) {order}"
            return [_info(row) for row in db.execute(sql, (*wanted, limit, offset))]

    def infos(self, chats: Sequence[str]) -> dict[str, ChatInfo]:
        """What a list shows of these chats."""
        with self._reading() as db:
            sql = f"SELECT {INFO} FROM chat WHERE chat IN (SELECT value FROM json_each(?))"
            return {info.chat: info for info in map(_info, db.execute(sql, (json.dumps(list(chats)),)))}

    def search(self, text: str, *, limit: int = 20) -> list[Found]:
        """The newest chats in which all words occur together."""
        if not index.match(text):
            return []
        with self._reading() as db:
            return list(islice(index.hits(db, text), limit))

    def rename(self, chat_id: str, title: str) -> None:
        """Give a chat another title."""
        title = record.storable(title)
        with self._writing() as db:
            row = db.execute("SELECT number, title FROM chat WHERE chat = ?", (chat_id,)).fetchone()
            if row is None:
                raise no_chat(chat_id, self.where)
            index.retitle(db, row[0], row[1], title)
            db.execute("UPDATE chat SET title = ? WHERE number = ?", (title, row[0]))

    def delete(self, chat_id: str) -> None:
        """Remove a chat for good; freed pages are overwritten."""
        with self._writing() as db:
            row = db.execute("SELECT number, head, title FROM chat WHERE chat = ?", (chat_id,)).fetchone()
            if row is None:
                raise no_chat(chat_id, self.where)
            number, head, title = row
            index.remove(db, "titled", number, title)
            for seq, _, payload in _rows(db, number, head):
                with suppress(HistoryError):
                    index.remove(db, "said", (number << SHIFT) + seq, passage(record.read(payload)))
            db.execute("DELETE FROM entry WHERE id BETWEEN ? AND ?", (number << SHIFT, (number << SHIFT) + PLACE))
            db.execute("DELETE FROM file WHERE number = ?", (number,))
            db.execute("DELETE FROM chat WHERE number = ?", (number,))
        with self._write_lock, suppress(sqlite3.Error):
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def put_file(self, chat_id: str, digest: str, data: bytes) -> None:
        """Keep the bytes of a file of the chat."""
        with self._writing() as db:
            row = db.execute("SELECT number FROM chat WHERE chat = ?", (chat_id,)).fetchone()
            if row is None:
                raise no_chat(chat_id, self.where)
            db.execute("INSERT OR IGNORE INTO file (number, digest, data) VALUES (?, ?, ?)", (row[0], digest, data))

    def file(self, chat_id: str, digest: str) -> bytes | None:
        """The bytes of that SHA-256, if they were kept for the chat."""
        with self._reading() as db:
            sql = "SELECT data FROM file JOIN chat USING (number) WHERE chat = ? AND digest = ?"
            row = db.execute(sql, (chat_id, digest)).fetchone()
        return bytes(row[0]) if row else None

    def put_document(self, digest: str, text: str, url: str) -> None:
        """Keep a document's text under its SHA-256."""
        row = (digest, record.storable(text), record.storable(url))
        with self._writing() as db:
            db.execute("INSERT OR IGNORE INTO document (digest, text, url) VALUES (?, ?, ?)", row)

    def document(self, digest: str) -> StoredDocument | None:
        """The document of that SHA-256, if it was kept."""
        with self._reading() as db:
            row = db.execute("SELECT digest, text, url FROM document WHERE digest = ?", (digest,)).fetchone()
        return StoredDocument(digest=row[0], text=row[1], url=row[2]) if row else None

    def close(self) -> None:
        """Let go of the file."""
        with self._write_lock, self._read_lock:
            if self._open and self._pid == os.getpid():
                self._reader.close()
                self._writer.close()
            self._open = False

    def __del__(self) -> None:
        with suppress(Exception):  # also where it was never opened
            self.close()

    @contextmanager
    def _writing(self, *, durable: bool = True) -> Generator[sqlite3.Connection]:
        with self._write_lock:
            self._check_open()
            if not self.writable:
                raise HistoryError(f"The history {self.where} can be read but not written. {self._own_file()}")
            db = self._writer
            try:
                # In WAL mode NORMAL outlives the program and FULL outlives the machine's power.
                db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield db
                    db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise trouble(self.path, error, timeout=self._timeout) from error

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        with self._read_lock:
            self._check_open()
            db = self._reader
            try:
                db.execute("BEGIN")  # one view of the file for everything that is read inside
                try:
                    yield db
                finally:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
            except sqlite3.Error as error:
                raise trouble(self.path, error, timeout=self._timeout) from error

    def _own_file(self) -> str:
        return f"Make it writable for you, or set BITTE_NB_HISTORY to another path than {self.path}."

    def _check_open(self) -> None:
        if not self._open:
            raise HistoryError(f"The history {self.where} was closed.")
        if self._pid != os.getpid():
            # SQLite's connections must not be carried over a fork; the parent's are left alone.
            self._connect()


def _rows(db: sqlite3.Connection, number: int, head: int) -> Iterator[tuple[int, str, str | bytes]]:
    """A chat's records in order; where a page of the file is damaged, those that can be read."""
    first, last = (number << SHIFT) + 1, (number << SHIFT) + head
    seq = 0
    try:
        for place, kind, payload in db.execute(
            "SELECT id, kind, CAST(payload AS BLOB) FROM entry WHERE id BETWEEN ? AND ? ORDER BY id", (first, last)
        ):
            seq = place & PLACE
            yield seq, kind, payload
    except sqlite3.DatabaseError:
        for place in range(first + seq, last + 1):
            with suppress(sqlite3.DatabaseError):
                row = db.execute("SELECT kind, CAST(payload AS BLOB) FROM entry WHERE id = ?", (place,)).fetchone()
                if row is not None:
                    yield place & PLACE, row[0], row[1]


def _info(row: Sequence[object]) -> ChatInfo:
    chat, title, created, updated, turns, pending, agent = row
    assert isinstance(created, int)
    assert isinstance(updated, int)
    assert isinstance(turns, int)
    assert isinstance(pending, int)
    return ChatInfo(
        chat=str(chat),
        title=str(title),
        created=created,
        updated=updated,
        turns=turns,
        pending=pending,
        agent=agent if isinstance(agent, str) else "",
    )


def _live(text: str) -> dict[str, State]:
    return json.loads(text)
