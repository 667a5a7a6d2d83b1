"""The contract between the kernel and the page, written once; `js/src/protocol.gen.ts` is generated from it.

The kernel is the authority: a page draws `Snapshot`, adds numbered events to it and asks with requests. Every event
takes one number; a page that sees a gap, or is new, asks for `resync` and gets one snapshot. `boot` names the kernel's
run, so that a page notices a restarted kernel. No field is called `id`, `log` or `comm`: Jupyter uses those names.

`python -m bitte_nb.widget.protocol` prints the JSON Schema.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.json_schema import models_json_schema

from bitte_nb.core.invocation import Executor, State
from bitte_nb.core.log import Rating
from bitte_nb.core.price import Price
from bitte_nb.core.session import Phase
from bitte_nb.core.session_events import Cause
from bitte_nb.core.tool import ToolKind

__all__ = [
    "PROTOCOL",
    "Ack",
    "Act",
    "AgentView",
    "ArgsDelta",
    "ArgumentsForm",
    "AttachView",
    "ChatList",
    "ChatView",
    "CheckCall",
    "ChoiceView",
    "Choose",
    "Continue",
    "Decide",
    "DeleteChat",
    "DropUpload",
    "EditCall",
    "EditMessage",
    "Events",
    "Explain",
    "ExportChat",
    "ExportedFile",
    "FetchFile",
    "FilePart",
    "FileView",
    "GivenTool",
    "GrantView",
    "InvocationChanged",
    "InvocationView",
    "ListChats",
    "ListedChat",
    "NewChat",
    "OpenChat",
    "PageEvent",
    "Painted",
    "PathChanged",
    "Ping",
    "Question",
    "QuickAct",
    "QuickQuestion",
    "Rate",
    "Reconcile",
    "Regenerate",
    "RenameChat",
    "Respond",
    "Resync",
    "Retry",
    "RetryCall",
    "Revoke",
    "RuleView",
    "Send",
    "SessionLog",
    "SessionPart",
    "ShelfAct",
    "SlowAct",
    "Snapshot",
    "StepChanged",
    "StepGiven",
    "StepRequest",
    "StepView",
    "Stop",
    "TakeOver",
    "TextDelta",
    "ThinkingDelta",
    "ToKernel",
    "ToPage",
    "TurnChanged",
    "TurnHead",
    "TurnView",
    "Undo",
    "Unfold",
    "Upload",
    "WalletAnswer",
    "WalletFault",
    "WalletFound",
    "WalletRequest",
    "Wallets",
    "to_kernel",
    "to_page",
]

PROTOCOL = 1
"""Version of this contract; a page built for another one says so instead of guessing."""


class _Model(BaseModel):
    # Defaults are always serialised, so the generated TypeScript can narrow on every field.
    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)


# What a page draws ---------------------------------------------------------------------------------------------------


class AgentView(_Model):
    """Who answers."""

    agent: str
    name: str
    description: str = ""
    model: str = ""
    """How the model is called, for example `offline model`."""
    document: str = ""
    """Where the document came from."""
    account: str = ""
    price: Price | None = None
    """What the model's tokens cost, where the person said so."""
    """The person's account, shortened for the header."""
    image: str = ""
    """A picture as a `data:` URL; others are left out, since drawing must ask nobody for anything."""
    handle: str = ""
    """What a person writes after `@` to address it."""


class ChoiceView(_Model):
    """A button; where `missing` is not empty it opens a form of `args` and `missing`."""

    tool: str
    label: str
    args: dict[str, Any]
    missing: list[str]
    fields: dict[str, Any]
    """JSON Schema properties of the tool's arguments, for the form."""


class StepView(_Model):
    """One model call of a turn."""

    step: int
    model: str = ""
    text: str = ""
    """Markdown, untrusted."""
    thinking: str = ""
    offers: list[ChoiceView] = []
    calls: list[str] = []
    """Keys of invocations, in call order; they are drawn after the text."""
    agent: str = ""
    """Who speaks; the turn's agent if empty."""
    left_out: int = 0
    """How many of the oldest turns the model was not given."""
    shortened: int = 0
    """How many old results the model was given in part."""
    finished: bool = False
    input_tokens: int = 0
    output_tokens: int = 0
    thought_ms: int = 0
    """How long it reasoned, 0 where it did not or still does."""


