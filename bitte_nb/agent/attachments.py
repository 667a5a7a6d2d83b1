"""The files of a chat for its tools: which tools take some, and what a reference in their arguments stands for.

A reference reaches only what the person attached to this very version of the chat, and only where the document
declares a file; the bytes are looked up when a call is prepared, so that its digest covers them.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bitte_nb.agent.bindings.binding import Binding
from bitte_nb.agent.bindings.operation import OperationBinding
from bitte_nb.core.attachment import PREFIX, Attachment, find_attachment
from bitte_nb.core.branches import line_of
from bitte_nb.core.fold import ChatState, turn_of
from bitte_nb.core.invocation import Invocation
from bitte_nb.errors import ArgumentRefused, HistoryError, RequestRefused

if TYPE_CHECKING:
    from bitte_nb.agent.agent import Agent
    from bitte_nb.agent.conversation import Conversation
    from bitte_nb.spec.files import File

__all__ = ["LARGEST", "MOST", "Given", "accepted", "binding_of", "checked", "files_of", "given", "send"]

LARGEST = 20_000_000
"""Bytes of one file."""
MOST = 10
"""Files of one message."""

Given = tuple[Attachment, bytes]
"""A file with its bytes."""


def given(file: str | Path | tuple[str, bytes]) -> Given:
    """A file from its path, or from its name and bytes.

    Raises:
        OSError: it cannot be read.
        ValueError: it is too large.
    """
    name, data = file if isinstance(file, tuple) else (Path(file).name, Path(file).read_bytes())
    media = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return checked(name, media, data)


def checked(name: str, media: str, data: bytes) -> Given:
    """A file that may be attached.

    Raises:
        ValueError: it is too large.
    """
    if len(data) > LARGEST:
        raise ValueError(f"{name} has {len(data):,} bytes; a file may have {LARGEST:,} at most.")
    digest = hashlib.sha256(data).hexdigest()
    return Attachment(digest=digest, name=_plain(name), media=_media(media), size=len(data)), data


def _plain(name: str) -> str:
    """A file's own name: no folder, no line break, no control character."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(letter for letter in last if letter.isprintable())[:200] or "file"


def _media(media: str) -> str:
    essence = media.split(";", 1)[0].strip().lower()
    known = essence.isascii() and essence.count("/") == 1 and not set(essence) & set(' "\r\n\t,')
    return essence if known else "application/octet-stream"


def accepted(agents: Iterable[Agent]) -> tuple[str, ...]:
    """The kinds of file (media types and ranges) that some tool of the agents takes; empty where none does."""
    from bitte_nb.spec.files import accepted_files

    found: list[str] = []
    for agent in agents:
        for tool in agent.tools:
            binding = agent.find(tool.name)
            if isinstance(binding, OperationBinding):
                found += accepted_files(binding.operation)
    return tuple(dict.fromkeys(found))


def files_of(state: ChatState, call: Invocation) -> list[Attachment]:
    """The files that the person attached up to the call, in its version of the chat."""
    turn = state.turn(turn_of(call.key))
    line = line_of(state, turn) if turn is not None else set[int]()
    return [file for one in state.all_turns if one.turn in line for file in one.files]


def binding_of(chat: Conversation, call: Invocation) -> Binding:
    """What stands behind the call's tool, with the files that its arguments may refer to.

    Raises:
        UnknownTool: there is no such tool.
    """
    binding = chat.agent_of(call).binding(call.tool)
    if not isinstance(binding, OperationBinding):
        return binding
    files = files_of(chat.state, call)
    store, chat_id = chat.recorder.store, chat.recorder.chat

    def find(text: str) -> File | None:
        from bitte_nb.spec.files import File

        if not text.strip().startswith(PREFIX):
            return None
        found = find_attachment(text, files)
        if found is None:
            raise RequestRefused(_unknown(text, files))
        data = store.file(chat_id, found.digest)
        if data is None or hashlib.sha256(data).hexdigest() != found.digest:
            raise RequestRefused(f"The attached file {found.name} is no longer in {store.where}. Attach it again.")
        return File(found.name, found.media, data)

    return binding.with_files(find)


def _unknown(text: str, files: Sequence[Attachment]) -> str:
    known = ", ".join(f"{one.reference} ({one.name})" for one in files) or "none"
    return f"There is no attached file {text.strip()[:60]!r}. Files of this chat: {known}."


def send(chat: Conversation, text: str, files: Sequence[Given], *, agent: str = "") -> int:
    """Say something with files, whose bytes are kept first; returns the turn's number. On the agent thread.

    Raises:
        ValueError: there is neither text nor file, or there are too many files.
        HistoryError: the chat is read-only here, or the files cannot be kept.
    """
    if not text.strip() and not files:
        raise ArgumentRefused("There is nothing to send: the message is empty.")
    if len(files) > MOST:
        raise ValueError(f"A message may have {MOST} files at most; this one has {len(files)}.")
    if files and chat.ended:
        raise HistoryError(chat.notice)
    for file, data in files:
        chat.recorder.keep(file.digest, data)
    return chat.ask(text, agent=agent, files=[file for file, _ in files])
