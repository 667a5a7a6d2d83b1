"""Digests of what would run: SHA-256 over canonical JSON, the same bytes in every process."""

from __future__ import annotations

import hashlib
import json
from typing import Any

__all__ = ["canonical", "digest"]


def canonical(value: Any) -> str:
    """JSON with sorted keys, no white space, no escapes beyond the needed ones; integers of any size stay exact.

    Raises:
        ValueError: the value holds NaN or an infinity.
        TypeError: the value is not JSON.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Any) -> str:
    """SHA-256 of `canonical(value)` as 64 hex digits; lone surrogates are kept apart, never an error."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()
