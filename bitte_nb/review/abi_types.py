"""Types and functions of the ABI, parsed from untrusted text within limits."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bitte_nb.review.address import keccak

__all__ = [
    "MAX_ARRAY_DEPTH",
    "MAX_TYPE_DEPTH",
    "MAX_TYPE_TEXT",
    "WORD",
    "AbiType",
    "Function",
    "TooLarge",
    "parse_function",
    "parse_types",
    "selector",
]


MAX_ARRAY_DEPTH = 3


MAX_TYPE_TEXT = 2_048


MAX_TYPE_DEPTH = 8


WORD = 32


_BASE = re.compile(r"(?:u?int(?P<bits>[0-9]{0,3})|bytes(?P<size>[0-9]{0,2})|address|bool|string|function)")


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
            return WORD
        size = sum(c.head_size for c in self.components) if self.base == "tuple" else WORD
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
