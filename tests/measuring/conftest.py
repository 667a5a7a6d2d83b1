"""The demo agent over real HTTP, what it saw, and models that answer by what is said to them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bitte_nb.model.port import (
    CallArgsDelta,
    CallStarted,
    Connected,
    Finished,
    ModelEvent,
    ModelRequest,
    TextDelta,
    Usage,
)
from tests.agent.conftest import counts, demo, document

__all__ = ["Answer", "Answering", "counts", "demo", "document", "history", "said"]

Answer = Sequence[tuple[str, dict[str, Any]]] | str
"""The calls that a model makes, or its words."""


class Answering:
    """A model that does to each request what a function of it says; it counts 100 tokens in and 5 out."""

    name = "answering model"

    def __init__(self, answer: Callable[[ModelRequest], Answer]) -> None:
        self.answer = answer

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        yield Connected()
        answer = self.answer(request)
        if isinstance(answer, str):
            yield TextDelta(answer)
            yield Finished("stop", Usage(100, 5))
            return
        for index, (name, args) in enumerate(answer):
            yield CallStarted(index, f"call-{len(request.messages)}-{index}", name)
            yield CallArgsDelta(index, json.dumps(args))
        yield Finished("tool_calls", Usage(100, 5))


def said(request: ModelRequest) -> str:
    """What the person said."""
    return str(request.messages[0].content)


@pytest.fixture(autouse=True)
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the person's chats would be; no measurement makes it."""
    place = tmp_path / "history.sqlite"
    monkeypatch.setenv("BITTE_NB_HISTORY", str(place))
    return place
