"""CoreMessage: the history as the model reads it and as it is imported and exported.

The shapes are those of the Vercel AI SDK 4 `CoreMessage`, with the optional `id` and `agentId` that
Bitte histories add. Field names are the wire names.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

__all__ = [
    "AssistantMessage",
    "CoreMessage",
    "SystemMessage",
    "TextPart",
    "ToolCallPart",
    "ToolMessage",
    "ToolResultPart",
    "UserMessage",
    "core_messages",
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class TextPart(_Part):
    """Words."""

    type: Literal["text"] = "text"
    text: str


class ToolCallPart(_Part):
    """The model asked for a tool."""

    type: Literal["tool-call"] = "tool-call"
    toolCallId: str  # noqa: N815 - wire name
    toolName: str  # noqa: N815 - wire name
    args: Any


class ToolResultPart(_Part):
    """What came of a call; `result` is `{data}` or `{error}`."""

    type: Literal["tool-result"] = "tool-result"
    toolCallId: str  # noqa: N815 - wire name
    toolName: str  # noqa: N815 - wire name
    result: Any


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")
    id: str | None = None
    agentId: str | None = None  # noqa: N815 - wire name


class SystemMessage(_Message):
    """Instructions."""

    role: Literal["system"] = "system"
    content: str


class UserMessage(_Message):
    """What the person said."""

    role: Literal["user"] = "user"
    content: str | list[TextPart]

    @property
    def text(self) -> str:
        """The words, parts joined."""
        return self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)


AssistantPart = Annotated[TextPart | ToolCallPart, Field(discriminator="type")]


class AssistantMessage(_Message):
    """What the model said and asked for, in order."""

    role: Literal["assistant"] = "assistant"
    content: str | list[AssistantPart]

    @property
    def parts(self) -> list[TextPart | ToolCallPart]:
        """The content as parts; a plain string is one text part."""
        if isinstance(self.content, str):
            return [TextPart(text=self.content)] if self.content else []
        return list(self.content)


class ToolMessage(_Message):
    """Results of the calls of the message before it."""

    role: Literal["tool"] = "tool"
    content: list[ToolResultPart]


CoreMessage = Annotated[SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]

core_messages: TypeAdapter[list[CoreMessage]] = TypeAdapter(list[CoreMessage])
"""Validates and dumps a CoreMessage array (dump with `exclude_none=True`)."""
