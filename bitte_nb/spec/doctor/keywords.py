"""Rules about the values of keywords: what has one of another kind is left out of the tool, and nothing told so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from bitte_nb.core.nearest import nearest
from bitte_nb.spec.doctor.rule import Remark, patch, rule
from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.refs import reference
from bitte_nb.spec.subschemas import MANY, NAMED, ONE
from bitte_nb.spec.tree import escape, finite, is_list, is_map, items, mapping, sequence
from bitte_nb.spec.values import shown

__all__: list[str] = []

_BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_COUNTS = tuple(f"{side}{what}" for side in ("max", "min") for what in ("Contains", "Items", "Length", "Properties"))
_FLAGS = ("deprecated", "nullable", "readOnly", "uniqueItems", "writeOnly")
_TEXTS = ("contentEncoding", "contentMediaType", "description", "format", "title")
_SCHEMA: dict[str, str] = {
    **dict.fromkeys(("maximum", "minimum", "multipleOf"), "a number"),
    **dict.fromkeys(_BOUNDS, "a number"),
    **dict.fromkeys(_COUNTS, "a number"),
    **dict.fromkeys(_FLAGS, "true or false"),
    **dict.fromkeys(_TEXTS, "text"),
    **dict.fromkeys(ONE, "a schema"),
    **dict.fromkeys(MANY, "a list of schemas"),
    **dict.fromkeys((*NAMED, "definitions"), "an object of schemas"),
    "$ref": "text",
    "dependentRequired": "an object",
    "discriminator": "an object",
    "enum": "a list",
    "examples": "a list",
    "pattern": "a regular expression",
    "required": "a list of names",
    "type": "a type",
}
_PARAMETER = {
    **dict.fromkeys(("allowEmptyValue", "allowReserved", "deprecated", "explode", "required"), "true or false"),
    "content": "an object",
    "description": "text",
    "schema": "a schema",
    "style": "a style",
}
_BODY = {"content": "an object", "description": "text", "required": "true or false"}
_OPERATION = {
    **dict.fromkeys(("description", "summary"), "text"),
    **dict.fromkeys(("parameters", "security", "servers"), "a list"),
    **dict.fromkeys(("requestBody", "responses"), "an object"),
    "deprecated": "true or false",
    "tags": "a list of names",
}
_STYLES = ("cookie", "deepObject", "form", "label", "matrix", "pipeDelimited", "simple", "spaceDelimited")
_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_BROKEN = re.compile(r"unterminated|missing \)|unbalanced|nothing to repeat|multiple repeat|bad character range")
"""Faults of a regular expression that are none of Python alone: ECMA 262 has them too."""


@rule("SCH007", "error", "every keyword has a value of its kind")
def usable(survey: Survey) -> Iterator[Remark]:
    """A limit that is written wrongly is no limit: the keyword is left out (JSON Schema 2020-12, validation)."""
    for shape in survey.shapes.values():
        yield from _judged(shape.node, shape.at, _SCHEMA)
    seen: set[str] = set()
    for visit in survey.visits:
        body, at = visit.body_node
        media = [(mapping(one), f"{at}/content/{escape(name)}") for name, one in items(body.get("content"))]
        for node, place, kinds in (
            (visit.node, visit.at, _OPERATION),
            *((slot.node, slot.at, _PARAMETER) for slot in visit.parameters),
            (body, at, _BODY),
            *((one, where, {"schema": "a schema"}) for one, where in media),
        ):
            if place not in seen:
                seen.add(place)
                yield from _judged(node, place, kinds)


def _judged(node: dict[str, Any], at: str, kinds: Mapping[str, str]) -> Iterator[Remark]:
    for key, value in node.items():
        wanted = kinds.get(key)
        # Programs write null for what is not there; under `items` and `type` an author meant something.
        if wanted is None or (value is None and key not in ("items", "type")):
            continue
        place = f"{at}/{escape(key)}"
        if not _fits(key, value, wanted, node):
            fix, instead = _repair(key, value, wanted)
            yield Remark(
                at=place,
                message=f"`{key}` must be {wanted}; it is {_shown(value)}, so it is not used.",
                fix=fix,
                patch=() if instead is None else patch("replace", place, instead),
            )
        elif key in _BOUNDS and value is True and _BOUNDS[key] not in node:
            bound = _BOUNDS[key]
            yield Remark(
                at=place,
                message=f"`{key}: true` needs `{bound}` beside it, so it is not used.",
                fix=f"Add `{bound}`, or write the number itself in OpenAPI 3.1.",
            )
        elif key == "enum" and not value:
            yield Remark(at=place, message="`enum` is empty, so it is not used.", fix="List its values, or remove it.")
        else:
            yield from _members(key, value, wanted, place)


def _fits(key: str, value: object, wanted: str, node: dict[str, Any]) -> bool:
    match wanted:
        case "a number":
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return (is_number and finite(value)) or (key in _BOUNDS and isinstance(value, bool))
        case "true or false":
            return isinstance(value, bool)
        case "a schema":
            # Before 2020-12 a list of `items` was what is `prefixItems` now.
            return is_map(value) or isinstance(value, bool) or (key == "items" and is_list(value))
        case "a type":
            return isinstance(value, str) or is_list(value)
        case "an object" | "an object of schemas":
            return is_map(value) or (key == "discriminator" and isinstance(value, str))
        case "a list" | "a list of schemas":
            return is_list(value)
        case "a list of names":
            # `required: true` inside a property is a slip with a rule of its own.
            return is_list(value) or (key == "required" and isinstance(value, bool))
        case "a style":
            # What Swagger 2.0 calls tsv has no name in OpenAPI 3.
            return value in (*_STYLES, "tabDelimited")
        case "a regular expression":
            return isinstance(value, str) and not _fault_of(value)
        case _:
            return isinstance(value, str)


def _members(key: str, value: Any, wanted: str, at: str) -> Iterator[Remark]:
    """What stands in a list or object of schemas, or in a list of names, and is none."""
    if wanted == "an object of schemas":
        for name, one in items(value):
            if not is_map(one) and not isinstance(one, bool):
                advice = f"{{type: {one}}}" if isinstance(one, str) else "{type: ...}"
                yield Remark(
                    at=f"{at}/{escape(name)}",
                    message=f"{name!r} in `{key}` must be a schema; it is {_shown(one)}, so it is left out.",
                    fix=f"Write `{name}: {advice}`.",
                )
    elif wanted in ("a list of schemas", "a list of names", "a type") or key == "items":
        schemas = wanted == "a list of schemas" or key == "items"
        for index, one in enumerate(sequence(value)):
            good = is_map(one) or isinstance(one, bool) if schemas else isinstance(one, str)
            if not good and not (wanted == "a type" and one is None):
                what = "schemas" if schemas else "types" if wanted == "a type" else "names"
                yield Remark(
                    at=f"{at}/{index}",
                    message=f"`{key}` must list {what}; {_shown(one)} is none, so it is left out.",
                    fix="Write `{type: ...}` or a `$ref`." if schemas else "Write it as text, or remove it.",
                )


def _repair(key: str, value: object, wanted: str) -> tuple[str, Any]:
    """What to write instead, as a sentence and, where there is no doubt, as a value."""
    text = value.strip() if isinstance(value, str) else ""
    match wanted:
        case "a number" if re.fullmatch(r"-?\d{1,15}(\.\d{1,15})?", text):
            return f"Write `{key}: {text}`, without quotes.", float(text) if "." in text else int(text)
        case "true or false" if text.lower() in _WORDS or value in (0, 1):
            meant = _WORDS[text.lower()] if text else bool(value)
            return f"Write `{key}: {'true' if meant else 'false'}`.", meant
        case "a list" | "a list of names" if text and key in ("enum", "required", "tags"):
            parts = [part for part in (piece.strip() for piece in text.split(",")) if part]
            return f"Write `{key}: [{', '.join(parts)}]`.", parts or None
        case "a list" if key in ("enum", "examples") and isinstance(value, int | float):
            return f"Write `{key}: [{value}]`.", [value]
        case "a schema" if text.lower() in ("true", "false"):
            return f"Write `{key}: {text.lower()}`, without quotes.", text.lower() == "true"
        case "a schema" if text:
            return f"Write `{key}: {{type: {text}}}`, or a `$ref`.", None
        case "a list of schemas" if is_map(value):
            return f"Write `{key}: [{{...}}]`, one schema for each.", None
        case "a type" if value is None:
            return 'Write `type: "null"`, with quotes.', "null"
        case "a style":
            near = nearest(text, _STYLES)
            return f"Did you mean `{near}`?" if near else f"Write one of {', '.join(_STYLES)}.", near or None
        case "a regular expression" if text:
            return f"Correct it: {_fault_of(text)}.", None
        case "text" if isinstance(value, int | float) and not isinstance(value, bool):
            return f'Write `{key}: "{value}"`, in quotes.', str(value)
        case _:
            return f"Write {wanted}, or remove `{key}`.", None


def _fault_of(pattern: str) -> str:
    """Why no reader can read a regular expression, or empty."""
    # ECMA 262 writes names of groups and classes of Unicode otherwise than Python.
    python = re.sub(r"\\[pP]\{[^{}]*\}", r"\\w", re.sub(r"\(\?<(?![=!])", "(?P<", pattern))
    try:
        re.compile(python)
    except re.error as fault:
        return fault.msg if _BROKEN.match(fault.msg) and "[]" not in pattern else ""
    except (OverflowError, RecursionError):
        return ""
    return ""


def _shown(value: object) -> str:
    return f"'{value[:60]}'" if isinstance(value, str) else shown(value)


@rule("SCH008", "warning", "what is required is a property")
def required(survey: Survey) -> Iterator[Remark]:
    """A misspelt name in `required` asks for a field that nothing describes, and leaves the one that was meant out."""
    owners = _owners(survey)
    for shape in survey.shapes.values():
        names = [name for name in sequence(shape.node.get("required")) if isinstance(name, str)]
        if not names or reference(shape.node) is not None:
            continue
        known = _known(survey, shape.at, owners)
        for index, name in enumerate(names if known is not None else ()):
            if known is not None and name not in known:
                near = nearest(name, known - set(names))
                yield Remark(
                    at=f"{shape.at}/required/{index}",
                    message=f"`required` names {name!r}, which is no property.",
                    fix=f"Did you mean {near!r}?" if near else f"Describe {name!r} in `properties`, or take it out.",
                    about=(name,),
                )


_COMBINED = ("allOf", "anyOf", "oneOf")
_BESIDE = ("not", "if", "then", "else")


def _parts(survey: Survey, node: dict[str, Any], at: str) -> list[tuple[dict[str, Any], str]]:
    """The schemas that describe the same value as a schema, with their places; references followed."""
    parts = [(part, f"{at}/{key}/{index}") for key in _COMBINED for index, part in enumerate(sequence(node.get(key)))]
    parts += [(node[key], f"{at}/{key}") for key in _BESIDE if key in node]
    parts += [(part, f"{at}/dependentSchemas/{escape(name)}") for name, part in items(node.get("dependentSchemas"))]
    if reference(node) is not None:
        parts.append(({"$ref": reference(node)}, at))
    return [survey.follow(part, where) for part, where in parts]


def _owners(survey: Survey) -> Mapping[str, list[str]]:
    """By the place of a schema those that it is a part of."""
    owners: defaultdict[str, list[str]] = defaultdict(list)
    for shape in survey.shapes.values():
        for _, where in _parts(survey, shape.node, shape.at):
            if where != shape.at:
                owners[where].append(shape.at)
    return owners


def _known(survey: Survey, at: str, owners: Mapping[str, list[str]]) -> set[str] | None:
    """The properties of a schema and of all that describe the same value; None where others may be there too."""
    names: set[str] = set()
    seen: set[str] = set()
    waiting = [at]
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        shape = survey.shapes.get(place)
        if shape is None:
            return None
        node = shape.node
        if node.get("patternProperties") or is_map(node.get("additionalProperties")):
            return None
        names |= mapping(node.get("properties")).keys()
        waiting += [*owners.get(place, ()), *(where for _, where in _parts(survey, node, place))]
    return names or None
