"""What every store of chats offers, and how one is chosen: append-only entries per chat, guarded by the head.

The head is how many entries a chat has. Who appends says which head it builds on, so two programs can never interleave
their entries in one chat: the second one is told that the chat moved on.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bitte_nb.core.log import (
    Entry,
    TextAdded,
    TurnStarted,
)
from bitte_nb.errors import ChatConflict, ChatNotFound, HistoryError

__all__ = [
    "ChatInfo",
    "Found",
    "Gap",
    "Loaded",
    "Store",
    "StoredDocument",
    "default_path",
    "moved_on",
    "no_chat",
    "open_store",
    "passage",
    "snippet",
]

WAYS_OUT = "Set BITTE_NB_HISTORY to a path on a local disk, or to a folder ending in .jsonl."
"""What to do where the place of the history itself is the trouble."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatInfo:
    """A chat as a list shows it."""

    chat: str
    title: str
    created: int
    """Milliseconds since the epoch, like `updated`."""
    updated: int
    turns: int
    pending: int
    """How many calls wait for a person."""
    agent: str = ""
    """The name of the agent that answers, where its record can be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A record that could not be read; everything around it was."""

    seq: int
    """Its place in the chat, from 1."""
    kind: str
    """What kind of entry it was, where that is still known."""
    reason: str
    """A sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A chat as it was read."""

    info: ChatInfo
    entries: list[Entry]
    head: int
    """What the next append must expect; more than the number of entries where there are gaps."""
    gaps: list[Gap] = field(default_factory=list[Gap])


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A place in a chat where the words of a search occur."""

    chat: str
    title: str
    seq: int
    """The entry, from 1; 0 is the title."""
    snippet: str
    """The words with some of what is around them, plain text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """The text of a document that an agent was made of."""

    digest: str
    text: str
    url: str


class Store(Protocol):
    """Chats on disk. Every method may raise `HistoryError` with a sentence that names the way out.

    One that is `transient` (`HistoryBusy`: a lock, a full disk, a server out of reach) may be tried again as it was:
    the head keeps an append that did arrive from being made twice. After any other the chat cannot be written here.

    One thread appends to a chat; any thread may list, load and search.
    """

    @property
    def where(self) -> str:
        """The place, for messages."""
        ...

    def create(self, chat_id: str, title: str, at: int) -> None:
        """Begin an empty chat at the time `at` (milliseconds); `ChatConflict` if there is one of that id.

        It is listed once it has an entry: a program that ended in between leaves nothing to be seen.
        """
        ...

    def append(self, chat_id: str, entries: Sequence[Entry], *, expected: int, durable: bool) -> int:
        """Add all entries or none, and return the new head.

        Args:
            chat_id: A chat of this store, else `ChatNotFound`.
            entries: In order.
            expected: The head that the caller builds on; `ChatConflict` if the chat has another one by now.
            durable: Whether the entries must outlive a power cut before this returns. They always outlive the
                end of this program.
        """
        ...

    def hold(self, chat_id: str, *, take: bool = False) -> str:
        """Let this program be the one that writes the chat; returns who does now, empty where it is this one.

        Another living program keeps it, unless `take`: then its next append is a `ChatConflict`. A program that ended
        holds nothing. Where nobody holds a chat, only the head guards it.
        """
        ...

    def release(self, chat_id: str) -> None:
        """Hold the chat no longer; nothing happens where another program does."""
        ...

    def load(self, chat_id: str) -> Loaded:
        """Read a chat; unreadable records become gaps. `ChatNotFound` if there is none of that id."""
        ...

    def chats(self, *, limit: int = 50, offset: int = 0, query: str | None = None) -> list[ChatInfo]:
        """Chats, the most recently used first; with `query`, those whose title has all its words."""
        ...

    def infos(self, chats: Sequence[str]) -> dict[str, ChatInfo]:
        """What a list shows of these chats, by id; one that is not there is left out."""
        ...

    def search(self, text: str, *, limit: int = 20) -> list[Found]:
        """The newest chats in which the person, the model or the title said all words of `text`; one place each."""
        ...

    def rename(self, chat_id: str, title: str) -> None:
        """Give a chat another title; its entries and head stay, so an open chat is not disturbed."""
        ...

    def delete(self, chat_id: str) -> None:
        """Remove a chat and its entries for good; `ChatNotFound` if there is none of that id."""
        ...

    def put_file(self, chat_id: str, digest: str, data: bytes) -> None:
        """Keep the bytes of a file of the chat under their SHA-256; keeping it twice changes nothing.

        It goes with the chat; `ChatNotFound` if there is none of that id.
        """
        ...

    def file(self, chat_id: str, digest: str) -> bytes | None:
        """The bytes of that SHA-256, if they were kept for the chat."""
        ...

    def put_document(self, digest: str, text: str, url: str) -> None:
        """Keep a document's text under its SHA-256; keeping it twice changes nothing."""
        ...

    def document(self, digest: str) -> StoredDocument | None:
        """The document of that SHA-256, if it was kept."""
        ...

    def close(self) -> None:
        """Let go of the files; closing twice is fine."""
        ...


