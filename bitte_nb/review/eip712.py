"""EIP-712: strict schema checks and the exact digest of typed data, with nothing guessed and nothing dropped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from bitte_nb.review.address import is_evm, keccak
from bitte_nb.review.amounts import MAX_SAFE

__all__ = ["TypedDataError", "TypedMessage", "parse_typed_data", "unsigned_fields"]

_NAME = re.compile(r"[^\s(),\[\]]{1,128}")
_ARRAY = re.compile(r"(?P<base>[^\[\]].*)\[(?P<size>[0-9]{0,4})\]", re.DOTALL)
_INT = re.compile(r"(?P<sign>u?)int(?P<bits>[0-9]{0,3})")
_FIXED = re.compile(r"bytes(?P<size>[0-9]{1,2})")
_DOMAIN_TYPES = {
    "name": "string",
    "version": "string",
    "chainId": "uint256",
    "verifyingContract": "address",
    "salt": "bytes32",
}
_MAX_TYPES = 200
_MAX_FIELDS = 2_000
_MAX_DEPTH = 20


class TypedDataError(ValueError):
    """The data cannot be signed as EIP-712; the message says why."""


@dataclass(frozen=True)
class TypedMessage:
    """Checked typed data."""

    types: Mapping[str, tuple[tuple[str, str], ...]]
    """Struct name to (field, type) pairs."""
    primary: str
    domain: Mapping[str, Any]
    message: Mapping[str, Any]
    domain_hash: bytes
    message_hash: bytes
    hash: str
    """Keccak-256 of 0x1901, domain hash and message hash: what the key signs."""
    extra: tuple[str, ...] = field(default=())
    """Paths of fields that the request shows but the signature does not cover."""
    derived_domain: bool = False
    """True if the request does not define the type of its domain, so that wallets may hash another one."""


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypedDataError(f"{what} is missing or not an object")
    return cast("Mapping[str, Any]", value)


def _types(value: object) -> dict[str, tuple[tuple[str, str], ...]]:
    table = _mapping(value, "`types`")
    if len(table) > _MAX_TYPES:
        raise TypedDataError(f"it defines more than {_MAX_TYPES} types")
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for name, fields in table.items():
        if not isinstance(fields, list) or not _NAME.fullmatch(name):
            raise TypedDataError(f"the type {name[:60]!r} is not a list of fields")
        pairs: list[tuple[str, str]] = []
        for item in cast("list[object]", fields):
            entry = _mapping(item, f"a field of {name}")
            label, kind = entry.get("name"), entry.get("type")
            if not isinstance(label, str) or not isinstance(kind, str) or not _NAME.fullmatch(label):
                raise TypedDataError(f"a field of {name} has no name or no type")
            if label in {pair[0] for pair in pairs}:
                raise TypedDataError(f"{name} has the field {label!r} twice")
            pairs.append((label, kind))
        found[name] = tuple(pairs)
    return found


def _base(kind: str) -> str:
    return kind.split("[", 1)[0]


class _Encoder:
    def __init__(self, types: Mapping[str, tuple[tuple[str, str], ...]]) -> None:
        self.types = types
        self.left = _MAX_FIELDS

    def dependencies(self, name: str) -> list[str]:
        found: list[str] = []
        todo = [name]
        while todo:
            current = todo.pop()
            if current in found:
                continue
            found.append(current)
            todo += [_base(kind) for _, kind in self.types[current] if _base(kind) in self.types]
        return [name, *sorted(set(found) - {name})]

    def type_hash(self, name: str) -> bytes:
        parts = (
            f"{n}({','.join(f'{kind} {label}' for label, kind in self.types[n])})" for n in self.dependencies(name)
        )
        return keccak("".join(parts).encode())

    def struct(self, name: str, value: object, path: str, depth: int) -> bytes:
        table = _mapping(value, path or "the message")
        if depth > _MAX_DEPTH:
            raise TypedDataError("it is nested too deep")
        body = self.type_hash(name)
        for label, kind in self.types[name]:
            if label not in table:
                raise TypedDataError(f"the field {f'{path}.{label}'.lstrip('.')} is missing")
            body += self.value(kind, table[label], f"{path}.{label}".lstrip("."), depth + 1)
        return keccak(body)

    def value(self, kind: str, value: Any, path: str, depth: int) -> bytes:
        self.left -= 1
        if self.left < 0:
            raise TypedDataError(f"it holds more than {_MAX_FIELDS} values")
        if kind.endswith("]"):
            return self.array(kind, value, path, depth)
        if kind in self.types:
            if value is None:
                raise TypedDataError(f"{path} is null")
            return self.struct(kind, value, path, depth)
        return _atom(kind, value, path)

    def array(self, kind: str, value: Any, path: str, depth: int) -> bytes:
        shape = _ARRAY.fullmatch(kind)
        if shape is None:
            raise TypedDataError(f"{path} has the unknown type {kind[:60]!r}")
        base, size = shape["base"], shape["size"]
        if not isinstance(value, list):
            raise TypedDataError(f"{path} is not a list")
        items = cast("list[Any]", value)
        if size and len(items) != int(size):
            raise TypedDataError(f"{path} has {len(items)} items, {size} are declared")
        if depth > _MAX_DEPTH:
            raise TypedDataError("it is nested too deep")
        return keccak(b"".join(self.value(base, item, f"{path}[{i}]", depth + 1) for i, item in enumerate(items)))


def _atom(kind: str, value: Any, path: str) -> bytes:
    if kind == "string":
        if not isinstance(value, str):
            raise TypedDataError(f"{path} is not text")
        return keccak(value.encode("utf-8"))
    if kind == "bytes":
        return keccak(_octets(value, path))
    if kind == "address":
        if not is_evm(value):
            raise TypedDataError(f"{path} is not an address")
        return bytes(12) + bytes.fromhex(value[2:])
    if kind == "bool":
        if not isinstance(value, bool):
            raise TypedDataError(f"{path} is not true or false")
        return bytes(31) + bytes([value])
    fixed = _FIXED.fullmatch(kind)
    if fixed and 1 <= int(fixed["size"]) <= 32:
        data = _octets(value, path)
        if len(data) != int(fixed["size"]):
            raise TypedDataError(f"{path} has {len(data)} bytes, {kind} has {fixed['size']}")
        return data + bytes(32 - len(data))
    number = _INT.fullmatch(kind)
    bits = int(number["bits"] or 256) if number else 0
    if number is None or bits % 8 or not 8 <= bits <= 256:
        raise TypedDataError(f"{path} has the unknown type {kind[:60]!r}")
    if isinstance(value, int | float) and abs(value) > MAX_SAFE:
        # Wallets in JavaScript would sign another number than the one that stands here.
        raise TypedDataError(f"{path} is a JSON number above 2**53: digits may be lost, write it as text")
    found = integer(value, path)
    low, high = (0, 2**bits) if number["sign"] else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    if not low <= found < high:
        raise TypedDataError(f"{path} does not fit in {kind}")
    return (found % 2**256).to_bytes(32, "big")


def _octets(value: Any, path: str) -> bytes:
    if isinstance(value, str) and re.fullmatch(r"0x(?:[0-9a-fA-F]{2})*", value):
        return bytes.fromhex(value[2:])
    raise TypedDataError(f"{path} is not hex data")


def integer(value: Any, path: str) -> int:
    """A whole number from an int, decimal text or 0x hex, signed."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"-?(?:[0-9]{1,90}|0x[0-9a-fA-F]{1,64})", value):
        return int(value, 16) if "x" in value else int(value)
    raise TypedDataError(f"{path} is not a whole number")


