"""What a primitive is: a tool with a fixed meaning, the same in every document that declares it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bitte_nb.core.invocation import Executor
from bitte_nb.core.tool import Tool

__all__ = ["Primitive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Primitive:
    """A tool with a fixed meaning."""

    name: str
    description: str
    input_schema: dict[str, Any]
    executor: Executor = "wallet"
    result_hint: str = ""
    declined: str = "Denied"
    """The first words that the model reads after the person declined."""
    needs: str = ""
    """The service that carries it out, such as `an image generator`; empty where it is carried out here."""

    def tool(self, agent: str) -> Tool:
        """What a model of that agent is offered."""
        return Tool(
            name=self.name,
            description=self.description,
            input_schema=self.input_schema,
            kind="primitive",
            agent=agent,
            result_hint=self.result_hint,
        )
