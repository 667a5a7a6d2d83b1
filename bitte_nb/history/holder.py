"""Which program writes a chat: a name for each program, and a sign of life that ends with it.

A chat's record names the program that writes it; every append looks at that name in its own transaction, so a chat that
was taken over takes nothing from the program before. A program that ended, however it ended, holds nothing.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from bitte_nb.errors import ChatConflict
from bitte_nb.history.file_lock import leave, take

__all__ = ["Lives", "held", "me"]

_lock = threading.Lock()
_me: tuple[int, str] = (0, "")
_files: dict[Path, BinaryIO] = {}
"""The open and locked file of this program in each folder; they stay open as long as it lives."""


def me() -> str:
    """The name of this program: machine, process, and a number that no other has; a forked one gets its own."""
    global _me  # noqa: PLW0603 - one per process is the point
    with _lock:
        if _me[0] != os.getpid():
            host = "".join(one if one.isalnum() or one in "-." else "-" for one in socket.gethostname())
            _me = (os.getpid(), f"{host or 'host'}_{os.getpid()}_{secrets.token_hex(4)}")
        return _me[1]


def held(chat_id: str, holder: str) -> ChatConflict:
    """The error of an act on a chat that another program writes."""
    host, process, *_ = (*holder.split("_"), "?")
    return ChatConflict(
        f"The chat {chat_id!r} is written by another kernel now (process {process} on {host}). It can be read here; "
        "`chat.take_over()` goes on with it here."
    )


class Lives:
    """Signs of life in a folder: a file for each program, locked until it ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def show(self) -> None:
        """Show that this program lives.

        Raises:
            OSError: the folder cannot be written.
        """
        path = self._folder / f"{me()}.lock"
        with _lock:
            if path in _files:
                return
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = _shown(path)
            while not path.exists():  # another program took it for one of the dead, before it was locked
                file.close()
                file = _shown(path)
            _files[path] = file
        for other in self._folder.glob("*.lock"):  # those that nobody looked for
            self.lives(other.stem)

    def lives(self, holder: str) -> bool:
        """Whether the program of that name runs still; the file of one that does not is removed."""
        if holder == me():
            return True
        path = self._folder / f"{Path(holder).name}.lock"
        try:
            file = path.open("r+b", buffering=0)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        with file:
            if not take(file, shared=False):
                return True
            with suppress(OSError):
                path.unlink()
            leave(file)
            return False


def _shown(path: Path) -> BinaryIO:
    file = os.fdopen(os.open(path, os.O_CREAT | os.O_RDWR, 0o600), "r+b", buffering=0)
    take(file, shared=False)
    return file
