"""The events that wait for the next message to pages: text that goes on where the last one ended becomes part of it."""

from __future__ import annotations

from bitte_nb.widget import protocol as page

__all__ = ["add_event"]


def add_event(events: list[page.PageEvent], event: page.PageEvent) -> None:
    """Add an event to those that wait."""
    last = events[-1] if events else None
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
