"""A tool's schema, short as it is, means what the document's schema means, and says all that it says."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from spec_documents import document, json_body, operation

from bitte_nb.spec.arguments import FILE_SCHEMA
from bitte_nb.spec.profiles import adapt
from bitte_nb.spec.tree import both, words

TYPES = st.sampled_from(["string", "integer", ["string", "null"], "object"])
LIMIT = st.sampled_from([{}, {"minLength": 2}, {"minimum": 3}, {"enum": ["a", "bb", 5]}, {"maxLength": 2}])
SAID = st.sampled_from([{}, {"description": "first text"}, {"description": "second words"}, {"title": "Third"}])
TYPE = TYPES.map(lambda kind: {"type": kind})
TARGET = st.sampled_from(["A", "B"]).map(lambda name: {"$ref": f"#/components/schemas/{name}"})
LEAF = st.tuples(TYPE, LIMIT, SAID).map(lambda parts: {**parts[0], **parts[1], **parts[2]})
BESIDE = st.tuples(TYPE | st.just({}), LIMIT, SAID).map(lambda parts: {**parts[0], **parts[1], **parts[2]})
REFERENCE = st.tuples(TARGET, BESIDE).map(lambda parts: {**parts[0], **parts[1]})
ALIAS = st.tuples(BESIDE, st.lists(LEAF, max_size=2)).map(
    lambda parts: {"$ref": "#/components/schemas/B", **parts[0], **({"allOf": parts[1]} if parts[1] else {})}
)


def wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Parts that hold together, alternatives, objects and lists."""
    some = st.lists(inner | REFERENCE, min_size=1, max_size=3)
    return (
        st.tuples(some, BESIDE).map(lambda parts: {"allOf": parts[0], **parts[1]})
        | st.tuples(some, SAID).map(lambda parts: {"anyOf": parts[0], **parts[1]})
        | inner.map(lambda one: {"type": "object", "properties": {"a": one}, "required": ["a"]})
        | inner.map(lambda one: {"type": "array", "items": one})
    )


SCHEMA = st.recursive(LEAF | REFERENCE, wider, max_leaves=8)
PLAIN: list[Any] = [None, "", "a", "bb", "ccc", 2, 5, {}, []]
VALUES = [*PLAIN, *({"a": value} for value in PLAIN), *([value] for value in PLAIN), {"a": {"a": "bb"}}]


@given(SCHEMA, LEAF | ALIAS, LEAF | st.lists(LEAF, min_size=1, max_size=2).map(lambda parts: {"allOf": parts}))
def test_a_shortened_schema_takes_the_same_values_and_loses_no_description(one: Any, a: Any, b: Any) -> None:
    schemas = {"A": a, "B": b}
    fields = {"type": "object", "properties": {"v": one, "w": one}}
    paths = {"/t": {"post": {"operationId": "op", "requestBody": json_body(fields)}}}
    tool = document(paths, components={"schemas": schemas}).operation("op").tool
    given_schema = adapt(tool, "openai", "op").input_schema
    original = Draft202012Validator({**fields, "components": {"schemas": schemas}})
    shortened = Draft202012Validator(given_schema)
    for value in VALUES:
        assert shortened.is_valid({"v": value}) == original.is_valid({"v": value}), value
    assert said(one, schemas) <= words(" ".join(descriptions(given_schema)))


def said(node: Any, schemas: dict[str, Any]) -> set[str]:
    """The words of all descriptions of a schema and of those that it refers to."""
    used = [schema for name, schema in schemas.items() if f"schemas/{name}'" in str(node)]
    return words(" ".join(descriptions([node, *used])))


def descriptions(node: Any) -> list[str]:
    """All descriptions in a schema."""
    inner = list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []
    own = [node["description"]] if isinstance(node, dict) and isinstance(node.get("description"), str) else []
    return own + [text for one in inner for text in descriptions(one)]


def test_two_texts_are_one_where_one_says_what_the_other_says() -> None:
    assert both("The id of a user.", "user id") == "The id of a user."
    assert both("user_id", "The id of a user.") == "The id of a user."
    assert both("Filter by type.", "The type of a job.") == "Filter by type.\n\nThe type of a job."
    assert both("", "x") == both("x", "") == "x"


def test_the_text_of_a_parameter_and_of_its_schema_are_both_told() -> None:
    schema = {"type": "string", "description": "One of the levels that an account has."}
    made = operation(params=[{"name": "level", "in": "query", "description": "Filter by level.", "schema": schema}])
    told = made.input_schema["properties"]["level"]["description"]
    assert told == "Filter by level.\n\nOne of the levels that an account has."


def test_a_file_has_its_own_text_and_how_it_is_given() -> None:
    schema = {"type": "string", "format": "binary", "description": "The picture."}
    body = {"content": {"image/png": {"schema": schema}}}
    assert operation("/t", "put", body=body).input_schema["properties"]["body"] == {
        **FILE_SCHEMA,
        "description": f"The picture.\n\n{FILE_SCHEMA['description']}",
    }


def test_a_summary_that_the_name_and_the_description_say_is_left_out() -> None:
    def told(name: str, summary: str, description: str) -> str:
        node = {"operationId": name, "summary": summary, "description": description, "responses": {}}
        return document({"/t": {"get": node}}).operation(name).tool.description

    assert told("get-my-ship", "Get Ship", "Retrieve the details.") == "Retrieve the details."
    assert told("getMyShip", "Get ship", "Retrieve the details.") == "Retrieve the details."
    assert told("ship", "Get Ship", "Retrieve the details.") == "Get Ship\n\nRetrieve the details."
    assert told("getMyShip", "Get ship", "") == "Get ship"
