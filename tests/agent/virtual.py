"""Clocks for tests: one that stands still until it is moved, and one on which everything goes fast."""

from __future__ import annotations

import asyncio
import time

from bitte_nb.agent.thread import agent_thread

__all__ = ["Hasty", "VirtualClock"]


class Hasty:
    """A clock on which everything takes a hundredth of its time."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic() * 100

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 100)


class VirtualClock:
    """Stands still until a test moves it; what sleeps on it wakes on the agent thread. `now` begins at 1,000,000."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> int:
        return 1_000_000 + round(self.seconds * 1000)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        sleeper = (self.seconds + seconds, asyncio.get_running_loop().create_future())
        self._sleepers.append(sleeper)
        try:
            await sleeper[1]
        finally:
            self._sleepers.remove(sleeper)

    def advance(self, seconds: float) -> None:
        """Move on, from the test's thread, once what is about to sleep sleeps; then let what woke up run."""
        self.settle()

        def move() -> None:
            self.seconds = round(self.seconds + seconds, 9)
            for at, future in self._sleepers:
                if at <= self.seconds + 1e-9 and not future.done():
                    future.set_result(None)

        agent_thread().call(move)
        self.settle()

    def settle(self) -> None:
        """Let the agent thread do what it can do now."""
        for _ in range(20):
            agent_thread().call(lambda: None)

    def waits(self) -> list[float]:
        """In how many seconds each sleeper wakes, soonest first."""
        return agent_thread().call(lambda: sorted(round(at - self.seconds, 6) for at, _ in self._sleepers))

    def until_asleep(self, seconds: float) -> None:
        """Wait, in real time, until something sleeps for exactly so long."""
        end = time.monotonic() + 60
        while seconds not in self.waits():
            assert time.monotonic() < end, f"nothing sleeps for {seconds:g} s, only {self.waits()}"
            time.sleep(0.002)
