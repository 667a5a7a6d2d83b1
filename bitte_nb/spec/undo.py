"""The undo that an operation declares: a link named `undo` (OAS 3.1, 4.8.20), or `x-undo`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from bitte_nb.errors import RequestRefused
from bitte_nb.spec.refs import BrokenReference, References
from bitte_nb.spec.style import scalar
from bitte_nb.spec.tree import is_map, items, mapping, string

__all__ = ["Undo", "read_undo"]

_EMBEDDED = re.compile(r"\{(\$[^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Undo:
    """How to take an operation back: which operation, and where its arguments come from."""

    operation_id: str
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Argument names, optionally `path.id` style, to runtime expressions or constants."""
    body: Any = None
    """Runtime expression, constant or object of them for the request body, or None."""

    def call(self, args: Mapping[str, Any], data: object) -> tuple[str, dict[str, Any]]:
        """The operation id and arguments that undo one call.

        `args` are the arguments of the call and `data` its result. Names that the result does not hold are left out, so
        that checking the undo's own arguments says what is missing.
        """
        sources = {re.sub(r"^(path|query|header|cookie)\.", "", name): one for name, one in self.parameters.items()}
        sources |= mapping(self.body)
        read = {name: _value(source, args, data) for name, source in sources.items()}
        found = {name: value for name, value in read.items() if value is not None or sources[name] is None}
        if self.body is not None and not is_map(self.body):
            value = _value(self.body, args, data)
            found |= value if is_map(value) else {"body": value}
        return self.operation_id, found


def read_undo(operation: Mapping[str, Any], refs: References, by_pointer: Mapping[str, str]) -> Undo | None:
    """The declared undo of an operation node, or None. `by_pointer` maps operation pointers to ids (`operationRef`)."""
    declared = operation.get("x-undo")
    if isinstance(declared, str) and declared:
        return Undo(declared)
    if isinstance(declared, dict):
        return _read(mapping(cast("object", declared)), by_pointer)
    for status, raw in items(operation.get("responses")):
        if not str(status).startswith("2") and status != "default":
            continue
        try:
            link = mapping(refs.follow(mapping(refs.follow(raw)).get("links", {}))).get("undo")
            found = _read(mapping(refs.follow(link)), by_pointer)
        except BrokenReference:
            continue
        if found:
            return found
    return None


def _read(node: dict[str, Any], by_pointer: Mapping[str, str]) -> Undo | None:
    target = string(node.get("operationId"))
    if not target:
        target = by_pointer.get(string(node.get("operationRef")).removeprefix("#"), "")
    if not target:
        return None
    return Undo(target, mapping(node.get("parameters")), node.get("requestBody"))


def _value(source: Any, args: Mapping[str, Any], data: object) -> Any:
    if not isinstance(source, str):
        return source
    if source.startswith("$"):
        return _expression(source, args, data)
    if "{$" not in source:
        return source
    try:
        return _EMBEDDED.sub(lambda found: scalar(_expression(found[1], args, data)), source)
    except RequestRefused:  # an infinite number: the call itself was answered
        return None


def _expression(expression: str, args: Mapping[str, Any], data: object) -> Any:
    """A runtime expression on the call's arguments and result; None where it leads nowhere."""
    if expression == "$response.body":
        return data
    if expression.startswith("$response.body#"):
        return _walk(data, expression.removeprefix("$response.body#"))
    if expression == "$request.body":
        return dict(args)
    if expression.startswith("$request.body#"):
        return _walk(dict(args), expression.removeprefix("$request.body#"))
    found = re.fullmatch(r"\$request\.(path|query|header|cookie)\.(.+)", expression)
    # Where names collide, an argument is called by its name and location.
    return args.get(found[2], args.get(f"{found[2]}_{found[1]}")) if found else None


def _walk(node: Any, pointer: str) -> Any:
    try:
        return References(node).look_up(f"#{pointer}") if pointer else node
    except BrokenReference:
        return None
