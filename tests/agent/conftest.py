"""The demo agent over real HTTP, a store in a temporary file, and chats that follow a script."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.demo.agent import DemoAgent, serve
from bitte_nb.demo.faults import FaultServer
from bitte_nb.spec.load import Document
from bitte_nb.testing import ScriptedModel
from tests.agent.virtual import VirtualClock

WALLET = bn.Wallet(account_id="alice.near", evm_address="0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", chain_id=8453)


class Counts:
    """What the demo agent saw, asked over HTTP."""

    def __init__(self, demo: DemoAgent) -> None:
        self._url = f"{demo.url}/api/stats"

    def read(self) -> dict[str, Any]:
        return dict(httpx.get(self._url, trust_env=False, timeout=60).json())

    @property
    def requests(self) -> int:
        return sum(n for name, n in self.read()["requests"].items() if name != "count-effects")

    @property
    def effects(self) -> int:
        return sum(self.read()["effects"].values())


@pytest.fixture
def demo() -> Iterator[DemoAgent]:
    with serve(seed=7) as agent:
        yield agent


@pytest.fixture
def llm() -> Iterator[FaultServer]:
    """An endpoint that says what it is told to; what speaks to it is imported here, where no limit counts the time."""
    importlib.import_module("pydantic_ai.models.openai")
    with FaultServer() as server:
        yield server


@pytest.fixture
def counts(demo: DemoAgent) -> Counts:
    return Counts(demo)


@pytest.fixture
def document(demo: DemoAgent) -> Document:
    return bn.load_document(demo.document_url)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite"


ChatMaker = Callable[..., Chat]


@pytest.fixture
def make_chat(document: Document, history: Path) -> Iterator[ChatMaker]:
    """Makes a chat; `steps` are the script of its model, without them it is the offline model. `clock` moves both."""
    made: list[Chat] = []

    def make(steps: list[list[Any]] | None = None, **options: Any) -> Chat:
        clock: VirtualClock | None = options.pop("clock", None)
        model: ScriptedModel | str = "offline"
        if steps is not None:
            model = ScriptedModel(steps, sleep=clock.sleep if clock else asyncio.sleep)
        agent = bn.Agent(options.pop("document", document), **{"wallet": WALLET, "model": model, **options})
        made.append(Chat(agent, store=history, clock=clock))
        return made[-1]

    yield make
    for chat in made:
        chat.close()
