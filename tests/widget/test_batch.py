"""Events that wait for a message: joined where they may be, and the same data whichever way they are written."""

from __future__ import annotations

import pytest

from bitte_nb.widget import protocol as page
from bitte_nb.widget.batch import add_event, events_data
from bitte_nb.widget.wire import browser_data
from tests.widget.pages import HOSTILE

WORDS = page.TextDelta(turn=1, step=1, text="a")
EVENTS: list[page.PageEvent] = [
    WORDS,
    page.TextDelta(turn=1, step=2, text="b"),
    page.ThinkingDelta(turn=1, step=1, text="c"),
    page.ArgsDelta(key="1.1.0", text="{"),
    page.StepChanged(turn=1, view=page.StepView(step=1, text="d", offers=[])),
    page.PathChanged(after=0, turns=[], invocations={}),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda one: one.type)
def test_text_goes_on_in_the_event_before_it_only_where_that_is_of_the_same_place(event: page.PageEvent) -> None:
    for before in EVENTS:
        events = [before]
        add_event(events, event)
        if before == event and "delta" in event.type:
            [joined] = events
            assert joined.model_dump() == {**event.model_dump(), "text": event.model_dump()["text"] * 2}
        else:
            assert events == [before, event]


@pytest.mark.parametrize("text", ["plain", *HOSTILE])
def test_the_data_of_an_event_is_that_of_its_model(text: str) -> None:
    pieces: list[page.PageEvent] = [
        page.TextDelta(turn=1, step=1, text=text),
        page.ThinkingDelta(turn=1, step=1, text=text),
        page.ArgsDelta(key=text, text=text),
    ]
    for one in [*EVENTS, *pieces]:
        assert events_data([one]) == [browser_data(one.model_dump())]
