"""Rules of the offline model that hold for any text and any schema, by random search."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitte_nb.core.messages import UserMessage
from bitte_nb.core.tool import Tool
from bitte_nb.core.wallet import Wallet
from bitte_nb.model.explicit import parse_command, write_command
from bitte_nb.model.mentions import mentions
from bitte_nb.model.plan import plan
from bitte_nb.model.retrieval import Index
from bitte_nb.model.said import Said
from bitte_nb.model.slots import fill
from bitte_nb.model.words import split_identifier, stem, vocabulary
from tests.model.toolsets import LIBRARY, PARCELS, WALLET, op, text

NOBODY = Wallet()
WORDS = st.sampled_from(
    sorted(
        vocabulary(
            """send transfer list get book books loan loans renew borrow return parcel price NEAR ETH to from for with
            saying and then , ; . ? ' " = : { [ 1 0.5 2026-01-02 bob.near 0xabababababababababababababababababababab
            L-204 PX4471190 9780140449136 https://example.org/a?b=c anna@example.org my the it don't how use roll two
            dice three times"""
        )
    )
)
SENTENCES = st.one_of(st.lists(WORDS, max_size=14).map(" ".join), st.text(max_size=60))


@settings(max_examples=150, deadline=None)
@given(SENTENCES, st.sampled_from([LIBRARY, PARCELS, WALLET]))
def test_any_text_leads_to_a_plan_and_no_value_is_made_up(prompt: str, tools: list[Tool]):
    step = plan([UserMessage(content=prompt)], Index(tools), wallet=NOBODY)
    # A number may be said as a word: "three" is where a "3" comes from.
    said = " ".join([prompt.lower(), *(mention.typed for mention in mentions(prompt))])
    for call in step.calls:
        required = call.tool.input_schema.get("required", [])
        assert set(required) <= set(call.args)
        assert all(value.lower() in said for value in _texts(call.args))


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80))
def test_mentions_stand_in_the_text_and_do_not_overlap(said: str):
    found = mentions(said)
    assert all(mention.text in said[mention.start : mention.end] for mention in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


SCHEMAS = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", "number", "boolean", "object", "array", ["string", "null"]]),
            "format": st.sampled_from(["uri", "date", "uuid", "int32", "x"]),
            "pattern": st.sampled_from(["^[0-9]+$", "(a+)+$", "[", ""]),
            "enum": st.lists(st.one_of(st.text(max_size=4), st.integers(), st.none()), max_size=3),
            "default": st.one_of(st.none(), st.integers(), st.text(max_size=3)),
            "example": st.one_of(st.integers(), st.text(max_size=5), st.lists(st.integers(), max_size=2)),
            "description": st.text(max_size=12),
            "minimum": st.integers(),
            "$ref": st.sampled_from(["#/$defs/a", "#/$defs/none", "#"]),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.just("object"),
            "properties": st.dictionaries(st.text(min_size=1, max_size=6), inner, max_size=3),
            "required": st.lists(st.text(min_size=1, max_size=6), max_size=2),
            "items": inner,
            "anyOf": st.lists(inner, max_size=2),
            "allOf": st.lists(inner, max_size=2),
        },
    ),
    max_leaves=8,
)


@settings(max_examples=120, deadline=None)
@given(st.dictionaries(st.sampled_from(["amount", "id", "q", "to", "petId", "x"]), SCHEMAS, max_size=4), SENTENCES)
def test_any_schema_can_be_filled_as_far_as_the_text_goes(properties: dict[str, Any], prompt: str):
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "$defs": {"a": {"$ref": "#/$defs/a"}},
    }
    tool = Tool(name="do-it", input_schema=schema, method="POST")
    filling = fill(tool, Said.read(prompt), wallet=NOBODY)
    json.dumps(filling.args)
    assert all(label.split(".")[0] in properties for label in filling.missing)


VALUES = st.one_of(
    st.text(max_size=20), st.integers(), st.booleans(), st.lists(st.integers(), max_size=3), st.just({"a": 'b", c=1'})
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(["one", "two", "x-three", "f[a]"]), VALUES, max_size=4))
def test_what_a_form_writes_is_read_back_the_same(args: dict[str, Any]):
    tool = op("keep-it", "POST", "/keep", "Keep it.", **{name: ({}, False) for name in args})
    command = parse_command(write_command(tool.name, args), [tool])
    assert command is not None
    assert (command.tool, command.trouble) == (tool, "")
    assert command.args == args


@given(st.text(max_size=15))
def test_a_text_argument_keeps_what_looks_like_a_number(value: str):
    tool = op("keep", "POST", "/keep", "Keep it.", text=(text(), True))
    command = parse_command(write_command("keep", {"text": value}), [tool])
    assert command is not None
    assert command.args == {"text": value}


@given(st.text(alphabet="abcdefgHIJK_- 123", max_size=20))
def test_stems_and_pieces_are_lower_case_and_stable(name: str):
    for piece in split_identifier(name):
        assert piece == piece.lower()
        assert 0 < len(stem(piece)) <= len(piece) + 1
    assert split_identifier("getHTTPStatus") == ["get", "http", "status"]


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [one for inner in value.values() for one in _texts(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in _texts(inner)]
    return [value] if isinstance(value, str) else []


HOSTILE = ["a", "1,", "'", "{", "x=", "a_1-", "and ", ", ", " ", "a@", 'x: "', "transfer 1 NEAR to bob.near and "]


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.timeout(100)
def test_no_text_takes_long_to_read(piece: str):
    for length in (1900, 20_000):
        plan([UserMessage(content=(piece * length)[:length])], Index(WALLET), wallet=NOBODY)
