"""Where a chat is kept, and the agents that a kept chat was held with."""

from __future__ import annotations

import secrets
from pathlib import Path

from bitte_nb.agent.agent import Agent
from bitte_nb.core.fold import ChatState, fold
from bitte_nb.core.log import Entry, Renamed
from bitte_nb.core.rehydrate import recovery
from bitte_nb.errors import HistoryError
from bitte_nb.history.gaps import doubts
from bitte_nb.history.store import Loaded, Store, open_store

__all__ = ["new_chat_id", "on_loading", "opened", "stored_agents"]


_PATIENCE = 1.0
"""Seconds to wait for another program that writes; all chats of a process stand still meanwhile."""


def opened(store: Store | str | Path | None) -> Store:
    """The store itself, or the one at that place; None is the person's own history."""
    return open_store(store, timeout=_PATIENCE) if store is None or isinstance(store, str | Path) else store


def new_chat_id() -> str:
    """A random id of 12 hex digits."""
    return secrets.token_hex(6)


def on_loading(state: ChatState, loaded: Loaded, *, at: int) -> list[Entry]:
    """What loading appends: a title given in a list, doubts about lost records, and the end of the last program."""
    entries: list[Entry] = []
    if loaded.info.title and loaded.info.title != state.title:
        entries.append(Renamed(at=at, title=loaded.info.title))
    entries += doubts(state, loaded.gaps, at=at)
    return [*entries, *recovery(fold(entries, state), at=at)]


def stored_agents(state: ChatState, store: Store) -> dict[str, Agent]:
    """The agents of a chat, built again from the documents that the store kept; no network is used.

    Raises:
        HistoryError: a document is not there, or a model or signer was an object, which history does not keep.
    """
    agents: dict[str, Agent] = {}
    for record in state.agents:
        stored = store.document(record.document)
        if stored is None:
            raise HistoryError(
                f"The document of {record.name} is not in {store.where}. Load the chat with its agent: "
                f"Chat.load({state.chat!r}, agent=Agent(...))."
            )
        agents[record.agent] = Agent.from_record(record, stored.text)
    return agents
