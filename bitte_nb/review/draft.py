"""A card in the making: what a request's reader hands to the last step, which adds the facts every card has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bitte_nb.review.card import Chain
from bitte_nb.review.sheet import Sheet

__all__ = ["Draft"]


@dataclass
class Draft:
    """Mutable, private to one review."""

    kind: str
    title: str
    chain: Chain
    sheet: Sheet
    summary: str = ""
    function: str | None = None
    selector: str | None = None
    args: tuple[Any, ...] = ()
    arg_names: tuple[str, ...] = ()
    actions: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    signing_hash: str | None = None
    signing_label: str = "Hash to sign"
    message: bool = False
    """True for messages and typed data: no fee, nonce or balance change belongs to them."""
    extra: dict[str, Any] = field(default_factory=dict[str, Any])

    def invalid(self, title: str) -> Draft:
        """The same draft as one that cannot be signed at all."""
        self.kind, self.title, self.summary = "invalid", title, title
        return self
