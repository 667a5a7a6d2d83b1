"""The chat as a notebook shows it: a widget for a live page, and a transcript for everything else."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# ipywidgets ships no complete types; what crosses into it here is checked by the driver.
from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import traitlets

from bitte_nb.agent.chat import Chat as AgentChat
from bitte_nb.core.fold import ChatState
from bitte_nb.core.log import Entry
from bitte_nb.core.plan import at_rest
from bitte_nb.history.export import masked
from bitte_nb.history.reading import Drawings
from bitte_nb.widget.driver import Driver
from bitte_nb.widget.jupyter import show
from bitte_nb.widget.page_widget import PageWidget
from bitte_nb.widget.part import Part
from bitte_nb.widget.renderers import Renderers
from bitte_nb.widget.saved import ENDING, SavedChat, saved_chat
from bitte_nb.widget.showcase import Showcase
from bitte_nb.widget.transcript import Transcript
from bitte_nb.widget.wire import browser_data

__all__ = ["Chat", "ChatWidget"]

_PATIENCE = 20.0
"""Seconds that an export waits for renderers that are due."""


class ChatWidget(PageWidget):
    """Shows one chat.

    State goes out twice, for two readers: `snapshot` is what a page that opens now draws first and what a notebook
    saves, so that what looks like a key is masked in it; numbered messages are what an open page adds to it. Deltas are
    never traits: a trait is sent whole each time.
    """

    snapshot = traitlets.Dict().tag(sync=True)

    def __init__(self, chat: AgentChat, showcase: Showcase | None = None, part: Part | None = None) -> None:
        super().__init__()
        self.chat = chat
        self.driver = Driver(chat, self._deliver, part)
        self._due = False
        self.snapshot = self._to_save()
        self._leave: Callable[[], None] | None = chat.thread.call(lambda: chat.watch(self._keep))
        self._showcase = showcase
        self._leave_showcase = showcase.join(self._show) if showcase else lambda: None
        self._begin()

    def close(self) -> None:
        """Take the chat off every page; the chat goes on, and displaying it makes another widget."""
        leave: Callable[[], None] | None = getattr(self, "_leave", None)  # a widget that was never whole is closed too
        if leave is not None:
            self._leave = None
            self.chat.thread.post(leave)
            self._leave_showcase()
            self.driver.close()
        super().close()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._leave is None

    def _receive(self, content: object) -> None:
        self.driver.receive(content)
        asked = cast("dict[str, object]", content).get("type") if isinstance(content, dict) else None
        if self._showcase is not None and asked in ("resync", "unfold"):
            self._showcase.tell(self._show)

    def _show(self, message: dict[str, Any]) -> None:
        """Deliver what stands in place of a result, where the page has that result."""
        if self.driver.shows(message["key"]):
            self._deliver(message)

    def _deliver(self, message: dict[str, Any]) -> None:
        self.send(message)

    def _keep(self, before: ChatState, entries: tuple[Entry, ...], after: ChatState) -> None:
        """Write the snapshot trait once a turn rests or another chat is open, so that a saved notebook has it."""
        del before
        rests = at_rest(after, after.last) if after.last is not None else not entries
        if not self._due and rests:
            self._due = True
            self.chat.thread.post(self._save)

    def _save(self) -> None:
        self._due = False
        self.snapshot = self._to_save()

    def _to_save(self) -> dict[str, Any]:
        return browser_data(self.driver.snapshot(), text=masked)

    def __repr__(self) -> str:
        return f"<ChatWidget of {self.chat!r}>"


class Chat(AgentChat):  # noqa: D101 - it has the words of the other, and one more sentence
    __doc__ = f"{AgentChat.__doc__}\n    Displayed in a notebook it is the chat widget and a static transcript.\n    "

    _widget: ChatWidget | None = None
    _transcript: Transcript | None = None
    _renderers: Renderers | None = None
    _showcase: Showcase | None = None

    @property
    def renderers(self) -> Renderers:
        """What is shown in place of the results of a tool: `chat.renderers["get-user"] = function of the data`."""
        if self._renderers is None:
            self._renderers = Renderers(self._rendered_anew)
        return self._renderers

    def _rendered_anew(self, tool: str) -> None:
        if self._showcase is not None:
            self._showcase.refresh(tool)

    @property
    def showcase(self) -> Showcase:
        """What is shown in place of results, in every cell that shows this chat."""
        if self._showcase is None:
            self._showcase = Showcase(self, self.renderers)
        return self._showcase

    def _drawings(self) -> Drawings:
        if self._renderers:
            self.showcase.wait(_PATIENCE)
        return self._showcase.drawings if self._showcase is not None else {}

    @property
    def widget(self) -> ChatWidget:
        """The chat's one widget; every view of it shows the same."""
        if self._widget is None or self._widget.closed:
            self._widget = ChatWidget(self, self.showcase)
        return self._widget

    @property
    def saved(self) -> SavedChat:
        """The chat as it is now, to keep in a notebook: displayed, it is drawn with no kernel."""
        return SavedChat(self.state, self._drawings())

    def close(self) -> None:
        """As `bitte_nb.agent.chat.Chat.close`; renderers that are due run no more."""
        super().close()
        if self._showcase is not None:
            self._showcase.close()
            self._showcase = None

    def export(self, path: str | Path) -> Path:
        """As `bitte_nb.agent.chat.Chat.export`; `.bitte.json` is a chat that the JupyterLab extension opens."""
        path = Path(path)
        if not path.name.endswith(ENDING):
            return super().export(path)
        path.write_text(json.dumps(saved_chat(self.state), ensure_ascii=False), encoding="utf-8")
        return path

    def _display_(self) -> ChatWidget:
        """What marimo shows for a chat."""
        return self.widget

    def _ipython_display_(self) -> None:
        show(self.widget)
        if self._transcript is None:
            self._transcript = Transcript(self, self.showcase)
        self._transcript.show()
