"""Arguments against their schema: converted where the meaning is plain ("5" to 5), else a sentence per fault.

A checker of its own, because a model needs the corrected value and a sentence it can act on, nothing may be fetched,
and a document's `pattern` must not be able to stop the kernel. `format` is left to the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from bitte_nb.spec.pattern import safe_pattern
from bitte_nb.spec.tree import items, mapping, sequence
from bitte_nb.spec.values import (
    ARTICLES,
    MISSING,
    check_number,
    check_text,
    converted,
    identity,
    kind_of_value,
    listed,
    names,
    shown,
    whole_json,
)

__all__ = ["Checker"]

_MAX_DEPTH = 100
_MAX_FAULTS = 12
_MAX_STEPS = 200_000
"""Schemas that are tried on the parts of one value; beyond, the server is left to judge."""
_ANYTHING = frozenset({"default", "deprecated", "description", "examples", "title"})
"""Keywords that limit nothing."""
_COMBINING = frozenset({"allOf", "anyOf", "if", "not", "oneOf"})
"""Keywords that hold other schemas against the same value."""


class Checker:
    """Checks values against converted schemas whose references lead into one set of definitions."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions

    def check(self, value: object, schema: object, where: str) -> tuple[Any, list[str]]:
        """The value as it may be sent, and a sentence for every fault (none: it is good)."""
        return _Check(self._definitions).tried(value, schema, where)

    def accepts(self, value: object, schema: object) -> bool:
        """True if the value is good as it is, without conversion."""
        return _Check(self._definitions).accepts(value, schema)


class _Check:
    """One check of one value, of bounded length whatever the document's schemas are."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._left = _MAX_STEPS
        self._open: set[tuple[str, int]] = set()

    def tried(self, value: object, schema: object, where: str) -> tuple[Any, list[str]]:
        faults: list[str] = []
        return self._check(value, schema, where, faults, convert=True, depth=0), faults

    def accepts(self, value: object, schema: object) -> bool:
        faults: list[str] = []
        self._check(value, schema, "", faults, convert=False, depth=0)
        return not faults

    def _check(self, value: Any, schema: object, where: str, faults: list[str], *, convert: bool, depth: int) -> Any:
        if schema is False:
            faults.append(f"{where} is not allowed.")
        rules = mapping(schema)
        if convert and isinstance(value, str) and value[:1] in ("{", "[") and rules.keys() <= _ANYTHING:
            value = whole_json(value)
        self._left -= 1
        if not rules or depth > _MAX_DEPTH or self._over(faults):
            return value
        ref = rules.get("$ref")
        if isinstance(ref, str) and (ref, id(value)) not in self._open:
            # A definition that comes back to itself on the same value says nothing more.
            key = (ref, id(value))
            self._open.add(key)
            target = self._definitions.get(ref.removeprefix("#/$defs/"), {})
            value = self._check(value, target, where, faults, convert=convert, depth=depth + 1)
            self._open.discard(key)
        if "type" in rules:
            before = len(faults)
            value = self._typed(value, rules, where, faults, convert=convert)
            if len(faults) > before:
                return value
        if "enum" in rules or "const" in rules:
            value = listed(value, rules, where, faults, convert=convert)
        if isinstance(value, str):
            check_text(value, rules, where, faults)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            check_number(value, rules, where, faults)
        elif isinstance(value, list):
            value = self._array(cast("list[Any]", value), rules, where, faults, convert=convert, depth=depth)
        elif isinstance(value, dict):
            value = self._object(cast("dict[str, Any]", value), rules, where, faults, convert=convert, depth=depth)
        if _COMBINING.isdisjoint(rules):
            return value
        return self._combined(value, rules, where, faults, convert=convert, depth=depth)

    def _over(self, faults: list[str]) -> bool:
        """True once enough was tried or found."""
        return self._left < 0 or len(faults) >= _MAX_FAULTS

    def _typed(self, value: Any, rules: dict[str, Any], where: str, faults: list[str], *, convert: bool) -> Any:
        declared = rules["type"]
        actual = kind_of_value(value)
        if actual == declared:
            return value
        kinds = [declared] if isinstance(declared, str) else [str(kind) for kind in sequence(declared)]
        if actual in kinds or (actual == "integer" and "number" in kinds):
            return value
        if actual == "number" and "integer" in kinds and float(value).is_integer():
            return int(value)
        if convert:
            for kind in kinds:
                found = converted(value, kind)
                if found is MISSING and kind == "array" and isinstance(value, str | bool | int | float):
                    found = self._as_list(value, rules)
                if found is not MISSING:
                    return found
        wanted = " or ".join(ARTICLES.get(kind, kind) for kind in kinds)
        several = isinstance(value, str) and "," in value and "array" in kinds and value[:1] not in ("[", "{")
        advice = f" Write [{shown(value)}] for one item, or each item in quotes of its own." if several else ""
        faults.append(f"{where} must be {wanted}, not {shown(value)}.{advice}")
        return value

    def _as_list(self, value: str | bool | int | float, rules: dict[str, Any]) -> Any:
        """A single value as a list, or the values between its commas; `MISSING` where it could mean either.

        Commas separate where the whole is no item and every piece is one: in words they may be words.
        """
        one: list[Any] = [value]
        if not isinstance(value, str) or "," not in value:
            return one
        item = rules.get("items", True)
        if mapping(item).get("type") == "array":
            return MISSING
        pieces: list[Any] = [piece.strip() for piece in value.split(",")]
        whole = not self.tried(value, item, "")[1]
        split = all(pieces) and not any(self.tried(piece, item, "")[1] for piece in pieces)
        return MISSING if whole == split else pieces if split else one

    def _combined(
        self, value: Any, rules: dict[str, Any], where: str, faults: list[str], *, convert: bool, depth: int
    ) -> Any:
        changed, known = False, len(faults)
        for part in sequence(rules.get("allOf")):
            before = value
            value = self._check(value, part, where, faults, convert=convert, depth=depth + 1)
            changed = changed or value is not before
        if convert and changed and len(faults) == known:
            # What one part converted must suit the others too.
            self._check(value, rules, where, faults, convert=False, depth=depth + 1)
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
        if rules.get("uniqueItems") is True and len({identity(entry) for entry in value}) < len(value):
            faults.append(f"{where} must not have the same item twice.")
        first = sequence(rules.get("prefixItems"))
        rest = rules.get("items", True)
        out: list[Any] = []
        for index, entry in enumerate(value):
            if self._over(faults):
                return [*out, *value[index:]]
            rule = first[index] if index < len(first) else rest
            out.append(self._check(entry, rule, f"{where}[{index}]", faults, convert=convert, depth=depth + 1))
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
            schema = properties.get(name, MISSING)
            unset = member is None and convert and schema is not MISSING and name not in required
            if unset and not self.accepts(None, schema):
                # Models in strict modes write null for "not given".
                continue
            label = f"{where}.{name}"
            rules_for = [] if schema is MISSING else [schema]
            rules_for += [other for found, other in patterns if found is not None and found.accepts(name)]
            if not rules_for and "additionalProperties" in rules and not any(found is None for found, _ in patterns):
                if rules["additionalProperties"] is False:
                    faults.append(f"{where} has no field {name!r}; it takes {names(properties)}.")
                    continue
                rules_for = [rules["additionalProperties"]]
            out[name] = member
            for rule in rules_for:
                out[name] = self._check(out[name], rule, label, faults, convert=convert, depth=depth + 1)
        return out
