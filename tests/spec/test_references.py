"""Where references may lead: inside the document, beside it, and nowhere else unasked."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from spec_documents import document, operation
from spec_server import Answer, Asked, reply, serving

from bitte_nb.spec.lines import locate
from bitte_nb.spec.load import load_document

PART = {"Id": {"type": "integer"}, "Up": {"$ref": "sub/more.json#/Name"}, "Out": {"$ref": "../secret.json#/x"}}


def pointing(*refs: str) -> dict[str, Any]:
    params = [{"name": f"p{n}", "in": "query", "schema": {"$ref": ref}} for n, ref in enumerate(refs)]
    return {"openapi": "3.1.0", "paths": {"/t": {"get": {"operationId": "op", "parameters": params}}}}


def site(files: dict[str, Any]) -> Answer:
    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        found = files.get(asked.line.split(" ")[1])
        if isinstance(found, str):
            await reply(b"", status="302 Found", headers={"Location": found})(asked, writer)
        elif found is None:
            await reply(b"", status="404 Not Found")(asked, writer)
        else:
            await reply(json.dumps(found).encode())(asked, writer)

    return answer


async def test_a_fetched_document_may_refer_to_its_own_folder_and_is_then_kept_whole() -> None:
    root = pointing(
        "part.json#/Id", "./part.json#/Up", "part.json#/Out", "/elsewhere.json#/x", "//127.0.0.1:9/x.json#/x"
    )
    files = {"/docs/api.json": root, "/docs/part.json": PART, "/docs/sub/more.json": {"Name": {"type": "boolean"}}}
    async with serving(site(files)) as server:
        headers = {"Authorization": "Bearer for-the-document"}
        doc = await asyncio.to_thread(load_document, f"{server.url}/docs/api.json", headers=headers)
        asked = [one.line.split(" ")[1] for one in server.asked]
        tokens = {one.headers.get("authorization") for one in server.asked}
    assert sorted(asked) == ["/docs/api.json", "/docs/part.json", "/docs/sub/more.json"]
    assert tokens == {"Bearer for-the-document"}
    fields = doc.operation("op").input_schema["properties"]
    assert (fields["p0"], fields["p1"]) == ({"type": "integer"}, {"type": "boolean"})
    refused = [finding.message for finding in doc.findings if finding.rule == "SCH001"]
    assert len(refused) == 3
    # Nothing listens any more: what is kept needs nobody, and its digest covers the other files.
    again = load_document(doc.text, url=doc.url)
    assert again.digest == doc.digest
    assert again.operation("op").input_schema == doc.operation("op").input_schema
    assert "for-the-document" not in doc.text


async def test_a_file_beside_the_document_that_redirects_elsewhere_is_refused() -> None:
    async with serving(site({})) as other:
        files = {"/api.json": pointing("part.json#/Id"), "/part.json": f"{other.url}/stolen.json"}
        async with serving(site(files)) as server:
            doc = await asyncio.to_thread(load_document, f"{server.url}/api.json")
        assert other.asked == []
    assert any("another origin" in finding.message for finding in doc.findings)


async def test_a_text_with_a_url_fetches_nothing() -> None:
    async with serving(site({"/part.json": PART})) as server:
        doc = load_document(json.dumps(pointing("part.json#/Id")), url=f"{server.url}/api.json")
        assert server.asked == []
    assert [finding.rule for finding in doc.findings if finding.rule == "SCH001"] == ["SCH001"]


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        ("#/components/schemas/A", {"type": "integer"}),
        ("#/components/schemas/a~1b~0c", {"type": "string"}),
        ("#/components/schemas/a%20b", {"type": "boolean"}),
        ("#/components/schemas/L/anyOf/1", {"type": "number"}),
        ("#/x-own/deep/0", {"type": "null"}),
        ("#named", {"type": "integer", "minimum": 7}),
        ("https://id.test/thing", {"type": "string", "maxLength": 9}),
        ("https://id.test/thing#/$defs/Inner", {"type": "boolean"}),
        ("https://self.test/api/openapi#/components/schemas/A", {"type": "integer"}),
        ("openapi#/components/schemas/A", {"type": "integer"}),
    ],
)
def test_a_reference_to_any_place_of_the_document_is_followed(ref: str, found: Any) -> None:
    schemas = {
        "A": {"type": "integer"},
        "a/b~c": {"type": "string"},
        "a b": {"type": "boolean"},
        "L": {"anyOf": [{"type": "string"}, {"type": "number"}]},
        "N": {"$anchor": "named", "type": "integer", "minimum": 7},
        "I": {
            "$id": "https://id.test/thing",
            "type": "string",
            "maxLength": 9,
            "$defs": {"Inner": {"type": "boolean"}},
        },
    }
    more = {"openapi": "3.2.0", "$self": "https://self.test/api/openapi", "x-own": {"deep": [{"type": "null"}]}}
    doc = load_document({**pointing(ref), **more, "components": {"schemas": schemas}})
    assert doc.operation("op").input_schema["properties"]["p0"] == found
    assert [finding for finding in doc.findings if finding.rule == "SCH001"] == []


def test_a_dynamic_reference_recurs() -> None:
    node = {"$dynamicAnchor": "node", "type": "object", "properties": {"next": {"$dynamicRef": "#node"}}}
    doc = document(
        {"/t": {"post": {"operationId": "op", "requestBody": {"content": {"application/json": {"schema": node}}}}}}
    )
    schema = doc.operation("op").input_schema
    assert schema["properties"]["next"]["$ref"].startswith("#/$defs/")
    assert json.loads(doc.operation("op").request({"next": {"next": {}}}).content) == {"next": {"next": {}}}


def test_a_definition_is_named_by_what_its_reference_says() -> None:
    pets = {"Pet": {"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}]}}
    doc = load_document(
        {
            **pointing("#/components/schemas/Pet/allOf/0", "#/components/schemas/Pet/allOf/0"),
            "components": {"schemas": pets},
        }
    )
    assert list(doc.operation("op").input_schema["$defs"]) == ["Pet_0"]


@pytest.mark.parametrize("style", ["json", "yaml"])
def test_a_line_is_found_in_a_text_of_any_size(style: str) -> None:
    import yaml

    many = {f"/p{n}": {"get": {"operationId": f"o{n}", "description": "words " * 40}} for n in range(2500)}
    root = {"openapi": "3.1.0", "paths": {**many, "/last": {"get": {"operationId": "o0"}}}}
    text = json.dumps(root, indent=1) if style == "json" else yaml.safe_dump(root, sort_keys=False)
    assert len(text) > 500_000
    doc = load_document(text)
    (last,) = [finding for finding in doc.findings if finding.pointer == "/paths/~1last/get/operationId"]
    assert last.line is not None
    assert "operationId" in text.split("\n")[last.line - 1]
    assert last.line > text.count("\n") - 6


def test_lines_of_json_that_only_yaml_reads_are_found() -> None:
    text = '{\n  "a": {"b": 1,},\n  "c": [1,\n 2]\n}'
    assert locate(text, ["/a/b", "/c/1", "/nowhere/x"]) == {"/a/b": 2, "/c/1": 4, "/nowhere/x": 1}


def test_links_say_what_can_be_done_next() -> None:
    links = {
        "GetOrder": {"operationId": "get-order", "parameters": {"id": "$response.body#/id", "v": "$request.query.v"}},
        "undo": {"operationId": "cancel-order"},
        "ByRef": {"operationRef": "#/paths/~1orders~1{id}/delete"},
    }
    schema = {"type": "object", "properties": {"id": {"type": "string"}}}
    made = operation(responses={"201": {"content": {"application/json": {"schema": schema}}, "links": links}})
    assert made.result_hint == "{id: string}\nNext: get-order(id=id, v=query.v); DELETE /orders/{id}()"
    assert made.tool.prompt.endswith("Returns {id: string}\nNext: get-order(id=id, v=query.v); DELETE /orders/{id}()")


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ({"application/jsonl": {"itemSchema": {"type": "integer"}}}, "[integer]"),
        ({"text/event-stream": {"itemSchema": {"type": "string"}}}, "text/event-stream of [string]"),
        ({"application/json": {"$ref": "#/components/mediaTypes/M"}}, "boolean"),
    ],
)
def test_results_of_3_2_are_hinted(content: Any, hint: str) -> None:
    root = {"components": {"mediaTypes": {"M": {"schema": {"type": "boolean"}}}}}
    assert operation(responses={"200": {"content": content}}, root=root).result_hint == hint


def test_a_tag_selects_the_tags_below_it() -> None:
    paths = {f"/{name}": {"get": {"operationId": name, "tags": [name]}} for name in ("a", "b", "c", "d")}
    tags = [{"name": "a"}, {"name": "b", "parent": "a"}, {"name": "c", "parent": "b"}, {"name": "d"}]
    doc = document(paths, tags=tags)
    assert [one.id for one in doc.select(tags=["a"])] == ["a", "b", "c"]
    assert [one.id for one in doc.select(tags=["d", "c"])] == ["c", "d"]


def test_a_client_asks_at_the_token_url_of_its_own_flow() -> None:
    from bitte_nb.spec.oauth import token_url_of

    flows = {
        "deviceAuthorization": {"tokenUrl": "/device", "deviceAuthorizationUrl": "/d"},
        "clientCredentials": {"tokenUrl": "/token"},
    }
    assert token_url_of({"flows": flows}, "https://a.test") == "https://a.test/token"


def test_a_pointer_to_the_definitions_of_a_schema_may_count_from_that_schema() -> None:
    def schema(kind: str) -> dict[str, Any]:
        defs = {"Id": {"type": kind}, "Same": {"type": "object", "properties": {"a": {"type": "boolean"}}}}
        properties = {"id": {"$ref": "#/$defs/Id"}, "in": {"$ref": "#/$defs/Same/properties/a"}}
        return {"type": "object", "$defs": defs, "properties": properties}

    param = {"name": "q", "in": "query", "schema": schema("integer")}
    fields = operation(params=[param]).input_schema["properties"]["q"]["properties"]
    assert fields == {"id": {"type": "integer"}, "in": {"type": "boolean"}}
    # Two of a name that differ could be either.
    doc = document(
        {
            "/t": {
                "get": {"operationId": "op", "parameters": [param, {**param, "name": "r", "schema": schema("string")}]}
            }
        }
    )
    fields = doc.operation("op").input_schema["properties"]["q"]["properties"]
    assert fields == {"id": {}, "in": {"type": "boolean"}}
    assert list(doc.schemas.broken) == ["#/$defs/Id"]


@pytest.mark.parametrize("version", ["2.0", "3.0.3"])
def test_a_discriminator_says_which_fields_its_subtypes_bring(version: str) -> None:
    old = version == "2.0"
    home = "#/definitions" if old else "#/components/schemas"
    pet: dict[str, Any] = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"type": "string", "description": "Which pet."}, "name": {"type": "string"}},
        "discriminator": "kind" if old else {"propertyName": "kind", "mapping": {"dog": f"{home}/Dog"}},
    }
    hunts = {"properties": {"hunts": {"type": "boolean"}, "id": {"type": "string", "readOnly": True}}}
    schemas = {
        "Pet": pet,
        "Cat": {"allOf": [{"$ref": f"{home}/Pet"}, hunts]},
        "Dog": {"allOf": [{"$ref": f"{home}/Pet"}], "properties": {"pack": {"$ref": f"{home}/Pack"}}},
        "Puppy": {"allOf": [{"$ref": f"{home}/Dog"}], "x-ms-discriminator-value": "pup"},
        "Pack": {"type": ["null", "integer"]},
        "Other": {"type": "object", "properties": {"kind": {"type": "string"}}},
    }
    body = {"$ref": f"{home}/Pet"}
    operation = {"operationId": "op"} | (
        {"parameters": [{"name": "b", "in": "body", "schema": body}]}
        if old
        else {"requestBody": {"content": {"application/json": {"schema": body}}}}
    )
    root = {"swagger" if old else "openapi": version, "paths": {"/t": {"post": operation}}, "host": "a.test"}
    doc = load_document(root | ({"definitions": schemas} if old else {"components": {"schemas": schemas}}))
    kind = doc.operation("op").input_schema["properties"]["kind"]
    assert kind["description"] == (
        "Which pet. Its value says which further fields there are. "
        f"Cat: hunts (boolean); {'Dog' if old else 'dog'}: pack (integer); pup."
    )
    sent = doc.operation("op").arguments({"kind": "dog", "pack": 3})
    assert sent == {"kind": "dog", "pack": 3}
    # Without a value of its own a form goes by its name, so that a mapping of some is no list of all.
    assert doc.operation("op").arguments({"kind": "Cat", "hunts": True}) == {"kind": "Cat", "hunts": True}


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("forms", [["Dog"], ["Cat", "Dog"]])
@pytest.mark.parametrize("by", ["subtypes", "alternatives"])
def test_a_mapping_limits_its_property_only_where_it_has_every_form(by: str, forms: list[str], nested: bool) -> None:
    home = "#/components/schemas"
    pet: dict[str, Any] = {
        "type": "object",
        "properties": {"kind": {"type": "string"}},
        "discriminator": {"propertyName": "kind", "mapping": {one.lower(): f"{home}/{one}" for one in forms}},
    }
    schemas: dict[str, Any] = {"Dog": {"type": "object"}, "Cat": {"type": "object"}, "Pet": pet}
    if by == "subtypes":
        schemas |= {name: {"allOf": [{"$ref": f"{home}/Pet"}]} for name in ("Dog", "Cat")}
    else:
        pet["anyOf"] = [{"$ref": f"{home}/{name}"} for name in ("Dog", "Cat")]
    body = {"type": "object", "properties": {"pet": {"$ref": f"{home}/Pet"}}} if nested else {"$ref": f"{home}/Pet"}
    operation = {"operationId": "op", "requestBody": {"content": {"application/json": {"schema": body}}}}
    doc = load_document({"openapi": "3.0.3", "paths": {"/t": {"post": operation}}, "components": {"schemas": schemas}})
    whole = json.dumps(doc.operation("op").input_schema)
    assert ('"enum": ["cat", "dog"]' in whole) == (len(forms) == 2)
    assert '"enum": ["dog"]' not in whole
