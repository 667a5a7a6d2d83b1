"""A document as the rules look at it: operations, texts and schemas with their places, each read once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bitte_nb.spec.doctor.visit import Slot, Visit
from bitte_nb.spec.doctor.walks import Shapes, Strings, read_strings, walk_shapes
from bitte_nb.spec.doctor.weight import Weight, weigh
from bitte_nb.spec.index import METHODS
from bitte_nb.spec.refs import BrokenReference, reference
from bitte_nb.spec.tree import escape, is_map, items, mapping, pointer, sequence, string

if TYPE_CHECKING:
    from bitte_nb.spec.document import Document

__all__ = ["Slot", "Survey", "Visit"]

_MERGE_DEPTH = 8


class Survey:
    """One document under examination."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.root = document.root
        self.agent = is_map(self.root.get("x-mb"))
        """True where the document declares an agent."""

    def follow(self, node: object, at: str) -> tuple[dict[str, Any], str]:
        """A node at the end of its chain of references, with its place; empty where it leads nowhere."""
        try:
            target, last = self.document.refs.trace(node)
        except BrokenReference:
            return {}, at
        return mapping(target), (last[1:] if last is not None and last.startswith("#/") else at)

    def properties(self, schema: dict[str, Any], at: str, depth: int = 0) -> Iterator[tuple[str, Any, str]]:
        """The properties of a schema and of its `allOf`, as (name, node, place)."""
        for name, node in items(schema.get("properties")):
            yield name, node, f"{at}/properties/{escape(name)}"
        if depth < _MERGE_DEPTH:
            for index, part in enumerate(sequence(schema.get("allOf"))):
                target, place = self.follow(part, f"{at}/allOf/{index}")
                yield from self.properties(target, place, depth + 1)

    def required(self, schema: dict[str, Any], depth: int = 0) -> frozenset[str]:
        """The names that a schema and its `allOf` require."""
        found = {name for name in sequence(schema.get("required")) if isinstance(name, str)}
        for part in sequence(schema.get("allOf")) if depth < _MERGE_DEPTH else []:
            found |= self.required(self.follow(part, "")[0], depth + 1)
        return frozenset(found)

    @cached_property
    def visits(self) -> tuple[Visit, ...]:
        """Every operation of the document, those that are quarantined too."""
        return tuple(self._visits())

    def _visits(self) -> Iterator[Visit]:
        for path, raw in items(self.root.get("paths")):
            if path.startswith("x-"):
                continue
            at = pointer("paths", path)
            item, item_at = self.follow(raw, at)
            if reference(raw) is not None:
                item = item | {key: value for key, value in items(raw) if key != "$ref"}
            for method in METHODS:
                if is_map(node := item.get(method)):
                    yield Visit(self, method.upper(), path, f"{at}/{method}", node, item, item_at)
            for method, node in items(item.get("additionalOperations")):
                if is_map(node):
                    where = f"{at}/additionalOperations{pointer(method)}"
                    yield Visit(self, method, path, where, node, item, item_at)

    @cached_property
    def strings(self) -> Strings:
        """Its references and texts."""
        return read_strings(self.root)

    @cached_property
    def shapes(self) -> Shapes:
        """Its schemas by place."""
        return walk_shapes(self)

    @cached_property
    def weights(self) -> list[Weight]:
        """What each usable operation weighs as a tool."""
        return weigh(self.document.operations.values())

    @cached_property
    def ids(self) -> frozenset[str]:
        """All declared operationIds."""
        return frozenset(visit.id for visit in self.visits if visit.id)

    @cached_property
    def extension(self) -> dict[str, Any]:
        """The `x-mb` extension, or empty."""
        return mapping(self.root.get("x-mb"))

    @cached_property
    def assistant(self) -> dict[str, Any]:
        """The `x-mb` assistant, or empty."""
        return mapping(self.extension.get("assistant"))

    @cached_property
    def primitives(self) -> tuple[str, ...]:
        """The declared primitive types."""
        kinds = [string(mapping(tool).get("type")) for tool in sequence(self.assistant.get("tools"))]
        return tuple(dict.fromkeys(kind for kind in kinds if kind and kind != "function"))
