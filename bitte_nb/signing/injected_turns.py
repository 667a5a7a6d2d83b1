"""Several transactions of one request, asked of a wallet one after the other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from bitte_nb.errors import SigningError
from bitte_nb.signing.outcome import OtherTransaction
from bitte_nb.signing.pages import Uncertain

__all__ = ["ending", "in_turn"]

T = TypeVar("T")


async def in_turn(transactions: Iterable[T], send: Callable[[T], Awaitable[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The outcomes of those that were asked for: each next one only after the one before was mined.

    Raises:
        SigningError: the first one was not sent, or a wallet sent another transaction than the one asked for.
    """
    outcomes: list[dict[str, Any]] = []
    for number, transaction in enumerate(transactions, 1):
        try:
            outcomes.append(await send(transaction))
        except OtherTransaction:
            raise
        except SigningError as error:
            if not outcomes:
                raise
            status = "unknown" if isinstance(error, Uncertain) else "failed"
            outcomes.append({"status": status, "hash": None, "error": f"Transaction {number}: {error}"})
        if outcomes[-1]["status"] != "mined":
            break
    return outcomes


def ending(outcomes: list[dict[str, Any]], *, asked: int) -> dict[str, Any]:
    """The last outcome's `error`, and a `note` where not all of the transactions were sent."""
    last: dict[str, Any] = {"error": outcomes[-1]["error"]} if "error" in outcomes[-1] else {}
    left = asked - len(outcomes)
    return {**last, "note": f"{left} later transactions of this request were not sent."} if left else last
