"""The pages that paint slower than a model speaks, so that it is read no faster than they paint.

A page speaks only when it falls behind and when it has caught up, so that a slow line costs nothing and a page that is
hidden, closed or behind a busy kernel is not waited for.
"""

from __future__ import annotations

from bitte_nb.agent.conversation import Conversation
from bitte_nb.agent.pressure import Screen
from bitte_nb.core.session import RESUME_AT

__all__ = ["Pace"]


class Pace:
    """See the module; only for the agent thread."""

    def __init__(self, chat: Conversation) -> None:
        self._pressure = chat.pressure
        self._post = chat.thread.post
        self._behind: dict[str, Screen] = {}
        """By the page's name, as long as it is behind."""

    def told(self, page: str, behind: int) -> None:
        """A page has that many events that it has not painted."""
        for name, screen in tuple(self._behind.items()):
            if not screen.session.paused:  # it stopped painting
                self._leave(name)
        if behind <= RESUME_AT:
            self._leave(page)
            return
        screen = self._behind.get(page)
        if screen is None:
            screen = self._behind[page] = Screen(self._pressure, self._post, counted=False)
            self._pressure.attach(screen)
        self._pressure.behind(screen, behind)

    def leave(self) -> None:
        """No page shows this chat any more."""
        for name in tuple(self._behind):
            self._leave(name)

    def _leave(self, page: str) -> None:
        screen = self._behind.pop(page, None)
        if screen is not None:
            self._pressure.leave(screen)
