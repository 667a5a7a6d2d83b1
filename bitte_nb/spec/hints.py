"""The shape of a successful result in a few words, for a model that plans the next step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from bitte_nb.spec.media import kind_of
from bitte_nb.spec.refs import BrokenReference, References, reference
from bitte_nb.spec.style import compact
from bitte_nb.spec.tree import clean, finite, is_list, items, mapping, sequence, string

__all__ = ["Shapes", "result_hint"]

_MAX_DEPTH = 3
_MAX_FIELDS = (12, 6, 4)
"""Fields that are shown, by depth."""
_MAX_LENGTH = 300
_MAX_STEPS = 5


def result_hint(operation: Mapping[str, Any], refs: References, shapes: Shapes) -> str:
    """The shape of the first successful response, such as `{id: string, items: [{name: string}]}`; empty if unknown."""
    for status, raw in sorted(items(operation.get("responses")), key=lambda pair: str(pair[0])):
        if not str(status).startswith("2") and status != "default":
            continue
        try:
            response = mapping(refs.follow(raw))
        except BrokenReference:
            continue
        content = mapping(response.get("content"))
        if status == "default" and not content:
            continue
        found = _content_hint(content, refs, shapes)
        if not found:
            words = clean(response.get("description")) or clean(response.get("summary"))
            found = "no content" if str(status) == "204" else words[:80]
        return "\n".join(filter(None, [found, _next_steps(response, refs)]))
    return ""


def _content_hint(content: dict[str, Any], refs: References, shapes: Shapes) -> str:
    for media in sorted(content, key=lambda name: kind_of(name) != "json"):
        try:
            entry = mapping(refs.follow(content[media]))
        except BrokenReference:
            entry = {}
        if "itemSchema" in entry:
            kind = "" if kind_of(media) in ("json", "lines") else f"{media} of "
            return _cut(f"{kind}[{shapes.of(entry['itemSchema'], 0)}]")
        if kind_of(media) in ("json", "lines") or "*" in media:
            return _cut(shapes.of(entry.get("schema"), 0))
        return media
    return ""


def _cut(shape: str) -> str:
    text = clean(shape)
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 3] + "..."


def _next_steps(response: dict[str, Any], refs: References) -> str:
    """What the document's links say can be done with the result (OAS 3.1, 4.8.20): operations and what fills them."""
    steps: list[str] = []
    for name, raw in items(response.get("links")):
        try:
            link = mapping(refs.follow(raw))
        except BrokenReference:
            continue
        reference_parts = string(link.get("operationRef")).rsplit("/", 2)
        target = string(link.get("operationId")) or " ".join(
            [reference_parts[-1].upper(), unquote(reference_parts[-2]).replace("~1", "/")]
            if len(reference_parts) == 3
            else []
        )
        if not target or name == "undo":
            continue
        filled = ", ".join(f"{key}={_source(value)}" for key, value in items(link.get("parameters")))
        steps.append(clean(f"{target}({filled})"))
    return f"Next: {'; '.join(steps[:_MAX_STEPS])}" if steps else ""


def _source(value: object) -> str:
    """Where a link's argument comes from, in short: `$response.body#/id` is plainly `id`."""
    text = value if isinstance(value, str) else compact(value) if finite(value) else ""
    return text.removeprefix("$response.body#/").removeprefix("$request.")[:60]


class Shapes:
    """Writes the shapes of a document's schemas; each component once for every depth."""

    def __init__(self, refs: References) -> None:
        self._refs = refs
        self._known: dict[tuple[str, int], str] = {}

    def of(self, node: object, depth: int) -> str:
        """The shape of a schema at a depth; deeper than the limit, objects are not opened."""
        ref = reference(node)
        if ref is None:
            return self._of(mapping(node), depth)
        known = self._known.get((ref, depth))
        if known is None:
            self._known[ref, depth] = "..."
            try:
                known = self._of(mapping(self._refs.follow(node)), depth)
            except BrokenReference:
                known = "any"
            self._known[ref, depth] = known
        return known

    def _of(self, schema: dict[str, Any], depth: int) -> str:
        for key in ("oneOf", "anyOf") if depth <= _MAX_DEPTH else ():
            if branches := [branch for branch in sequence(schema.get(key)) if mapping(branch).get("type") != "null"]:
                shown = list(dict.fromkeys(self.of(branch, depth + 1) for branch in branches[:3]))
                return " | ".join(shown)
        if "properties" in schema or "allOf" in schema:
            if depth >= _MAX_DEPTH:
                return "{...}"
            if properties := self._properties(schema, depth):
                return self._object(properties, depth)
        kind = schema.get("type")
        kind = next((entry for entry in kind if entry != "null"), "any") if is_list(kind) else kind
        if kind == "array" or "items" in schema:
            return f"[{self.of(schema.get('items'), depth)}]"
        if isinstance(schema.get("additionalProperties"), dict) and depth < _MAX_DEPTH:
            return f"{{[name]: {self.of(schema['additionalProperties'], depth + 1)}}}"
        return kind if isinstance(kind, str) else "any"

    def _properties(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        found = dict(mapping(schema.get("properties")))
        for part in sequence(schema.get("allOf")) if depth < _MAX_DEPTH else []:
            try:
                found |= self._properties(mapping(self._refs.follow(part)), depth + 1)
            except BrokenReference:
                continue
        return found

    def _object(self, properties: dict[str, Any], depth: int) -> str:
        most = _MAX_FIELDS[depth]
        sent = [(name, node) for name, node in properties.items() if mapping(node).get("writeOnly") is not True]
        shown = [f"{name}: {self.of(node, depth + 1)}" for name, node in sent[:most]]
        return "{" + ", ".join(shown) + (", ..." if len(sent) > most else "") + "}"
