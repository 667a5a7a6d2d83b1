"""A tool of ours without what another converter leaves out of the same operation.

Every schema of ours is held against the schemas that stand at its place in the other definition, and keeps a keyword
only where one of them has it too. Where it is not plain which of several schemas stands there, all of them count, so
that rather too much of ours is kept.
"""

from __future__ import annotations

import re
from typing import Any

from size_facts import COLLIDING, bare, facts, target

from bitte_nb.core.tool import Tool
from bitte_nb.spec.inline import inlined
from bitte_nb.spec.subschemas import MANY, NAMED, ONE, POINTER, references

__all__ = ["alike"]

Schema = dict[str, Any]
_SAME = {"examples": ("examples", "example")}
"""Keywords that say the same."""


def alike(tool: Tool, description: str, schema: Schema) -> Tool:
    """The tool with only what the peer's description and schema say of it."""
    told = set(re.findall(r"\w+", description.lower()))
    words = tool.description.removeprefix("[DEPRECATED] ")
    parts = [part for part in words.split("\n\n") if set(re.findall(r"\w+", part.lower())) <= told]
    said = "\n\n".join(parts) if parts else _shortened(words, [description])
    return tool.model_copy(
        update={"description": said, "input_schema": inlined(_Losses(tool.input_schema, schema).cut())}
    )


class _Losses:
    def __init__(self, ours: Schema, peer: Schema) -> None:
        self._ours = ours
        self._peer = peer
        self._beside: dict[int, list[Schema]] = {}
        """The peer's schemas at the place of each of ours, by identity."""
        self._met: set[tuple[int, int]] = set()
        self._flat: dict[int, list[Schema]] = {}
        self._plain: dict[int, Schema] = {}

    def cut(self) -> Schema:
        body = {key: value for key, value in self._ours.items() if key != "$defs"}
        self._pair(body, self._peer)
        out = self._cut(body)
        out = self._named_alone({"properties": {}, **out})
        definitions: Schema = {}
        waiting = references(out)
        while waiting:
            name = waiting.pop()
            definitions[name] = self._cut(self._ours["$defs"][name])
            waiting |= references(definitions[name]) - definitions.keys()
        return {**out, "$defs": definitions} if definitions else out

    def _named_alone(self, out: Schema) -> Schema:
        """The schema with the name that an argument would have if those it collides with, which are cut, were not."""
        bases = [COLLIDING.sub("", name) for name in out["properties"]]
        theirs = self._peer.get("properties", {})
        names = {
            name: base
            for name, base in zip(out["properties"], bases, strict=True)
            if bases.count(base) == 1 and name not in theirs and base in theirs
        }
        renamed = {names.get(name, name): inner for name, inner in out["properties"].items()}
        required = {"required": [names.get(name, name) for name in out["required"]]} if "required" in out else {}
        return {**out, "properties": renamed, **required}

    def _parts(self, node: Any) -> list[Schema]:
        """A schema of the peer and all that hold beside it or may hold: references, parts and alternatives."""
        if not isinstance(node, dict):
            return []
        if id(node) not in self._flat:
            self._flat[id(node)] = found = [node]
            ref = node.get("$ref")
            if isinstance(ref, str):
                found += self._parts(target(self._peer, ref))
            for key in ("allOf", "anyOf", "oneOf"):
                for branch in node.get(key, []):
                    found += self._parts(branch)
        return list(self._flat[id(node)])

    def _pair(self, ours: Any, peer: Any) -> None:
        """Note that a schema of the peer stands at the place of one of ours, and so for those inside them."""
        if not isinstance(ours, dict) or (id(ours), id(peer)) in self._met:
            return
        self._met.add((id(ours), id(peer)))
        parts = self._parts(peer)
        self._beside.setdefault(id(ours), []).extend(parts)
        ref = ours.get("$ref")
        if isinstance(ref, str):
            self._pair(self._ours["$defs"][ref.removeprefix(POINTER)], peer)
        for key in ours.keys() & (ONE | MANY | NAMED):
            value = ours[key]
            if key in ("allOf", "anyOf", "oneOf"):
                parted = "description" not in ours or any(part.keys() & {"allOf", "anyOf", "oneOf"} for part in parts)
                for branch in value:
                    self._pair(branch, peer if parted else self._wordless(peer))
            elif key in NAMED:
                for name, inner in value.items():
                    for other in self._named(parts, key, name):
                        self._pair(inner, other)
            elif key == "prefixItems":
                for index, inner in enumerate(value):
                    for part in parts:
                        self._pair(inner, (part.get(key) or [part.get("items")] * len(value))[index])
            else:
                for part in parts:
                    if key in part:
                        self._pair(value, part[key])
                    if key == "items" and "enum" in part:
                        # Values beside `type: array` mean the items.
                        self._pair(value, {"enum": part["enum"]})

    def _named(self, parts: list[Schema], key: str, name: str) -> list[Any]:
        """The peer's schemas of a name; a body that one side wraps and the other spreads out is the same body."""
        maps = [part[key] for part in parts if isinstance(part.get(key), dict)]
        found = [inner for members in maps for other, inner in members.items() if other.replace("__", "_") == name]
        if not found:
            found = [
                inner
                for members in maps
                for other, inner in members.items()
                if COLLIDING.sub("", other) == COLLIDING.sub("", name) and self._keeps(name, inner, members)
            ]
        if not found and key == "properties" and self._peer in parts:
            spread = {*map(bare, self._peer.get("properties", {}))} - {*map(bare, self._ours["properties"])}
            if name == "body" and spread and "properties" in str(self._ours["properties"][name]):
                return [self._peer]
            for wrapper in ("body", "requestBody"):
                for part in self._parts(self._peer.get("properties", {}).get(wrapper)):
                    found += [inner for other, inner in part.get(key, {}).items() if other == name]
        return found

    def _wordless(self, peer: Any) -> Any:
        """A schema of the peer that has no parts: its words are of the whole and not of a part of ours."""
        if not isinstance(peer, dict):
            return peer
        if id(peer) not in self._plain:
            bare = {key: value for key, value in peer.items() if key not in ("description", "title", "default")}
            self._plain[id(peer)] = bare
        return self._plain[id(peer)]

    def _keeps(self, name: str, inner: Any, members: Schema) -> bool:
        """True for the one of our arguments of a name that the peer's only one says most of."""
        known = facts(inner, self._peer)
        own = self._ours["properties"]
        base = COLLIDING.sub("", name)
        rivals = [other for other in own if COLLIDING.sub("", other) == base and other not in members]
        return name == max(rivals, key=lambda other: len(known & facts(own[other], self._ours)), default=name)

    def _cut(self, ours: Any) -> Any:
        if not isinstance(ours, dict):
            return ours
        beside = self._beside.get(id(ours), [])
        out: Schema = {}
        for key, value in ours.items():
            if key == "$ref":
                out[key] = value
            elif key == "type":
                out |= _type(value, beside)
            elif key in ("enum", "const"):
                told = [entry for part in beside for entry in (*part.get("enum", []), *_constant(part))]
                if kept := [entry for entry in (value if key == "enum" else [value]) if entry in told]:
                    out[key] = kept if key == "enum" else value
            elif key in NAMED:
                met = {name: inner for name, inner in value.items() if id(inner) in self._beside}
                if kept := {name: self._cut(inner) for name, inner in met.items()}:
                    out[key] = kept
            elif key in ("anyOf", "oneOf", "allOf"):
                out |= _alternatives(key, [self._cut(branch) for branch in value], beside, out)
            elif key == "required":
                names = {bare(name) for part in beside for name in part.get(key, [])} | {"body"}
                out[key] = [name for name in value if bare(name) in names]
            elif key == "description" and any(key in part for part in beside):
                out[key] = _shortened(value, [part[key] for part in beside if isinstance(part.get(key), str)])
            elif any(other in part for part in beside for other in _SAME.get(key, (key,))):
                out[key] = self._cut(value) if key in ONE else value
        known = out.get("properties", {})
        out["required"] = [name for name in out.get("required", []) if name in known or "properties" not in ours]
        return out if out["required"] else {key: value for key, value in out.items() if key != "required"}


