"""An imported CoreMessage array as entries: a chat that happened elsewhere; nothing in it is live and nothing runs."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from bitte_nb.core.agent_id import format_agent_id
from bitte_nb.core.invocation_events import (
    ArgsClosed,
    Cancel,
    Compensated,
    Edit,
    InvocationEvent,
    ObservedError,
    ObservedResult,
    PolicyAsk,
    Prepared,
)
from bitte_nb.core.log import (
    AgentRecord,
    ChatOpened,
    Entry,
    InvocationChanged,
    InvocationStarted,
    SessionChanged,
    StepFinished,
    StepStarted,
    TextAdded,
    TurnStarted,
)
from bitte_nb.core.messages import (
    AssistantMessage,
    CoreMessage,
    SystemMessage,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from bitte_nb.core.session_events import Complete, Connected, Fail, SessionEvent, Start

__all__ = ["EDITED", "ORPHAN", "UNDONE", "from_core_messages"]

UNDONE = "undone"
"""Key beside `data` of a result that was taken back."""
EDITED = "argsEditedByPerson"
"""Key beside `data` or `error`: the arguments that really ran, where the person changed them."""
ORPHAN = "imported: a result without its call"
"""The rule on the card of a result whose call the array does not have."""
_IMPORTED = "imported"


def from_core_messages(
    messages: Sequence[CoreMessage], *, at: int, chat_id: str, agent: AgentRecord | str, title: str = ""
) -> list[Entry]:
    """The entries of a chat that shows the same as the array.

    Results find their calls by `toolCallId` wherever they stand. A call without a result is cancelled (interrupted), a
    result without a call stays visible as a call of its own. Agents named in the messages join the chat's agents.
    System messages are not history: the document's instructions stand at their place. A message that names no agent
    belongs to the agent that answers it or that it follows.

    Args:
        messages: The array, oldest first.
        at: The time of the import, milliseconds since the epoch; arrays carry no times.
        chat_id: The new chat.
        agent: Who answers when the chat goes on, or only its id.
        title: The new chat's title.
    """
    agent = AgentRecord(agent=agent, name=format_agent_id(agent)) if isinstance(agent, str) else agent
    names = dict.fromkeys(one.agentId for one in messages if one.agentId and one.agentId != agent.agent)
    others = (AgentRecord(agent=name, name=format_agent_id(name)) for name in names)
    writer = _Writer(at, ChatOpened(at=at, chat=chat_id, title=title, agents=(agent, *others)))
    results = _joined(messages)
    agents = _agents(messages)
    for place, message in enumerate(messages):
        match message:
            case UserMessage():
                writer.turn(message.text, agents[place])
            case AssistantMessage():
                _assistant(writer, message, place, results, agents[place])
            case ToolMessage():
                for index, part in enumerate(message.content):
                    if (place, index) in results.orphans:
                        writer.orphan(part, agents[place])
            case SystemMessage():
                pass
    return writer.finished()


def _assistant(writer: _Writer, message: AssistantMessage, place: int, results: _Results, agent: str) -> None:
    """A step per run of words and calls: words after a call begin another one, so that the order stays."""
    writer.step(agent)
    called = False
    for index, part in enumerate(message.parts):
        if isinstance(part, ToolCallPart):
            writer.call(part, results.of_call.get((place, index)), agent)
            called = True
        elif part.text:
            if called:
                writer.step(agent)
                called = False
            writer.says(part.text)


def _agents(messages: Sequence[CoreMessage]) -> list[str]:
    """Who each message belongs to."""
    agents = [one.agentId or "" for one in messages]
    for place in range(1, len(messages)):
        if not agents[place] and not isinstance(messages[place], UserMessage):
            agents[place] = agents[place - 1]
    for place in range(len(messages) - 2, -1, -1):
        agents[place] = agents[place] or agents[place + 1]
    return agents


class _Writer:
    """Writes the entries of turns, steps and calls, and ends what was begun."""

    def __init__(self, at: int, opened: ChatOpened) -> None:
        self._at = at
        self._entries: list[Entry] = [opened]
        self._turn, self._step, self._calls = 0, 0, 0
        self._agent = ""

    def turn(self, text: str, agent: str) -> None:
        self._end_turn(answered=self._step > 0 or not text)
        self._turn, self._step, self._agent = self._turn + 1, 0, agent
        self._entries.append(TurnStarted(at=self._at, turn=self._turn, text=text, agent=agent))
        self._session(Start())

    def step(self, agent: str) -> None:
        if self._turn == 0:  # an answer to nothing
            self.turn("", agent)
        self._end_step()
        self._step, self._calls = self._step + 1, 0
        self._entries.append(
            StepStarted(
                at=self._at,
                turn=self._turn,
                step=self._step,
                attempt=1,
                model=_IMPORTED,
                agent="" if agent == self._agent else agent,
            )
        )

    def says(self, text: str) -> None:
        self._entries.append(TextAdded(at=self._at, turn=self._turn, step=self._step, text=text))

    def call(self, part: ToolCallPart, result: ToolResultPart | None, agent: str) -> None:
        key = self._started(part.toolCallId, part.toolName, agent)
        args = _args(part.args)
        self._event(key, ArgsClosed(args=args, prepared=Prepared(digest="")))
        if result is None:
            self._event(key, Cancel(reason="interrupted", at=self._at))
        else:
            self._observed(key, result.result)

    def orphan(self, part: ToolResultPart, agent: str) -> None:
        if self._step == 0:
            self.step(agent)
        key = self._started(part.toolCallId, part.toolName, agent)
        self._event(key, ArgsClosed(args={}, prepared=Prepared(digest="")))
        self._event(key, PolicyAsk(rule=ORPHAN))
        self._observed(key, part.result)

    def finished(self) -> list[Entry]:
        self._end_turn(answered=self._step > 0 and not self._calls)
        return self._entries

    def _started(self, call_id: str, tool: str, agent: str) -> str:
        key = f"{self._turn}.{self._step}.{self._calls}"
        self._calls += 1
        self._entries.append(
            InvocationStarted(at=self._at, key=key, tool=tool, executor="remote", call_id=call_id, agent=agent)
        )
        return key

    def _observed(self, key: str, result: Any) -> None:
        if _has_only(result, EDITED) and isinstance(result[EDITED], dict):
            self._event(key, PolicyAsk(rule=_IMPORTED))
            edit = Edit(args=result[EDITED], prepared=Prepared(digest=""), digest="", version=1, at=self._at)
            self._event(key, edit)
            result = {name: value for name, value in result.items() if name != EDITED}
        if _has_only(result, UNDONE) and result[UNDONE] is True and "data" in result:
            self._event(key, ObservedResult(data=result["data"], at=self._at))
            self._event(key, Compensated(by="", at=self._at))
        elif _has_only(result) and "data" in result:
            self._event(key, ObservedResult(data=result["data"], at=self._at))
        elif _has_only(result) and result["error"] is not None:
            error = result["error"]
            sentence = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
            self._event(key, ObservedError(error=sentence, at=self._at))
        else:
            self._event(key, ObservedResult(data=result, at=self._at))

    def _event(self, key: str, event: InvocationEvent) -> None:
        self._entries.append(InvocationChanged(at=self._at, key=key, event=event))

    def _session(self, *events: SessionEvent) -> None:
        self._entries += [SessionChanged(at=self._at, turn=self._turn, event=event) for event in events]

    def _end_step(self) -> None:
        if self._step:
            reason = "tool_calls" if self._calls else "stop"
            self._entries.append(StepFinished(at=self._at, turn=self._turn, step=self._step, reason=reason))

    def _end_turn(self, *, answered: bool) -> None:
        if self._turn == 0:
            return
        self._end_step()
        if answered:
            self._session(Connected(), Complete())
        else:
            self._session(Fail(cause="truncated", reason="The imported history has no answer to this."))


@dataclass(frozen=True, slots=True)
class _Results:
    of_call: dict[tuple[int, int], ToolResultPart]
    """By the call's message and part."""
    orphans: frozenset[tuple[int, int]]
    """Message and part of the results that no call takes."""


