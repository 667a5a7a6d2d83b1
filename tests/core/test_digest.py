"""The digest that an approval is bound to: the same for the same data, another for any other."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings

from bitte_nb.core.digest import canonical, digest
from tests.core.strategies import json_values


def test_it_is_sha_256_over_sorted_compact_json():
    assert canonical({"b": [1, None, True], "a": "é"}) == '{"a":"é","b":[1,null,true]}'
    assert digest({"b": 1, "a": 2}) == hashlib.sha256(b'{"a":2,"b":1}').hexdigest()


def test_the_order_of_keys_does_not_matter_and_that_of_items_does():
    assert digest({"a": 1, "b": {"x": 1, "y": 2}}) == digest({"b": {"y": 2, "x": 1}, "a": 1})
    assert digest([1, 2]) != digest([2, 1])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0, False), (1, True), ("", None), ("1", 1), ([], {}), ({}, None), ([[]], []), (1, 1.0), ("a", "a "),
        ("é", "e\u0301"), (["a", "b"], ["a,b"]), (["ab"], ["a", "b"]), (2**53, 2**53 + 1), (10**30, 10**30 + 1),
        ("\ud83d", "\ufffd"), ("\ud83d", "?"), ({"a": None}, {}),
    ],
)  # fmt: skip
def test_data_that_differs_has_another_digest(one: Any, other: Any):
    assert digest(one) != digest(other)
    assert digest(["tag", one]) != digest(["tag", other])


@settings(max_examples=100, deadline=None)
@given(json_values())
def test_it_survives_being_stored(value: Any):
    assert digest(json.loads(json.dumps(value))) == digest(value)
    assert json.loads(canonical(value)) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_what_is_no_number_in_json_has_no_digest(value: Any):
    with pytest.raises(ValueError, match="JSON"):
        digest(value)


@pytest.mark.parametrize("value", [b"x", {1, 2}, object()])
def test_what_is_not_json_has_no_digest(value: Any):
    with pytest.raises(TypeError):
        digest(value)
