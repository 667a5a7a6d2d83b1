"""Things a message names: addresses, accounts, links, numbers with units, quoted texts, `name=value` pairs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Kind", "Mention", "kind_of", "literal", "mentions", "pairs"]

Kind = Literal[
    "json",
    "quoted",
    "url",
    "email",
    "uuid",
    "datetime",
    "date",
    "evm-address",
    "hex",
    "near-account",
    "code",
    "number",
    "name",
]

_COUNTED = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_BEFORE, _AFTER = r"(?<![\w.@/:-])", r"(?![\w@/-]|\.\w)"
_FORMS: list[tuple[Kind, re.Pattern[str]]] = [
    (
        "quoted",
        re.compile(
            r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|`([^`]+)`|(?<!\w)'([^']+(?:'\w+[^']*)*)'(?!\w)|(?<!\w)\u2018([^\u2019]+)\u2019"
        ),
    ),
    ("url", re.compile(r"\b(?:https?|wss?|ipfs)://[^\s<>\"'`]+[^\s<>\"'`.,;:!?)\]]")),
    ("email", re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("uuid", re.compile(_BEFORE + r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}" + _AFTER)),
    ("datetime", re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")),
    ("date", re.compile(r"\b\d{4}-\d\d-\d\d\b")),
    ("evm-address", re.compile(r"\b0x[0-9a-fA-F]{40}\b")),
    ("hex", re.compile(r"\b0x[0-9a-fA-F]+\b")),
    ("near-account", re.compile(_BEFORE + r"(?:[a-z0-9]+(?:[_-][a-z0-9]+)*\.)+(?:near|testnet|tg)\b(?!\.\w)")),
    ("near-account", re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{64}(?![0-9a-zA-Z])")),
    (
        "code",
        re.compile(
            _BEFORE + r"(?=[A-Za-z0-9_-]{1,100}(?![A-Za-z0-9_-]))(?=[A-Za-z_-]*\d)"
            r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*" + _AFTER
        ),
    ),
    ("number", re.compile(r"(?<![\w.-])(?<![.-][-+])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w]*\d|\.\d)")),
    ("number", re.compile(rf"\b(?:{'|'.join(_COUNTED)})\b", re.IGNORECASE)),
    ("name", re.compile(r"(?<![\w])[A-Z][\w'\u2019&.-]*(?:\s+(?:(?:of|de|la)\s+)?[A-Z][\w'\u2019&.-]*)*")),
]
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(_COUNTED, start=2)}
_UNIT = re.compile(r"\s?([A-Za-z%$€£°][A-Za-z%$€£°]*)")
_CURRENCY = re.compile(r"([$€£])\s?$")
_OPENING = re.compile(r"[\[{]")
_JSON_ATTEMPTS = 50
_PAIR = re.compile(
    r"(?<![\w.-])([A-Za-z_][\w.\[\]-]*)\s*(?:=|:(?!//))\s*"
    r"(\"(?:[^\"\\]|\\.)*\"|'[^']*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]|[^\s,;\"'{}\[\]]+)"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing that the text names."""

    kind: Kind
    text: str
    """As it stands in the text, quotes taken off."""
    start: int
    end: int
    unit: str = ""
    """The word right after a number, or the currency sign before it, in lower case."""

    @property
    def typed(self) -> str:
        """The text; a number in digits, without grouping commas."""
        if self.kind != "number":
            return self.text
        return _NUMBER_WORDS.get(self.text.lower(), self.text.replace(",", ""))


def mentions(text: str) -> list[Mention]:
    """Everything that the text names, in order, nothing inside another mention."""
    found: list[Mention] = []
    taken: list[tuple[int, int]] = []

    def free(start: int, end: int) -> bool:
        return all(end <= one or start >= other for one, other in taken)

    for start, end in _json_spans(text):
        found.append(Mention("json", text[start:end], start, end))
        taken.append((start, end))
    for kind, form in _FORMS:
        for match in form.finditer(text):
            start, end = match.span()
            if not free(start, end):
                continue
            inner = (
                next((group for group in match.groups() if group), match.group()) if kind == "quoted" else match.group()
            )
            if kind == "name":
                inner = inner.rstrip(".'\u2019&-")
                end = start + len(inner)
            found.append(Mention(kind, inner, start, end, _unit(text, start, end) if kind == "number" else ""))
            taken.append((start, end))
    return sorted(found, key=lambda mention: mention.start)


def pairs(text: str) -> list[tuple[str, str, int, int]]:
    """`name=value` and `name: value` as name, value as typed (quotes kept), start and end."""
    closed = [(m.start, m.end) for m in mentions(text) if m.kind in ("url", "json", "quoted")]
    return [
        (m.group(1), m.group(2), m.start(), m.end())
        for m in _PAIR.finditer(text)
        if not any(start <= m.start(1) < end for start, end in closed)
    ]


def literal(raw: str) -> Any:
    """Read the value that a person typed: JSON where it is JSON, a single-quoted text, else the text as it stands."""
    if len(raw) >= 2 and raw[0] == raw[-1] == "'":
        return raw[1:-1]
    bare = raw if raw[:1] in ('"', "{", "[") else raw.rstrip(".!?")
    try:
        return json.loads(bare)
    except (ValueError, RecursionError):
        return bare


def kind_of(text: str) -> Kind | None:
    """The kind of the thing that the whole text is, or None."""
    stripped = text.strip()
    for kind, form in _FORMS:
        if kind not in ("quoted", "name") and form.fullmatch(stripped):
            return kind
    return None


def _unit(text: str, start: int, end: int) -> str:
    if sign := _CURRENCY.search(text[:start]):
        return sign.group(1)
    match = _UNIT.match(text, end)
    return match.group(1).lower() if match else ""


def _json_spans(text: str) -> list[tuple[int, int]]:
    decoder = json.JSONDecoder()
    spans: list[tuple[int, int]] = []
    at = 0
    for _attempt in range(_JSON_ATTEMPTS):
        match = _OPENING.search(text, at)
        if match is None:
            break
        try:
            _, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at = match.end()
            continue
        spans.append((match.start(), end))
        at = end
    return spans
