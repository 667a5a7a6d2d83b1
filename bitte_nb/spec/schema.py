"""Schemas of the document as JSON Schema 2020-12 of what a caller may send.

OpenAPI 3.0's dialect (`nullable`, boolean `exclusiveMinimum`, `example`), 3.1's and the slips of real documents come
out alike. References stay references, into `$defs`, so recursion is kept; each component is converted once.
"""

from __future__ import annotations

import re
from threading import RLock
from typing import Any, cast
from urllib.parse import unquote

from bitte_nb.spec.refs import BrokenReference, References, reference
from bitte_nb.spec.subschemas import MANY, NAMED, ONE, worded
from bitte_nb.spec.subtypes import Subtypes
from bitte_nb.spec.tree import clean, finite, is_map, items, mapping, sequence, string

__all__ = ["Schemas", "discriminator"]

_NUMBERS = frozenset({
    "maxContains", "maximum", "maxItems", "maxLength", "maxProperties", "minContains", "minimum", "minItems",
    "minLength", "minProperties", "multipleOf",
})  # fmt: skip
_TEXTS = frozenset({"contentEncoding", "contentMediaType", "format", "pattern"})
_NAMED = NAMED - {"$defs"}
"""Definitions inside a schema are found by their references and become the tool's own."""
_NESTED = ONE | MANY | _NAMED | {"$dynamicRef"}
_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_SLIPS = {
    "bool": "boolean",
    "date": "string",
    "date-time": "string",
    "datetime": "string",
    "double": "number",
    "file": "string",
    "float": "number",
    "int": "integer",
    "int32": "integer",
    "int64": "integer",
    "list": "array",
    "long": "integer",
    "map": "object",
    "str": "string",
    "uuid": "string",
}
_WORDS = frozenset({"default", "deprecated", "description", "examples", "title"})
_TEXT = frozenset({"description", "title"})
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_STEPS = frozenset({"items", "schema", "properties", "allOf", "anyOf", "oneOf", "content", "additionalProperties"})
"""Steps of a reference that say nothing about what it leads to."""
_MAX_DEPTH = 120
_INLINE_ENUM = 24


