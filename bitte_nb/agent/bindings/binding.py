"""What stands behind a tool's name: how a call is prepared, shown, and carried out.

A binding first prepares a call (checks the arguments, builds exactly what would leave, takes its digest), and only a
prepared call can run. Preparing causes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from bitte_nb.core.invocation import Executor, Invocation
from bitte_nb.core.invocation_events import Prepared, Undo
from bitte_nb.core.tool import Tool

__all__ = ["Binding", "Checking", "Outcome", "Ready", "forbidden", "prepare", "report"]


def _unheard(_note: str) -> None:
    pass


report: ContextVar[Callable[[str], object]] = ContextVar("bitte_nb_report", default=_unheard)
"""Tells a sign of life of the call that is being carried out; set around `Ready.run`, called on the agent thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of running a call."""

    kind: Literal["result", "error", "unknown"]
    """`unknown`: it may have left, and nobody knows what came of it."""
    data: Any = None
    error: str = ""
    undo: Undo | None = None
    status: int | None = None
    """HTTP status of the answer, where a server answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A prepared call."""

    args: dict[str, Any]
    """The arguments after coercion."""
    prepared: Prepared
    run: Callable[[str], Awaitable[Outcome]]
    """Carry it out; takes the idempotency key. Cancelling it ends the connection at once."""
    later: Callable[[], Awaitable[Prepared | None]] | None = None
    """More to show about the same request, of the same digest, once it is known; None where nothing will come."""


def forbidden(prepared: Prepared | None) -> str:
    """Why nobody may approve it, as its review says, or empty."""
    review = prepared.review if prepared is not None else None
    if review is None or review.get("severity") != "block":
        return ""
    sentences = [one["sentence"] for one in review.get("warnings", []) if one.get("severity") == "block"]
    return " ".join(sentences) or "Its review forbids it."


class Binding(Protocol):
    """A tool that can be carried out."""

    @property
    def tool(self) -> Tool:
        """What the model is offered."""
        ...

    @property
    def executor(self) -> Executor:
        """Who carries it out."""
        ...

    @property
    def origin(self) -> str:
        """Scheme, host and port that its requests go to; empty where nothing leaves for a server.

        Raises:
            BitteError: it has none, so that no call can be prepared either.
        """
        ...

    @property
    def safe(self) -> bool:
        """Running it again changes nothing (RFC 9110 section 9.2.1)."""
        ...

    @property
    def idempotent(self) -> bool:
        """Running it twice has the effect of running it once (RFC 9110 section 9.2.2)."""
        ...

    @property
    def responds(self) -> bool:
        """A person may give the result."""
        ...

    def prepare(self, args: dict[str, Any]) -> Ready:
        """Check the arguments and build what would run; no effect.

        Raises:
            BitteError: the call cannot be made as asked; the sentence goes to the model.
        """
        ...

    async def answer(self, call: Invocation, text: str, others: Sequence[Invocation]) -> Any:
        """Check what the person gave as the result of a call, and return it; `others` are the chat's other calls.

        Raises:
            BitteError: it is not a valid result for this call.
        """
        ...


@runtime_checkable
class Checking(Protocol):
    """A binding that can look up what came of a call that left, without repeating it."""

    async def check(self, call: Invocation) -> Outcome:
        """Look whether the call took effect.

        Returns:
            `result` where it did, `error` where it certainly did not, `unknown` where that is still not known.
        """
        ...


async def prepare(binding: Binding, args: dict[str, Any]) -> Ready:
    """Prepare a call in a worker thread, since a review may decode a lot.

    Raises:
        BitteError: the call cannot be made as asked.
        Exception: a fault; what would end a thread or a task comes out as a `RuntimeError`.
    """

    def contained() -> Ready:
        try:
            return binding.prepare(args)
        except BaseException as error:
            if isinstance(error, Exception) and not isinstance(error, StopIteration):
                raise
            raise RuntimeError(f"{type(error).__name__} {error}".strip()) from error

    return await asyncio.to_thread(contained)
