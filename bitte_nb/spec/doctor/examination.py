"""One examination: the findings of loading and of every rule, each once, with lines, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from bitte_nb.spec.doctor.rule import Advice, Rule, rules
from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.finding import Finding
from bitte_nb.spec.lines import locate
from bitte_nb.spec.tree import clean, escape, index_of, mapping

if TYPE_CHECKING:
    from bitte_nb.spec.document import Document

__all__ = ["RANK", "examine"]

RANK = {"error": 0, "warning": 1, "info": 2}
"""Severities, the gravest first."""


def examine(document: Document) -> list[Finding]:
    """Every finding, errors first, then in the order of the document."""
    advice = _advice(document)
    repairs = {(one.rule, one.pointer): one.patch for one in advice if one.patch}
    found = [_repaired(one, repairs.get((one.rule, one.pointer), ())) for one in dict.fromkeys(document.findings)]
    loaded = {(one.rule, one.pointer) for one in found}
    advice = [one for one in advice if (one.rule, one.pointer) not in loaded]
    lines = locate(document.written, [one.pointer for one in advice if one.line is None])
    found += [one if one.line is not None else one.at(lines.get(one.pointer)) for one in advice]
    places = _Places(document.root)
    return sorted(found, key=lambda one: (RANK[one.severity], places.order(one.pointer), one.rule))


def _repaired(one: Finding, patch: tuple[dict[str, Any], ...]) -> Finding:
    """A finding of loading with the repair that a rule knows for the same place."""
    if not patch:
        return one
    return Advice(one.rule, one.severity, one.pointer, one.message, one.fix, one.line, one.tokens, patch)


def _advice(document: Document) -> list[Advice]:
    survey = Survey(document)
    seen: dict[tuple[str, str, tuple[str, ...]], Advice] = {}
    for rule in rules():
        for one in _apply(rule, survey):
            seen.setdefault((one.rule, one.pointer, one.tokens), one)
    return list(seen.values())


def _apply(rule: Rule, survey: Survey) -> list[Advice]:
    older = survey.document.openapi.startswith("2")
    found: list[Advice] = []
    for remark in rule.check(survey):
        at = _written(remark.at) if older else remark.at
        found.append(
            Advice(
                rule.id,
                remark.severity or rule.severity,
                at,
                clean(remark.message),
                clean(remark.fix),
                remark.line,
                remark.about,
                remark.patch if at == remark.at else (),
            )
        )
    return found


def _written(at: str) -> str:
    """A place of a converted Swagger 2.0 document as its author wrote it, else the nearest place that is there."""
    steps = at.split("/")
    if at.startswith("/servers"):
        return "/host"
    if at.startswith("/components/securitySchemes"):
        return "/".join(["", "securityDefinitions", *steps[3:4]])
    if at.startswith("/paths/") and len(steps) > 4:
        if steps[4] in ("requestBody", "parameters"):
            return "/".join(steps[:4])
        if steps[4] == "responses":
            return "/".join(steps[:6])
    return at


class _Places:
    """Where a pointer stands in a document, as something that sorts."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._orders: dict[int, dict[str, int]] = {}

    def order(self, at: str) -> tuple[int, ...]:
        """The position of each step among its siblings; steps that are not there come first."""
        node: object = self._root
        found: list[int] = []
        for step in at.split("/")[1:]:
            if isinstance(node, list):
                entries = cast("list[Any]", node)
                index = index_of(step)
                node = entries[index] if 0 <= index < len(entries) else None
                found.append(index)
            else:
                members = mapping(node)
                found.append(self._positions(members).get(step, -1))
                node = members.get(step.replace("~1", "/").replace("~0", "~"))
        return tuple(found)

    def _positions(self, members: dict[str, Any]) -> dict[str, int]:
        known = self._orders.get(id(members))
        if known is None:
            known = {escape(name): index for index, name in enumerate(members)}
            if members:
                self._orders[id(members)] = known
        return known