def open_store(target: str | Path | None = None, *, timeout: float = 5.0, create: bool = True) -> Store:
    """Open the store at `target`, or the person's own one.

    Args:
        target: A file (SQLite), a folder whose name ends in .jsonl (JSON Lines) or a `postgresql://` URL; else what
            the environment variable BITTE_NB_HISTORY says, else `default_path()`.
        timeout: Seconds to wait for another program that is writing, and for a disk that does not answer.
        create: Whether one begins where there is none yet, on a disk; else that is a HistoryError.
    """
    from bitte_nb.history.jsonl_store import JsonlStore
    from bitte_nb.history.place import within
    from bitte_nb.history.postgres import PostgresStore
    from bitte_nb.history.sqlite import SqliteStore

    place = str(target or os.environ.get("BITTE_NB_HISTORY") or default_path())
    if "://" in place:
        scheme = place.split("://", 1)[0]
        if scheme not in {"postgresql", "postgres"}:
            raise HistoryError(f"No store speaks {scheme!r}. {WAYS_OUT}")
        return PostgresStore(place, timeout=timeout)
    if place == ":memory:":
        raise HistoryError(f"A history is kept on a disk, for a kernel that ends. {WAYS_OUT}")
    path = Path(place).expanduser()
    late = f"The disk that holds {path} did not answer within {timeout * 2:g} s. {WAYS_OUT}"

    def opened() -> Store:
        if not create and not path.exists():
            raise HistoryError(f"There is no history at {path}; the first chat that is kept there begins one.")
        jsonl = path.suffix == ".jsonl"
        return JsonlStore(path, timeout=timeout) if jsonl else SqliteStore(path, timeout=timeout)

    return within(timeout * 2, opened, late=late)


def default_path(platform: str = sys.platform, env: Mapping[str, str] = os.environ) -> Path:
    """Where the person's chats are kept: `bitte_nb/history.db` in the platform's folder for user data."""
    home = Path.home()
    if platform == "darwin":
        base = home / "Library" / "Application Support"
    elif platform == "win32":
        base = Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        base = Path(env.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "bitte_nb" / "history.db"


def passage(one: Entry) -> str:
    """The words of an entry that a search looks at: what the person and the model said."""
    return one.text if isinstance(one, TurnStarted | TextAdded) else ""


def snippet(text: str, words: Sequence[str], *, reach: int = 80) -> str:
    """The first of the words that is found, with up to `reach` characters on either side."""
    folded = text.casefold()
    at = max(next((place for word in words if (place := folded.find(word.casefold())) >= 0), 0), 0)
    start, end = max(0, at - reach), min(len(text), at + reach)
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def moved_on(chat_id: str, *, head: int, expected: int) -> ChatConflict:
    """The error of an append that builds on another head."""
    return ChatConflict(
        f"chat {chat_id!r} moved on in another kernel: it has {head} entries, this one holds {expected}. "
        f"Load it again, `chat = Chat.load({chat_id!r})`, and send again."
    )


def no_chat(chat_id: str, where: str) -> ChatNotFound:
    """The error of a chat that is not there."""
    option = "" if where == str(default_path()) else f" --history {shlex.quote(where)}"
    return ChatNotFound(
        f"No chat has the id {chat_id!r} in {where}. `bitte-nb chats{option} list` shows those that are there."
    )
