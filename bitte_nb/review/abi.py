"""A bounded, canonical ABI codec: data decodes only if encoding the result again gives the same bytes.

Solidity "Contract ABI specification", strict mode. Tails must lie in order and without gaps, so shared tails and
loops of offsets end at the first wrong offset instead of multiplying.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bitte_nb.review.address import checksum, keccak

__all__ = [
    "MAX_CALLDATA",
    "MAX_NODES",
    "AbiType",
    "Function",
    "Malformed",
    "TooLarge",
    "decode",
    "encode",
    "parse_function",
    "parse_types",
    "plain_value",
    "selector",
]

MAX_CALLDATA = 128 * 1024
MAX_NODES = 2_000
MAX_ARRAY_DEPTH = 3
MAX_TYPE_TEXT = 2_048
MAX_TYPE_DEPTH = 8
_WORD = 32
_BASE = re.compile(r"(?:u?int(?P<bits>[0-9]{0,3})|bytes(?P<size>[0-9]{0,2})|address|bool|string|function)")


class Malformed(ValueError):
    """The bytes are not the canonical encoding of these types."""


class TooLarge(ValueError):
    """Decoding would pass a limit; the data is shown undecoded."""


@dataclass(frozen=True, slots=True)
class AbiType:
    """One parameter: a base type or a tuple, with array dimensions (None is a dynamic length)."""

    base: str
    name: str = ""
    components: tuple[AbiType, ...] = ()
    dims: tuple[int | None, ...] = ()

    @property
    def canonical(self) -> str:
        """The type as it stands in a signature, without names."""
        head = f"({','.join(c.canonical for c in self.components)})" if self.base == "tuple" else self.base
        return head + "".join("[]" if d is None else f"[{d}]" for d in self.dims)

    @property
    def element(self) -> AbiType:
        """The type without its last dimension."""
        return AbiType(self.base, self.name, self.components, self.dims[:-1])

    @property
    def dynamic(self) -> bool:
        """True if the value stands in the tail."""
        if self.dims:
            return None in self.dims or (0 not in self.dims and self._scalar.dynamic)
        if self.base == "tuple":
            return any(c.dynamic for c in self.components)
        return self.base in ("bytes", "string")

    @property
    def _scalar(self) -> AbiType:
        return AbiType(self.base, self.name, self.components)

    @property
    def head_size(self) -> int:
        """Bytes that the value takes in the head."""
        if self.dynamic:
            return _WORD
        size = sum(c.head_size for c in self.components) if self.base == "tuple" else _WORD
        for dim in self.dims:
            size *= dim or 0
        return size


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a contract."""

    name: str
    inputs: tuple[AbiType, ...]
    payable: bool | None = None
    """None where the source of the ABI does not say."""

    @property
    def signature(self) -> str:
        """Name and canonical types: what the selector is the hash of."""
        return f"{self.name}({','.join(t.canonical for t in self.inputs)})"

    @property
    def selector(self) -> bytes:
        """First four bytes of the signature's Keccak-256."""
        return selector(self.signature)


def selector(signature: str) -> bytes:
    """First four bytes of the signature's Keccak-256."""
    return keccak(signature.encode())[:4]


def _split(text: str) -> list[str]:
    parts: list[str] = []
    depth = start = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth < 0 or depth > MAX_TYPE_DEPTH:
            raise TooLarge("the type is nested too deep or its brackets do not match")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    if depth:
        raise TooLarge("the brackets of the type do not match")
    parts.append(text[start:])
    return parts if text.strip() else []


_PARAM = re.compile(
    r"\s*(?P<type>\(.*\)|[a-z]+[0-9]*)(?P<dims>(?:\[[0-9]{0,4}\])*)(?:\s+(?P<rest>[\w\s$]*))?\s*", re.DOTALL
)


