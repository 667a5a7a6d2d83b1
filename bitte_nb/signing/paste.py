"""The paste-back signer: the person carries the request to a wallet elsewhere and brings back what it answered."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, cast

import base58

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import SigningError
from bitte_nb.signing import evm, nep413
from bitte_nb.signing.outcome import differs
from bitte_nb.signing.requests import EvmSignRequest, NearTransactions, SigningRequest, SignMessageRequest
from bitte_nb.signing.rpc import Node

__all__ = ["PasteSigner", "Slip", "slip"]


@dataclass(frozen=True, slots=True)
class Slip:
    """What the person carries to the wallet, and what to bring back."""

    copy: str
    """The request as JSON text."""
    bring: str
    """A sentence that says what to paste."""


def slip(request: SigningRequest) -> Slip:
    """Write a request for the person to copy."""
    match request:
        case SignMessageRequest():
            fields: dict[str, Any] = {
                "message": request.message,
                "nonce": base64.b64encode(request.nonce).decode(),
                "recipient": request.recipient,
            }
            if request.callback_url is not None:
                fields["callbackUrl"] = request.callback_url
            bring = "Paste what the wallet answers: a JSON object with accountId, publicKey and signature (NEP-413)."
        case NearTransactions():
            fields = {"network": request.network, "transactions": [dict(one) for one in request.transactions]}
            bring = f"Paste {_hashes_words(len(request.transactions))}, in order."
        case EvmSignRequest():
            fields = {"method": request.method, "chainId": request.chain_id, "params": list(request.params)}
            if request.method == "eth_sendTransaction":
                bring = f"Paste {_hashes_words(len(request.params))} (0x and 64 digits each), in order."
            else:
                bring = "Paste the signature: 0x and 130 hexadecimal digits."
    return Slip(copy=json.dumps(fields, indent=2, ensure_ascii=False), bring=bring)


class PasteSigner:
    """Signs with a wallet that this program cannot reach; what comes back is checked before it counts.

    A signature is verified against exactly the request. A transaction hash is looked up where `rpc_url` names a node
    and must then be the reviewed transaction; without a node the result says `verified: false`.

    Args:
        ask: Shows a `Slip` and returns what the person pasted.
        account_id: NEAR account that must have signed.
        evm_address: EVM account that must have signed or sent.
        near_public_key: `ed25519:` key that must have signed, where it is known.
        rpc_url: HTTP URL of an EVM node to look hashes up on.
    """

    name = "Paste back (sign elsewhere, bring the answer)"

    def __init__(
        self,
        *,
        ask: Callable[[Slip], Awaitable[str]],
        account_id: str | None = None,
        evm_address: str | None = None,
        near_public_key: str | None = None,
        rpc_url: str | None = None,
    ) -> None:
        self._ask = ask
        self.account_id = account_id
        self.evm_address = evm_address
        self.near_public_key = near_public_key
        self._node = None if rpc_url is None else Node(rpc_url)

    @property
    def accounts(self) -> Wallet:
        """The accounts that must have signed."""
        return Wallet(account_id=self.account_id, evm_address=self.evm_address)

    def can(self, request: SigningRequest) -> str | None:
        """None where a pasted answer to the request could be checked, else a sentence why not."""
        if not isinstance(request, EvmSignRequest):
            return None
        try:
            if request.method == "eth_sendTransaction":
                asked = [one["from"] for one in evm.read_transactions(request) if "from" in one]
            elif request.method in evm.SIGNATURE_METHODS:
                asked = [evm.read_signable(request).address]
            else:
                return f"{request.method} cannot be checked here, so its answer would not be accepted."
        except SigningError as error:
            return str(error)
        other = [one for one in asked if self.evm_address and not evm.same_address(one, self.evm_address)]
        return f"The request asks {other[0]} to sign, but the wallet is {self.evm_address}." if other else None

    async def sign_message(self, request: SignMessageRequest) -> dict[str, Any]:
        """Ask for a NEP-413 answer and verify it."""
        pasted = _json_object(await self._ask(slip(request)))
        return nep413.answered(
            request, pasted, account_id=self.account_id, public_key=self.near_public_key, whose="The pasted answer"
        )

    async def send_transactions(self, request: NearTransactions) -> dict[str, Any]:
        """Ask for the hashes of NEAR transactions that the person sent."""
        words = _words(await self._ask(slip(request)), len(request.transactions))
        for word in words:
            try:
                raw = base58.b58decode(word)
            except ValueError:
                raw = b""
            if len(raw) != 32:
                raise SigningError(f"{word[:60]!r} is not a NEAR transaction hash (base58 of 32 bytes).")
        return {
            "status": "submitted",
            "verified": False,
            "hashes": words,
            "note": "The person says that these were sent; no NEAR node was asked.",
        }

    async def evm(self, request: EvmSignRequest) -> dict[str, Any]:
        """Ask for a signature and verify it, or for the hashes of transactions that the person sent."""
        why_not = self.can(request)
        if why_not is not None:
            raise SigningError(why_not)
        pasted = await self._ask(slip(request))
        if request.method != "eth_sendTransaction":
            return evm.signature_result(request, pasted.strip().strip("\"'"))
        hashes = [word.lower() for word in _words(pasted, len(request.params))]
        for word in hashes:
            if not re.fullmatch(r"0x[0-9a-f]{64}", word):
                raise SigningError(f"{word[:80]!r} is not a transaction hash (0x and 64 hexadecimal digits).")
        result: dict[str, Any] = {"status": "submitted", "verified": False, "hash": hashes[-1], "hashes": hashes}
        result["chainId"] = request.chain_id
        if self._node is None:
            return {**result, "note": "The person says that this was sent; no node was asked."}
        return {**result, **await self._checked(request, hashes, self._node)}

    async def _checked(self, request: EvmSignRequest, hashes: list[str], node: Node) -> dict[str, Any]:
        """Compare what the node knows under the hashes with what was reviewed."""
        served = int(await node.call("eth_chainId"), 16)
        if served != request.chain_id:
            raise SigningError(f"The node is on chain {served}, but the request is for chain {request.chain_id}.")
        ranks: list[str] = []
        for word, reviewed in zip(hashes, evm.read_transactions(request), strict=True):
            found = cast("dict[str, Any] | None", await node.call("eth_getTransactionByHash", word))
            if found is None:
                return {"status": "unknown", "note": f"The node does not know {word} (yet)."}
            meant = {"from": self.evm_address, **reviewed, "chainId": request.chain_id}
            why = differs(found, meant)
            if why is not None:
                raise SigningError(f"{word} is another transaction than the one reviewed: {why}.")
            receipt = cast("dict[str, Any] | None", await node.call("eth_getTransactionReceipt", word))
            ranks.append("submitted" if receipt is None else {"0x1": "mined", "0x0": "failed"}[receipt["status"]])
        worst = next((rank for rank in ("failed", "submitted") if rank in ranks), "mined")
        return {"status": worst, "verified": True}


def _hashes_words(count: int) -> str:
    return "the transaction hash" if count == 1 else f"the {count} transaction hashes"


def _words(pasted: str, count: int) -> list[str]:
    words = re.findall(r"[0-9A-Za-z]+", pasted)
    if len(words) != count:
        raise SigningError(f"Paste {_hashes_words(count)}; {len(words)} words were found.")
    if len(set(words)) != count:
        raise SigningError("The same hash is pasted twice.")
    return words


def _json_object(pasted: str) -> dict[str, Any]:
    try:
        value: object = json.loads(pasted)
    except ValueError as error:
        raise SigningError(f"The pasted answer is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise SigningError("The pasted answer must be a JSON object.")
    return cast("dict[str, Any]", value)
