"""ERC-7730: display descriptors that the person supplies, bound by chain, address and selector or typed-data type.

Version 2 is read, version 1 where it means the same. A descriptor only ever adds rows: it cannot hide a field, lower a
warning or change what a built-in reader says, because whoever wrote it may have wanted to deceive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bitte_nb.review.abi_table import Known, built_in, from_json_abi
from bitte_nb.review.abi_types import AbiType, Function, TooLarge, parse_function
from bitte_nb.review.amounts import BadAmount, parse_uint
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.eip712 import TypedMessage
from bitte_nb.review.shapes import listed, table

__all__ = ["Described", "call_data", "for_call", "for_typed"]

_MAX_FORMATS = 500


@dataclass(frozen=True, slots=True)
class Described:
    """A function or a typed message that a descriptor explains."""

    format: Mapping[str, Any]
    descriptor: Mapping[str, Any]
    known: Known | None = None
    """What reads the call: a built-in reader if there is one."""
    function: Function | None = None
    """The function as the descriptor names its parameters."""


def for_call(ctx: ReviewContext, chain_id: int | None, to: str, data: bytes) -> Described | None:
    """The description of a call, if one of the descriptors is bound to that contract and selector."""
    for descriptor in ctx.descriptors:
        contract = table(table(descriptor.get("context")).get("contract"))
        if len(data) < 4 or not _readable(descriptor) or not _deployed(contract, chain_id, to):
            continue
        found = _by_selector(descriptor, contract).get(data[:4])
        if found is not None:
            known, shape = found
            own = built_in().get(data[:4])
            # A built-in reader goes by its own argument names; the descriptor's paths go by the descriptor's.
            explained = own if own is not None and own.source != "guess" else known
            return Described(shape, descriptor, explained, known.function)
    return None


def _readable(descriptor: Mapping[str, Any]) -> bool:
    """Major versions 1 and 2, without files to include (there is no network to fetch them)."""
    version = re.search(r"erc7730-v(\d+)", str(descriptor.get("$schema", "")))
    return (version is None or version[1] in ("1", "2")) and "includes" not in descriptor


def _deployed(binding: Mapping[str, Any], chain_id: int | None, address: str | None) -> bool:
    for item in listed(binding.get("deployments")):
        entry = table(item)
        try:
            same_chain = parse_uint(entry.get("chainId"), bits=64) == chain_id
        except BadAmount:
            continue
        if same_chain and address is not None and str(entry.get("address", "")).lower() == address.lower():
            return True
    return False


def _by_selector(
    descriptor: Mapping[str, Any], contract: Mapping[str, Any]
) -> dict[bytes, tuple[Known, Mapping[str, Any]]]:
    """Formats by selector; a descriptor with two formats for one selector is invalid as a whole."""
    named = from_json_abi(tuple(listed(contract.get("abi"))))
    found: dict[bytes, tuple[Known, Mapping[str, Any]]] = {}
    formats = table(table(descriptor.get("display")).get("formats"))
    for key, value in list(formats.items())[:_MAX_FORMATS]:
        known = _function(str(key), named)
        if known is None:
            continue
        selector = known.function.selector
        if selector in found:
            return {}
        found[selector] = (known, table(value))
    return found


def _function(key: str, named: Mapping[bytes, Known]) -> Known | None:
    if re.fullmatch(r"0x[0-9a-fA-F]{8}", key):
        selector = bytes.fromhex(key[2:])
        return named.get(selector) or built_in().get(selector)
    try:
        function = parse_function(key)
    except TooLarge:
        return None
    if function.inputs and not any(t.name for t in function.inputs):
        # Version 1 may leave the names to the ABI.
        other = named.get(function.selector) or built_in().get(function.selector)
        function = other.function if other else function
    return Known(function, "plain", "descriptor")


def for_typed(ctx: ReviewContext, data: TypedMessage, chain_id: int | None, contract: str | None) -> Described | None:
    """The description of typed data, if one of the descriptors is bound to its domain and type."""
    for descriptor in ctx.descriptors:
        binding = table(table(descriptor.get("context")).get("eip712"))
        if not binding or not _readable(descriptor) or not _bound(binding, data, chain_id, contract):
            continue
        formats = table(table(descriptor.get("display")).get("formats"))
        encoded = _encode_type(data)
        for key, value in list(formats.items())[:_MAX_FORMATS]:
            if str(key) == data.primary or re.sub(r"\s+", " ", str(key)).strip() == encoded:
                return Described(table(value), descriptor)
    return None


def _bound(binding: Mapping[str, Any], data: TypedMessage, chain_id: int | None, contract: str | None) -> bool:
    if "deployments" in binding and not _deployed(binding, chain_id, contract):
        return False
    separator = binding.get("domainSeparator")
    if separator is not None and str(separator).lower() != "0x" + data.domain_hash.hex():
        return False
    domain = table(binding.get("domain"))
    if not domain and "deployments" not in binding and separator is None:
        return False  # bound to nothing: it could claim any message
    return all(str(data.domain.get(key)).lower() == str(value).lower() for key, value in domain.items())


def _encode_type(data: TypedMessage) -> str:
    def one(name: str) -> str:
        return f"{name}({','.join(f'{kind} {label}' for label, kind in data.types[name])})"

    names, todo = [data.primary], [data.primary]
    while todo:
        for _, kind in data.types[todo.pop()]:
            base = kind.split("[", 1)[0]
            if base in data.types and base not in names:
                names.append(base)
                todo.append(base)
    return "".join(one(name) for name in [data.primary, *sorted(names[1:])])


def call_data(function: Function, values: list[Any]) -> dict[str, Any]:
    """Decoded arguments by name, structs as objects: what the paths of a descriptor walk through."""
    return {
        kind.name or str(index): _named(kind, value)
        for index, (kind, value) in enumerate(zip(function.inputs, values, strict=True))
    }


def _named(kind: AbiType, value: Any) -> Any:
    if kind.dims:
        return [_named(kind.element, item) for item in value]
    if kind.base == "tuple":
        return {
            part.name or str(index): _named(part, item)
            for index, (part, item) in enumerate(zip(kind.components, value, strict=True))
        }
    return value
