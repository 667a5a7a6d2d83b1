"""Rules about schemas: that they resolve, mean what the version lets them mean, and can be filled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bitte_nb.spec.doctor.rule import Remark, patch, rule
from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.doctor.walks import Shape, place
from bitte_nb.spec.refs import BrokenReference
from bitte_nb.spec.tree import escape, is_list, is_map, items, mapping, sequence, string

__all__: list[str] = []

_COMBINED = ("allOf", "anyOf", "oneOf", "$ref", "not", "if", "$dynamicRef")
_MANY_BRANCHES = 8
_SCALARS = frozenset({"string", "number", "integer", "boolean", "null"})


@rule("SCH001", "error", "every reference leads somewhere inside the document")
def resolved(survey: Survey) -> Iterator[Remark]:
    """A broken reference accepts anything; one that goes round in a circle means nothing."""
    known: dict[str, str] = {}
    for ref, chain in survey.strings.references:
        if ref not in known:
            try:
                survey.document.refs.follow({"$ref": ref})
                known[ref] = ""
            except BrokenReference as fault:
                known[ref] = str(fault)
        if known[ref]:
            fix = (
                "Write `#/components/...` and put it into the document."
                if not ref.startswith("#")
                else ("Correct the reference, or define what it names.")
            )
            yield Remark(at=place(chain).rpartition("/")[0], message=known[ref], fix=fix, about=(ref,))
    for shape in survey.shapes.values():
        for name, target in items(mapping(shape.node.get("discriminator")).get("mapping")):
            if isinstance(target, str) and target.startswith("#/") and not survey.follow({"$ref": target}, "")[0]:
                yield Remark(
                    at=f"{shape.at}/discriminator/mapping/{escape(name)}",
                    message=f"The discriminator leads to {target}, which is not there.",
                    fix="Correct it, or define what it names.",
                )
        if _wraps_itself(survey, shape):
            yield Remark(
                at=shape.at,
                message="The schema is made of itself through `allOf`, with no property between: nothing can match it.",
                fix="Take the reference to itself out of `allOf`.",
            )


def _wraps_itself(survey: Survey, shape: Shape) -> bool:
    seen: set[str] = set()
    waiting = _parts(survey, shape.node) if "allOf" in shape.node else []
    while waiting:
        at = waiting.pop()
        if at == shape.at:
            return True
        if at not in seen and at in survey.shapes:
            seen.add(at)
            waiting += _parts(survey, survey.shapes[at].node)
    return False


def _parts(survey: Survey, node: dict[str, Any]) -> list[str]:
    own = [node] if "$ref" in node else []
    return [survey.follow(part, "")[1] for part in (*own, *sequence(node.get("allOf")))]


@rule("SCH002", "info", "schemas do not contain themselves")
def recursive(survey: Survey) -> Iterator[Remark]:
    """Recursion is kept in `$defs`, but cut at a depth for Gemini and strict modes."""
    for cycle in _cycles(survey):
        at = min(cycle, key=lambda one: (not one.startswith(("/components/schemas/", "/definitions/")), len(one), one))
        if survey.shapes[at].request:
            yield Remark(
                at=at,
                message=f"The schema {at.rsplit('/', 1)[-1]} contains itself; some providers get it cut at a depth.",
                fix="Ask for a flat form in requests, such as a list with parent ids.",
            )


def _cycles(survey: Survey) -> Iterator[list[str]]:
    """The strongly connected components of more than one schema (Tarjan, without recursion)."""
    shapes = survey.shapes
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    for start in shapes:
        work: list[tuple[str, int]] = [] if start in index else [(start, 0)]
        while work:
            at, step = work.pop()
            if at not in index:
                index[at] = low[at] = len(index)
                path.append(at)
                on_path.add(at)
            inner = shapes[at].children
            for position in range(step, len(inner)):
                child = inner[position]
                if child not in shapes:
                    continue
                if child not in index:
                    work += [(at, position), (child, 0)]
                    break
                if child in on_path:
                    low[at] = min(low[at], low[child])
            else:
                if low[at] == index[at]:
                    members: list[str] = []
                    while not members or members[-1] != at:
                        members.append(path.pop())
                        on_path.discard(members[-1])
                    if len(members) > 1 or at in inner:
                        yield members


@rule("SCH003", "warning", "alternatives can be told apart")
def distinguishable(survey: Survey) -> Iterator[Remark]:
    """Only in requests: a model that fills one must know which is meant."""
    for shape in survey.shapes.values():
        for key in ("oneOf", "anyOf") if shape.request else ():
            branches = [survey.follow(raw, "")[0] for raw in sequence(shape.node.get(key))]
            branches = [branch for branch in branches if branch.get("type") != "null" and not _constant(branch)]
            if len(branches) > _MANY_BRANCHES:
                yield Remark(
                    at=f"{shape.at}/{key}",
                    message=f"The schema has {len(branches)} alternatives; models pick the wrong one of many.",
                    fix=f"Offer at most {_MANY_BRANCHES}, or split the operation.",
                )
            elif len(branches) > 1 and not mapping(shape.node.get("discriminator")) and _alike(branches):
                yield Remark(
                    at=f"{shape.at}/{key}",
                    message="The alternatives have neither titles nor a discriminator that say when each is meant.",
                    fix="Add a `title` or `description` to each, or a `discriminator`.",
                )


def _constant(branch: dict[str, Any]) -> bool:
    """True for one value of many: together these are an enum, not alternatives."""
    return "const" in branch or ("enum" in branch and branch.get("type") in _SCALARS)


def _alike(branches: list[dict[str, Any]]) -> bool:
    """True if two alternatives of the same type have nothing that names them."""
    nameless = [branch for branch in branches if not _named(branch)]
    kinds = [str(branch.get("type") or ("object" if "properties" in branch else "")) for branch in nameless]
    return len(kinds) != len(set(kinds))


def _named(branch: dict[str, Any]) -> bool:
    if branch.get("title") or branch.get("description") or "const" in branch or "enum" in branch:
        return True
    if branch.get("type") in _SCALARS and ("format" in branch or "pattern" in branch):
        return True
    if branch.keys() <= {"required"} and branch:
        return True
    return any(
        "const" in mapping(node) or len(sequence(mapping(node).get("enum"))) == 1
        for _, node in items(branch.get("properties"))
    )


@rule("SCH004", "warning", "schemas are written in the dialect of the version")
def dialect(survey: Survey) -> Iterator[Remark]:
    """The slips that validators of 3.0 and 3.1 reject, or read as nothing (OAS 3.0.3, 4.7.24; OAS 3.1, 4.8.24)."""
    newer = survey.document.openapi[:3] not in ("2.0", "3.0")
    for shape in survey.shapes.values():
        node = shape.node
        if newer and "nullable" in node:
            kind = node.get("type")
            repair = (*patch("remove", f"{shape.at}/nullable"),)
            if node["nullable"] is True and isinstance(kind, str):
                repair = (*patch("replace", f"{shape.at}/type", [kind, "null"]), *repair)
                yield _slip(
                    shape,
                    "nullable",
                    "`nullable` is not a keyword of OpenAPI 3.1.",
                    f'Write `type: [{kind}, "null"]`.',
                    repair,
                )
            else:
                yield _slip(
                    shape, "nullable", "`nullable` is not a keyword of OpenAPI 3.1.", 'Add "null" to the types.'
                )
        if not newer:
            yield from _older(shape, survey.document.openapi[:3])
        if isinstance(required := node.get("required"), bool) and not shape.ref:
            name = shape.at.rsplit("/", 1)[-1]
            fix = f"List {name!r} in `required` of the object that it belongs to." if required else "Remove it."
            yield _slip(shape, "required", "`required` inside a property has no meaning.", fix)


def _older(shape: Shape, version: str) -> Iterator[Remark]:
    node = shape.node
    if is_list(node.get("type")):
        yield _slip(
            shape,
            "type",
            f"A list of types is not allowed in OpenAPI {version}.",
            "Write one type, and `nullable: true` for null.",
        )
    if node.get("nullable") is True and "type" not in node and not shape.ref:
        yield _slip(
            shape, "nullable", "`nullable` without `type` has no effect in OpenAPI 3.0.", "Write the `type` beside it."
        )
    if is_list(node.get("examples")):
        yield _slip(
            shape, "examples", f"`examples` is not a keyword of schemas in OpenAPI {version}.", "Write one `example`."
        )
    beside = [key for key in node if key != "$ref" and not key.startswith("x-")] if shape.ref else []
    if beside:
        shown = ", ".join(f"`{key}`" for key in beside)
        yield _slip(
            shape, "$ref", f"{shown} beside `$ref` {'are' if len(beside) > 1 else 'is'} ignored in OpenAPI {version}.",
            "Wrap the reference: `allOf: [{$ref: ...}]`, and write them beside that.",
        )  # fmt: skip


def _slip(shape: Shape, key: str, message: str, fix: str, repair: tuple[dict[str, Any], ...] = ()) -> Remark:
    return Remark(at=f"{shape.at}/{escape(key)}", message=message, fix=fix, patch=repair)


@rule("SCH005", "warning", "arrays say what is in them, objects what they have")
def complete(survey: Survey) -> Iterator[Remark]:
    """A model cannot fill, and cannot read ahead, what is not described."""
    for shape in survey.shapes.values():
        node = shape.node
        kinds = {string(kind) for kind in (sequence(node.get("type")) or [node.get("type")])} - {"null", ""}
        combined = any(key in node for key in _COMBINED)
        if kinds == {"array"} and not combined and not any(key in node for key in ("items", "prefixItems", "contains")):
            yield Remark(at=shape.at, message="The array does not say what its items are.", fix="Add `items`.")
        described = (
            "properties",
            "additionalProperties",
            "patternProperties",
            "enum",
            "const",
            "unevaluatedProperties",
        )
        if kinds == {"object"} and not combined and not any(key in node for key in described):
            yield Remark(
                at=shape.at,
                message="The object names no properties: a model cannot know what belongs into it.",
                fix="Add `properties`, or `additionalProperties` with a schema where its keys are free.",
            )
        if not kinds and is_map(node.get("properties")) and node["properties"] and not combined:
            yield Remark(
                at=shape.at,
                message="The schema has properties but no `type`.",
                fix="Add `type: object`.",
                patch=patch("add", f"{shape.at}/type", "object"),
            )


@rule("SCH006", "warning", "requests need nothing read-only, responses show nothing write-only")
def sided(survey: Survey) -> Iterator[Remark]:
    """Only for schemas of one side: in shared ones `required` counts for the other side alone (OAS 3.0.3, 4.7.24.1)."""
    for shape in survey.shapes.values():
        for name, raw in items(shape.node.get("properties")):
            member = survey.follow(raw, "")[0] | mapping(raw)
            where = f"{shape.at}/properties/{escape(name)}"
            if (
                shape.request
                and not shape.response
                and member.get("readOnly") is True
                and name in sequence(shape.node.get("required"))
            ):
                yield Remark(
                    at=where,
                    message=f"The request requires {name!r}, which is readOnly: no caller may send it.",
                    fix=f"Take {name!r} out of `required`, or `readOnly` off it.",
                )
            if shape.response and not shape.request and member.get("writeOnly") is True:
                yield Remark(
                    at=where,
                    message=f"The response contains {name!r}, which is writeOnly: it must not be sent back.",
                    fix=f"Remove {name!r} from the response.",
                )
