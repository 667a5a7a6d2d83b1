"""A named stand-in for a NEAR node: it knows the transactions and keys that a test told it, and is no chain.

No NEAR node can be installed from the package registries. This checks nothing and runs nothing; it only answers `tx`
and `query` in the shapes of nearcore, so that what reads them can be tested.
"""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
from typing import Any

import base58

__all__ = ["NearStandIn", "executed", "name_of"]


def name_of(number: int) -> str:
    """A transaction hash."""
    return base58.b58encode(hashlib.sha256(str(number).encode()).digest()).decode()


def executed(
    name: str,
    *,
    signer: str = "alice.near",
    receiver: str = "bob.near",
    actions: list[Any] | None = None,
    status: dict[str, Any] | None = None,
    receipts: list[dict[str, Any]] | None = None,
    final: str | None = "FINAL",
    block: str | None = None,
) -> dict[str, Any]:
    """A final execution outcome as nearcore gives it; `receipts` are the statuses of the receipts."""
    made = [{"id": name, "outcome": {"status": one, "logs": []}} for one in receipts or [{"SuccessValue": ""}]]
    outcome: dict[str, Any] = {
        "status": {"SuccessValue": ""} if status is None else status,
        "transaction": {
            "hash": name,
            "signer_id": signer,
            "receiver_id": receiver,
            "actions": [{"Transfer": {"deposit": "5"}}] if actions is None else actions,
        },
        "transaction_outcome": {"id": name, "outcome": {"status": {"SuccessReceiptId": name}, "logs": []}},
        "receipts_outcome": made,
    }
    if block is not None:
        outcome["transaction_outcome"]["block_hash"] = block
    return outcome if final is None else {**outcome, "final_execution_status": final}


class NearStandIn(http.server.ThreadingHTTPServer):
    """See the module."""

    def __init__(self) -> None:
        self.transactions: dict[str, list[dict[str, Any]]] = {}
        """What is told of a hash, one after the other; the last stays."""
        self.keys: dict[tuple[str, str], Any] = {}
        """(account, key) to its permission."""
        self.blocks: dict[str, int] = {}
        """Hash of a block to when it was made, in seconds since 1970."""
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The `result` or `error` of one call."""
        self.asked.append(method)
        if method == "tx":
            told = self.transactions.get(params["tx_hash"])
            if not told:
                return _error("UNKNOWN_TRANSACTION")
            return {"result": told.pop(0) if len(told) > 1 else told[0]}
        if method == "block":
            return {"result": {"header": {"timestamp": self.blocks[params["block_id"]] * 10**9}}}
        permission = self.keys.get((params["account_id"], params["public_key"]))
        return (
            _error("UNKNOWN_ACCESS_KEY") if permission is None else {"result": {"nonce": 1, "permission": permission}}
        )


def _error(cause: str) -> dict[str, Any]:
    return {"error": {"name": "HANDLER_ERROR", "cause": {"name": cause}, "code": -32000, "message": "Server error"}}


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, NearStandIn)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = json.dumps({"jsonrpc": "2.0", "id": 1, **self.server.answer(body["method"], body["params"])}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        pass