class FileView(_Model):
    """A file that was attached to a message; its bytes come by `fetch_file`."""

    digest: str
    """SHA-256, hex."""
    name: str
    media: str
    size: int
    """Bytes."""


class AttachView(_Model):
    """What may be attached to a message."""

    accept: list[str]
    """Media types and ranges that some tool takes."""
    largest: int
    """Bytes of one file."""
    most: int
    """Files of one message."""


class TurnHead(_Model):
    """A turn without its steps."""

    turn: int
    text: str
    """What the person said; plain text."""
    agent: str
    at: int
    """Milliseconds since the epoch."""
    ran_ms: int = 0
    """How long the model and its calls took, without the time of a person or wallet; 0 until it is over."""
    phase: Phase
    attempt: int
    max_attempts: int
    outcome: Literal["success", "capped"] | None = None
    cause: Cause | None = None
    reason: str = ""
    rough: bool = False
    """It stalled, was tried again or failed: `SessionLog` tells how."""
    can_retry: bool = False
    can_continue: bool = False
    actions: list[str] = []
    """Keys of invocations that the person started (undo), drawn after the last step."""
    files: list[FileView] = []
    """What the person attached."""
    rating: Rating = ""
    """What the person thinks of the answer."""
    versions: list[int] = []
    """Numbers of the turns that stand in its place, itself included, oldest first; empty where there is no other."""


class TurnView(TurnHead):
    """A turn with its steps."""

    steps: list[StepView] = []


class GrantView(_Model):
    """Who allowed it."""

    source: Literal["human", "rule", "session"]
    rule: str = ""
    actor: str = ""
    at: int


class RuleView(_Model):
    """What is always allowed in this chat: exactly this tool of this agent, by this method, at this origin."""

    rule: str
    agent: str
    tool: str
    method: str = ""
    origin: str = ""
    at: int = 0


class InvocationView(_Model):
    """A card."""

    key: str
    tool: str
    kind: ToolKind
    executor: Executor
    agent: str
    state: State
    method: str = ""
    path: str = ""
    """URL template."""
    url: str = ""
    """The exact URL, once the arguments are complete."""
    headers: dict[str, str] = {}
    body: str = ""
    args_text: str = ""
    """The arguments' JSON text while it streams."""
    args: dict[str, Any] | None = None
    original_args: dict[str, Any] | None = None
    """What the model asked for, where the person changed it."""
    digest: str = ""
    version: int = 1
    review: dict[str, Any] | None = None
    """The review card of a transaction or message (`ReviewCard.to_json()`)."""
    responds: bool = False
    """The person may give the result as text (`respond`)."""
    rule: str = ""
    reason: str = ""
    decider: Literal["", "person", "code", "rule"] = ""
    """Who declined it or gave its result."""
    grant: GrantView | None = None
    expires_at: int | None = None
    attempt: int = 1
    cancel_requested: bool = False
    progress: str = ""
    result: dict[str, Any] | None = None
    """`{data}` or `{error}`; what the model reads."""
    always: RuleView | None = None
    """What the person may always allow on this card."""
    checks: bool = False
    """What came of it can be looked up, where that is not known."""
    can_retry: bool = False
    doubt: bool = False
    """An earlier attempt left and nobody knows what came of it."""
    can_undo: bool = False
    undone_by: str = ""
    compensates: str = ""
    sent_at: int | None = None
    """When it left, in milliseconds since the epoch."""
    ran_ms: int = 0
    """How long it ran; 0 while it does, where nobody knows, and where a wallet did."""
    status: int | None = None
    """HTTP status of the answer, where a server answered."""


