"""The events that wait for the next message to pages: text that goes on where the last one ended becomes part of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bitte_nb.widget import protocol as page
from bitte_nb.widget.wire import browser_data

__all__ = ["add_event", "events_data"]

_PIECES = frozenset({page.TextDelta, page.ThinkingDelta, page.ArgsDelta})
"""Events whose fields are plain values, as most of all that is sent are."""


def add_event(events: list[page.PageEvent], event: page.PageEvent) -> None:
    """Add an event to those that wait."""
    if not events or type(event) not in _PIECES:
        events.append(event)
        return
    last = events[-1]
    match last, event:
        case (page.TextDelta(), page.TextDelta()) | (page.ThinkingDelta(), page.ThinkingDelta()) if (
            last.turn,
            last.step,
        ) == (event.turn, event.step):
            events[-1] = last.model_copy(update={"text": last.text + event.text})
        case page.ArgsDelta(), page.ArgsDelta() if last.key == event.key:
            events[-1] = last.model_copy(update={"text": last.text + event.text})
        case _:
            events.append(event)


def events_data(events: Sequence[page.PageEvent]) -> list[dict[str, Any]]:
    """The events as data for a browser."""
    return [browser_data(vars(one) if type(one) in _PIECES else one.model_dump()) for one in events]
