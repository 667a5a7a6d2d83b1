"""A chat with unreadable records: everything else is shown, and nothing is offered as new that may have run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bitte_nb.core.draft import Draft
from bitte_nb.core.fold import ChatState, apply_to
from bitte_nb.core.invocation import Invocation, refusal
from bitte_nb.core.invocation_events import Dispatch, Drift, InvocationEvent, Lost
from bitte_nb.core.log import (
    ChatOpened,
    Entry,
    InvocationChanged,
    InvocationStarted,
    Offered,
    SessionChanged,
    StepFinished,
    StepStarted,
    TextAdded,
    ThinkingAdded,
    TurnStarted,
)
from bitte_nb.history.record import NEWER
from bitte_nb.history.store import Gap, Loaded

__all__ = ["LOST", "bridged", "doubts", "unread"]

LOST = "(unreadable)"
"""Stands for a person's words, a model or a tool whose record is lost."""
_HARMLESS = frozenset(
    {"text_added", "thinking_added", "renamed", "offered", "step_finished", "budget_extended", "branch_chosen", "rated"}
)
"""Kinds of records that say nothing about a call."""
_RAN = "Records of this chat could not be read; whether this ran is not known."
_LOOK = "Records of this chat could not be read; this may have been answered or run already. Look before you approve."


def bridged(chat: Loaded) -> list[Entry]:
    """The entries, with a stand-in where a lost one began something that later ones speak of.

    Folding the result shows every readable word and call; without gaps it is the entries as they are.
    """
    if not chat.gaps:
        return chat.entries
    draft = Draft(ChatState())
    entries: list[Entry] = []
    for one in chat.entries:
        for entry in (*_stand_ins(draft, one, chat), one):
            entries.append(entry)
            apply_to(draft, entry)
    return entries


def _stand_ins(state: Draft, one: Entry, chat: Loaded) -> Iterator[Entry]:
    if not state.chat and not isinstance(one, ChatOpened):
        yield ChatOpened(at=one.at, chat=chat.info.chat, title=chat.info.title, agents=())
    number, step = _speaks_of(one)
    known = state.count
    agent = state.turns[-1].agent if state.turns else ""
    turn = state.turn(number)
    steps = len(turn.steps) if turn is not None else 0
    turns_lost = range(known + 1, number if isinstance(one, TurnStarted) else number + 1)
    steps_lost = range(steps + 1, step if isinstance(one, StepStarted) else step + 1)
    # A lost record began one turn or step at most; a number beyond that is no sign of a loss.
    if len(turns_lost) <= len(chat.gaps):
        for missing in turns_lost:
            yield TurnStarted(at=one.at, turn=missing, text=LOST, agent=agent)
        for missing in steps_lost if len(steps_lost) <= len(chat.gaps) else ():
            yield StepStarted(at=one.at, turn=number, step=missing, attempt=1, model=LOST)
    if isinstance(one, InvocationChanged) and one.key not in state.invocations:
        yield InvocationStarted(at=one.at, key=one.key, tool=LOST, agent=agent)


def _speaks_of(one: Entry) -> tuple[int, int]:
    """The turn and step of an entry, 0 where it has none."""
    match one:
        case StepStarted() | TextAdded() | ThinkingAdded() | Offered() | StepFinished():
            return one.turn, one.step
        case TurnStarted() | SessionChanged():
            return one.turn, 0
        case InvocationStarted() | InvocationChanged():
            turn, step, *_ = (*(int(part) for part in one.key.split(".") if part.isdecimal()), 0, 0)
            return turn, step
        case _:
            return 0, 0


def unread(chat: Loaded) -> str:
    """A sentence about the records that could not be read, empty where all could."""
    if not chat.gaps:
        return ""
    places = ", ".join(str(gap.seq) for gap in chat.gaps[:20]) + ("…" if len(chat.gaps) > 20 else "")
    newer = any(gap.reason.startswith(NEWER) for gap in chat.gaps)
    update = " A newer bitte_nb wrote some of them; update to see them." if newer else ""
    return f"{len(chat.gaps)} of {chat.head} records of this chat could not be read (number {places}).{update}"


def doubts(state: ChatState, gaps: Sequence[Gap], *, at: int) -> list[Entry]:
    """Entries to append after loading a chat with gaps, before those of `recovery`.

    An approved call becomes unknown, since what is lost may be its dispatch; a pending one says that it may already
    have been answered. Without a gap that could concern a call there are none.

    Args:
        state: The chat as far as it could be read.
        gaps: What could not.
        at: Now, milliseconds since the epoch.
    """
    if all(gap.kind in _HARMLESS for gap in gaps):
        return []
    entries: list[Entry] = []
    for call in state.invocations.values():
        entries += [InvocationChanged(at=at, key=call.key, event=event) for event in _doubt(call, at)]
    return entries


def _doubt(call: Invocation, at: int) -> list[InvocationEvent]:
    if call.prepared is None or call.state not in {"approved", "pending"}:
        return []
    if call.state == "approved":
        leaves = Dispatch(digest=call.prepared.digest, at=at)
        if refusal(call, leaves) is None:
            return [leaves, Lost(reason=_RAN, at=at)]
    return [Drift(prepared=call.prepared, reason=_LOOK)]
