"""Files between a page and its chat: pieces that a page sends until the message goes, and pieces of what is kept."""

from __future__ import annotations

import asyncio
import base64
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from bitte_nb.agent.attachments import LARGEST, MOST, Given, accepted, checked
from bitte_nb.agent.conversation import Conversation
from bitte_nb.errors import HistoryError
from bitte_nb.widget import protocol as page

__all__ = ["PIECE", "Drafts", "attaching", "file_part"]

PIECE = 192 * 1024
"""Bytes of a file in one message; base64 makes a third more of it."""
_KEPT = 2 * MOST
"""Files that wait for their message; the oldest gives way, as one of a page that was closed."""
_KEPT_BYTES = MOST * LARGEST
"""Bytes that they may have together."""


@dataclass
class _Draft:
    name: str
    media: str
    size: int
    data: bytearray = field(default_factory=bytearray)


class Drafts:
    """Files that pages have sent, in part or whole, for messages that they have not; only on the agent thread."""

    def __init__(self) -> None:
        self._drafts: OrderedDict[str, _Draft] = OrderedDict()

    def take(self, request: page.Upload) -> dict[str, int]:
        """Add a piece; one that is there already changes nothing. Returns how many bytes there are.

        Raises:
            ValueError: the file is too large, or the piece does not fit.
        """
        if request.size > LARGEST:
            raise ValueError(f"{request.name} has {request.size:,} bytes; a file may have {LARGEST:,} at most.")
        draft = self._drafts.get(request.draft)
        if draft is None or (request.offset == 0 and draft.size != request.size):
            draft = self._drafts[request.draft] = _Draft(request.name, request.media, request.size)
        self._drafts.move_to_end(request.draft)
        while len(self._drafts) > _KEPT or sum(one.size for one in self._drafts.values()) > _KEPT_BYTES:
            self._drafts.popitem(last=False)
        try:
            piece = base64.b64decode(request.data, validate=True)
        except ValueError:  # binascii's, or for what is not ASCII
            raise ValueError(f"A piece of {request.name} is not base64.") from None
        have = len(draft.data)
        if request.offset > have or request.offset + len(piece) > draft.size:
            raise ValueError(f"A piece of {request.name} does not fit where it should go. Attach the file again.")
        if request.offset == have:
            draft.data += piece
        return {"received": len(draft.data)}

    def given(self, names: Sequence[str]) -> list[Given]:
        """The files of a message, each whole.

        Raises:
            ValueError: one is not there, or not whole.
        """
        files: list[Given] = []
        for name in names:
            draft = self._drafts.get(name)
            if draft is None or len(draft.data) != draft.size:
                raise ValueError("An attached file is not here any more. Attach it again.")
            files.append(checked(draft.name, draft.media, bytes(draft.data)))
        return files

    def drop(self, names: Sequence[str]) -> None:
        """Let go of files that were sent with their message, or taken away before it."""
        for name in names:
            self._drafts.pop(name, None)


def attaching(chat: Conversation) -> page.AttachView | None:
    """What a page may attach, or None where no tool takes a file."""
    kinds = accepted(chat.agents.values())
    return page.AttachView(accept=list(kinds), largest=LARGEST, most=MOST) if kinds else None


async def file_part(chat: Conversation, request: page.FetchFile) -> dict[str, object]:
    """A piece of a file of the chat.

    Raises:
        HistoryError: the chat has no such file.
    """
    known = {file.digest for turn in chat.state.all_turns for file in turn.files}
    store, chat_id = chat.recorder.store, chat.recorder.chat
    data = await asyncio.to_thread(store.file, chat_id, request.digest) if request.digest in known else None
    if data is None:
        raise HistoryError("This file is no longer kept.")
    piece = data[request.offset : request.offset + PIECE]
    return page.FilePart(data=base64.b64encode(piece).decode(), size=len(data)).model_dump()
