"""What a list shows of a chat, kept up to date by every append without folding the chat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from bitte_nb.core.invocation import LIVE, TRANSITIONS, State
from bitte_nb.core.log import ChatOpened, Entry, InvocationChanged, InvocationStarted, Renamed, TurnStarted
from bitte_nb.history.record import storable

__all__ = ["Summary", "agent_of", "summarise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a list shows of a chat, kept up to date by every append."""

    title: str
    updated: int
    turns: int = 0
    live: Mapping[str, State] = field(default_factory=dict[str, State])
    """State by key of every invocation that is not settled."""

    @property
    def pending(self) -> int:
        """How many calls wait for a person."""
        return sum(state == "pending" for state in self.live.values())


def summarise(summary: Summary, entries: Iterable[Entry]) -> Summary:
    """Take further entries into a summary, without folding the chat."""
    title, updated, turns, live = summary.title, summary.updated, summary.turns, dict(summary.live)
    for one in entries:
        updated = max(updated, one.at)
        match one:
            case ChatOpened(title=new) | Renamed(title=new):
                title = storable(new) or title
            case TurnStarted():
                turns += 1
            case InvocationStarted(key=key):
                live.setdefault(key, "streaming")
            case InvocationChanged(key=key, event=event):
                # A settled call that goes on (a retry) is not in `live`; only a retry leads back there.
                state = live.get(key, "failed" if event.type == "retry" else "undone")
                state = TRANSITIONS[state].get(event.type, state)
                if state in LIVE:
                    live[key] = state
                else:
                    live.pop(key, None)
            case _:
                pass
    return replace(summary, title=title, updated=updated, turns=turns, live=live)


def agent_of(entries: Iterable[Entry]) -> str:
    """The name of the agent that answers in a chat of these entries, or empty."""
    opened = next((one for one in entries if isinstance(one, ChatOpened)), None)
    return opened.agents[0].name if opened is not None and opened.agents else ""
