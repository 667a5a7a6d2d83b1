"""What a rule is, what it remarks, and the register of all rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from bitte_nb.spec.finding import Finding, Severity

if TYPE_CHECKING:
    from bitte_nb.spec.doctor.survey import Survey

__all__ = ["FAMILIES", "Advice", "Remark", "Rule", "patch", "rule", "rules"]

FAMILIES = (
    "xmb", "instructions", "servers", "security", "operation_ids", "arguments", "keywords", "descriptions", "texts",
    "parameters", "values", "schemas", "responses", "budget", "notation", "spelling",
)  # fmt: skip
"""Modules with rules, what matters most first; imported when the doctor is first asked."""


@dataclass(frozen=True, slots=True)
class Advice(Finding):
    """A finding of the doctor, with a mechanical repair where there is one."""

    patch: tuple[dict[str, Any], ...] = ()
    """Operations of JSON Patch (RFC 6902) on the document as it was written; empty where an author must decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One fault that a rule saw."""

    at: str
    """JSON pointer."""
    message: str
    fix: str
    about: tuple[str, ...] = ()
    """The words that it is about; a rule may remark once per place and words."""
    severity: Severity | None = None
    """Only where it is milder than the rule."""
    patch: tuple[dict[str, Any], ...] = ()
    line: int | None = None


Check: TypeAlias = "Callable[[Survey], Iterable[Remark]]"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what it is called, how bad a breach is, and the check."""

    id: str
    severity: Severity
    family: str
    title: str
    """What a good document does, in a few words."""
    check: Check


_RULES: dict[str, Rule] = {}


def rule(identifier: str, severity: Severity, title: str) -> Callable[[Check], Check]:
    """Register a check as a rule; its family is the module that it stands in."""

    def register(check: Check) -> Check:
        _RULES[identifier] = Rule(identifier, severity, check.__module__.rpartition(".")[2], title, check)
        return check

    return register


def rules() -> tuple[Rule, ...]:
    """All rules, in the order of their families."""
    for family in FAMILIES:
        import_module(f"bitte_nb.spec.doctor.{family}")
    return tuple(_RULES.values())


def patch(operation: str, at: str, value: Any = None) -> tuple[dict[str, Any], ...]:
    """A patch of one operation: `add`, `replace` or `remove`."""
    return ({"op": operation, "path": at} | ({} if operation == "remove" else {"value": value}),)
