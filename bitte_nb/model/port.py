"""The model port: what the loop asks of any model, and the events that any model answers with.

A source streams events and owns nothing else: the loop, the cap, retries and approvals are ours. Rules for a source:
`Finished` comes last and exactly once, only when the endpoint itself said that it was finished; a stream that ends
without it is cut, and the source raises `ModelStreamCut`. Cancelling the iteration closes the connection at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from bitte_nb.core.messages import CoreMessage
from bitte_nb.core.tool import Tool
from bitte_nb.core.wallet import Wallet

__all__ = [
    "CallArgsDelta",
    "CallStarted",
    "Choice",
    "Connected",
    "Finished",
    "Model",
    "ModelEvent",
    "ModelRequest",
    "Offer",
    "TextDelta",
    "ThinkingDelta",
    "Usage",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One step's request: everything the model may see."""

    system: str
    """The agent's name, description, instructions and the wallet context, as one text."""
    messages: list[CoreMessage]
    """The history, provider-valid: each call is followed by its result; the last message is not the model's."""
    tools: list[Tool]
    """Empty where the step must end in words."""
    wallet: Wallet = field(default_factory=Wallet)
    instructions: str = ""
    """The document's own `x-mb.assistant.instructions`, verbatim (also inside `system`)."""
    raw: tuple[Any, ...] = ()
    """Opaque records of earlier responses of the same provider (`Finished.raw`), oldest first."""


@dataclass(frozen=True, slots=True)
class Connected:
    """The endpoint accepted the request; its first words may still take a while."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More words of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """More words of the model's reasoning, shown apart from the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A tool call begins; `index` names it within this response, `call_id` is the provider's (at times empty)."""

    index: int
    call_id: str
    name: str


@dataclass(frozen=True, slots=True)
class CallArgsDelta:
    """More of the JSON text of a call's arguments."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing the person may do next, drawn as a button; half-filled `args` open as a form."""

    tool: str
    label: str
    args: dict[str, Any] = field(default_factory=dict[str, Any])
    missing: tuple[str, ...] = ()
    """Required arguments that nobody has given yet, in the schema's order."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The model asks the person to choose; travels as data, never as text."""

    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, where the endpoint counted them."""

    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """The endpoint said that its answer is complete."""

    reason: Literal["stop", "tool_calls", "length", "content_filter"]
    usage: Usage = field(default_factory=Usage)
    raw: Any = None
    """Opaque JSON-able record to send back to the same provider next time, or None."""


ModelEvent = Connected | TextDelta | ThinkingDelta | CallStarted | CallArgsDelta | Offer | Finished


class Model(Protocol):
    """A source of answers."""

    @property
    def name(self) -> str:
        """How the model is called on the page and in history."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Answer one step.

        Raises:
            ModelError: the endpoint refused or failed; `status` holds its HTTP status.
            ModelStreamCut: the stream ended without its terminal marker.
        """
        ...
