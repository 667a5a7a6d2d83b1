"""Other words for a document: what `Document.changed` makes of a change, so that a model can be asked with both.

A change names operations and arguments as a model knows them, and says the rest as RFC 7396 (JSON Merge Patch) does. An
OpenAPI Overlay or a JSON pointer would name a place in a file instead: of `parameters/2` nobody knows whose it is, and
behind a reference there is none. What an operation shares with others is changed for that operation only.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, cast

from bitte_nb.core.nearest import nearest
from bitte_nb.errors import OperationError
from bitte_nb.spec.refs import BrokenReference, References, reference
from bitte_nb.spec.tree import is_map, mapping, sequence, string

if TYPE_CHECKING:
    from bitte_nb.spec.arguments import Argument
    from bitte_nb.spec.document import Document
    from bitte_nb.spec.operation import Operation

__all__ = ["changed_tree", "merged"]

_OPERATION = (
    "callbacks", "deprecated", "description", "externalDocs", "operationId", "parameters", "requestBody", "responses",
    "security", "servers", "summary", "tags",
)  # fmt: skip
"""Fields of an Operation Object (OAS 3.1, 4.8.10)."""
_SCHEMA = (
    "additionalProperties", "allOf", "anyOf", "const", "default", "deprecated", "description", "enum", "examples",
    "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxItems", "maxLength", "maximum", "minItems",
    "minLength", "minimum", "multipleOf", "not", "nullable", "oneOf", "pattern", "properties", "required", "title",
    "type", "uniqueItems",
)  # fmt: skip
"""Keywords of a schema that a change may have."""
_PARAMETER = frozenset({"allowReserved", "deprecated", "description", "example", "explode", "required", "style"})
"""Fields of a Parameter Object (OAS 3.1, 4.8.12) that are not its schema's."""


def changed_tree(
    document: Document, operations: Mapping[str, Mapping[str, Any]], *, instructions: str | None
) -> dict[str, Any]:
    """The document's tree with other words; see `Document.changed`."""
    # Through text, so that nothing is shared with the document, and nothing with itself as aliases of YAML are.
    root: dict[str, Any] = json.loads(json.dumps(document.root, default=str))
    if instructions is not None:
        root["x-mb"] = merged(root.get("x-mb"), {"assistant": {"instructions": instructions}})
    for name, change in operations.items():
        _Change(document.operation(name), root).apply(_object(change, name))
    return root


def merged(target: object, patch: object, refs: References | None = None) -> Any:
    """The target with a merge patch applied (RFC 7396): null removes, an object is merged, all else replaces.

    With `refs`, a reference that the patch reaches into is replaced by what it leads to.
    """
    if not is_map(patch):
        return patch
    out = dict(_own(target, refs) if refs else mapping(target))
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = merged(out.get(key), value, refs)
    return out


def _own(node: object, refs: References) -> dict[str, Any]:
    """What a node is, without a reference: what stands beside it wins over what it leads to."""
    if reference(node) is None:
        return mapping(node)
    try:
        beside = {key: value for key, value in mapping(node).items() if key not in ("$ref", "$dynamicRef")}
        return {**mapping(refs.follow(node)), **beside}
    except BrokenReference as fault:
        raise OperationError(f"This cannot be changed: {fault}") from fault


def _object(change: object, whose: str) -> Mapping[str, Any]:
    if not isinstance(change, Mapping):
        raise OperationError(
            f"The change of {whose} is {change!r:.60}; write its fields, such as {{'description': '...'}}."
        )
    return cast("Mapping[str, Any]", change)


def _known(names: Collection[str], known: Collection[str], whose: str, *, what: str) -> None:
    for name in names:
        if name not in known and not name.startswith("x-"):
            near = nearest(name, known)
            advice = f"Did you mean {near!r}?" if near else f"Known are {', '.join(sorted(known)) or 'none'}."
            raise OperationError(f"{whose} has no {what} {name!r}. {advice}")