class PartView(_Model):
    """How the messages that a cell shows lie in their chat."""

    earlier: int
    """Turns before them."""
    unfolded: bool
    """The earlier turns are shown, too."""
    ended: bool
    """The chat goes on in a later cell."""
    gone: bool
    """The chat is in a version that leaves the cell's message out."""


class ChatView(_Model):
    """A whole chat, or the part of it that a cell shows."""

    chat: str
    title: str = ""
    agents: list[AgentView] = []
    turns: list[TurnView] = []
    invocations: dict[str, InvocationView] = {}
    suggestions: list[str] = []
    """Messages that the empty page offers."""
    attach: AttachView | None = None
    """None where no tool takes a file."""
    rules: list[RuleView] = []
    notice: str = ""
    """A sentence about the chat as a whole, for example that it is read-only here."""
    elsewhere: bool = False
    """Another kernel writes it, or moved on with it: `TakeOver` goes on with it here."""
    part: PartView | None = None
    """None for the whole chat."""


# Kernel to page ------------------------------------------------------------------------------------------------------


class TextDelta(_Model):
    """More words of a step."""

    type: Literal["text_delta"] = "text_delta"
    turn: int
    step: int
    text: str


class ThinkingDelta(_Model):
    """More reasoning of a step."""

    type: Literal["thinking_delta"] = "thinking_delta"
    turn: int
    step: int
    text: str


class ArgsDelta(_Model):
    """More argument text of a card."""

    type: Literal["args_delta"] = "args_delta"
    key: str
    text: str


class TurnChanged(_Model):
    """A turn is new or its head changed; its steps stay."""

    type: Literal["turn"] = "turn"
    head: TurnHead


class StepChanged(_Model):
    """A step is new, was reset by a new attempt, or is finished; it replaces the step of that number."""

    type: Literal["step"] = "step"
    turn: int
    view: StepView


class InvocationChanged(_Model):
    """A card is new or changed; it replaces the card of that key."""

    type: Literal["invocation"] = "invocation"
    view: InvocationView


class PathChanged(_Model):
    """Another version of the chat: what was shown after the turn `after` (0: everything) gives way to these turns."""

    type: Literal["path"] = "path"
    after: int
    turns: list[TurnView]
    invocations: dict[str, InvocationView]
    """The cards of these turns."""


PageEvent = Annotated[
    TextDelta | ThinkingDelta | ArgsDelta | TurnChanged | StepChanged | InvocationChanged | PathChanged,
    Field(discriminator="type"),
]


class ListedChat(_Model):
    """A chat in the list; plain text throughout."""

    chat: str
    title: str
    agent: str = ""
    updated: int
    """Milliseconds since the epoch."""
    turns: int
    pending: int
    """How many calls wait for a person."""
    snippet: str = ""
    """What a search found, with some of what is around it."""


class ChatList(_Model):
    """The answer to `ListChats`."""

    chats: list[ListedChat]
    more: bool
    """Whether there are further ones."""


class SessionPart(_Model):
    """One change of a turn's stream session; `SessionLog` is answered with a list of them, oldest first."""

    at: int
    """Milliseconds since the epoch."""
    event: str
    """What made it."""
    phase: Phase
    """What it became."""
    attempt: int
    cause: Cause | None = None
    reason: str = ""
    """A sentence."""


class GivenTool(_Model):
    """A tool as the model was offered it."""

    name: str
    sent_as: str = ""
    """The name that its provider was sent, where that takes no such name."""
    description: str = ""
    input_schema: dict[str, Any]
    """JSON Schema (2020-12)."""


class StepGiven(_Model):
    """The answer to `StepRequest`: made again from the history and the agent as they are."""

    system: str
    messages: list[dict[str, Any]]
    """CoreMessages (`core.messages`), as a history is exported."""
    tools: list[GivenTool]
    system_tokens: int
    """About how many tokens it has, by its length; so have the next two, as JSON."""
    message_tokens: int
    tool_tokens: int
    changed: bool = False
    """The agent is not what it was then: another document, or what a history does not keep."""


class FilePart(_Model):
    """The answer to `FetchFile`."""

    data: str
    """Base64 of the bytes from the offset on, as many as fit."""
    size: int
    """Bytes of the whole file."""


