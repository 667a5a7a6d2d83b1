"""Writing Borsh for NEAR: the bytes whose hash a key signs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bitte_nb.review.borsh import DELEGATE_PREFIX, BorshError, UnknownTag, base58_decode, public_key_bytes

__all__ = ["nep413_payload", "write_delegate", "write_transaction"]


_MESSAGE_PREFIX = 2**31 + 413


def _u(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little")


def _blob(data: bytes | str) -> bytes:
    data = data.encode() if isinstance(data, str) else data
    return _u(len(data), 4) + data


def _many(items: list[bytes]) -> bytes:
    return _u(len(items), 4) + b"".join(items)


def _key(text: str) -> bytes:
    tag, data = public_key_bytes(text)
    return _u(tag, 1) + data


def _access_key(key: Mapping[str, Any]) -> bytes:
    permission = key["permission"]
    if permission == "FullAccess":
        return _u(key["nonce"], 8) + _u(1, 1)
    allowance = permission["allowance"]
    return (
        _u(key["nonce"], 8)
        + _u(0, 1)
        + (_u(0, 1) if allowance is None else _u(1, 1) + _u(allowance, 16))
        + _blob(permission["receiver"])
        + _many([_blob(m) for m in permission["methods"]])
    )


def _action(action: Mapping[str, Any]) -> bytes:
    a = action
    match a["kind"]:
        case "CreateAccount":
            return _u(0, 1)
        case "DeployContract":
            return _u(1, 1) + _blob(a["code"])
        case "FunctionCall":
            return _u(2, 1) + _blob(a["method"]) + _blob(a["args"]) + _u(a["gas"], 8) + _u(a["deposit"], 16)
        case "Transfer":
            return _u(3, 1) + _u(a["deposit"], 16)
        case "Stake":
            return _u(4, 1) + _u(a["stake"], 16) + _key(a["public_key"])
        case "AddKey":
            return _u(5, 1) + _key(a["public_key"]) + _access_key(a["access_key"])
        case "DeleteKey":
            return _u(6, 1) + _key(a["public_key"])
        case "DeleteAccount":
            return _u(7, 1) + _blob(a["beneficiary"])
        case "Delegate":
            tag, signature = a["signature"]
            return _u(8, 1) + _delegate(a) + _u(tag, 1) + signature
        case "DeployGlobalContract":
            return _u(9, 1) + _blob(a["code"]) + _u(("CodeHash", "AccountId").index(a["mode"]), 1)
        case "UseGlobalContract" if "code_hash" in a:
            return _u(10, 1) + _u(0, 1) + a["code_hash"]
        case "UseGlobalContract":
            return _u(10, 1) + _u(1, 1) + _blob(a["account_id"])
        case kind:
            raise UnknownTag(f"{kind} has no Borsh form here")


def _delegate(d: Mapping[str, Any]) -> bytes:
    return (
        _blob(d["sender"])
        + _blob(d["receiver"])
        + _many([_action(a) for a in d["actions"]])
        + _u(d["nonce"], 8)
        + _u(d["max_block_height"], 8)
        + _key(d["public_key"])
    )


def write_transaction(tx: Mapping[str, Any]) -> bytes:
    """The Borsh bytes of what `read_transaction` returns; their SHA-256 is the transaction hash."""
    block = base58_decode(tx["block_hash"])
    if len(block) != 32:
        raise BorshError("the block hash has not 32 bytes")
    return (
        _blob(tx["signer"])
        + _key(tx["public_key"])
        + _u(tx["nonce"], 8)
        + _blob(tx["receiver"])
        + block
        + _many([_action(a) for a in tx["actions"]])
    )


def write_delegate(delegate: Mapping[str, Any]) -> bytes:
    """The prefixed bytes whose SHA-256 a NEP-366 signature covers."""
    return _u(DELEGATE_PREFIX, 4) + _delegate(delegate)


def nep413_payload(message: str, nonce: bytes, recipient: str, callback_url: str | None) -> bytes:
    """The prefixed bytes whose SHA-256 a NEP-413 signature covers; "" as callback is a present, empty one."""
    callback = _u(0, 1) if callback_url is None else _u(1, 1) + _blob(callback_url)
    return _u(_MESSAGE_PREFIX, 4) + _blob(message) + nonce + _blob(recipient) + callback
