"""What the JupyterLab extension asks its server: the chats of the history, one of them, and the page part to draw it.

Reading only, and importing the rest of the package only when it is asked: every start of a server loads this. The
history is the person's own (`BITTE_NB_HISTORY`), which every kernel writes, so that what waits for a decision in any of
them is known here without asking one.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUntypedBaseClass=false
# pyright: reportUntypedFunctionDecorator=false, reportMissingTypeStubs=false, reportUnknownArgumentType=false
# jupyter_server ships no complete types.
from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import Any

from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web

from bitte_nb.errors import BitteError, ChatNotFound

__all__ = ["MOST_CHATS"]

MOST_CHATS = 200
"""So many chats are listed, the newest first."""


class _Handler(APIHandler):
    async def answer(self, work: Any) -> None:
        """Answer with what the work gives, done off the server's own thread; an error of ours as its sentence."""
        try:
            result = await asyncio.to_thread(work)
        except ChatNotFound as error:
            raise web.HTTPError(404, reason="No such chat") from error
        except BitteError as error:
            self.set_status(503)
            result = {"message": str(error)}
        self.finish(json.dumps(result))


class _Chats(_Handler):
    @web.authenticated
    async def get(self) -> None:
        await self.answer(_chats)


class _Chat(_Handler):
    @web.authenticated
    async def get(self, chat_id: str) -> None:
        await self.answer(lambda: _chat(chat_id))


class _Files(_Handler):
    @web.authenticated
    async def get(self) -> None:
        from bitte_nb.widget import assets

        self.finish(json.dumps({"files": assets.files(self.get_query_arguments("name"))}))


def _chats() -> list[dict[str, Any]]:
    from bitte_nb.history.store import open_store

    store = open_store()
    try:
        listed = store.chats(limit=MOST_CHATS)
    finally:
        store.close()
    kept = ("chat", "title", "updated", "turns", "pending")
    return [{name: value for name, value in asdict(one).items() if name in kept} for one in listed]


def _chat(chat_id: str) -> dict[str, Any]:
    from bitte_nb.agent.stored import read
    from bitte_nb.history.store import open_store
    from bitte_nb.widget.saved import saved_chat

    store = open_store()
    try:
        state, _ = read(store, chat_id)
    finally:
        store.close()
    return saved_chat(state)


def _jupyter_server_extension_points() -> list[dict[str, str]]:  # pyright: ignore[reportUnusedFunction]
    """Jupyter looks for this name."""
    return [{"module": "bitte_nb.lab_server"}]


def _load_jupyter_server_extension(server: Any) -> None:  # pyright: ignore[reportUnusedFunction]
    """Jupyter calls this name."""
    app = server.web_app

    def under(*parts: str) -> str:
        return url_path_join(app.settings["base_url"], "bitte-nb", *parts)

    app.add_handlers(".*$", [(under("chats"), _Chats), (under("chats", "([^/]+)"), _Chat), (under("files"), _Files)])
