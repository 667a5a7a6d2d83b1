"""The chat as CoreMessages: what the model reads before each step, and what other programs import.

Whatever state a chat is in, the array keeps the providers' rules: every call is followed by exactly one result, in call
order and before anything else, ids are unique, arguments are objects and no message is empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bitte_nb.core.answer import model_result
from bitte_nb.core.attachment import attached_lines
from bitte_nb.core.fold import ChatState, Step, Turn
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.messages import (
    AssistantMessage,
    CoreMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from bitte_nb.core.result import ToolData, ToolError
from bitte_nb.history.core_import import EDITED, UNDONE, from_core_messages

__all__ = ["from_core_messages", "result_of", "to_core_messages"]

_OPEN = {
    "pending": "Not decided yet: the person has not answered. It was not run.",
    "executing": "It is still running; its result is not known yet.",
}
_NOT_RUN = "It was not run yet."
_RUNNING = frozenset({"connecting", "streaming", "stalled", "retrying"})


def to_core_messages(state: ChatState, *, upto: tuple[int, int] | None = None) -> list[CoreMessage]:
    """The history in order: for each turn the person's words, then each step's words and calls and their results.

    What the person started (an undo) is no message; its outcome shows as `undone` on the call that it took back. The
    calls of an answer that broke off and the arguments that are still streaming are left out.

    Args:
        state: The chat.
        upto: (turn, step): leave out that step and everything after it.
    """
    ids = _Ids()
    messages: list[CoreMessage] = []
    for turn in state.turns:
        if upto is not None and turn.turn > upto[0]:
            break
        if said := "\n\n".join(filter(None, (turn.text, attached_lines(turn.files)))):
            messages.append(UserMessage(content=said, agentId=turn.agent or None))
        for step in turn.steps:
            if upto is not None and (turn.turn, step.step) >= upto:
                return messages
            messages += _step(state, turn, step, ids)
    return messages


def result_of(call: Invocation) -> dict[str, Any]:
    """The `{data}` or `{error}` of a call on the wire; an open call has an error that says that it is open.

    A result that was taken back carries `undone: true`; one of arguments that the person edited carries those.
    """
    match model_result(call):
        case ToolData(data=data):
            result: dict[str, Any] = {"data": data}
        case ToolError(error=error):
            result = {"error": error}
        case None:
            return {"error": _OPEN.get(call.state, _NOT_RUN)}
    if call.state == "undone":
        result[UNDONE] = True
    if call.original_args is not None and call.state in {"succeeded", "undone", "failed", "unknown"}:
        result[EDITED] = call.args
    return result


def _step(state: ChatState, turn: Turn, step: Step, ids: _Ids) -> Iterator[CoreMessage]:
    # A new attempt must not read the words of the one that broke off as if it had said them.
    text = "" if step.stale and turn.session.phase in _RUNNING else step.text
    calls = [call for key in step.calls if (call := state.invocations[key]).state != "streaming"]
    agent = step.agent or next((call.agent for call in calls if call.agent), turn.agent) or None
    parts: list[TextPart | ToolCallPart] = [TextPart(text=text)] if text else []
    results: list[ToolResultPart] = []
    for call in calls:
        wire = ids.give(call)
        parts.append(ToolCallPart(toolCallId=wire, toolName=call.tool, args=_asked(call)))
        results.append(ToolResultPart(toolCallId=wire, toolName=call.tool, result=result_of(call)))
    if parts:
        yield AssistantMessage(content=[*parts], agentId=agent)
    if results:
        yield ToolMessage(content=results, agentId=agent)


def _asked(call: Invocation) -> dict[str, Any]:
    """What the model asked for, as an object even where it was none."""
    if call.original_args is not None:
        return call.original_args
    if call.args is not None:
        return call.args
    try:
        args: Any = json.loads(call.args_text)
    except (ValueError, RecursionError):
        return {}
    return args if isinstance(args, dict) else {}  # pyright: ignore[reportUnknownVariableType] - keys are strings


class _Ids:
    """Gives calls their ids on the wire: the provider's where nobody had it before, else one made of the key.

    A later call never changes the id of an earlier one, so a provider can cache the history.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def give(self, call: Invocation) -> str:
        wire = call.call_id
        if not wire or wire in self._taken:
            wire = "call_" + call.key.replace(".", "_")
        while wire in self._taken:
            wire += "_"
        self._taken.add(wire)
        return wire
