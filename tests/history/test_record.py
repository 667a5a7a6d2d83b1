"""An entry as text: whatever it holds is replaced once, before it is folded, and never again."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitte_nb.core.log import Entry
from bitte_nb.errors import HistoryError
from bitte_nb.history.record import dump, read, storable_entry, storable_value

from . import chats, logs

odd_text = st.text(st.characters() | st.sampled_from("\ud800\udfff\0\x1b"), max_size=6)
odd: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | odd_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(odd_text | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@given(odd, odd_text)
def test_a_storable_entry_is_what_is_read_back(data: Any, text: str):
    args = {"value": data}
    for one in (chats.turn(1, text), *chats.asked("1.1.0", args), chats.event("1.1.0", chats.result(data))):
        kept = storable_entry(one)
        assert read(dump(one)) == kept
        assert read(dump(kept)) == kept
        assert dump(kept) == dump(one)
        json.loads(dump(kept).encode("utf-8"), parse_constant=pytest.fail)


@given(odd)
def test_a_storable_value_is_what_an_entry_of_it_holds(data: Any):
    kept = storable_entry(chats.event("1.1.0", chats.result(data)))
    assert kept.kind == "invocation"
    assert kept.event.type == "result"
    assert kept.event.data == storable_value(data)
    assert storable_value(storable_value(data)) == storable_value(data)


@given(logs.entries())
def test_ordinary_entries_are_storable_as_they_are(entries: list[Entry]):
    assert [storable_entry(one) for one in entries] == entries


def test_what_is_replaced():
    assert storable_value(["\ud800", math.inf, -math.inf, math.nan, 1.5, {7: "\U0001f600"}]) == [
        "\ufffd", None, None, None, 1.5, {"7": "\U0001f600"},
    ]  # fmt: skip


@pytest.mark.parametrize("depth", [300, 5_000])
@pytest.mark.parametrize("innermost", ["x", "\ud800"])
def test_what_is_nested_too_deeply_is_a_sentence_before_anything_is_written(depth: int, innermost: str):
    value: Any = innermost
    for _ in range(depth):
        value = [value]
    with pytest.raises(HistoryError, match=r"nested too deeply|recursion limit"):
        storable_entry(chats.event("1.1.0", chats.result(value)))
