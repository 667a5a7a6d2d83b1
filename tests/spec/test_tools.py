"""Tools as providers take them, what they cost, and the ladder of smaller forms."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from spec_documents import document, json_body, operation

from bitte_nb.errors import ArgumentRefused
from bitte_nb.spec.budget import RUNGS, budget
from bitte_nb.spec.document import Document
from bitte_nb.spec.inline import inlined
from bitte_nb.spec.profiles import property_aliases, tool_aliases

NODE = {
    "type": "object",
    "title": "A node",
    "required": ["kind"],
    "properties": {
        "kind": {"enum": ["a", 1, None]},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "next": {"$ref": "#/components/schemas/Node"},
        "either": {"oneOf": [{"type": "string", "format": "uuid"}, {"type": "integer", "format": "int64"}]},
        "both": {
            "allOf": [
                {"properties": {"x": {"type": "string"}}, "required": ["x"]},
                {"properties": {"y": {"const": "z"}}},
            ]
        },
        "list": {"type": ["array", "null"], "items": {"type": ["string", "integer"]}},
        "free": {},
    },
}


def sample() -> Document:
    params = [
        {
            "name": "filter[id]",
            "in": "query",
            "required": True,
            "schema": {"type": "string", "description": "d " * 200},
        },
        {"name": "opt", "in": "query", "schema": {"type": "string"}},
    ]
    paths = {
        "/a": {
            "post": {
                "operationId": "a/b",
                "tags": ["x"],
                "description": "First line.\nMore.",
                "parameters": params,
                "requestBody": json_body({"$ref": "#/components/schemas/Node"}),
            }
        },
        "/b": {"get": {"operationId": "plain", "tags": ["y"], "deprecated": True, "summary": "S", "description": "D"}},
    }
    return document(paths, components={"schemas": {"Node": NODE}})


def walk(node: Any, *, names: bool = False) -> Any:
    """Every schema in a schema."""
    if isinstance(node, dict):
        if not names:
            yield node
        for key, value in node.items():
            if names or key not in ("enum", "const", "default", "example", "examples", "required"):
                yield from walk(value, names=not names and key in ("properties", "$defs"))
    elif isinstance(node, list):
        for entry in node:
            yield from walk(entry)


def test_openai_strict_has_a_pattern_that_looks_around_in_words() -> None:
    for pattern, kept in ((r"^[a-z]+$", True), (r"^(?!x)[a-z]+$", False), (r"(?<=a)b", False), (r"(a)\1", False)):
        param = {"name": "q", "in": "query", "schema": {"type": "string", "description": "Q.", "pattern": pattern}}
        tools = document({"/t": {"get": {"operationId": "op", "parameters": [param]}}}).tools("openai-strict")
        field = tools[0].input_schema["properties"]["q"]
        assert (field.get("pattern"), field["description"]) == (
            (pattern, "Q.") if kept else (None, f"Q. Pattern: {pattern}")
        )


def test_openai_strict_closes_and_requires_everything() -> None:
    schema = sample().tools("openai-strict")[0].input_schema
    Draft202012Validator.check_schema(schema)
    allowed = {"type", "description", "enum", "properties", "required", "additionalProperties", "items", "anyOf"}
    allowed |= {"$ref", "$defs", "format", "pattern", "minimum", "maximum", "title"}
    for node in walk(schema):
        assert node.keys() <= allowed
        if "properties" in node:
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
    strict = {
        "filter_id": "1",
        "opt": None,
        "kind": "a",
        "map": '{"k": 1}',
        "next": None,
        "either": None,
        "both": None,
        "list": None,
        "free": None,
    }
    assert Draft202012Validator(schema).is_valid(strict)
    request = sample().operation("a_b").request(strict)
    assert json.loads(request.content) == {"kind": "a", "map": {"k": 1}, "list": None, "free": None}
    assert request.url.query == b"filter%5Bid%5D=1"


def test_gemini_gets_no_references_type_lists_or_foreign_keywords() -> None:
    allowed = {
        "anyOf",
        "default",
        "description",
        "enum",
        "example",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "nullable",
        "pattern",
        "properties",
        "required",
        "title",
        "type",
        "maxLength",
        "minLength",
        "maxProperties",
        "minProperties",
    }
    for node in walk(sample().tools("gemini")[0].input_schema):
        assert node.keys() <= allowed
        assert isinstance(node.get("type", ""), str)
        assert all(isinstance(value, str) for value in node.get("enum", []))
        assert set(node) == {"anyOf"} or "anyOf" not in node
        assert set(node.get("required", [])) <= set(node.get("properties", {}))


def test_the_other_providers_get_the_schema_with_safe_names() -> None:
    openai, anthropic = sample().tools("openai")[0], sample().tools("anthropic")[0]
    assert (openai.name, anthropic.name) == ("a_b", "a_b")
    assert "filter[id]" in openai.input_schema["properties"]
    assert "filter_id" in anthropic.input_schema["properties"]
    assert "filter_id" in anthropic.input_schema["required"]


def test_a_description_has_summary_text_and_the_warning_of_age() -> None:
    tools = sample().tools()
    assert tools[0].description == "First line.\nMore."
    assert tools[1].description == "[DEPRECATED] S\n\nD"
    long = "Respond with the whole list of supported blockchains."
    assert operation(summary="Get chains", description=long).tool.description == long
    assert (
        operation(summary="List users", description="List users of a team.").tool.description == "List users of a team."
    )


def test_an_unknown_rung_or_provider_is_told_the_known_ones() -> None:
    doc = document({"/a": {"get": {"operationId": "a"}}})
    known = "'small' is no rung of the tools: choose one of full, trimmed, required, index."
    with pytest.raises(ArgumentRefused, match=re.escape(known)):
        doc.tools("openai", rung="small")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ArgumentRefused, match=re.escape(known)):
        doc.budget(rung="small")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ArgumentRefused, match="'openia' is not a known provider"):
        doc.tools("openia")


def test_every_rung_is_smaller_and_still_a_schema_that_stands_on_its_own() -> None:
    doc = sample()
    sizes = [doc.budget(rung=rung).bytes for rung in RUNGS]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes)
    for rung in RUNGS:
        for tool in doc.tools(rung=rung):
            Draft202012Validator.check_schema(tool.input_schema)
            defs = tool.input_schema.get("$defs", {})
            assert all(
                node["$ref"].removeprefix("#/$defs/") in defs for node in walk(tool.input_schema) if "$ref" in node
            )
    required = doc.tools(rung="required")[0].input_schema
    assert list(required["properties"]) == ["filter[id]", "kind"]
    assert "$defs" not in required
    assert doc.tools(rung="index")[0].description == "First line."


def test_a_definition_that_is_used_once_or_small_is_written_in_place_and_means_the_same() -> None:
    tree = {"type": "object", "properties": {"t": {"$ref": "#/$defs/T"}}}
    defs = {
        "T": {"type": "object", "properties": {"t": {"$ref": "#/$defs/T"}, "once": {"$ref": "#/$defs/O"}}},
        "O": {"type": "object", "properties": {"$ref": {"$ref": "#/$defs/P"}}},
        "P": {"type": "integer"},
    }
    schema = {
        **tree,
        "properties": {**tree["properties"], "p": {"$ref": "#/$defs/P", "description": "own"}},
        "$defs": defs,
    }
    short = inlined(schema)
    assert set(short["$defs"]) == {"T"}
    assert short["$defs"]["T"]["properties"]["once"]["properties"] == {"$ref": {"type": "integer"}}
    assert short["properties"]["p"] == {"type": "integer", "description": "own"}
    for value in (
        {"t": {"once": {"$ref": 1}}, "p": 1},
        {"t": {"once": {"$ref": "x"}}},
        {"t": {"t": {"t": 5}}},
        {"p": "x"},
    ):
        assert Draft202012Validator(schema).is_valid(value) == Draft202012Validator(short).is_valid(value)
    assert inlined({"type": "object", "properties": {}}) == {"type": "object", "properties": {}}


def test_the_budget_names_the_heaviest_and_warns() -> None:
    doc = sample()
    found = doc.budget()
    assert found.costs[0].name == "a/b"
    assert found.bytes == sum(cost.bytes for cost in found.costs)
    assert found.warnings() == []
    assert len(found.warnings(tokens=10, tools=1)) == 2
    assert budget([]).tokens == 0


def test_operations_are_selected_by_every_condition() -> None:
    doc = sample()
    assert [o.id for o in doc.select(tags=["x"])] == ["a/b"]
    assert [o.id for o in doc.select(methods=["get", "put"])] == ["plain"]
    assert [o.id for o in doc.select(paths=["/a"])] == ["a/b"]
    assert [o.id for o in doc.select(ids=["plain", "no"])] == ["plain"]
    assert [o.id for o in doc.select(where=lambda o: o.safe)] == ["plain"]
    assert [o.id for o in doc.select(deprecated=False)] == ["a/b"]
    assert doc.select(tags=["x"], methods=["get"]) == []
    assert [tool.name for tool in doc.tools(operations=doc.select(tags=["y"]))] == ["plain"]


NAMES = st.lists(st.text(min_size=1, max_size=90), unique=True, max_size=8)


@given(NAMES)
def test_aliases_are_distinct_safe_and_stable(names: list[str]) -> None:
    for make, safe in ((tool_aliases, r"[A-Za-z0-9_-]{1,64}"), (property_aliases, r"[A-Za-z0-9_.-]{1,64}")):
        aliases = make(names)
        final = [aliases.get(name, name) for name in names]
        assert len(set(final)) == len(names)
        assert all(re.fullmatch(safe, name) for name in final)
        assert all(not re.fullmatch(safe, name) for name in aliases)
        assert make(names) == aliases


@pytest.mark.parametrize("provider", ["openai", "openai-strict", "anthropic", "gemini"])
def test_every_alias_of_a_provider_leads_back(provider: str) -> None:
    doc = sample()
    assert [doc.operation(tool.name).id for tool in doc.tools(provider)] == list(doc.operations)
