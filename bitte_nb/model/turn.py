"""The conversation as the offline model reads it: what the person said and what was called since, turn by turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from bitte_nb.core.messages import AssistantMessage, CoreMessage, TextPart, ToolMessage, UserMessage
from bitte_nb.model.said import Outcome

__all__ = ["Turn", "turns"]


@dataclass(slots=True)
class Turn:
    """A person's message and what came of it."""

    text: str
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    answer: str = ""
    """The words of the assistant so far."""


def turns(messages: Sequence[CoreMessage]) -> list[Turn]:
    """The turns of a history, oldest first; messages before the person's first word are left out."""
    found: list[Turn] = []
    calls: dict[str, tuple[str, Any]] = {}
    for message in messages:
        if isinstance(message, UserMessage):
            found.append(Turn(message.text))
        elif not found:
            continue
        elif isinstance(message, AssistantMessage):
            for part in message.parts:
                if isinstance(part, TextPart):
                    found[-1].answer += part.text
                else:
                    calls[part.toolCallId] = (part.toolName, part.args)
        elif isinstance(message, ToolMessage):
            for result in message.content:
                name, args = calls.get(result.toolCallId, (result.toolName, {}))
                found[-1].outcomes.append(_outcome(name, args, result.result))
    for turn in found[:-1]:
        turn.outcomes = [replace(outcome, current=False) for outcome in turn.outcomes]
    return found


def _outcome(name: str, args: Any, result: Any) -> Outcome:
    known: Mapping[str, Any] = cast("dict[str, Any]", args) if isinstance(args, dict) else {}
    if isinstance(result, dict):
        shape = cast("dict[str, Any]", result)
        if "data" in shape:
            return Outcome(name, known, data=shape["data"])
        if "error" in shape:
            return Outcome(name, known, error=str(shape["error"]))
    return Outcome(name, known, data=result)
