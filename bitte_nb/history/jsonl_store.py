"""Chats as JSON Lines files in a folder: for git, for homes on a network, and for reading with any editor.

A file is only ever added to, under a lock that ends with the program that holds it. A list or a search reads every file
that changed since the last one: fine for thousands of chats, not for hundreds of thousands.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote

from bitte_nb.core.log import Entry
from bitte_nb.errors import ChatConflict, HistoryBusy, HistoryError
from bitte_nb.history import jsonl, record
from bitte_nb.history.file_lock import Busy, locked
from bitte_nb.history.holder import Lives, held, me
from bitte_nb.history.store import ChatInfo, Found, Loaded, StoredDocument, moved_on, no_chat, passage, snippet

__all__ = ["JsonlStore"]

Said = tuple[tuple[int, str], ...]
"""The number and the words of each entry in which the person or the model said something."""
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
LONGEST_NAME = 180
"""Bytes of a chat's id that may be a file's name; a longer one is hashed."""


class JsonlStore:
    """A `Store` in a folder that only its owner can read: `chats/<id>.jsonl`, `files/<id>/` and `documents/`."""

    def __init__(self, path: Path, *, timeout: float = 5.0) -> None:
        """Open or begin the folder.

        Args:
            path: The folder; it is made if needed.
            timeout: Seconds to wait for another program that is writing to the same chat.
        """
        self.path = path
        self._timeout = timeout
        self._lock = threading.Lock()
        self._heads: dict[Path, tuple[int, int]] = {}
        self._seen: dict[Path, tuple[tuple[int, int], int, ChatInfo, Said]] = {}
        self._lives = Lives(path / "kernels")
        self._open = True
        with self._troubles():
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            for inner in ("chats", "documents"):
                (path / inner).mkdir(mode=0o700, exist_ok=True)

    @property
    def where(self) -> str:
        """The folder."""
        return str(self.path)

    def create(self, chat_id: str, title: str, at: int) -> None:
        """Begin an empty chat."""
        with self._troubles():
            path = self._file(chat_id)
            handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
            with os.fdopen(handle, "r+b") as file, locked(file, timeout=self._timeout, shared=False):
                if os.fstat(file.fileno()).st_size:  # an empty one is of a program that ended before it named it
                    raise ChatConflict(f"There already is a chat with the id {chat_id!r} in {self.where}.")
                line = jsonl.header(jsonl.ChatFile(chat=chat_id, title=title, created=at))
                file.write(record.storable(line).encode() + b"\n")
                _to_disk(file, path.parent)

    def append(self, chat_id: str, entries: Sequence[Entry], *, expected: int, durable: bool) -> int:
        """Add all entries or none, if the head is the expected one."""
        data = b"".join(record.dump(one).encode() + b"\n" for one in entries)
        with self._troubles(), self._writing(chat_id) as file:
            if (holder := self._holder(chat_id)) not in {"", me()} and self._lives.lives(holder):
                raise held(chat_id, holder)
            head = self._head(Path(file.name), file)
            if head != expected:
                raise moved_on(chat_id, head=head, expected=expected)
            end = self._add(file, data, durable=durable)
            self._heads[Path(file.name)] = (end, head + len(entries))
            return head + len(entries)

    def hold(self, chat_id: str, *, take: bool = False) -> str:
        """Be the program that writes the chat, unless another living one is; `take` takes it over."""
        with self._troubles(), self._writing(chat_id):
            self._lives.show()
            holder = self._holder(chat_id)
            if holder not in {"", me()} and not take and self._lives.lives(holder):
                return holder
            self._holder_file(chat_id).write_text(me(), encoding="utf-8")
            return ""

    def release(self, chat_id: str) -> None:
        """Hold the chat no longer."""
        with self._troubles(), self._writing(chat_id):
            if self._holder(chat_id) == me():
                self._holder_file(chat_id).unlink()

    def _holder(self, chat_id: str) -> str:
        try:
            return self._holder_file(chat_id).read_text(encoding="utf-8", errors="replace").strip()
        except FileNotFoundError:
            return ""

    def load(self, chat_id: str) -> Loaded:
        """Read a chat; lines that cannot be read become gaps."""
        with self._troubles():
            path = self._file(chat_id)
            try:
                return _read(path, timeout=self._timeout)
            except FileNotFoundError:
                raise no_chat(chat_id, self.where) from None

    def chats(self, *, limit: int = 50, offset: int = 0, query: str | None = None) -> list[ChatInfo]:
        """Chats, the most recently used first; files that are no chats are passed over."""
        words = (query or "").casefold().split()
        infos = [info for info, _ in self._all() if _has(info.title, words)]
        infos.sort(key=lambda info: (info.updated, info.created), reverse=True)
        return infos[offset : offset + limit]

    def infos(self, chats: Sequence[str]) -> dict[str, ChatInfo]:
        """What a list shows of these chats."""
        wanted = set(chats)
        return {info.chat: info for info, _ in self._all() if info.chat in wanted} if wanted else {}

    def search(self, text: str, *, limit: int = 20) -> list[Found]:
        """The newest chats in which all words occur together."""
        words = text.casefold().split()
        found: list[Found] = []
        for info, said in sorted(self._all(), key=lambda one: one[0].created, reverse=True) if words else ():
            hit = _place(info, said, words)
            if hit is not None:
                found.append(hit)
            if len(found) == limit:
                break
        return found

    def rename(self, chat_id: str, title: str) -> None:
        """Give a chat another title, by a line of its own."""
        with self._troubles(), self._writing(chat_id) as file:
            head = self._head(Path(file.name), file)
            end = self._add(file, record.storable(jsonl.titled(title)).encode() + b"\n", durable=True)
            self._heads[Path(file.name)] = (end, head)

    def delete(self, chat_id: str) -> None:
        """Remove a chat's file."""
        with self._troubles(), self._writing(chat_id) as file:
            Path(file.name).unlink()
            shutil.rmtree(self._files(chat_id), ignore_errors=True)
            self._holder_file(chat_id).unlink(missing_ok=True)
            self._heads.pop(Path(file.name), None)

    def put_file(self, chat_id: str, digest: str, data: bytes) -> None:
        """Keep the bytes of a file of the chat, in a folder of its own."""
        with self._troubles():
            if not self._file(chat_id).exists():
                raise no_chat(chat_id, self.where)
            folder = self._files(chat_id)
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_once(folder / _name(digest), data)

    def file(self, chat_id: str, digest: str) -> bytes | None:
        """The bytes of that SHA-256, if they were kept for the chat."""
        with self._troubles():
            path = self._files(chat_id) / _name(digest)
            return path.read_bytes() if path.is_file() else None

    def put_document(self, digest: str, text: str, url: str) -> None:
        """Keep a document's text under its SHA-256."""
        with self._troubles():
            kept = {"digest": digest, "url": record.storable(url), "text": record.storable(text)}
            _write_once(self._document(digest), json.dumps(kept).encode())

    def document(self, digest: str) -> StoredDocument | None:
        """The document of that SHA-256, if it was kept."""
        with self._troubles():
            path = self._document(digest)
            if not path.exists():
                return None
            try:
                kept = json.loads(path.read_bytes())
                return StoredDocument(digest=digest, text=kept["text"], url=kept["url"])
            except (ValueError, KeyError, TypeError) as error:
                raise HistoryError(f"{path} is damaged ({error}). Delete it and load the document again.") from None

    def close(self) -> None:
        """Nothing is held open between calls; a closed store refuses further ones."""
        self._open = False

    def _file(self, chat_id: str) -> Path:
        return self.path / "chats" / f"{_name(chat_id)}.jsonl"

    def _holder_file(self, chat_id: str) -> Path:
        return self.path / "kernels" / f"{_name(chat_id)}.holder"

    def _files(self, chat_id: str) -> Path:
        return self.path / "files" / _name(chat_id)

    def _document(self, digest: str) -> Path:
        return self.path / "documents" / f"{_name(digest)}.json"

    @contextmanager
    def _writing(self, chat_id: str) -> Generator[BinaryIO]:
        """The chat's file, locked against every other writer and reader."""
        path = self._file(chat_id)
        with self._lock:
            try:
                file = path.open("r+b", buffering=0)
            except FileNotFoundError:
                raise no_chat(chat_id, self.where) from None
            with file, locked(file, timeout=self._timeout, shared=False):
                if not path.exists():
                    raise no_chat(chat_id, self.where)
                yield file  # pyright: ignore[reportReturnType] - unbuffered, and with a name

    def _head(self, path: Path, file: BinaryIO) -> int:
        """How many entries the file has; counted again only where another program wrote."""
        size = os.fstat(file.fileno()).st_size
        known = self._heads.get(path)
        if known is None or known[0] != size:
            file.seek(0)
            known = (size, jsonl.read_chat(file.read()).head)
            self._heads[path] = known
        return known[1]

    def _add(self, file: BinaryIO, data: bytes, *, durable: bool) -> int:
        """Write at the end, all or nothing as far as the system lets us; returns the new size."""
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":
                data = b"\n" + data  # a torn line stays, as a gap of its own
            file.seek(size)
        try:
            left = memoryview(data)
            while left:
                left = left[file.write(left) :]
            if durable:
                os.fsync(file.fileno())
        except OSError:
            with suppress(OSError):
                file.truncate(size)
            raise
        return size + len(data)

    def _all(self) -> list[tuple[ChatInfo, Said]]:
        """Every chat's line in a list and what was said in it; only files that changed are read again."""
        chats: list[tuple[ChatInfo, Said]] = []
        with self._troubles():
            for path in (self.path / "chats").glob("*.jsonl"):
                with suppress(HistoryError, FileNotFoundError):
                    stat = path.stat()
                    mark = (stat.st_mtime_ns, stat.st_size)
                    seen = self._seen.get(path)
                    if seen is None or seen[0] != mark:
                        loaded = _read(path, timeout=self._timeout)
                        seen = self._seen[path] = (mark, loaded.head, *_said(loaded))
                    if seen[1]:
                        chats.append(seen[2:])
        return chats

    @contextmanager
    def _troubles(self) -> Generator[None]:
        if not self._open:
            raise HistoryError(f"The history {self.where} was closed.")
        try:
            yield
        except Busy as busy:
            raise HistoryBusy(
                f"Another program kept {busy} locked for more than {self._timeout:g} s. Close the other kernels that "
                "use it and try again."
            ) from None
        except OSError as error:
            why = f"{error.strerror or error} ({error.filename or self.path})"
            kind = HistoryBusy if error.errno in _NO_ROOM else HistoryError
            raise kind(
                f"The history in {self.where} cannot be used: {why}. Nothing of it was lost; make room or make it "
                "writable, or set BITTE_NB_HISTORY to another folder ending in .jsonl."
            ) from error


