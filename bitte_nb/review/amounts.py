"""Exact amounts: base units in, decimal digits out, no float anywhere."""

from __future__ import annotations

import re

__all__ = ["MAX_SAFE", "UNLIMITED", "BadAmount", "display", "human", "is_unlimited", "parse_human", "parse_uint"]

MAX_SAFE = 2**53
"""Above this a JSON number may have lost digits on its way (IEEE 754 double)."""

UNLIMITED = 2**255
"""Allowances from here on are unlimited (the threshold of ERC-7730 tokenAmount)."""

_DECIMAL = re.compile(r"0|[1-9][0-9]{0,89}")
_HEX = re.compile(r"0x[0-9a-fA-F]{1,80}")
_HUMAN = re.compile(r"([0-9]{1,90})(?:\.([0-9]{1,90}))?")


class BadAmount(ValueError):
    """The value is not a whole number of base units; the message says why in a few words."""


def parse_uint(value: object, *, bits: int = 256) -> int:
    """A whole number of base units from an int, a canonical decimal string or 0x hex; else BadAmount.

    JSON numbers above 2**53, fractions, exponents, signs, blanks and leading zeros are refused.
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        if isinstance(value, float):
            raise BadAmount(f"{value!r} is a floating-point number: digits may be lost, write it as a string")
        raise BadAmount(f"{type(value).__name__} is not an amount")
    if isinstance(value, int):
        if value > MAX_SAFE:
            raise BadAmount("it is a JSON number above 2**53: digits may be lost, write it as a string")
        found = value
    elif _DECIMAL.fullmatch(value):
        found = int(value)
    elif _HEX.fullmatch(value):
        found = int(value, 16)
    else:
        raise BadAmount(f"{value[:40]!r} is not a whole number of base units")
    if found < 0:
        raise BadAmount("it is negative")
    if found >> bits:
        raise BadAmount(f"it does not fit in {bits} bits")
    return found


def human(raw: int, decimals: int) -> str:
    """Whole units of raw / 10**decimals with every digit and no trailing zeros; 1 yocto has 24 places."""
    sign, digits = ("-", str(-raw)) if raw < 0 else ("", str(raw))
    if decimals == 0:
        return sign + digits
    digits = digits.rjust(decimals + 1, "0")
    whole, fraction = digits[:-decimals], digits[-decimals:].rstrip("0")
    return sign + (f"{whole}.{fraction}" if fraction else whole)


def display(raw: int, decimals: int, symbol: str) -> str:
    """`human` with its unit: "250.5 USDC"."""
    return f"{human(raw, decimals)} {symbol}".rstrip()


def is_unlimited(raw: int) -> bool:
    """True for amounts that no token can ever reach: from 2**255 on, or the maximum of uint160, uint128 or uint96."""
    return raw >= UNLIMITED or raw in {2**160 - 1, 2**128 - 1, 2**96 - 1}


def parse_human(text: str, decimals: int) -> int | None:
    """Base units of a decimal number like "250.5"; None if it is not one or has more places than the token."""
    match = _HUMAN.fullmatch(text.strip().replace(",", ""))
    if match is None:
        return None
    whole, fraction = match[1], (match[2] or "").rstrip("0")
    if len(fraction) > decimals:
        return None
    return int(whole) * 10**decimals + int(fraction.ljust(decimals, "0") or "0")
