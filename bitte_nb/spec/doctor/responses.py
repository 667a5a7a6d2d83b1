"""Rules about what comes back: the model plans from it, and recovers by it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bitte_nb.spec.doctor.rule import Remark, rule
from bitte_nb.spec.doctor.survey import Survey, Visit
from bitte_nb.spec.doctor.verbs import word_set, words_of
from bitte_nb.spec.media import kind_of
from bitte_nb.spec.tree import clean, items, mapping, pointer

__all__: list[str] = []

_SAYING = re.compile(
    r"(?i)(?:message|error|errors|detail|details|title|reason|description|msg|problem|fault|hint|issue|status_?text)"
)
_PAGING = word_set("""
    after before bookmark count cursor first last limit marker max maxitems maxresults next offset page pagenumber
    pagesize pagetoken perpage per_page nexttoken continuationtoken skip start startindex startingafter endingbefore
    size take top rows results length from since until startkey endkey position
""")  # fmt: skip
_LIMITS = word_set("limit maxresults pagesize perpage per_page size take top count rows maxitems first")
_CONTAINERS = word_set("data items results records entries values list rows content elements objects")
_NAMES = re.compile(
    r"(?i)(?:name|title|label|description|text|summary|email|symbol|slug|status|type|kind|url|message|date|amount)"
)
_READABLE = word_set("accountid chainid signerid receiverid contractid")
"""Ids that are names themselves on the chains that agents serve."""
_OPAQUE = re.compile(r"(?:\b|_)(?:id|uuid|guid|hash)s?\Z|I[dD]s?\Z|\Auuid|Hash\Z")


@rule("RES001", "warning", "a success is documented")
def success(survey: Survey) -> Iterator[Remark]:
    """At least one response of 2xx with a schema or a description."""
    for visit in survey.visits:
        good = [
            node
            for status, node, _ in visit.responses
            if status.startswith(("2", "3", "101"))
            or (status == "DEFAULT" and len(visit.responses) == 1 and node.get("content"))
        ]
        if not any(clean(node.get("description")) or node.get("content") for node in good):
            yield Remark(
                at=f"{visit.at}/responses" if "responses" in visit.node else visit.at,
                message=f"{visit.name} documents no success: the model cannot plan with its result.",
                fix="Add a response `200` with a description and the schema of the result.",
            )


@rule("RES002", "warning", "a refusal is documented, with a text that says what to do")
def refusal(survey: Survey) -> Iterator[Remark]:
    """At least one response of 4xx; where its schema has fields, one of them is a message."""
    for visit in survey.visits:
        errors = [
            (status, node, at) for status, node, at in visit.responses if status.startswith("4") or status == "DEFAULT"
        ]
        if not errors:
            yield Remark(
                at=f"{visit.at}/responses" if "responses" in visit.node else visit.at,
                message=f"{visit.name} documents no error: the model cannot tell its fault from the server's.",
                fix="Add a response `400` whose schema has an `error` or `message` that says what to do.",
            )
        elif not any(_says(survey, node) for _, node, _ in errors):
            yield Remark(
                at=errors[0][2],
                message=f"{visit.name}: no error response has a field with a message.",
                fix="Add a string `error` or `message` that says what was wrong and what to do.",
            )


def _says(survey: Survey, response: dict[str, Any]) -> bool:
    schemas = [mapping(content).get("schema") for _, content in items(response.get("content"))]
    if not schemas:
        return True
    for raw in schemas:
        schema, at = survey.follow(raw, "")
        names = [name for name, _, _ in survey.properties(schema, at)]
        if not names or any(_SAYING.search(name) for name in names):
            return True
    return False


@rule("RES003", "warning", "lists are read in pages")
def paged(survey: Survey) -> Iterator[Remark]:
    """Results are cut at 25,000 tokens by some clients and refused at 100,000 characters by others."""
    for visit in survey.visits:
        if not visit.safe or not (place := _list(survey, visit)):
            continue
        names = {re.sub(r"[^a-z_]", "", slot.name.lower().split("[")[-1].rstrip("]")): slot for slot in visit.slots}
        names |= {name.replace("_", ""): slot for name, slot in names.items()}
        paging = {
            name: slot
            for name, slot in names.items()
            if name in _PAGING or set(words_of(slot.name)) & {"page", "limit", "cursor"}
        }
        if not paging:
            yield Remark(
                at=place,
                message=f"{visit.name} returns a list, but has no parameter that limits it.",
                fix="Add `limit` with a default and a maximum, and `cursor` or `offset`.",
            )
        for name, slot in paging.items():
            bounded = any(key in slot.schema for key in ("default", "maximum", "exclusiveMaximum", "enum", "const"))
            said = re.search(
                r"(?i)\bdefault|\bmax|\bup to|\bat most|\bbetween\b|\b\d+\s*(?:-|to)\s*\d+", slot.description
            )
            if name in _LIMITS and not bounded and not said and set(slot.types) & {"integer", "number"}:
                yield Remark(
                    at=slot.at,
                    message=f"{visit.name}: the {slot.words} has neither default nor maximum.",
                    fix="Add `default` and `maximum`.",
                )


def _list(survey: Survey, visit: Visit) -> str:
    """Where the result is an unbounded list of things, or empty."""
    own = {word.rstrip("s") for word in (*words_of(visit.id), *words_of(visit.path.rsplit("/", 1)[-1]))}
    for schema, at in visit.results:
        if _many(survey, schema, at):
            return at
        for name, raw, where in survey.properties(schema, at):
            target, place = survey.follow(raw, where)
            known = name.lower() in _CONTAINERS or (
                name.lower().endswith("s") and words_of(name)[-1:] and words_of(name)[-1].rstrip("s") in own
            )
            if known and _many(survey, target, place):
                return where
    return ""


def _many(survey: Survey, schema: dict[str, Any], at: str) -> bool:
    if schema.get("type") != "array" or "maxItems" in schema:
        return False
    entry, place = survey.follow(schema.get("items"), f"{at}/items")
    return any(True for _ in survey.properties(entry, place)) or entry.get("type") == "object"


@rule("RES004", "warning", "results are text that a model can read")
def readable(survey: Survey) -> Iterator[Remark]:
    """Binary content reaches the model as a summary only, an event stream as its first part."""
    for visit in survey.visits:
        for status, node, at in visit.responses:
            content = mapping(node.get("content"))
            if not status.startswith("2") or not content:
                continue
            kinds = {media: kind_of(media) for media in content if "*" not in media}
            stream = "text/event-stream" in {media.split(";")[0].strip().lower() for media in content}
            if stream and not any(kind == "json" for kind in kinds.values()):
                what = "a stream of events"
            elif kinds and all(kind == "binary" or kind == "multipart" for kind in kinds.values()):
                what = f"binary content ({next(iter(kinds))})"
            else:
                continue
            yield Remark(
                at=f"{at}/content{pointer(next(iter(content)))}",
                message=f"{visit.name} answers with {what}: the model sees only a summary of it.",
                fix="Offer JSON too, for example with a URL of the content.",
            )


@rule("RES005", "info", "results have names, not only ids")
def named(survey: Survey) -> Iterator[Remark]:
    """Models work better with names than with opaque ids."""
    for visit in survey.visits:
        for schema, at in visit.results:
            entry, where = schema, at
            if schema.get("type") == "array":
                entry, where = survey.follow(schema.get("items"), f"{at}/items")
            fields = {name: survey.follow(raw, "")[0] for name, raw, _ in survey.properties(entry, where)}
            opaque = [
                name
                for name, node in fields.items()
                if node.get("format") == "uuid" or (_OPAQUE.search(name) and name.lower() not in _READABLE)
            ]
            if len(opaque) >= 2 and len(opaque) * 2 > len(fields) and not any(_NAMES.search(name) for name in fields):
                yield Remark(
                    at=where,
                    message=f"{visit.name} returns mostly opaque ids ({', '.join(opaque[:4])}).",
                    fix="Add names or titles beside the ids.",
                )
