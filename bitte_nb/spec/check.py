"""Arguments against their schema: converted where the meaning is plain ("5" to 5), else a sentence per fault.

A checker of its own, because a model needs the corrected value and a sentence it can act on, nothing may be fetched,
and a document's `pattern` must not be able to stop the kernel. `format` is left to the server.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from bitte_nb.spec.pattern import safe_pattern
from bitte_nb.spec.tree import items, mapping, sequence

__all__ = ["Checker"]

_MAX_DEPTH = 100
_MAX_FAULTS = 12
_INT = re.compile(r"[-+]?\d{1,400}\Z")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?\Z")
_ARTICLES = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_MISSING = object()
_BOUNDS: tuple[tuple[str, str, Callable[[Any, Any], bool]], ...] = (
    ("minimum", "at least", operator.ge),
    ("maximum", "at most", operator.le),
    ("exclusiveMinimum", "more than", operator.gt),
    ("exclusiveMaximum", "less than", operator.lt),
)


class Checker:
    """Checks values against converted schemas whose references lead into one set of definitions."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions

    def check(self, value: object, schema: object, where: str) -> tuple[Any, list[str]]:
        """The value as it may be sent, and a sentence for every fault (none: it is good)."""
        faults: list[str] = []
        return self._check(value, schema, where, faults, convert=True, depth=0), faults

    def accepts(self, value: object, schema: object) -> bool:
        """True if the value is good as it is, without conversion."""
        faults: list[str] = []
        self._check(value, schema, "", faults, convert=False, depth=0)
        return not faults

    def _check(self, value: Any, schema: object, where: str, faults: list[str], *, convert: bool, depth: int) -> Any:
        if schema is False:
            faults.append(f"{where} is not allowed.")
        rules = mapping(schema)
        if not rules or depth > _MAX_DEPTH or len(faults) >= _MAX_FAULTS:
            return value
        ref = rules.get("$ref")
        if isinstance(ref, str):
            target = self._definitions.get(ref.removeprefix("#/$defs/"), {})
            value = self._check(value, target, where, faults, convert=convert, depth=depth + 1)
        if "type" in rules:
            before = len(faults)
            value = _typed(value, rules["type"], where, faults, convert=convert)
            if len(faults) > before:
                return value
        value = _listed(value, rules, where, faults, convert=convert)
        if isinstance(value, str):
            _text(value, rules, where, faults)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            _number(value, rules, where, faults)
        elif isinstance(value, list):
            value = self._array(cast("list[Any]", value), rules, where, faults, convert=convert, depth=depth)
        elif isinstance(value, dict):
            value = self._object(cast("dict[str, Any]", value), rules, where, faults, convert=convert, depth=depth)
        return self._combined(value, rules, where, faults, convert=convert, depth=depth)

    def _combined(
        self, value: Any, rules: dict[str, Any], where: str, faults: list[str], *, convert: bool, depth: int
    ) -> Any:
        for part in sequence(rules.get("allOf")):
            value = self._check(value, part, where, faults, convert=convert, depth=depth + 1)
        for key in ("anyOf", "oneOf"):
            if branches := sequence(rules.get(key)):
                value = self._any(value, branches, where, faults, convert=convert, depth=depth)
        if "not" in rules and self.accepts(value, rules["not"]) and rules["not"] is not False:
            faults.append(f"{where} has a form that the operation rules out.")
        if "if" in rules:
            branch = rules.get("then" if self.accepts(value, rules["if"]) else "else", True)
            value = self._check(value, branch, where, faults, convert=convert, depth=depth + 1)
        return value

    def _any(self, value: Any, branches: list[Any], where: str, faults: list[str], *, convert: bool, depth: int) -> Any:
        """`anyOf` and `oneOf` alike: real alternatives overlap, and the server decides."""
        nearest: list[str] = []
        for allowed in (False, True) if convert else (False,):
            for branch in branches:
                own: list[str] = []
                found = self._check(value, branch, where, own, convert=allowed, depth=depth + 1)
                if not own:
                    return found
                if not nearest or len(own) < len(nearest):
                    nearest = own
        faults.append(f"{where} matches none of its {len(branches)} allowed forms; nearest: {' '.join(nearest[:2])}")
        return value

    def _array(
        self, value: list[Any], rules: dict[str, Any], where: str, faults: list[str], *, convert: bool, depth: int
    ) -> list[Any]:
        if len(value) < rules.get("minItems", 0):
            faults.append(f"{where} needs at least {rules['minItems']} items, not {len(value)}.")
        if "maxItems" in rules and len(value) > rules["maxItems"]:
            faults.append(f"{where} takes at most {rules['maxItems']} items, not {len(value)}.")
        if rules.get("uniqueItems") is True and len({_identity(entry) for entry in value}) < len(value):
            faults.append(f"{where} must not have the same item twice.")
        first = sequence(rules.get("prefixItems"))
        rest = rules.get("items", True)
        out = [
            self._check(
                entry,
                first[index] if index < len(first) else rest,
                f"{where}[{index}]",
                faults,
                convert=convert,
                depth=depth + 1,
            )
            for index, entry in enumerate(value)
        ]
        if "contains" in rules and not any(self.accepts(entry, rules["contains"]) for entry in out):
            faults.append(f"{where} has no item of the form that it must contain.")
        return out

    def _object(
        self, value: dict[str, Any], rules: dict[str, Any], where: str, faults: list[str], *, convert: bool, depth: int
    ) -> dict[str, Any]:
        properties = mapping(rules.get("properties"))
        patterns = [(safe_pattern(pattern), schema) for pattern, schema in items(rules.get("patternProperties"))]
        required = sequence(rules.get("required"))
        faults.extend(f"{where} needs the field {name}." for name in required if name not in value)
        if len(value) < rules.get("minProperties", 0):
            faults.append(f"{where} needs at least {rules['minProperties']} fields.")
        if "maxProperties" in rules and len(value) > rules["maxProperties"]:
            faults.append(f"{where} takes at most {rules['maxProperties']} fields.")
        for name, needed in items(rules.get("dependentRequired")):
            missing = [other for other in sequence(needed) if other not in value] if name in value else []
            faults.extend(f"{where} needs the field {other} together with {name}." for other in missing)
        out: dict[str, Any] = {}
        for name, member in value.items():
            schema = properties.get(name, _MISSING)
            unset = member is None and convert and schema is not _MISSING and name not in required
            if unset and not self.accepts(None, schema):
                # Models in strict modes write null for "not given".
                continue
            label = f"{where}.{name}"
            rules_for = [] if schema is _MISSING else [schema]
            rules_for += [other for found, other in patterns if found is not None and found.accepts(name)]
            if not rules_for and "additionalProperties" in rules and not any(found is None for found, _ in patterns):
                if rules["additionalProperties"] is False:
                    faults.append(f"{where} has no field {name!r}; it takes {_names(properties)}.")
                    continue
                rules_for = [rules["additionalProperties"]]
            out[name] = member
            for rule in rules_for:
                out[name] = self._check(out[name], rule, label, faults, convert=convert, depth=depth + 1)
        return out


