"""Time as signers need it, passed in so that tests need not wait."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

__all__ = ["SystemTiming", "Timing"]


class Timing(Protocol):
    """Seconds that never go back, and waiting for them."""

    def monotonic(self) -> float:
        """Seconds, for measuring."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemTiming:
    """The machine's clock."""

    def monotonic(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait on the running loop."""
        await asyncio.sleep(seconds)
