"""A review card as text: the one way in which cards are printed, in cells, on a terminal and in transcripts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["card_lines", "card_text", "printable"]


def card_text(card: Mapping[str, Any]) -> str:
    """A card (`ReviewCard.to_json()`) as text: what happens, how grave, then `card_lines`."""
    head = [printable(card.get("title", ""))]
    if (summary := card.get("summary", "")) and summary != card.get("title"):
        head.append(printable(summary))
    head.append(f"Severity: {card.get('severity', '')}")
    return "\n".join([*head, *card_lines(card)])


def card_lines(card: Mapping[str, Any]) -> list[str]:
    """Rows, the amounts of the request among them, warnings, the calls inside and what was not checked.

    What came from outside cannot begin a line of its own: its further lines are marked with `|`.
    """
    lines = list(_level(card))
    lines += [f"Not checked: {printable(sentence)}" for sentence in card.get("unchecked", ())]
    return lines


def _level(level: Mapping[str, Any]) -> Iterator[str]:
    for row in level.get("rows", ()):
        note = f" ({printable(row['note'])})" if row.get("note") else ""
        yield f"{printable(row.get('label', ''))}: {printable(row.get('value', ''))}{note}"
    for warning in level.get("warnings", ()):
        yield f"{printable(warning.get('severity', ''))}: {printable(warning.get('sentence', ''))}"
    for call in level.get("calls", ()):
        yield f"Call inside: {printable(call.get('title', ''))}"
        yield from (f"  {line}" for text in _level(call) for line in text.split("\n"))


def printable(value: object) -> str:
    """A value as it may be printed: further lines are marked, what cannot be seen is written by its code point."""
    lines = str(value).splitlines() or [""]
    return "\n  | ".join("".join(map(_visible, line)) for line in lines)


def _visible(character: str) -> str:
    hidden = unicodedata.category(character) in ("Cc", "Cf") and character not in "\t\u200d"
    return f"\\u{{{ord(character):04X}}}" if hidden else character
