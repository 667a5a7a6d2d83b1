"""The chat as a notebook shows it: a widget for a live page, and a transcript for everything else."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# ipywidgets ships no complete types; what crosses into it here is checked by the driver.
from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from bitte_nb.agent.chat import Chat as AgentChat
from bitte_nb.core.fold import ChatState
from bitte_nb.core.log import Entry
from bitte_nb.core.plan import at_rest
from bitte_nb.history.export import masked
from bitte_nb.widget.assets import NOT_BUILT, asset
from bitte_nb.widget.driver import Driver
from bitte_nb.widget.jupyter import show
from bitte_nb.widget.transcript import Transcript
from bitte_nb.widget.wire import browser_data

__all__ = ["Chat", "ChatWidget"]


class ChatWidget(anywidget.AnyWidget):
    """Shows one chat.

    State goes out twice, for two readers: `snapshot` is what a page that opens now draws first and what a notebook
    saves, so that what looks like a key is masked in it; numbered messages are what an open page adds to it. Deltas are
    never traits: a trait is sent whole each time.
    """

    _esm = asset("widget.js", NOT_BUILT)
    _css = asset("widget.css", "")
    snapshot = traitlets.Dict().tag(sync=True)

    def __init__(self, chat: AgentChat) -> None:
        # Held around one message and nothing else: whoever is called with it held could wait for the other thread.
        self._sending = threading.RLock()
        self._context: contextvars.Context | None = None
        super().__init__()
        self.chat = chat
        self.driver = Driver(chat, self._deliver)
        self._due = False
        self.snapshot = self._to_save()
        self.on_msg(self._receive)
        self._leave: Callable[[], None] | None = chat.thread.call(lambda: chat.conversation.subscribe(self._keep))

    def close(self) -> None:
        """Take the chat off every page; the chat goes on, and displaying it makes another widget."""
        leave: Callable[[], None] | None = getattr(self, "_leave", None)  # a widget that was never whole is closed too
        if leave is not None:
            self._leave = None
            self.chat.thread.post(leave)
            self.driver.close()
        super().close()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._leave is None

    def _receive(self, _widget: object, content: object, _buffers: object) -> None:
        self.driver.receive(content)

    def _deliver(self, message: dict[str, Any]) -> None:
        self.send(message)

    def _keep(self, before: ChatState, entries: tuple[Entry, ...], after: ChatState) -> None:
        """Write the snapshot trait once a turn comes to rest, so that a saved notebook has it."""
        del before, entries
        if not self._due and after.last is not None and at_rest(after, after.last):
            self._due = True
            self.chat.thread.post(self._save)

    def _save(self) -> None:
        self._due = False
        self.snapshot = self._to_save()

    def _to_save(self) -> dict[str, Any]:
        return browser_data(self.driver.snapshot(), text=masked)

    # ipykernel 7.4 answers a comm on the shell that last published on it, which would put clicks behind a busy cell.
    # Sending in the context of the page's latest message keeps its own shell; the page says hello soon after it opens.

    def _handle_msg(self, msg: dict[str, Any]) -> None:
        self._context = contextvars.copy_context()
        if msg["content"]["data"].get("method") == "update":
            return  # no trait is a page's to write: what a page says is a request
        handle: Callable[..., None] = super()._handle_msg
        handle(msg)

    def _send(self, *args: Any, **kwargs: Any) -> None:
        context = self._context
        send: Callable[..., None] = super()._send
        with self._sending:
            if context is None:
                send(*args, **kwargs)
            else:
                context.copy().run(send, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<ChatWidget of {self.chat!r}>"


class Chat(AgentChat):
    """See `bitte_nb.agent.chat.Chat`; displayed in a notebook it is the chat widget and a static transcript."""

    _widget: ChatWidget | None = None
    _transcript: Transcript | None = None

    @property
    def widget(self) -> ChatWidget:
        """The chat's one widget; every view of it shows the same."""
        if self._widget is None or self._widget.closed:
            self._widget = ChatWidget(self)
        return self._widget

    def _ipython_display_(self) -> None:
        show(self.widget)
        if self._transcript is None:
            self._transcript = Transcript(self)
        self._transcript.show()
