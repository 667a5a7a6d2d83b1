"""What a page may do with the other chats of the history: list, search, export, open, begin, take over, rename, delete.

The store may be slow or far away, so it is asked in a worker thread; opening a chat runs nothing.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any

from bitte_nb.agent.chat import Chat
from bitte_nb.core.log import Renamed
from bitte_nb.errors import DecisionRefused, HistoryError
from bitte_nb.history.export import Format, attached_files, export
from bitte_nb.history.store import ChatInfo, Store
from bitte_nb.widget import protocol as page

__all__ = ["answer"]

_FOUND = 50
"""Chats that a search shows; more words find fewer."""
_LARGEST = 20_000_000
"""Characters of an export that go through a page."""
_ENDINGS: dict[Format, tuple[str, str]] = {
    "json": (".json", "application/json"),
    "jsonl": (".jsonl", "application/jsonl"),
    "core": (".core.json", "application/json"),
    "markdown": (".md", "text/markdown"),
    "html": (".html", "text/html"),
}


async def answer(chat: Chat, request: page.ListChats | page.ExportChat | page.ShelfAct) -> dict[str, Any] | None:
    """Carry a request out and return the data of its acknowledgement; called on the agent thread.

    Raises:
        BitteError: it cannot be done; the sentence is for the person.
    """
    store = chat.conversation.recorder.store
    match request:
        case page.ListChats():
            found = _searched if request.query.strip() else _listed
            return (await asyncio.to_thread(found, store, request)).model_dump()
        case page.ExportChat():
            if request.chat == chat.id:
                chat.conversation.save()
            return (await asyncio.to_thread(_exported, store, request)).model_dump()
        case page.OpenChat():
            await asyncio.to_thread(chat.open, request.chat)
        case page.NewChat():
            chat.new()
        case page.RenameChat():
            await _rename(chat, store, request)
        case page.TakeOver():
            await _take_over(chat, request)
        case page.DeleteChat():
            await asyncio.to_thread(chat.delete, request.chat)
    return None


async def _take_over(chat: Chat, request: page.TakeOver) -> None:
    if request.chat != chat.id:
        raise DecisionRefused("Another chat is shown here by now. Look at it again.")
    if chat.elsewhere:  # else another view did it already, and reading it again would end what runs since
        await asyncio.to_thread(chat.take_over)


def _listed(store: Store, request: page.ListChats) -> page.ChatList:
    infos = store.chats(limit=request.limit + 1, offset=request.offset)
    return page.ChatList(chats=[_row(info) for info in infos[: request.limit]], more=len(infos) > request.limit)


def _row(info: ChatInfo, snippet: str = "") -> page.ListedChat:
    return page.ListedChat(
        chat=info.chat,
        title=info.title,
        agent=info.agent,
        updated=info.updated,
        turns=info.turns,
        pending=info.pending,
        snippet=snippet,
    )


def _searched(store: Store, request: page.ListChats) -> page.ChatList:
    found = store.search(request.query, limit=_FOUND)
    infos = store.infos([one.chat for one in found])
    # A chat that was deleted between the two is left out.
    return page.ChatList(chats=[_row(infos[one.chat], one.snippet) for one in found if one.chat in infos], more=False)


def _exported(store: Store, request: page.ExportChat) -> page.ExportedFile:
    loaded = store.load(request.chat)
    text = export(loaded, request.form, attached_files(loaded, store))
    if len(text) > _LARGEST:
        raise HistoryError(
            f"The chat is too large to go through the page ({len(text):,} characters). Write it to a file with "
            "chat.export(path), or with `bitte-nb chats export`."
        )
    ending, media = _ENDINGS[request.form]
    name = re.sub(r"[^\w.-]+", "-", loaded.info.title).strip("-.")[:60] or request.chat
    return page.ExportedFile(name=f"{name}{ending}", media=media, text=text)


async def _rename(chat: Chat, store: Store, request: page.RenameChat) -> None:
    title = " ".join(request.title.split())
    if not title:
        raise ValueError("A title needs at least one letter.")
    open_one = chat.shelf.known(chat.conversation, request.chat)
    if open_one is not None:
        open_one.append(Renamed(at=open_one.clock.now(), title=title))  # its pages show it at once
    else:
        await asyncio.to_thread(store.rename, request.chat, title)
