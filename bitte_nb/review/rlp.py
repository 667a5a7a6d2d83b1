"""Signed raw transactions: strict RLP, the four envelopes (legacy, EIP-2930, EIP-1559, EIP-7702), hash and sender."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from bitte_nb.review.address import checksum, keccak

__all__ = ["RawTransaction", "RlpError", "decode_raw", "rlp_decode", "rlp_encode"]

_MAX_DEPTH = 8


class RlpError(ValueError):
    """The bytes are not a signed transaction."""


def _item(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    if at >= len(data) or depth > _MAX_DEPTH:
        raise RlpError("the list breaks off or is nested too deep")
    first = data[at]
    if first < 0x80:
        return data[at : at + 1], at + 1
    is_list = first >= 0xC0
    short = first - (0xC0 if is_list else 0x80)
    start, size = at + 1, short
    if short > 55:
        count = short - 55
        start = at + 1 + count
        size = int.from_bytes(data[at + 1 : start], "big")
        if start > len(data) or size < 56 or data[at + 1] == 0:
            raise RlpError("a length is not in its shortest form")
    end = start + size
    if end > len(data):
        raise RlpError("a value is longer than the data")
    if not is_list:
        if size == 1 and data[start] < 0x80:
            raise RlpError("a byte is not in its shortest form")
        return data[start:end], end
    items: list[Any] = []
    while start < end:
        item, start = _item(data[:end], start, depth + 1)
        items.append(item)
    return items, end


def rlp_decode(data: bytes) -> Any:
    """Bytes and lists of the one RLP item that fills `data`."""
    found, end = _item(data, 0, 0)
    if end != len(data):
        raise RlpError(f"{len(data) - end} bytes are left over")
    return found


def rlp_encode(value: Any) -> bytes:
    """The inverse of `rlp_decode`."""
    if isinstance(value, bytes):
        body, base = value, 0x80
        if len(body) == 1 and body[0] < 0x80:
            return body
    else:
        body, base = b"".join(rlp_encode(item) for item in value), 0xC0
    if len(body) < 56:
        return bytes([base + len(body)]) + body
    size = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes([base + 55 + len(size)]) + size + body


@dataclass(frozen=True, slots=True)
class RawTransaction:
    """A decoded raw transaction; `tx` has the JSON-RPC form with minimal hex numbers."""

    tx: dict[str, Any]
    hash: str
    sender: str | None
    """None if the transaction is unsigned or its signature is not valid."""
    signed: bool
    replay_protected: bool


_FIELDS = {
    0: ("nonce", "gasPrice", "gas", "to", "value", "data"),
    1: ("chainId", "nonce", "gasPrice", "gas", "to", "value", "data", "accessList"),
    2: ("chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas", "to", "value", "data", "accessList"),
    4: (
        "chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas", "to", "value", "data", "accessList",
        "authorizationList",
    ),
}  # fmt: skip


def _number(value: Any, name: str) -> int:
    if not isinstance(value, bytes) or len(value) > 32 or value[:1] == b"\0":
        raise RlpError(f"{name} is not a number in its shortest form")
    return int.from_bytes(value, "big")


def _field(name: str, value: Any) -> Any:
    if name == "accessList":
        return [
            {"address": "0x" + a.hex(), "storageKeys": ["0x" + k.hex() for k in keys]}
            for a, keys in (cast("tuple[bytes, list[bytes]]", entry) for entry in value)
        ]
    if name == "authorizationList":
        return [_authorization(entry) for entry in value]
    if name == "data":
        if not isinstance(value, bytes):
            raise RlpError("the data is a list")
        return "0x" + value.hex()
    if name == "to":
        if not isinstance(value, bytes) or len(value) not in (0, 20):
            raise RlpError("the recipient has not 20 bytes")
        return checksum("0x" + value.hex()) if value else None
    return hex(_number(value, name))


def _authorization(entry: Any) -> dict[str, str]:
    if not isinstance(entry, list) or len(cast("list[Any]", entry)) != 6:
        raise RlpError("an authorization has not six fields")
    chain, address, nonce, parity, r, s = cast("list[Any]", entry)
    numbers = {"chainId": chain, "nonce": nonce, "yParity": parity, "r": r, "s": s}
    found = {name: hex(_number(value, name)) for name, value in numbers.items()}
    if not isinstance(address, bytes) or len(address) != 20:
        raise RlpError("an authorization names no address")
    return {"address": checksum("0x" + address.hex()), **found}


def decode_raw(data: bytes) -> RawTransaction:
    """The transaction in raw bytes, its hash and who signed it; RlpError if it is none."""
    if not data:
        raise RlpError("it is empty")
    kind = data[0] if data[0] < 0x80 else 0
    if kind not in _FIELDS:
        raise RlpError(f"envelope type {kind} is not known")
    items = rlp_decode(data if data[0] >= 0xC0 else data[1:])
    names = _FIELDS[kind]
    if not isinstance(items, list) or len(cast("list[Any]", items)) not in (len(names), len(names) + 3):
        raise RlpError("it has another number of fields than its type")
    values = cast("list[Any]", items)
    try:
        tx = {name: _field(name, value) for name, value in zip(names, values, strict=False)}
    except (TypeError, ValueError, AttributeError) as error:
        raise RlpError(f"a field cannot be read: {error}") from error
    signed = len(values) > len(names)
    protected = kind != 0
    sender = None
    if signed:
        v, r, s = (_number(item, "signature") for item in values[-3:])
        payload = values[: len(names)]
        if kind == 0 and v >= 35:
            chain_id, parity, protected = (v - 35) // 2, (v - 35) % 2, True
            tx["chainId"] = hex(chain_id)
            payload = [*payload, _minimal(chain_id), b"", b""]
        elif kind == 0 and r == 0 and s == 0 and v:
            tx["chainId"], protected, signed = hex(v), True, False
            parity = 0
        else:
            parity = v - 27 if kind == 0 else v
        prefix = bytes([kind]) if kind else b""
        sender = _recover(keccak(prefix + rlp_encode(payload)), parity, r, s) if signed else None
    shown = {k: v for k, v in tx.items() if v is not None and v != []}
    return RawTransaction(shown, "0x" + keccak(data).hex(), sender, signed, protected)


def _minimal(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _recover(digest: bytes, parity: int, r: int, s: int) -> str | None:
    from eth_keys.datatypes import Signature  # imported late: it loads a curve library
    from eth_keys.exceptions import BadSignature
    from eth_utils.exceptions import ValidationError

    try:
        return Signature(vrs=(parity, r, s)).recover_public_key_from_msg_hash(digest).to_checksum_address()
    except (BadSignature, ValidationError, ValueError):
        return None
