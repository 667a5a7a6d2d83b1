"""What a tool call returns: exactly one of `{data}` or `{error}`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter

__all__ = ["ToolData", "ToolError", "ToolResult", "tool_result"]


class ToolData(BaseModel):
    """The tool ran and returned `data`; falsy data is data."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    data: Any


class ToolError(BaseModel):
    """The tool failed; `error` is a sentence that the model reads and the person sees as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    error: Annotated[str, StringConstraints(min_length=1)]


ToolResult = ToolData | ToolError

tool_result: TypeAdapter[ToolResult] = TypeAdapter(ToolResult)
"""Validates `{"data": ...}` or `{"error": "..."}`; `{}`, both keys and `{"error": null}` are rejected."""
