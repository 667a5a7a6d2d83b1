"""What tools weigh in a request to a model: bytes of name, description and input schema, tokens by a rule of thumb."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bitte_nb.spec.tree import is_list, is_map

if TYPE_CHECKING:
    from bitte_nb.spec.operation import Operation

__all__ = ["Weight", "weigh"]

_TRIMS = frozenset({"examples", "format", "title", "example"})


@dataclass(frozen=True, slots=True)
class Weight:
    """Sizes of one tool, in bytes of UTF-8."""

    operation: Operation
    own: int
    """Name, description and arguments without `$defs`."""
    shared: dict[str, int]
    """Its `$defs`, by name."""
    text: int
    """Its description."""
    trims: int
    """What examples, formats and titles take in it."""

    @property
    def total(self) -> int:
        """All of it."""
        return self.own + sum(self.shared.values())


def weigh(operations: Iterable[Operation]) -> list[Weight]:
    """The weight of each operation's tool; a definition that several share is measured once."""
    measured: dict[int, tuple[int, int]] = {}
    kept: list[Any] = []
    found: list[Weight] = []
    for operation in operations:
        plan = operation.plan
        own: dict[str, Any] = {
            "name": operation.id,
            "description": operation.words,
            "parameters": plan.schema() | {"$defs": {}},
        }
        shared: dict[str, int] = {}
        trims = _trims(own)
        for name, schema in plan.definitions.items():
            if id(schema) not in measured:
                kept.append(schema)  # An id is only good while its object lives.
                measured[id(schema)] = (_size(schema), _trims(schema))
            size, spare = measured[id(schema)]
            shared[name] = size + len(name) + 4
            trims += spare
        found.append(Weight(operation, _size(own), shared, _size(operation.words), trims))
    return found


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "replace"))


def _trims(value: Any) -> int:
    size = 0
    stack: list[tuple[Any, bool]] = [(value, False)]
    while stack:
        node, named = stack.pop()
        if is_map(node):
            for key, member in node.items():
                if not named and key in _TRIMS:
                    size += _size(member) + len(key) + 4
                else:
                    stack.append((member, not named and key in ("properties", "$defs", "patternProperties")))
        elif is_list(node):
            stack += [(entry, False) for entry in node]
    return size
