"""How far a measurement is, while it runs: a line below the cell, or on a terminal's error stream."""

from __future__ import annotations

import sys
from typing import Any, Protocol

from bitte_nb.agent.waiting import in_kernel

__all__ = ["Progress", "progress_for"]


class Progress(Protocol):
    """Somewhere to say how far it is."""

    def tell(self, line: str) -> None:
        """Say the line in place of the one before."""
        ...

    def end(self, line: str) -> None:
        """Say the last line."""
        ...


class _Cell:
    """A line of the running cell's output."""

    def __init__(self) -> None:
        self._handle: Any = None

    def tell(self, line: str) -> None:
        from IPython.display import display  # pyright: ignore[reportUnknownVariableType] - it ships no complete types

        bundle = {"text/plain": line}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)

    end = tell


class _Terminal:
    """A line that is written over."""

    def tell(self, line: str) -> None:
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()

    def end(self, line: str) -> None:
        self.tell(f"{line}\n")


class _Nowhere:
    def tell(self, line: str) -> None:
        pass

    end = tell


def progress_for(wanted: bool | None) -> Progress:
    """Where to say how far it is: by default where a person looks, never where it is not wanted."""
    if wanted is False:
        return _Nowhere()
    if in_kernel():
        return _Cell()
    return _Terminal() if wanted or sys.stderr.isatty() else _Nowhere()
