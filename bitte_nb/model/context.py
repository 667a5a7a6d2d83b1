"""Values that the person need not say: their own account from the wallet, and fields of earlier results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from bitte_nb.core.wallet import Wallet
from bitte_nb.model.fitting import PARTIES, RECEIVING
from bitte_nb.model.said import Outcome, Said
from bitte_nb.model.schema import Slot
from bitte_nb.model.words import split_identifier, stem, vocabulary

__all__ = ["from_outcomes", "from_wallet", "same_name"]

_TO_ME = re.compile(r"\bto\s+(?:me|myself|my\s+(?:own\s+)?(?:account|wallet|address))\b", re.IGNORECASE)
_EVM_NAMES = vocabulary("evmaddress useraddress walletaddress evmaccount fromaddress owneraddress")
_NEAR_NAMES = vocabulary("accountid account signerid nearaccountid nearaccount nearid useraccountid")
_OPEN_NAMES = vocabulary("address sender senderaddress from user userid wallet")
"""Names that mean the person only if the text or the description says so."""


def from_wallet(slot: Slot, said: Said, wallet: Wallet) -> Any:
    """The person's account, address or chain, where the argument's name means it; else None."""
    words = set(slot.name_words)
    name = "".join(slot.name_words)
    if words & PARTIES:
        if not (words & RECEIVING and _TO_ME.search(said.text)):
            return None
        evm = slot.hinted("evm-address") and not slot.hinted("near-account")
        return wallet.evm_address if evm else wallet.account_id
    if name in ("chainid", "evmchainid"):
        return wallet.chain_id
    if not (slot.required or said.first_person):
        return None
    if name in _EVM_NAMES:
        near = slot.hinted("near-account") and not slot.raw_words & {"evm", "ethereum", "0x"}
        return wallet.account_id if near and name != "evmaddress" else wallet.evm_address
    if name in _NEAR_NAMES:
        return wallet.account_id
    if name in _OPEN_NAMES and (said.first_person or slot.raw_words & {"user", "user's", "connected", "your"}):
        if slot.raw_words & {"evm", "ethereum", "0x"} or slot.example_kind == "evm-address":
            return wallet.evm_address
        return wallet.account_id if slot.hinted("near-account") else None
    return None


def from_outcomes(slot: Slot, said: Said, outcomes: Sequence[Outcome]) -> Any:
    """The field of the newest result that has the argument's name, if all of that result agrees on it; else None.

    Words are never taken from a result, only ids and values without blanks; an earlier turn's only where the text
    points back at it.
    """
    if slot.types <= {"string"} and not (slot.is_id or slot.is_one_word):
        return None
    for outcome in reversed(outcomes):
        if outcome.error is not None or not (outcome.current or (said.refers and slot.is_id)):
            continue
        found = {repr(value): value for value in _named(outcome.data, slot, outcome.name, depth=4, inside="")}
        if found:
            return next(iter(found.values())) if len(found) == 1 else None
    return None


def same_name(written: str, slot: Slot) -> bool:
    """True where a written name is the slot's, whatever the case and the separators."""
    flat = _flat(written)
    return flat in (_flat(slot.name), _flat(slot.label))


def _flat(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _named(data: Any, slot: Slot, tool: str, *, depth: int, inside: str) -> list[Any]:
    """Values whose key is the argument's name, or `id` in the thing that the name speaks of."""
    found: list[Any] = []
    if depth == 0:
        return found
    if isinstance(data, list):
        for item in cast("list[Any]", data)[:100]:
            found += _named(item, slot, tool, depth=depth - 1, inside=inside)
    elif isinstance(data, dict):
        thing = {stem(word) for word in slot.name_words[:-1]}
        about = {stem(word) for word in split_identifier(tool) + split_identifier(inside)}
        for key, value in cast("dict[str, Any]", data).items():
            scalar = isinstance(value, str | int | float) and not isinstance(value, bool)
            owns = slot.is_id and key == slot.name_words[-1] and bool(thing & about or not thing)
            if scalar and (same_name(key, slot) or owns):
                found.append(value)
            elif not scalar:
                found += _named(value, slot, tool, depth=depth - 1, inside=key)
    return found
