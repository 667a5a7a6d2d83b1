"""Batches of transactions for wallets that take them in one piece (EIP-5792), and what became of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from bitte_nb.errors import SigningError
from bitte_nb.signing.outcome import OtherTransaction, Reader, differs, unknown

if TYPE_CHECKING:
    from bitte_nb.signing.injected import Asking
    from bitte_nb.signing.requests import EvmSignRequest
    from bitte_nb.signing.transactions import Batch

__all__ = ["batches", "hand_over", "hands_over", "in_turn_words", "wire"]

_HASH = re.compile(r"0x[0-9a-fA-F]{64}")
_BATCH_POLL, _BATCH_SLOWEST = 1.0, 4.0


def wire(transaction: Mapping[str, Any], sender: str) -> dict[str, Any]:
    """A transaction as EIP-1193 wallets take it: quantities as hex text, no chain of its own (the page checks it)."""
    shown = {name: hex(value) if isinstance(value, int) else value for name, value in transaction.items()}
    shown.setdefault("value", "0x0")
    return {**shown, "from": sender} if sender else shown


async def batches(asking: Asking, chain_id: int, account: str) -> dict[str, Any] | None:
    """The wallet's capabilities on a chain, or None where it takes no batches; asking for this asks nobody."""
    if not account:
        return None
    try:
        said = await asking.read("wallet_getCapabilities", [account, [hex(chain_id)]], network=str(chain_id))
    except SigningError:
        return None
    return {**_table(_table(said).get("0x0")), **_table(_table(said).get(hex(chain_id)))}


def hands_over(offered: Mapping[str, Any], request: EvmSignRequest, batch: Batch) -> bool:
    """Whether all calls go to the wallet in one piece: where it makes one unit of them, or the request says how."""
    status = _table(offered.get("atomic")).get("status")
    if request.method != "wallet_sendCalls":
        return status == "supported"
    return (not batch.atomic or status in ("supported", "ready")) and set(batch.required) <= offered.keys()


def in_turn_words(request: EvmSignRequest, batch: Batch) -> str:
    """What a result says where a batch had to go call by call."""
    if request.method != "wallet_sendCalls":
        return ""
    left = f" It was not asked for {', '.join(batch.capabilities)[:200]}." if batch.capabilities else ""
    return f"The wallet takes no batch of this kind (EIP-5792), so it was asked for each call in turn.{left}"


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


async def hand_over(
    asking: Asking, request: EvmSignRequest, batch: Batch, account: str, reader: Reader
) -> dict[str, Any]:
    """Hand over all transactions at once (EIP-5792) and follow the batch by its id."""
    transactions = batch.transactions
    calls = [
        {name: one[name] for name in ("to", "value", "data") if name in one}
        for one in (wire(transaction, "") for transaction in transactions)
    ]
    asked: dict[str, Any] = {
        "version": "2.0.0",
        "from": account,
        "chainId": hex(request.chain_id),
        "atomicRequired": batch.atomic,
        "calls": calls,
    }
    if batch.capabilities:
        asked["capabilities"] = batch.capabilities
    if batch.name is not None:
        asked["id"] = batch.name
    said = await asking.act(
        "evm", "wallet_sendCalls", [asked], network=str(request.chain_id), account=account, sends=True
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
