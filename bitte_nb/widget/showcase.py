"""What is shown in place of results: made by the author's renderers, or returned by Python functions as more than JSON.

It is made on a thread of its own, since it runs the author's code, and told to pages as messages beside the numbered
events: it is no part of the chat, and another kernel makes it anew or goes without.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# ipywidgets ships no complete types.
from __future__ import annotations

import base64
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from queue import SimpleQueue
from typing import Any

from bitte_nb.agent.bindings.local import LocalBinding
from bitte_nb.agent.bindings.local_result import as_json, bundle_of, described
from bitte_nb.agent.chat import Chat
from bitte_nb.core.fold import ChatState
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.log import Entry, InvocationChanged
from bitte_nb.core.result import ToolData
from bitte_nb.history.drawn import DrawnResult, drawn_markdown, drawn_value
from bitte_nb.history.markdown import fenced
from bitte_nb.widget.renderers import Renderer, Renderers
from bitte_nb.widget.wire import browser_data

__all__ = ["Showcase", "Shown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What stands in place of one result."""

    view: str = ""
    """Id of a widget's model, or empty."""
    portable: bool = False
    """The widget keeps anywidget's contract."""
    display: str = ""
    """A data URL, or empty."""
    note: str = ""
    """A sentence, or empty."""
    keep: object = field(default=None, compare=False)
    """The widget itself, which must live as long as it is shown."""
    drawn: DrawnResult | None = field(default=None, compare=False)
    """How it is read where no page is; None where the result says it itself."""


_Place = tuple[str, str]
"""A chat's id and a call's key."""


_Send = Callable[[dict[str, Any]], None]
"""Delivers one message to pages, from any thread."""