def _parse_param(text: str) -> AbiType:
    text = text.strip()
    if text.startswith("tuple("):
        text = text[5:]
    match = _PARAM.fullmatch(text)
    if match is None:
        raise TooLarge(f"{text[:40]!r} is not an ABI parameter")
    words = [
        w for w in (match["rest"] or "").split() if w not in ("memory", "calldata", "storage", "indexed", "payable")
    ]
    name = words[-1] if words else ""
    dims = tuple(int(d) if d else None for d in re.findall(r"\[([0-9]*)\]", match["dims"]))
    if len(dims) > MAX_ARRAY_DEPTH:
        raise TooLarge("arrays are nested too deep")
    base = match["type"]
    if base.startswith("("):
        return AbiType("tuple", name, parse_types(base[1:-1]), dims)
    base = {"uint": "uint256", "int": "int256", "byte": "bytes1"}.get(base, base)
    kind = _BASE.fullmatch(base)
    bits, size = (int(kind[g]) if kind and kind[g] else None for g in ("bits", "size"))
    if (
        kind is None
        or (bits is not None and (bits % 8 or not 8 <= bits <= 256))
        or (size is not None and not 1 <= size <= 32)
    ):
        raise TooLarge(f"{base!r} is not an ABI type")
    return AbiType(base, name, (), dims)


def parse_types(text: str) -> tuple[AbiType, ...]:
    """Types of a comma-separated list like "address to, (uint256 a, bytes b)[] items"; TooLarge past a limit."""
    if len(text) > MAX_TYPE_TEXT:
        raise TooLarge("the type is longer than 2,048 characters")
    return tuple(_parse_param(part) for part in _split(text))


def parse_function(text: str, *, payable: bool | None = None) -> Function:
    """A function from a human-readable fragment; names of parameters are optional."""
    text = text.strip().removeprefix("function ").strip()
    name, bracket, rest = text.partition("(")
    if not bracket or len(text) > MAX_TYPE_TEXT or not re.fullmatch(r"[A-Za-z_$][\w$]{0,127}", name.strip()):
        raise TooLarge(f"{text[:40]!r} is not a function")
    depth, end = 1, -1
    for i, c in enumerate(rest):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            end = i
            break
    if end < 0:
        raise TooLarge("the brackets of the function do not match")
    return Function(name.strip(), parse_types(rest[:end]), payable)


class _Reader:
    def __init__(self, data: bytes, nodes: int) -> None:
        self.data = data
        self.nodes = nodes

    def word(self, at: int) -> bytes:
        if at + _WORD > len(self.data):
            raise Malformed(f"the data ends at byte {len(self.data)}, a value of 32 bytes is due at {at}")
        return self.data[at : at + _WORD]

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
                count, at = int.from_bytes(self.word(at), "big"), at + _WORD
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
        return _static(kind.base, self.word(at), at), at + _WORD

    def blob(self, base: str, at: int) -> tuple[bytes | str, int]:
        size, start = int.from_bytes(self.word(at), "big"), at + _WORD
        padded = -(-size // _WORD) * _WORD
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
            head += (base + len(tail)).to_bytes(_WORD, "big")
            tail += encoded
        else:
            head += encoded
    return head + tail


def _encode(kind: AbiType, value: Any) -> bytes:
    if kind.dims:
        body = encode([kind.element] * len(value), value)
        return len(value).to_bytes(_WORD, "big") + body if kind.dims[-1] is None else body
    if kind.base == "tuple":
        return encode(kind.components, value)
    if kind.base in ("bytes", "string"):
        content = value.encode() if isinstance(value, str) else value
        return len(content).to_bytes(_WORD, "big") + content + bytes(-len(content) % _WORD)
    if kind.base == "address":
        return bytes(12) + bytes.fromhex(value[2:])
    if kind.base == "bool" or kind.base.startswith(("uint", "int")):
        return (int(value) % 2**256).to_bytes(_WORD, "big")
    return value + bytes(_WORD - len(value))


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
