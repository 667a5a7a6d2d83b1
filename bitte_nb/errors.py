"""Every exception that bitte_nb raises on purpose.

    BitteError
    ├── ArgumentRefused      what was given to a function cannot be used; a ValueError too
    ├── DocumentError        the document cannot be loaded at all
    ├── OperationError       an operation cannot be used as asked
    │   └── UnknownTool      no operation, primitive or local tool has that name
    ├── ToolDefinitionError  a Python function cannot be offered as a tool
    ├── RequestRefused       a request must not be sent as it stands (bad arguments, unsafe target)
    ├── ReviewRefused        a transaction or message cannot be reviewed safely at all
    ├── WalletError          an account is none of its kind, or a wallet is no Wallet
    ├── PolicyError          a policy is invalid, so nothing may start under it
    ├── MeasureError         a case or a stored measurement cannot be used, so nothing is measured
    ├── DecisionRefused      an approval, denial or answer was not accepted
    │   ├── StaleDecision    it names another version of the card than the current one
    │   ├── AlreadyDecided   somebody decided first
    │   └── DecisionExpired  the time to say yes is over; it was not run
    ├── SigningError         a signer declined, failed or is not available
    ├── ModelError           the model endpoint failed
    │   └── ModelStreamCut   its stream ended without saying that it was finished
    ├── HistoryError         the store cannot read or write a chat
    │   ├── ChatNotFound     no chat has that id
    │   ├── ChatConflict     the chat moved on in another process
    │   └── HistoryBusy      nothing was written now; the same may succeed later
    └── WaitRefused          waiting here could never end

Messages are sentences for a person: what was wrong, where, what to do.
"""

from __future__ import annotations


class BitteError(Exception):
    """Base of all errors raised on purpose by this package."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows: the sentence alone, because what is wrong is not in the code."""
        return [f"{type(self).__name__}: {self}"]


class ArgumentRefused(BitteError, ValueError):
    """What was given to a function cannot be used; the sentence names it and what to give."""


class DocumentError(BitteError):
    """The document cannot be loaded at all: not found, not JSON or YAML, not OpenAPI."""


class OperationError(BitteError):
    """An operation cannot be used as asked, for example because the document names no server."""


class UnknownTool(OperationError):
    """No operation, primitive or local tool has that name."""


class ToolDefinitionError(BitteError):
    """A Python function cannot be offered as a tool: its signature or its name does not allow it."""


class RequestRefused(BitteError):
    """A request must not be sent as it stands; the sentence names the argument or the target."""


class ReviewRefused(BitteError):
    """A transaction or message is too malformed to be reviewed safely."""


class WalletError(BitteError):
    """An account is none of its kind, or what was given for a wallet is no `Wallet`."""


class PolicyError(BitteError):
    """A policy is invalid, so nothing may start under it."""


class MeasureError(BitteError):
    """A case or a stored measurement cannot be used: it names what is not there, or cannot be read."""


class DecisionRefused(BitteError):
    """An approval, denial or answer was not accepted."""

    code = "decision_refused"


class StaleDecision(DecisionRefused):
    """The decision names another digest or version than the card that is shown now."""

    code = "stale_decision"


class AlreadyDecided(DecisionRefused):
    """Somebody decided first; the first decision stands."""

    code = "already_decided"


class DecisionExpired(DecisionRefused):
    """The time to say yes is over: the call was not run."""

    code = "expired"


class SigningError(BitteError):
    """A signer declined, failed or is not available."""


class ModelError(BitteError):
    """The model endpoint failed; `status` is its HTTP status where there was one."""

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        """Seconds the endpoint asked to wait (RFC 9110, Retry-After), or None."""


class ModelStreamCut(ModelError):
    """The model's stream ended without its terminal marker: nothing in it may run."""


class HistoryError(BitteError):
    """The store cannot read or write a chat."""

    transient = False
    """Whether the same may succeed later, with nothing loaded again."""


class ChatNotFound(HistoryError):
    """No chat has that id."""


class ChatConflict(HistoryError):
    """The chat moved on in another process."""


class HistoryBusy(HistoryError):
    """Locked by another program, out of room or out of reach; a repeated append is still guarded by the head."""

    transient = True


class WaitRefused(BitteError):
    """Waiting here could never end, because the click it waits for cannot arrive."""
