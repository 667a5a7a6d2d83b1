"""A chat's log on the agent thread: write, fold, tell.

An append is written first, then folded into the state, then told to the subscribers; what could not be written never
happened.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from bitte_nb.agent.clock import Clock
from bitte_nb.agent.pressure import Pressure
from bitte_nb.agent.recorder import Recorder, is_delta
from bitte_nb.agent.thread import AgentThread
from bitte_nb.core.fold import ChatState, apply, fold
from bitte_nb.core.invocation import Invocation, reduce, refusal
from bitte_nb.core.invocation_events import InvocationEvent
from bitte_nb.core.log import Entry, InvocationChanged, SessionChanged
from bitte_nb.core.session_events import SessionEvent
from bitte_nb.errors import ChatConflict, HistoryError
from bitte_nb.history.record import storable_entry

__all__ = ["AT_ONCE", "CallEvent", "Journal", "Subscriber"]

T = TypeVar("T")
_log = logging.getLogger(__name__)

Subscriber = Callable[[ChatState, tuple[Entry, ...], ChatState], None]
"""Told after each append: the state before, the new entries, the state after. Runs on the agent thread."""

CallEvent = tuple[str, InvocationEvent]
"""An invocation's key and what happened to it."""
AT_ONCE = 32
"""Requests of a chat that are under way at the same time; more would be an attack on most servers."""
_SAVE_AFTER = 0.5
"""Seconds until streamed text that nothing else has written reaches the disk."""