def _name(name: str) -> str:
    quoted = quote(name, safe="")
    if len(quoted) > LONGEST_NAME or unquote(quoted) != name:
        return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return quoted


def _write_once(path: Path, data: bytes) -> None:
    """Make a file that is there whole or not at all; one that is there already says the same."""
    if path.exists():
        return
    fresh = path.with_name(f"{path.name}.{os.getpid()}.part")
    with os.fdopen(os.open(fresh, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
        _to_disk(file, None)
    fresh.replace(path)


def _to_disk(file: BinaryIO, folder: Path | None) -> None:
    file.flush()
    os.fsync(file.fileno())
    if folder is not None and hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _has(text: str, words: list[str]) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def _read(path: Path, *, timeout: float) -> Loaded:
    with path.open("rb") as file, locked(file, timeout=timeout, shared=True):
        data = file.read()
    if not data:
        raise FileNotFoundError(path)
    try:
        return jsonl.read_chat(data)
    except HistoryError as error:
        raise HistoryError(f"{path}: {error}") from None


def _said(chat: Loaded) -> tuple[ChatInfo, Said]:
    lost = {gap.seq for gap in chat.gaps}
    seqs = [seq for seq in range(1, chat.head + 1) if seq not in lost]
    words = ((seq, passage(one)) for seq, one in zip(seqs, chat.entries, strict=True))
    return chat.info, tuple((seq, text) for seq, text in words if text)


def _place(info: ChatInfo, said: Said, words: list[str]) -> Found | None:
    """The newest place in the chat that has all words, else its title."""
    for seq, text in reversed(said):
        if _has(text, words):
            return Found(chat=info.chat, title=info.title, seq=seq, snippet=snippet(text, words))
    if _has(info.title, words):
        return Found(chat=info.chat, title=info.title, seq=0, snippet=info.title)
    return None
