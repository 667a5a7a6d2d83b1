"""A tool as the model is offered it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["Tool", "ToolKind"]

ToolKind = Literal["operation", "primitive", "local", "handoff"]
"""`handoff`: gives the conversation to another agent of the chat, and does nothing else."""


class Tool(BaseModel):
    """One entry of the list of tools in a model request; the model sees name, `prompt` and input_schema."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """The operationId, the primitive's name or the local function's name, verbatim."""
    description: str = ""
    input_schema: dict[str, Any]
    """JSON Schema (2020-12) of an object; its `$ref`s point into its own `$defs` only."""
    kind: ToolKind = "operation"
    agent: str = ""
    """Id of the agent whose document declares it."""
    method: str = ""
    """HTTP method in upper case, for an operation."""
    path: str = ""
    """URL template, for an operation."""
    result_hint: str = ""
    """The shape of a successful result in a few words, or empty."""

    @property
    def prompt(self) -> str:
        """What a model reads as the description: with the shape of the result, where that is known."""
        return f"{self.description}\n\nReturns {self.result_hint}".strip() if self.result_hint else self.description
