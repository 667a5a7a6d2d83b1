"""Where a chat is kept, and the agents that a kept chat was held with."""

from __future__ import annotations

import secrets
from pathlib import Path

from bitte_nb.agent.agent import Agent
from bitte_nb.agent.clock import Clock
from bitte_nb.agent.recorder import Recorder
from bitte_nb.core.fold import ChatState, fold
from bitte_nb.core.log import ChatOpened, Entry, Renamed
from bitte_nb.core.rehydrate import recovery
from bitte_nb.errors import BitteError, ChatNotFound, HistoryError
from bitte_nb.history.gaps import bridged, doubts
from bitte_nb.history.holder import held
from bitte_nb.history.store import Loaded, Store, open_store

__all__ = [
    "Beginning",
    "agents_for",
    "fresh",
    "holding",
    "new_chat_id",
    "on_loading",
    "opened",
    "read",
    "stored_agents",
]


_PATIENCE = 1.0
"""Seconds to wait for another program that writes; all chats of a process stand still meanwhile."""


def opened(store: Store | str | Path | None) -> Store:
    """The store itself, or the one at that place; None is the person's own history."""
    return open_store(store, timeout=_PATIENCE) if store is None or isinstance(store, str | Path) else store


Beginning = tuple[ChatState, dict[str, Agent], Recorder, Clock, list[Entry]]
"""What a conversation begins with."""


def fresh(agents: dict[str, Agent], store: Store, clock: Clock, *, title: str = "") -> Beginning:
    """A new chat with these agents; the store learns of it with its first message."""
    chat_id = new_chat_id()

    def begin() -> None:
        for agent in agents.values():
            store.put_document(agent.document.digest, agent.document.text, agent.document.url)
        store.create(chat_id, title, clock.now())
        store.hold(chat_id)

    records = tuple(agent.record() for agent in agents.values())
    first = ChatOpened(at=clock.now(), chat=chat_id, title=title, agents=records)
    return ChatState(), dict(agents), Recorder(store, chat_id, head=0, begin=begin), clock, [first]


def holding(store: Store, chat_id: str, *, take: bool = False) -> str:
    """Let this program write the chat; a sentence where another living one does, which `take` ends.

    Raises:
        ChatNotFound: there is none of that id.
    """
    try:
        holder = store.hold(chat_id, take=take)
    except ChatNotFound:
        raise
    except HistoryError:
        if take:
            raise
        return ""  # to look needs no right to write; an act that cannot be written says why
    return str(held(chat_id, holder)) if holder else ""


def read(store: Store, chat_id: str) -> tuple[ChatState, Loaded]:
    """A stored chat as it was left.

    Raises:
        ChatNotFound: there is none of that id, or nothing of it can be read.
    """
    loaded = store.load(chat_id)
    state = fold(bridged(loaded))
    if not state.chat:
        raise ChatNotFound(f"The chat {chat_id!r} in {store.where} has no readable beginning.")
    return state, loaded


def agents_for(state: ChatState, store: Store, present: dict[str, Agent]) -> tuple[dict[str, Agent], str]:
    """The agents to go on with, and a sentence where the chat can only be read.

    Args:
        state: The chat.
        store: Where its documents are.
        present: Agents that are here; one of the same document goes on where the stored one cannot be rebuilt.
    """
    try:
        return stored_agents(state, store), ""
    except BitteError as error:
        here = {record.agent: present.get(record.agent) for record in state.agents}
        agents = {
            name: agent
            for name, agent in here.items()
            if agent is not None and agent.document.digest in {record.document for record in state.agents}
        }
        if agents and len(agents) == len(here):
            return agents, ""
        return dict(present), f"This chat can be read here, but not go on: {error}"


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
