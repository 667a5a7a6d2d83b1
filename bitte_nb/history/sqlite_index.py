"""The full-text indexes of the SQLite file: what was said (by entry id) and titles (by chat number)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from heapq import merge
from operator import itemgetter
from typing import Literal

from bitte_nb.errors import HistoryError
from bitte_nb.history import record
from bitte_nb.history.store import Found, passage, snippet

__all__ = ["PLACE", "SHIFT", "add", "hits", "match", "remove", "retitle"]

SHIFT = 24
"""Bits of an entry's id that hold its place in the chat: 16 million entries per chat."""
PLACE = (1 << SHIFT) - 1

Index = Literal["said", "titled"]
_COLUMN: dict[Index, str] = {"said": "words", "titled": "title"}


def add(db: sqlite3.Connection, index: Index, row_id: int, words: str) -> None:
    """Index the words of a row."""
    if words:
        db.execute(f"INSERT INTO {index} (rowid, {_COLUMN[index]}) VALUES (?, ?)", (row_id, _plain(words)))


def remove(db: sqlite3.Connection, index: Index, row_id: int, words: str) -> None:
    """Forget a row, given exactly the words that were indexed (sqlite.org/fts5, external content)."""
    if words:
        sql = f"INSERT INTO {index} ({index}, rowid, {_COLUMN[index]}) VALUES ('delete', ?, ?)"
        db.execute(sql, (row_id, _plain(words)))


def retitle(db: sqlite3.Connection, number: int, old: str, new: str) -> None:
    """Index another title of a chat."""
    remove(db, "titled", number, old)
    add(db, "titled", number, new)


def match(text: str) -> str:
    """A query for all words, the last one as it may still be being typed; empty where there are none."""
    words = _plain(text).split()
    typing = bool(words) and len(words[-1]) > 2 and not text[-1].isspace()
    return " ".join('"' + word.replace('"', '""') + '"' for word in words) + ("*" if typing else "")


def hits(db: sqlite3.Connection, text: str) -> Iterator[Found]:
    """One place for each chat that has all words, the newest chat first, read no further than asked for."""
    wanted = match(text)
    said = db.execute("SELECT rowid FROM said WHERE said MATCH ? ORDER BY rowid DESC", (wanted,))
    titled = db.execute(f"SELECT rowid << {SHIFT} FROM titled WHERE titled MATCH ? ORDER BY rowid DESC", (wanted,))
    last = 0
    # Only ids stream; a chat's further hits are passed over without looking at their text.
    for (place,) in merge(said, titled, key=itemgetter(0), reverse=True):
        if place >> SHIFT != last:
            last = place >> SHIFT
            yield from _found(db, place, text)


def _found(db: sqlite3.Connection, place: int, text: str) -> list[Found]:
    """The hit with its words; none where its record is damaged (loading the chat tells of that)."""
    number, seq = place >> SHIFT, place & PLACE
    row = db.execute("SELECT chat, title FROM chat WHERE number = ?", (number,)).fetchone()
    if row is None:
        return []
    chat, title = row
    words = title
    if seq:
        try:
            payload = db.execute("SELECT CAST(payload AS BLOB) FROM entry WHERE id = ?", (place,)).fetchone()
            words = passage(record.read(payload[0])) if payload else ""
        except (sqlite3.DatabaseError, HistoryError):
            return []
    return [Found(chat=chat, title=title, seq=seq, snippet=snippet(words, text.split()))] if words else []


def _plain(words: str) -> str:
    return record.storable(words).replace("\0", " ")
