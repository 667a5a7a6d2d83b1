"""Sending EVM transactions through a node and telling honestly what became of them."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any, Protocol, cast

from bitte_nb.errors import SigningError
from bitte_nb.signing.evm import read_transactions
from bitte_nb.signing.requests import EvmSignRequest
from bitte_nb.signing.rpc import Node, NodeRefused, NodeSilent

__all__ = ["Account", "Sender"]

POLL_SECONDS = 0.2


class Account(Protocol):
    """What signs: an eth-account local account."""

    address: str

    def sign_transaction(self, transaction_dict: dict[str, Any]) -> Any:
        """Sign, giving `hash` and `raw_transaction`."""
        ...


class Sender:
    """Fills in nonce, gas and fees, signs, sends one transaction after the other and waits for each receipt."""

    def __init__(self, node: Node, *, receipt_timeout: float) -> None:
        self._node = node
        self._receipt_timeout = receipt_timeout

    async def send(self, request: EvmSignRequest, account: Account) -> dict[str, Any]:
        """Send the transactions of a request in order; the next goes only after a good receipt.

        Raises:
            SigningError: nothing was sent: the node is another chain's, refuses the first transaction, or says that
                it would revert.
        """
        transactions = read_transactions(request)
        await self._refuse_other_chain(request.chain_id)
        outcomes: list[dict[str, Any]] = []
        for transaction in transactions:
            try:
                outcomes.append(await self._send_one(transaction, request.chain_id, account))
            except SigningError as error:
                if not outcomes:
                    raise
                outcomes.append({"status": "failed", "hash": None, "error": f"Not sent: {error}"})
            if outcomes[-1]["status"] != "mined":
                break
        hashes = [one["hash"] for one in outcomes if one["hash"]]
        result: dict[str, Any] = {
            "status": outcomes[-1]["status"],
            "hash": hashes[-1],
            "hashes": hashes,
            "chainId": request.chain_id,
            "from": account.address,
            "outcomes": outcomes,
        }
        if "error" in outcomes[-1]:
            result["error"] = outcomes[-1]["error"]
        left = len(transactions) - len(outcomes)
        if left:
            result["note"] = f"{left} later transactions of this request were not sent."
        return result

    async def look_up(self, transaction_hash: str) -> dict[str, Any]:
        """Ask once what is known of a transaction: mined, failed, submitted or unknown.

        Raises:
            SigningError: the hash is malformed, or the node does not answer.
        """
        if not re.fullmatch(r"0x[0-9a-fA-F]{64}", transaction_hash):
            raise SigningError("A transaction hash is 0x and 64 hexadecimal digits.")
        receipt = await self._node.call("eth_getTransactionReceipt", transaction_hash)
        if receipt is not None:
            return await self._outcome(transaction_hash, cast("dict[str, Any]", receipt))
        found = await self._node.call("eth_getTransactionByHash", transaction_hash)
        return {"status": "submitted" if found else "unknown", "hash": transaction_hash}

    async def _refuse_other_chain(self, chain_id: int) -> None:
        served = int(await self._node.call("eth_chainId"), 16)
        if served != chain_id:
            raise SigningError(
                f"The node at {self._node.shown} is on chain {served}, but the request is for chain {chain_id}. "
                "Nothing was sent."
            )

    async def _send_one(self, transaction: dict[str, Any], chain_id: int, account: Account) -> dict[str, Any]:
        filled = await self._filled(transaction, chain_id, account.address)
        signed = await asyncio.to_thread(account.sign_transaction, filled)
        transaction_hash = "0x" + bytes(signed.hash).hex()
        try:
            said = await self._node.call("eth_sendRawTransaction", "0x" + bytes(signed.raw_transaction).hex())
        except NodeSilent as error:
            # The node may have taken it before it fell silent, so this is not a failure.
            return _unknown(transaction_hash, str(error))
        except NodeRefused as error:
            if "already known" not in error.said.lower():
                raise
            said = transaction_hash
        if not isinstance(said, str) or said.lower() != transaction_hash:
            return _unknown(transaction_hash, "The node answered with another hash than that of what was signed.")
        return await self._wait(transaction_hash, account.address, int(filled["nonce"]))

    async def _filled(self, transaction: dict[str, Any], chain_id: int, sender: str) -> dict[str, Any]:
        filled = {name: value for name, value in transaction.items() if name != "from"}
        filled.setdefault("value", 0)
        filled["chainId"] = chain_id
        if "to" in filled:
            from eth_utils.address import to_checksum_address

            filled["to"] = to_checksum_address(filled["to"])
        if "nonce" not in filled:
            filled["nonce"] = int(await self._node.call("eth_getTransactionCount", sender, "pending"), 16)
        if "gas" not in filled:
            filled["gas"] = await self._gas(filled, sender)
        if "gasPrice" not in filled:
            await self._fill_fees(filled)
        return filled

    async def _gas(self, filled: dict[str, Any], sender: str) -> int:
        asked: dict[str, Any] = {"from": sender, "value": hex(filled["value"]), "data": filled["data"]}
        if "to" in filled:
            asked["to"] = filled["to"]
        if "accessList" in filled:
            asked["accessList"] = filled["accessList"]
        try:
            return int(await self._node.call("eth_estimateGas", asked), 16)
        except NodeRefused as error:
            raise SigningError(f"The transaction would fail: {_reason(error)}. Nothing was sent.") from None

    async def _fill_fees(self, filled: dict[str, Any]) -> None:
        """EIP-1559 fees that outlast a doubling of the base fee; gasPrice on a chain without a base fee."""
        block = cast("dict[str, Any]", await self._node.call("eth_getBlockByNumber", "latest", False))
        base = block.get("baseFeePerGas")
        if base is None:
            filled["gasPrice"] = int(await self._node.call("eth_gasPrice"), 16)
            return
        if "maxPriorityFeePerGas" not in filled:
            tip = int(await self._node.call("eth_maxPriorityFeePerGas"), 16)
            filled["maxPriorityFeePerGas"] = min(tip, filled.get("maxFeePerGas", tip))
        filled.setdefault("maxFeePerGas", 2 * int(base, 16) + filled["maxPriorityFeePerGas"])
        filled["type"] = 2

    async def _wait(self, transaction_hash: str, sender: str, nonce: int) -> dict[str, Any]:
        end = time.monotonic() + self._receipt_timeout
        silence = ""
        while True:
            try:
                receipt = await self._node.call("eth_getTransactionReceipt", transaction_hash)
            except SigningError as error:
                receipt, silence = None, f" {error}"
            if receipt is not None:
                return await self._outcome(transaction_hash, cast("dict[str, Any]", receipt))
            if time.monotonic() >= end:
                if not silence and await self._replaced(transaction_hash, sender, nonce):
                    return {
                        "status": "failed",
                        "hash": transaction_hash,
                        "error": f"Another transaction with the nonce {nonce} was included instead, so it never ran.",
                    }
                return _unknown(
                    transaction_hash, f"It was sent, but no receipt came within {self._receipt_timeout:g} s.{silence}"
                )
            await asyncio.sleep(POLL_SECONDS)

    async def _replaced(self, transaction_hash: str, sender: str, nonce: int) -> bool:
        """Whether the chain has gone past the nonce while it has no receipt for the hash."""
        try:
            used = int(await self._node.call("eth_getTransactionCount", sender, "latest"), 16)
            # Asked after the count: a receipt that came in between must not be called a replacement.
            return used > nonce and await self._node.call("eth_getTransactionReceipt", transaction_hash) is None
        except SigningError:
            return False

    async def _outcome(self, transaction_hash: str, receipt: dict[str, Any]) -> dict[str, Any]:
        status = {"0x1": "mined", "0x0": "failed"}.get(str(receipt.get("status")))
        if status is None:
            return _unknown(transaction_hash, "Its receipt does not say whether it succeeded.")
        outcome: dict[str, Any] = {
            "status": status,
            "hash": transaction_hash,
            "blockNumber": int(receipt["blockNumber"], 16),
            "gasUsed": int(receipt["gasUsed"], 16),
        }
        if receipt.get("contractAddress"):
            outcome["contractAddress"] = receipt["contractAddress"]
        if status == "failed":
            outcome["error"] = f"It was included but reverted: {await self._why(transaction_hash, receipt)}."
        return outcome

    async def _why(self, transaction_hash: str, receipt: dict[str, Any]) -> str:
        """Call the transaction again in its block to learn the revert reason, where the node can."""
        try:
            sent = cast("dict[str, Any]", await self._node.call("eth_getTransactionByHash", transaction_hash))
            again = {name: sent[name] for name in ("from", "to", "value", "gas") if sent.get(name)}
            await self._node.call("eth_call", {**again, "data": sent["input"]}, receipt["blockNumber"])
        except NodeRefused as error:
            return _reason(error)
        except (SigningError, KeyError, TypeError):
            return "the node does not say why"
        return "the reason cannot be told afterwards"


def _unknown(transaction_hash: str, why: str) -> dict[str, Any]:
    return {
        "status": "unknown",
        "hash": transaction_hash,
        "error": f"{why} It may still run: look the hash up before sending anything again.",
    }


def _reason(error: NodeRefused) -> str:
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
