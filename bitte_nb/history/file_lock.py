"""An advisory lock on an open file that ends with the program that holds it, and never waits for ever."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import BinaryIO

__all__ = ["Busy", "locked"]

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
    while not _take(file, shared=shared):
        if time.monotonic() >= end:
            raise Busy(file.name)
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        _leave(file)


if sys.platform == "win32":
    import msvcrt

    _BYTE = 1 << 40
    """Windows locks bytes, and keeps others from reading them: one that no file reaches stands for the file."""

    def _take(file: BinaryIO, *, shared: bool) -> bool:
        place = file.tell()
        file.seek(_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(place)
        return True

    def _leave(file: BinaryIO) -> None:
        place = file.tell()
        file.seek(_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        file.seek(place)

else:
    import fcntl

    def _take(file: BinaryIO, *, shared: bool) -> bool:
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _leave(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