class Schemas:
    """Converts the schemas of one document, lazily, and knows which definitions each needs."""

    def __init__(self, refs: References) -> None:
        self._refs = refs
        self._subtypes = Subtypes(refs)
        self._names: dict[str, str] = {}
        self._sources: dict[str, Any] = {}
        self._defs: dict[str, Any] = {}
        self._uses: dict[str, set[str]] = {}
        self._depth = 0
        self.lock = RLock()
        """Held while an operation is converted: the kernel's thread and the agent's may ask at the same time."""
        self.broken: dict[str, str] = {}
        """References that lead nowhere, with the sentence that says so; their schemas accept anything."""

    def convert(self, node: object, uses: set[str]) -> dict[str, Any]:
        """One schema; the names of the definitions that it refers to are added to `uses`."""
        if isinstance(node, bool):
            return {} if node else {"not": {}}
        if not is_map(node) or self._depth > _MAX_DEPTH:
            return {}
        self._depth += 1
        try:
            ref = reference(node)
            return self._keywords(node, uses) if ref is None else self._reference(ref, node, uses)
        finally:
            self._depth -= 1

    def definitions(self, uses: set[str]) -> dict[str, Any]:
        """The `$defs` that schemas with these uses need, transitively, by name."""
        found: dict[str, Any] = {}
        waiting = sorted(uses)
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            if name not in self._defs:
                self._uses[name] = set()
                self._defs[name] = self.convert(self._sources[name], self._uses[name])
            found[name] = self._defs[name]
            waiting.extend(used for used in self._uses[name] if used not in found)
        return dict(sorted(found.items()))

    def resolve(self, node: object) -> dict[str, Any]:
        """The raw schema at the end of a chain of references; empty where it leads nowhere."""
        try:
            return mapping(self._refs.follow(node))
        except BrokenReference:
            return {}

    def read_only(self, node: object) -> bool:
        """True for a property that a caller must not send (`readOnly`), directly, by reference or through `allOf`."""
        source = mapping(node)
        if source.get("readOnly") is True:
            return True
        target = self.resolve(source)
        if target.get("readOnly") is True:
            return True
        return any(mapping(part).get("readOnly") is True for part in sequence(target.get("allOf")))

    def _reference(self, ref: str, node: dict[str, Any], uses: set[str]) -> dict[str, Any]:
        try:
            target = self._refs.look_up(ref)
            end = self._past_bare(target)
        except BrokenReference as fault:
            self.broken[ref] = str(fault)
            return {"description": clean(node["description"])} if "description" in node else {}
        siblings = {key: value for key, value in node.items() if key not in ("$ref", "$dynamicRef")}
        if reference(end) is None and not (_NESTED & end.keys()) and len(sequence(end.get("enum"))) <= _INLINE_ENUM:
            out = self._keywords(end, uses)
        else:
            name = self._name(ref, target)
            uses.add(name)
            out = {"$ref": f"#/$defs/{name}"}
        return self._beside(out, siblings, uses) if siblings else out

    def _past_bare(self, target: Any) -> dict[str, Any]:
        """What a target leads to over references with nothing beside them. Raises BrokenReference for a circle too."""
        self._refs.follow(target)
        while (ref := reference(target)) is not None and len(target) == 1:
            target = self._refs.look_up(ref)
        return mapping(target)

    def _beside(self, out: dict[str, Any], siblings: dict[str, Any], uses: set[str]) -> dict[str, Any]:
        """A reference with keywords beside it: 3.1 means them, and authors of 3.0 meant them too."""
        null = siblings.pop("nullable", None) is True or siblings.pop("x-nullable", None) is True
        extra = self._keywords(siblings, uses, infer=False)
        if null and "type" in out:
            out = self._nullable(out)
        elif null:
            out = {"anyOf": [out, {"type": "null"}]}
        return worded(out, extra) if _together(out, extra) else {**extra, "allOf": [out, *extra.get("allOf", [])]}

    def _name(self, ref: str, target: Any) -> str:
        known = self._names.get(ref)
        if known is None:
            known = base = _definition_name(ref)
            number = 2
            while known in self._sources:
                known, number = f"{base}_{number}", number + 1
            self._names[ref] = known
            self._sources[known] = target
        return known

    def _keywords(self, node: dict[str, Any], uses: set[str], *, infer: bool = True) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, value in node.items():
            if key in _NAMED:
                self._named(key, value, out, uses)
            elif key in MANY:
                branches = [
                    self.convert(branch, uses)
                    for branch in sequence(value)
                    if is_map(branch) or isinstance(branch, bool)
                ]
                if branches:
                    out[key] = branches
            elif key == "items" and isinstance(value, list):
                out["prefixItems"] = [self.convert(entry, uses) for entry in cast("list[Any]", value)]
            elif key in ONE or (key == "additionalItems" and isinstance(node.get("items"), list)):
                # What follows a list of `items` is what `items` means since 2020-12.
                name = "items" if key == "additionalItems" else key
                if isinstance(value, bool):
                    out[name] = value
                elif is_map(value):
                    out[name] = self.convert(value, uses)
            else:
                _simple(key, value, out)
        _bounds(node, out)
        if "discriminator" in node:
            self._discriminate(node, out)
        self._required(node, out)
        if infer and "type" not in out:
            _infer(out)
        if "title" in out and "description" in out:
            del out["title"]
        if "allOf" in out:
            out = _folded(out)
        if "enum" in out and out.get("type") == "array":
            _into_items(out)
        return self._nullable(out) if node.get("nullable") is True or node.get("x-nullable") is True else out

    def _discriminate(self, node: dict[str, Any], out: dict[str, Any]) -> None:
        """Say in JSON Schema which value of the discriminating property means which alternative (OAS 3.1, 4.8.25)."""
        name, values = discriminator(node)
        if not name:
            return
        # Where each value is the name of its schema, the references say it already.
        telling = any(str(target).rsplit("/", 1)[-1] != value for value, target in values.items())
        for key in ("oneOf", "anyOf") if telling else ():
            sources = [branch for branch in sequence(node.get(key)) if is_map(branch) or isinstance(branch, bool)]
            for index, source in enumerate(sources):
                ref = reference(source)
                if ref is not None and not self._tells(source, name):
                    short = ref.rsplit("/", 1)[-1]
                    own = [value for value, target in values.items() if target in (ref, short)] or [short]
                    rule = {"const": own[0]} if len(own) == 1 else {"enum": own}
                    branch = out[key][index]
                    member = {**mapping(branch.get("properties")).get(name, {}), **rule}
                    out[key][index] = {**branch, "properties": {**mapping(branch.get("properties")), name: member}}
        if name in mapping(out.get("properties")):
            out["properties"][name] = self.discriminating(node, out["properties"][name])

    def discriminating(self, node: dict[str, Any], member: dict[str, Any]) -> dict[str, Any]:
        """The converted schema of the property by which a schema tells its forms apart, with what its values mean."""
        _, values = discriminator(node)
        branches = [*sequence(node.get("oneOf")), *sequence(node.get("anyOf"))]
        is_open = member.get("type") == "string" and not member.keys() & {"enum", "const"}
        if is_open and 0 < len(values) <= _INLINE_ENUM:
            forms = [reference(branch) or "" for branch in branches] if branches else self._subtypes.names(node)
            mapped = {string(target).rsplit("/", 1)[-1] for target in values.values()}
            # A form without a value of its own goes by its name, so that other values are right, too.
            if all(form.rsplit("/", 1)[-1] in mapped for form in forms):
                member = {**member, "enum": list(values)}
        words = "" if branches else self._subtypes.words(node, values)
        return {**member, "description": f"{string(member.get('description'))} {words}".strip()} if words else member

    def _tells(self, branch: object, name: str) -> bool:
        """True for an alternative whose own schema limits the discriminating property to a few values."""
        source = self.resolve(branch)
        for part in (source, *(self.resolve(inner) for inner in sequence(source.get("allOf")))):
            if self.resolve(mapping(part.get("properties")).get(name)).keys() & {"enum", "const"}:
                return True
        return False

    def _named(self, key: str, value: object, out: dict[str, Any], uses: set[str]) -> None:
        out[key] = {
            name: self.convert(schema, uses)
            for name, schema in items(value)
            if (is_map(schema) or isinstance(schema, bool)) and not (key == "properties" and self.read_only(schema))
        }

    def _required(self, node: dict[str, Any], out: dict[str, Any]) -> None:
        names = node.get("required")
        if not isinstance(names, list):
            return
        properties = mapping(node.get("properties"))
        wanted = [name for name in cast("list[Any]", names) if isinstance(name, str)]
        hidden = {name for name in wanted if name in properties and self.read_only(properties[name])}
        if kept := [name for name in dict.fromkeys(wanted) if name not in hidden]:
            out["required"] = kept

    @staticmethod
    def _nullable(out: dict[str, Any]) -> dict[str, Any]:
        if "enum" in out and None not in out["enum"]:
            out["enum"] = [*out["enum"], None]
        kind = out.get("type")
        if isinstance(kind, str):
            return out | {"type": kind if kind == "null" else [kind, "null"]}
        if isinstance(kind, list):
            return out if "null" in kind else out | {"type": [*cast("list[Any]", kind), "null"]}
        if not ({"allOf", "anyOf", "oneOf", "not", "$ref"} & out.keys()):
            return out
        words = {key: out.pop(key) for key in ("title", "description", "default", "examples") if key in out}
        return {**words, "anyOf": [out, {"type": "null"}]}


