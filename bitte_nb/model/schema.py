"""What the offline model reads in an argument's JSON Schema: type, form, hints, and which values it can take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from bitte_nb.model.mentions import Kind, kind_of, literal
from bitte_nb.model.words import split_identifier, tokens, vocabulary

__all__ = ["ABSENT", "Slot", "slots_of"]

ABSENT: Any = object()
"""No value: nothing in reach fits."""

_FORMATS: dict[str, frozenset[Kind]] = {
    "uri": frozenset({"url"}),
    "url": frozenset({"url"}),
    "email": frozenset({"email"}),
    "uuid": frozenset({"uuid"}),
    "date": frozenset({"date"}),
    "date-time": frozenset({"datetime", "date"}),
}
_HINTS: dict[Kind, frozenset[str]] = {
    "evm-address": frozenset({"address", "evm", "ethereum", "0x", "hex", "wallet", "contract"}),
    "hex": frozenset({"hex", "hash", "0x", "tx", "data", "signature"}),
    "near-account": frozenset({"account", "near", "accountid"}),
    "url": frozenset({"url", "link", "uri", "href", "website", "site"}),
    "email": frozenset({"email", "mail"}),
    "uuid": frozenset({"uuid", "id", "guid"}),
    "date": frozenset({"date", "day", "since", "until"}),
    "datetime": frozenset({"time", "timestamp", "datetime", "date"}),
    "number": frozenset({"amount", "number", "count", "quantity", "value", "total", "price", "size", "limit", "page"}),
}
"""Words by which a document says what form a text has; forms, not topics."""
_ONE_WORD = vocabulary(
    "id key slug code symbol handle tag username user login name ticker currency hash account sku isbn owner repo"
)
_FORMED = vocabulary("amount quantity price count number no page limit url uri email address date time timestamp hash")
"""Words of names whose values have a form that words have not."""
_SECRET = vocabulary("password passphrase secret authorization apikey credential credentials pin mnemonic")
_GROUP = re.compile(r"\(([^()]*)\)(?=[+*{])")
_REPEATED = re.compile(r"\)[+*{]")
_LONGEST_PATTERN, _LONGEST_CHECKED = 200, 100
_DEPTH = 5


@dataclass(frozen=True)
class Slot:
    """One argument of an operation: where it goes and what its schema says."""

    path: tuple[str, ...]
    """Property names from the arguments down; one name for a flat argument."""
    schema: Mapping[str, Any]
    required: bool

    @property
    def name(self) -> str:
        """The argument's own name."""
        return self.path[-1]

    @property
    def label(self) -> str:
        """The path as a person writes it: `name` or `outer.name`."""
        return ".".join(self.path)

    @cached_property
    def name_words(self) -> list[str]:
        """The pieces of the name, in lower case."""
        return split_identifier(self.name)

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of the name and the description."""
        return frozenset(tokens(" ".join(self.name_words) + " " + str(self.schema.get("description", ""))))

    @cached_property
    def raw_words(self) -> frozenset[str]:
        """The words of the name and the description as they stand, in lower case."""
        text = " ".join(self.name_words) + " " + str(self.schema.get("description", ""))
        return frozenset(re.findall(r"[\w%$€£]+", text.lower()))

    @cached_property
    def types(self) -> frozenset[str]:
        """The JSON types it may have besides null; empty where the schema does not say."""
        declared: Any = self.schema.get("type")
        names = cast("list[Any]", declared) if isinstance(declared, list) else [declared]
        found = {str(name) for name in names if name and name != "null"}
        if not found and self.options:
            found = {"string" for option in self.options if isinstance(option, str)}
        return frozenset(found)

    @cached_property
    def options(self) -> list[Any]:
        """The values of `enum` or `const`, null left out."""
        if "const" in self.schema:
            return [self.schema["const"]]
        options = self.schema.get("enum")
        return [o for o in cast("list[Any]", options) if o is not None] if isinstance(options, list) else []

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """The schema's pattern where it is safe to run: short, with no repeated repetition."""
        source = self.schema.get("pattern")
        if not isinstance(source, str) or len(source) > _LONGEST_PATTERN or not _runs_fast(source):
            return None
        try:
            return re.compile(source)
        except re.error:
            return None

    @cached_property
    def kinds(self) -> frozenset[Kind] | None:
        """The only kinds of thing that its format allows, or None where any may fit."""
        return _FORMATS.get(str(self.schema.get("format", "")))

    @cached_property
    def example_kind(self) -> Kind | None:
        """The kind of thing that its example is."""
        return next((kind for example in self.examples if (kind := kind_of(str(example)))), None)

    @cached_property
    def examples(self) -> list[Any]:
        """What the document gives as examples; never used as a value."""
        found: list[Any] = []
        if "example" in self.schema:
            found.append(self.schema["example"])
        examples = self.schema.get("examples")
        if isinstance(examples, list):
            found += cast("list[Any]", examples)
        return [example for example in found if isinstance(example, str | int | float)]

    @cached_property
    def is_id(self) -> bool:
        """True where the name says that the value identifies something."""
        return bool(self.name_words) and self.name_words[-1] in ("id", "ids", "uuid", "key", "hash")

    @cached_property
    def is_secret(self) -> bool:
        """True where the name says that the value is a credential, which is never taken from loose words."""
        return bool(set(self.name_words) & _SECRET) or "".join(self.name_words) in ("apikey", "accesstoken", "xpayment")

    @cached_property
    def is_one_word(self) -> bool:
        """True where the value has no blanks in it, by the pattern, the examples or the name."""
        texts = [str(example) for example in self.examples]
        if texts:
            return not any(" " in text for text in texts)
        return self.is_id or bool(self.name_words and self.name_words[-1] in _ONE_WORD) or self.pattern is not None

    @cached_property
    def is_plain_text(self) -> bool:
        """True where any words may fit: a string of which no enum, format, name or example says otherwise."""
        words_fit = "string" in self.types and len(self.types) == 1 and not self.options and self.kinds is None
        if not words_fit or self.is_secret or set(self.name_words) & _FORMED:
            return False
        return self.example_kind in (None, "code")

    @cached_property
    def item(self) -> Slot | None:
        """The slot of one item, where this is a list of plain values."""
        items: Any = self.schema.get("items")
        if "array" not in self.types or not isinstance(items, dict):
            return None
        described = {"description": self.schema.get("description", ""), **cast("dict[str, Any]", items)}
        item = Slot((*self.path[:-1], self.name.removesuffix("s")), described, self.required)
        return item if item.types and not item.types & {"object", "array"} else None

    def hinted(self, kind: Kind) -> bool:
        """True where the name, description or example says that a thing of this kind belongs here."""
        words = frozenset(self.name_words) if kind == "number" else self.raw_words
        return self.example_kind == kind or bool(_HINTS.get(kind, frozenset()) & words)

    def read(self, raw: str) -> Any:
        """The value that a person typed for this slot, or `ABSENT`; digits for a text slot stay as they were typed."""
        if "string" in self.types and not self.types & {"integer", "number"}:
            quoted = len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "\"'"
            return self.coerce(literal(raw) if quoted else raw.rstrip(".!?") or raw)
        return self.coerce(literal(raw))

    def coerce(self, value: Any) -> Any:
        """The value in the slot's type, or `ABSENT` where it does not fit; nothing is rounded or guessed."""
        if self.options:
            return next((o for o in self.options if o == value or str(o).lower() == str(value).lower()), ABSENT)
        if not self.types:
            return value
        for name in ("integer", "number", "boolean", "array", "object", "string"):
            if name in self.types and (fitted := _cast(value, name)) is not ABSENT:
                return fitted if self._within(fitted) else ABSENT
        return ABSENT

    def _within(self, value: Any) -> bool:
        if isinstance(value, int | float) and not isinstance(value, bool):
            low, high = self.schema.get("minimum"), self.schema.get("maximum")
            too_low = isinstance(low, int | float) and value < low
            return not (too_low or (isinstance(high, int | float) and value > high))
        if isinstance(value, str):
            if (longest := self.schema.get("maxLength")) is not None and len(value) > longest:
                return False
            return self.pattern is None or len(value) > _LONGEST_CHECKED or self.pattern.search(value) is not None
        return True


