"""Real documents: each loads, every operation is reachable or quarantined, every schema stands on its own."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from spec_documents import document, json_body
from spec_examples import example

from bitte_nb.errors import DocumentError
from bitte_nb.spec.load import load_document

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "openapi"
SMALL = 100_000
MULTI = "multi_petstore_separate/examples/v2.0/json/petstore-separate/spec/swagger.json"


def documents(limit: int = 10**9) -> list[Any]:
    if not DATA.is_dir():
        return [pytest.param(None, marks=pytest.mark.skip(reason="../shared/data/openapi is absent"))]
    found = [path for path in sorted(DATA.glob("documents/*.*")) if path.suffix != ".tsv"]
    found += [*sorted(DATA.glob("agents/*.json")), DATA / "documents" / MULTI]
    return [pytest.param(path, id=path.name) for path in found if path.stat().st_size < limit]


def dangling(node: Any, defs: dict[str, Any]) -> list[str]:
    """References that do not lead into the tool's own definitions; members of `properties` are names, not keywords."""
    if isinstance(node, list):
        return [ref for entry in node for ref in dangling(entry, defs)]
    if not isinstance(node, dict):
        return []
    found = []
    ref = node.get("$ref")
    if isinstance(ref, str) and ref.removeprefix("#/$defs/") not in defs:
        found.append(ref)
    for key, value in node.items():
        if key in ("enum", "const", "default", "examples"):
            continue
        inner = list(value.values()) if key in ("properties", "patternProperties", "$defs") else value
        found += dangling(inner, defs)
    return found


