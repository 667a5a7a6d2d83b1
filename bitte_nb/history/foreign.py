"""A history that another program wrote, read as CoreMessages: arrays, Bitte's stored chats, AI SDK interface messages.

What has no place in a CoreMessage is left out with a note, never in silence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from bitte_nb.core.messages import (
    AssistantMessage,
    CoreMessage,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from bitte_nb.errors import HistoryError

__all__ = ["Reading", "read_messages"]

Json = dict[str, Any]
_NO_HISTORY = "This is not a history: it should be a JSON array of messages, or an object with one as `messages`."
_TITLE = 60


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read."""

    messages: list[CoreMessage]
    title: str = ""
    notes: list[str] = field(default_factory=list[str])
    """A sentence for each thing that was left out."""


def read_messages(data: str | bytes | list[Any] | Json) -> Reading:
    """Read a history, given as JSON text or as parsed JSON.

    Raises:
        HistoryError: it is not JSON or has no messages.
    """
    if isinstance(data, str | bytes):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise HistoryError(f"{_NO_HISTORY} It is not valid JSON ({error}).") from None
    about: Json = data if isinstance(data, dict) else {}
    messages: Any = about.get("messages") if about else data
    if not isinstance(messages, list):
        raise HistoryError(_NO_HISTORY)
    reader = _Reader(_text(about.get("agentId")))
    for number, one in enumerate(cast("list[Any]", messages), 1):
        reader.message(number, one)
    title = _text(about.get("title")) or _text(about.get("message"))
    return Reading(reader.messages, " ".join(title.split())[:_TITLE], reader.notes)


class _Reader:
    def __init__(self, agent: str) -> None:
        self._agent = agent
        self.messages: list[CoreMessage] = []
        self.notes: list[str] = []

    def message(self, number: int, one: Any) -> None:
        if not isinstance(one, dict):
            self._left_out(number, "it is not an object")
            return
        message = cast("Json", one)
        agent = _agent(message) or self._agent or None
        content = message.get("content")
        match message.get("role"):
            case "user":
                self.messages.append(UserMessage(content=self._words(number, content), agentId=agent))
            case "system":
                self.messages.append(SystemMessage(content=self._words(number, content), agentId=agent))
                self.notes.append(f"Message {number} (system) is not history; the document's instructions replace it.")
            case "assistant":
                self._assistant(number, message, agent)
            case "tool":
                results = [_result(part) for part in _parts(content) if part.get("type") == "tool-result"]
                self.messages.append(ToolMessage(content=results, agentId=agent))
            case other:
                self._left_out(number, f"its role is {other!r}")

    def _assistant(self, number: int, message: Json, agent: str | None) -> None:
        """One message per step; results that stand inside follow in a message of their own."""
        parts: list[TextPart | ToolCallPart] = []
        results: list[ToolResultPart] = []

        def flush() -> None:
            if parts:
                self.messages.append(AssistantMessage(content=[*parts], agentId=agent))
            if results:
                self.messages.append(ToolMessage(content=[*results], agentId=agent))
            parts.clear()
            results.clear()

        for part in _assistant_parts(message):
            kind = str(part.get("type"))
            if kind == "text":
                parts.append(TextPart(text=_text(part.get("text"))))
            elif kind == "tool-call":
                parts.append(_call(part, part.get("args", part.get("input"))))
            elif kind == "step-start":
                flush()
            elif kind == "tool-result":
                results.append(_result(part))
            elif kind == "tool-invocation":
                inside = part.get("toolInvocation")
                call = cast("Json", inside) if isinstance(inside, dict) else {}
                parts.append(_call(call, call.get("args")))
                if call.get("state") == "result" or "result" in call:
                    results.append(_result(call))
            elif kind == "dynamic-tool" or kind.startswith("tool-"):
                call = {"toolName": kind.removeprefix("tool-"), **part}
                parts.append(_call(call, part.get("input")))
                if part.get("errorText"):
                    results.append(_result({**call, "result": {"error": part["errorText"]}}))
                elif "output" in part:
                    results.append(_result(call))
            else:
                self.notes.append(f"A part of message {number} was left out: {kind!r} has no place in a chat.")
        flush()

    def _words(self, number: int, content: Any) -> str:
        if isinstance(content, str):
            return content
        others = [str(part.get("type")) for part in _parts(content) if part.get("type") != "text"]
        self.notes += [f"A part of message {number} was left out: {kind!r} has no place in a chat." for kind in others]
        return "".join(_text(part.get("text")) for part in _parts(content) if part.get("type") == "text")

    def _left_out(self, number: int, why: str) -> None:
        self.notes.append(f"Message {number} was left out: {why}.")


def _assistant_parts(message: Json) -> Iterator[Json]:
    """The parts in order, from whichever field has them."""
    content = message.get("content")
    if isinstance(content, list):
        yield from _parts(cast("list[Any]", content))
        return
    parts = list(_parts(message.get("parts")))
    if parts:
        yield from parts
        return
    if isinstance(content, str) and content:
        yield {"type": "text", "text": content}
    for call in _parts(message.get("toolInvocations")):
        yield {"type": "tool-invocation", "toolInvocation": call}


def _parts(content: Any) -> Iterator[Json]:
    for part in cast("list[Any]", content) if isinstance(content, list) else ():
        if isinstance(part, dict):
            yield cast("Json", part)


def _call(part: Json, args: Any) -> ToolCallPart:
    return ToolCallPart(toolCallId=_text(part.get("toolCallId")), toolName=_text(part.get("toolName")), args=args)


def _result(part: Json) -> ToolResultPart:
    result = part["result"] if "result" in part else part.get("output")
    return ToolResultPart(toolCallId=_text(part.get("toolCallId")), toolName=_text(part.get("toolName")), result=result)


def _agent(message: Json) -> str:
    """Who said it: `agentId`, or what the first annotation says."""
    first: Json = next(_parts(message.get("annotations")), cast("Json", {}))
    return _text(message.get("agentId")) or _text(first.get("agentId"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
