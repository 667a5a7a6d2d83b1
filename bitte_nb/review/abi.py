"""A bounded, canonical ABI codec: data decodes only if encoding the result again gives the same bytes.

Solidity "Contract ABI specification", strict mode. Tails must lie in order and without gaps, so shared tails and
loops of offsets end at the first wrong offset instead of multiplying.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bitte_nb.review.abi_types import WORD, AbiType, TooLarge
from bitte_nb.review.address import checksum

__all__ = ["MAX_CALLDATA", "MAX_NODES", "Malformed", "decode", "encode", "plain_value"]

MAX_CALLDATA = 128 * 1024
MAX_NODES = 2_000


class Malformed(ValueError):
    """The bytes are not the canonical encoding of these types."""


class _Reader:
    def __init__(self, data: bytes, nodes: int) -> None:
        self.data = data
        self.nodes = nodes

    def word(self, at: int) -> bytes:
        if at + WORD > len(self.data):
            raise Malformed(f"the data ends at byte {len(self.data)}, a value of 32 bytes is due at {at}")
        return self.data[at : at + WORD]

    def spend(self) -> None:
        self.nodes -= 1
        if self.nodes < 0:
            raise TooLarge(f"the data holds more than {MAX_NODES} values")

    def sequence(self, types: Sequence[AbiType], base: int) -> tuple[list[Any], int]:
        head, tail = base, base + sum(t.head_size for t in types)
        values: list[Any] = []
        for kind in types:
            if kind.dynamic:
                offset = int.from_bytes(self.word(head), "big")
                if offset != tail - base:
                    raise Malformed(f"the offset at byte {head} is {offset}, the canonical one is {tail - base}")
                value, tail = self.value(kind, tail)
            else:
                value, _ = self.value(kind, head)
            values.append(value)
            head += kind.head_size
        return values, tail

    def value(self, kind: AbiType, at: int) -> tuple[Any, int]:
        self.spend()
        if kind.dims:
            count = kind.dims[-1]
            if count is None:
                count, at = int.from_bytes(self.word(at), "big"), at + WORD
                if count > self.nodes:
                    if count > len(self.data):
                        raise Malformed(f"an array of {count} items does not fit in the data")
                    raise TooLarge(f"the data holds more than {MAX_NODES} values")
            if count > self.nodes:
                raise TooLarge(f"the data holds more than {MAX_NODES} values")
            return self.sequence([kind.element] * count, at)
        if kind.base == "tuple":
            values, end = self.sequence(kind.components, at)
            return tuple(values), end
        if kind.base in ("bytes", "string"):
            return self.blob(kind.base, at)
        return _static(kind.base, self.word(at), at), at + WORD

    def blob(self, base: str, at: int) -> tuple[bytes | str, int]:
        size, start = int.from_bytes(self.word(at), "big"), at + WORD
        padded = -(-size // WORD) * WORD
        if size > len(self.data) or start + padded > len(self.data):
            raise Malformed(f"{size} bytes are announced at byte {at}, fewer are there")
        content, padding = self.data[start : start + size], self.data[start + size : start + padded]
        if any(padding):
            raise Malformed(f"the padding after byte {start + size} is not zero")
        if base == "bytes":
            return content, start + padded
        return content.decode("utf-8", "backslashreplace"), start + padded


def _static(base: str, word: bytes, at: int) -> Any:
    number = int.from_bytes(word, "big")
    if base == "address":
        if number >> 160:
            raise Malformed(f"the address at byte {at} has more than 20 bytes")
        return checksum("0x" + word[12:].hex())
    if base == "bool":
        if number > 1:
            raise Malformed(f"the yes-or-no value at byte {at} is {number}")
        return number == 1
    if base.startswith("uint"):
        if number >> int(base[4:]):
            raise Malformed(f"the {base} at byte {at} is too large")
        return number
    if base.startswith("int"):
        bits = int(base[3:])
        signed = number - 2**256 if number >> 255 else number
        if not -(2 ** (bits - 1)) <= signed < 2 ** (bits - 1):
            raise Malformed(f"the {base} at byte {at} is too large")
        return signed
    size = 24 if base == "function" else int(base[5:])
    if any(word[size:]):
        raise Malformed(f"the padding of the {base} at byte {at} is not zero")
    return word[:size]


def decode(types: Sequence[AbiType], data: bytes, *, nodes: int = MAX_NODES) -> tuple[list[Any], int]:
    """The values and how many bytes they took; Malformed if not canonical, TooLarge past a limit.

    int for numbers, checksummed text for addresses, bytes, str, bool, list for arrays, tuple for structs.
    """
    if len(data) > MAX_CALLDATA:
        raise TooLarge(f"the data has {len(data)} bytes, more than {MAX_CALLDATA}")
    return _Reader(data, nodes).sequence(types, 0)


def encode(types: Sequence[AbiType], values: Sequence[Any]) -> bytes:
    """The canonical encoding of decoded values: the inverse of `decode`."""
    head, tail = b"", b""
    base = sum(t.head_size for t in types)
    for kind, value in zip(types, values, strict=True):
        encoded = _encode(kind, value)
        if kind.dynamic:
            head += (base + len(tail)).to_bytes(WORD, "big")
            tail += encoded
        else:
            head += encoded
    return head + tail


def _encode(kind: AbiType, value: Any) -> bytes:
    if kind.dims:
        body = encode([kind.element] * len(value), value)
        return len(value).to_bytes(WORD, "big") + body if kind.dims[-1] is None else body
    if kind.base == "tuple":
        return encode(kind.components, value)
    if kind.base in ("bytes", "string"):
        content = value.encode() if isinstance(value, str) else value
        return len(content).to_bytes(WORD, "big") + content + bytes(-len(content) % WORD)
    if kind.base == "address":
        return bytes(12) + bytes.fromhex(value[2:])
    if kind.base == "bool" or kind.base.startswith(("uint", "int")):
        return (int(value) % 2**256).to_bytes(WORD, "big")
    return value + bytes(WORD - len(value))


def plain_value(value: Any) -> Any:
    """A decoded value as JSON: numbers as decimal text, bytes as 0x hex, arrays and structs as lists."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value
