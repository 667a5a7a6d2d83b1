"""What the model sees of a chat: the document's words, the wallet context, the history and the tools."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bitte_nb.core.branches import line_of
from bitte_nb.core.fold import ChatState
from bitte_nb.core.messages import AssistantMessage, CoreMessage, TextPart, ToolCallPart, ToolMessage, ToolResultPart
from bitte_nb.core.tool import Tool
from bitte_nb.history.budget import fitted
from bitte_nb.history.core_messages import to_core_messages
from bitte_nb.model.port import ModelRequest
from bitte_nb.model.window import context_window

if TYPE_CHECKING:
    from bitte_nb.agent.agent import Agent

__all__ = ["Context", "context", "request_of", "system_text", "wire_name"]

_CHARACTERS = 4
"""Characters of JSON that make about one token."""
_SHARE = 0.75
"""How much of its window a model is given; the rest is room for its answer and for a bad estimate."""
_LEAST = 4_000
"""Characters of history that are given in any case."""


@dataclass(frozen=True, slots=True)
class Context:
    """A request, and what of the chat it leaves out."""

    request: ModelRequest
    left_out: int = 0
    """The oldest turns that are not in it."""
    shortened: int = 0
    """Results and messages that are in it in part."""


def system_text(agent: Agent) -> str:
    """The system prompt: name, description and instructions verbatim, the wallet context, and who else is here."""
    assistant = agent.document.assistant
    parts = [f"You are {assistant.name}.", assistant.description, assistant.instructions]
    context = agent.wallet.context()
    if context:
        parts.append(f"The user's wallet, sent with every request: {json.dumps(context)}")
    else:
        parts.append("The user has not connected a wallet.")
    if agent.others:
        here = "\n".join(
            f"- {one.id}: {one.name}. {one.document.assistant.description}".rstrip() for one in agent.others
        )
        parts.append(
            "Other agents take part in this chat. What they said begins with their name in brackets, and their tools "
            f"are not yours: hand the conversation over where one of them can do what is asked and you cannot.\n{here}"
        )
    return "\n\n".join(part for part in parts if part)


def wire_name(tool: str, agent: str) -> str:
    """How a model reads the tool of another agent, so that it is not taken for its own of the same name."""
    return f"{tool}@{agent}"


def context(state: ChatState, agent: Agent, *, tools: bool, upto: tuple[int, int] | None = None) -> Context:
    """The request of a model call, within the model's budget.

    Args:
        state: The chat.
        agent: Who is asked.
        tools: Whether tools are offered.
        upto: (turn, step) of the call that is made: nothing of that step is history yet.
    """
    offered = list(agent.tools) if tools else []
    system = system_text(agent)
    messages = to_core_messages(state, upto=upto)
    if agent.others:
        messages = _told_to(agent, messages)
    short = fitted(messages, budget=_budget(agent, system, offered))
    raw = tuple(
        step.raw
        for turn in state.turns
        for step in turn.steps
        if step.raw is not None and step.model == agent.model.name
    )
    request = ModelRequest(
        system=system,
        messages=short.messages,
        tools=offered,
        wallet=agent.wallet,
        instructions=agent.document.assistant.instructions,
        raw=raw,
    )
    return Context(request, short.turns, short.shortened)


def request_of(state: ChatState, agents: Mapping[str, Agent], number: int, step: int) -> ModelRequest:
    """What the model was given for a step, made again from the history and the agents as they are; nothing is sent.

    Args:
        state: The chat.
        agents: Those that are here, by id; the first stands for one that is not.
        number: The turn, in whatever version of the chat it is.
        step: Its model call, from 1.

    Raises:
        ValueError: there is no such turn or step.
    """
    turn = state.turn(number)
    if turn is None:
        raise ValueError(f"There is no turn {number} in this chat.")
    made = next((one for one in turn.steps if one.step == step), None)
    if made is None:
        raise ValueError(f"Turn {number} has no step {step}; it has {len(turn.steps)}.")
    if number in state.elsewhere:
        line = line_of(state, turn)
        state = replace(state, turns=tuple(one for one in state.all_turns if one.turn in line))
    agent = agents.get(made.agent) or next(iter(agents.values()))
    return context(state, agent, tools=made.tools, upto=(number, step)).request


def _budget(agent: Agent, system: str, tools: Sequence[Tool]) -> int:
    """Characters of history that the model is given."""
    if agent.context_tokens is not None:
        return agent.context_tokens * _CHARACTERS
    taken = len(system) + sum(len(one.model_dump_json()) for one in tools)
    return max(_LEAST, int(context_window(agent.model.name) * _SHARE) * _CHARACTERS - taken)


def _told_to(agent: Agent, messages: Sequence[CoreMessage]) -> list[CoreMessage]:
    """The history as one of several agents reads it: who said what, and whose tools were called."""
    names = {one.id: one.name for one in agent.others}
    told: list[CoreMessage] = []
    for one in messages:
        whose = one.agentId or agent.id
        if whose == agent.id:
            told.append(one)
        elif isinstance(one, AssistantMessage):
            parts = [_said(part, whose, names.get(whose, whose)) for part in one.parts]
            told.append(one.model_copy(update={"content": parts}))
        elif isinstance(one, ToolMessage):
            results = [_renamed(part, whose) for part in one.content]
            told.append(one.model_copy(update={"content": results}))
        else:
            told.append(one)
    return told


def _said(part: TextPart | ToolCallPart, agent: str, name: str) -> TextPart | ToolCallPart:
    if isinstance(part, TextPart):
        return part.model_copy(update={"text": f"[{name}] {part.text}"})
    return part.model_copy(update={"toolName": wire_name(part.toolName, agent)})


def _renamed(part: ToolResultPart, agent: str) -> ToolResultPart:
    return part.model_copy(update={"toolName": wire_name(part.toolName, agent)})