class ExportedFile(_Model):
    """The answer to `ExportChat`."""

    name: str
    media: str
    text: str


class Events(_Model):
    """Events numbered `first`, `first + 1`, ...; all events with a number up to `seq` are then known."""

    type: Literal["events"] = "events"
    boot: str
    first: int
    events: list[PageEvent]


class Snapshot(_Model):
    """Everything up to and including event number `seq`."""

    type: Literal["snapshot"] = "snapshot"
    boot: str
    seq: int
    protocol: int = PROTOCOL
    chat: ChatView


class Ack(_Model):
    """The answer to the request `mid`; a refused one says why in a sentence. `seq` is the newest event's number."""

    type: Literal["ack"] = "ack"
    mid: str
    boot: str
    seq: int
    ok: bool = True
    code: str = ""
    message: str = ""
    data: Any = None
    """What a question asked for."""


class WalletRequest(_Model):
    """Ask the wallet in the page, once: carried out only by the page whose Approve button was pressed for `key`."""

    type: Literal["wallet_request"] = "wallet_request"
    boot: str
    page: str
    """The page that is asked; every other page leaves it alone."""
    key: str
    nonce: str
    """Names this request; it is never used twice, so a page that has seen it does nothing."""
    namespace: Literal["evm", "near"]
    method: str
    """An EIP-1193 method, or a method of an injected NEAR wallet."""
    params: Any
    network: str
    """EIP-155 chain id in decimal, or the NEAR network."""
    account: str = ""
    """The account that must sign; empty where any may."""


ToPage = Annotated[Snapshot | Events | Ack | WalletRequest, Field(discriminator="type")]


# Page to kernel ------------------------------------------------------------------------------------------------------


class _Request(_Model):
    mid: Annotated[str, Field(min_length=1, max_length=64)]
    """Made by the page; the acknowledgement repeats it. A repeated act is answered again, not carried out again."""


class _Act(_Request):
    boot: Annotated[str, Field(max_length=64)] = ""
    """The run of numbers that the page shows. An act on another one is refused: turns and cards are numbered anew in
    each chat, and another may have been opened in this place since."""


Page = Annotated[str, Field(max_length=64)]
"""A random name that a page gives itself each time it loads: a wallet is asked by the page that approved, only."""


class Send(_Act):
    """The person says something."""

    type: Literal["send"] = "send"
    text: Annotated[str, Field(max_length=200_000)]
    """May be empty where there are files."""
    files: Annotated[list[str], Field(max_length=10)] = []
    """Names that the page gave to uploads, each whole by now."""


class EditMessage(_Act):
    """Say something else in the place of an earlier message; what was there stays as another version."""

    type: Literal["edit_message"] = "edit_message"
    turn: int
    text: Annotated[str, Field(min_length=1, max_length=200_000)]


class Regenerate(_Act):
    """Answer the message of a turn once more; the answer that was there stays as another version."""

    type: Literal["regenerate"] = "regenerate"
    turn: int


class Choose(_Act):
    """Show the version of the chat in which this turn is."""

    type: Literal["choose"] = "choose"
    turn: int


class Rate(_Act):
    """Say whether an answer was of use; empty takes it back."""

    type: Literal["rate"] = "rate"
    turn: int
    rating: Rating


class Decide(_Act):
    """The person approves or declines the card of this digest and version."""

    type: Literal["decide"] = "decide"
    key: str
    digest: str
    version: int
    decision: Literal["approve", "deny"]
    reason: Annotated[str, Field(max_length=2_000)] = ""
    page: Page = ""
    always: bool = False
    """Approve, and allow what the card's `always` says for the rest of the chat."""


class EditCall(_Act):
    """The person gives the card of this digest and version other arguments, all of them; it comes back changed."""

    type: Literal["edit_call"] = "edit_call"
    key: str
    digest: str
    version: int
    args: dict[str, Any]