def _acyclic(types: Mapping[str, tuple[tuple[str, str], ...]], root: str) -> None:
    """Structs that contain themselves without an array between can have no value."""
    seen: dict[str, bool] = {}

    def visit(name: str) -> None:
        if seen.get(name) is False:
            raise TypedDataError(f"the type {name} contains itself")
        if name in seen:
            return
        seen[name] = False
        for _, kind in types[name]:
            if kind in types:
                visit(kind)
        seen[name] = True

    visit(root)


def unsigned_fields(
    types: Mapping[str, tuple[tuple[str, str], ...]], name: str, value: Any, path: str = ""
) -> list[str]:
    """Paths of what the value holds but the type does not: shown to a person, yet not covered by the signature."""
    if not isinstance(value, Mapping) or name not in types:
        return []
    table = cast("Mapping[str, Any]", value)
    declared = dict(types[name])
    found = [f"{path}.{key}".lstrip(".") for key in table if key not in declared]
    for label, kind in declared.items():
        items: list[Any] = [table.get(label)]
        for _ in range(kind.count("[")):
            items = [part for item in items if isinstance(item, list) for part in cast("list[Any]", item)]
        for item in items[:500]:
            found += unsigned_fields(types, _base(kind), item, f"{path}.{label}".lstrip("."))
    return list(dict.fromkeys(found))


def parse_typed_data(value: Any) -> TypedMessage:
    """Checked typed data with its digest, or TypedDataError with the first thing that is wrong."""
    data = _mapping(value, "the typed data")
    types = _types(data.get("types"))
    primary = data.get("primaryType")
    if not isinstance(primary, str) or primary not in types:
        raise TypedDataError(f"the primary type {str(primary)[:60]!r} is not defined")
    if primary == "EIP712Domain":
        raise TypedDataError("the domain itself cannot be the message")
    domain = _mapping(data.get("domain", {}), "`domain`")
    message = _mapping(data.get("message"), "`message`")
    derived = "EIP712Domain" not in types
    if derived:
        types["EIP712Domain"] = tuple((n, k) for n, k in _DOMAIN_TYPES.items() if n in domain)
    _acyclic(types, primary)
    _acyclic(types, "EIP712Domain")
    encoder = _Encoder(types)
    domain_hash = encoder.struct("EIP712Domain", _domain(domain), "domain", 0)
    message_hash = encoder.struct(primary, message, "", 0)
    extra = unsigned_fields(types, primary, message)
    extra += [f"domain.{key}" for key in domain if key not in dict(types["EIP712Domain"])]
    digest = keccak(b"\x19\x01" + domain_hash + message_hash)
    return TypedMessage(
        types, primary, domain, message, domain_hash, message_hash, "0x" + digest.hex(), tuple(extra), derived
    )


def _domain(domain: Mapping[str, Any]) -> Mapping[str, Any]:
    return domain
