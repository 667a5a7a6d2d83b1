"""How deeply JSON may be nested in a chat: what is deeper cannot be read back by every reader of its history."""

from __future__ import annotations

from typing import Any

__all__ = ["DEEPEST", "too_deep"]

DEEPEST = 100
"""Levels of objects and arrays; no document needs as many, and parsers of JSON give up soon after."""


def too_deep(value: Any) -> bool:
    """Whether the value is nested more deeply than `DEEPEST`; does not recurse itself."""
    level: list[Any] = [value]
    for _ in range(DEEPEST + 1):
        below: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                below.extend(one.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType] - any JSON
            elif isinstance(one, list):
                below.extend(one)  # pyright: ignore[reportUnknownArgumentType] - any JSON
        if not below:
            return False
        level = below
    return True
