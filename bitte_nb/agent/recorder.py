"""Writes a chat's entries to its store: what may have an effect is on disk before it happens, deltas a little later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from bitte_nb.core.invocation_events import ArgsDelta
from bitte_nb.core.log import (
    Entry,
    InvocationChanged,
    InvocationStarted,
    SessionChanged,
    StepStarted,
    TextAdded,
    ThinkingAdded,
)
from bitte_nb.errors import HistoryError
from bitte_nb.history.store import Store

__all__ = ["Recorder", "gather", "is_delta", "joined", "must_last"]


def is_delta(one: Entry) -> bool:
    """Whether the entry is a piece of streamed text, which may be joined with its neighbours."""
    if isinstance(one, InvocationChanged):
        return isinstance(one.event, ArgsDelta)
    return isinstance(one, TextAdded | ThinkingAdded)


_ON_THE_WAY = frozenset({"args_delta", "args_closed", "args_rejected", "policy_ask", "policy_allow"})
_SEEN = frozenset({"connected", "token", "heartbeat", "stall"})


def must_last(one: Entry) -> bool:
    """Whether the entry must outlive a power cut at once; the others come along with the next one that must.

    What a model said on the way to something has caused nothing yet: a decision, a dispatch or an end follows it.
    """
    match one:
        case InvocationChanged(event=event):
            return event.type not in _ON_THE_WAY
        case SessionChanged(event=event):
            return event.type not in _SEEN
        case _:
            return not isinstance(one, InvocationStarted | StepStarted | TextAdded | ThinkingAdded)


def joined(first: Entry, second: Entry) -> Entry | None:
    """Two neighbouring pieces of the same stream as one entry, or None where they do not belong together."""
    match first, second:
        case TextAdded(), TextAdded() if (first.turn, first.step) == (second.turn, second.step):
            return first.model_copy(update={"text": first.text + second.text})
        case ThinkingAdded(), ThinkingAdded() if (first.turn, first.step) == (second.turn, second.step):
            return first.model_copy(update={"text": first.text + second.text})
        case InvocationChanged(event=ArgsDelta(text=a)), InvocationChanged(event=ArgsDelta(text=b)) if (
            first.key == second.key
        ):
            return first.model_copy(update={"event": ArgsDelta(text=a + b)})
        case _:
            return None


def gather(entries: list[Entry], one: Entry) -> None:
    """Add an entry, or join it to the last one where it goes on with the same stream."""
    merged = joined(entries[-1], one) if entries else None
    if merged is not None:
        entries[-1] = merged
    else:
        entries.append(one)


class Recorder:
    """The one writer of a chat in this process.

    `head` counts the entries on disk; another process that appends makes the next write a `ChatConflict`.
    """

    def __init__(self, store: Store, chat: str, *, head: int, begin: Callable[[], None] | None = None) -> None:
        self.store = store
        self.chat = chat
        self.head = head
        self._begin = begin
        """Makes the chat in the store; called before the first write, so that a chat without a word leaves no trace."""
        self._waiting: list[Entry] = []

    def record(self, entries: Sequence[Entry]) -> None:
        """Keep deltas for the next write; write everything else at once, durably, in order.

        Raises:
            HistoryError: nothing of `entries` is on disk; the deltas that waited stay waiting.
        """
        waiting = list(self._waiting)
        for one in entries:
            gather(waiting, one)
        if all(is_delta(one) for one in entries):
            self._waiting = waiting
            return
        self._write(waiting)
        self._waiting = []

    def flush(self) -> None:
        """Write the deltas that wait."""
        if self._waiting:
            self._write(self._waiting)
            self._waiting = []

    def release(self) -> None:
        """Let another program write the chat."""
        if self.begun:
            with suppress(HistoryError):  # where it cannot be said, the end of this program says it
                self.store.release(self.chat)

    def keep(self, digest: str, data: bytes) -> None:
        """Keep the bytes of a file beside the chat, before an entry speaks of it.

        Raises:
            HistoryError: they are not kept.
        """
        if self._begin is not None:
            self._begin()
            self._begin = None
        self.store.put_file(self.chat, digest, data)

    @property
    def begun(self) -> bool:
        """Whether the store has the chat."""
        return self._begin is None

    def _write(self, entries: list[Entry]) -> None:
        if self._begin is not None:
            self._begin()
            self._begin = None
        durable = any(map(must_last, entries))
        self.head = self.store.append(self.chat, entries, expected=self.head, durable=durable)
