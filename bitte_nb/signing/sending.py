"""Sending EVM transactions through a node and telling honestly what became of them."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol, cast

from bitte_nb.errors import SigningError
from bitte_nb.signing.outcome import look, revert_reason, unknown, watch
from bitte_nb.signing.requests import EvmSignRequest
from bitte_nb.signing.rpc import Node, NodeRefused, NodeSilent
from bitte_nb.signing.timing import SystemTiming, Timing
from bitte_nb.signing.transactions import read_transactions
from bitte_nb.signing.turns import evm_result, in_turn

__all__ = ["Account", "Sender"]


class Account(Protocol):
    """What signs: an eth-account local account."""

    address: str

    def sign_transaction(self, transaction_dict: dict[str, Any]) -> Any:
        """Sign, giving `hash` and `raw_transaction`."""
        ...

    def sign_authorization(self, authorization: dict[str, Any]) -> Any:
        """Sign an EIP-7702 authorization: chainId, address, nonce."""
        ...


class Sender:
    """Fills in nonce, gas and fees, signs, sends one transaction after the other and waits for each receipt."""

    def __init__(self, node: Node, *, receipt_timeout: float, timing: Timing | None = None) -> None:
        self._node = node
        self._receipt_timeout = receipt_timeout
        self._timing = timing or SystemTiming()

    async def send(self, request: EvmSignRequest, account: Account) -> dict[str, Any]:
        """Send the transactions of a request in order; the next goes only after a good receipt.

        Raises:
            SigningError: nothing was sent: the node is another chain's, refuses the first transaction, or says that
                it would revert.
        """
        transactions = read_transactions(request)
        await self._refuse_other_chain(request.chain_id)
        outcomes = await in_turn(transactions, lambda one: self._send_one(one, request.chain_id, account))
        return evm_result(outcomes, transactions, chain_id=request.chain_id, account=account.address)

    async def look_up(self, transaction_hash: str) -> dict[str, Any]:
        """Ask once what is known of a transaction: mined, failed, submitted or unknown.

        Raises:
            SigningError: the hash is malformed, or the node does not answer.
        """
        return await look(self._node, transaction_hash)

    async def _refuse_other_chain(self, chain_id: int) -> None:
        served = int(await self._node.call("eth_chainId"), 16)
        if served != chain_id:
            raise SigningError(
                f"The node at {self._node.shown} is on chain {served}, but the request is for chain {chain_id}. "
                "Nothing was sent."
            )

    async def _send_one(self, transaction: dict[str, Any], chain_id: int, account: Account) -> dict[str, Any]:
        filled = await self._filled(transaction, chain_id, account)
        signed = await asyncio.to_thread(account.sign_transaction, filled)
        transaction_hash = "0x" + bytes(signed.hash).hex()
        try:
            said = await self._node.call("eth_sendRawTransaction", "0x" + bytes(signed.raw_transaction).hex())
        except NodeSilent as error:
            # The node may have taken it before it fell silent, so this is not a failure.
            return unknown(transaction_hash, str(error))
        except NodeRefused as error:
            if "already known" not in error.said.lower():
                raise
            said = transaction_hash
        if not isinstance(said, str) or said.lower() != transaction_hash:
            return unknown(transaction_hash, "The node answered with another hash than that of what was signed.")
        return await watch(
            self._node,
            transaction_hash,
            timeout=self._receipt_timeout,
            sender=account.address,
            nonce=int(filled["nonce"]),
            timing=self._timing,
        )

    async def _filled(self, transaction: dict[str, Any], chain_id: int, account: Account) -> dict[str, Any]:
        sender = account.address
        filled = {name: value for name, value in transaction.items() if name != "from"}
        filled.setdefault("value", 0)
        filled["chainId"] = chain_id
        if "to" in filled:
            from eth_utils.address import to_checksum_address

            filled["to"] = to_checksum_address(filled["to"])
        if "nonce" not in filled:
            filled["nonce"] = int(await self._node.call("eth_getTransactionCount", sender, "pending"), 16)
        if "authorizationList" in filled:
            filled["authorizationList"] = await asyncio.to_thread(_authorized, filled, account)
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
        if "authorizationList" in filled:
            asked["authorizationList"] = [
                {name: hex(value) if isinstance(value, int) else value for name, value in one.items()}
                for one in filled["authorizationList"]
            ]
        try:
            return int(await self._node.call("eth_estimateGas", asked), 16)
        except NodeRefused as error:
            raise SigningError(f"The transaction would fail: {revert_reason(error)}. Nothing was sent.") from None

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
        filled["type"] = 4 if "authorizationList" in filled else 2


def _authorized(filled: dict[str, Any], account: Account) -> list[dict[str, Any]]:
    """The authorizations, signed by the sender where they are not signed yet (EIP-7702).

    The sender's nonce has gone up by one for the transaction itself when its authorization is looked at.
    """
    nonce, made = filled["nonce"], list[dict[str, Any]]()
    for one in filled["authorizationList"]:
        if "r" in one:
            made.append(one)
            continue
        nonce += 1
        entry = {"chainId": one["chainId"], "address": one["address"], "nonce": one.get("nonce", nonce)}
        signed = account.sign_authorization(entry)
        made.append({**entry, "yParity": signed.y_parity, "r": signed.r, "s": signed.s})
    return made
