"""Runs a Python function of the person's, apart from the agent thread: in a thread of its own, with what it prints.

A thread cannot be ended from outside. Where the call is stopped, nobody waits for it any more, and the runner marks it
as unknown unless it only reads; an async function is cancelled, which it may heed.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import io
import sys
import threading
from collections.abc import Callable, Generator, Iterable
from typing import Any, TextIO, TypeVar, cast

__all__ = ["Ended", "Printed", "run_apart"]

T = TypeVar("T")

_KEPT = 4_000
"""Characters of the newest printed text that are told as progress."""
_EVERY = 0.5
"""Seconds between two signs of life."""
_sink: contextvars.ContextVar[Printed | None] = contextvars.ContextVar("bitte_nb_printed", default=None)


class Printed(io.TextIOBase):
    """What one call prints: the newest lines are told on the loop, at most twice a second."""

    def __init__(self, loop: asyncio.AbstractEventLoop, tell: Callable[[str], object]) -> None:
        super().__init__()
        self._loop = loop
        self._tell = tell
        self._text = ""
        self._told = 0.0
        self._due = False
        self._over = False

    def write(self, text: str) -> int:
        """Take a piece of text, on any thread."""
        self._text = (self._text + text)[-_KEPT:]
        if not self._due and text:
            self._due = True
            with contextlib.suppress(RuntimeError):  # the loop is gone
                self._loop.call_soon_threadsafe(self._plan)
        return len(text)

    def _plan(self) -> None:
        self._loop.call_later(max(0.0, self._told + _EVERY - self._loop.time()), self._flush)

    def _flush(self) -> None:
        self._due = False
        self._told = self._loop.time()
        if not self._over and (text := self._text.strip("\n")):
            self._tell(text)

    def end(self) -> None:
        """Tell nothing any more; on the loop's thread."""
        self._over = True


class _Router:
    """Stands for `sys.stdout` while calls run: each call's words go to the call, all others where they went before."""

    def __init__(self, before: TextIO) -> None:
        self.before = before

    def write(self, text: str) -> int:
        sink = _sink.get()
        return self.before.write(text) if sink is None else sink.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if _sink.get() is None:
            self.before.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.before, name)


_lock = threading.Lock()
_running = 0


@contextlib.contextmanager
def _routed() -> Generator[None]:
    global _running  # noqa: PLW0603 - the process has one standard output
    with _lock:
        _running += 1
        if not isinstance(sys.stdout, _Router):
            sys.stdout = cast("TextIO", _Router(sys.stdout))
    try:
        yield
    finally:
        with _lock:
            _running -= 1
            if _running == 0:
                _restore(sys.stdout)


def _restore(router: object) -> None:
    if isinstance(router, _Router):  # somebody else may have put their own in its place meanwhile
        sys.stdout = router.before


async def run_apart(call: Callable[[], Any], then: Callable[[Any], T], printed: Printed) -> T:
    """Call it in a thread of its own, await what it gives, and return or raise what `then` makes of it there."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    inner: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def awaited(given: Any) -> Any:
        task = asyncio.current_task()
        assert task is not None
        inner.append((asyncio.get_running_loop(), task))
        return await given

    def work() -> None:
        _sink.set(printed)
        try:
            with _routed():
                given = call()
                value = then(asyncio.run(awaited(given)) if inspect.isawaitable(given) else given)
        except BaseException as error:  # whatever it raised belongs to the call
            raised = _raisable(error)
            settle = lambda: future.done() or future.set_exception(raised)  # noqa: E731
        else:
            settle = lambda: future.done() or future.set_result(value)  # noqa: E731
        with contextlib.suppress(RuntimeError):  # the loop is gone
            loop.call_soon_threadsafe(settle)

    threading.Thread(target=work, name="bitte_nb tool", daemon=True).start()
    try:
        return await future
    except asyncio.CancelledError:
        for its_loop, task in inner:
            with contextlib.suppress(RuntimeError):
                its_loop.call_soon_threadsafe(task.cancel)
        raise
    finally:
        printed.end()


class Ended(Exception):
    """The function raised what would end a task or a thread."""


def _raisable(error: BaseException) -> BaseException:
    """The error, or one that says it where it would mean something else to a future or a loop."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration | asyncio.CancelledError):
        return error
    ended = Ended(f"{type(error).__name__}: {error}".removesuffix(": "))
    ended.__cause__ = error
    return ended
