"""How the demo agent reads its arguments: exact, or refused with a sentence that says what to write instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = [
    "Refusal",
    "base_units",
    "evm_address",
    "near_account",
    "one_of",
    "text_within",
    "whole_number",
]

_NEAR_ACCOUNT = re.compile(r"(?:(?:[a-z0-9]+[-_])*[a-z0-9]+\.)*(?:[a-z0-9]+[-_])*[a-z0-9]+")
_DECIMAL = re.compile(r"(?P<whole>0|[1-9][0-9]*)(?:\.(?P<part>[0-9]+))?")


class Refusal(Exception):
    """The request cannot be answered; `body` is what goes over the wire under `status`."""

    def __init__(self, status: int, error: str, **more: Any) -> None:
        super().__init__(error)
        self.status = status
        self.body: dict[str, Any] = {"error": error, **more}


def text_within(given: Mapping[str, Any], name: str, *, high: int, low: int = 1) -> str:
    """Read a text of `low` to `high` characters that is not blank."""
    if name not in given:
        raise Refusal(400, f"{name} is missing. Give it as text of {low} to {high} characters.")
    value = given[name]
    if not isinstance(value, str):
        raise Refusal(400, f"{name} must be text, not {type(value).__name__}.")
    if not value.strip():
        raise Refusal(400, f"{name} is empty. Give it as text of {low} to {high} characters.")
    if not low <= len(value) <= high:
        raise Refusal(400, f"{name} has {len(value)} characters; it may have {low} to {high}.")
    return value


def whole_number(given: Mapping[str, str], name: str, *, default: int, low: int, high: int) -> int:
    """Read a whole number within `low` and `high`, or take the default where it is absent."""
    text = given.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"[0-9]{1,16}", text) or not low <= int(text) <= high:
        raise Refusal(400, f"{name} must be a whole number from {low} to {high}, not {text[:40]!r}.")
    return int(text)


def one_of(given: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    """Read one of a closed list of words."""
    value = given.get(name)
    if value not in choices:
        found = "it is missing" if value is None else f"not {value[:40]!r}"
        raise Refusal(400, f"{name} must be one of {', '.join(choices)}; {found}.")
    return value


def base_units(given: Mapping[str, str], name: str, *, unit: str, decimals: int, bits: int) -> int:
    """Read a positive plain decimal amount as an exact whole number of base units (wei, yoctoNEAR)."""
    text = given.get(name)
    if text is None:
        raise Refusal(400, f"{name} is missing. Give it in {unit} as a plain decimal, for example 0.1.")
    match = _DECIMAL.fullmatch(text) if len(text) <= 120 else None
    if match is None:
        raise Refusal(
            400,
            f"{name} must be a plain decimal number of {unit} such as 0.1 (no sign, unit, comma or exponent), "
            f"not {text[:40]!r}.",
        )
    part = match["part"] or ""
    if len(part.rstrip("0")) > decimals:
        raise Refusal(400, f"{name} has more than {decimals} decimal places, the most that {unit} has.")
    value = int(match["whole"]) * 10**decimals + int(part[:decimals].ljust(decimals, "0") or "0")
    if value == 0:
        raise Refusal(400, f"{name} is zero. Ask the person how much {unit} to transfer.")
    if value >= 2**bits:
        raise Refusal(400, f"{name} is more {unit} than can exist. Ask the person to check the amount.")
    return value


def near_account(given: Mapping[str, str], name: str) -> str:
    """Read a NEAR account id (NEP-518 names and implicit accounts)."""
    value = given.get(name)
    if value is None:
        raise Refusal(400, f"{name} is missing. Ask the person for the NEAR account, for example bob.near.")
    if not 2 <= len(value) <= 64 or not _NEAR_ACCOUNT.fullmatch(value):
        raise Refusal(
            400,
            f"{name} {value[:70]!r} is not a NEAR account id: it has 2 to 64 characters of a to z, 0 to 9, and single "
            ". - _ between them, for example bob.near. Ask the person to check it.",
        )
    return value


def evm_address(given: Mapping[str, str], name: str, *, where: str = "") -> str:
    """Read an EVM address; one of mixed case must match its checksum (EIP-55)."""
    value = given.get(name)
    place = f" of {where}" if where else ""
    if value is None:
        raise Refusal(400, f"{name}{place} is missing. Ask the person for the address: 0x and 40 hexadecimal digits.")
    if not re.fullmatch(r"0x[0-9a-fA-F]{40}", value):
        raise Refusal(
            400,
            f"{name}{place} {value[:50]!r} is not an EVM address: it must be 0x and 40 hexadecimal digits. Names such "
            "as vitalik.eth are not resolved here. Ask the person for the address.",
        )
    digits = value[2:]
    if digits not in {digits.lower(), digits.upper()}:
        from eth_utils.address import to_checksum_address  # costs 0.4 s, so only where it is needed

        if to_checksum_address(value) != value:
            raise Refusal(
                400,
                f"{name}{place} {value} does not match its checksum: a character may be mistyped. Ask the person to "
                "copy the address again.",
            )
    return value
