"""What the model sees of a chat: the document's words, the wallet context, the history and the tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bitte_nb.core.fold import ChatState
from bitte_nb.history.core_messages import to_core_messages
from bitte_nb.model.port import ModelRequest

if TYPE_CHECKING:
    from bitte_nb.agent.agent import Agent

__all__ = ["model_request", "system_text"]


def system_text(agent: Agent) -> str:
    """The system prompt: name, description and instructions verbatim, then the wallet context."""
    assistant = agent.document.assistant
    parts = [f"You are {assistant.name}.", assistant.description, assistant.instructions]
    context = agent.wallet.context()
    if context:
        parts.append(f"The user's wallet, sent with every request: {json.dumps(context)}")
    else:
        parts.append("The user has not connected a wallet.")
    return "\n\n".join(part for part in parts if part)


def model_request(state: ChatState, agent: Agent, *, tools: bool) -> ModelRequest:
    """The request of the next model call."""
    raw = tuple(
        step.raw
        for turn in state.turns
        for step in turn.steps
        if step.raw is not None and step.model == agent.model.name
    )
    return ModelRequest(
        system=system_text(agent),
        messages=to_core_messages(state),
        tools=list(agent.tools) if tools else [],
        wallet=agent.wallet,
        instructions=agent.document.assistant.instructions,
        raw=raw,
    )
