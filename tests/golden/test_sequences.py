"""What an open page is told adds up to what a page that opens now is shown."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitte_nb.core.fold import ChatState, fold
from bitte_nb.core.log import Entry
from bitte_nb.core.rehydrate import recovery
from bitte_nb.widget import protocol
from bitte_nb.widget.view import chat_view
from tests.core.logs import LOGS, cut_logs, valid_logs
from tests.golden.page import Page, told
from tests.golden.sequences import FOLDER, SEQUENCES, as_json


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_golden_sequence_is_what_the_kernel_sends_today(name: str):
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert stored == as_json(name), f"{name} changed. If it is meant: `python -m tests.golden.sequences`."


def test_there_is_no_golden_file_that_nobody_writes():
    assert {file.stem for file in FOLDER.glob("*.json")} == set(SEQUENCES)


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_page_that_takes_a_golden_sequence_shows_its_end(name: str):
    sequence = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    page = Page()
    for step in sequence["steps"]:
        protocol.to_page.validate_python(step["message"])
        assert page.take(step["message"]) == step["then"]
    assert page.chat == sequence["shows"]


def test_the_golden_sequences_hold_every_event_and_every_state_of_a_card():
    kinds: set[str] = set()
    states: set[str] = set()
    for name in SEQUENCES:
        for step in as_json(name)["steps"]:
            for event in step["message"].get("events", []):
                kinds.add(event["type"])
                if event["type"] == "invocation":
                    states.add(event["view"]["state"])
    assert kinds == {"text_delta", "thinking_delta", "args_delta", "turn", "step", "invocation", "path"}
    assert len(states) == 12


def snapshot(state: ChatState, seq: int) -> dict[str, object]:
    return protocol.Snapshot(boot="b", seq=seq, chat=chat_view(state)).model_dump(mode="json")


@settings(LOGS, max_examples=30)
@given(valid_logs(), st.data())
def test_a_page_opened_at_any_time_ends_like_one_opened_at_the_end(parts: list[Entry], data: st.DataObject):
    where = data.draw(st.integers(1, len(parts)))
    start = fold(parts[:where])
    state, events = told(start, parts[where:])
    page = Page()
    page.take(snapshot(start, 0))
    if events:
        message = protocol.Events(boot="b", first=1, events=events)
        assert page.take(message.model_dump(mode="json")) == "applied"
    assert page.chat == snapshot(state, 0)["chat"]


@settings(LOGS, max_examples=25)
@given(cut_logs())
def test_an_open_page_follows_what_a_reload_records(parts: list[Entry]):
    start = fold(parts)
    state, events = told(start, recovery(start, at=10_000))
    page = Page()
    page.take(snapshot(start, 0))
    if events:
        page.take(protocol.Events(boot="b", first=1, events=events).model_dump(mode="json"))
    assert page.chat == snapshot(state, 0)["chat"]
