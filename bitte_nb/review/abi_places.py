"""Where each value of decoded calldata stands, for cards that show it: byte ranges beside the values.

The layout is that of the contract ABI specification ("Formal Specification of the Encoding"): static values stand in
the head, dynamic ones where the head points to, counted from the start of the values around them.
"""

from __future__ import annotations

from dataclasses import dataclass

from bitte_nb.review.abi_types import WORD, AbiType

__all__ = ["Place", "places"]


@dataclass(frozen=True, slots=True)
class Place:
    """The bytes of one value; an array or a struct knows the places of its parts."""

    start: int
    end: int
    parts: tuple[Place, ...] = ()

    def __str__(self) -> str:
        return f"data[{self.start}:{self.end}]"


def places(types: tuple[AbiType, ...], data: bytes, base: int) -> tuple[Place, ...]:
    """The place of each value of a sequence that begins at byte `base` of data that was decoded before.

    Text and bytes are their content, without the length before it.
    """
    found: list[Place] = []
    head = base
    for kind in types:
        start = base + _word(data, head) if kind.dynamic else head
        found.append(_place(kind, data, start))
        head += kind.head_size
    return tuple(found)


def _place(kind: AbiType, data: bytes, start: int) -> Place:
    if kind.dims:
        fixed = kind.dims[-1]
        count, first = (_word(data, start), start + WORD) if fixed is None else (fixed, start)
        parts = places((kind.element,) * count, data, first)
        return Place(start, max([start + WORD * (fixed is None), *(part.end for part in parts)]), parts)
    if kind.base == "tuple":
        parts = places(kind.components, data, start)
        return Place(start, max((part.end for part in parts), default=start), parts)
    if kind.base in ("bytes", "string"):
        return Place(start + WORD, start + WORD + _word(data, start))
    return Place(start, start + WORD)


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + WORD], "big")
