"""What a browser is given: every value gets there, and what it can hold gets there unchanged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitte_nb.widget.wire import browser_data, browser_text
from tests.core.strategies import texts
from tests.widget.pages import HOSTILE, on_the_line

_ANY_TEXT = st.text(st.characters(), max_size=6) | st.sampled_from(HOSTILE)


def _json(strings: st.SearchStrategy[str], numbers: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.booleans() | numbers | strings,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strings, inner, max_size=3),
        max_leaves=6,
    )


@given(_json(_ANY_TEXT, st.integers() | st.floats()))
def test_any_value_becomes_json_that_the_line_carries_and_that_reads_back_equal(value: Any) -> None:
    data = browser_data(value)
    assert json.loads(on_the_line(data)) == data


@given(_json(texts(), st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)))
def test_what_a_browser_can_hold_is_not_changed(value: Any) -> None:
    assert browser_data(value) == value


@given(_ANY_TEXT, _ANY_TEXT)
def test_the_pieces_of_a_text_are_changed_as_the_whole_is(first: str, second: str) -> None:
    assert browser_text(first) + browser_text(second) == browser_text(first + second)


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ("a\ud800b", "a\ufffdb"),
        ({"\udfff": ["\ud83d"]}, {"\ufffd": ["\ufffd"]}),
        (
            dict(zip("\ud800\udfff\ufffd", (1, 2, 3), strict=True)),
            {"\ufffd": 1, "\ufffd\ufffd": 2, "\ufffd\ufffd\ufffd": 3},
        ),
        ({"amount": 10**24, "small": 7, "most": 2**53}, {"amount": str(10**24), "small": 7, "most": 2**53}),
        ([-(2**53) - 1, True, 0], [str(-(2**53) - 1), True, 0]),
        ([float("inf"), float("-inf"), float("nan"), 1e300], [None, None, None, 1e300]),
        ((1, ("a",)), [1, ["a"]]),
        ({1: b"x"}, {"1": "b'x'"}),
    ],
)
def test_what_a_browser_cannot_hold_is_replaced(value: Any, data: Any) -> None:
    assert browser_data(value) == data
