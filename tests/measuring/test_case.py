"""A case passes where the calls and words are as expected, and one that never could is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.measuring.case import check_cases

Calls = list[tuple[str, dict[str, Any]]]
OSLO, PARIS = ("weather", {"city": "Oslo"}), ("weather", {"city": "Paris"})


@pytest.mark.parametrize(
    ("case", "made", "passes"),
    [
        ({"calls": []}, [], True),
        ({"calls": []}, [OSLO], False),
        ({"calls": [], "more": True}, [OSLO], True),
        ({"calls": ["weather"]}, [OSLO], True),
        ({"calls": ["weather"]}, [], False),
        ({"calls": ["weather"]}, [OSLO, PARIS], False),
        ({"calls": ["weather"], "more": True}, [OSLO, PARIS], True),
        ({"calls": [OSLO]}, [PARIS], False),
        ({"calls": [{"weather": {"city": "Oslo"}}]}, [OSLO], True),
        ({"calls": [{"weather": None}]}, [OSLO], True),
        ({"calls": [("weather", {})], "exact": True}, [OSLO], False),
        ({"calls": [PARIS, OSLO]}, [OSLO, PARIS], True),
        ({"calls": [PARIS, OSLO], "ordered": True}, [OSLO, PARIS], False),
        ({"calls": [OSLO, PARIS], "ordered": True}, [OSLO, PARIS], True),
        ({"calls": [OSLO, PARIS], "ordered": True, "more": True}, [OSLO, ("other", {}), PARIS], True),
        ({"calls": [OSLO, PARIS], "ordered": True, "more": True}, [PARIS, OSLO], False),
        # The first expectation must not take the only call that the second can have.
        ({"calls": ["weather", OSLO]}, [OSLO, PARIS], True),
        ({"calls": [OSLO, OSLO]}, [OSLO, PARIS], False),
    ],
)
def test_the_calls_are_as_expected(case: dict[str, Any], made: Calls, passes: bool):
    assert bn.Case("What is the weather?", **case).passes(made, "") is passes


def test_the_words_are_as_expected():
    text = "It rains in Oslo."
    assert bn.Case("x", text="RAINS").passes([], text)
    assert not bn.Case("x", text="snows").passes([], text)
    assert bn.Case("x", text=re.compile(r"rains?")).passes([OSLO], text)
    assert bn.Case("x", text={"$regex": "^It"}).passes([], text)
    assert bn.Case("x", text=lambda text: len(text) < 20).passes([], text)
    assert not bn.Case("x", calls=["weather"], text="rains").passes([], text)


def test_a_refused_call_counts_only_where_no_call_is_expected():
    assert bn.Case("x", calls=["weather"]).passes([OSLO], "", refused=1)
    assert not bn.Case("x", calls=[]).passes([], "", refused=1)


@pytest.mark.parametrize(
    ("case", "shown"),
    [
        ({"calls": []}, "no call"),
        ({"calls": ["weather", OSLO]}, "weather, weather(city='Oslo')"),
        ({"calls": [OSLO, PARIS], "ordered": True}, "weather(city='Oslo'), then weather(city='Paris')"),
        ({"calls": [("weather", {"city": {"$in": ["Oslo", {"$regex": "^B"}]}})]}, "weather(city='Oslo' or /^B/)"),
        ({"calls": [("weather", {"city": ..., "unit": {"$exists": False}})]}, "weather(city=…, unit=(not given))"),
        ({"calls": [("weather", {"city": str.istitle})], "more": True}, "weather(city=<istitle>) and more"),
        ({"calls": ["weather"], "exact": True}, "weather exactly"),
        ({"calls": [], "text": "sorry"}, "no call; says 'sorry'"),
        ({"text": {"$regex": "^I"}}, "says /^I/"),
    ],
)
def test_what_is_expected_is_a_line_of_words(case: dict[str, Any], shown: str):
    assert bn.Case("x", **case).words == shown


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        ({}, "The case 'x' expects nothing: give calls=[...], calls=[] for no call, or text=..."),
        ({"calls": "weather"}, "The calls of 'x' are a list: write ['weather']."),
        ({"calls": {"weather": {}}}, "The calls of 'x' are a list: write [{'weather': {}}]."),
        ({"calls": [7]}, "The case 'x': 7 is no call: write a tool's name, or ('name', {'argument': value})."),
        ({"calls": [("weather", 7)]}, "The case 'x': ('weather', 7) is no call"),
        ({"calls": [("weather", {"$exists": True})]}, "The case 'x': ('weather', {'$exists': True}) is no call"),
        ({"calls": [("weather", {"city": {"$rgex": "a"}})]}, "The case 'x': $rgex is no operator."),
    ],
)
def test_a_case_that_expects_nothing_that_can_be_read_is_refused(case: dict[str, Any], sentence: str):
    with pytest.raises(bn.errors.MeasureError) as fault:
        bn.Case("x", **case)
    assert str(fault.value).startswith(sentence)


def test_a_case_needs_a_prompt():
    with pytest.raises(bn.errors.MeasureError, match="needs a prompt"):
        bn.Case(" ", calls=[])


TREE: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Weather", "version": "1"},
    "servers": [{"url": "https://weather.example"}],
    "paths": {
        "/now": {
            "get": {
                "operationId": "weather",
                "parameters": [{"name": "city", "in": "query"}, {"name": "filter[unit]", "in": "query"}],
            },
            "post": {
                "operationId": "report",
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {"city": {"type": "string"}},
                                "additionalProperties": True,
                            }
                        }
                    }
                },
            },
        }
    },
}


@pytest.mark.parametrize(
    ("cases", "sentence"),
    [
        (
            [bn.Case("x", ["wether"])],
            "The case 'x' expects 'wether', which is no tool of Weather. Did you mean 'weather'?",
        ),
        (
            [bn.Case("x", [("weather", {"ctiy": 1})])],
            "The case 'x' expects 'ctiy' of weather, which has no such argument. Did you mean 'city'?",
        ),
        (
            [bn.Case("x", ["weather"]), bn.Case("x", [])],
            "Two cases are called 'x'; give each a name of its own (name=...).",
        ),
    ],
)
def test_a_case_that_could_never_pass_is_refused_with_the_nearest_name(cases: list[bn.Case], sentence: str):
    with pytest.raises(bn.errors.MeasureError) as fault:
        check_cases(cases, bn.Agent(TREE))
    assert str(fault.value) == sentence


def test_arguments_have_the_document_s_names_and_open_bodies_take_any():
    agent = bn.Agent(TREE)
    check_cases([bn.Case("x", [("weather", {"filter[unit]": "C"}), ("report", {"whatever": 1})])], agent)


DAYS: dict[str, Any] = {"name": "days", "in": "query", "schema": {"type": "integer", "maximum": 7}}
WHERE: dict[str, Any] = {"name": "where", "in": "query", "schema": {"enum": ["north", "south"]}}
IDS: dict[str, Any] = {"name": "ids", "in": "query", "schema": {"type": "array", "items": {"$ref": "#/$defs/Id"}}}
TYPED: dict[str, Any] = {
    **TREE,
    "$defs": {"Id": {"type": "integer"}},
    "paths": {"/forecast": {"get": {"operationId": "forecast", "parameters": [DAYS, WHERE, IDS]}}},
}


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({"days": "2"}, "days='2' of forecast, but a call has 2 there. Write days: 2."),
        ({"days": "soon"}, "days='soon' of forecast, but days must be an integer, not \"soon\"."),
        ({"days": 9}, "days=9 of forecast, but days must be"),
        ({"where": "nort"}, "where='nort' of forecast, but where must be"),
        ({"ids": ["1"]}, "ids=['1'] of forecast, but a call has [1] there. Write ids: [1]."),
    ],
)
def test_a_value_that_no_call_can_have_is_refused(args: dict[str, Any], sentence: str):
    with pytest.raises(bn.errors.MeasureError) as fault:
        check_cases([bn.Case("x", [("forecast", args)])], bn.Agent(TYPED))
    assert f"The case 'x' expects {sentence}" in str(fault.value)


@pytest.mark.parametrize(
    "args",
    [
        {"days": 2, "where": "north", "ids": [1, 2]},
        {"days": 2.0},
        {"days": re.compile("2")},
        {"days": lambda days: days < 3},
        {"days": {"$in": ["2", 2]}, "where": ..., "ids": [{"$regex": "1"}]},
        {"days": {"$exists": False}, "where": None},
    ],
)
def test_a_value_that_a_call_can_have_or_only_a_part_is_taken(args: dict[str, Any]):
    check_cases([bn.Case("x", [("forecast", args)])], bn.Agent(TYPED))
