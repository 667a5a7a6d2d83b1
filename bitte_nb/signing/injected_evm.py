"""What a browser wallet is asked on an EVM chain, and how its answers are checked against what was reviewed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bitte_nb.errors import SigningError
from bitte_nb.signing import evm
from bitte_nb.signing.injected_batch import batches, hand_over, hands_over, in_turn_words, wire
from bitte_nb.signing.outcome import Reader, first_nonce, look, watch
from bitte_nb.signing.pages import WalletRefused
from bitte_nb.signing.rpc import Node, NodeRefused
from bitte_nb.signing.transactions import read_batch, read_transactions, why_not_in_turn
from bitte_nb.signing.turns import evm_result, in_turn

if TYPE_CHECKING:
    from bitte_nb.signing.injected import Asking
    from bitte_nb.signing.requests import EvmSignRequest

__all__ = ["carry_out", "look_at"]

_HASH = re.compile(r"0x[0-9a-fA-F]{64}")
_ERC6492 = "6492" * 16
_ERC1271 = "0x1626ba7e"


async def carry_out(asking: Asking, request: EvmSignRequest) -> dict[str, Any]:
    """See `Signer.evm`."""
    if request.sends:
        return await _send(asking, request)
    address = evm.read_signable(request).address
    method = "personal_sign" if request.method == "personal_sign" else "eth_signTypedData_v4"
    params = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in request.params]
    network = str(evm.bound_chain(request) or "")
    signature = await asking.act("evm", method, params, network=network, account=address, sends=False)
    if not isinstance(signature, str) or not re.fullmatch(r"0x(?:[0-9a-fA-F]{2})+", signature):
        raise SigningError("The wallet answered with something that is no signature. It was not accepted.")
    return await _verified(request, signature, asking.signer.node(request.chain_id))


async def _verified(request: EvmSignRequest, signature: str, node: Node | None) -> dict[str, Any]:
    """The result of a signature: by recovery, or for a contract account by ERC-1271 on the person's own node."""
    if signature.lower().endswith(_ERC6492):
        raise SigningError(
            "The signature is one of a contract account that is not deployed yet (ERC-6492). It cannot be checked "
            "here, so it was not accepted; it counts once the account is deployed."
        )
    try:
        return evm.signature_result(request, signature)
    except SigningError as error:
        if node is None or not await _has_code(node, evm.read_signable(request).address):
            raise SigningError(f"{error} With rpc={{{request.chain_id}: URL}} a node could be asked.") from None
    digest = evm.signing_digest(request)
    address = evm.read_signable(request).address
    if not await _valid(node, address, digest, bytes.fromhex(signature[2:])):
        raise SigningError(
            f"The contract account {address} does not accept the signature for this request (ERC-1271). It was not "
            "accepted."
        )
    return {
        "status": "signed",
        "signature": signature.lower(),
        "address": address,
        "digest": "0x" + digest.hex(),
        "method": request.method,
        "chainId": request.chain_id,
        "note": f"Signed by a contract account; {node.shown} confirmed it (ERC-1271).",
    }


async def _has_code(node: Node, address: str) -> bool:
    try:
        return str(await node.call("eth_getCode", address, "latest")) not in {"0x", "0x0", ""}
    except SigningError:
        return False


async def _valid(node: Node, address: str, digest: bytes, signature: bytes) -> bool:
    padded = signature + b"\0" * (-len(signature) % 32)
    data = _ERC1271 + (digest + (64).to_bytes(32) + len(signature).to_bytes(32) + padded).hex()
    try:
        said = await node.call("eth_call", {"to": address, "data": data}, "latest")
    except NodeRefused:
        return False
    return isinstance(said, str) and said.lower().startswith(_ERC1271)


class _Wallets:
    """The wallet's own node as a `Reader`, through the page."""

    def __init__(self, asking: Asking, network: str) -> None:
        self._asking = asking
        self._network = network

    async def call(self, method: str, *params: Any) -> Any:
        try:
            return await self._asking.read(method, list(params), network=self._network)
        except WalletRefused as error:
            raise NodeRefused(f"The wallet refused {method}: {error.said}", said=error.said) from None


async def _reader(asking: Asking, chain_id: int) -> Reader:
    """The person's own node for the chain, else the wallet's.

    Raises:
        SigningError: the node is another chain's.
    """
    node = asking.signer.node(chain_id)
    if node is None:
        return _Wallets(asking, str(chain_id))
    try:
        served = int(await node.call("eth_chainId"), 16)
    except (SigningError, ValueError, TypeError):
        return node  # a node that is silent now may answer later
    if served != chain_id:
        raise SigningError(
            f"The node at {node.shown} is on chain {served}, but it was given for chain {chain_id}. Nothing was sent."
        )
    return node


async def _send(asking: Asking, request: EvmSignRequest) -> dict[str, Any]:
    batch = read_batch(request)
    transactions = batch.transactions
    reader = await _reader(asking, request.chain_id)
    account = str(transactions[0].get("from") or asking.signer.wallet.evm_address or "")
    note = ""
    if len(transactions) > 1 or request.method == "wallet_sendCalls":
        offered = await batches(asking, request.chain_id, account)
        if offered is not None and hands_over(offered, request, batch):
            return await hand_over(asking, request, batch, account, reader)
        why_not = why_not_in_turn(request)
        if why_not is not None:
            raise SigningError(f"{why_not} The wallet does not offer that on this chain. Nothing was sent.")
        note = in_turn_words(request, batch)
    outcomes = await in_turn(transactions, lambda one: _one(asking, request, one, account, reader))
    result = evm_result(outcomes, transactions, chain_id=request.chain_id, account=account)
    notes = " ".join(filter(None, (note, result.get("note"))))
    return {**result, "note": notes} if notes else result


async def _one(
    asking: Asking, request: EvmSignRequest, transaction: dict[str, Any], account: str, reader: Reader
) -> dict[str, Any]:
    sender = str(transaction.get("from") or account)
    shown = wire(transaction, sender)
    meant = {**transaction, "chainId": request.chain_id, **({"from": sender} if sender else {})}
    if sender and isinstance(reader, Node):
        meant |= await first_nonce(reader, sender)
    said = await asking.act(
        "evm", "eth_sendTransaction", [shown], network=str(request.chain_id), account=sender, sends=True
    )
    if not isinstance(said, str) or not _HASH.fullmatch(said):
        return {
            "status": "unknown",
            "hash": None,
            "error": "The wallet answered with something that is no transaction hash. Look at its activity before you "
            "ask for this again.",
        }
    transaction_hash = said.lower()
    asking.tell(f"Sent as {transaction_hash}; waiting until it is included.")
    return await watch(
        reader,
        transaction_hash,
        timeout=asking.signer.receipt_timeout,
        reviewed=meant,
        timing=asking.signer.timing,
    )


async def look_at(
    asking: Asking, request: EvmSignRequest, hashes: list[str], *, more: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """See `InjectedSigner.look`."""
    reader = await _reader(asking, request.chain_id)
    return [
        await look(reader, name, reviewed={**meant, "chainId": request.chain_id, **more})
        for name, meant in zip(hashes, read_transactions(request), strict=False)
    ]
