"""An alarm of the agent's clock, for a loop whose deadlines mostly move later: it may ring early, never late."""

from __future__ import annotations

import asyncio

from bitte_nb.agent.clock import Clock

__all__ = ["Alarm"]


class Alarm:
    """One sleeping task; setting it to a later time keeps the task, so that setting it per token costs nothing."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._at = 0.0
        self._task: asyncio.Task[None] | None = None

    def ring_by(self, at: float) -> asyncio.Task[None]:
        """The task that ends at `at` (seconds of the clock's `monotonic`) at the latest; look at the clock then."""
        if self._task is None or self._task.done() or at < self._at:
            self.cancel()
            self._at = at
            self._task = asyncio.ensure_future(self._sleep(max(0.0, at - self._clock.monotonic())))
        return self._task

    async def _sleep(self, seconds: float) -> None:
        await self._clock.sleep(seconds)

    def cancel(self) -> None:
        """Ring no more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
