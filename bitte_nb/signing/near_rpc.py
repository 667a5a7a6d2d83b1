"""What a NEAR node tells of keys and of sent transactions; nothing is ever sent."""

from __future__ import annotations

import re
from typing import Any, cast

import base58

from bitte_nb.errors import SigningError
from bitte_nb.signing.outcome import unknown
from bitte_nb.signing.rpc import Node, NodeRefused
from bitte_nb.signing.timing import SystemTiming, Timing

__all__ = ["NearNode", "failure", "is_near_hash", "status_of"]

POLL, SLOWEST = 0.5, 4.0
_DONE = frozenset({"EXECUTED", "FINAL"})


def is_near_hash(text: object) -> bool:
    """Whether it is the base58 text of 32 bytes."""
    if not isinstance(text, str) or not 32 <= len(text) <= 44:
        return False
    try:
        return len(base58.b58decode(text)) == 32
    except ValueError:
        return False


class NearNode:
    """A NEAR node (nearcore JSON-RPC)."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.shown = node.shown

    async def has_full_access(self, account_id: str, public_key: str) -> bool:
        """Whether the key is a full-access key of the account, which NEP-413 asks for.

        Raises:
            SigningError: the node does not answer.
        """
        try:
            key = await self._node.named(
                "query",
                request_type="view_access_key", finality="final", account_id=account_id, public_key=public_key,
            )  # fmt: skip
        except NodeRefused as error:
            if error.cause in {"UNKNOWN_ACCESS_KEY", "UNKNOWN_ACCOUNT"}:
                return False
            raise
        permission = cast("dict[str, Any]", key).get("permission") if isinstance(key, dict) else None
        return permission == "FullAccess"

    async def look(self, transaction_hash: str, sender: str) -> dict[str, Any]:
        """Ask once what is known of a transaction.

        Returns:
            hash, status (mined: all its receipts succeeded; failed; submitted; unknown) and, where it is known,
            `transaction` as the node tells it.

        Raises:
            SigningError: the hash is malformed, or the node does not answer.
        """
        if not is_near_hash(transaction_hash):
            raise SigningError("A NEAR transaction hash is the base58 text of 32 bytes.")
        try:
            found = await self._node.named("tx", tx_hash=transaction_hash, sender_account_id=sender, wait_until="NONE")
        except NodeRefused as error:
            if error.cause in {"UNKNOWN_TRANSACTION", "TIMEOUT_ERROR"}:
                return {"status": "unknown", "hash": transaction_hash}
            raise
        return {**status_of(found), "hash": transaction_hash}

    async def time_of(self, block: str) -> float:
        """When a block was made, by its hash: seconds since 1970.

        Raises:
            SigningError: the node does not answer, or does not know it.
        """
        found = await self._node.named("block", block_id=block)
        header = cast("dict[str, Any]", found).get("header") if isinstance(found, dict) else None
        try:
            return int(cast("dict[str, Any]", header)["timestamp"]) / 1e9
        except (KeyError, TypeError, ValueError):
            raise SigningError(f"{self.shown} does not say when the block {block[:60]} was made.") from None

    async def watch(
        self,
        transaction_hash: str,
        sender: str,
        *,
        timeout: float,  # noqa: ASYNC109 - a limit that ends with an outcome, not with an error
        timing: Timing | None = None,
    ) -> dict[str, Any]:
        """Look until every receipt has run, for at most `timeout` seconds; as `look`, silence is waited out."""
        timing = timing or SystemTiming()
        end, pause, silence = timing.monotonic() + timeout, POLL, ""
        while True:
            outcome: dict[str, Any] = {"status": "unknown", "hash": transaction_hash}
            try:
                outcome, silence = await self.look(transaction_hash, sender), ""
            except SigningError as error:
                silence = f" {error}"
            left = end - timing.monotonic()
            if outcome["status"] in ("mined", "failed"):
                return outcome
            if left <= 0:
                why = f"It was sent, but {timeout:g} s later the node does not say that all of it has run.{silence}"
                return {**outcome, **unknown(transaction_hash, why)}
            await timing.sleep(min(pause, left))
            pause = min(pause * 1.5, SLOWEST)


def status_of(outcome: object) -> dict[str, Any]:
    """What a final execution outcome (nearcore) comes to: status, perhaps `error`, `transaction` and its `block`.

    A transaction whose first receipt succeeded can still fail in a later one: all of them are looked at.
    """
    if not isinstance(outcome, dict):
        return {"status": "unknown"}
    view = cast("dict[str, Any]", outcome)
    told: dict[str, Any] = {"transaction": view["transaction"]} if isinstance(view.get("transaction"), dict) else {}
    if isinstance(view.get("transaction_outcome"), dict) and view["transaction_outcome"].get("block_hash"):
        told["block"] = str(view["transaction_outcome"]["block_hash"])
    parts: list[Any] = [view.get("transaction_outcome"), *cast("list[Any]", view.get("receipts_outcome") or [])]
    statuses: list[Any] = [
        cast("dict[str, Any]", part["outcome"]).get("status")
        for part in cast("list[dict[str, Any]]", [one for one in parts if isinstance(one, dict)])
        if isinstance(part.get("outcome"), dict)
    ]
    for status in (view.get("status"), *statuses):
        why = failure(status)
        if why:
            what = "It failed" if failure(view.get("status")) else "It was included, but a part of it failed later"
            return {**told, "status": "failed", "error": f"{what}: {why}."}
    final = view.get("final_execution_status")
    succeeded = isinstance(view.get("status"), dict) and "SuccessValue" in view["status"]
    if succeeded and (final in _DONE or final is None):
        return {**told, "status": "mined"}
    return {**told, "status": "submitted" if "transaction" in told or view.get("status") else "unknown"}


def failure(status: object) -> str:
    """The words of a failed execution status, or empty."""
    if not isinstance(status, dict) or "Failure" not in status:
        return ""
    return _words(cast("dict[str, Any]", status)["Failure"]) or "the node does not say why"


def _words(value: object) -> str:
    """The innermost name of a nearcore error and its details, for example "AccountDoesNotExist: account_id x.near"."""
    if isinstance(value, str):
        return value[:500]
    if not isinstance(value, dict):
        return ""
    fields = cast("dict[str, Any]", value)
    for name, inner in fields.items():
        if name in {"index"}:
            continue
        if isinstance(inner, dict) and name in {"ActionError", "kind", "FunctionCallError", "InvalidTxError"}:
            return _words(cast("object", inner))
        if isinstance(inner, str) and name in {"ExecutionError", "kind", "ActionError", "InvalidTxError"}:
            return inner[:500]
        if isinstance(inner, dict) and re.fullmatch(r"[A-Z]\w+", name):
            details = ", ".join(f"{key} {text}" for key, text in cast("dict[str, Any]", inner).items())
            return f"{name}: {details}"[:500] if details else name
        return f"{name}: {inner}"[:500]
    return ""
