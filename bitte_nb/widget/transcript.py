"""The chat as a static output: readable in a saved notebook with no kernel, on GitHub and after nbconvert.

It is an output of its own beside the widget, hidden while the widget is live, updated once per turn, deterministic (no
times, no random ids), and plain data: everything that came from outside is escaped.
"""

from __future__ import annotations

import threading

from bitte_nb.agent.chat import Chat
from bitte_nb.core.fold import ChatState
from bitte_nb.core.log import Entry
from bitte_nb.core.plan import at_rest
from bitte_nb.history.reading import to_html, to_markdown
from bitte_nb.widget.jupyter import DisplayHandle, show_bundle

__all__ = ["Transcript"]


class Transcript:
    """See the module."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._handles: list[DisplayHandle] = []
        self._lock = threading.Lock()
        chat.thread.call(lambda: chat.conversation.subscribe(self._appended))

    def bundle(self) -> dict[str, str]:
        """The transcript as a MIME bundle."""
        state = self._chat.state
        markdown = to_markdown(state)
        return {"text/html": to_html(state), "text/markdown": markdown, "text/plain": markdown}

    def show(self) -> None:
        """Put the output below the running cell."""
        handle = show_bundle(self.bundle())
        if handle is not None:
            with self._lock:
                self._handles.append(handle)

    def _appended(self, before: ChatState, entries: tuple[Entry, ...], after: ChatState) -> None:
        del before, entries
        if after.last is not None and at_rest(after, after.last):
            self._chat.thread.post(self._update)

    def _update(self) -> None:
        bundle = self.bundle()
        with self._lock:
            for handle in self._handles:
                handle.update(bundle, raw=True)