def _runs_fast(pattern: str) -> bool:
    """False where a repeated group holds a choice, a repetition or another group: a document may be hostile."""
    bare = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", re.sub(r"\{\d+\}", "", pattern))
    groups = _GROUP.findall(bare)
    return len(groups) == len(_REPEATED.findall(bare)) and not any(re.search(r"[|+*?{]", group) for group in groups)


def _cast(value: Any, name: str) -> Any:
    match name:
        case "integer" | "number":
            if isinstance(value, bool):
                return ABSENT
            if isinstance(value, str) and re.fullmatch(r"[-+]?\d{1,30}(?:\.\d{1,30})?", value):
                value = float(value) if "." in value else int(value)
            if isinstance(value, float) and value.is_integer() and name == "integer":
                return int(value)
            fits = isinstance(value, int) or (isinstance(value, float) and name == "number")
            return value if fits else ABSENT
        case "boolean":
            if isinstance(value, bool):
                return value
            return {"true": True, "yes": True, "false": False, "no": False}.get(str(value).lower(), ABSENT)
        case "array":
            return cast("list[Any]", value) if isinstance(value, list) else ABSENT
        case "object":
            return cast("dict[str, Any]", value) if isinstance(value, dict) else ABSENT
        case _:
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                return ABSENT
            return str(value)


