"""Typed data being read: its message, domain and the words for what it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from bitte_nb.review.address import checksum, is_evm
from bitte_nb.review.card import Chain
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.eip712 import TypedMessage, integer
from bitte_nb.review.sheet import Sheet

__all__ = ["Typed", "details", "owner"]


@dataclass
class Typed:
    """Typed data being read."""

    data: TypedMessage
    sheet: Sheet
    chain: Chain
    signer: str | None
    kind: str = "unknown_typed_data"
    summary: str = ""

    @property
    def ctx(self) -> ReviewContext:
        """The context of the review."""
        return self.sheet.ctx

    @property
    def message(self) -> Mapping[str, Any]:
        """The signed struct."""
        return self.data.message

    @property
    def contract(self) -> str | None:
        """domain.verifyingContract, if it is an address."""
        value = self.data.domain.get("verifyingContract")
        return value if is_evm(value) else None

    @property
    def chain_id(self) -> int | None:
        """domain.chainId as a number."""
        return int(self.chain.id) if self.chain.id else None

    def name(self, address: str) -> str:
        """A name for sentences."""
        return self.ctx.name(address) or checksum(address)

    def mine(self, address: str) -> bool:
        """True for own accounts and the signer."""
        return address.lower() in self.ctx.own or (self.signer is not None and address.lower() == self.signer.lower())

    def number(self, source: Mapping[str, Any], key: str) -> int:
        """A checked whole number of the message."""
        return integer(source[key], key)

    def amount(self, role: str, token: str, raw: int, *, label: str, to: str | None = None) -> str:
        """Add an amount of a token of this chain."""
        return self.sheet.token_amount(role, self.ctx.token(self.chain_id, token), token, raw, label=label, to=to)


def owner(t: Typed, owner: str, label: str = "Owner") -> None:
    """The row of whose tokens it is about, compared with the account that signs."""
    t.sheet.account("owner", label, owner)
    if t.signer is not None and owner.lower() != t.signer.lower():
        t.sheet.warn("owner_mismatch", f"The permit is for tokens of {t.name(owner)}, not of the account that signs.")


def details(value: Any) -> list[Mapping[str, Any]]:
    """One struct or a list of them, as a list."""
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [cast("Mapping[str, Any]", item) for item in items]
