"""What became of a transaction on an EVM chain: looked up once, or watched for a bounded time; nothing is ever sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Protocol, cast

from bitte_nb.errors import SigningError
from bitte_nb.signing.rpc import NodeRefused
from bitte_nb.signing.timing import SystemTiming, Timing

__all__ = ["OtherTransaction", "Reader", "differs", "first_nonce", "look", "revert_reason", "unknown", "watch"]

POLL, SLOWEST = 0.2, 4.0
"""Seconds between two looks: at first, and at most; each pause is half as long again as the one before."""
_BLOCKS_BACK = 8
"""Blocks that are searched for what took a nonce."""


class Reader(Protocol):
    """Asks a chain; only methods that read are called."""

    async def call(self, method: str, *params: Any) -> Any:
        """The result of one JSON-RPC method.

        Raises:
            SigningError: there is none; `NodeRefused` where the node says why.
        """
        ...


class OtherTransaction(SigningError):
    """What was sent is not what was reviewed."""


async def look(
    reader: Reader,
    transaction_hash: str,
    *,
    reviewed: Mapping[str, Any] | None = None,
    sender: str | None = None,
    nonce: int | None = None,
) -> dict[str, Any]:
    """Ask once what is known of a transaction.

    Args:
        reader: Where to ask.
        transaction_hash: `0x` and 64 hex digits.
        reviewed: What it must be, as `transactions.read_batch` reads it.
        sender: Who sent it, and
        nonce: its nonce, where they are known: then a replacement can be told.

    Returns:
        hash and status: mined, failed (with `error`, the revert reason), replaced (with `error` and, where it is found,
        `replacedBy`), submitted (known but not included) or unknown.

    Raises:
        OtherTransaction: what was sent is not `reviewed`.
        SigningError: the hash is malformed, or the node does not answer.
    """
    if not re.fullmatch(r"0x[0-9a-fA-F]{64}", transaction_hash):
        raise SigningError("A transaction hash is 0x and 64 hexadecimal digits.")
    if reviewed is not None:
        sent = await reader.call("eth_getTransactionByHash", transaction_hash)
        if sent is None:
            return _nowhere(transaction_hash)
        _refuse_other(transaction_hash, cast("dict[str, Any]", sent), reviewed)
    receipt = await reader.call("eth_getTransactionReceipt", transaction_hash)
    if receipt is not None:
        return await _included(reader, transaction_hash, cast("dict[str, Any]", receipt))
    if await reader.call("eth_getTransactionByHash", transaction_hash) is not None:
        return {"status": "submitted", "hash": transaction_hash}
    if sender is not None and nonce is not None:
        return await _replaced(reader, transaction_hash, sender, nonce) or _nowhere(transaction_hash)
    return _nowhere(transaction_hash)


async def watch(
    reader: Reader,
    transaction_hash: str,
    *,
    timeout: float,  # noqa: ASYNC109 - a limit that ends with an outcome, not with an error
    reviewed: Mapping[str, Any] | None = None,
    sender: str | None = None,
    nonce: int | None = None,
    timing: Timing | None = None,
) -> dict[str, Any]:
    """Look until the transaction is included or replaced, for at most `timeout` seconds.

    Args:
        reader: Where to ask; silence of it is waited out.
        transaction_hash: `0x` and 64 hex digits.
        timeout: Seconds.
        reviewed: What it must be, as `transactions.read_batch` reads it; then the outcome says `verified`.
        sender: Who sent it, where known.
        nonce: Its nonce, where known.
        timing: The source of time.

    Returns:
        As `look`, or with status unknown or dropped and a sentence in `error` once the time is over.

    Raises:
        OtherTransaction: what was sent is not `reviewed`.
        SigningError: the hash is malformed.
    """
    timing = timing or SystemTiming()
    end, pause, seen, silence = timing.monotonic() + timeout, POLL, False, ""
    while True:
        outcome: dict[str, Any] = _nowhere(transaction_hash)
        try:
            if not seen and (sender is None or reviewed is not None):
                sent = await reader.call("eth_getTransactionByHash", transaction_hash)
                if sent is not None:
                    sent = cast("dict[str, Any]", sent)
                    if reviewed is not None:
                        _refuse_other(transaction_hash, sent, reviewed)
                    seen, sender, nonce = True, str(sent.get("from", "")).lower(), int(sent["nonce"], 16)
            # Nothing counts before it is known to be what was reviewed.
            if seen or reviewed is None:
                outcome = await look(reader, transaction_hash, sender=sender, nonce=nonce)
                seen = seen or outcome["status"] == "submitted"
            silence = ""
        except OtherTransaction:
            raise
        except (SigningError, KeyError, ValueError, TypeError) as error:
            silence = f" {error}"
        if outcome["status"] in ("mined", "failed"):
            return {**outcome, "verified": True} if reviewed is not None else outcome
        left = end - timing.monotonic()
        if outcome["status"] == "replaced" and not silence:
            return outcome
        if left <= 0:
            return _late(outcome, seen=seen, timeout=timeout, silence=silence)
        await timing.sleep(min(pause, left))
        pause = min(pause * 1.5, SLOWEST)


def differs(sent: Mapping[str, Any], reviewed: Mapping[str, Any]) -> str | None:
    """Where a sent transaction is not the reviewed one, in words; None where it is.

    A wallet may choose nonce, gas, fees, type and access list. It may not choose another sender, recipient, amount,
    payload or chain, nor add an EIP-7702 authorization.

    Args:
        sent: As a node tells it (eth_getTransactionByHash).
        reviewed: As `transactions.read_batch` reads it; `from` and `chainId` count where they are there, and so does
            `nonceFrom`: what has a lower nonce was sent before this was asked for.
    """
    found = {
        "to": str(sent.get("to") or "").lower(),
        "value": int(str(sent.get("value") or "0x0"), 16),
        "data": str(sent.get("input") or sent.get("data") or "0x").lower(),
    }
    meant: dict[str, Any] = {
        "to": str(reviewed.get("to") or "").lower(),
        "value": reviewed.get("value", 0),
        "data": str(reviewed.get("data") or "0x").lower(),
    }
    if reviewed.get("from"):
        found["from"], meant["from"] = str(sent.get("from", "")).lower(), str(reviewed["from"]).lower()
    if reviewed.get("chainId") is not None and sent.get("chainId") is not None:
        found["chainId"], meant["chainId"] = int(str(sent["chainId"]), 16), reviewed["chainId"]
    first, used = reviewed.get("nonceFrom"), sent.get("nonce")
    if first is not None and used is not None and int(str(used), 16) < first:
        return f"its nonce is {int(str(used), 16)}, which was used up before this was asked for: it is an older one"
    if _delegates(sent) != _delegates(reviewed):
        return "its EIP-7702 authorizations are not those that were reviewed"
    wrong = next((name for name in meant if meant[name] != found[name]), None)
    return None if wrong is None else f"its {wrong} is {_short(found[wrong])}, not {_short(meant[wrong])}"


async def first_nonce(reader: Reader, sender: str) -> dict[str, int]:
    """`{"nonceFrom": n}`, the lowest nonce that a transaction sent from here on can have; {} where nobody tells."""
    try:
        return {"nonceFrom": int(await reader.call("eth_getTransactionCount", sender, "latest"), 16)}
    except (SigningError, ValueError, TypeError):
        return {}


def _delegates(transaction: Mapping[str, Any]) -> list[tuple[int, str]]:
    """Chain and code of each EIP-7702 authorization."""
    entries = cast("list[dict[str, Any]]", transaction.get("authorizationList") or [])
    return [(int(str(one["chainId"]), 0), str(one["address"]).lower()) for one in entries]


def _refuse_other(transaction_hash: str, sent: Mapping[str, Any], reviewed: Mapping[str, Any]) -> None:
    why = differs(sent, reviewed)
    if why is not None:
        raise OtherTransaction(
            f"The wallet sent another transaction than the one that was reviewed: {why}. Its hash is "
            f"{transaction_hash}; look it up in an explorer."
        )


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:60]}… ({len(text)} characters)"


def unknown(transaction_hash: str, why: str, *, status: str = "unknown") -> dict[str, Any]:
    """An outcome that is not known, with a sentence that keeps anybody from sending it again unseen."""
    return {
        "status": status,
        "hash": transaction_hash,
        "error": f"{why} It may still run: look the hash up before sending anything again.",
    }


def _nowhere(transaction_hash: str) -> dict[str, Any]:
    return {"status": "unknown", "hash": transaction_hash}


def _late(outcome: dict[str, Any], *, seen: bool, timeout: float, silence: str) -> dict[str, Any]:
    if seen and outcome["status"] == "unknown" and not silence:
        gone = f"The node had it, but no longer knows it after {timeout:g} s: it was probably dropped."
        return unknown(outcome["hash"], gone, status="dropped")
    return unknown(outcome["hash"], f"It was sent, but no receipt came within {timeout:g} s.{silence}")


async def _replaced(reader: Reader, transaction_hash: str, sender: str, nonce: int) -> dict[str, Any] | None:
    """What took the nonce, where the chain has gone past it and has no receipt for the hash."""
    used = int(await reader.call("eth_getTransactionCount", sender, "latest"), 16)
    # Asked after the count: a receipt that came in between must not be called a replacement.
    if used <= nonce or await reader.call("eth_getTransactionReceipt", transaction_hash) is not None:
        return None
    outcome: dict[str, Any] = {
        "status": "replaced",
        "hash": transaction_hash,
        "error": f"Another transaction with the nonce {nonce} was included instead, so it never ran.",
    }
    other = await _other(reader, sender, nonce)
    if other is not None:
        outcome["replacedBy"] = other["hash"]
        outcome["error"] += f" It is {other['hash']}: look what it did, a wallet replaces to speed up or to cancel."
    return outcome


async def _other(reader: Reader, sender: str, nonce: int) -> dict[str, Any] | None:
    """The included transaction of that sender and nonce, searched in the newest blocks."""
    try:
        newest = int(await reader.call("eth_blockNumber"), 16)
        for number in range(newest, max(-1, newest - _BLOCKS_BACK), -1):
            block = cast("dict[str, Any]", await reader.call("eth_getBlockByNumber", hex(number), True))
            for one in cast("list[dict[str, Any]]", block.get("transactions") or []):
                if str(one["from"]).lower() == sender.lower() and int(one["nonce"], 16) == nonce:
                    return one
    except (SigningError, KeyError, ValueError, TypeError, AttributeError):
        return None
    return None


async def _included(reader: Reader, transaction_hash: str, receipt: dict[str, Any]) -> dict[str, Any]:
    status = {"0x1": "mined", "0x0": "failed"}.get(str(receipt.get("status")))
    if status is None:
        return unknown(transaction_hash, "Its receipt does not say whether it succeeded.")
    outcome: dict[str, Any] = {
        "status": status,
        "hash": transaction_hash,
        "blockNumber": int(receipt["blockNumber"], 16),
        "gasUsed": int(receipt["gasUsed"], 16),
    }
    if receipt.get("contractAddress"):
        outcome["contractAddress"] = receipt["contractAddress"]
    if status == "failed":
        outcome["error"] = f"It was included but reverted: {await _why(reader, transaction_hash, receipt)}."
    return outcome


async def _why(reader: Reader, transaction_hash: str, receipt: dict[str, Any]) -> str:
    """Call the transaction again in its block to learn the revert reason, where the node can."""
    try:
        sent = cast("dict[str, Any]", await reader.call("eth_getTransactionByHash", transaction_hash))
        again = {name: sent[name] for name in ("from", "to", "value", "gas") if sent.get(name)}
        await reader.call("eth_call", {**again, "data": sent["input"]}, receipt["blockNumber"])
    except NodeRefused as error:
        return revert_reason(error)
    except (SigningError, KeyError, TypeError):
        return "the node does not say why"
    return "the reason cannot be told afterwards"


def revert_reason(error: NodeRefused) -> str:
    """The revert reason in words: Error(string) and Panic(uint256) decoded, anything else as the node put it."""
    data = error.data
    if isinstance(data, dict):
        data = cast("dict[str, Any]", data).get("data")
    if isinstance(data, str) and re.fullmatch(r"0x[0-9a-fA-F]{8,20000}", data):
        raw = bytes.fromhex(data[2:]) if len(data) % 2 == 0 else b""
        if raw[:4] == bytes.fromhex("08c379a0") and len(raw) >= 68:
            length = int.from_bytes(raw[36:68])
            return raw[68 : 68 + length].decode(errors="replace")
        if raw[:4] == bytes.fromhex("4e487b71") and len(raw) == 36:
            return f"panic {hex(int.from_bytes(raw[4:]))}"
        if len(raw) == 4 or (len(raw) - 4) % 32 == 0:
            return f"custom error {data[:10]} ({error.said})"
    return error.said
