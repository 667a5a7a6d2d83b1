"""The nearest known word: whatever the case, never far, and quick for words of any length."""

from __future__ import annotations

import pytest

from bitte_nb.core.nearest import nearest

KNOWN = ["get-user", "getBalance", "DELETE"]


@pytest.mark.parametrize(
    ("word", "found"),
    [("get_user", "get-user"), ("getbalance", "getBalance"), ("delet", "DELETE"), ("fly", ""), ("", "")],
)
def test_the_nearest_word_is_found_whatever_its_case(word: str, found: str):
    assert nearest(word, KNOWN) == found
    assert nearest(word.upper(), KNOWN) == found


def test_only_the_beginning_of_a_word_is_looked_at():
    assert nearest("x" * 50_000_000, [*KNOWN, "x" * 100]) == "x" * 100


def test_how_alike_they_must_be_can_be_said():
    assert nearest("got-a-user", KNOWN) == "get-user"
    assert nearest("got-a-user", KNOWN, alike=0.95) == ""
