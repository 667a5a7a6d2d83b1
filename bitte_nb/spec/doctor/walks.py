"""Walks over a whole document: its references and texts, and its schemas with the side on which each is used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from bitte_nb.spec.refs import BrokenReference, reference
from bitte_nb.spec.tree import escape, is_list, is_map, items, mapping, pointer, sequence

if TYPE_CHECKING:
    from bitte_nb.spec.doctor.survey import Survey

__all__ = ["TEXT_KEYS", "Chain", "Shape", "Shapes", "Strings", "children", "place", "read_strings", "walk_shapes"]

Chain: TypeAlias = "tuple[Chain, str | int] | None"
"""A place as a chain of steps, last step first: cheaper than a pointer where most places are never named."""

TEXT_KEYS = frozenset({"description", "summary", "title", "instructions", "name"})
_DATA = frozenset({"default", "enum", "const", "x-ms-examples"})
_EXAMPLES = frozenset({"example", "examples"})
_NAMES = frozenset({
    "properties", "patternProperties", "schemas", "definitions", "$defs", "responses", "parameters", "headers",
    "variables", "mapping", "examples",
})  # fmt: skip
"""Members of these are named by the author: no key in them is a keyword."""

_MAPS = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLES = frozenset({
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties",
})  # fmt: skip


def place(chain: Chain) -> str:
    """The JSON pointer of a chain."""
    steps: list[str] = []
    while chain is not None:
        chain, step = chain
        steps.append(escape(str(step)))
    return "".join("/" + step for step in reversed(steps))


@dataclass(slots=True)
class Strings:
    """What a walk over all strings found."""

    references: list[tuple[str, Chain]] = field(default_factory=list[tuple[str, Chain]])
    """Every `$ref`, outside of data."""
    texts: list[tuple[str, Chain, bool]] = field(default_factory=list[tuple[str, Chain, bool]])
    """Prose (True) and every other string that is not plain ASCII (False)."""


def read_strings(root: dict[str, Any]) -> Strings:
    """Every reference and text of a document."""
    found = Strings()
    # node, place, whether its keys are the author's names, whether it is data
    stack: list[tuple[Any, Chain, bool, bool]] = [(root, None, False, False)]
    while stack:
        node, chain, named, data = stack.pop()
        if is_map(node):
            for key, value in reversed(node.items()):
                if isinstance(value, str):
                    _string(key, value, (chain, key), named, data, found)
                elif is_map(value) or is_list(value):
                    keyword = not named and not data
                    inner = data or (keyword and (key in _DATA or key in _EXAMPLES))
                    stack.append((value, (chain, key), keyword and key in _NAMES and not inner, inner))
        elif is_list(node):
            for index, value in reversed(list(enumerate(node))):
                if is_map(value) or is_list(value):
                    stack.append((value, (chain, index), False, data))
                elif isinstance(value, str) and not value.isascii():
                    found.texts.append((value, (chain, index), False))
    return found


def _string(key: str, value: str, chain: Chain, named: bool, data: bool, found: Strings) -> None:
    if key == "$ref" and not named and not data:
        found.references.append((value, chain))
    elif key in TEXT_KEYS and not named and not data:
        found.texts.append((value, chain, True))
    elif not value.isascii() or not value.isprintable():
        found.texts.append((value, chain, False))


@dataclass(slots=True)
class Shape:
    """One schema, where it is written."""

    node: dict[str, Any]
    at: str
    request: bool = False
    """True if a caller may have to fill it."""
    response: bool = False
    """True if an answer may contain it."""
    children: list[str] = field(default_factory=list[str])
    """Places of the schemas inside it and of those that it refers to."""
    ref: bool = False
    """True for a reference."""


Shapes: TypeAlias = "dict[str, Shape]"


def children(node: dict[str, Any], at: str) -> Iterator[tuple[Any, str]]:
    """The schemas directly inside a schema, with their places."""
    for key, value in node.items():
        if key in _MAPS:
            for name, member in items(value):
                yield member, f"{at}/{key}/{escape(name)}"
        elif key in _LISTS:
            for index, member in enumerate(sequence(value)):
                yield member, f"{at}/{key}/{index}"
        elif key in _SINGLES and is_map(value):
            yield value, f"{at}/{key}"


def walk_shapes(survey: Survey) -> Shapes:
    """Every schema of the document by its place, references followed, with the sides on which it is used."""
    found: Shapes = {}
    for name, node in items(mapping(survey.root.get("components")).get("schemas")):
        _reach(survey, node, pointer("components", "schemas", name), "", found)
    for name, node in items(survey.root.get("definitions")):
        _reach(survey, node, pointer("definitions", name), "", found)
    for visit in survey.visits:
        for slot in visit.parameters:
            written = slot.node.get("schema")
            if written is not None:
                _reach(survey, written, f"{slot.at}/schema", "request", found)
            else:
                _reach(survey, slot.schema, slot.schema_at, "request", found)
        body, at = visit.body_node
        for media, content in items(body.get("content")):
            _reach(survey, mapping(content).get("schema"), f"{at}/content{pointer(media)}/schema", "request", found)
        for _, response, where in visit.responses:
            for media, content in items(response.get("content")):
                inside = f"{where}/content{pointer(media)}/schema"
                _reach(survey, mapping(content).get("schema"), inside, "response", found)
    return found


def _reach(survey: Survey, start: object, at: str, side: str, found: Shapes) -> None:
    stack: list[tuple[object, str]] = [(start, at)]
    while stack:
        node, where = stack.pop()
        if not is_map(node):
            continue
        shape = found.get(where)
        known = shape is not None
        if shape is None:
            shape = found[where] = Shape(node, where)
        if known and (not side or getattr(shape, side)):
            continue
        if side:
            setattr(shape, side, True)
        ref = reference(node)
        inner = list(children(node, where))
        if ref is not None:
            shape.ref = True
            if ref.startswith("#/"):
                with suppress(BrokenReference):
                    inner.append((survey.document.refs.look_up(ref), ref[1:]))
        if not known:
            shape.children = [inside for _, inside in inner]
        stack += inner
