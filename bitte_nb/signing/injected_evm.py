"""What a browser wallet is asked on an EVM chain, and how its answers are checked against what was reviewed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from bitte_nb.errors import SigningError
from bitte_nb.signing import evm
from bitte_nb.signing.outcome import OtherTransaction, Reader, differs, unknown, watch
from bitte_nb.signing.pages import Uncertain, WalletRefused
from bitte_nb.signing.rpc import Node, NodeRefused

if TYPE_CHECKING:
    from bitte_nb.signing.injected import Asking
    from bitte_nb.signing.requests import EvmSignRequest

__all__ = ["carry_out"]

_HASH = re.compile(r"0x[0-9a-fA-F]{64}")
_ERC6492 = "6492" * 16
_ERC1271 = "0x1626ba7e"
_BATCH_POLL, _BATCH_SLOWEST = 1.0, 4.0


async def carry_out(asking: Asking, request: EvmSignRequest) -> dict[str, Any]:
    """See `Signer.evm`."""
    if request.method == "eth_sendTransaction":
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
    transactions = evm.read_transactions(request)
    reader = await _reader(asking, request.chain_id)
    account = str(transactions[0].get("from") or asking.signer.wallet.evm_address or "")
    if len(transactions) > 1 and await _batches(asking, request.chain_id, account):
        return await _batch(asking, request, transactions, account, reader)
    outcomes: list[dict[str, Any]] = []
    for number, transaction in enumerate(transactions, 1):
        try:
            outcomes.append(await _one(asking, request, transaction, account, reader))
        except OtherTransaction:
            raise
        except SigningError as error:
            if not outcomes:
                raise
            status = "unknown" if isinstance(error, Uncertain) else "failed"
            outcomes.append({"status": status, "hash": None, "error": f"Transaction {number}: {error}"})
        if outcomes[-1]["status"] != "mined":
            break
    hashes = [one["hash"] for one in outcomes if one["hash"]]
    result: dict[str, Any] = {
        "status": outcomes[-1]["status"],
        "hash": hashes[-1],
        "hashes": hashes,
        "chainId": request.chain_id,
        "outcomes": outcomes,
    }
    if account:
        result["from"] = account
    if "error" in outcomes[-1]:
        result["error"] = outcomes[-1]["error"]
    left = len(transactions) - len(outcomes)
    if left:
        result["note"] = f"{left} later transactions of this request were not sent."
    return result


async def _one(
    asking: Asking, request: EvmSignRequest, transaction: dict[str, Any], account: str, reader: Reader
) -> dict[str, Any]:
    sender = str(transaction.get("from") or account)
    shown = _wire(transaction, sender)
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
    meant = {**transaction, "chainId": request.chain_id, **({"from": sender} if sender else {})}
    return await watch(
        reader,
        transaction_hash,
        timeout=asking.signer.receipt_timeout,
        reviewed=meant,
        timing=asking.signer.timing,
    )


def _wire(transaction: Mapping[str, Any], sender: str) -> dict[str, Any]:
    """A transaction as EIP-1193 wallets take it: quantities as hex text, no chain of its own (the page checks it)."""
    shown = {name: hex(value) if isinstance(value, int) else value for name, value in transaction.items()}
    shown.setdefault("value", "0x0")
    return {**shown, "from": sender} if sender else shown


# EIP-5792 ------------------------------------------------------------------------------------------------------------


async def _batches(asking: Asking, chain_id: int, account: str) -> bool:
    """Whether the wallet says that it takes a batch for this chain in one piece; asking for this asks nobody."""
    if not account:
        return False
    try:
        said = await asking.read("wallet_getCapabilities", [account, [hex(chain_id)]], network=str(chain_id))
    except SigningError:
        return False
    return _table(_table(_table(said).get(hex(chain_id))).get("atomic")).get("status") == "supported"


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


async def _batch(
    asking: Asking, request: EvmSignRequest, transactions: list[dict[str, Any]], account: str, reader: Reader
) -> dict[str, Any]:
    """Hand over all transactions at once (EIP-5792) and follow the batch by its id."""
    calls = [
        {name: one[name] for name in ("to", "value", "data") if name in one}
        for one in (_wire(transaction, "") for transaction in transactions)
    ]
    batch = {
        "version": "2.0.0",
        "from": account,
        "chainId": hex(request.chain_id),
        "atomicRequired": False,
        "calls": calls,
    }
    said = await asking.act(
        "evm", "wallet_sendCalls", [batch], network=str(request.chain_id), account=account, sends=True
    )
    name: object = _table(said).get("id", said)
    result: dict[str, Any] = {"status": "unknown", "hash": None, "hashes": [], "chainId": request.chain_id}
    result |= {"from": account, "batch": name}
    if not isinstance(name, str) or not 0 < len(name) <= 8194:
        return {**result, "error": "The wallet took the batch but gave it no name. Look at its activity."}
    asking.tell(f"Handed over as batch {name[:80]}; waiting until it is included.")
    status = await _status(asking, request.chain_id, name)
    return {**result, **await _judged(status, request, transactions, account, reader)}


async def _status(asking: Asking, chain_id: int, name: str) -> dict[str, Any]:
    """The newest wallet_getCallsStatus: final, or whatever there is once the time is over."""
    timing = asking.signer.timing
    end, pause, known = timing.monotonic() + asking.signer.receipt_timeout, _BATCH_POLL, dict[str, Any]()
    while True:
        try:
            said = await asking.read("wallet_getCallsStatus", [name], network=str(chain_id))
            known = _table(said) or known
        except SigningError:
            pass  # asked again until the time is over
        left = end - timing.monotonic()
        if (isinstance(known.get("status"), int) and known["status"] >= 200) or left <= 0:
            return known
        await timing.sleep(min(pause, left))
        pause = min(pause * 1.5, _BATCH_SLOWEST)


async def _judged(
    status: dict[str, Any],
    request: EvmSignRequest,
    transactions: list[dict[str, Any]],
    account: str,
    reader: Reader,
) -> dict[str, Any]:
    """What a batch came to; its receipts are the wallet's word until the chain's transactions are compared."""
    receipts = [_table(one) for one in cast("list[object]", status.get("receipts") or [])]
    hashes = list(dict.fromkeys(str(one.get("transactionHash", "")).lower() for one in receipts))
    hashes = [one for one in hashes if _HASH.fullmatch(one)]
    found: dict[str, Any] = {"hashes": hashes, "hash": hashes[-1] if hashes else None}
    code = status.get("status")
    match code:
        case 200:
            found["status"] = "mined"
        case 400:
            found |= {"status": "failed", "error": "The wallet gave the batch up before it reached the chain."}
        case 500:
            found |= {"status": "failed", "error": "The batch was included but reverted: none of its calls took hold."}
        case 600:
            found |= {"status": "failed", "error": "The batch was included, but only a part of its calls took hold."}
        case _:
            why = "It was handed over, but the wallet has told no end of it."
            return found | unknown(found["hash"] or "", why) | {"hash": found["hash"]}
    one_each = len(hashes) == len(transactions)
    if one_each:
        for transaction_hash, transaction in zip(hashes, transactions, strict=True):
            meant = {**transaction, "chainId": request.chain_id, "from": account}
            sent = await reader.call("eth_getTransactionByHash", transaction_hash)
            why = (
                differs(cast("dict[str, Any]", sent), meant) if isinstance(sent, dict) else "the node does not know it"
            )
            if why is not None:
                raise OtherTransaction(
                    f"{transaction_hash} of the batch is not the transaction that was reviewed: {why}. Look it up in "
                    "an explorer."
                )
    else:
        found["note"] = (
            "The wallet put the calls into a transaction of its own; what is in it was not compared with the review."
        )
    return {**found, "verified": one_each}
