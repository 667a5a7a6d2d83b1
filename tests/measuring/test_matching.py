"""What fits an expectation and what does not."""

from __future__ import annotations

import re
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitte_nb.measuring.matching import assigned, fits, read_expected, words

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5).filter(lambda key: not key.startswith("$")), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("expected", "value", "fit"),
    [
        ("Oslo", "Oslo", True),
        ("Oslo", "oslo", False),
        (7, 7, True),
        (7, 7.0, True),
        (7, "7", False),
        (1, True, False),
        (True, True, True),
        (False, 0, False),
        (None, None, True),
        (..., None, True),
        (re.compile("^Os"), "Oslo, Norway", True),
        (re.compile("^Os"), "In Oslo", False),
        (re.compile("^7$"), 7, True),
        (re.compile("Os"), ["Oslo"], False),
        (lambda value: value > 5, 7, True),
        (lambda value: value > 5, 3, False),
        ({"city": "Oslo"}, {"city": "Oslo", "unit": "C"}, True),
        ({"city": "Oslo"}, {"unit": "C"}, False),
        ({"city": ...}, {"city": None}, True),
        ({"city": ...}, {}, False),
        ({"at": {"city": "Oslo"}}, {"at": {"city": "Oslo", "zip": 1}}, True),
        ({}, {"anything": 1}, True),
        ({}, [], False),
        (["a", ...], ["a", "b"], True),
        (["a"], ["a", "b"], False),
        (("a", "b"), ["a", "b"], True),
        ({"$regex": "^Os"}, "Oslo", True),
        ({"$in": ["Oslo", {"$regex": "^Ber"}]}, "Bergen", True),
        ({"$in": ["Oslo"]}, "Bergen", False),
        ({"city": {"$exists": True}}, {"city": 0}, True),
        ({"city": {"$exists": False}}, {"unit": "C"}, True),
        ({"city": {"$exists": False}}, {"city": None}, False),
    ],
)
def test_a_value_fits_or_does_not(expected: Any, value: Any, fit: bool):
    assert fits(read_expected(expected), value) is fit


def test_exactly_means_no_other_member_at_any_depth():
    expected = read_expected({"at": {"city": "Oslo"}})
    assert fits(expected, {"at": {"city": "Oslo"}}, exact=True)
    assert not fits(expected, {"at": {"city": "Oslo"}, "unit": "C"}, exact=True)
    assert not fits(expected, {"at": {"city": "Oslo", "zip": 1}}, exact=True)


@given(JSON)
def test_every_value_fits_itself_exactly_and_has_words(value: Any):
    assert fits(read_expected(value), value, exact=True)
    assert words(value)


@given(st.dictionaries(st.text(max_size=3), st.integers(), max_size=4), st.text(min_size=4), st.integers())
def test_a_further_member_matters_only_exactly(value: dict[str, int], name: str, more: int):
    expected = read_expected({key: one for key, one in value.items() if not key.startswith("$")})
    assert fits(expected, {**value, name: more})
    assert not fits(expected, {**value, name: more}, exact=True)


@given(st.lists(st.lists(st.integers(0, 4), unique=True, max_size=5), max_size=5))
def test_each_has_one_of_its_own_just_when_some_order_gives_it_one(able: list[list[int]]):
    some = any(
        all(place in able[one] for one, place in enumerate(order)) for order in permutations(range(5), len(able))
    )
    assert assigned(able) is some


@pytest.mark.parametrize(
    ("expected", "sentence"),
    [
        ({"$rgex": "a"}, "$rgex is no operator. Did you mean $regex?"),
        ({"$zzzzzz": "a"}, "$zzzzzz is no operator. Known are $exists, $in, $regex."),
        ({"$regex": "("}, r"$regex '\(' is no regular expression: missing \), unterminated subpattern at position 0."),
        ({"$regex": 7}, "$regex takes a text, not 7."),
        ({"$in": "Oslo"}, "$in takes a list, not 'Oslo'."),
        ({"$exists": "yes"}, "$exists takes true or false, not 'yes'."),
        ({"$regex": "a", "b": 1}, r"\$regex stands beside other keys; it must be the only one."),
        ({"deep": [{"$rgex": "a"}]}, "$rgex is no operator"),
    ],
)
def test_an_operator_that_cannot_be_read_is_a_sentence(expected: Any, sentence: str):
    with pytest.raises(ValueError, match=sentence.replace("$", r"\$").replace(r"\\$", r"\$").replace("?", r"\?")):
        read_expected(expected)
