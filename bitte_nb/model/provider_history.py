"""CoreMessage history as pydantic-ai's messages, and back only as an opaque record of a response."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.messages import ModelRequest as LibraryRequest

from bitte_nb.core.fit import fit
from bitte_nb.core.messages import AssistantMessage, SystemMessage, ToolMessage, UserMessage
from bitte_nb.core.messages import TextPart as CoreText
from bitte_nb.model.aliases import Aliases
from bitte_nb.model.port import ModelRequest

__all__ = ["library_messages", "record_of"]

_VALID_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""What every provider takes as the id of a call; longer or stranger ones are replaced."""


def library_messages(request: ModelRequest, aliases: Aliases, *, provider: str) -> list[ModelMessage]:
    """Translate a history; a response whose record came from the same provider goes back as it was.

    Each result is shortened to a budget of tokens (`core/fit.py`); the log and the card keep it whole.
    """
    records = _records(request.raw, provider)
    messages: list[ModelMessage] = []
    arguments = {tool.name: tool.input_schema.get("properties", {}) for tool in request.tools}
    pending: list[Any] = [SystemPromptPart(content=request.system)] if request.system else []
    used: set[str] = set()
    ids: dict[str, str] = {}
    for message in request.messages:
        match message:
            case SystemMessage():
                pending.append(SystemPromptPart(content=message.content))
            case UserMessage():
                pending.append(UserPromptPart(content=message.text))
            case AssistantMessage():
                if pending:
                    messages.append(LibraryRequest(parts=pending))
                    pending = []
                ids = {}
                parts: list[ModelResponsePart] = []
                for part in message.parts:
                    if isinstance(part, CoreText):
                        parts.append(TextPart(content=part.text))
                    else:
                        ids[part.toolCallId] = _call_id(part.toolCallId, used)
                        given: Any = part.args
                        args: dict[str, Any] = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
                        parts.append(
                            ToolCallPart(
                                tool_name=aliases.sent(part.toolName),
                                args=json.dumps(args, ensure_ascii=False),
                                tool_call_id=ids[part.toolCallId],
                            )
                        )
                if parts:
                    messages.append(_as_recorded(parts, records) or ModelResponse(parts=parts))
            case ToolMessage():
                for result in message.content:
                    within = fit(result.result, arguments=arguments.get(result.toolName, ()))
                    content = json.dumps(within, ensure_ascii=False, separators=(",", ":"), default=str)
                    call_id = ids.get(result.toolCallId, result.toolCallId)
                    pending.append(
                        ToolReturnPart(tool_name=aliases.sent(result.toolName), content=content, tool_call_id=call_id)
                    )
    if pending:
        messages.append(LibraryRequest(parts=pending))
    return messages


def record_of(answer: ModelResponse, provider: str) -> Any:
    """An opaque record of a response that says more than its text and calls, or None where it does not."""
    plain = all(
        isinstance(part, TextPart | ToolCallPart) and not part.provider_details and not part.id for part in answer.parts
    )
    if plain:
        return None
    return {"provider": provider, "messages": ModelMessagesTypeAdapter.dump_python([answer], mode="json")}


def _records(raw: Sequence[Any], provider: str) -> list[ModelResponse]:
    found: list[ModelResponse] = []
    for record in raw:
        if not isinstance(record, dict) or cast("dict[str, Any]", record).get("provider") != provider:
            continue
        try:
            messages = ModelMessagesTypeAdapter.validate_python(cast("dict[str, Any]", record).get("messages"))
        except ValueError:
            continue
        found += [message for message in messages if isinstance(message, ModelResponse)]
    return found


def _as_recorded(parts: Sequence[ModelResponsePart], records: list[ModelResponse]) -> ModelResponse | None:
    """The record that says the same words and asks for the same calls, with the ids that this history uses."""
    said = _content(parts)
    for number, record in enumerate(records):
        if _content(record.parts) != said:
            continue
        del records[number]
        ids = iter([part.tool_call_id for part in parts if isinstance(part, ToolCallPart)])
        for part in record.parts:
            if isinstance(part, ToolCallPart):
                part.tool_call_id = next(ids)
        return record
    return None


def _content(parts: Sequence[ModelResponsePart]) -> tuple[str, list[tuple[str, Any]]]:
    text = "".join(part.content for part in parts if isinstance(part, TextPart))
    calls = [(part.tool_name, part.args_as_dict()) for part in parts if isinstance(part, ToolCallPart)]
    return text, calls


def _call_id(wanted: str, used: set[str]) -> str:
    call_id = wanted if _VALID_ID.fullmatch(wanted) and wanted not in used else f"call_{len(used)}"
    while call_id in used:
        call_id += "_"
    used.add(call_id)
    return call_id
