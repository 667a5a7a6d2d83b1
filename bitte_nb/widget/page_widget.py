"""What every widget of this package is: a loader, a line to the page that stays open, and files for whoever asks.

The page part is far larger than what one widget says, so that a widget carries a loader only. The core comes as one
custom message, which is no state and is never saved: unasked with the first widget of a kernel, so that a cell which
keeps the kernel busy does not keep it from being drawn, and on request of a page that has none, as after a reload.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# ipywidgets ships no complete types.
from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any, Literal

import anywidget
from pydantic import BaseModel, ValidationError

from bitte_nb.widget import assets
from bitte_nb.widget.jupyter import hear_every_request

__all__ = ["PageWidget"]

_first = threading.Lock()
"""Taken for good by the first widget of this process."""


class _FilesWanted(BaseModel):
    """A loader asks for files of the page part by their names."""

    type: Literal["files"]
    names: list[str]


class PageWidget(anywidget.AnyWidget):
    """Base of the widgets; see the module. What else a page says goes to `_receive`, on whatever thread it comes in."""

    _esm = assets.loader()

    def __init__(self) -> None:
        # Held around one message and nothing else: whoever is called with it held could wait for the other thread.
        self._sending = threading.RLock()
        self._context: contextvars.Context | None = None
        super().__init__()

    def _begin(self) -> None:
        """Listen to pages, and send what the first one needs; a subclass calls it once it can answer."""
        self.on_msg(self._on_page)
        if _first.acquire(blocking=False):
            hear_every_request()
            self.send({"type": "files", "files": assets.core_files()})

    def _receive(self, content: object) -> None:
        """Take a message of a page."""

    def _on_page(self, _widget: object, content: object, _buffers: object) -> None:
        try:
            wanted = _FilesWanted.model_validate(content)
        except ValidationError:
            self._receive(content)
        else:
            self.send({"type": "files", "files": assets.files(wanted.names)})

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
