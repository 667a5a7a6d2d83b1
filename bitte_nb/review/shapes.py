"""Looking into untrusted JSON: objects and lists, or empty ones where something else stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

__all__ = ["listed", "table"]


def table(value: object) -> Mapping[str, Any]:
    """The value as an object; {} if it is none."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def listed(value: object) -> list[Any]:
    """The value as a list; [] if it is none."""
    return cast("list[Any]", value) if isinstance(value, list) else []
