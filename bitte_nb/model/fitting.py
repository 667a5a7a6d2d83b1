"""How well a thing that a text names fits an argument: by form, unit, preposition and nearness to the name."""

from __future__ import annotations

import json
import re
from typing import Any

from bitte_nb.model.mentions import Mention, kind_of
from bitte_nb.model.schema import ABSENT, Slot
from bitte_nb.model.words import stem, vocabulary

__all__ = ["PARTIES", "RECEIVING", "fit"]

RECEIVING = vocabulary("to receiver recipient destination dest target beneficiary payee")
"""Words by which argument names say what `to` says."""
_SENDING = vocabulary("from sender source origin")
PARTIES = RECEIVING | vocabulary("contract token spender owner operator collection mint new")
"""Words by which argument names say that somebody else than the person is meant."""
_NEAR = 80
"""Characters before a mention that may say what it is."""
_TYPED_NAMES = vocabulary("address url uri link email uuid date hash")
"""Words of names whose values have a form that plain quoted words have not."""
_COUNTING = vocabulary("limit count number quantity times size n top first max amount per")


def fit(slot: Slot, mention: Mention, text: str, known: frozenset[str]) -> tuple[float, Any]:
    """A score (0 means no) and the value in the slot's type; `known` are the stems that name the operation."""
    if mention.kind == "json":
        value = slot.coerce(json.loads(mention.text)) if slot.types & {"object", "array"} else ABSENT
        return (2.0 if value is not ABSENT else 0.0), value
    if slot.is_secret or slot.types & {"boolean", "object", "array"}:
        return 0.0, ABSENT
    value = slot.coerce(mention.text) if mention.kind == "quoted" else slot.read(mention.typed)
    score = _by_form(slot, mention, known) if value is not ABSENT else 0.0
    if score <= 0:
        return 0.0, ABSENT
    before = text[max(0, mention.start - _NEAR) : mention.start].lower()
    for preposition, names in (("to", RECEIVING), ("from", _SENDING)):
        if re.search(rf"\b{preposition}\s+(?:the\s+|account\s+|address\s+)?$", before):
            said = names & set(slot.name_words) or {stem(name) for name in names if len(name) > 4} & slot.words
            score += 3.0 if said else -0.5
    return score + (4.0 if _beside(slot, before) else 0.0) + (0.5 if slot.required else 0.0), value


def _by_form(slot: Slot, mention: Mention, known: frozenset[str]) -> float:
    kind = mention.kind
    if slot.kinds is not None:
        return 4.0 if kind in slot.kinds else 0.0
    if slot.types & {"integer", "number"}:
        return 2.0 + _by_unit(slot, mention, known) if kind == "number" else 0.0
    shown = kind_of(mention.text) if kind == "quoted" else kind
    if set(slot.name_words) & _TYPED_NAMES and shown in (None, "number", "code", "name"):
        return 0.0
    if kind == "quoted":
        return 2.0 if slot.is_id else 3.0
    example = slot.example_kind
    if example is not None and example != kind and {example, kind} - {"hex", "evm-address"} and kind != "name":
        return 0.0
    form = slot.hinted(kind) or (slot.pattern is not None and kind != "name")
    if kind == "number":
        unit = _by_unit(slot, mention, known)
        return 2.5 + unit if form or unit > 0 else 1.0 if slot.is_id else 0.0
    if kind == "name":
        plain = slot.required and slot.is_plain_text and slot.is_one_word
        return 1.0 if plain and not slot.is_id and slot.pattern is None else 0.0
    if form:
        return 3.0
    if kind == "code" and slot.is_id:
        return 2.5
    if kind in ("url", "email", "date", "datetime"):
        return 0.0
    return 1.0 if slot.required and (slot.is_id or slot.is_one_word) else 0.0


def _by_unit(slot: Slot, mention: Mention, known: frozenset[str]) -> float:
    if not mention.unit:
        return 0.0
    unit = stem(mention.unit)
    if mention.unit in slot.raw_words or unit in slot.words:
        return 3.0
    return 3.0 if unit in known and _COUNTING & set(slot.name_words) else -0.5


def _beside(slot: Slot, before: str) -> bool:
    """True where the text right before ends in the argument's own name."""
    words = slot.name_words
    heads = [words] + ([words[:-1]] if slot.is_id and len(words) > 1 else [])
    names = [r"[\s_-]*".join(map(re.escape, head)) for head in heads if head]
    return any(re.search(rf"\b{name}\s*(?:id|is|of|=|:|#|number)?\s*$", before) for name in names)
