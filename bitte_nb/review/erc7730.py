"""ERC-7730 v2: the display descriptors that a person supplies, matched by chain, address and selector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bitte_nb.review.abi_table import Known
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.evm_reading import Reading

__all__ = ["Described", "for_call", "show_call"]


@dataclass(frozen=True, slots=True)
class Described:
    """A function that a descriptor explains."""

    known: Known
    format: Mapping[str, Any]
    descriptor: Mapping[str, Any]


def for_call(ctx: ReviewContext, chain_id: int | None, to: str, data: bytes) -> Described | None:
    """The description of a call, if one of the person's descriptors is bound to that contract and selector."""
    return None


def show_call(described: Described, reading: Reading) -> None:
    """Add the described rows to the card."""


def for_typed(ctx: ReviewContext, data: Any, chain_id: int | None, contract: str | None) -> Described | None:
    """The description of typed data, if one of the person's descriptors is bound to its domain and type."""
    return None


def show_typed(described: Described, typed: Any) -> None:
    """Add the described rows to the card."""
