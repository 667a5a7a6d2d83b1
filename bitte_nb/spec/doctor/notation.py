"""Rules about how a document is written: versions, YAML, tags, what is deprecated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from bitte_nb.spec.doctor.rule import Remark, patch, rule
from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.read import yaml_events
from bitte_nb.spec.tree import clean, is_map, items, mapping, plain, pointer, sequence

__all__: list[str] = []

_MAX_YAML = 400_000
_INTEGER = re.compile(r"[-+]?\d+\Z")
_BOOLEAN = re.compile(r"(?:yes|no|on|off)\Z", re.IGNORECASE)
_TIMESTAMP = re.compile(r"\d{4}-\d\d?-\d\d?(?:[Tt ].*)?\Z")
_OCTAL = re.compile(r"0\d+\Z|\d+(?::[0-5]\d)+\Z")


@rule("DEP001", "warning", "what is deprecated is not offered")
def current(survey: Survey) -> Iterator[Remark]:
    """A model takes what it is offered."""
    for visit in survey.visits:
        if visit.node.get("deprecated") is True:
            yield Remark(
                at=f"{visit.at}/deprecated",
                message=f"{visit.name} is deprecated, but is offered like the others.",
                fix="Remove it from the agent's document, or say in its description what to use instead.",
            )
        for slot in visit.slots:
            if slot.required and (slot.node.get("deprecated") is True or slot.schema.get("deprecated") is True):
                yield Remark(
                    at=slot.at,
                    message=f"{visit.name}: the {slot.words} is deprecated, but required.",
                    fix="Make it optional.",
                )


@rule("TAG001", "info", "tags are declared, described and used")
def tagged(survey: Survey) -> Iterator[Remark]:
    """By its tags a part of a large document is chosen."""
    declared = [mapping(tag) for tag in sequence(survey.root.get("tags"))]
    names = [plain(tag.get("name")) for tag in declared]
    for index, (name, tag) in enumerate(zip(names, declared, strict=True)):
        if names.index(name) != index:
            yield Remark(at=f"/tags/{index}", message=f"The tag {name!r} is declared twice.", fix="Remove one.")
        elif not clean(tag.get("description")):
            fix = "Add `description`: what its operations are for."
            yield Remark(at=f"/tags/{index}", message=f"The tag {name!r} has no description.", fix=fix)
    missing: dict[str, str] = {}
    untagged: list[tuple[str, str]] = []
    for visit in survey.visits:
        tags = [tag for tag in sequence(visit.node.get("tags")) if isinstance(tag, str)]
        for index, tag in enumerate(tags):
            if tag not in names:
                missing.setdefault(tag, f"{visit.at}/tags/{index}")
        if not tags:
            untagged.append((visit.name, visit.at))
    for tag, at in missing.items():
        yield Remark(
            at=at,
            message=f"The tag {tag!r} is used, but not declared.",
            fix="Add it to the root's `tags`, with a description.",
            patch=patch("add", "/tags/-", {"name": tag}) if "tags" in survey.root else (),
        )
    if untagged:
        shown = ", ".join(name for name, _ in untagged[:4]) + (", ..." if len(untagged) > 4 else "")
        count = f"{len(untagged)} operations have" if len(untagged) > 1 else "One operation has"
        yield Remark(at=untagged[0][1], message=f"{count} no tag: {shown}.", fix="Add `tags`.")


@rule("VER001", "warning", "the version of the specification is one that clients know")
def version(survey: Survey) -> Iterator[Remark]:
    """Loading names unknown versions, and what a conversion changes."""
    openapi = survey.document.openapi
    if openapi.startswith("2"):
        yield Remark(
            at="/swagger",
            message="Swagger 2.0 is converted while loading; many tools refuse it.",
            fix="Convert the document to OpenAPI 3.1.",
        )
    elif "openapi" not in survey.root and not openapi.startswith("2"):
        yield Remark(at="", message="The document does not say its OpenAPI version.", fix="Write `openapi: 3.1.0`.")
    for feature, at in _newest(survey):
        old = not openapi.startswith("3.2")
        yield Remark(
            at=at,
            message=f"{feature} is of OpenAPI 3.2"
            + (f", but the document says {openapi}." if old else ", which few tools know."),
            fix="Write `openapi: 3.2.0`, or do without it."
            if old
            else "Do without it where others must read the document.",
        )


def _newest(survey: Survey) -> Iterator[tuple[str, str]]:
    if "$self" in survey.root:
        yield "`$self`", "/$self"
    for path, item in items(survey.root.get("paths")):
        for key, what in (("query", "The method `query`"), ("additionalOperations", "`additionalOperations`")):
            if is_map(mapping(item).get(key)):
                yield what, f"{pointer('paths', path)}/{key}"
    for visit in survey.visits:
        for slot in visit.parameters:
            if slot.location == "querystring":
                yield "`in: querystring`", slot.at
        for _, node, at in visit.responses:
            for media, content in items(node.get("content")):
                if "itemSchema" in mapping(content):
                    yield "`itemSchema`", f"{at}/content{pointer(media)}/itemSchema"


@rule("DOC001", "warning", "YAML is written so that every reader reads the same")
def portable(survey: Survey) -> Iterator[Remark]:
    """Read here by YAML 1.2; readers of 1.1 see numbers, booleans and dates in these. Duplicate keys: see loading."""
    text = survey.document.written
    if len(text) > _MAX_YAML or text[:64].lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        return
    found: dict[str, list[tuple[str, int]]] = {}
    for word, line, is_key in _plain_scalars(text):
        if is_key and _INTEGER.match(word):
            found.setdefault("keys that are numbers", []).append((word, line))
        elif _BOOLEAN.match(word):
            found.setdefault("words that YAML 1.1 reads as true or false", []).append((word, line))
        elif not is_key and _TIMESTAMP.match(word):
            found.setdefault("dates that some readers turn into date objects", []).append((word, line))
        elif not is_key and _OCTAL.match(word):
            found.setdefault("numbers that YAML 1.1 reads in base 8 or 60", []).append((word, line))
    for what, places in found.items():
        words = Counter(word for word, _ in places)
        shown = ", ".join(list(words)[:4]) + (", ..." if len(words) > 4 else "")
        yield Remark(
            at="",
            message=f"The YAML has {what}, without quotes, on {len(places)} line{'s' * (len(places) > 1)}: {shown}.",
            fix=f"Put them in quotes: '{places[0][0]}'.",
            about=(what,),
            line=places[0][1],
        )


def _plain_scalars(text: str) -> Iterator[tuple[str, int, bool]]:
    """Scalars without quotes or tag, with their line and whether each is a key."""
    import yaml

    # Per collection: whether it is an object, and whether a key is due.
    stack: list[list[bool]] = []
    try:
        for event in yaml_events(text):
            kind = type(event).__name__
            keyed = bool(stack) and stack[-1][0] and stack[-1][1]
            if kind == "ScalarEvent" and event.implicit[0] and event.tag is None:
                yield event.value, event.start_mark.line + 1, keyed
            if kind in ("ScalarEvent", "AliasEvent", "MappingStartEvent", "SequenceStartEvent") and stack:
                stack[-1][1] = not stack[-1][1]
            if kind in ("MappingStartEvent", "SequenceStartEvent"):
                stack.append([kind == "MappingStartEvent", True])
            elif kind in ("MappingEndEvent", "SequenceEndEvent"):
                stack.pop()
            elif kind == "DocumentEndEvent":
                return
    except yaml.YAMLError:
        return
