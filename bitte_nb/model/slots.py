"""Filling an operation's arguments from what a person said, the wallet context, earlier results and the schema.

Every value comes from one of those four; none is made up. Rules are about form, none about a domain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bitte_nb.core.tool import Tool
from bitte_nb.core.wallet import Wallet
from bitte_nb.model.context import from_outcomes, from_wallet, same_name
from bitte_nb.model.fitting import fit
from bitte_nb.model.freetext import after_name, after_saying, left_over
from bitte_nb.model.mentions import Mention
from bitte_nb.model.said import VERBS, Outcome, Said
from bitte_nb.model.schema import ABSENT, Slot, slots_of
from bitte_nb.model.words import EMPTY, split_identifier, stem, tokens

__all__ = ["MOST_PARALLEL", "Filling", "fill"]

MOST_PARALLEL = 5
"""The most calls that `five coins` may mean at once; a larger number is asked about."""
_NEEDED = 2.5
"""Evidence that an optional argument must have before it is filled."""
_SEARCHED = ("q", "query", "search", "searchtext", "search_text", "searchterm", "term", "text", "keyword", "keywords")
"""Names of arguments that take the words of a search, needed or not."""
_CONTENT = ("content", "text", "message", "body", "note", "comment", "description")
"""Names of arguments that take what follows `saying`, needed or not."""
_SOFT = ("name", "json", "code")
"""Kinds of mention that need no argument to take them."""


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
    units: set[str] = field(default_factory=set[str])
    """Stems of the units of numbers that became values."""
    loose: int = 0
    """Quotes, addresses, accounts, links and numbers that no argument takes, and numbers in a strange unit."""


def fill(
    tool: Tool,
    said: Said,
    *,
    wallet: Wallet,
    outcomes: Sequence[Outcome] = (),
    known: frozenset[str] = frozenset(),
    names: Callable[[str], bool] = lambda _: False,
) -> Filling:
    """Fill a tool's arguments.

    Args:
        tool: Whose arguments.
        said: What the person said.
        wallet: Who the person is.
        outcomes: Earlier results of the conversation, oldest first.
        known: The stems of the text that name the operation itself.
        names: Whether a stem is part of some operation's id, so that it is no value when it only happens to remain.
    """
    filler = _Filler(tool, said, known, names)
    filler.from_pairs()
    filler.from_options()
    filler.from_saying()
    filler.from_mentions()
    filler.from_flags()
    filler.from_words()
    filler.from_context(wallet, outcomes)
    filler.from_schema()
    return filler.result()


class _Filler:
    """Works through the sources, the surest first; a filled slot stays as it is."""

    def __init__(self, tool: Tool, said: Said, known: frozenset[str], names: Callable[[str], bool]) -> None:
        self.tool, self.said, self.known, self.names = tool, said, known, names
        self.slots = slots_of(tool.input_schema)
        self.values: dict[tuple[str, ...], Any] = {}
        self.filling = Filling()

    def result(self) -> Filling:
        filling = self.filling
        for path, value in self.values.items():
            _put(filling.args, path, value)
        filling.missing = tuple(slot.label for slot in self.slots if slot.required and slot.path not in self.values)
        if (said := after_saying(self.said.text, lambda start, end: False)) and not self._taken(*said):
            filling.loose += 1
        typed = [mention for mention in self.said.mentions if mention.kind not in _SOFT]
        filling.loose += sum(1 for one in typed if not self._taken(one.start, one.end) and not self._counts(one))
        return filling

    def _open(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.path not in self.values]

    def _taken(self, start: int, end: int) -> bool:
        return any(start < other and end > one for one, other in self.filling.spans)

    def _free(self) -> list[Mention]:
        return [mention for mention in self.said.mentions if not self._taken(mention.start, mention.end)]

    def _counts(self, mention: Mention) -> bool:
        """True for a small number of things that the operation itself is about, as in `three coins`."""
        if mention.kind != "number" or not mention.typed.isdigit() or int(mention.typed) > MOST_PARALLEL:
            return False
        return mention.unit == "times" or stem(mention.unit) in self.known

    def _measure(self, slot: Slot, mention: Mention) -> None:
        """Note the unit of a number; one that the argument does not speak of leaves the number in doubt."""
        if not mention.unit or mention.unit in EMPTY or mention.unit in VERBS:
            return
        unit = stem(mention.unit)
        if mention.unit in slot.raw_words or unit in slot.words or unit in self.known:
            self.filling.units.add(unit)
        elif not slot.is_id:
            self.filling.loose += 1

    def _set(self, slot: Slot, value: Any, span: tuple[int, int] | None, evidence: float) -> None:
        self.values[slot.path] = value
        self.filling.evidence += evidence
        if span is not None:
            self.filling.spans.append(span)

    def from_pairs(self) -> None:
        """`name=value` and `name: value`."""
        for name, raw, start, end in self.said.pairs:
            for slot in self._open():
                if not same_name(name, slot) or self._taken(start, end):
                    continue
                colon = self.said.text[start:end].removesuffix(raw).rstrip().endswith(":")
                prose = colon and slot.is_plain_text and not slot.is_one_word and raw[0] not in "\"'"
                if not prose and (value := slot.read(raw)) is not ABSENT:
                    self._set(slot, value, (start, end), 3.0)
                    break

    def from_options(self) -> None:
        """Enum values that stand in the text."""
        for slot in self._open():
            item = slot.item
            found: list[tuple[int, int, Any]] = []
            for option in (item or slot).options:
                if not isinstance(option, str) or len(option) < 2:
                    continue
                if not slot.required and set(tokens(option)) <= self.known:
                    continue  # the operation's own words choose nothing inside it
                loose = r"[\s_-]*".join(map(re.escape, split_identifier(option) or [option]))
                if match := re.search(rf"(?<![\w.]){loose}s?(?![\w]|\.\w)", self.said.text, re.IGNORECASE):
                    found.append((match.start(), match.end(), option))
            found = [one for one in found if not any(_inside(one, other) for other in found)]
            if item and found:
                self._set(slot, [option for _, _, option in sorted(found)], None, 2.0)
                self.filling.spans += [(start, end) for start, end, _ in found]
            elif len(found) == 1:
                start, end, option = found[0]
                self._set(slot, option, None if self._taken(start, end) else (start, end), 2.0)

    def from_saying(self) -> None:
        """What follows `saying`, where the operation wants nothing but words."""
        wanted = [slot for slot in self.slots if slot.required]
        if len(wanted) == 1 and wanted[0] in self._open() and _wants_words(wanted[0]):
            span = after_saying(self.said.text, self._taken)
            if span is not None and self.said.text[span[0]] not in "\"'“\u2018«`":
                self._take(wanted[0], span, evidence=2.0)

    def from_mentions(self) -> None:
        """Typed things of the text, each to the argument that it fits best."""
        offers: list[tuple[float, int, int, Slot, Mention, Any]] = []
        for order, slot in enumerate(self._open()):
            for mention in self._free() if slot.item is None else []:
                score, value = fit(slot, mention, self.said.text, self.known)
                if score > 0 and (slot.required or score >= _NEEDED):
                    offers.append((-score, order, mention.start, slot, mention, value))
        for negative, _, _, slot, mention, value in sorted(offers, key=lambda offer: offer[:3]):
            if slot.path not in self.values and not self._taken(mention.start, mention.end):
                self._set(slot, value, (mention.start, mention.end), min(-negative, 4.0))
                self._measure(slot, mention)
        for slot in self._open():
            if (item := slot.item) is not None:
                self._collect(slot, item)

    def _collect(self, slot: Slot, item: Slot) -> None:
        """A list argument takes every mention that fits one item, or a JSON list whole."""
        values: list[Any] = []
        for mention in self._free():
            if mention.kind == "json":
                if (whole := slot.coerce(json.loads(mention.text))) is not ABSENT:
                    self._set(slot, whole, (mention.start, mention.end), 2.0)
                    return
                continue
            score, value = fit(item, mention, self.said.text, self.known)
            if score >= _NEEDED or (slot.required and score >= 1.0):
                values.append(value)
                self.filling.spans.append((mention.start, mention.end))
        if values:
            self._set(slot, values, None, 2.0)

    def from_flags(self) -> None:
        """Booleans whose whole name stands in the text."""
        said = set(tokens(self.said.text))
        for slot in self._open():
            names = {stem(word) for word in slot.name_words} - EMPTY
            if "boolean" in slot.types and names and names <= said and not names <= self.known:
                first = re.escape(slot.name_words[0])
                negated = re.search(rf"\b(?:not|no|without|never)\s+(?:\w+\s+)?{first}", self.said.text, re.I)
                self._set(slot, negated is None, None, 1.0)

    def from_words(self) -> None:
        """Words after the argument's own name, after `saying` and the like, or left over by everything else."""
        reads = self.tool.method in ("GET", "HEAD", "") and self.tool.kind != "primitive"
        for slot in self._open():
            span = after_name(self.said.text, slot) if slot.is_plain_text else None
            if span is not None and not self._taken(*span):
                self._take(slot, span, evidence=2.0)
        wanted = [slot for slot in self._open() if slot.required and slot.is_plain_text]
        if not wanted:
            content = next((slot for slot in self._open() if slot.name.lower() in _CONTENT), None)
            if content is not None and self._take_said(content):
                return
        if not wanted and reads:
            wanted = [slot for slot in self._open() if slot.name.lower() in _SEARCHED and slot.is_plain_text]
        if len(wanted) != 1:
            return
        slot = wanted[0]
        if self._take_said(slot):
            return
        if not self.said.refers:
            span = left_over(self.said.text, slot, known=self.known, names=self.names, taken=self._taken, reads=reads)
            if span is not None:
                self._take(slot, span, evidence=0.5)

    def _take_said(self, slot: Slot) -> bool:
        filled = {stem(word) for other in self.slots if other.path in self.values for word in other.name_words}
        span = after_saying(self.said.text, self._taken, self.known | filled) if _wants_words(slot) else None
        return span is not None and not self._taken(*span) and self._take(slot, span, evidence=2.0)

    def _take(self, slot: Slot, span: tuple[int, int], *, evidence: float) -> bool:
        text = self.said.text[slice(*span)].strip()
        if len(text) >= 2 and text[0] + text[-1] in ('""', "''", "“”", "``", "«»", "\u2018\u2019"):
            text = text[1:-1]
        elif text.endswith("?") or (slot.is_one_word and text.endswith((".", "!"))):
            text = text[:-1].rstrip()
        value = (slot.read(text) if slot.is_one_word else slot.coerce(text)) if text else ABSENT
        if value is ABSENT:
            return False
        self._set(slot, value, span, evidence)
        return True

    def from_context(self, wallet: Wallet, outcomes: Sequence[Outcome]) -> None:
        """The wallet, then earlier results for what must be there."""
        for slot in self._open():
            value = from_wallet(slot, self.said, wallet)
            if value is None and slot.required:
                value = from_outcomes(slot, self.said, outcomes)
            if value is not None and (fitted := slot.coerce(value)) is not ABSENT:
                self._set(slot, fitted, None, 0.0)

    def from_schema(self) -> None:
        """The schema's own default, or its only allowed value, for arguments that must be there.

        Never for a part of the path or an id: which thing is meant is nothing that a default may decide.
        """
        for slot in self._open():
            in_path = f"{{{slot.name}}}" in self.tool.path
            if slot.required and "default" in slot.schema and not in_path and not slot.is_id:
                self._set(slot, slot.schema["default"], None, 0.0)
            elif slot.required and len(slot.options) == 1:
                self._set(slot, slot.options[0], None, 0.0)


def _wants_words(slot: Slot) -> bool:
    return slot.is_plain_text and not slot.is_one_word


def _inside(one: tuple[int, int, Any], other: tuple[int, int, Any]) -> bool:
    return other[0] <= one[0] and one[1] <= other[1] and other[1] - other[0] > one[1] - one[0]


def _put(target: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        target = target.setdefault(name, {})
    target[path[-1]] = value
