"""The chats that were open in one place: who watches it is told when another one is, and what runs goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bitte_nb.agent.journal import Subscriber
from bitte_nb.core import plan

if TYPE_CHECKING:
    from bitte_nb.agent.conversation import Conversation

__all__ = ["Shelf"]

_log = logging.getLogger(__name__)


@dataclass
class _Watcher:
    subscriber: Subscriber
    leave: Callable[[], None]


@dataclass
class Shelf:
    """See the module; only for the agent thread."""

    _watchers: list[_Watcher] = field(default_factory=list[_Watcher])
    _busy: dict[str, Conversation] = field(default_factory=dict[str, "Conversation"])
    """Chats in which something still runs or waits, kept until they are opened again; the others are closed."""

    def watch(self, conversation: Conversation, subscriber: Subscriber) -> Callable[[], None]:
        """Tell the subscriber of the conversation, and of the one that takes its place; returns the way to stop."""
        watcher = _Watcher(subscriber, conversation.subscribe(subscriber))
        self._watchers.append(watcher)

        def leave() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)
                watcher.leave()

        return leave

    def known(self, current: Conversation, chat_id: str) -> Conversation | None:
        """The chat of that id, if it is open here, or something still runs or waits in it here."""
        found = current if current.recorder.chat == chat_id else self._busy.get(chat_id)
        return found if found is not None and not found.ended else None

    def moved(self, before: Conversation, after: Conversation) -> None:
        """Another conversation takes the place of the one before."""
        if before is after:
            return
        same = before.recorder.chat == after.recorder.chat  # read again from the store
        if not same and not before.ended and _is_busy(before):
            self._busy[before.recorder.chat] = before
        self._busy.pop(after.recorder.chat, None)
        for watcher in tuple(self._watchers):
            watcher.leave()
            watcher.leave = after.subscribe(watcher.subscriber)
            try:
                watcher.subscriber(after.state, (), after.state)
            except Exception:  # as where a journal tells: one that fails must not keep the others from knowing
                _log.exception("A watcher of the chat %r failed.", after.recorder.chat)
        if same and not before.ended:
            before.end("This chat was read again; go on with it there.")
        elif before.recorder.chat not in self._busy:
            before.close()  # another program may go on with it

    def drop(self, chat_id: str) -> None:
        """Take no act in a chat that is about to be deleted."""
        found = self._busy.pop(chat_id, None)
        if found is not None and not found.ended:
            found.end("This chat was deleted.")

    def close(self, current: Conversation) -> None:
        """Close the open chat and those in which something still runs."""
        for conversation in (*self._busy.values(), current):
            conversation.close()
        self._busy.clear()


def _is_busy(conversation: Conversation) -> bool:
    state = conversation.state
    if any(call.state == "pending" for call in state.invocations.values()):
        return True
    return state.last is not None and not plan.at_rest(state, state.last)
