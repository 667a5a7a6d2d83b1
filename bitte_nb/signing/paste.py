"""The paste-back signer: the person carries the request to a wallet elsewhere and brings back what it answered."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import SigningError
from bitte_nb.signing import evm, nep413
from bitte_nb.signing.near_forms import for_wallets, refuse_other
from bitte_nb.signing.near_rpc import NearNode, is_near_hash
from bitte_nb.signing.outcome import differs
from bitte_nb.signing.requests import EvmSignRequest, NearTransactions, SigningRequest, SignMessageRequest
from bitte_nb.signing.rpc import Node
from bitte_nb.signing.transactions import read_transactions, why_not_in_turn

__all__ = ["NOT_LOOKED_UP", "Asked", "PasteSigner", "Slip", "slip"]


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
            if request.sends:
                bring = f"Paste {_hashes_words(_count(request))} (0x and 64 digits each), in order."
            else:
                bring = "Paste the signature: 0x and 130 hexadecimal digits."
    return Slip(copy=json.dumps(fields, indent=2, ensure_ascii=False), bring=bring)


@dataclass(frozen=True, slots=True)
class Asked:
    """When something was asked for: a transaction of before is no answer to it, nor is that of another call."""

    at: float | None = None
    """Seconds since 1970 at which the person was asked, by this machine's clock."""
    nonce: int | None = None
    """The sending EVM account's next nonce at that time, where a node told it."""
    taken: Callable[[str], bool] = lambda _: False
    """Whether a hash is the outcome of another call."""


_CLOCKS = 60.0
"""Seconds by which a chain's clock may lag behind this machine's."""


