"""A chat kept in memory whose log a test writes, and a page that takes what its driver sends."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from jupyter_client.session import json_packer

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.clock import Clock, SystemClock
from bitte_nb.agent.recorder import Recorder
from bitte_nb.core.fold import ChatState
from bitte_nb.core.log import Entry
from bitte_nb.history.store import Store
from bitte_nb.model.port import Model
from bitte_nb.testing import ScriptedModel
from bitte_nb.widget import protocol
from bitte_nb.widget.driver import Driver
from tests.golden.page import Page

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Nowhere", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {
        "/notes": {"post": {"operationId": "add-note", "responses": {"200": {"description": "ok"}}}},
    },
    "x-mb": {"assistant": {"name": "Nowhere", "tools": [{"type": "sign-message"}]}},
}


class Memory:
    """As much of a store as a recorder needs; keeps the entries of one chat in a list."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.heads: list[int] = []
        """How many entries there were after each append: what a program that ends there leaves."""

    def append(self, chat_id: str, entries: Sequence[Entry], *, expected: int, durable: bool) -> int:
        assert expected == len(self.entries)
        self.entries += entries
        self.heads.append(len(self.entries))
        return len(self.entries)

    def release(self, chat_id: str) -> None:
        """Nobody else writes here."""


@dataclass
class Open:
    """A chat, its driver and all that the driver sent."""

    chat: Chat
    driver: Driver
    store: Memory
    sent: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    times: list[float] = field(default_factory=list[float])

    def append(self, *entries: Entry) -> None:
        self.chat.thread.call(lambda: self.chat.conversation.append(*entries))

    def page(self) -> Page:
        """A page that opens now."""
        page = Page()
        assert page.take(self.driver.snapshot()) == "applied"
        return page

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a page's message and return its acknowledgement."""
        before = len(self.sent)
        self.driver.receive({"mid": "m", **request})
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for message in self.sent[before:]:
                if message["type"] == "ack":
                    return message
            time.sleep(0.002)
        raise AssertionError("The request was never acknowledged.")

    def events(self) -> list[dict[str, Any]]:
        """All messages so far that a page folds, after the waiting ones went out."""
        self.chat.thread.call(self.driver._flush)  # not when its timer would, which may be after this
        return [message for message in self.sent if message["type"] != "ack"]


HOSTILE = [
    "\ud800",
    "é😀\udc00",
    "\ud83d",
    "\ude00",
    "\ud83d\ude00",
    "\udcff\x00\u202e\ufeff",
    "\U0010ffff\uffff",
]
"""Texts with halves of surrogate pairs, as JSON escapes give them, and others that are rare but whole."""


def on_the_line(message: object) -> str:
    """What Jupyter puts on the line, strictly: no half of a surrogate pair gets past it."""
    return json_packer(message).decode("utf-8", errors="strict")


def open_chat(steps: list[list[Any]] | None = None, *, model: Model | None = None, clock: Clock | None = None) -> Open:
    store = Memory()
    agent = bn.Agent(DOCUMENT, model=model or ScriptedModel(steps or []))
    chat = Chat.__new__(Chat)
    recorder = Recorder(cast("Store", store), "c1", head=0)
    chat._begin(ChatState(), {agent.id: agent}, recorder, clock or SystemClock(), [])

    def send(message: dict[str, Any]) -> None:
        protocol.to_page.validate_python(message)
        assert json.loads(on_the_line(message)) == message
        opened.sent.append(message)
        opened.times.append(time.monotonic())

    opened = Open(chat, Driver(chat, send), store)
    return opened
