"""Access to the handed vectors beside the repository; tests that need them skip where they are absent."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HOME = Path(__file__).resolve().parents[3] / "shared" / "data" / "transactions"


@cache
def load(name: str) -> dict[str, Any]:
    path = HOME / name
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def cases(name: str, *keys: str) -> list[Any]:
    """Parameters of every vector under the keys of a file, or one skipped parameter."""
    data = load(name)
    found = [pytest.param(v, id=v.get("id", v.get("name", "?"))) for key in keys for v in data.get(key, [])]
    return found or [
        pytest.param({}, id="absent", marks=pytest.mark.skip(reason=f"../shared/data/transactions/{name} is absent"))
    ]


def warned(items: Any) -> list[tuple[str, str]]:
    """Ids and severities of a card's warnings or of an expectation, sorted."""
    return sorted((w["id"], w["severity"]) if isinstance(w, dict) else (w.id, w.severity) for w in items)


def within(wanted: Any, found: Any) -> bool:
    """True if everything in `wanted` is in `found`."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(k in found and within(v, found[k]) for k, v in wanted.items())
    if isinstance(wanted, list):
        same = isinstance(found, list | tuple) and len(wanted) == len(found)
        return same and all(within(a, b) for a, b in zip(wanted, found, strict=True))
    return wanted == found
