"""A person's text, read once: what it names, and how it speaks of the person and of things said before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bitte_nb.model.mentions import Mention, mentions, pairs
from bitte_nb.model.words import ACTIONS, EMPTY

__all__ = ["VERBS", "Outcome", "Said"]

VERBS = frozenset(verb for verbs in ACTIONS.values() for verb in verbs)
"""Every verb of `ACTIONS`."""
_REFERRING = re.compile(
    r"\b(?:it|this|these|those|them)\b|\bthat(?=\s*(?:$|[.,;!?]|to\b|with\b|on\b|\w+\s*$))", re.IGNORECASE
)
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|i'm|our|we)\b", re.IGNORECASE)


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
        """Read a message."""
        return cls(text, _without_sentence_heads(text, mentions(text)), pairs(text))

    @property
    def first_person(self) -> bool:
        """True where the person speaks of themselves."""
        return _FIRST_PERSON.search(self.text) is not None

    @property
    def refers(self) -> bool:
        """True where a word such as `it` or `this` points at something said before."""
        return _REFERRING.search(self.text) is not None


def _without_sentence_heads(text: str, found: list[Mention]) -> list[Mention]:
    """Drop capitals that only begin a sentence, and the units of numbers."""
    kept: list[Mention] = []
    for mention in found:
        if mention.kind == "name":
            start, words = mention.start, mention.text
            heads = start == 0 or text[:start].rstrip()[-1:] in ".!?;:"
            first, _, rest = words.partition(" ")
            if first.lower() in EMPTY or heads:
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
