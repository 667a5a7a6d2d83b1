"""Filling an operation's arguments from what a person said, the wallet context, earlier results and the schema.

Every value comes from one of those four; none is made up. Rules are about form, none about a domain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from bitte_nb.core.tool import Tool
from bitte_nb.core.wallet import Wallet
from bitte_nb.model.mentions import Mention, mentions, pairs
from bitte_nb.model.schema import ABSENT, Slot, slots_of
from bitte_nb.model.words import ACTIONS, EMPTY, split_identifier, stem, tokens, vocabulary

__all__ = ["Filling", "Outcome", "Said", "fill"]

_ROLES = {
    "to": vocabulary("to receiver recipient destination dest target beneficiary payee"),
    "from": vocabulary("from sender source origin"),
}
"""Prepositions and the words by which argument names say the same."""
_PARTIES = _ROLES["to"] | vocabulary("contract token spender owner operator collection mint")
_SAYING = re.compile(
    r"\b(?:saying|(?:that|which) (?:says|reads)|reading|with (?:the )?(?:text|message|content|body|words)"
    r"|titled|entitled|called|named)\b[:,]?\s+(?P<rest>.+)|:\s+(?P<colon>.+)",
    re.IGNORECASE | re.DOTALL,
)
_REFERRING = re.compile(r"\b(?:it|this|these|those|them)\b|\bthat(?=\s*(?:$|[.,;!?]|to\b|with\b|on\b))", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|i'm|our|we)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\s,;!?\"“”]+")
_ACT = frozenset(verb for verbs in ACTIONS.values() for verb in verbs)
_COUNTING = vocabulary("limit count number quantity times size n top first max amount per")
_NEEDED = 2.5
"""Evidence that an optional argument must have before it is filled."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A call that has a result."""

    name: str
    args: Mapping[str, Any]
    data: Any = None
    error: str | None = None
    current: bool = True
    """False where an earlier turn made the call."""


@dataclass(frozen=True)
class Said:
    """A text with the things that it names, read once and matched with many operations."""

    text: str
    mentions: list[Mention]
    pairs: list[tuple[str, str, int, int]]

    @classmethod
    def read(cls, text: str) -> Said:
        """Read a message; only its first 8,000 characters are looked at."""
        text = text[:8000]
        return cls(text, _without_sentence_heads(text, mentions(text)), pairs(text))

    @property
    def first_person(self) -> bool:
        """True where the person speaks of themselves."""
        return _FIRST_PERSON.search(self.text) is not None

    @property
    def refers(self) -> bool:
        """True where a word such as `it` or `this` points at something said before."""
        return _REFERRING.search(self.text) is not None


@dataclass(slots=True)
class Filling:
    """What is known of an operation's arguments."""

    args: dict[str, Any] = field(default_factory=dict[str, Any])
    missing: tuple[str, ...] = ()
    """Required arguments that nothing in reach gives; a nested one as `outer.name`."""
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Parts of the text that became values."""
    evidence: float = 0.0
    """How well typed things of the text fit; a bare guess adds nothing."""
    loose: int = 0
    """Addresses, accounts, links and numbers of the text that no argument takes."""


def fill(
    tool: Tool, said: Said, *, wallet: Wallet, outcomes: Sequence[Outcome] = (), known: frozenset[str] = frozenset()
) -> Filling:
    """Fill a tool's arguments; `known` are the stems of the text that name the operation itself."""
    return _Filler(tool, said, wallet, outcomes, known).run()


