"""The entries of a chat's append-only log: the only thing that is stored, and what every projection is made from.

An entry says what happened, with the time it was given. Text and argument pieces may be joined or split freely
between other entries without changing the fold; all other entries are kept one by one.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, WrapValidator, model_validator

from bitte_nb.core.attachment import Attachment
from bitte_nb.core.invocation import Executor
from bitte_nb.core.invocation_events import InvocationEvent
from bitte_nb.core.price import Price
from bitte_nb.core.session_events import SessionEvent
from bitte_nb.core.session_rules import SessionRule
from bitte_nb.core.tool import ToolKind
from bitte_nb.core.wallet import Wallet

__all__ = [
    "SCHEMA",
    "AgentRecord",
    "BranchChosen",
    "BudgetExtended",
    "ChatOpened",
    "Choice",
    "Entry",
    "InvocationChanged",
    "InvocationStarted",
    "Offered",
    "Rated",
    "Rating",
    "Renamed",
    "RuleGranted",
    "RuleRevoked",
    "SessionChanged",
    "StepFinished",
    "StepStarted",
    "TextAdded",
    "ThinkingAdded",
    "TurnStarted",
    "entry",
]

SCHEMA = 1
"""Version of the entries' shapes; a store writes it beside them and migrates older ones."""


Rating = Literal["good", "bad", ""]
"""What a person thinks of an answer; empty where nothing was said."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AgentRecord(_Model):
    """An agent of the chat, with what is needed to load it again without a network."""

    agent: str
    """Id: the document's host, file name or title."""
    name: str
    description: str = ""
    image: str = ""
    model: str = ""
    """What `Agent(model=...)` was given, where that was a name."""
    model_name: str = ""
    """How the model calls itself."""
    document: str = ""
    """SHA-256 of the document's text, which the store keeps."""
    url: str = ""
    """Where the document came from."""
    variables: dict[str, str] = {}
    """Values given for variables of the document's servers."""
    trust: tuple[str, ...] = ()
    """Origins to which its requests may go although they are private."""
    wire: Literal["openapi", "bitte-chat", "bitte-registry"] = "openapi"
    """How its requests are built."""
    wallet: Annotated[Wallet, WrapValidator(Wallet.stored)] = Wallet()
    signer: str = ""
    policy: dict[str, Any] | None = None
    """The declared rules, or None where the policy was code, which history does not keep."""
    functions: tuple[str, ...] = ()
    """Names of its tools that were Python functions, which history does not keep."""
    approval_timeout: float | None = None
    """Seconds that a person has to answer, or None for as long as it takes."""
    context_tokens: int | None = None
    """How much of the chat the model is given, or None for the model's own window."""
    suggestions: tuple[str, ...] = ()
    price: Price | None = None
    """What its model costs, where the person said so."""


class _Entry(_Model):
    at: int
    """Milliseconds since the epoch."""


class ChatOpened(_Entry):
    """The chat begins."""

    kind: Literal["chat_opened"] = "chat_opened"
    chat: str
    title: str = ""
    agents: tuple[AgentRecord, ...]


class Renamed(_Entry):
    """The person gave the chat another title."""

    kind: Literal["renamed"] = "renamed"
    title: str


class RuleGranted(_Entry):
    """The person always allows something in this chat."""

    kind: Literal["rule_granted"] = "rule_granted"
    rule: SessionRule


class RuleRevoked(_Entry):
    """A session rule holds no more: the person took it back, or the program ended."""

    kind: Literal["rule_revoked"] = "rule_revoked"
    rule: str
    actor: str = ""


class TurnStarted(_Entry):
    """The person said something, or asked for another answer to what was said."""

    kind: Literal["turn_started"] = "turn_started"
    turn: int
    """Numbers count all turns of the chat, in whichever version of it."""
    text: str
    agent: str
    after: int | None = None
    """The turn that it follows: 0 for none, None for the last one that is shown."""
    files: tuple[Attachment, ...] = ()
    """What the person attached."""

    @model_validator(mode="after")
    def _after_an_earlier_one(self) -> Self:
        if self.after is not None and not 0 <= self.after < self.turn:
            raise ValueError(f"turn {self.turn} cannot follow turn {self.after}: a turn follows an earlier one")
        return self


class BranchChosen(_Entry):
    """The person went to the version of the chat in which this turn is."""

    kind: Literal["branch_chosen"] = "branch_chosen"
    turn: int


class Rated(_Entry):
    """The person said whether an answer was of use; the last word counts, and an empty one takes it back."""

    kind: Literal["rated"] = "rated"
    turn: int
    rating: Rating


class BudgetExtended(_Entry):
    """The person asked a capped turn to go on."""

    kind: Literal["budget_extended"] = "budget_extended"
    turn: int
    calls: int
    """How many more model calls."""


class StepStarted(_Entry):
    """A model call begins; a further attempt at the same step drops the text and calls of the one before."""

    kind: Literal["step_started"] = "step_started"
    turn: int
    step: int
    attempt: int
    model: str
    agent: str = ""
    """Who speaks in this step; the turn's agent if empty."""
    tools: bool = True
    """Whether tools were offered."""
    left_out: int = 0
    """How many of the oldest turns the model was not given, because its context is too small."""
    shortened: int = 0
    """How many long results and messages the model was given in part, for the same reason."""


class TextAdded(_Entry):
    """More words of the answer."""

    kind: Literal["text_added"] = "text_added"
    turn: int
    step: int
    text: str


class ThinkingAdded(_Entry):
    """More words of the reasoning."""

    kind: Literal["thinking_added"] = "thinking_added"
    turn: int
    step: int
    text: str


class Choice(_Model):
    """One thing that the person may do next."""

    tool: str
    label: str
    args: dict[str, Any] = {}
    missing: tuple[str, ...] = ()
    fields: dict[str, Any] = {}
    """JSON Schema properties of the tool's arguments, for a form."""


class Offered(_Entry):
    """The model asks the person to choose."""

    kind: Literal["offered"] = "offered"
    turn: int
    step: int
    choices: tuple[Choice, ...]


class StepFinished(_Entry):
    """The endpoint said that its answer is complete."""

    kind: Literal["step_finished"] = "step_finished"
    turn: int
    step: int
    reason: str
    input_tokens: int = 0
    output_tokens: int = 0
    raw: Any = None


class SessionChanged(_Entry):
    """The stream session of a turn saw an event."""

    kind: Literal["session"] = "session"
    turn: int
    event: SessionEvent


class InvocationStarted(_Entry):
    """A call begins."""

    kind: Literal["invocation_started"] = "invocation_started"
    key: str
    tool: str
    tool_kind: ToolKind = "operation"
    executor: Executor = "http"
    call_id: str = ""
    agent: str = ""
    method: str = ""
    path: str = ""
    safe: bool = False
    idempotent: bool = False
    responds: bool = False
    checks: bool = False
    compensates: str = ""


class InvocationChanged(_Entry):
    """An invocation saw an event."""

    kind: Literal["invocation"] = "invocation"
    key: str
    event: InvocationEvent


Entry = Annotated[
    ChatOpened | Renamed | RuleGranted | RuleRevoked | TurnStarted | BranchChosen | Rated | BudgetExtended | StepStarted
    | TextAdded | ThinkingAdded | Offered | StepFinished | SessionChanged | InvocationStarted | InvocationChanged,
    Field(discriminator="kind"),
]  # fmt: skip

entry: TypeAdapter[Entry] = TypeAdapter(Entry)
"""Validates and dumps one entry; `entry.dump_json` is what a store keeps as the payload."""
