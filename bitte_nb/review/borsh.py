"""Borsh for NEAR: a strict reader and writer of transactions, delegate actions and NEP-413 payloads.

Layouts follow nearcore's primitives (transaction V0), NEP-366 and NEP-413. Unknown tags are errors, never guesses.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

__all__ = [
    "DELEGATE_PREFIX",
    "BorshError",
    "UnknownTag",
    "base58_decode",
    "base58_encode",
    "public_key_bytes",
    "read_delegate",
    "read_signed",
    "read_transaction",
]

DELEGATE_PREFIX = 2**30 + 366
_KEYS = {0: ("ed25519", 32), 1: ("secp256k1", 64)}
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class BorshError(ValueError):
    """The bytes are not what they claim to be."""


class UnknownTag(BorshError):
    """An enum tag that this reader does not know."""


def base58_encode(data: bytes) -> str:
    """Bitcoin's base 58."""
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = _ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def base58_decode(text: str) -> bytes:
    """The bytes of a base-58 text; BorshError for foreign letters or more than 4,096 of them."""
    if len(text) > 4_096:
        raise BorshError("the base-58 text is too long")
    number = 0
    for c in text:
        digit = _ALPHABET.find(c)
        if digit < 0:
            raise BorshError(f"{c!r} is not a base-58 letter")
        number = number * 58 + digit
    return bytes(len(text) - len(text.lstrip("1"))) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def public_key_bytes(text: str) -> tuple[int, bytes]:
    """(tag, bytes) of `ed25519:...` or `secp256k1:...`; BorshError if it is none."""
    curve, colon, body = text.partition(":")
    if not colon:
        curve, body = "ed25519", text
    for tag, (name, size) in _KEYS.items():
        if curve == name:
            data = base58_decode(body)
            if len(data) != size:
                raise BorshError(f"the key has {len(data)} bytes, not {size}")
            return tag, data
    raise BorshError(f"{curve[:20]!r} is not a kind of key")


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        if size < 0 or self.at + size > len(self.data):
            raise BorshError(f"{size} bytes are due at byte {self.at}, {len(self.data) - self.at} are left")
        self.at += size
        return self.data[self.at - size : self.at]

    def uint(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def blob(self) -> bytes:
        return self.take(self.uint(4))

    def text(self) -> str:
        try:
            return self.blob().decode("utf-8")
        except UnicodeDecodeError as error:
            raise BorshError("a text is not UTF-8") from error

    def many(self, read: Callable[[], Any]) -> list[Any]:
        count = self.uint(4)
        if count > len(self.data):
            raise BorshError(f"a list of {count} items cannot fit in {len(self.data)} bytes")
        return [read() for _ in range(count)]

    def maybe(self, read: Callable[[], Any]) -> Any:
        tag = self.uint(1)
        if tag > 1:
            raise BorshError(f"an optional value has the mark {tag}")
        return read() if tag else None

    def key(self) -> str:
        tag = self.uint(1)
        if tag not in _KEYS:
            raise UnknownTag(f"key kind {tag} is not known")
        name, size = _KEYS[tag]
        return f"{name}:{base58_encode(self.take(size))}"

    def signature(self) -> tuple[int, bytes]:
        tag = self.uint(1)
        if tag not in _KEYS:
            raise UnknownTag(f"signature kind {tag} is not known")
        return tag, self.take(64 if tag == 0 else 65)

    def end(self) -> None:
        if self.at != len(self.data):
            raise BorshError(f"{len(self.data) - self.at} bytes are left over")

    def access_key(self) -> Any:
        nonce, tag = self.uint(8), self.uint(1)
        if tag == 1:
            return {"nonce": nonce, "permission": "FullAccess"}
        if tag != 0:
            raise UnknownTag(f"access key permission {tag} is not known")
        return {
            "nonce": nonce,
            "permission": {
                "allowance": self.maybe(lambda: self.uint(16)),
                "receiver": self.text(),
                "methods": self.many(self.text),
            },
        }

    def action(self, *, nested: bool = False) -> dict[str, Any]:
        tag = self.uint(1)
        match tag:
            case 0:
                return {"kind": "CreateAccount"}
            case 1:
                return {"kind": "DeployContract", "code": self.blob()}
            case 2:
                return {
                    "kind": "FunctionCall",
                    "method": self.text(),
                    "args": self.blob(),
                    "gas": self.uint(8),
                    "deposit": self.uint(16),
                }
            case 3:
                return {"kind": "Transfer", "deposit": self.uint(16)}
            case 4:
                return {"kind": "Stake", "stake": self.uint(16), "public_key": self.key()}
            case 5:
                return {"kind": "AddKey", "public_key": self.key(), "access_key": self.access_key()}
            case 6:
                return {"kind": "DeleteKey", "public_key": self.key()}
            case 7:
                return {"kind": "DeleteAccount", "beneficiary": self.text()}
            case 8 if not nested:
                delegate = self.delegate()
                return {"kind": "Delegate", **delegate, "signature": self.signature()}
            case 9:
                code, mode = self.blob(), self.uint(1)
                if mode > 1:
                    raise UnknownTag(f"deploy mode {mode} is not known")
                return {"kind": "DeployGlobalContract", "code": code, "mode": ("CodeHash", "AccountId")[mode]}
            case 10:
                which = self.uint(1)
                if which == 0:
                    return {"kind": "UseGlobalContract", "code_hash": self.take(32)}
                if which == 1:
                    return {"kind": "UseGlobalContract", "account_id": self.text()}
                raise UnknownTag(f"global contract id {which} is not known")
            case 8:
                raise BorshError("a delegate action holds another delegate action")
            case _:
                raise UnknownTag(f"action kind {tag} is not known")

    def delegate(self) -> dict[str, Any]:
        return {
            "sender": self.text(),
            "receiver": self.text(),
            "actions": self.many(lambda: self.action(nested=True)),
            "nonce": self.uint(8),
            "max_block_height": self.uint(8),
            "public_key": self.key(),
        }

    def transaction(self) -> dict[str, Any]:
        return {
            "signer": self.text(),
            "public_key": self.key(),
            "nonce": self.uint(8),
            "receiver": self.text(),
            "block_hash": base58_encode(self.take(32)),
            "actions": self.many(self.action),
        }


def read_transaction(data: bytes) -> dict[str, Any]:
    """An unsigned V0 transaction: signer, public_key, nonce, receiver, block_hash, actions; all bytes must be used."""
    reader = _Reader(data)
    found = reader.transaction()
    reader.end()
    return found


def read_signed(data: bytes) -> tuple[dict[str, Any], tuple[int, bytes], bytes]:
    """(transaction, (key kind, signature), SHA-256 that was signed) of a signed transaction."""
    reader = _Reader(data)
    found, size = reader.transaction(), reader.at
    signature = reader.signature()
    reader.end()
    return found, signature, hashlib.sha256(data[:size]).digest()


def read_delegate(data: bytes) -> dict[str, Any]:
    """A NEP-366 delegate action with or without its signing prefix."""
    reader = _Reader(data)
    if data[:4] == DELEGATE_PREFIX.to_bytes(4, "little"):
        reader.uint(4)
    found = reader.delegate()
    reader.end()
    return found
