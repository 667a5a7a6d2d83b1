"""The signer protocol: what the agent layer asks of anything that can sign, send or only record an approval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol, runtime_checkable

from bitte_nb.core.wallet import Wallet
from bitte_nb.signing.requests import EvmSignRequest, NearTransactions, SigningRequest, SignMessageRequest

__all__ = ["PerCall", "Signer", "Status"]

Status = Literal["signed", "submitted", "mined", "failed", "replaced", "dropped", "unknown", "reviewed"]
"""What a result says under `status`.

`signed`: a signature, verified here. `submitted`: a network took it, nobody saw it included. `mined`: a receipt says
that it succeeded. `failed`: a receipt says that it reverted, or a later part of a batch was refused. `replaced`:
another transaction took its nonce, so it never ran. `dropped`: a node had it and no longer knows it; it may still run.
`unknown`: it may or may not have run. `reviewed`: approved by the person, neither signed nor sent.
"""


class Signer(Protocol):
    """Signs or sends what a person has approved; it never asks by itself and never shows a key.

    Every method raises `SigningError` where nothing was signed or sent, and returns a JSON-able result with `status`
    where something was, even if it went wrong afterwards. Cancelling an await after something was sent leaves the
    outcome unknown.
    """

    @property
    def name(self) -> str:
        """How the signer is called on cards and in history."""
        ...

    @property
    def accounts(self) -> Wallet:
        """The accounts it signs for; an empty field means any."""
        ...

    def can(self, request: SigningRequest) -> str | None:
        """None where this signer can carry the request out, else a sentence why not. Reads nothing, sends nothing."""
        ...

    async def sign_message(self, request: SignMessageRequest) -> dict[str, Any]:
        """Sign a NEP-413 message.

        Returns:
            accountId, publicKey (`ed25519:` and base58), signature (base64), message, nonce (base64), recipient,
            callbackUrl, state where given, and status `signed`.
        """
        ...

    async def send_transactions(self, request: NearTransactions) -> dict[str, Any]:
        """Sign and send NEAR transactions in order: status, hashes (base58) and transactions."""
        ...

    async def evm(self, request: EvmSignRequest) -> dict[str, Any]:
        """Carry out an EVM wallet call.

        Returns:
            For signatures: status `signed`, signature, address, digest, method, chainId. For transactions: the worst
            status, hash (of the last one sent), hashes, chainId and one entry in `outcomes` for each that was tried,
            with `error` where the last of them did not succeed.
        """
        ...


@runtime_checkable
class PerCall(Protocol):
    """A signer that has to know which approval it serves, for example to ask the page that gave it."""

    def at(self, call: str, tell: Callable[[str], object]) -> Signer:
        """The signer of one approved call, named `chat:key`; `tell` takes signs of life while it runs."""
        ...
