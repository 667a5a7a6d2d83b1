"""References inside one document: RFC 6901 pointers to any place, percent-decoded, with list indices."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, cast
from urllib.parse import unquote

from bitte_nb.spec.tree import index_of, is_list, is_map, items, mapping, string

__all__ = ["BrokenReference", "References", "ids_of", "reference"]

_HOPS = 64
_OWN = ("$defs", "definitions")


class BrokenReference(LookupError):
    """A reference that leads nowhere; the message is a sentence."""


def reference(node: object) -> str | None:
    """The `$ref` of a node, or its `$dynamicRef`; a property that is merely called `$ref` is not one."""
    source = mapping(node)
    found = source.get("$ref", source.get("$dynamicRef"))
    return found if isinstance(found, str) else None


def ids_of(root: Any) -> dict[str, Any]:
    """Schemas by what else they are called: `$id`, `#` with `$anchor` or `$dynamicAnchor` (JSON Schema, core 8.2)."""
    found: dict[str, Any] = {}
    for node in _objects(root):
        for key in ("$anchor", "$dynamicAnchor"):
            if isinstance(node.get(key), str):
                found.setdefault(f"#{node[key]}", node)
        if isinstance(node.get("$id"), str):
            found.setdefault(node["$id"].removesuffix("#"), node)
    return found


def _objects(root: Any) -> Iterator[dict[str, Any]]:
    """Every object of a tree."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if is_map(node):
            yield node
            waiting.extend(node.values())
        elif is_list(node):
            waiting.extend(node)


class References:
    """Follows the references of one tree; each is looked up once."""

    def __init__(self, root: Any) -> None:
        self.root = root
        """The tree."""
        self._known: dict[str, Any] = {}
        self._own = string(mapping(root).get("$self")).split("#", 1)[0]

    def look_up(self, ref: str) -> Any:
        """The node that a reference names, which may be a reference itself. Raises BrokenReference."""
        if ref in self._known:
            return self._known[ref]
        node = self._find(ref)
        self._known[ref] = node
        return node

    def follow(self, node: Any) -> Any:
        """The node itself, or what its chain of references ends at. Raises BrokenReference."""
        return self.trace(node)[0]

    def trace(self, node: Any) -> tuple[Any, str | None]:
        """The end of the chain of references and the last reference followed, or None where there was none."""
        last: str | None = None
        followed: set[str] = set()
        for _ in range(_HOPS):
            ref = reference(node)
            if ref is None:
                return node, last
            if ref in followed:
                raise BrokenReference(f"The reference {ref} goes round in a circle.")
            followed.add(ref)
            node, last = self.look_up(ref), ref
        raise BrokenReference(f"The reference {last} is the {_HOPS}th of a chain that does not end there.")

    @cached_property
    def _names(self) -> dict[str, Any]:
        return ids_of(self.root)

    @cached_property
    def _own_definitions(self) -> dict[str, Any]:
        """Definitions that stand inside a schema, by name; none where two of a name differ.

        A pointer counts from the document's root, but schemas that were written elsewhere count from their own.
        """
        found: dict[str, list[Any]] = {}
        for node in _objects(self.root):
            for key in _OWN:
                for name, schema in items(node.get(key)):
                    if schema not in found.setdefault(name, []):
                        found[name].append(schema)
        return {name: schemas[0] for name, schemas in found.items() if len(schemas) == 1}

    def _find(self, ref: str) -> Any:
        target, _, fragment = ref.partition("#")
        node = self.root
        if target and target != self._own:
            if target not in self._names:
                raise BrokenReference(f"The reference {ref} leads out of the document and was not loaded.")
            node = self._names[target]
        if fragment in ("", "/"):
            return node
        if not fragment.startswith("/"):
            named = self._names.get(f"#{unquote(fragment)}")
            if named is None:
                raise BrokenReference(f"The reference {ref} is not a JSON pointer: write #/components/... instead.")
            return named
        steps = fragment[1:].split("/")
        try:
            for raw in steps:
                node = self._step(node, raw, ref)
        except BrokenReference:
            if steps[0] not in _OWN or len(steps) < 2 or unquote(steps[1]) not in self._own_definitions:
                raise
            node = self._own_definitions[unquote(steps[1])]
            for raw in steps[2:]:
                node = self._step(node, raw, ref)
        return node

    @staticmethod
    def _step(node: Any, raw: str, ref: str) -> Any:
        token = unquote(raw).replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict):
            members = cast("dict[str, Any]", node)
            for candidate in (token, raw, raw.replace("~1", "/").replace("~0", "~")):
                if candidate in members:
                    return members[candidate]
        elif isinstance(node, list):
            entries = cast("list[Any]", node)
            if 0 <= (index := index_of(token)) < len(entries):
                return entries[index]
        raise BrokenReference(f"The reference {ref} leads nowhere: there is no {token!r}.")