class _Filler:
    def __init__(
        self, tool: Tool, said: Said, wallet: Wallet, outcomes: Sequence[Outcome], known: frozenset[str]
    ) -> None:
        self.tool, self.said, self.wallet, self.outcomes, self.known = tool, said, wallet, outcomes, known
        self.slots = slots_of(tool.input_schema)
        self.values: dict[tuple[str, ...], Any] = {}
        self.filling = Filling()

    def run(self) -> Filling:
        self._from_pairs()
        self._from_options()
        self._from_mentions()
        self._from_flags()
        self._from_words()
        self._from_context()
        self._from_outcomes()
        self._from_schema()
        for path, value in self.values.items():
            _put(self.filling.args, path, value)
        self.filling.missing = tuple(
            slot.label for slot in self.slots if slot.required and slot.path not in self.values
        )
        typed = [m for m in self.said.mentions if m.kind not in ("name", "json", "quoted")]
        self.filling.loose = sum(1 for m in typed if not self._taken(m.start, m.end) and not self._counts(m))
        return self.filling

    # -- bookkeeping

    def _open(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.path not in self.values]

    def _taken(self, start: int, end: int) -> bool:
        return any(start < other and end > one for one, other in self.filling.spans)

    def _set(self, slot: Slot, value: Any, span: tuple[int, int] | None, evidence: float) -> None:
        self.values[slot.path] = value
        self.filling.evidence += evidence
        if span is not None:
            self.filling.spans.append(span)

    def _counts(self, mention: Mention) -> bool:
        """True for the number of things that the operation itself is about, as in `three coins`."""
        return mention.kind == "number" and (mention.unit == "times" or stem(mention.unit) in self.known)

    # -- sources, the surest first

    def _from_pairs(self) -> None:
        """`name=value` and `name: value`."""
        for name, raw, start, end in self.said.pairs:
            for slot in self._open():
                if _same_name(name, slot) and not self._taken(start, end):
                    prose = self.said.text[start:end].split(raw)[0].rstrip().endswith(":") and not slot.is_one_word
                    if prose and slot.is_plain_text and raw[0] not in "\"'":
                        continue
                    if (value := slot.read(raw)) is not ABSENT:
                        self._set(slot, value, (start, end), 3.0)
                        break

    def _from_options(self) -> None:
        """Enum values that stand in the text."""
        for slot in self._open():
            item = _item(slot)
            found: list[tuple[int, int, Any]] = []
            for option in (item or slot).options:
                if not isinstance(option, str) or len(option) < 2:
                    continue
                loose = r"[\s_-]*".join(map(re.escape, split_identifier(option) or [option]))
                if match := re.search(rf"(?<![\w.]){loose}s?(?![\w]|\.\w)", self.said.text, re.IGNORECASE):
                    found.append((match.start(), match.end(), option))
            found = [one for one in found if not any(other != one and _inside(one, other) for other in found)]
            if item and found:
                self._set(slot, [option for _, _, option in sorted(found)], None, 2.0)
            elif len(found) == 1:
                start, end, option = found[0]
                self._set(slot, option, (start, end) if not self._taken(start, end) else None, 2.0)

    def _from_mentions(self) -> None:
        """Typed things of the text, each to the argument that it fits best."""
        offers: list[tuple[float, int, int, Slot, Mention, Any]] = []
        for order, slot in enumerate(self._open()):
            item = _item(slot)
            if item is not None:
                continue
            for mention in self.said.mentions:
                if self._taken(mention.start, mention.end):
                    continue
                score, value = self._fit(slot, mention)
                if value is not ABSENT and score > 0 and (slot.required or score >= _NEEDED):
                    offers.append((-score, order, mention.start, slot, mention, value))
        for negative, _, _, slot, mention, value in sorted(offers, key=lambda offer: offer[:3]):
            if slot.path in self.values or self._taken(mention.start, mention.end):
                continue
            self._set(slot, value, (mention.start, mention.end), min(-negative, 4.0))
        for slot in self._open():
            if (item := _item(slot)) is not None:
                self._list_of(slot, item)

    def _list_of(self, slot: Slot, item: Slot) -> None:
        values: list[Any] = []
        for mention in self.said.mentions:
            if self._taken(mention.start, mention.end):
                continue
            if mention.kind == "json":
                whole = slot.coerce(_parsed(mention))
                if whole is not ABSENT:
                    self._set(slot, whole, (mention.start, mention.end), 2.0)
                    return
                continue
            score, value = self._fit(item, mention)
            if value is not ABSENT and (score >= _NEEDED or (slot.required and score >= 1.0)):
                values.append(value)
                self.filling.spans.append((mention.start, mention.end))
        if values:
            self._set(slot, values, None, 2.0)

    def _fit(self, slot: Slot, mention: Mention) -> tuple[float, Any]:
        if mention.kind == "json":
            value = slot.coerce(_parsed(mention)) if slot.types & {"object", "array"} else ABSENT
            return (2.0 if value is not ABSENT else 0.0), value
        value = slot.read(mention.typed) if mention.kind != "quoted" else slot.coerce(mention.text)
        if value is ABSENT or slot.types & {"boolean", "object", "array"}:
            return 0.0, ABSENT
        score = self._base(slot, mention)
        if score <= 0:
            return 0.0, ABSENT
        before = self.said.text[: mention.start].lower()
        for preposition, names in _ROLES.items():
            if re.search(rf"\b{preposition}\s+(?:the\s+|account\s+|address\s+)?$", before):
                score += 3.0 if names & set(slot.name_words) or stem_hits(names, slot) else -0.5
        if _beside(slot, before):
            score += 4.0
        return score + (0.5 if slot.required else 0.0), value

    def _base(self, slot: Slot, mention: Mention) -> float:
        kind = mention.kind
        if slot.kinds is not None:
            return 4.0 if kind in slot.kinds else 0.0
        if slot.types & {"integer", "number"}:
            if kind != "number":
                return 0.0
            return 2.0 + self._unit_fit(slot, mention)
        if kind == "quoted":
            return 3.0 if not slot.is_id else 2.0
        if slot.example_kind is not None and slot.example_kind != kind and kind not in ("name", "hex"):
            return 0.0
        known_form = slot.hinted(kind) or (slot.pattern is not None and kind != "name")
        if kind == "number":
            unit = self._unit_fit(slot, mention)
            return (2.5 + unit) if known_form or unit > 0 else (1.0 if slot.is_id else 0.0)
        if kind == "name":
            return 1.0 if slot.required and slot.is_plain_text and not slot.is_id and slot.pattern is None else 0.0
        if known_form:
            return 3.0
        return 1.0 if slot.required and (slot.is_id or slot.is_one_word) else 0.0

    def _unit_fit(self, slot: Slot, mention: Mention) -> float:
        if not mention.unit:
            return 0.0
        unit = stem(mention.unit)
        if mention.unit in slot.raw_words or unit in slot.words:
            return 3.0
        if unit in self.known and _COUNTING & set(slot.name_words):
            return 3.0
        return -0.5

    def _from_flags(self) -> None:
        """Booleans whose whole name stands in the text."""
        said = set(tokens(self.said.text))
        for slot in self._open():
            names = {stem(word) for word in slot.name_words} - EMPTY
            if "boolean" in slot.types and names and names <= said and not names <= self.known:
                negated = re.search(
                    rf"\b(?:not|no|without|never)\s+(?:\w+\s+)?{re.escape(slot.name_words[0])}", self.said.text, re.I
                )
                self._set(slot, negated is None, None, 1.0)

    def _from_words(self) -> None:
        """Words after the argument's own name, after `saying` and the like, or left over by the operation's words."""
        for slot in self._open():
            if slot.is_plain_text and (match := self._after_name(slot)):
                self._take(slot, *match, evidence=2.0)
        wanted = [slot for slot in self._open() if slot.required and slot.is_plain_text]
        if len(wanted) != 1:
            return
        slot = wanted[0]
        if not slot.is_one_word and (match := _SAYING.search(self.said.text)):
            group = "rest" if match.group("rest") else "colon"
            if not self._taken(*match.span(group)) and self._take(slot, *match.span(group), evidence=2.0):
                return
        if self.said.refers:
            return
        if (span := self._leftover(slot)) is not None:
            self._take(slot, *span, evidence=0.5)

    def _after_name(self, slot: Slot) -> tuple[int, int] | None:
        words = slot.name_words[:-1] if slot.is_id and len(slot.name_words) > 1 else slot.name_words
        name = r"[\s_-]*".join(map(re.escape, words))
        match = re.search(
            rf"\b{name}\b(?:\s+(?:id|is|of|as|named|called))?[:\s]+(?:the\s+)?(?=\S)", self.said.text, re.I
        )
        if match is None:
            return None
        rest = self.said.text[match.end() :]
        if slot.is_one_word:
            word = _WORD.match(rest)
            if word is None or word.group().lower().strip(".") in EMPTY | _ACT:
                return None
            if slot.is_id and not re.search(r"\d|[_-]", word.group()):
                return None
            return match.end(), match.end() + len(word.group().rstrip("."))
        explicit = ":" in match.group() or re.search(r"\b(?:is|as|named|called)\s+$", match.group(), re.I)
        stop = re.search(r"[.;]\s|[.;]?$|,\s*(?=\w+\s*(?:=|:))", rest)
        end = match.end() + (stop.start() if stop else len(rest))
        return (match.end(), end) if explicit else None

    def _leftover(self, slot: Slot) -> tuple[int, int] | None:
        """The one stretch of words that neither names the operation nor is a value of another argument."""
        runs: list[list[tuple[int, int]]] = []
        open_run = False
        last_known = 0
        for match in _WORD.finditer(self.said.text):
            stems = set(tokens(match.group()))
            bare = match.group().lower().strip(".'\u2019:")
            if self._taken(*match.span()):
                open_run = False
            elif stems & self.known or (bare in _ACT and match.start() == 0):
                last_known, open_run = match.end(), False
            elif not stems or bare in _ACT - {"set"}:
                open_run = open_run and not slot.is_one_word
                if open_run:
                    runs[-1].append(match.span())
            elif open_run:
                runs[-1].append(match.span())
            else:
                runs.append([match.span()])
                open_run = True
        if len(runs) != 1:
            return None
        start, end = runs[0][0][0], runs[0][-1][1]
        text = self.said.text[start:end].rstrip(" .!?")
        words = text.split()
        while words and words[-1].lower() in EMPTY and slot.is_one_word:
            words.pop()
        if slot.is_one_word and len(words) != 1:
            return None
        if slot.is_id and not re.search(r"\d|[_.-]\w", text):
            return None
        if self.tool.method not in ("GET", "HEAD", "") and start < last_known:
            return None
        return start, start + len(text)

    def _take(self, slot: Slot, start: int, end: int, *, evidence: float) -> bool:
        text = self.said.text[start:end].strip()
        if len(text) >= 2 and text[0] + text[-1] in ('""', "''", "“”", "``", "«»", "\u2018\u2019"):
            text = text[1:-1]
        elif text.endswith((".", "!", "?")) and not text.endswith("...") and slot.is_one_word:
            text = text[:-1]
        value = slot.read(text) if text and slot.is_one_word else slot.coerce(text) if text else ABSENT
        if value is ABSENT:
            return False
        self._set(slot, value, (start, end), evidence)
        return True

    def _from_context(self) -> None:
        """The wallet, for arguments that by their names mean the person's own account or chain."""
        for slot in self._open():
            value = self._own(slot)
            if value is not None and (fitted := slot.coerce(value)) is not ABSENT:
                self._set(slot, fitted, None, 0.0)

    def _own(self, slot: Slot) -> Any:
        words = set(slot.name_words)
        wallet = self.wallet
        if words & _PARTIES:
            to_me = re.search(
                r"\bto\s+(?:me|myself|my\s+(?:own\s+)?(?:account|wallet|address))\b", self.said.text, re.I
            )
            if not (to_me and words & _ROLES["to"]):
                return None
            return (
                wallet.evm_address
                if slot.hinted("evm-address") and not slot.hinted("near-account")
                else wallet.account_id
            )
        joined = "".join(slot.name_words)
        if joined in ("chainid", "evmchainid"):
            return wallet.chain_id
        wanted = slot.required or self.said.first_person
        if joined in ("evmaddress", "useraddress", "walletaddress", "evmaccount", "fromaddress", "owneraddress"):
            near = slot.hinted("near-account") and not slot.raw_words & {"evm", "ethereum", "0x"}
            return (wallet.account_id if near and joined != "evmaddress" else wallet.evm_address) if wanted else None
        if joined in ("accountid", "account", "signerid", "nearaccountid", "nearaccount", "nearid", "useraccountid"):
            return wallet.account_id if wanted else None
        if joined in ("address", "sender", "senderaddress", "from", "user", "userid", "wallet") and wanted:
            if slot.required and not (
                self.said.first_person or slot.raw_words & {"user", "user's", "connected", "your"}
            ):
                return None
            if slot.raw_words & {"evm", "ethereum", "0x"} or slot.example_kind == "evm-address":
                return wallet.evm_address
            return wallet.account_id if slot.hinted("near-account") else None
        return None

    def _from_outcomes(self) -> None:
        """Fields of earlier results with the argument's name; earlier turns only where the text points back."""
        usable = [o for o in reversed(self.outcomes) if o.error is None and (o.current or self.said.refers)]
        for slot in self._open():
            if not slot.required:
                continue
            for outcome in usable:
                found = {repr(value): value for value in _named(outcome.data, slot, outcome.name)}
                if len(found) == 1:
                    value = slot.coerce(next(iter(found.values())))
                    if value is not ABSENT:
                        self._set(slot, value, None, 0.0)
                    break

    def _from_schema(self) -> None:
        """The schema's own default, or its only allowed value, for arguments that must be there."""
        for slot in self._open():
            if slot.required and "default" in slot.schema:
                self._set(slot, slot.schema["default"], None, 0.0)
            elif slot.required and len(slot.options) == 1:
                self._set(slot, slot.options[0], None, 0.0)


