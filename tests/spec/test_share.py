"""What a tool repeats is written once, where that is shorter, and means the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec_documents import document, json_body

from bitte_nb.spec.document import Document
from bitte_nb.spec.share import shared

ADDRESS = {
    "type": "object",
    "description": "Where somebody lives, as the post office would write it.",
    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
    "required": ["street"],
}
LEAF = st.sampled_from(
    [{"type": "string"}, {"type": "string", "description": "words " * 20}, ADDRESS, {"enum": [1, 2]}]
)


def wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects, lists and alternatives of schemas."""
    fields = st.dictionaries(st.sampled_from(["a", "b", "$ref", "properties", "é x"]), inner, max_size=3)
    return (
        fields.map(lambda found: {"type": "object", "properties": found})
        | inner.map(lambda found: {"type": "array", "items": found})
        | st.lists(inner, min_size=1, max_size=3).map(lambda found: {"anyOf": found})
        | st.just({"$ref": "#/$defs/A"})
    )


SCHEMA = st.recursive(LEAF, wider, max_leaves=12)


def opened(node: Any, definitions: dict[str, Any], keep: set[str], *, named: bool = False) -> Any:
    """A schema with the references to all definitions but the kept ones written out."""
    if isinstance(node, list):
        return [opened(entry, definitions, keep) for entry in node]
    if not isinstance(node, dict):
        return node
    ref = node.get("$ref")
    if not named and isinstance(ref, str) and (name := ref.removeprefix("#/$defs/")) not in keep:
        return opened(definitions[name], definitions, keep)
    return {
        key: opened(value, definitions, keep, named=not named and key == "properties") for key, value in node.items()
    }


@given(st.dictionaries(st.sampled_from(["one", "two", "three"]), SCHEMA), SCHEMA)
def test_what_is_shared_is_the_same_schema_and_never_larger(fields: dict[str, Any], definition: Any) -> None:
    schema = {"type": "object", "properties": fields, "$defs": {"A": definition}}
    found = shared(json.loads(json.dumps(schema)))
    assert found == shared(json.loads(json.dumps(schema))), "the names differ from one time to the next"
    assert len(json.dumps(found)) <= len(json.dumps(schema))
    definitions = found["$defs"]
    if "#/$defs/A" not in json.dumps(schema):
        expected = {key: value for key, value in schema.items() if key != "$defs"}
        body = {key: value for key, value in found.items() if key != "$defs"}
        assert opened(body, definitions, set()) == expected
        assert opened(definitions["A"], definitions, set()) == definition


def twice() -> Document:
    """A document whose operation takes the same object in two places."""
    fields = {"home": ADDRESS, "work": ADDRESS, "name": {"type": "string"}}
    return document(
        {"/move": {"post": {"operationId": "move", "requestBody": json_body({"type": "object", "properties": fields})}}}
    )


@pytest.mark.parametrize("provider", ["openai", "anthropic", "openai-strict", "gemini"])
def test_a_repeated_object_is_defined_once_where_references_are_understood(provider: str) -> None:
    schema = twice().tools(provider)[0].input_schema
    text = json.dumps(schema)
    if provider == "gemini":
        assert "$ref" not in text
        assert text.count("post office") == 2
    else:
        assert text.count("post office") == 1
        assert list(schema["$defs"]) == ["home"]


def test_arguments_are_checked_as_before() -> None:
    operation = twice().operation("move")
    assert operation.arguments({"home": {"street": "A"}, "work": {"street": 7}}) == {
        "home": {"street": "A"},
        "work": {"street": "7"},
    }
