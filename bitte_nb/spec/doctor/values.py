"""The rule about values that a document gives: a model copies examples, so they must be right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bitte_nb.spec.check import Checker
from bitte_nb.spec.doctor.prose import cut
from bitte_nb.spec.doctor.rule import Remark, rule
from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.refs import reference
from bitte_nb.spec.tree import is_list, is_map, mapping, sequence

__all__: list[str] = []

_DEPTH = 4


@rule("PAR006", "error", "examples, defaults and enums are valid")
def valid_values(survey: Survey) -> Iterator[Remark]:
    """A model copies examples; one that the schema refuses is sent and refused."""
    checks: dict[int, tuple[dict[str, Any], Checker]] = {}
    for shape in survey.shapes.values():
        node = shape.node
        given = [(key, node[key]) for key in ("default", "example") if key in node]
        given += [("examples", value) for value in sequence(node.get("examples"))]
        members = sequence(node.get("enum"))
        if reference(node) is None and (given or members):
            yield from _judged(survey, node, shape.at, given, checks)
            yield from _enum(node, shape.at)
    for visit in survey.visits:
        for slot in (*visit.parameters, *visit.fields):
            if slot.sample is not ... and slot.schema:
                at = f"{slot.at}/example" if slot.location != "body" else slot.at
                for sentence in _faults(survey, slot.schema, slot.sample, f"the example of the {slot.words}", checks):
                    yield Remark(at=at, message=f"{visit.name}: {sentence}", fix="Correct the example or the schema.")


def _judged(
    survey: Survey,
    node: dict[str, Any],
    at: str,
    given: list[tuple[str, Any]],
    checks: dict[int, tuple[dict[str, Any], Checker]],
) -> Iterator[Remark]:
    for key, value in given:
        if key == "default" and value is None:
            continue  # How many generators write that there is no default.
        for sentence in _faults(survey, node, value, f"the {key}".removesuffix("s"), checks):
            fix = f"Correct the {key.removesuffix('s')} or the schema."
            yield Remark(at=f"{at}/{key}", message=sentence[0].upper() + sentence[1:], fix=fix)


def _faults(
    survey: Survey,
    node: dict[str, Any],
    value: Any,
    words: str,
    checks: dict[int, tuple[dict[str, Any], Checker]],
    depth: int = 0,
) -> list[str]:
    """The first sentence about a value that its schema refuses; an object is judged by the fields that it gives."""
    if is_map(value):
        if depth < _DEPTH:
            for name, raw, where in survey.properties(node, ""):
                if name in value and mapping(raw).get("readOnly") is not True:
                    member = survey.follow(raw, where)[0]
                    if sentences := _faults(
                        survey, member, value[name], f"the field {name!r} of {words}", checks, depth + 1
                    ):
                        return sentences
        return []
    known = checks.get(id(node))
    if known is None:
        uses: set[str] = set()
        converted = survey.document.schemas.convert(node, uses)
        known = checks[id(node)] = (converted, Checker(survey.document.schemas.definitions(uses)))
    schema, checker = known
    if checker.accepts(value, schema):
        return []
    _, sentences = checker.check(value, schema, words)
    return sentences[:1] or [
        f"{words} is {cut(repr(value))}, not of the type {schema.get('type', 'that the schema wants')}."
    ]


def _enum(node: dict[str, Any], at: str) -> Iterator[Remark]:
    kinds = node.get("type")
    wanted = sequence(kinds) if is_list(kinds) else [kinds]
    for index, value in enumerate(sequence(node.get("enum"))):
        fits = any(_is_a(value, kind) for kind in wanted) or value is None
        if not fits and kinds is not None and kinds != "array":
            yield Remark(
                at=f"{at}/enum/{index}",
                message=f"The enum value {value!r} is not of the type {'/'.join(map(str, wanted))}.",
                fix="Correct the value or the type.",
            )
            return


def _is_a(value: object, kind: object) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case "null":
            return value is None
        case _:
            return True
