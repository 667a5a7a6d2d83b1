"""Which call a transaction hash is the outcome of, in this process: one transaction answers one call only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

__all__ = ["hashes_of", "holder", "record"]

_HOLDERS: dict[str, str] = {}


def hashes_of(result: object) -> list[str]:
    """The hashes that a signer's result names."""
    if not isinstance(result, Mapping):
        return []
    fields = cast("Mapping[str, Any]", result)
    named = fields.get("hashes")
    found = [*cast("list[object]", named if isinstance(named, list) else []), fields.get("hash")]
    return list(dict.fromkeys(one for one in found if isinstance(one, str)))


def holder(transaction_hash: str) -> str | None:
    """The name of the call that a hash was recorded for."""
    return _HOLDERS.get(transaction_hash)


def record(call: str, result: object) -> None:
    """Keep the hashes of a result for a call; the first call keeps each."""
    for one in hashes_of(result):
        _HOLDERS.setdefault(one, call)
