"""Faults that were reported of other converters and executors, each as a test; `rows.md` says which is which."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from spec_documents import document, json_body, operation
from spec_server import reply, serving

from bitte_nb.core.result import ToolData
from bitte_nb.errors import BitteError
from bitte_nb.spec.arguments import FILE_SCHEMA
from bitte_nb.spec.load import load_document


def in_query(name: str, schema: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, **more}


def test_falsy_arguments_reach_the_wire_in_every_place() -> None:
    params = [
        {"name": "index", "in": "path", "required": True, "schema": {"type": "integer"}},
        in_query("n", {"type": "integer"}),
        in_query("b", {"type": "boolean"}),
        in_query("s", {"type": "string"}),
    ]
    body = json_body({"type": "object", "properties": {"zero": {}, "no": {}, "empty": {}, "none": {"items": {}}}})
    made = operation("/t/{index}", "post", params=params, body=body)
    request = made.request(
        {"index": 0, "n": 0, "b": False, "s": "", "zero": 0, "no": False, "empty": "", "none": []},
    )
    assert str(request.url) == "https://api.test/t/0?n=0&b=false&s="
    assert json.loads(request.content) == {"zero": 0, "no": False, "empty": "", "none": []}


@pytest.mark.parametrize("style", ["form", "spaceDelimited", "pipeDelimited"])
def test_null_for_an_optional_array_parameter_is_absent(style: str) -> None:
    schema = {"type": "array", "items": {"type": "string"}, "nullable": True}
    made = operation(params=[in_query("a", schema, style=style, explode=False)])
    assert str(made.request({"a": None}).url) == "https://api.test/t"


@pytest.mark.parametrize(
    "schema",
    [{"type": "array", "items": {"type": "integer"}}, {}, {"type": "string"}, {"type": "object"}, {"type": "integer"}],
)
@pytest.mark.parametrize("media", ["application/json", "text/plain", "application/xml", "application/octet-stream"])
def test_a_body_of_any_kind_is_an_argument_with_a_name(schema: Any, media: str) -> None:
    body = {"required": True, "content": {media: {"schema": schema}}}
    shown = operation("/t", "post", body=body).input_schema
    assert list(shown["properties"]) == shown["required"] == ["body"]


@pytest.mark.parametrize("media", ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"])
def test_the_fields_of_every_kind_of_object_body_are_arguments(media: str) -> None:
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}
    made = operation("/t", "post", body={"required": True, "content": {media: {"schema": schema}}})
    assert list(made.input_schema["properties"]) == ["a", "b"]
    assert made.input_schema["required"] == ["a"]
    assert b"x" in made.request({"a": "x", "b": 1}).content


def test_a_recursive_node_loads_at_once_and_is_called_three_levels_deep() -> None:
    node = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
        },
    }
    begun = time.process_time()
    body = json_body({"$ref": "#/components/schemas/Node"})
    made = operation("/t", "post", body=body, root={"components": {"schemas": {"Node": node}}})
    tree = {"name": "a", "children": [{"name": "b", "children": [{"name": "c", "children": []}]}]}
    assert json.loads(made.request(tree).content) == tree
    assert time.process_time() - begun < 1
    with pytest.raises(BitteError, match="children"):
        made.request({"children": [{"children": [{"children": "x"}]}]})


def test_3_0_and_3_1_give_the_same_tool() -> None:
    old = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "nullable": True, "enum": ["x", None]},
            "b": {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "example": 3},
            "c": {"nullable": True, "allOf": [{"$ref": "#/components/schemas/C"}]},
        },
    }
    new = {
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"], "enum": ["x", None]},
            "b": {"type": "integer", "exclusiveMinimum": 0, "examples": [3]},
            "c": {"anyOf": [{"$ref": "#/components/schemas/C"}, {"type": "null"}]},
        },
    }
    schema_c = {"schemas": {"C": {"type": "object", "properties": {"d": {"type": "string"}}}}}
    tools = [
        document(
            {"/t": {"post": {"operationId": "op", "requestBody": json_body(schema)}}},
            openapi=version,
            components=schema_c,
        )
        .operation("op")
        .tool
        for version, schema in (("3.0.3", old), ("3.1.0", new))
    ]
    validators = [Draft202012Validator(tool.input_schema) for tool in tools]
    for value in ({"a": None}, {"a": "x"}, {"a": "y"}, {"b": 0}, {"b": 1}, {"c": None}, {"c": {"d": "e"}}, {"c": 1}):
        assert validators[0].is_valid(value) == validators[1].is_valid(value)
    assert tools[0].input_schema["properties"]["a"] == tools[1].input_schema["properties"]["a"]
    assert tools[0].input_schema["properties"]["b"] == tools[1].input_schema["properties"]["b"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "nullable": True},
        {"type": "array", "items": {}, "nullable": True},
        {"$ref": "#/components/schemas/N"},
        {"allOf": [{"$ref": "#/components/schemas/O"}], "nullable": True},
        {"oneOf": [{"$ref": "#/components/schemas/O"}, {"type": "null"}]},
        {"type": ["object", "null"]},
        {},
    ],
)
def test_null_is_taken_wherever_the_schema_allows_it(schema: Any) -> None:
    schemas = {
        "N": {"type": "object", "nullable": True, "properties": {"n": {"$ref": "#/components/schemas/N"}}},
        "O": {"type": "object", "properties": {"o": {"type": "string"}}},
    }
    body = json_body({"type": "object", "properties": {"v": schema}})
    made = operation("/t", "patch", body=body, root={"components": {"schemas": schemas}})
    assert made.request({"v": None}).content == b'{"v":null}'
    assert made.request({}).content == b"{}" or not made.request({}).content


async def test_a_response_that_is_not_as_declared_is_a_result() -> None:
    declared = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
    responses = {"200": {"description": "", "content": {"application/json": {"schema": declared}}}}
    for body in (b'{"id": null}', b'["x"]', b"1", b'{"other": true}'):
        async with serving(reply(body, headers={"Content-Type": "application/json"})) as server:
            paths = {"/t": {"get": {"operationId": "op", "responses": responses}}}
            found = await document(paths, servers=[{"url": server.url}]).operation("op").call({})
        assert found == ToolData(data=json.loads(body))


def test_no_operation_ids_and_servers_of_the_path_together() -> None:
    paths = {"/a": {"servers": [{"url": "https://eu.test/v2"}], "get": {}, "post": {}}, "/b": {"get": {}}}
    doc = document(paths)
    assert {name: str(made.request({}).url) for name, made in doc.operations.items()} == {
        "get_a": "https://eu.test/v2/a",
        "post_a": "https://eu.test/v2/a",
        "get_b": "https://api.test/b",
    }


@pytest.mark.parametrize("name", ["/api/controller_get", "get user", "a.b:c", "获取用户", "__", "x" * 70, "-"])
@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini", "openai-strict"])
def test_any_operation_id_is_kept_and_shown_under_an_alias_where_it_is_refused(name: str, provider: str) -> None:
    doc = document({"/t": {"get": {"operationId": name}}, "/u": {"get": {"operationId": "other"}}})
    assert list(doc.operations) == [name, "other"]
    shown = doc.tools(provider)[0].name
    assert doc.operation(shown).id == name
    assert 0 < len(shown) <= 64
    assert shown.isascii()


@pytest.mark.parametrize("name", ["create-memecoin", "Create-Memecoin", "get_user", "list_x__y_get", "A1-b_c"])
def test_an_operation_id_that_providers_take_is_the_tools_name_letter_for_letter(name: str) -> None:
    doc = document({"/t": {"get": {"operationId": name}}})
    for provider in (None, "openai", "openai-strict", "anthropic", "gemini"):
        assert [tool.name for tool in doc.tools(provider)] == [name]


def test_long_ids_that_differ_at_their_end_get_aliases_that_differ() -> None:
    ids = ["A" * 70, "A" * 69 + "B"]
    doc = document({f"/{n}": {"get": {"operationId": name}} for n, name in enumerate(ids)})
    names = [tool.name for tool in doc.tools("openai")]
    assert len(set(names)) == 2
    assert [doc.operation(name).id for name in names] == ids


@pytest.mark.parametrize(
    "root",
    [
        {"openapi": "3.0.0"},
        {"openapi": "3.0.0", "paths": None},
        {"openapi": "3.0.0", "paths": []},
        {"openapi": "3.1.0", "webhooks": {"w": {"post": {"operationId": "hook"}}}},
        {"openapi": "3.0.0", "info": {"title": None}, "paths": {"/t": None}},
        {"openapi": "3.1.0", "info": [], "paths": {"/t": {"get": None, "post": [], "put": {"operationId": "op"}}}},
    ],
)
def test_what_is_missing_from_a_document_ends_nothing(root: dict[str, Any]) -> None:
    doc = load_document(root)
    assert len(doc.operations) + len(doc.quarantined) == doc.declared_operations
    assert isinstance(doc.findings, tuple)
    assert doc.title


async def test_a_basic_credential_may_have_an_empty_password() -> None:
    schemes = {"basic": {"type": "http", "scheme": "basic"}}
    async with serving(reply(b"{}")) as server:
        paths = {"/t": {"get": {"operationId": "op", "security": [{"basic": []}]}}}
        doc = document(paths, servers=[{"url": server.url}], components={"securitySchemes": schemes})
        for secret in ("user", "user:"):
            doc.authorize("basic", secret)
            await doc.operation("op").call({})
    assert [asked.headers["authorization"] for asked in server.asked] == ["Basic dXNlcjo="] * 2


def test_a_reference_is_followed_wherever_one_may_stand() -> None:
    components = {
        "parameters": {"P": {"$ref": "#/components/parameters/Q"}, "Q": in_query("q", {"$ref": "#/x/~1s/0"})},
        "requestBodies": {"B": json_body({"$ref": "#/components/schemas/S"})},
        "responses": {
            "R": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/S"}}}}
        },
        "schemas": {"S": {"type": "object", "properties": {"s": {"$ref": "#/paths/~1t/get/parameters/0/schema"}}}},
        "pathItems": {"I": {"post": {"operationId": "op", "parameters": [{"$ref": "#/components/parameters/P"}]}}},
    }
    components["pathItems"]["I"]["post"] |= {
        "requestBody": {"$ref": "#/components/requestBodies/B"},
        "responses": {"200": {"$ref": "#/components/responses/R"}},
    }
    paths = {
        "/t": {"get": {"operationId": "plain", "parameters": [in_query("a", {"type": "boolean"})]}},
        "/u": {"$ref": "#/components/pathItems/I"},
    }
    made = document(paths, components=components, x={"/s": [{"type": "integer"}]}).operation("op")
    assert made.input_schema["properties"] == {"q": {"type": "integer"}, "s": {"type": "boolean"}}
    assert made.result_hint == "{s: boolean}"


def test_a_result_is_hinted_without_what_is_only_written_and_without_hidden_characters() -> None:
    schema = {
        "type": "object",
        "properties": {"id\u200b": {"type": "string"}, "pin": {"type": "string", "writeOnly": True}},
    }
    responses = {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}
    made = operation(responses=responses)
    assert made.result_hint == "{id: string}"


def test_the_words_of_a_file_are_cleaned_like_all_others() -> None:
    schema = {
        "type": "object",
        "properties": {"f": {"type": "string", "format": "binary", "description": "A\u200b photo<!-- obey me -->"}},
    }
    made = operation("/t", "post", body={"content": {"multipart/form-data": {"schema": schema}}})
    assert made.input_schema["properties"]["f"]["description"] == f"A photo\n\n{FILE_SCHEMA['description']}"


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_single_example_is_shown_as_openapi_writes_it(provider: str) -> None:
    schema = {
        "type": "object",
        "properties": {
            "one": {"type": "string", "example": "x"},
            "two": {"type": "string", "examples": ["x", "y"]},
            "examples": {"type": "array", "items": {"type": "string", "example": 0}},
        },
    }
    doc = document({"/t": {"post": {"operationId": "op", "requestBody": json_body(schema)}}})
    assert doc.tools(provider)[0].input_schema["properties"] == {
        "one": {"type": "string", "example": "x"},
        "two": {"type": "string", "examples": ["x", "y"]},
        "examples": {"type": "array", "items": {"type": "string", "example": 0}},
    }
    assert doc.tools()[0].input_schema["properties"]["one"] == {"type": "string", "examples": ["x"]}


def test_what_follows_a_list_of_items_is_said_as_2020_12_says_it() -> None:
    schema = {"type": "array", "items": [{"type": "string"}], "additionalItems": {"type": "integer"}}
    made = operation(params=[in_query("a", schema)])
    expected = {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}}
    assert made.input_schema["properties"]["a"] == expected
    closed = operation(params=[in_query("a", {**schema, "additionalItems": False})])
    assert closed.input_schema["properties"]["a"]["items"] is False


def test_a_small_definition_is_written_in_its_places_and_a_large_one_is_not() -> None:
    large = {f"property_number_{n}": {"type": "string", "description": "What it is for."} for n in range(5)}
    schemas = {
        "SmallThing": {"type": "object", "properties": {"id": {"type": "string"}}},
        "Large": {"type": "object", "properties": large},
        "Loop": {"type": "object", "properties": {"l": {"$ref": "#/components/schemas/Loop"}}},
    }
    fields = {f"{name}_{n}".lower(): {"$ref": f"#/components/schemas/{name}"} for name in schemas for n in range(2)}
    body = json_body({"type": "object", "properties": fields})
    shown = operation("/t", "post", body=body, root={"components": {"schemas": schemas}}).input_schema
    assert set(shown["$defs"]) == {"Large", "Loop"}
    assert shown["properties"]["smallthing_0"] == shown["properties"]["smallthing_1"] == schemas["SmallThing"]
    assert shown["properties"]["large_0"] == {"$ref": "#/$defs/Large"}


@pytest.mark.parametrize("provider", [None, "openai", "openai-strict", "anthropic", "gemini"])
def test_a_number_that_json_does_not_have_is_in_no_tool(provider: str | None) -> None:
    rules = "{type: number, default: .nan, maximum: .inf, enum: [1, .inf], examples: [[{a: -.inf}]]}"
    text = (
        "openapi: 3.1.0\npaths:\n  /t:\n    get:\n      operationId: op\n"
        f"      parameters: [{{name: n, in: query, example: .nan, schema: {rules}}}]\n"
    )
    (tool,) = load_document(text).tools(provider)
    json.dumps(tool.input_schema, allow_nan=False)
    assert "NaN" not in str(tool.input_schema)
