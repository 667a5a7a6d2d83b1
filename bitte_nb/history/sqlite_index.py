"""The full-text indexes of the SQLite file: what was said (by entry id) and titles (by chat number)."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterator
from heapq import merge
from operator import itemgetter
from typing import Literal

from bitte_nb.errors import HistoryError
from bitte_nb.history import record
from bitte_nb.history.store import Found, passage, snippet

__all__ = ["PLACE", "SHIFT", "add", "hits", "match", "plain", "remove", "retitle", "title_query"]

SHIFT = 24
"""Bits of an entry's id that hold its place in the chat: 16 million entries per chat."""
PLACE = (1 << SHIFT) - 1
MOST_WORDS, AT_ONCE = 400, 25
"""Words that a beginning may stand for, and how many of them are looked for in one query."""
MOST_TITLES = 5_000
"""Matching chats among which the most recently used are shown first."""

Index = Literal["said", "titled"]
_COLUMN: dict[Index, str] = {"said": "words", "titled": "title"}


def add(db: sqlite3.Connection, index: Index, row_id: int, words: str) -> None:
    """Index the words of a row."""
    if words:
        db.execute(f"INSERT INTO {index} (rowid, {_COLUMN[index]}) VALUES (?, ?)", (row_id, plain(words)))
        db.executemany("INSERT OR IGNORE INTO word (word) VALUES (?)", [(one,) for one in set(_words(words))])


def remove(db: sqlite3.Connection, index: Index, row_id: int, words: str) -> None:
    """Forget a row, given exactly the words that were indexed (sqlite.org/fts5, external content)."""
    if words:
        sql = f"INSERT INTO {index} ({index}, rowid, {_COLUMN[index]}) VALUES ('delete', ?, ?)"
        db.execute(sql, (row_id, plain(words)))


def retitle(db: sqlite3.Connection, number: int, old: str, new: str) -> None:
    """Index another title of a chat."""
    remove(db, "titled", number, old)
    add(db, "titled", number, new)


def match(text: str) -> str:
    """A query for all words, empty where there are none."""
    return " ".join(_quoted(word) for word in plain(text).split())


def title_query(db: sqlite3.Connection, text: str) -> str:
    """What a title must match: all words; where none has them, the last one as the beginning of another.

    Beginnings of up to three letters have an index of their own.
    """
    whole = match(text)
    if not _beginning(text) or db.execute("SELECT 1 FROM titled WHERE titled MATCH ? LIMIT 1", (whole,)).fetchone():
        return whole
    return f"{whole}*"


def hits(db: sqlite3.Connection, text: str) -> Iterator[Found]:
    """One place for each chat that has all words, the newest chat first, read no further than asked for."""
    seen: set[int] = set()
    for wanted in _queries(db, text):
        said = db.execute("SELECT rowid FROM said WHERE said MATCH ? ORDER BY rowid DESC", (wanted,))
        titled = db.execute(f"SELECT rowid << {SHIFT} FROM titled WHERE titled MATCH ? ORDER BY rowid DESC", (wanted,))
        # Only ids stream; a chat's further hits are passed over without looking at their text.
        for (place,) in merge(said, titled, key=itemgetter(0), reverse=True):
            if place >> SHIFT not in seen:
                seen.add(place >> SHIFT)
                yield from _found(db, place, text)


def _queries(db: sqlite3.Connection, text: str) -> Iterator[str]:
    """All words as they are; then the last one as the beginning of others, the shortest first.

    A beginning is looked up among the words that were ever said, since the index would read all places of all of them.
    """
    whole = match(text)
    if not whole:
        return
    yield whole
    *before, last = plain(text).split()
    beginning = _beginning(text)
    if not beginning:
        return
    sql = "SELECT word FROM word WHERE word > ? AND word < ? ORDER BY length(word), word LIMIT ?"
    longer = [word for (word,) in db.execute(sql, (beginning, beginning + "\U0010ffff", MOST_WORDS))]
    head = _key(last).removesuffix(beginning)
    for at in range(0, len(longer), AT_ONCE):
        either = " OR ".join(_quoted(head + word) for word in longer[at : at + AT_ONCE])
        yield " AND ".join([*map(_quoted, before), f"({either})"])


def _beginning(text: str) -> str:
    """The end of the text as the beginning of a word, empty where the last word is finished."""
    words = _words(text)
    return words[-1] if words and _key(text).endswith(words[-1]) else ""


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


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _key(text: str) -> str:
    """The text without case and accents, as the index tells words apart."""
    return "".join(one for one in unicodedata.normalize("NFD", plain(text).lower()) if not unicodedata.combining(one))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", _key(text))


def plain(words: str) -> str:
    """The words as they are indexed, whatever they hold."""
    return record.storable(words).replace("\0", " ")
