"""Several transactions of one request, sent one after the other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from bitte_nb.errors import SigningError
from bitte_nb.signing.outcome import OtherTransaction
from bitte_nb.signing.pages import Uncertain

__all__ = ["ending", "evm_result", "in_turn"]

T = TypeVar("T")


async def in_turn(transactions: Sequence[T], send: Callable[[T], Awaitable[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The outcomes of those that were asked for: each next one only after the one before was mined.

    Args:
        transactions: All of them, each already in the form that the wallet takes: what cannot be put into that form
            has to be found before the first one leaves.
        send: Asks for one and follows it.

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


def evm_result(
    outcomes: list[dict[str, Any]], transactions: Sequence[object], *, chain_id: int, account: str
) -> dict[str, Any]:
    """The outcomes of EVM transactions as one result; see `protocol.Signer.evm`."""
    hashes = [one["hash"] for one in outcomes if one["hash"]]
    result: dict[str, Any] = {
        "status": outcomes[-1]["status"],
        "hash": hashes[-1] if hashes else None,
        "hashes": hashes,
        "chainId": chain_id,
        "outcomes": outcomes,
    }
    return result | ({"from": account} if account else {}) | ending(outcomes, asked=len(transactions))


def ending(outcomes: list[dict[str, Any]], *, asked: int) -> dict[str, Any]:
    """The last outcome's `error`, and a `note` where not all of the transactions were sent."""
    last: dict[str, Any] = {"error": outcomes[-1]["error"]} if "error" in outcomes[-1] else {}
    left = asked - len(outcomes)
    return {**last, "note": f"{left} later transactions of this request were not sent."} if left else last