@pytest.mark.parametrize("path", documents())
def test_every_operation_of_a_real_document_is_reachable_or_quarantined(path: Path) -> None:
    doc = load_document(path, url="https://fallback.test/openapi.json")
    assert len(doc.operations) + len(doc.quarantined) == doc.declared_operations
    tools = doc.tools()
    assert len({tool.name for tool in tools}) == len(tools) == len(doc.operations)
    step = max(1, len(tools) // 20)
    for tool in tools[::step]:
        schema = tool.input_schema
        assert dangling(schema, schema.get("$defs", {})) == []
        assert "" not in schema["properties"]
        if path.stat().st_size < SMALL:
            # `format: regex` is Python's opinion; a pattern is ECMA 262's.
            Draft202012Validator.check_schema(schema, format_checker=None)
        args = example(
            {key: value for key, value in schema.items() if key != "additionalProperties"}, schema.get("$defs", {})
        )
        if Draft202012Validator(schema).is_valid(args):
            request = doc.operation(tool.name).request(args)
            assert str(request.url).startswith(doc.operation(tool.name).server)


@pytest.mark.parametrize("path", documents(SMALL))
def test_a_document_is_the_same_when_it_is_loaded_again_from_its_text(path: Path) -> None:
    doc = load_document(path)
    again = load_document(doc.text, url=doc.url)
    assert again.digest == doc.digest
    assert [tool.model_dump() for tool in again.tools()] == [tool.model_dump() for tool in doc.tools()]


@pytest.mark.parametrize("provider", ["openai", "openai-strict", "anthropic", "gemini"])
@pytest.mark.parametrize("path", documents(SMALL))
def test_names_are_what_the_provider_takes_and_lead_back(path: Path, provider: str) -> None:
    doc = load_document(path, url="https://fallback.test/openapi.json")
    tools = doc.tools(provider)
    assert len({tool.name for tool in tools}) == len(tools)
    for tool, operation in zip(tools, doc.operations.values(), strict=True):
        assert len(tool.name) <= 64
        assert tool.name.replace("-", "_").isidentifier() or tool.name.replace("-", "_").isalnum()
        assert doc.operation(tool.name) is operation
        if provider != "openai":
            assert all(
                len(name) <= 64 and all(c.isascii() and (c.isalnum() or c in "_.-") for c in name)
                for name in tool.input_schema["properties"]
            )


def test_a_recursive_schema_keeps_its_reference() -> None:
    node = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}},
    }
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}
    doc = document({"/t": {"post": {"operationId": "op", "requestBody": body}}}, components={"schemas": {"Node": node}})
    schema = doc.operation("op").input_schema
    assert schema["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert list(schema["$defs"]) == ["Node"]


def test_threads_that_convert_at_the_same_time_get_the_same_tools() -> None:
    names = [f"S{number}" for number in range(40)]
    schemas = {
        name: {"type": "object", "properties": {other: {"$ref": f"#/components/schemas/{other}"} for other in names}}
        for name in names
    }
    paths = {
        f"/{name}": {
            "post": {
                "operationId": name,
                "requestBody": json_body({"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}),
            }
        }
        for name in names
    }
    alone = [tool.model_dump() for tool in document(paths, components={"schemas": schemas}).tools()]
    doc = document(paths, components={"schemas": schemas})
    with ThreadPoolExecutor(4) as pool:
        found = [list(future.result()) for future in [pool.submit(doc.tools) for _ in range(8)]]
    assert all([tool.model_dump() for tool in tools] == alone for tools in found)


def test_names_stay_verbatim_without_a_provider() -> None:
    ids = ["get-blockchains", "repos/list-for-user", "user.list", "list_x__y", "获取用户", "a b", "x" * 70]
    doc = document({f"/t{number}": {"get": {"operationId": name}} for number, name in enumerate(ids)})
    assert [tool.name for tool in doc.tools()] == ids
    aliased = [tool.name for tool in doc.tools("anthropic")]
    assert aliased[0] == "get-blockchains"
    assert aliased[3] == "list_x__y"
    assert len(set(aliased)) == len(ids)
    assert dict(doc.aliases) == {name: alias for name, alias in zip(ids, aliased, strict=True) if name != alias}


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(ValueError, match="not a known provider"):
        document({"/t": {"get": {"operationId": "a"}}}).tools("acme")


def test_a_duplicate_operation_id_keeps_every_one_of_them_out() -> None:
    if not DATA.is_dir():
        pytest.skip("../shared/data/openapi is absent")
    doc = load_document(DATA / "agents" / "BitteProtocol__meme.cooking-bitte-agent.json")
    counts: dict[str, int] = {}
    for item in doc.root["paths"].values():
        for method in item.values():
            counts[method["operationId"]] = counts.get(method["operationId"], 0) + 1
    assert set(doc.operations) == {name for name, count in counts.items() if count == 1}
    assert len([finding for finding in doc.findings if finding.rule == "OPID002"]) == sum(
        n for n in counts.values() if n > 1
    )


def test_a_document_in_several_files_is_read_from_its_folder_only(tmp_path: Path) -> None:
    folder = tmp_path / "api"
    folder.mkdir()
    (folder / "pet.json").write_text(
        '{"Pet": {"type": "object", "properties": {"next": {"$ref": "#/Pet"}, "n": {"$ref": "num.json"}}}}'
    )
    (folder / "num.json").write_text('{"type": "integer"}')
    (tmp_path / "secret.txt").write_text("key: value")
    main = folder / "openapi.json"
    content = {"application/json": {"schema": {"$ref": "./pet.json#/Pet"}}}
    item = {
        "post": {"operationId": "op", "requestBody": {"content": content}},
        "get": {"operationId": "bad", "parameters": [{"$ref": "../secret.txt#/key"}]},
    }
    main.write_text(json.dumps({"openapi": "3.1.0", "paths": {"/t": item}}))
    doc = load_document(main)
    assert doc.operation("op").input_schema["properties"]["n"] == {"type": "integer"}
    assert set(doc.operations) == {"op"}
    assert {finding.rule for finding in doc.findings} >= {"SCH001", "PAR000"}


def test_the_folder_of_a_document_can_be_widened_by_the_person() -> None:
    if not DATA.is_dir():
        pytest.skip("../shared/data/openapi is absent")
    path = DATA / "documents" / MULTI
    assert any("Error.json" in finding.message for finding in load_document(path).findings)
    assert load_document(path, folder=path.parents[1]).findings == ()


def test_references_out_of_the_document_are_never_followed_unasked(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"type": "string", "description": "SECRET"}')
    for ref in (f"file://{secret}", str(secret), "http://127.0.0.1:9/x.json", "https://example.com/x.json#/a"):
        body = {"content": {"application/json": {"schema": {"type": "object", "properties": {"a": {"$ref": ref}}}}}}
        doc = document({"/t": {"post": {"operationId": "op", "requestBody": body}}})
        assert doc.operation("op").input_schema["properties"] == {"a": {}}
        assert "SCH001" in {finding.rule for finding in doc.findings}
        assert "SECRET" not in str(doc.tools())


@pytest.mark.parametrize(
    "source",
    ["[1]", "5", "just: yaml", "{", b"\xff\xfe\x00", "", {"openapi": "1.0"}, {"a": 1}, 5, "/no/such/file.json"],
)
def test_what_is_no_document_is_a_sentence(source: Any) -> None:
    with pytest.raises(DocumentError) as caught:
        load_document(source)
    assert str(caught.value).endswith(".")
