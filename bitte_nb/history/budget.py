"""A history that fits a model's context: what is left out is counted and said, and no call loses its result.

First old results are shortened, then the oldest turns go, whole. The newest turn always stays; where it alone is longer
than the budget, its longest texts are shortened in the middle.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from bitte_nb.core.fit import without_pictures
from bitte_nb.core.messages import CoreMessage, TextPart, ToolMessage, ToolResultPart, UserMessage

__all__ = ["Fitted", "fitted", "size"]

SHORT = 2_000
"""Characters that are kept of a text when it has to be shortened, at least."""
_MARK = "further characters were left out: the history is too long; ask again if they matter"
_MIDDLE = "characters were left out here: the message is longer than what you can read at once"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A history within a budget."""

    messages: list[CoreMessage]
    dropped: int = 0
    """Messages that were left out, all of them at the beginning."""
    turns: int = 0
    """Turns that these messages were."""
    shortened: int = 0
    """Results and messages that were cut."""

    @property
    def notice(self) -> str:
        """A sentence for the person, or empty where nothing was left out."""
        parts: list[str] = []
        if self.dropped:
            parts.append(
                f"the first {_turns(self.turns)} were left out" if self.turns > 1 else "the first turn was left out"
            )
        if self.shortened:
            parts.append(f"{self.shortened} long {'text was' if self.shortened == 1 else 'texts were'} shortened")
        return f"To fit the model's context, {' and '.join(parts)}." if parts else ""


def size(messages: Sequence[CoreMessage]) -> int:
    """Characters of the history as JSON; about four make a token."""
    return sum(_size(one) for one in messages)


def fitted(messages: Sequence[CoreMessage], *, budget: int) -> Fitted:
    """The history within `budget` characters, as far as the newest turn lets it.

    Args:
        messages: A history that keeps the providers' rules, as `to_core_messages` makes it.
        budget: Characters of JSON.
    """
    kept = [_named(one) for one in messages]  # pictures weigh nothing: a model reads their names only
    sizes = [_size(one) for one in kept]
    total = sum(sizes)
    cuts: dict[int, int] = {}
    for place, one in enumerate(kept):
        if total <= budget:
            break
        if isinstance(one, ToolMessage):
            parts = [_shortened(part) for part in one.content]
            cuts[place] = sum(new is not old for new, old in zip(parts, one.content, strict=True))
            kept[place] = one.model_copy(update={"content": parts})
            total += _size(kept[place]) - sizes[place]
            sizes[place] = _size(kept[place])
    first = 0
    for start in (place for place, one in enumerate(kept) if place and isinstance(one, UserMessage)):
        if total <= budget:
            break
        total -= sum(sizes[first:start])
        first = start
    for place in sorted(range(first, len(kept)), key=lambda place: -sizes[place]):
        if total <= budget:
            break
        short = _middle_out(kept[place], total - budget)
        if short is not kept[place]:
            cuts[place] = cuts.get(place, 0) + 1
            total += _size(short) - sizes[place]
            kept[place] = short
    opening = kept[first] if kept else None
    turns = sum(isinstance(one, UserMessage) for one in kept[:first])
    if first and isinstance(opening, UserMessage):
        note = f"[What was said before this was left out, {_turns(turns)}: the history is too long.]\n\n"
        said = opening.content
        content = note + said if isinstance(said, str) else [TextPart(text=note), *said]
        kept[first] = opening.model_copy(update={"content": content})
    return Fitted(kept[first:], first, turns, sum(count for place, count in cuts.items() if place >= first))


def _named(message: CoreMessage) -> CoreMessage:
    """The message with the pictures of its results named and not spelled out, or the very message."""
    if not isinstance(message, ToolMessage):
        return message
    results = [without_pictures(part.result) for part in message.content]
    if all(new is part.result for new, part in zip(results, message.content, strict=True)):
        return message
    parts = [part.model_copy(update={"result": new}) for new, part in zip(results, message.content, strict=True)]
    return message.model_copy(update={"content": parts})


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"


def _shortened(part: ToolResultPart) -> ToolResultPart:
    """The part with a long `data` or `error` cut to its beginning, or the very part."""
    given: Any = part.result
    fields = cast("dict[str, Any]", given) if isinstance(given, dict) else {"data": given}
    if not fields.keys() & {"data", "error"}:
        fields = {"data": fields}
    key = "data" if "data" in fields else "error"
    value = fields[key]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    if len(text) <= SHORT + len(_MARK) * 2:
        return part
    short = f"{text[:SHORT]}… [{len(text) - SHORT} {_MARK}]"
    return part.model_copy(update={"result": {**fields, key: short}})


def _middle_out(message: CoreMessage, surplus: int) -> CoreMessage:
    """What a person or a model said without the middle of its longest text, or the very message."""
    if isinstance(message, ToolMessage):
        return message
    content = message.content
    if isinstance(content, str):
        short = _without_middle(content, surplus)
        return message if short is content else message.model_copy(update={"content": short})
    texts = [part for part in content if isinstance(part, TextPart)]
    longest = max(texts, key=lambda part: len(part.text), default=None)
    if longest is None or (short := _without_middle(longest.text, surplus)) is longest.text:
        return message
    cut = longest.model_copy(update={"text": short})
    return message.model_copy(update={"content": [cut if part is longest else part for part in content]})


def _without_middle(text: str, surplus: int) -> str:
    keep = max(SHORT, len(text) - surplus - len(_MIDDLE) * 2)
    if keep + len(_MIDDLE) * 2 >= len(text):
        return text
    tail = keep // 4
    return f"{text[: keep - tail]}… [{len(text) - keep} {_MIDDLE}] …{text[len(text) - tail :]}"


def _size(message: CoreMessage) -> int:
    return len(json.dumps(message.model_dump(exclude_none=True), ensure_ascii=False, default=str))
