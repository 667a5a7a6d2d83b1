"""Handing a conversation over: a tool of every agent that is not alone, and the `@name` by which a person does it.

Handing over changes who speaks next, and nothing else: nothing is sent, and no approval goes with it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from bitte_nb.agent.bindings.binding import Outcome, Ready
from bitte_nb.core.agent_id import format_agent_id, handle_of
from bitte_nb.core.digest import digest
from bitte_nb.core.invocation import Executor, Invocation
from bitte_nb.core.invocation_events import Prepared
from bitte_nb.core.tool import Tool
from bitte_nb.errors import DecisionRefused, RequestRefused
from bitte_nb.spec.check import Checker

__all__ = ["HandOffBinding", "addressed"]

_NAME = "hand-off"
_LONGEST = 500
"""Characters of a reason."""


class HandOffBinding:
    """Gives the conversation to another agent of the chat; the reason is shown to the person."""

    executor: Executor = "local"
    origin = ""
    safe = True
    idempotent = True
    responds = False

    def __init__(self, *, agent: str, others: Mapping[str, str], taken: Collection[str]) -> None:
        self._others = others
        name = _NAME
        while name in taken:  # an operation of the document keeps its name
            name += "-to-agent"
        listed = ", ".join(f"{one} ({others[one]})" for one in others)
        self.tool = Tool(
            name=name,
            description="Hand the conversation over to another agent, which goes on with what the user asked: "
            f"{listed}. Use it only where that agent can do what is asked and you cannot.",
            input_schema={
                "type": "object",
                "properties": {
                    "agent": {"type": "string", "enum": list(others), "description": "Who goes on."},
                    "reason": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": _LONGEST,
                        "description": "One sentence that the user reads: why, and what is to be done.",
                    },
                },
                "required": ["agent", "reason"],
                "additionalProperties": False,
            },
            kind="handoff",
            agent=agent,
        )

    def prepare(self, args: dict[str, Any]) -> Ready:
        """Check the arguments.

        Raises:
            RequestRefused: there is no such agent, or no reason is given.
        """
        value, faults = Checker({}).check(args, self.tool.input_schema, "arguments")
        if faults:
            raise RequestRefused(f"{self.tool.name}: {' '.join(faults)}")
        covered = ["bitte_nb/handoff/1", self.tool.agent, value]
        return Ready(args=value, prepared=Prepared(digest=digest(covered)), run=lambda _key: self._run(value))

    async def _run(self, args: dict[str, Any]) -> Outcome:
        to = args["agent"]
        return Outcome(kind="result", data={"agent": to, "name": self._others[to], "reason": args["reason"]})

    async def answer(self, call: Invocation, text: str, others: Sequence[Invocation]) -> Any:
        """Nobody answers it."""
        raise DecisionRefused(f"{self.tool.name} takes no answer from a person.")


def addressed(text: str, agents: Iterable[tuple[str, str]]) -> str:
    """The id of the agent that a message begins with as `@name` or `@id`; empty where it addresses none.

    Args:
        text: The message.
        agents: Id and name of each agent of the chat.
    """
    begun = re.match(r"\s*@([\w.:-]+)", text)
    if begun is None:
        return ""
    said = begun[1].casefold()
    for handle in (said, said.rstrip(".:-")):
        for agent, name in agents:
            if handle and handle in {agent.casefold(), format_agent_id(agent).casefold(), handle_of(name)}:
                return agent
    return ""