class _Change:
    """The change of one operation, in a tree that is ours."""

    def __init__(self, operation: Operation, root: dict[str, Any]) -> None:
        self._operation = operation
        self._refs = References(root)
        path, method = operation.path, operation.method
        item = root["paths"][path] = _own(root["paths"][path], self._refs)
        plain = method.lower() in item
        self._home = item if plain else _copied(item, "additionalOperations")
        self._name = method.lower() if plain else method
        self._node: dict[str, Any] = dict(mapping(self._home[self._name]))
        self._shared = sequence(item.get("parameters"))

    def apply(self, change: Mapping[str, Any]) -> None:
        whose = self._operation.id
        _known(change, _OPERATION, whose, what="field")
        arguments = _object(change.get("parameters") or {}, f"the parameters of {whose}")
        plan = self._operation.plan.by_name
        _known(arguments, plan, whose, what="parameter")
        for name, one in arguments.items():
            self._argument(plan[name], dict(_object(one, f"{name} of {whose}")))
        rest = {key: value for key, value in change.items() if key != "parameters"}
        self._home[self._name] = merged(self._node, rest, self._refs)

    def _argument(self, argument: Argument, change: dict[str, Any]) -> None:
        in_body = argument.location in ("field", "body")
        _known(
            change,
            _SCHEMA if in_body else (*_SCHEMA, *_PARAMETER),
            f"{argument.name} of {self._operation.id}",
            what="field",
        )
        if in_body:
            self._body(argument, change)
        else:
            self._parameter(argument, change)

    def _parameter(self, argument: Argument, change: dict[str, Any]) -> None:
        own = sequence(self._node.get("parameters"))
        # An operation's own parameter wins over that of its path, which other operations share, and a later one.
        found = next((one for one in (*reversed(own), *reversed(self._shared)) if self._is(one, argument)), None)
        undeclared = {"name": argument.key, "in": argument.location, "required": True, "schema": {"type": "string"}}
        made = merged(found or undeclared, {key: change[key] for key in change.keys() & _PARAMETER}, self._refs)
        schema = {key: value for key, value in change.items() if key not in _PARAMETER}
        if "description" in change:  # it stands beside the schema now, and a model would read both
            schema["description"] = None
        if content := mapping(made.get("content")):
            entries = {media: _own(one, self._refs) for media, one in content.items()}
            made["content"] = {
                media: {**one, "schema": self._reworded(one.get("schema"), schema)} for media, one in entries.items()
            }
        elif schema.keys() - {"description"} or self._silent(made.get("schema"), set()) is not made.get("schema"):
            made["schema"] = self._reworded(made.get("schema"), schema)
        self._node["parameters"] = [made if one is found else one for one in own]
        if all(one is not made for one in self._node["parameters"]):
            self._node["parameters"].append(made)

    def _is(self, node: object, argument: Argument) -> bool:
        one = _own(node, self._refs)
        name, key = string(one.get("name")), argument.key
        same = name.lower() == key.lower() if argument.location == "header" else name == key
        return same and one.get("in") == argument.location

    def _body(self, argument: Argument, change: dict[str, Any]) -> None:
        body = _own(self._node.get("requestBody"), self._refs)
        if argument.location == "body" and "description" in change:
            body = merged(body, {"description": change["description"]})
            change = {**change, "description": None}
        content: dict[str, Any] = {}
        for media, entry in mapping(body.get("content")).items():
            one = _own(entry, self._refs)
            content[media] = {**one, "schema": self._schema(one.get("schema"), argument, change)}
        self._node["requestBody"] = {**body, "content": content}

    def _schema(self, schema: object, argument: Argument, change: dict[str, Any]) -> Any:
        """The schema of a body with its field changed, wherever `allOf` declares it."""
        if argument.location == "body":
            return self._reworded(schema, change)
        own = _own(schema, self._refs)
        out = dict(own)
        if argument.key in mapping(own.get("properties")):
            field = self._reworded(own["properties"][argument.key], change)
            out["properties"] = {**own["properties"], argument.key: field}
        if parts := sequence(own.get("allOf")):
            out["allOf"] = [self._schema(part, argument, change) for part in parts]
        return schema if out == own else out

    def _reworded(self, schema: object, change: dict[str, Any]) -> Any:
        """The schema with the change; a description takes the place of all that it has."""
        return merged(self._silent(schema, set()) if "description" in change else schema, change, self._refs)

    def _silent(self, schema: object, seen: set[str]) -> Any:
        """The schema without its description and those of its `allOf`; itself where it has none."""
        ref = reference(schema)
        if ref in seen:
            return schema
        seen |= {ref} if ref else set()
        own = _own(schema, self._refs)
        parts = sequence(own.get("allOf"))
        silent = [self._silent(part, seen) for part in parts]
        if "description" not in own and all(one is part for one, part in zip(silent, parts, strict=True)):
            return schema
        return {
            **{key: value for key, value in own.items() if key != "description"},
            **({"allOf": silent} if parts else {}),
        }


def _copied(item: dict[str, Any], name: str) -> dict[str, Any]:
    found = item[name] = dict(mapping(item.get(name)))
    return found
