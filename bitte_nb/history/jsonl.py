"""A chat as JSON Lines: what is known about it, then one entry per line; the format of exports and of `JsonlStore`.

Lines with the key `bitte_nb` (the format's version) speak about the chat: the first names it, a later one may carry a
new title. Every other line is an entry, and its place among them is its number.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from bitte_nb.core.log import SCHEMA, Entry
from bitte_nb.errors import HistoryError
from bitte_nb.history import record
from bitte_nb.history.store import ChatInfo, Gap, Loaded
from bitte_nb.history.summary import Summary, agent_of, summarise

__all__ = ["ChatFile", "chat_lines", "file_line", "header", "read_chat", "titled"]

KEY = "bitte_nb"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFile:
    """What a chat's file says about it."""

    chat: str = ""
    created: int = 0
    title: str = ""


def header(about: ChatFile) -> str:
    """The first line."""
    return _line({KEY: SCHEMA, "chat": about.chat, "title": about.title, "created": about.created})


def file_line(digest: str, data: bytes) -> str:
    """The line that carries the bytes of an attached file."""
    return _line({KEY: SCHEMA, "file": digest, "data": base64.b64encode(data).decode()})


def titled(title: str) -> str:
    """The line that gives the chat another title."""
    return _line({KEY: SCHEMA, "title": title})


def chat_lines(info: ChatInfo, entries: Iterable[Entry]) -> Iterator[str]:
    """All lines of a chat, each with its line break."""
    yield header(ChatFile(chat=info.chat, created=info.created, title=info.title)) + "\n"
    for one in entries:
        yield record.dump(one) + "\n"


def read_chat(data: bytes) -> Loaded:
    """The chat of a file's bytes; lines that cannot be read become gaps.

    Raises:
        HistoryError: the file is not a chat, or was written by a newer version.
    """
    lines = data.split(b"\n")
    about = _first(_about(lines[0]))
    summary = Summary(title=about.title, updated=about.created)
    entries: list[Entry] = []
    gaps: list[Gap] = []
    seq = 0
    for line in lines[1:]:
        if not line.strip():
            continue
        if (said := _about(line)) is not None:
            summary = replace(summary, title=str(said.get("title", summary.title)))
            continue
        seq += 1
        try:
            one = record.read(line)
        except HistoryError as error:
            gaps.append(Gap(seq=seq, kind=_kind(line), reason=str(error)))
        else:
            entries.append(one)
            summary = summarise(summary, [one])
    info = ChatInfo(
        chat=about.chat,
        title=summary.title,
        created=about.created,
        updated=summary.updated,
        turns=summary.turns,
        pending=summary.pending,
        agent=agent_of(entries),
    )
    return Loaded(info=info, entries=entries, head=seq, gaps=gaps)


def _first(said: dict[str, Any] | None) -> ChatFile:
    if said is None or "chat" not in said:
        raise HistoryError('The file is not a chat: its first line should be like {"bitte_nb": 1, "chat": "..."}.')
    version = said[KEY]
    if not isinstance(version, int) or version > SCHEMA:
        raise HistoryError(f"The chat was written by a newer bitte_nb (version {version}; this one knows {SCHEMA}).")
    created = said.get("created")
    return ChatFile(
        chat=str(said["chat"]), title=str(said.get("title", "")), created=created if isinstance(created, int) else 0
    )


def _about(line: bytes) -> dict[str, Any] | None:
    """The line as an object that speaks about the chat, or None."""
    if b'"bitte_nb"' not in line[:64]:
        return None
    try:
        said: Any = json.loads(line)
    except ValueError:
        return None
    return said if isinstance(said, dict) and KEY in said else None  # pyright: ignore[reportUnknownVariableType] - keys are strings


def _kind(line: bytes) -> str:
    """What kind of entry a line was, if that much is readable."""
    _, found, rest = line.partition(b'"kind":"')
    return rest.partition(b'"')[0][:40].decode("utf-8", "replace") if found else ""


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