def _names(properties: dict[str, Any]) -> str:
    names = list(properties)
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "") if names else "none"


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, list | tuple):
        return "array"
    return "object" if isinstance(value, dict) else "string"


def _typed(value: Any, declared: object, where: str, faults: list[str], *, convert: bool) -> Any:
    kinds = [declared] if isinstance(declared, str) else [str(kind) for kind in sequence(declared)]
    actual = _kind(value)
    if actual in kinds or (actual == "integer" and "number" in kinds):
        return value
    if actual == "number" and "integer" in kinds and float(value).is_integer():
        return int(value)
    if convert:
        for kind in kinds:
            found = _converted(value, kind)
            if found is not _MISSING:
                return found
    wanted = " or ".join(_ARTICLES.get(kind, kind) for kind in kinds)
    faults.append(f"{where} must be {wanted}, not {_shown(value)}.")
    return value


def _converted(value: Any, kind: str) -> Any:
    """The value as another type where nobody could mean anything else."""
    if isinstance(value, str):
        text = value.strip()
        if kind == "integer" and _INT.match(text):
            return int(text)
        if kind in ("integer", "number") and _NUMBER.match(text) and len(text) < 400:
            number = float(text)
            if kind == "number":
                return int(text) if _INT.match(text) else number
            return int(number) if number.is_integer() and abs(number) < 2**53 else _MISSING
        if kind == "boolean" and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if kind in ("array", "object") and text[:1] in ("[", "{"):
            try:
                found = json.loads(text)
            except (ValueError, RecursionError):
                return _MISSING
            return found if _kind(found) == kind else _MISSING
    if kind == "string" and isinstance(value, bool | int | float):
        return json.dumps(value)
    if kind == "array" and isinstance(value, str | bool | int | float):
        return [value]
    return _MISSING


def _listed(value: Any, rules: dict[str, Any], where: str, faults: list[str], *, convert: bool) -> Any:
    allowed = [rules["const"]] if "const" in rules else sequence(rules.get("enum"))
    if not allowed or any(_same(value, entry) for entry in allowed):
        return value
    if convert and isinstance(value, str | bool | int | float):
        for entry in allowed:
            if isinstance(entry, str) and isinstance(value, str) and entry.lower() == value.strip().lower():
                return entry
            if isinstance(entry, str) != isinstance(value, str) and str(entry).lower() == str(value).lower():
                return entry
    shown = ", ".join(_shown(entry) for entry in allowed[:20]) + (", ..." if len(allowed) > 20 else "")
    faults.append(f"{where} must be {'one of ' if len(allowed) > 1 else ''}{shown}, not {_shown(value)}.")
    return value


def _same(one: object, other: object) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _text(value: str, rules: dict[str, Any], where: str, faults: list[str]) -> None:
    if len(value) < rules.get("minLength", 0):
        faults.append(f"{where} needs at least {rules['minLength']} characters.")
    if "maxLength" in rules and len(value) > rules["maxLength"]:
        faults.append(f"{where} takes at most {rules['maxLength']} characters, not {len(value)}.")
    if "pattern" in rules:
        found = safe_pattern(str(rules["pattern"]))
        if found is not None and found.rejects(value):
            faults.append(f"{where} must match the pattern {rules['pattern']}; {_shown(value)} does not.")


def _number(value: float, rules: dict[str, Any], where: str, faults: list[str]) -> None:
    for key, words, test in _BOUNDS:
        if key in rules and not test(value, rules[key]):
            faults.append(f"{where} must be {words} {rules[key]}, not {_shown(value)}.")
    step = rules.get("multipleOf")
    if step:
        from decimal import Decimal, InvalidOperation

        try:
            whole = Decimal(str(value)) % Decimal(str(step)) == 0
        except InvalidOperation:
            whole = True
        if not whole:
            faults.append(f"{where} must be a multiple of {step}, not {_shown(value)}.")


def _identity(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _shown(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=lambda entry: f"<{type(entry).__name__}>")
    except (TypeError, ValueError, RecursionError):
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."
