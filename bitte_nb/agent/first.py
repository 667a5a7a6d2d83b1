"""Waits for the first of several tasks such that a stop reaches all of them in the same moment."""

from __future__ import annotations

import asyncio
from typing import Any

__all__ = ["first_of"]


async def first_of(*tasks: asyncio.Task[Any]) -> None:
    """Wait until one of the tasks is done; cancelling the one that waits cancels them at once.

    `asyncio.wait` leaves them alone, and until the one that waits has its turn they may take another step, such as the
    one with which a request leaves after a stop.
    """
    if any(task.done() for task in tasks):
        return
    one_done = _OneDone(tasks)
    for task in tasks:
        task.add_done_callback(one_done.tell)
    try:
        await one_done
    finally:
        for task in tasks:
            task.remove_done_callback(one_done.tell)


class _OneDone(asyncio.Future[None]):
    """Awaited by the task that waits, so that its `cancel` calls the one here, whether or not one is done by then."""

    def __init__(self, tasks: tuple[asyncio.Task[Any], ...]) -> None:
        super().__init__()
        self._tasks = tasks

    def tell(self, _task: asyncio.Task[Any]) -> None:
        if not self.done():
            self.set_result(None)

    def cancel(self, msg: Any | None = None) -> bool:
        for task in self._tasks:
            task.cancel()
        return super().cancel(msg)
