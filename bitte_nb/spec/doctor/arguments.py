"""Rules about the form of arguments: names, places, values and number of what a model has to fill."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from bitte_nb.spec.doctor.rule import Remark, patch, rule
from bitte_nb.spec.doctor.survey import Slot, Survey, Visit
from bitte_nb.spec.doctor.walks import children
from bitte_nb.spec.guard import reserved_header
from bitte_nb.spec.parameters import template_names
from bitte_nb.spec.profiles import property_aliases
from bitte_nb.spec.tree import mapping, sequence

__all__: list[str] = []

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")
_ENUM_LONG, _ENUM_TOO_LONG = 50, 250
_MANY, _MANY_REQUIRED, _DEEP = 15, 5, 4
_SECRETS = re.compile(
    r"(?i)(?:x[-_])?(?:api[-_]?(?:key|secret|token)|access[-_]?token|auth[-_]?token|bearer(?:[-_]?token)?|refresh[-_]?token"
    r"|id[-_]?token|jwt|pass(?:word|wd|phrase)|client[-_]?secret|secret(?:[-_]?key)?|private[-_]?key|seed(?:[-_]?phrase)?"
    r"|mnemonic(?:[-_]?phrase)?|session[-_]?token)\Z"
)
_TOKEN_WORDS = re.compile(r"(?i)\b(?:auth\w*|access|bearer|api|secret|credential\w*|login|session|jwt)\b")
_FILLED = ("json", "form", "multipart")
"""Kinds of bodies with fields."""
_IDENTITY = frozenset({"accountid", "evmaddress", "chainid"})


@rule("PAR008", "error", "argument names are names that every provider accepts")
def acceptable(survey: Survey) -> Iterator[Remark]:
    """Anthropic refuses the whole list of tools for one bad name; it is offered under an alias instead."""
    for visit in survey.visits:
        aliases = property_aliases([slot.name for slot in visit.slots])
        for slot in visit.slots:
            if not _NAME.match(slot.name):
                yield Remark(
                    at=slot.at,
                    message=f"{visit.name}: the {slot.words} has a name that Anthropic refuses: only a-z A-Z 0-9 _ . - "
                    f"may be used, at most 64; it is offered as {aliases.get(slot.name, '')!r}.",
                    fix="Rename it if the API allows.",
                )


@rule("PAR009", "warning", "no two arguments of an operation have nearly the same name")
def distinct(survey: Survey) -> Iterator[Remark]:
    """A model confuses `userId` in the path with `user_id` in the body."""
    for visit in survey.visits:
        alike: defaultdict[str, list[Slot]] = defaultdict(list)
        for slot in visit.slots:
            alike[re.sub(r"[^a-z0-9]+", "", slot.name.lower())].append(slot)
        for key, slots in alike.items():
            if key and len(slots) > 1 and not _range(slots):
                yield Remark(
                    at=slots[1].at,
                    message=f"{visit.name}: a model confuses the {slots[0].words} and the {slots[1].words}.",
                    fix="Rename one, or drop it where both mean the same.",
                )


def _range(slots: list[Slot]) -> bool:
    """True for families such as `date`, `date<`, `date>`, which differ by an operator."""
    return all(slot.location == "query" for slot in slots) and any(re.search(r"[<>!~\[]", slot.name) for slot in slots)


@rule("PAR010", "error", "the variables of a path and its path parameters are the same, and required")
def path_parameters(survey: Survey) -> Iterator[Remark]:
    """Loading says which are not declared; this says which are not marked as required (OAS 3.1, 4.8.12.1)."""
    for visit in survey.visits:
        names = template_names(visit.path)
        declared = {slot.name for slot in visit.parameters if slot.location == "path"}
        for slot in visit.parameters:
            if slot.location == "path" and slot.name in names and slot.node.get("required") is not True:
                yield Remark(
                    at=slot.at,
                    message=f"{visit.name}: the path parameter {slot.name!r} is not marked as required.",
                    fix="Add `required: true`.",
                    patch=patch("add", f"{slot.at}/required", True),
                )
        if visit.operation is None:
            for name in (*(set(names) - declared), *(declared - set(names))):
                message = f"{visit.name}: {name!r} is not both in the path and among its path parameters."
                yield Remark(at=visit.at, message=message, fix="Declare it, or remove it.", about=(name,))


@rule("PAR011", "warning", "secrets and the person's identity are no arguments")
def no_identity(survey: Survey) -> Iterator[Remark]:
    """Secrets belong into security schemes, and the wallet context travels in the header mb-metadata.

    An argument that is optional and defaults to the wallet context is fine.
    """
    for visit in survey.visits:
        for slot in visit.slots:
            if _secret(slot):
                yield Remark(
                    at=slot.at,
                    message=f"{visit.name}: the {slot.words} is a secret that a model would have to know.",
                    fix="Let the person enter it outside of the chat."
                    if slot.location == "body"
                    else "Declare it in `components.securitySchemes` and leave it out of the arguments.",
                )
            elif survey.agent and slot.required and re.sub(r"[-_]", "", slot.name.lower()) in _IDENTITY:
                yield Remark(
                    at=slot.at,
                    message=f"{visit.name}: the {slot.words} is required, although the wallet context has it.",
                    fix="Make it optional, and use the header mb-metadata where it is absent.",
                )


def _secret(slot: Slot) -> bool:
    if _SECRETS.fullmatch(slot.name) is not None:
        return True
    return slot.name.lower() == "token" and _TOKEN_WORDS.search(slot.description) is not None


@rule("PAR012", "warning", "no header is declared that a description cannot set")
def settable(survey: Survey) -> Iterator[Remark]:
    """Accept, Content-Type and Authorization are ignored (OAS 3.1, 4.8.12.2); others frame or route the request."""
    for visit in survey.visits:
        for slot in visit.parameters:
            if slot.location == "header" and reserved_header(slot.name) and slot.name.lower() != "mb-metadata":
                yield Remark(
                    at=slot.at,
                    message=f"{visit.name}: the header {slot.name} is ignored as a parameter.",
                    fix="Describe it by `security`, `requestBody.content` or `responses`, and remove the parameter.",
                )


@rule("PAR013", "warning", "enums are short lists of strings")
def short_enums(survey: Survey) -> Iterator[Remark]:
    """Gemini takes strings only; every value costs tokens in every request (over 50 is an info)."""
    for shape in survey.shapes.values():
        values = sequence(shape.node.get("enum"))
        if not shape.request or not values:
            continue
        if len(values) > _ENUM_LONG:
            yield Remark(
                at=f"{shape.at}/enum",
                message=f"The enum has {len(values)} values, which every request carries.",
                fix="Take a free string, and offer an operation that searches the values.",
                about=("long",),
                severity=None if len(values) > _ENUM_TOO_LONG else "info",
            )
        if any(not isinstance(value, str) and value is not None for value in values):
            yield Remark(
                at=f"{shape.at}/enum",
                message="The enum has values that are no strings, which Gemini refuses.",
                fix="Write strings, or bound the number with `minimum` and `maximum`.",
                about=("type",),
            )


@rule("PAR014", "warning", "an operation has few arguments, flat and named")
def manageable(survey: Survey) -> Iterator[Remark]:
    """Each argument more is one more to get wrong."""
    for visit in survey.visits:
        required = [slot for slot in visit.slots if slot.required]
        if len(visit.slots) > _MANY or len(required) > _MANY_REQUIRED:
            many = len(visit.slots) > _MANY
            count = f"{len(visit.slots)} arguments" if many else f"{len(required)} required arguments"
            yield Remark(
                at=visit.at,
                message=f"{visit.name} has {count}; {_MANY if many else _MANY_REQUIRED} are manageable.",
                fix="Split it, give defaults, or leave out what a model never sets.",
                about=("many",),
            )
        yield from _body_form(survey, visit)


@rule("PAR015", "error", "a query is described as a whole or by its parameters")
def one_query(survey: Survey) -> Iterator[Remark]:
    """OpenAPI 3.2 forbids both; here both are sent, one after the other."""
    for visit in survey.visits:
        whole = [slot for slot in visit.parameters if slot.location == "querystring"]
        if whole and (len(whole) > 1 or any(slot.location == "query" for slot in visit.parameters)):
            yield Remark(
                at=whole[-1].at,
                message=f"{visit.name} has `in: querystring`, which is the whole query, and describes the query again.",
                fix="Put all of it into the schema of one `in: querystring` parameter, or use `in: query` alone.",
            )


def _body_form(survey: Survey, visit: Visit) -> Iterator[Remark]:
    schema, at = visit.body
    if not schema:
        return
    depth = _depth(survey, schema, at, {})
    if depth > _DEEP:
        yield Remark(
            at=at,
            message=f"{visit.name}: the body is nested {depth} levels deep; {_DEEP} are manageable.",
            fix="Flatten it.",
            about=("deep",),
        )
    described = ("properties", "additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "items", "enum")
    if (
        visit.body_kind in _FILLED
        and schema.get("type") in ("object", None)
        and not any(schema.get(key) for key in described)
        and "$ref" not in schema
    ):
        yield Remark(
            at=at,
            message=f"{visit.name}: the body is a free object: a model cannot know what belongs into it.",
            fix="Describe its `properties`.",
            about=("free",),
        )


def _depth(survey: Survey, schema: dict[str, Any], at: str, known: dict[str, int]) -> int:
    """How many objects and arrays are in each other; a schema inside itself counts once."""
    if at in known:
        return known[at]
    known[at] = 0
    nested = "properties" in schema or "items" in schema
    deepest = 0
    for raw, where in children(schema, at):
        target, place = survey.follow(raw, where)
        if mapping(raw).get("readOnly") is not True and target:
            deepest = max(deepest, _depth(survey, target, place, known))
    known[at] = deepest + nested
    return known[at]
