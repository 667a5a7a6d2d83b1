"""The signer for when nothing can be signed: it records that the person approved, and says that nothing happened."""

from __future__ import annotations

from typing import Any

from bitte_nb.core.wallet import Wallet
from bitte_nb.signing.requests import EvmSignRequest, NearTransactions, SigningRequest, SignMessageRequest

__all__ = ["ReviewOnlySigner"]


class ReviewOnlySigner:
    """Takes every request, signs none and sends none.

    Args:
        why: A sentence that says why nothing can be signed; results carry it.
    """

    name = "Review only (nothing is signed or sent)"

    def __init__(self, *, why: str = "No wallet is connected.") -> None:
        self._why = why

    @property
    def accounts(self) -> Wallet:
        """Any account: it signs nothing."""
        return Wallet()

    def can(self, request: SigningRequest) -> str | None:
        """None: any request can be reviewed."""
        del request

    async def sign_message(self, request: SignMessageRequest) -> dict[str, Any]:
        """Record the approval of a message."""
        del request
        return self._reviewed("the message was not signed")

    async def send_transactions(self, request: NearTransactions) -> dict[str, Any]:
        """Record the approval of NEAR transactions."""
        count = len(request.transactions)
        return self._reviewed(
            "the transaction was not signed or sent" if count == 1 else f"none of the {count} was sent"
        )

    async def evm(self, request: EvmSignRequest) -> dict[str, Any]:
        """Record the approval of an EVM wallet call."""
        sends = request.sends
        return self._reviewed("the transaction was not signed or sent" if sends else "the request was not signed")

    def _reviewed(self, what: str) -> dict[str, Any]:
        return {
            "status": "reviewed",
            "submitted": False,
            "note": f"The person reviewed and approved this request, but {what}. {self._why}",
        }