def slots_of(schema: Mapping[str, Any]) -> list[Slot]:
    """The arguments of an object schema in its order, the fields of required nested objects in their place."""
    definitions = cast("dict[str, Any]", schema.get("$defs") or {})
    return _walk(_resolve(schema, definitions, _DEPTH), definitions, (), True, _DEPTH)


def _walk(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], path: tuple[str, ...], required: bool, depth: int
) -> list[Slot]:
    properties = cast("dict[str, Any]", schema.get("properties") or {})
    needed = {str(name) for name in cast("list[Any]", schema.get("required") or [])}
    slots: list[Slot] = []
    for name, raw in properties.items():
        inner = _resolve(cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}, definitions, _DEPTH)
        slot = Slot((*path, name), inner, required and name in needed)
        nested = _walk(inner, definitions, slot.path, slot.required, depth - 1) if depth > 1 else []
        slots += nested if nested and slot.required else [slot]
    return slots


def _resolve(schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int) -> dict[str, Any]:
    """Follow `$ref`s into `$defs`, merge `allOf`, and take the first alternative that is not null."""
    merged = dict(schema)
    if depth == 0:
        return merged
    reference = merged.pop("$ref", None)
    if isinstance(reference, str):
        target = definitions.get(reference.removeprefix("#/$defs/"))
        if isinstance(target, dict):
            merged = {**_resolve(cast("dict[str, Any]", target), definitions, depth - 1), **merged}
    for part in cast("list[Any]", merged.pop("allOf", None) or []):
        if isinstance(part, dict):
            other = _resolve(cast("dict[str, Any]", part), definitions, depth - 1)
            properties = {**merged.get("properties", {}), **other.get("properties", {})}
            required = [*merged.get("required", []), *other.get("required", [])]
            merged = {**other, **merged}
            if properties:
                merged["properties"] = properties
            if required:
                merged["required"] = required
    for key in ("anyOf", "oneOf"):
        alternatives = cast("list[Any]", merged.get(key) or [])
        usable = [cast("dict[str, Any]", a) for a in alternatives if isinstance(a, dict) and a != {"type": "null"}]
        if usable and "type" not in merged and "properties" not in merged:
            merged = {**_resolve(usable[0], definitions, depth - 1), **merged}
    return merged