class Showcase:
    """See the module; a chat has one, whatever shows the chat: the author's code runs once for each result."""

    def __init__(self, chat: Chat, renderers: Renderers) -> None:
        self._chat = chat
        self._renderers = renderers
        self._sends: list[_Send] = []
        self._changed: list[Callable[[], object]] = []
        self._shown: dict[_Place, Shown] = {}
        self._made: dict[_Place, tuple[int, Renderer | None]] = {}
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._leave = chat.thread.call(lambda: chat.watch(self._appended))
        self.refresh()

    def close(self) -> None:
        """Show nothing more."""
        self._chat.thread.post(self._leave)
        self._jobs.put(None)

    def refresh(self, tool: str = "") -> None:
        """Make what is shown anew where it is out of date: of one tool, or of all."""
        self._consider_all(self._chat.state, tool)

    def _consider_all(self, state: ChatState, tool: str = "") -> None:
        for call in state.invocations.values():
            if not tool or call.tool == tool:
                self._consider(state.chat, call)

    def join(self, send: _Send) -> Callable[[], None]:
        """Tell somebody of whatever is shown from here on; returns the way to stop."""
        self._sends.append(send)
        return lambda: self._sends.remove(send) if send in self._sends else None

    def on_drawn(self, changed: Callable[[], object]) -> None:
        """Call somebody whenever `drawings` changed, on the thread of the renderers."""
        self._changed.append(changed)

    @property
    def drawings(self) -> dict[str, DrawnResult]:
        """How what is shown in the open chat is read where no page is, by the key of the call."""
        chat = self._chat.id
        with self._lock:
            return {key: one.drawn for (of, key), one in self._shown.items() if of == chat and one.drawn is not None}

    def tell(self, send: _Send) -> None:
        """Tell everything, as after a snapshot."""
        chat = self._chat.id
        with self._lock:
            shown = [(place, one) for place, one in self._shown.items() if place[0] == chat]
        for place, one in shown:
            send(_message(place, one))

    def wait(self, timeout: float) -> None:
        """Block until everything that is due was made, at most for `timeout` seconds."""
        done = threading.Event()
        self._do(done.set)
        done.wait(timeout)

    def _do(self, job: Callable[[], object]) -> None:
        self._jobs.put(job)
        with self._lock:
            if self._thread is None:  # a daemon: the author's code may never return, and must not keep a kernel alive
                self._thread = threading.Thread(target=self._work, name="bitte_nb renderer", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def _appended(self, before: ChatState, entries: tuple[Entry, ...], after: ChatState) -> None:
        del before
        if not entries:  # another chat is open
            self._consider_all(after)
        for key in {one.key for one in entries if isinstance(one, InvocationChanged)}:
            call = after.invocations.get(key)
            if call is not None:
                self._consider(after.chat, call)

    def _consider(self, chat: str, call: Invocation) -> None:
        if call.state not in ("succeeded", "undone") or not isinstance(call.result, ToolData):
            return
        renderer = self._renderers.get(call.tool)
        place, made = (chat, call.key), (call.attempt, renderer)
        if self._made.get(place) == made:
            return
        self._made[place] = made
        value = self._value(call)
        if renderer is None and value is None and place not in self._shown:
            return
        data = call.result.data
        self._do(lambda: self._make(place, renderer, value, data))

    def _value(self, call: Invocation) -> object:
        """What a function of this kernel returned, where a page shows it better than JSON does."""
        binding = self._chat.conversation.agent_of(call).find(call.tool)
        return binding.value(call.idempotency_key) if isinstance(binding, LocalBinding) else None

    def _make(self, place: _Place, renderer: Renderer | None, value: object, data: Any) -> None:
        shown = _rendered(renderer, data) if renderer is not None else _shown(value)
        with self._lock:
            before = self._shown.pop(place, Shown())
            if shown != Shown():
                self._shown[place] = shown
        for send in tuple(self._sends):
            send(_message(place, shown))
        if before.drawn != shown.drawn:
            for changed in tuple(self._changed):
                changed()


def _message(place: _Place, shown: Shown) -> dict[str, Any]:
    said = {"view": shown.view, "portable": shown.portable, "display": shown.display, "note": shown.note}
    return {"type": "shown", "chat": place[0], "key": place[1], **browser_data(said)}


def _rendered(renderer: Renderer, data: Any) -> Shown:
    try:
        value = renderer(data)
        if value is None:
            return Shown()
        if isinstance(value, str):
            text = base64.b64encode(value.encode("utf-8", "replace")).decode("ascii")
            return Shown(display=f"data:text/markdown;base64,{text}", drawn=drawn_markdown(value))
        return _shown(value)
    except BaseException as error:  # the author's code may fail in any way; the result is still there
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
        return Shown(note=f"The renderer failed, so the result is shown as it came. {said}")


def _shown(value: object) -> Shown:
    """A widget as it is; what a renderer of Jupyter draws in an output of its own; else its display."""
    import anywidget
    import ipywidgets  # pyright: ignore[reportMissingTypeStubs]

    if value is None:
        return Shown()
    said, lives = described(value)
    display, note, drawn = str(said.get("display", "")), str(said.get("note", "")), _drawn(value, said)
    if isinstance(value, ipywidgets.Widget):
        portable = isinstance(value, anywidget.AnyWidget)
        return Shown(view=str(value.model_id), portable=portable, display=display, note=note, keep=value, drawn=drawn)
    if lives:
        output = ipywidgets.Output(outputs=({"output_type": "display_data", "data": bundle_of(value), "metadata": {}},))
        return Shown(view=str(output.model_id), display=display, note=note, keep=output, drawn=drawn)
    if not display and not note:
        return Shown(note=str(said.get("text", "")), drawn=drawn)
    return Shown(display=display, note=note, drawn=drawn)


_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Another one in each run, which a saved notebook should not show as a change."""


def _drawn(value: object, said: dict[str, Any]) -> DrawnResult:
    """The value as it is read: its table, picture or HTML, else its text."""
    words, data = _ADDRESS.sub("", str(said.get("text", ""))), as_json(value)[0]
    found = drawn_value({**data, "text": words} if isinstance(data, dict) and "text" in data else data)
    return found or DrawnResult(f"<pre>{escape(words)}</pre>", fenced(words))
