"""The paths of ERC-7730 descriptors: `#` the signed data, `$` the descriptor, `@` the transaction around it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from bitte_nb.review.shapes import table

__all__ = ["PathError", "Scope", "resolve"]

_SLICE = re.compile(r"\[(?P<start>-?\d{1,6})?:(?P<end>-?\d{1,6})?\]")
_INDEX = re.compile(r"\[(?P<index>-?\d{1,6})\]")
_MAX_VALUES = 200


class PathError(ValueError):
    """The path leads nowhere in this data."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What paths may refer to."""

    data: Any
    descriptor: Mapping[str, Any]
    container: Mapping[str, Any]
    """value, to, from, chainId of the transaction or the domain."""


def resolve(path: str, scope: Scope, *, base: str = "") -> list[Any]:
    """All values that a path leads to (several where it has `[]`), or PathError; `base` is the group it stands in."""
    if not isinstance(path, str) or len(path) > 500:  # pyright: ignore[reportUnnecessaryIsInstance] - untrusted JSON
        raise PathError("the path is not usable")
    root, _, rest = path.partition(".")
    if root == "$":
        return _walk([scope.descriptor], rest)
    if root == "@":
        return _walk([scope.container], rest)
    if root == "#":
        return _walk([scope.data], rest)
    return _walk([scope.data], ".".join(filter(None, (base.removeprefix("#").removeprefix("."), path))))


def _walk(values: list[Any], path: str) -> list[Any]:
    for step in filter(None, path.replace("][", "].[").split(".")):
        values = [found for value in values for found in _step(value, step)]
        if len(values) > _MAX_VALUES:
            raise PathError(f"the path leads to more than {_MAX_VALUES} values")
    return values


def _step(value: Any, step: str) -> list[Any]:
    name, bracket, rest = step.partition("[")
    if name:
        box = table(value)
        if name not in box:
            raise PathError(f"there is no {name!r}")
        value = box[name]
        if not bracket:
            return [value]
        step = "[" + rest
    if step == "[]":
        if not isinstance(value, list):
            raise PathError("a list is expected")
        return cast("list[Any]", value)
    items = _octets(value)
    found = _INDEX.fullmatch(step)
    if found is not None:
        index = int(found["index"])
        if not -len(items) <= index < len(items):
            raise PathError(f"there is no item {index}")
        return [items[index : index + 1 or None] if isinstance(items, bytes) else items[index]]
    found = _SLICE.fullmatch(step)
    if found is None:
        raise PathError(f"{step[:40]!r} is not a step of a path")
    part = items[slice(*(int(found[g]) if found[g] else None for g in ("start", "end")))]
    return [part] if isinstance(part, bytes) else list(part)


def _octets(value: Any) -> bytes | list[Any]:
    if isinstance(value, list):
        return cast("list[Any]", value)
    if isinstance(value, bytes):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value.to_bytes(32, "big")  # a slice of a number takes the bytes of its word
    if isinstance(value, str) and re.fullmatch(r"0x(?:[0-9a-fA-F]{2})*", value):
        return bytes.fromhex(value[2:])
    raise PathError("only lists and bytes can be sliced")
