"""A chat's entries for the tests: what the person and the model said, and a call in any state."""

from __future__ import annotations

from bitte_nb.core.invocation_events import ArgsClosed, InvocationEvent, PolicyAsk, Prepared, Result
from bitte_nb.core.log import (
    AgentRecord,
    ChatOpened,
    Entry,
    InvocationChanged,
    InvocationStarted,
    StepFinished,
    StepStarted,
    TextAdded,
    TurnStarted,
)

AGENT = AgentRecord(agent="weather.example", name="Weather")
DIGEST = "d" * 64


def opened(chat: str = "c1", *, title: str = "", at: int = 1) -> ChatOpened:
    return ChatOpened(at=at, chat=chat, title=title, agents=(AGENT,))


def turn(number: int, text: str, *, at: int = 2) -> TurnStarted:
    return TurnStarted(at=at, turn=number, text=text, agent=AGENT.agent)


def step(number: int, step_number: int, *, at: int = 3) -> StepStarted:
    return StepStarted(at=at, turn=number, step=step_number, attempt=1, model="scripted")


def says(number: int, step_number: int, text: str, *, at: int = 4) -> TextAdded:
    return TextAdded(at=at, turn=number, step=step_number, text=text)


def ended(number: int, step_number: int, *, reason: str = "stop", at: int = 9) -> StepFinished:
    return StepFinished(at=at, turn=number, step=step_number, reason=reason)


def call(key: str, *, tool: str = "get-weather", call_id: str = "", at: int = 5) -> InvocationStarted:
    return InvocationStarted(at=at, key=key, tool=tool, call_id=call_id, agent=AGENT.agent)


def event(key: str, what: InvocationEvent, *, at: int = 6) -> InvocationChanged:
    return InvocationChanged(at=at, key=key, event=what)


def asked(key: str, args: dict[str, object], *, call_id: str = "", tool: str = "get-weather") -> list[Entry]:
    """A call that waits for the person."""
    return [
        call(key, call_id=call_id, tool=tool),
        event(key, ArgsClosed(args=dict(args), prepared=Prepared(digest=DIGEST, method="GET", url="http://x/"))),
        event(key, PolicyAsk(rule="default")),
    ]


def small_chat(chat: str = "c1") -> list[Entry]:
    """One turn with a pending call."""
    return [
        opened(chat),
        turn(1, "What is the weather in Lisbon?"),
        step(1, 1),
        says(1, 1, "Let me look at the sky over Lisbon."),
        *asked("1.1.0", {"city": "Lisbon"}, call_id="call_a"),
        ended(1, 1, reason="tool_calls"),
    ]


def result(data: object, *, at: int = 8) -> Result:
    return Result(data=data, at=at)
