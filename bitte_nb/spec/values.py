"""Single values against a schema's keywords: what type they are, what they may be converted to, what is wrong."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable
from typing import Any

from bitte_nb.spec.pattern import safe_pattern
from bitte_nb.spec.tree import sequence

__all__ = [
    "ARTICLES", "MISSING", "check_number", "check_text", "converted", "identity", "kind_of_value", "listed", "names",
    "shown", "whole_json",
]  # fmt: skip

_INT = re.compile(r"[-+]?\d{1,400}\Z")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?\Z")
ARTICLES: dict[str, str] = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
"""The types of JSON in words."""
_KINDS: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    tuple: "array",
    dict: "object",
    type(None): "null",
}
MISSING: Any = object()
"""No value."""
_BOUNDS: tuple[tuple[str, str, Callable[[Any, Any], bool]], ...] = (
    ("minimum", "at least", operator.ge),
    ("maximum", "at most", operator.le),
    ("exclusiveMinimum", "more than", operator.gt),
    ("exclusiveMaximum", "less than", operator.lt),
)


def names(properties: dict[str, Any]) -> str:
    """The first names of an object's properties, for a sentence."""
    found = list(properties)
    return ", ".join(found[:20]) + (f" and {len(found) - 20} more" if len(found) > 20 else "") if found else "none"


def kind_of_value(value: object) -> str:
    """The JSON type of a value."""
    known = _KINDS.get(type(value))
    return known or next((name for kind, name in _KINDS.items() if isinstance(value, kind)), "string")


def converted(value: Any, kind: str) -> Any:
    """The value as another type where nobody could mean anything else."""
    if isinstance(value, str):
        text = value.strip()
        if kind == "integer" and _INT.match(text):
            return int(text)
        if kind in ("integer", "number") and _NUMBER.match(text) and len(text) < 400:
            number = float(text)
            if kind == "number":
                return int(text) if _INT.match(text) else number
            return int(number) if number.is_integer() and abs(number) < 2**53 else MISSING
        if kind == "boolean" and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if kind in ("array", "object"):
            found = whole_json(text)
            return found if kind_of_value(found) == kind else MISSING
    if kind == "string" and isinstance(value, bool | int | float):
        return json.dumps(value)
    return MISSING


def whole_json(text: str) -> Any:
    """The object or list that a text holds as JSON; the text itself where it is no such JSON."""
    try:
        found = json.loads(text) if text[:1] in ("[", "{") else text
    except (ValueError, RecursionError):
        return text
    return found


def listed(value: Any, rules: dict[str, Any], where: str, faults: list[str], *, convert: bool) -> Any:
    """A value that is one of those allowed, as it is written there; else a fault."""
    allowed = [rules["const"]] if "const" in rules else sequence(rules.get("enum"))
    if not allowed or any(_same(value, entry) for entry in allowed):
        return value
    if convert and isinstance(value, str | bool | int | float):
        for entry in allowed:
            if isinstance(entry, str) and isinstance(value, str) and entry.lower() == value.strip().lower():
                return entry
            if isinstance(entry, str) != isinstance(value, str) and str(entry).lower() == str(value).lower():
                return entry
    choice = ", ".join(shown(entry) for entry in allowed[:20]) + (", ..." if len(allowed) > 20 else "")
    faults.append(f"{where} must be {'one of ' if len(allowed) > 1 else ''}{choice}, not {shown(value)}.")
    return value


def _same(one: object, other: object) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def check_text(value: str, rules: dict[str, Any], where: str, faults: list[str]) -> None:
    """Faults of a text: length and pattern."""
    if len(value) < rules.get("minLength", 0):
        faults.append(f"{where} needs at least {rules['minLength']} characters.")
    if "maxLength" in rules and len(value) > rules["maxLength"]:
        faults.append(f"{where} takes at most {rules['maxLength']} characters, not {len(value)}.")
    if "pattern" in rules:
        found = safe_pattern(str(rules["pattern"]))
        if found is not None and found.rejects(value):
            faults.append(f"{where} must match the pattern {rules['pattern']}; {shown(value)} does not.")


def check_number(value: float, rules: dict[str, Any], where: str, faults: list[str]) -> None:
    """Faults of a number: bounds and steps."""
    for key, words, test in _BOUNDS:
        if key in rules and not test(value, rules[key]):
            faults.append(f"{where} must be {words} {rules[key]}, not {shown(value)}.")
    step = rules.get("multipleOf")
    if step:
        from decimal import Decimal, InvalidOperation

        try:
            whole = Decimal(str(value)) % Decimal(str(step)) == 0
        except InvalidOperation:
            whole = True
        if not whole:
            faults.append(f"{where} must be a multiple of {step}, not {shown(value)}.")


def identity(value: object) -> str:
    """What makes two items the same."""
    return json.dumps(value, sort_keys=True, default=str)


def shown(value: object) -> str:
    """A value as a sentence quotes it, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=lambda entry: f"<{type(entry).__name__}>")
    except (TypeError, ValueError, RecursionError):
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."