def _joined(messages: Sequence[CoreMessage]) -> _Results:
    """Give each call its result: the same id, first from what follows it, else from what stands before it.

    Providers reuse ids, so a result belongs to the newest message that still waits for one of its id.
    """
    waiting: dict[str, list[tuple[int, int]]] = defaultdict(list)
    of_call: dict[tuple[int, int], ToolResultPart] = {}
    early: list[tuple[int, int, ToolResultPart]] = []
    for place, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            for index, part in enumerate(message.parts):
                if isinstance(part, ToolCallPart):
                    waiting[part.toolCallId].append((place, index))
        elif isinstance(message, ToolMessage):
            for index, part in enumerate(message.content):
                places = waiting[part.toolCallId]
                newest = [one for one in places if one[0] == places[-1][0]]
                if newest:
                    places.remove(newest[0])
                    of_call[newest[0]] = part
                else:
                    early.append((place, index, part))
    orphans: set[tuple[int, int]] = set()
    for place, index, part in early:
        places = waiting[part.toolCallId]
        if places:
            of_call[places.pop(0)] = part
        else:
            orphans.add((place, index))
    return _Results(of_call, frozenset(orphans))


def _has_only(result: Any, *extra: str) -> TypeGuard[dict[str, Any]]:
    """Whether it is an object of exactly one of data and error, and all of `extra` (an edit goes with an undo)."""
    if not isinstance(result, dict):
        return False
    names: set[object] = set(result)  # pyright: ignore[reportUnknownArgumentType] - any JSON
    if not names.issuperset(extra) or len(names & {"data", "error"}) != 1:
        return False
    return names - {"data", "error"} <= {*extra, *({UNDONE} if EDITED in extra else set[str]())}


def _args(args: Any) -> dict[str, Any]:
    """The arguments as an object; a JSON text of one is read, anything else stays visible under `value`."""
    if isinstance(args, str):
        try:
            args = json.loads(args) if args.strip() else {}
        except (ValueError, RecursionError):
            return {"value": args}
    if args is None:
        return {}
    return args if isinstance(args, dict) else {"value": args}  # pyright: ignore[reportUnknownVariableType] - any JSON