def stem_hits(names: frozenset[str], slot: Slot) -> bool:
    """True where the description says one of the role's words."""
    return bool({stem(name) for name in names if len(name) > 4} & slot.words)


def _beside(slot: Slot, before: str) -> bool:
    """True where the text right before ends in the argument's own name."""
    words = slot.name_words
    heads = [words] + ([words[:-1]] if slot.is_id and len(words) > 1 else [])
    names = [r"[\s_-]*".join(map(re.escape, head)) for head in heads if head]
    return any(re.search(rf"\b{name}\s*(?:id|is|of|=|:|#|number)?\s*$", before) for name in names)


def _same_name(written: str, slot: Slot) -> bool:
    def flat(name: str) -> str:
        return re.sub(r"[^a-z0-9]", "", name.lower())

    return flat(written) in (flat(slot.name), flat(slot.label))


def _item(slot: Slot) -> Slot | None:
    """The slot of one item where the slot is a list of plain values."""
    items: Any = slot.schema.get("items")
    if "array" not in slot.types or not isinstance(items, dict):
        return None
    schema = cast("dict[str, Any]", items)
    singular = slot.name.removesuffix("s")
    described = {"description": slot.schema.get("description", ""), **schema}
    item = Slot((*slot.path[:-1], singular), described, slot.required)
    return item if item.types and not item.types & {"object", "array"} else None


