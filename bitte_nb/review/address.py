"""Addresses and account ids: shape, checksum, look-alikes, places where money is lost."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeGuard

__all__ = [
    "checksum",
    "checksum_fails",
    "evm_lookalike",
    "is_account_id",
    "is_burn",
    "is_evm",
    "is_implicit",
    "is_zero",
    "keccak",
    "near_lookalike",
    "short",
]

_EVM = re.compile(r"0x[0-9a-fA-F]{40}")
_ACCOUNT = re.compile(r"(?=.{2,64}\Z)(?:[a-z0-9]+[-_])*[a-z0-9]+(?:\.(?:[a-z0-9]+[-_])*[a-z0-9]+)*")
_IMPLICIT = re.compile(r"[0-9a-f]{64}|0x[0-9a-f]{40}")
_FOLD = str.maketrans({"0": "o", "1": "l", "i": "l", "-": "", "_": "", "5": "s"})


def keccak(data: bytes) -> bytes:
    """Keccak-256 as Ethereum uses it."""
    from Crypto.Hash import keccak as _keccak  # imported late: it loads a C extension

    return _keccak.new(digest_bits=256, data=data).digest()


def is_evm(text: object) -> TypeGuard[str]:
    """True for 0x and forty hex digits."""
    return isinstance(text, str) and _EVM.fullmatch(text) is not None


def checksum(address: str) -> str:
    """The address with its EIP-55 capitals."""
    digits = address[2:].lower()
    marks = keccak(digits.encode()).hex()
    return "0x" + "".join(c.upper() if int(mark, 16) >= 8 else c for c, mark in zip(digits, marks, strict=False))


def checksum_fails(address: str) -> bool:
    """True if the address mixes capitals and they are not those of EIP-55: a digit may be mistyped."""
    digits = address[2:]
    return digits not in (digits.lower(), digits.upper()) and address[2:] != checksum(address)[2:]


def is_zero(address: str) -> bool:
    """True for the zero address."""
    return int(address, 16) == 0


def is_burn(address: str) -> bool:
    """True for addresses nobody has a key for: ...dEaD, the precompiles 0x1 to 0x11 and 0xffff...ffff."""
    number = int(address, 16)
    return (
        0 < number <= 0x11
        or number in {0xDEAD, 2**160 - 1}
        or re.fullmatch(r"0x0*dead0*|0x(?:dead)+", address.lower()) is not None
    )


def evm_lookalike(address: str, known: Iterable[str]) -> str | None:
    """The known address that this one imitates: four equal digits or more at both ends, different between."""
    mine = address[2:].lower()
    for other in known:
        theirs = other[2:].lower()
        if mine != theirs and mine[:4] == theirs[:4] and mine[-4:] == theirs[-4:]:
            return other
    return None


def is_account_id(text: object) -> TypeGuard[str]:
    """True for a NEAR account id: 2 to 64 characters of its grammar."""
    return isinstance(text, str) and _ACCOUNT.fullmatch(text) is not None


def is_implicit(account_id: str) -> bool:
    """True for an account named by its key (64 hex digits) or by an Ethereum address (NEP-518)."""
    return _IMPLICIT.fullmatch(account_id) is not None


def _fold(account_id: str) -> str:
    return account_id.replace("rn", "m").replace("vv", "w").translate(_FOLD)


def _one_edit(a: str, b: str) -> bool:
    if abs(len(a) - len(b)) > 1:
        return False
    if len(a) > len(b):
        a, b = b, a
    i = 0
    while i < len(a) and a[i] == b[i]:
        i += 1
    return a[i + 1 :] == b[i + 1 :] if len(a) == len(b) else a[i:] == b[i + 1 :]


def near_lookalike(account_id: str, known: Iterable[str]) -> str | None:
    """The known account that this id imitates: confusable letters, one edit, or the known id as a prefix label."""
    known = list(known)
    if account_id in known:
        return None
    if is_implicit(account_id):
        # Named by hex digits, so what counts is what a person compares: both ends (as with EVM addresses).
        ends = (len(account_id), account_id.removeprefix("0x")[:4], account_id[-4:])
        return next((k for k in known if is_implicit(k) and (len(k), k.removeprefix("0x")[:4], k[-4:]) == ends), None)
    for other in known:
        if is_implicit(other):
            continue
        if account_id.endswith("." + other):
            continue  # a sub-account can only be made by the account itself
        if _fold(account_id) == _fold(other) or _one_edit(account_id, other):
            return other
        if account_id.startswith((other + ".", other.replace(".", "-") + ".", other.replace(".", "_") + ".")):
            return other
    return None


def short(address: str) -> str:
    """The two ends of a long address or id, for sentences; rows show it whole."""
    return address if len(address) <= 20 else f"{address[:8]}…{address[-6:]}"
