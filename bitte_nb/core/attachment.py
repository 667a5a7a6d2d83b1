"""A file that a person attached to a message: what it is, and the word by which a model hands it to a tool."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

__all__ = ["PREFIX", "Attachment", "attached_lines", "find_attachment"]

PREFIX = "attachment:"
"""How a reference to a file begins."""
_SHORT = 12
"""Hex digits of a reference: few enough for a model to copy, enough to tell the files of a chat apart."""


class Attachment(BaseModel):
    """A file of a chat; its bytes are kept beside the chat, under the digest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    digest: str
    """SHA-256 of the bytes, hex."""
    name: str
    media: str
    """Its media type, as the person's system says."""
    size: int
    """Bytes."""

    @property
    def reference(self) -> str:
        """What stands for the file in the arguments of a tool."""
        return PREFIX + self.digest[:_SHORT]


def find_attachment(text: str, files: Iterable[Attachment]) -> Attachment | None:
    """The file that a reference means; the newest one where two digests begin alike."""
    wanted = text.strip().removeprefix(PREFIX).lower()
    found = None
    for one in files:
        if len(wanted) >= _SHORT and one.digest.startswith(wanted):
            found = one
    return found


def attached_lines(files: Iterable[Attachment]) -> str:
    """What a model reads of the files of a message, a line for each."""
    return "\n".join(
        f"Attached file: {' '.join(one.name.split())} ({one.media}, {one.size:,} bytes). "
        f'To hand it to a tool, give "{one.reference}" as the value of the file argument.'
        for one in files
    )
