"""An advisory lock on an open file that ends with the program that holds it, and never waits for ever."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import BinaryIO

__all__ = ["Busy", "leave", "locked", "take"]

_PAUSE = 0.01


class Busy(Exception):
    """Another program held the lock for too long; the text is the file's name."""


@contextmanager
def locked(file: BinaryIO, *, timeout: float, shared: bool) -> Generator[None]:
    """Hold the file's lock.

    Args:
        file: An open file.
        timeout: Seconds to wait for another program.
        shared: Whether others may hold it too (for reading), where the system has such locks.

    Raises:
        Busy: the time is over.
    """
    end = time.monotonic() + timeout
    while not take(file, shared=shared):
        if time.monotonic() >= end:
            raise Busy(file.name)
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        leave(file)


if sys.platform == "win32":
    import msvcrt

    _BYTE = 1 << 40
    """Windows locks bytes, and keeps others from reading them: one that no file reaches stands for the file."""

    def take(file: BinaryIO, *, shared: bool) -> bool:
        """Try to hold the file's lock; never waits."""
        place = file.tell()
        file.seek(_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(place)
        return True

    def leave(file: BinaryIO) -> None:
        """Let go of it."""
        place = file.tell()
        file.seek(_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        file.seek(place)

else:
    import fcntl

    def take(file: BinaryIO, *, shared: bool) -> bool:
        """Try to hold the file's lock; never waits."""
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def leave(file: BinaryIO) -> None:
        """Let go of it."""
        fcntl.flock(file, fcntl.LOCK_UN)
