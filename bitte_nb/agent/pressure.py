"""Back-pressure: a front end that paints slower than a model speaks makes the reading pause, and no other does.

A front end attaches and says of each frame that it painted it; a frame takes four tokens. Above 16 unpainted tokens the
endpoint is no longer read, at 6 or fewer it is read again. One that stopped painting counts as gone, so a page in a
background tab, a closed one or none at all keeps nothing waiting.

A page far away must not be waited for because its line is slow. It counts for itself, by the same numbers, how many
pieces (what came in a thirtieth of a second) it has and has not painted, and speaks only when it falls behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from bitte_nb.agent.clock import Clock
from bitte_nb.core.session import PER_FRAME, Session, reduce
from bitte_nb.core.session_events import Flush, Token

__all__ = ["GONE_AFTER", "Pressure", "Screen"]

GONE_AFTER = 1.0
"""Seconds without a painted frame after which a front end that is behind keeps nothing waiting any more."""


class Screen:
    """One attached front end; `painted`, `behind` and `leave` may be called from any thread.

    Args:
        pressure: Of the chat that it shows.
        post: Runs a function on the agent thread.
        counted: The tokens are counted for it as they are read; else it says by `behind` what it has not painted.
    """

    def __init__(
        self, pressure: Pressure, post: Callable[[Callable[[], object]], None], *, counted: bool = True
    ) -> None:
        self._pressure = pressure
        self._post = post
        self.counted = counted
        self.session = Session(phase="streaming")
        """How far it is behind: `queued` tokens, and whether the reading is `paused` for it."""

    def painted(self, frames: int = 1) -> None:
        """It painted that many frames, of up to four tokens each."""
        self._post(lambda: self._pressure.painted(self, frames))

    def behind(self, pieces: int) -> None:
        """It painted just now, and that many pieces of those that it has are not painted yet."""
        self._post(lambda: self._pressure.behind(self, pieces))

    def leave(self) -> None:
        """It shows the chat no longer."""
        self._post(lambda: self._pressure.leave(self))


class Pressure:
    """The attached front ends of a chat; only for the agent thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._screens: dict[Screen, float] = {}
        """When each painted last, in seconds of the clock's `monotonic`."""
        self._change = asyncio.Event()

    def attach(self, screen: Screen) -> None:
        """Wait for this front end from now on."""
        self._screens[screen] = self._clock.monotonic()

    def leave(self, screen: Screen) -> None:
        """Wait for it no longer."""
        self._screens.pop(screen, None)
        self._changed()

    def painted(self, screen: Screen, frames: int) -> None:
        """Take its painted tokens off."""
        if screen in self._screens:
            self._screens[screen] = self._clock.monotonic()
            screen.session = reduce(screen.session, Flush(count=frames * PER_FRAME))
            self._changed()

    def behind(self, screen: Screen, pieces: int) -> None:
        """Take its own count."""
        if screen in self._screens:
            self._screens[screen] = self._clock.monotonic()
            more = pieces - screen.session.queued
            screen.session = reduce(screen.session, Token(count=more) if more > 0 else Flush(count=-more))
            self._changed()

    def arrived(self, tokens: int = 1) -> None:
        """That many tokens are to be painted."""
        for screen in self._screens:
            if screen.counted:
                screen.session = reduce(screen.session, Token(count=tokens))

    @property
    def paused(self) -> bool:
        """Whether a front end that still paints is behind."""
        return any(screen.session.paused for screen in self._screens)

    async def ready(self) -> None:
        """Wait until nobody is behind."""
        while True:
            behind = [since for screen, since in self._screens.items() if screen.session.paused]
            if not behind:
                return
            timer = asyncio.ensure_future(self._clock.sleep(min(behind) + GONE_AFTER - self._clock.monotonic()))
            change = asyncio.ensure_future(self._change.wait())
            try:
                await asyncio.wait({timer, change}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                timer.cancel()
                change.cancel()
            self._let_go()

    def _let_go(self) -> None:
        """Forget how far those are behind that paint no more; one that paints again is waited for again."""
        now = self._clock.monotonic()
        for screen, since in self._screens.items():
            if screen.session.paused and now >= since + GONE_AFTER:
                screen.session = reduce(screen.session, Flush(count=screen.session.queued))

    def _changed(self) -> None:
        self._change.set()
        self._change = asyncio.Event()