def discriminator(node: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The property by which a schema tells its forms apart, or empty, and the forms by value where they are given."""
    told = node.get("discriminator")
    # In Swagger 2.0 it is the name of the property alone.
    return string(mapping(told).get("propertyName", told)), mapping(mapping(told).get("mapping"))


def _definition_name(ref: str) -> str:
    """The name of a definition: the last steps of its reference, as many as say something."""
    steps = [unquote(step).replace("~1", "/") for step in ref.split("/")]
    first = len(steps) - 1
    while first > 1 and (steps[first].isdigit() or steps[first] in _STEPS):
        first -= 1
    said = [step for step in steps[first:] if step not in _STEPS or step == "items"]
    return _UNSAFE.sub("_", "_".join(said)).strip("_") or "schema"


def _simple(key: str, value: Any, out: dict[str, Any]) -> None:
    """A keyword without schemas in it; values of a wrong type, and numbers that JSON does not have, are left out."""
    if not finite(value):
        return
    if key == "type":
        _types(value, out)
    elif key in ("description", "title"):
        if words := clean(value):
            out[key] = words
    elif key in _NUMBERS:
        if isinstance(value, int | float) and not isinstance(value, bool):
            out[key] = value
    elif key in _TEXTS:
        if isinstance(value, str):
            out[key] = value
    elif key == "enum":
        if isinstance(value, list) and value:
            out[key] = list(cast("list[Any]", value))
    elif key in ("const", "default"):
        out[key] = value
    elif key == "example":
        out.setdefault("examples", [value])
    elif key == "examples":
        if isinstance(value, list) and value:
            out[key] = value
    elif key in ("uniqueItems", "deprecated", "writeOnly"):
        if value is True and key != "writeOnly":
            out[key] = True
    elif key == "dependentRequired" and isinstance(value, dict):
        out[key] = value


def _types(value: object, out: dict[str, Any]) -> None:
    if isinstance(value, str):
        kind = value if value in _TYPES else _SLIPS.get(value.lower(), value.lower())
        if kind in _TYPES:
            out["type"] = kind
        if value == "file":
            out["format"] = "binary"
    elif isinstance(value, list):
        kinds = [_SLIPS.get(str(kind), str(kind)) for kind in cast("list[Any]", value)]
        kinds = [kind for kind in dict.fromkeys("null" if kind == "None" else kind for kind in kinds) if kind in _TYPES]
        if kinds:
            out["type"] = kinds[0] if len(kinds) == 1 else kinds


def _bounds(node: dict[str, Any], out: dict[str, Any]) -> None:
    """`exclusiveMinimum: true` of 3.0 against the number of 3.1."""
    for side, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        value = node.get(side)
        if value is True and bound in out:
            out[side] = out.pop(bound)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            out[side] = value


def _folded(out: dict[str, Any]) -> dict[str, Any]:
    """`allOf` without the branches that only describe, and not at all where one branch is left that says the rest."""
    kept: list[Any] = []
    words: dict[str, Any] = {}
    for branch in out["allOf"]:
        if branch.keys() <= _WORDS:
            words = worded(words, branch)
        elif kept and not (kept[-1].keys() | branch.keys()) & (_NESTED | {"$ref"}) and _together(kept[-1], branch):
            kept[-1] = worded(kept[-1], branch)
        else:
            kept.append(branch)
    rest = worded(words, {key: value for key, value in out.items() if key != "allOf"})
    if not kept:
        return rest
    said = kept[0].keys() & rest.keys() - _WORDS
    if len(kept) == 1 and (not said or (said == {"type"} and kept[0]["type"] == rest["type"])):
        return worded(kept[0], rest)
    return {**rest, "allOf": kept}


def _together(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """True for two schemas that mean the same as one: no keyword says two things."""
    return all(key not in _NESTED and one[key] == other[key] for key in one.keys() & other.keys() - _TEXT)


def _into_items(out: dict[str, Any]) -> None:
    """An `enum` of scalars beside `type: array` means the items: no array could ever be one of them."""
    if any(isinstance(value, list) for value in out["enum"]):
        return
    allowed = out.pop("enum")
    items_schema = out.get("items")
    if is_map(items_schema) and "enum" not in items_schema and "$ref" not in items_schema:
        out["items"] = {**items_schema, "enum": allowed}


def _infer(out: dict[str, Any]) -> None:
    """The type that an author left out but clearly meant."""
    if "properties" in out:
        out["type"] = "object"
    elif "items" in out or "prefixItems" in out:
        out["type"] = "array"
    elif "enum" in out and all(isinstance(value, str) for value in out["enum"]):
        out["type"] = "string"
