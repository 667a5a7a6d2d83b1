"""What a person does with the chats of a store: take one in from a file, and let old ones go."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from bitte_nb.core.fold import fold
from bitte_nb.core.invocation_events import Cancel, Lost
from bitte_nb.core.log import SCHEMA, AgentRecord, ChatOpened, Entry, InvocationChanged
from bitte_nb.core.rehydrate import recovery
from bitte_nb.errors import HistoryError
from bitte_nb.history import record
from bitte_nb.history.core_import import from_core_messages
from bitte_nb.history.foreign import read_messages
from bitte_nb.history.jsonl import read_chat
from bitte_nb.history.store import ChatInfo, Gap, Store

__all__ = ["Imported", "import_chat", "prune", "settled"]

NOBODY = AgentRecord(agent="", name="Imported history")
"""Who answers in a chat whose file names nobody; loading it needs an agent."""
_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A chat that was taken in."""

    chat: str
    title: str
    entries: int
    notes: list[str]
    """A sentence for each thing of the file that the chat does not have."""


def import_chat(
    store: Store, data: bytes, *, chat_id: str, at: int, agent: AgentRecord = NOBODY, title: str = ""
) -> Imported:
    """Add a chat from a file's bytes; nothing in it is live, so nothing of it can run.

    Args:
        store: Where to keep it.
        data: An export (JSON or JSON Lines), a CoreMessage array, a Bitte chat or AI SDK messages.
        chat_id: The new chat's id.
        at: Now, milliseconds since the epoch.
        agent: Who answers when it goes on, where the file does not say.
        title: Instead of the file's own title.

    Raises:
        HistoryError: the bytes are none of these; `ChatConflict` if there is a chat of that id.
    """
    entries, found, notes = _ours(data) or _theirs(data, chat_id=chat_id, at=at, agent=agent)
    entries = [one.model_copy(update={"chat": chat_id}) if isinstance(one, ChatOpened) else one for one in entries]
    entries = settled(entries, at=at)
    title = title or found
    store.create(chat_id, title, at)
    for digest, file in _files(data).items():
        store.put_file(chat_id, digest, file)
    store.append(chat_id, entries, expected=0, durable=True)
    return Imported(chat=chat_id, title=title, entries=len(entries), notes=notes)


def settled(entries: list[Entry], *, at: int) -> list[Entry]:
    """The entries, and those that settle every call in them: a file's word for an approval lets nothing run."""
    ended: list[Entry] = []
    for call in fold(entries).invocations.values():
        if call.state == "executing":
            reason = "The history was exported while this ran; whether it took effect is not known."
            ended.append(InvocationChanged(at=at, key=call.key, event=Lost(reason=reason, at=at)))
        elif not call.settled and call.state != "unknown":
            ended.append(InvocationChanged(at=at, key=call.key, event=Cancel(reason="interrupted", at=at)))
    state = fold([*entries, *ended])
    return [*entries, *ended, *recovery(state, at=at)]


def prune(
    store: Store, *, before: int, keep: Callable[[ChatInfo], bool] = lambda chat: chat.pending > 0
) -> list[ChatInfo]:
    """Delete the chats that were last used before a time, and return them.

    Args:
        store: The store.
        before: Milliseconds since the epoch.
        keep: Chats to spare; by default those in which a call waits for a person.
    """
    old: list[ChatInfo] = []
    offset = 0
    while page := store.chats(limit=_PAGE, offset=offset):
        old += [chat for chat in page if chat.updated < before and not keep(chat)]
        offset += len(page)
    for chat in old:
        store.delete(chat.chat)
    return old


Read = tuple[list[Entry], str, list[str]]
"""Entries, title and notes."""


def _ours(data: bytes) -> Read | None:
    """An export of ours, or None."""
    if b'"bitte_nb"' not in data[:200]:
        return None
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError):
        value = None  # more than one line: JSON Lines
    if not isinstance(value, dict) or "entries" not in value:
        chat = read_chat(data)
        return chat.entries, chat.info.title, [_note(gap) for gap in chat.gaps]
    said = cast("dict[str, Any]", value)
    if not isinstance(said.get("bitte_nb"), int) or said["bitte_nb"] > SCHEMA:
        version = said.get("bitte_nb")
        raise HistoryError(f"The chat was written by a newer bitte_nb (version {version}; this one knows {SCHEMA}).")
    entries: list[Entry] = []
    notes: list[str] = []
    for seq, one in enumerate(cast("list[Any]", said["entries"] if isinstance(said["entries"], list) else []), 1):
        try:
            entries.append(record.read(json.dumps(one)))
        except HistoryError as error:
            notes.append(_note(Gap(seq=seq, kind="", reason=str(error))))
    return entries, str(said.get("title", "")), notes


def _files(data: bytes) -> dict[str, bytes]:
    """The attached files of an export of ours; what is not what its digest says is left out."""
    if b'"bitte_nb"' not in data[:200]:
        return {}
    files: dict[str, bytes] = {}
    for digest, text in _encoded(data):
        with suppress(ValueError, TypeError):
            content = base64.b64decode(text, validate=True)
            if hashlib.sha256(content).hexdigest() == digest:
                files[digest] = content
    return files


def _encoded(data: bytes) -> Iterator[tuple[str, str]]:
    """Digest and base64 of each file in an export."""
    with suppress(ValueError, RecursionError):
        yield from cast("dict[str, Any]", json.loads(data)).get("files", {}).items()
        return
    for line in data.split(b"\n"):
        if line.startswith(b'{"bitte_nb":') and b'"file":' in line[:40]:
            with suppress(ValueError):
                said: dict[str, Any] = json.loads(line)
                yield said["file"], said["data"]


def _theirs(data: bytes, *, chat_id: str, at: int, agent: AgentRecord) -> Read:
    reading = read_messages(data)
    entries = from_core_messages(reading.messages, at=at, chat_id=chat_id, agent=agent, title=reading.title)
    return entries, reading.title, reading.notes


def _note(gap: Gap) -> str:
    return f"Record {gap.seq} was left out: {gap.reason}"
