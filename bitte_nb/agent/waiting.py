"""Waiting for a chat, and whether a click can reach the kernel meanwhile: waiting refuses instead of hanging.

A kernel handles messages from widgets on its main thread, which a blocking cell occupies. ipykernel 7 has subshells
(handlers on a thread of their own) that JupyterLab uses for widgets and others do not; ipykernel 7.4 also handles them
while a cell awaits. The only proof is a message that did arrive on another thread.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

__all__ = ["Signal", "clicks_arrive", "has_one_shell", "in_kernel"]


def in_kernel() -> bool:
    """Whether this program is a Jupyter kernel."""
    ipython = sys.modules.get("IPython")
    if ipython is None:
        return False
    shell = ipython.get_ipython()
    return shell is not None and getattr(shell, "kernel", None) is not None


def clicks_arrive(*, blocking: bool, seen_off_main: bool) -> str:
    """Empty where a decision can arrive while the caller waits, else a sentence that says why not and what to do.

    Args:
        blocking: The caller blocks its thread; otherwise it awaits.
        seen_off_main: A message of a page was handled on another thread than the main one before.
    """
    if not in_kernel() or threading.current_thread() is not threading.main_thread() or seen_off_main:
        return ""
    if not blocking and _ipykernel() >= (7, 4):
        return ""
    how = "blocks" if blocking else "awaits"
    return (
        f"This cell {how}, and this kernel handles clicks only between cells, so the wait could never end. Let the "
        "cell finish and click then, or decide here: turn.pending[0].approve() or .deny('why')."
    )


def has_one_shell() -> bool:
    """Whether a cell of an ipykernel before 7 asks, which no click reaches while it runs, whatever it does."""
    return in_kernel() and threading.current_thread() is threading.main_thread() and _ipykernel() < (7, 0)


def _ipykernel() -> tuple[int, int]:
    module = sys.modules.get("ipykernel")
    version = getattr(module, "version_info", (0, 0))
    return int(version[0]), int(version[1])


class Signal:
    """Tells threads that something happened, so that they look again at what they wait for."""

    def __init__(self) -> None:
        self._told = threading.Condition()
        self._count = 0

    def tell(self) -> None:
        """Something happened."""
        with self._told:
            self._count += 1
            self._told.notify_all()

    def wait_for(self, condition: Callable[[], bool], timeout: float | None) -> bool:
        """Block until the condition holds; False once `timeout` seconds are over.

        The condition is looked at outside the lock, since it may itself wait for whoever tells.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            with self._told:
                seen = self._count
            if condition():
                return True
            with self._told:
                left = None if end is None else max(0.0, end - time.monotonic())
                if not self._told.wait_for(lambda: self._count != seen, left):  # noqa: B023 - used at once
                    return False
