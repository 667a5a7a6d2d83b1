"""What the model was given for a step, as a page shows it: made when it is asked for, kept nowhere."""

from __future__ import annotations

import json
from typing import Any

from bitte_nb.agent.agent import Agent
from bitte_nb.agent.context import request_of
from bitte_nb.agent.conversation import Conversation
from bitte_nb.core.messages import core_messages
from bitte_nb.core.tool import Tool
from bitte_nb.model.aliases import Aliases
from bitte_nb.model.pydantic_ai import PydanticAIModel
from bitte_nb.spec.budget import budget, json_size, text_size, tokens
from bitte_nb.widget import protocol as page

__all__ = ["given", "given_json"]


def given(chat: Conversation, number: int, step: int) -> page.StepGiven:
    """The system text, the messages and the tools of a step's request.

    Raises:
        ValueError: there is no such turn or step.
    """
    request = request_of(chat.state, chat.agents, number, step)
    messages = core_messages.dump_python(request.messages, mode="json", exclude_none=True)
    turn = chat.state.turn(number)
    assert turn is not None  # a request was made of it
    agent = chat.agents.get(turn.steps[step - 1].agent)
    tools = _tools(request.tools, agent)
    return page.StepGiven(
        system=request.system,
        messages=messages,
        tools=tools,
        system_tokens=tokens(text_size(request.system)),
        message_tokens=tokens(json_size(messages)) if messages else 0,
        tool_tokens=budget(request.tools).tokens,
        changed=agent is None or not _is_as_recorded(chat, agent),
    )


def given_json(made: page.StepGiven) -> str:
    """The same as JSON, indented; a tool has `sent_as` only where its provider got another name."""
    shown = {"system": made.system, "messages": made.messages, "tools": _shown(made.tools)}
    return json.dumps(shown, ensure_ascii=False, indent=2)


def _tools(tools: list[Tool], agent: Agent | None) -> list[page.GivenTool]:
    aliases = Aliases(one.name for one in tools) if agent and isinstance(agent.model, PydanticAIModel) else None
    made: list[page.GivenTool] = []
    for one in tools:
        sent = aliases.sent(one.name) if aliases else one.name
        made.append(
            page.GivenTool(
                name=one.name,
                sent_as="" if sent == one.name else sent,
                description=one.prompt,
                input_schema=one.input_schema,
            )
        )
    return made


def _shown(tools: list[page.GivenTool]) -> list[dict[str, Any]]:
    return [one.model_dump(exclude_defaults=True) for one in tools]


def _is_as_recorded(chat: Conversation, agent: Agent) -> bool:
    """Whether the model is still told the same: by this document, with this wallet and these functions."""
    record = next((one for one in chat.state.agents if one.agent == agent.id), None)
    if record is None or (record.document, record.wallet) != (agent.document.digest, agent.wallet):
        return False
    return set(record.functions) <= {tool.name for tool in agent.tools}
