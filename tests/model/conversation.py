"""Plays the loop's part for a model: runs turns, answers calls from a function, and keeps what was said."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bitte_nb.core.messages import (
    AssistantMessage,
    CoreMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from bitte_nb.core.tool import Tool
from bitte_nb.core.wallet import Wallet
from bitte_nb.model.offline import OfflineModel
from bitte_nb.model.port import (
    CallArgsDelta,
    CallStarted,
    Choice,
    Connected,
    Finished,
    Model,
    ModelRequest,
    Offer,
    TextDelta,
)

ME = Wallet(account_id="alice.near", evm_address="0x" + "11" * 20, chain_id=8453)


@dataclass
class Said:
    """What came of one turn."""

    text: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    steps: int = 0
    choices: tuple[Choice, ...] = ()


@dataclass
class Conversation:
    """A chat with `tools`, whose calls `result(name, args)` answers with {data} or {error}."""

    tools: list[Tool]
    result: Callable[[str, dict[str, Any]], dict[str, Any]] = lambda name, args: {"data": {"ok": True}}
    wallet: Wallet = ME
    instructions: str = ""
    cap: int = 7
    model: Model = field(default_factory=lambda: OfflineModel(delay=0))
    messages: list[CoreMessage] = field(default_factory=list[CoreMessage])

    async def ask(self, text: str) -> Said:
        """Run one turn to its end."""
        said = Said()
        self.messages.append(UserMessage(content=text))
        while said.steps < self.cap:
            said.steps += 1
            asked = await self._step(said, tools=self.tools if said.steps < self.cap else [])
            if not asked:
                return said
            results: list[ToolResultPart] = []
            for call in asked:
                said.calls.append((call.toolName, call.args))
                answer = self.result(call.toolName, call.args)
                results.append(ToolResultPart(toolCallId=call.toolCallId, toolName=call.toolName, result=answer))
            self.messages.append(ToolMessage(content=results))
        raise AssertionError("The last step asked for tools although none was offered.")

    async def _step(self, said: Said, *, tools: list[Tool]) -> list[ToolCallPart]:
        request = ModelRequest(
            system="", messages=self.messages, tools=tools, wallet=self.wallet, instructions=self.instructions
        )
        events = [event async for event in self.model.stream(request)]
        assert isinstance(events[0], Connected)
        assert isinstance(events[-1], Finished)
        assert sum(isinstance(event, Finished) for event in events) == 1
        words = "".join(event.text for event in events if isinstance(event, TextDelta))
        names = {event.index: event for event in events if isinstance(event, CallStarted)}
        args = dict.fromkeys(names, "")
        for event in events:
            if isinstance(event, CallArgsDelta):
                args[event.index] += event.text
            elif isinstance(event, Offer):
                said.choices = event.choices
        calls = [
            ToolCallPart(toolCallId=one.call_id, toolName=one.name, args=json.loads(args[index]))
            for index, one in names.items()
        ]
        assert events[-1].reason == ("tool_calls" if calls else "stop")
        assert words or calls
        said.text += words
        self.messages.append(AssistantMessage(content=[*([TextPart(text=words)] if words else []), *calls]))
        return calls
