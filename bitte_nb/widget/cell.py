"""What one cell said to a chat and what comes of it, as a notebook shows it: that part of the chat and no more."""

from __future__ import annotations

from bitte_nb.agent.turn import Turn
from bitte_nb.widget.chat import Chat, ChatWidget
from bitte_nb.widget.jupyter import show
from bitte_nb.widget.part import Part, Parts
from bitte_nb.widget.transcript import Transcript

__all__ = ["Cell", "say"]


class Cell:
    """A part of a chat; displayed it is a widget of its own and a static transcript of its own."""

    def __init__(self, chat: Chat, part: Part) -> None:
        self.chat = chat
        self.part = part
        self.widget = ChatWidget(chat, chat.showcase, part)
        self.transcript = Transcript(chat, chat.showcase, part)

    def _ipython_display_(self) -> None:
        show(self.widget)
        self.transcript.show()

    def __repr__(self) -> str:
        return f"<Cell of {self.chat!r} from turn {self.part.begins} on>"


def say(chat: Chat, parts: Parts, text: str) -> tuple[Turn, Cell]:
    """Say something from a cell; what an earlier cell shows ends there.

    Raises:
        HistoryError: the chat is read-only here.
    """

    def begin() -> tuple[Turn, Part]:
        part = parts.begin(chat.state.count + 1)
        try:
            return chat.ask(text), part
        except BaseException:
            parts.drop(part)
            raise

    turn, part = chat.thread.call(begin)
    return turn, Cell(chat, part)