class Reconcile(_Act):
    """The person says what came of a call whose outcome is unknown."""

    type: Literal["reconcile"] = "reconcile"
    key: str
    happened: bool
    note: Annotated[str, Field(max_length=2_000)] = ""


class CheckCall(_Act):
    """Look up what came of a call whose outcome is unknown; acknowledged once it is known."""

    type: Literal["check_call"] = "check_call"
    key: str


class RetryCall(_Act):
    """Try a call again; it goes through the policy."""

    type: Literal["retry_call"] = "retry_call"
    key: str


class Revoke(_Act):
    """Take back what was always allowed."""

    type: Literal["revoke"] = "revoke"
    rule: str


class Respond(_Act):
    """The person gives the result of the card as text, for example a pasted signature."""

    type: Literal["respond"] = "respond"
    key: str
    digest: str
    version: int
    text: Annotated[str, Field(min_length=1, max_length=200_000)]


class Stop(_Act):
    """Stop the running turn."""

    type: Literal["stop"] = "stop"


class Retry(_Act):
    """Try a failed turn again; finished calls keep their results."""

    type: Literal["retry"] = "retry"
    turn: int


class Continue(_Act):
    """Go on with a capped turn with a new budget."""

    type: Literal["continue"] = "continue"
    turn: int


class Undo(_Act):
    """Ask to take a finished call back; the undo asks for its own approval."""

    type: Literal["undo"] = "undo"
    key: str


class Explain(_Request):
    """How each row of a card's review was read: answered with `review.derivation.explain`, as JSON."""

    type: Literal["explain"] = "explain"
    key: str


class ArgumentsForm(_Request):
    """What the arguments of a card may be: answered with their JSON Schema (2020-12)."""

    type: Literal["arguments_form"] = "arguments_form"
    key: str


class Upload(_Request):
    """A piece of a file that goes with a later message; answered with how many bytes have arrived."""

    type: Literal["upload"] = "upload"
    draft: Annotated[str, Field(min_length=1, max_length=64)]
    """Names the file until its message is sent; made by the page."""
    name: Annotated[str, Field(max_length=500)]
    media: Annotated[str, Field(max_length=200)]
    size: Annotated[int, Field(ge=0)]
    """Bytes of the whole file."""
    offset: Annotated[int, Field(ge=0)]
    data: Annotated[str, Field(max_length=400_000)]
    """Base64."""


class DropUpload(_Request):
    """The person took a file away before its message went: what there is of it is not kept."""

    type: Literal["drop_upload"] = "drop_upload"
    draft: Annotated[str, Field(min_length=1, max_length=64)]


class FetchFile(_Request):
    """A piece of a file that was attached; answered by `FilePart`."""

    type: Literal["fetch_file"] = "fetch_file"
    digest: str
    offset: Annotated[int, Field(ge=0)] = 0


class SessionLog(_Request):
    """How the stream session of a turn went."""

    type: Literal["session_log"] = "session_log"
    turn: int


class StepRequest(_Request):
    """What the model was given for a step of a turn; answered by `StepGiven`, and kept nowhere."""

    type: Literal["step_request"] = "step_request"
    turn: int
    step: int
    raw: bool = False
    """Answer by its JSON as one text, which no browser has read: every digit is there."""


class ListChats(_Request):
    """Which chats are there? Answered by `ChatList`; with a query, by those in which its words were said."""

    type: Literal["list_chats"] = "list_chats"
    query: Annotated[str, Field(max_length=1_000)] = ""
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=200)] = 30


class ExportChat(_Request):
    """A chat as a file; answered by `ExportedFile`."""

    type: Literal["export_chat"] = "export_chat"
    chat: str
    form: Literal["json", "jsonl", "core", "markdown", "html"]


class OpenChat(_Request):
    """Show another chat in this place."""

    type: Literal["open_chat"] = "open_chat"
    chat: str


class NewChat(_Request):
    """Begin another chat with the same agents in this place."""

    type: Literal["new_chat"] = "new_chat"


class RenameChat(_Request):
    """Give a chat another title."""

    type: Literal["rename_chat"] = "rename_chat"
    chat: str
    title: Annotated[str, Field(min_length=1, max_length=500)]