def _inside(one: tuple[int, int, Any], other: tuple[int, int, Any]) -> bool:
    return other[0] <= one[0] and one[1] <= other[1] and (other[1] - other[0]) > (one[1] - one[0])


def _parsed(mention: Mention) -> Any:
    return json.loads(mention.text)


def _put(target: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        target = target.setdefault(name, {})
    target[path[-1]] = value


def _named(data: Any, slot: Slot, tool: str, *, depth: int = 4, inside: str = "") -> list[Any]:
    """Values in a result whose key is the argument's name, or `id` in the thing that the name speaks of."""
    found: list[Any] = []
    if depth == 0:
        return found
    if isinstance(data, list):
        for item in cast("list[Any]", data)[:100]:
            found += _named(item, slot, tool, depth=depth - 1, inside=inside)
    elif isinstance(data, dict):
        for key, value in cast("dict[str, Any]", data).items():
            scalar = isinstance(value, str | int | float) and not isinstance(value, bool)
            thing = {stem(word) for word in slot.name_words[:-1]}
            about = {stem(word) for word in split_identifier(tool) + split_identifier(inside)}
            owns = slot.is_id and key == slot.name_words[-1] and bool(thing & about or not thing)
            if scalar and (_same_name(key, slot) or owns):
                found.append(value)
            elif not scalar:
                found += _named(value, slot, tool, depth=depth - 1, inside=key)
    return found


def _without_sentence_heads(text: str, found: list[Mention]) -> list[Mention]:
    """Drop capitals that only begin a sentence, and the units of numbers."""
    kept: list[Mention] = []
    for mention in found:
        if mention.kind == "name":
            start, words = mention.start, mention.text
            heads = start == 0 or text[:start].rstrip()[-1:] in ".!?;:"
            first, _, rest = words.partition(" ")
            if first.lower() in EMPTY | _ACT or heads:
                if not rest:
                    continue
                shift = len(words) - len(rest.lstrip())
                kept.append(Mention("name", rest.lstrip(), start + shift, mention.end))
                continue
            units = [m for m in found if m.kind == "number" and 0 <= mention.start - m.end <= 1]
            if any(m.unit == mention.text.lower() for m in units):
                continue
        kept.append(mention)
    return kept
