"""Public doubles for tests, notebooks and demonstrations: a model that says what its script says.

`FaultServer` is a real endpoint that fails as it is told, with every fault by name in `FAULTS`.

model = ScriptedModel([
    ["Let me look. ", Call("get-weather", {"city": "Oslo"})],
    ["It is ", Pause(0.2), "4 degrees."],
])
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bitte_nb.demo.damage import FAULTS
from bitte_nb.demo.faults import FaultServer
from bitte_nb.errors import ModelError, ModelStreamCut
from bitte_nb.model.port import (
    CallArgsDelta,
    CallStarted,
    Choice,
    Connected,
    Finished,
    ModelEvent,
    ModelRequest,
    Offer,
    TextDelta,
    ThinkingDelta,
)

__all__ = ["FAULTS", "Call", "Cut", "Fault", "FaultServer", "Pause", "ScriptedModel", "ScriptedStep", "ScriptedUnit"]


@dataclass(frozen=True, slots=True)
class Call:
    """The model asks for a tool; `args` may be raw text, so that broken JSON can be played too."""

    name: str
    args: dict[str, Any] | str = field(default_factory=dict[str, Any])
    call_id: str = ""
    """The provider's id; empty means `call_<step>_<index>`."""
    piece: int = 0
    """Length of one argument delta in characters; 0 sends the arguments whole."""

    @property
    def text(self) -> str:
        """The arguments as they go over the wire."""
        return self.args if isinstance(self.args, str) else json.dumps(self.args, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing comes for `seconds`, counted by the injected sleep."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Fault:
    """The endpoint fails here with `error`."""

    error: Exception

    @classmethod
    def http(cls, status: int, message: str = "the endpoint refused", *, retry_after: float | None = None) -> Fault:
        """A fault with an HTTP status; `retry_after` in seconds."""
        return cls(ModelError(message, status=status, retry_after=retry_after))


@dataclass(frozen=True, slots=True)
class Cut:
    """The stream ends here without its terminal marker."""


ScriptedUnit = str | Call | Pause | Fault | Cut | ModelEvent | tuple[Choice, ...]
"""A string is text, a tuple of choices is an `Offer`, an event of the port goes out as it is."""

ScriptedStep = Sequence[ScriptedUnit] | Callable[[ModelRequest], Sequence[ScriptedUnit]]
"""What one step answers, or a function of the request that says so."""


class ScriptedModel:
    """A model that plays one scripted step per request and keeps the requests it saw.

    `Connected` goes first and `Finished` last unless the script writes them itself or ends in a fault or a cut;
    the finish reason is `tool_calls` where the step has calls. A request after the last step is a `ModelError`.
    """

    def __init__(
        self,
        steps: Iterable[ScriptedStep],
        *,
        name: str = "scripted model",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._steps = list(steps)
        self._name = name
        self._sleep = sleep
        self.requests: list[ModelRequest] = []
        """Every request, in order, also those that failed."""
        self.closed: list[int] = []
        """Numbers (from 0) of the requests whose stream was closed before its end, as a Stop does."""

    @property
    def name(self) -> str:
        """How the model is called on the page."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Play the next step."""
        number = len(self.requests)
        self.requests.append(request)
        if number >= len(self._steps):
            raise ModelError(f"The script has {len(self._steps)} steps and step {number + 1} was asked for.")
        step = self._steps[number]
        units = list(step(request) if callable(step) else step)
        try:
            if not (units and isinstance(units[0], Connected | Fault)):
                yield Connected()
            calls = 0
            for unit in units:
                match unit:
                    case str():
                        yield TextDelta(unit)
                    case Call():
                        yield CallStarted(calls, unit.call_id or f"call_{number}_{calls}", unit.name)
                        for piece in _pieces(unit.text, unit.piece):
                            yield CallArgsDelta(calls, piece)
                        calls += 1
                    case Pause(seconds):
                        await self._sleep(seconds)
                    case Fault(error):
                        raise error
                    case Cut():
                        raise ModelStreamCut("The scripted stream was cut before it finished.")
                    case tuple():
                        yield Offer(unit)
                    case Finished():
                        yield unit
                        return
                    case Connected() | TextDelta() | ThinkingDelta() | CallArgsDelta() | Offer():
                        yield unit
                    case CallStarted():
                        calls = max(calls, unit.index + 1)
                        yield unit
            yield Finished("tool_calls" if calls else "stop")
        except (GeneratorExit, asyncio.CancelledError):
            self.closed.append(number)
            raise


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)] if size > 0 else [text]