class Journal:
    """See the module; only for the agent thread."""

    def __init__(
        self, *, state: ChatState, unwritten: list[Entry], recorder: Recorder, clock: Clock, thread: AgentThread
    ) -> None:
        self.state = fold(unwritten, state)
        self.unwritten = unwritten
        """Entries that are part of the state and wait for the first act to be written: looking writes nothing."""
        self.recorder = recorder
        self.clock = clock
        self.thread = thread
        self.notice = ""
        """A sentence about the chat as a whole: why the last write failed, or why it takes no acts here any more."""
        self.unread = ""
        """A sentence about records of the stored chat that could not be read."""
        self.ended = False
        """No act is taken here any more: the chat was closed, or went on elsewhere."""
        self.elsewhere = False
        """It ended here because it went on in another program, so that it can be taken over."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._subscribers: list[Subscriber] = []
        self._untold: deque[tuple[ChatState, tuple[Entry, ...], ChatState]] = deque()
        self._change = asyncio.Event()
        self._save_timer: asyncio.TimerHandle | None = None
        self._gathered: list[tuple[tuple[CallEvent, ...], asyncio.Future[bool]]] = []
        self.pressure = Pressure(clock)
        self.sending = asyncio.Semaphore(AT_ONCE)
        """Held by a request while it is under way."""

    def append(self, *entries: Entry) -> None:
        """Write, fold, tell.

        Raises:
            HistoryError: it could not be written and nothing changed; the next act tries again, unless the chat went
                on elsewhere.
        """
        if self.ended:
            raise HistoryError(self.notice)
        entries = tuple(storable_entry(one) for one in entries)  # what is folded is what a reload will read
        try:
            self.recorder.record([*self.unwritten, *entries])
        except HistoryError as error:
            self._trouble(error)
            raise
        self.unwritten = []
        self.notice = ""
        before = self.state
        for one in entries:
            self.state = apply(self.state, one)
        if all(is_delta(one) for one in entries):
            self._save_soon()
        else:
            self._changed()
        self._tell(before, entries)

    def _save_soon(self) -> None:
        if self._save_timer is None:
            self._save_timer = self.thread.loop.call_later(_SAVE_AFTER, self.save)

    def save(self) -> None:
        """Write the streamed text that still waits."""
        self._save_timer = None
        try:
            self.recorder.flush()
        except HistoryError as error:
            self._trouble(error)

    def _trouble(self, error: HistoryError) -> None:
        """Say why nothing could be written; a conflict ends the chat here, anything else may pass."""
        if isinstance(error, ChatConflict):
            self.end(str(error), elsewhere=True)
        else:
            self.notice = str(error)
            self._changed()
            self._tell(self.state, ())

    def end(self, notice: str, *, elsewhere: bool = False) -> None:
        """Take no act here any more; `elsewhere` where another program goes on with it."""
        self.notice, self.ended, self.elsewhere = notice, True, elsewhere
        for task in tuple(self._tasks):
            task.cancel()
        self._changed()
        self._tell(self.state, ())

    def spawn(self, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task of this chat: from the moment in which the chat ends here, it takes no step but to clean up."""
        task = self.thread.spawn(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self.ended:
            task.cancel()
        return task

    def _tell(self, before: ChatState, entries: tuple[Entry, ...]) -> None:
        self._untold.append((before, entries, self.state))
        if len(self._untold) > 1:
            return  # a subscriber appended: all are told of this once they know of what came before it
        while self._untold:
            for subscriber in tuple(self._subscribers):
                try:
                    subscriber(*self._untold[0])
                except Exception:  # what a page or a listener does wrong must not stop the chat
                    _log.exception("A subscriber of the chat %r failed.", self.recorder.chat)
            self._untold.popleft()

    def _changed(self) -> None:
        self._change.set()
        self._change = asyncio.Event()

    def change(self) -> Coroutine[Any, Any, object]:
        """What waits for the next append after this call that is more than streamed text, whenever it is awaited."""
        return self._change.wait()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Be told of every append; returns the way to stop that."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def session(self, turn: int, event: SessionEvent) -> None:
        """Append a session event, unless it would change nothing."""
        current = self.state.turn(turn)
        if current is None:
            return
        entry = SessionChanged(at=self.clock.now(), turn=turn, event=event)
        after = apply(self.state, entry).turn(turn)
        if after is not None and after.session is not current.session:
            self.append(entry)

    def call_event(self, key: str, event: InvocationEvent) -> bool:
        """Append an invocation event; one that has no place any more is dropped, which returns False."""
        return self.call_events([(key, event)])

    def call_events(self, events: Sequence[CallEvent]) -> bool:
        """Append events of different invocations in one write; those that have no place any more are dropped."""
        fitting = self._fitting(events, {})
        self._append_calls(fitting)
        return len(fitting) == len(events)

    def soon(self, *events: CallEvent) -> asyncio.Future[bool]:
        """Append events together with those of all other calls at this moment: one write and one fsync for all.

        The future says, once they are on disk, whether all of them had a place by then, or raises `HistoryError`.
        Cancelling it before that takes them back; nobody has to await it.
        """
        written: asyncio.Future[bool] = self.thread.loop.create_future()
        written.add_done_callback(_looked_at)
        self._gathered.append((events, written))
        if len(self._gathered) == 1:
            self.thread.loop.call_soon(self._write_gathered)
        return written

    def _write_gathered(self) -> None:
        gathered, self._gathered = self._gathered, []
        gathered = [(events, written) for events, written in gathered if not written.done()]
        after: dict[str, Invocation] = {}
        fitting = [self._fitting(events, after) for events, _ in gathered]
        try:
            self._append_calls([one for group in fitting for one in group])
        except Exception as error:  # each caller learns it
            for _, written in gathered:
                if not written.done():
                    written.set_exception(error)
            return
        for (events, written), kept in zip(gathered, fitting, strict=True):
            if not written.done():
                written.set_result(len(kept) == len(events))

    def _fitting(self, events: Sequence[CallEvent], after: dict[str, Invocation]) -> list[CallEvent]:
        """The events that have a place, one after another; `after` holds the calls as they will be."""
        fitting: list[CallEvent] = []
        for key, event in events:
            call = after.get(key) or self.state.invocations.get(key)
            if call is None:
                continue
            if (why_not := refusal(call, event)) is not None:
                _log.info("%r, call %s: %s was ignored, %s.", self.recorder.chat, key, event.type, why_not)
                continue
            after[key] = reduce(call, event)
            fitting.append((key, event))
        return fitting

    def _append_calls(self, events: Sequence[CallEvent]) -> None:
        now = self.clock.now()
        if events:
            self.append(*(InvocationChanged(at=now, key=key, event=event) for key, event in events))


def _looked_at(written: asyncio.Future[bool]) -> None:
    """A write that failed was told by the chat's notice; nobody else needs to hear of it."""
    if not written.cancelled():
        written.exception()
