"""The part of a chat that one cell shows: from the message it said up to the one that a later cell said.

A projection like any other: a part is a state with fewer turns on its path, so that whatever shows a chat shows a part.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from bitte_nb.core.state import ChatState, Turn, place_in
from bitte_nb.widget import protocol as page

__all__ = ["Part", "Parts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _PartState(ChatState):
    """A state that shows some of its turns; the others are `elsewhere`, and what is newest is newest in the chat."""

    newest: Turn | None = None

    @property
    def last(self) -> Turn | None:
        return self.newest


@dataclass(eq=False)
class Part:
    """What one cell shows; `Parts` makes it."""

    parts: Parts
    begins: int
    """The number of the turn that the cell asked for."""
    unfolded: bool = False
    """The person wants to see what came before it, too."""

    def of(self, state: ChatState) -> ChatState:
        """The state with only the turns of this part on its path."""
        begin, end = self._span(state)
        start = 0 if self.unfolded else begin
        shown, hidden = state.turns[start:end], state.turns[:start] + state.turns[end:]
        whole = {one.name: getattr(state, one.name) for one in fields(ChatState)}
        elsewhere = {**state.elsewhere, **{turn.turn: turn for turn in hidden}}
        whole |= {"turns": shown, "elsewhere": elsewhere, "newest": state.last}
        return _PartState(**whole)

    def view(self, state: ChatState) -> page.PartView:
        """How the part lies in the chat."""
        begin, end = self._span(state)
        return page.PartView(earlier=begin, unfolded=self.unfolded, ended=end < len(state.turns), gone=begin == end)

    def _span(self, state: ChatState) -> tuple[int, int]:
        """Where it begins and ends in the path; empty where the path leads past its message."""
        places = [self.parts.place(state, number) for number in self.parts.after(self)]
        begin = self.parts.place(state, self.begins)
        if begin is None:  # its message is in another version
            return 0, 0
        return begin, min((place for place in places if place is not None and place > begin), default=len(state.turns))


@dataclass
class Parts:
    """The parts of one chat, in the order of the cells that ran; only for the agent thread."""

    chat: str
    """Its id."""
    _begins: list[int] = field(default_factory=list[int])

    def begin(self, turn: int) -> Part:
        """The part of a cell that asks for the turn of that number; the part before it ends there."""
        self._begins.append(turn)
        return Part(self, turn)

    def drop(self, part: Part) -> None:
        """Forget a part whose message was never said."""
        self._begins.remove(part.begins)

    def after(self, part: Part) -> list[int]:
        """Where the later parts begin."""
        return [number for number in self._begins if number > part.begins]

    @staticmethod
    def place(state: ChatState, number: int) -> int | None:
        """Where the turn, or another version of it, stands in the path."""
        place, turn = place_in(state.turns, number), state.turn(number)
        if place is not None or turn is None:
            return place
        before = place_in(state.turns, turn.after) if turn.after else -1
        return before + 1 if before is not None and before + 1 < len(state.turns) else None