def _alternatives(key: str, branches: list[Any], beside: list[Schema], out: Schema) -> Schema:
    """What is left of parts or alternatives; the only one that is left says what it says without them."""
    null = _says_null(beside)
    kept = [branch for branch in branches if branch and (null or branch != {"type": "null"})]
    if len(kept) == 1 and not out.keys() & kept[0].keys():
        return kept[0]
    return {key: kept} if kept else {}


def _shortened(text: str, others: list[str]) -> str:
    """Our text, or the beginning of it at which every other one was cut."""
    cut = [other for other in others if text.startswith(other.removesuffix("...").strip()[:200])]
    return max(cut, key=len) if len(cut) == len(others) and all(len(other) < len(text) for other in cut) else text


def _constant(part: Schema) -> list[Any]:
    return [part["const"]] if "const" in part else []


def _says_null(beside: list[Schema]) -> bool:
    return any(
        "null" in part.get("type", []) if isinstance(part.get("type"), list) else part.get("type") == "null"
        for part in beside
    )


def _type(value: Any, beside: list[Schema]) -> Schema:
    if not any("type" in part for part in beside):
        return {}
    if isinstance(value, list) and not _says_null(beside):
        value = [kind for kind in value if kind != "null"]
        value = value[0] if len(value) == 1 else value
    return {"type": value}