class PasteSigner:
    """Signs with a wallet that this program cannot reach; what comes back is checked before it counts.

    A signature is verified against exactly the request. A transaction hash is looked up where a node was named, and
    must be the reviewed transaction, sent after it was asked for; without a node the result says `verified: false`.

    Args:
        ask: Shows a `Slip` and returns what the person pasted.
        account_id: NEAR account that must have signed.
        evm_address: EVM account that must have signed or sent.
        near_public_key: `ed25519:` key that must have signed, where it is known.
        rpc: EIP-155 chain id, or NEAR network, to the URL of a node to look hashes up on.
        asked: What tells a new transaction from an old one like it.
    """

    name = "Paste back (sign elsewhere, bring the answer)"

    def __init__(
        self,
        *,
        ask: Callable[[Slip], Awaitable[str]],
        account_id: str | None = None,
        evm_address: str | None = None,
        near_public_key: str | None = None,
        rpc: Mapping[int | str, str] | None = None,
        asked: Asked | None = None,
    ) -> None:
        self._ask = ask
        self.account_id = account_id
        self.evm_address = evm_address
        self.near_public_key = near_public_key
        self._rpc = {str(chain): url for chain, url in (rpc or {}).items()}
        self._asked = asked or Asked()

    @property
    def accounts(self) -> Wallet:
        """The accounts that must have signed."""
        return Wallet(account_id=self.account_id, evm_address=self.evm_address)

    def can(self, request: SigningRequest) -> str | None:
        """None where a pasted answer to the request could be checked, else a sentence why not."""
        if not isinstance(request, EvmSignRequest):
            return None
        try:
            if request.sends:
                why_not = why_not_in_turn(request)
                if why_not is not None:
                    return f"{why_not} What a wallet elsewhere makes of that could not be compared."
                asked = [one["from"] for one in read_transactions(request) if "from" in one]
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
        hashes = _words(await self._ask(slip(request)), len(request.transactions))
        for word in hashes:
            if not is_near_hash(word):
                raise SigningError(f"{word[:60]!r} is not a NEAR transaction hash (base58 of 32 bytes).")
        self._refuse_taken(hashes)
        result: dict[str, Any] = {"status": "submitted", "verified": False, "hashes": hashes}
        url = self._rpc.get(request.network)
        if url is None:
            return {**result, "note": NOT_LOOKED_UP}
        return {**result, **await self._checked_near(request, hashes, NearNode(Node(url)))}

    async def evm(self, request: EvmSignRequest) -> dict[str, Any]:
        """Ask for a signature and verify it, or for the hashes of transactions that the person sent."""
        why_not = self.can(request)
        if why_not is not None:
            raise SigningError(why_not)
        pasted = await self._ask(slip(request))
        if not request.sends:
            return evm.signature_result(request, pasted.strip().strip("\"'"))
        hashes = [word.lower() for word in _words(pasted, len(read_transactions(request)))]
        for word in hashes:
            if not re.fullmatch(r"0x[0-9a-f]{64}", word):
                raise SigningError(f"{word[:80]!r} is not a transaction hash (0x and 64 hexadecimal digits).")
        self._refuse_taken(hashes)
        result: dict[str, Any] = {"status": "submitted", "verified": False, "hash": hashes[-1], "hashes": hashes}
        result["chainId"] = request.chain_id
        url = self._rpc.get(str(request.chain_id))
        if url is None:
            return {**result, "note": NOT_LOOKED_UP}
        return {**result, **await self._checked(request, hashes, Node(url))}

    def _refuse_taken(self, hashes: list[str]) -> None:
        taken = next((one for one in hashes if self._asked.taken(one)), None)
        if taken is not None:
            raise SigningError(f"{taken} is the outcome of another call: one transaction is no answer to two requests.")

    def _refuse_older(self, name: str, included: float) -> None:
        if self._asked.at is not None and included < self._asked.at - _CLOCKS:
            raise SigningError(
                f"{name} was on the chain {self._asked.at - included:.0f} s before this was asked for: it is an older "
                "transaction like this one."
            )

    async def _checked(self, request: EvmSignRequest, hashes: list[str], node: Node) -> dict[str, Any]:
        """Compare what the node knows under the hashes with what was reviewed."""
        served = int(await node.call("eth_chainId"), 16)
        if served != request.chain_id:
            raise SigningError(f"The node is on chain {served}, but the request is for chain {request.chain_id}.")
        more: dict[str, Any] = {"chainId": request.chain_id}
        if self._asked.nonce is not None:
            more["nonceFrom"] = self._asked.nonce
        ranks: list[str] = []
        for word, reviewed in zip(hashes, read_transactions(request), strict=True):
            found = cast("dict[str, Any] | None", await node.call("eth_getTransactionByHash", word))
            if found is None:
                raise SigningError(_UNHEARD.format(word))
            why = differs(found, {"from": self.evm_address, **reviewed, **more})
            if why is not None:
                raise SigningError(f"{word} is another transaction than the one reviewed: {why}.")
            receipt = cast("dict[str, Any] | None", await node.call("eth_getTransactionReceipt", word))
            ranks.append("submitted" if receipt is None else {"0x1": "mined", "0x0": "failed"}[receipt["status"]])
            if receipt is not None:
                block = cast("dict[str, Any]", await node.call("eth_getBlockByNumber", receipt["blockNumber"], False))
                self._refuse_older(word, int(block["timestamp"], 16))
        return self._judged(ranks, bound=self._asked.nonce is not None)

    async def _checked_near(self, request: NearTransactions, hashes: list[str], node: NearNode) -> dict[str, Any]:
        """The same on NEAR."""
        ranks: list[str] = []
        for name, meant in zip(hashes, for_wallets(request, self.account_id), strict=True):
            found = await node.look(name, meant.get("signerId", ""))
            sent = cast("dict[str, Any]", found.get("transaction") or {})
            if not sent:
                raise SigningError(_UNHEARD.format(name))
            refuse_other(name, sent, meant)
            ranks.append(found["status"])
            if found.get("block"):
                self._refuse_older(name, await node.time_of(found["block"]))
        return self._judged(ranks, bound=False)

    def _judged(self, ranks: list[str], *, bound: bool) -> dict[str, Any]:
        worst = next((rank for rank in ("failed", "submitted") if rank in ranks), "mined")
        dated = self._asked.at is not None and worst != "submitted"
        note = {} if bound or dated else {"note": NOT_DATED}
        return {"status": worst, "verified": True, **note}


NOT_LOOKED_UP = (
    "Without a node for this network, that it was sent is the person's word, and an older transaction like it cannot "
    "be told from it."
)
"""What a hash that nobody looks up is worth."""
NOT_DATED = "It is the transaction that was reviewed; whether it was sent before it was asked for cannot be told."
_UNHEARD = "The node does not know {} (yet). Nothing was accepted; paste it again once the network has it."


def _count(request: EvmSignRequest) -> int:
    try:
        return len(read_transactions(request))
    except SigningError:
        return 1  # what cannot be read is answered by nothing, whatever is pasted


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
