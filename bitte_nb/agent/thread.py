"""One thread with its own asyncio loop per process: every chat lives on it, cells and clicks only hand things over.

A kernel's main thread is busy whenever a cell runs, so nothing of ours waits there. Tasks start in an empty context:
ipykernel then treats their output as belonging to the latest cell instead of the one that happened to start them.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import logging
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from bitte_nb.errors import WaitRefused

__all__ = ["AgentThread", "agent_thread"]

T = TypeVar("T")
_log = logging.getLogger(__name__)


class AgentThread:
    """A daemon thread that runs one asyncio loop for ever."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="bitte_nb agent", daemon=True)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        while True:
            try:
                self.loop.run_forever()
            except BaseException:  # a task that calls `sys.exit` must not end every chat of the process
                _log.exception("Something on the agent thread tried to end it.")

    @property
    def here(self) -> bool:
        """Whether the caller is on this thread."""
        return threading.current_thread() is self._thread

    def call(self, function: Callable[[], T]) -> T:
        """Run a quick function on the loop and return its result, from any thread.

        Raises:
            WaitRefused: this process was forked from the one that has the thread.
        """
        if self.here:
            return function()
        self._check()
        future: concurrent.futures.Future[T] = concurrent.futures.Future()

        def run() -> None:
            try:
                future.set_result(function())
            except BaseException as error:  # it belongs to the caller
                future.set_exception(error)

        self.post(run)
        return future.result()

    def _check(self) -> None:
        if os.getpid() != self.pid:
            raise WaitRefused(
                "This chat lives in the process that this one was forked from; nothing would ever answer here. "
                "Load it with Chat.load(...)."
            )

    def post(self, function: Callable[[], object]) -> None:
        """Run a quick function on the loop soon, from any thread."""
        self.loop.call_soon_threadsafe(function, context=contextvars.Context())

    def spawn(self, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task and keep it alive; only on this thread."""
        task = self.loop.create_task(coroutine, context=contextvars.Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start a coroutine from any thread; the future holds its result.

        Raises:
            WaitRefused: this process was forked from the one that has the thread.
        """
        self._check()
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)


_current: AgentThread | None = None
_lock = threading.Lock()


def agent_thread() -> AgentThread:
    """The process's agent thread; a forked child gets its own."""
    global _current  # noqa: PLW0603 - one per process is the point
    with _lock:
        if _current is None or _current.pid != os.getpid():
            _current = AgentThread()
        return _current