class TakeOver(_Request):
    """Go on here with the chat that is shown and that another kernel writes; that one then can only read it."""

    type: Literal["take_over"] = "take_over"
    chat: str


class DeleteChat(_Request):
    """Remove a chat for good; where it is the one that is shown, a new one takes its place."""

    type: Literal["delete_chat"] = "delete_chat"
    chat: str


class Unfold(_Request):
    """Show the earlier messages in a cell that shows a part of its chat, or hide them again; a snapshot follows."""

    type: Literal["unfold"] = "unfold"
    unfolded: bool


class Resync(_Request):
    """A new page, or one that saw a gap, asks for a snapshot."""

    type: Literal["resync"] = "resync"


class Ping(_Request):
    """Is the kernel there? Answered by an acknowledgement with its boot and newest number."""

    type: Literal["ping"] = "ping"
    page: Page = ""


class Painted(_Request):
    """The page fell behind with painting, or caught up; it says nothing while it keeps up, and no answer is sent."""

    type: Literal["painted"] = "painted"
    page: Page
    behind: Annotated[int, Field(ge=0)]
    """How many events it has that it has not painted. Above 16 the model is not read on, at 6 or fewer it is again."""


class WalletFault(_Model):
    """Why a wallet did not do what it was asked (EIP-1193 codes; those of ours are below 1000)."""

    code: int
    message: Annotated[str, Field(max_length=2_000)]


class WalletAnswer(_Request):
    """What the wallet said to the request `nonce`: `error`, or else `result`."""

    type: Literal["wallet_answer"] = "wallet_answer"
    page: Page
    key: str
    nonce: str
    result: Any = None
    error: WalletFault | None = None


class WalletFound(_Model):
    """A wallet that announced itself to the page; all of it is its own claim."""

    rdns: Annotated[str, Field(max_length=256)]
    name: Annotated[str, Field(max_length=256)]


class Wallets(_Request):
    """The wallets that the page has found, and what the chosen one lets the page see without asking the person."""

    type: Literal["wallets"] = "wallets"
    page: Page
    found: Annotated[list[WalletFound], Field(max_length=64)]
    accounts: Annotated[list[Annotated[str, Field(max_length=128)]], Field(max_length=64)] = []
    network: Annotated[str, Field(max_length=64)] = ""


QuickAct = (
    Send
    | EditMessage
    | Regenerate
    | Choose
    | Rate
    | Decide
    | Stop
    | Retry
    | Continue
    | Undo
    | Reconcile
    | RetryCall
    | Revoke
    | WalletAnswer
)
"""What is done at once."""
SlowAct = Respond | EditCall | CheckCall
"""What is checked before it counts."""
Act = QuickAct | SlowAct
"""What changes the chat; the other requests may be repeated at will."""
ShelfAct = OpenChat | NewChat | RenameChat | DeleteChat | TakeOver
"""What is done with other chats; its acknowledgement comes once it is done."""
QuickQuestion = Explain | ArgumentsForm | SessionLog | StepRequest | Upload | DropUpload
"""What is answered at once."""
Question = QuickQuestion | ListChats | ExportChat | FetchFile
"""What changes nothing of any chat; its acknowledgement carries the answer as `data`."""
ToKernel = Annotated[
    Act | ShelfAct | Question | Unfold | Resync | Ping | Painted | Wallets, Field(discriminator="type")
]

to_kernel: TypeAdapter[ToKernel] = TypeAdapter(ToKernel)
"""Validates what a page sent; everything it says is a request, never a fact."""
to_page: TypeAdapter[ToPage] = TypeAdapter(ToPage)


def _schema() -> dict[str, Any]:
    public = (globals()[name] for name in __all__)
    models = [one for one in public if isinstance(one, type) and issubclass(one, BaseModel)]
    _, schema = models_json_schema([(model, "serialization") for model in models], title="Protocol")
    return schema


if __name__ == "__main__":
    print(json.dumps(_schema(), indent=2))  # noqa: T201 - its purpose
