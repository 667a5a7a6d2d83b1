"""A chat as a page can draw it with no kernel: plain data, with what looks like a key masked.

The JupyterLab extension draws it, from a file (`chat.export("talk.bitte.json")`) or an output (`display(chat.saved)`).
"""

from __future__ import annotations

from typing import Any

from bitte_nb.core.fold import ChatState
from bitte_nb.history.export import masked
from bitte_nb.history.reading import Drawings
from bitte_nb.widget import protocol as page
from bitte_nb.widget.transcript import Pages
from bitte_nb.widget.view import chat_view
from bitte_nb.widget.wire import browser_data

__all__ = ["ENDING", "MIME_TYPE", "SavedChat", "saved_chat"]

MIME_TYPE = "application/vnd.bitte.chat+json"
ENDING = ".bitte.json"


def saved_chat(state: ChatState) -> dict[str, Any]:
    """The chat as a snapshot of the contract with pages, as JSON data."""
    snapshot = page.Snapshot(boot="saved", seq=0, chat=chat_view(state))
    return browser_data(snapshot.model_dump(), text=masked)


class SavedChat:
    """The chat as it was at one moment; displayed, it is cards where the extension is, else a transcript."""

    def __init__(self, state: ChatState, drawings: Drawings | None = None) -> None:
        self._state = state
        self._drawings = drawings

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        del include, exclude
        return {MIME_TYPE: saved_chat(self._state), **Pages().bundle(self._state, self._drawings)}

    def __repr__(self) -> str:
        return f"<SavedChat {self._state.chat!r} with {len(self._state.turns)} turns>"
