"""A document with other words: what the model then reads, what stays, and what is refused with a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.demo.document import document as demo_tree
from bitte_nb.spec.changes import merged
from bitte_nb.spec.document import Document

DEMO = bn.load_document(demo_tree("http://127.0.0.1:8787"))

# Every way in which an argument can be written: of the operation, of its path, behind references, in a body.
TREE: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Notes", "version": "1"},
    "servers": [{"url": "https://{region}.notes.example", "variables": {"region": {"default": "eu"}}}],
    "components": {
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        "parameters": {
            "Page": {"name": "page", "in": "query", "description": "The page.", "schema": {"$ref": "#/x-schemas/Page"}}
        },
        "requestBodies": {"Note": {"content": {"application/json": {"schema": {"$ref": "#/x-schemas/Note"}}}}},
        "pathItems": {"Tag": {"delete": {"operationId": "drop-tag"}, "get": {"operationId": "read-tag"}}},
    },
    "x-schemas": {
        "Page": {"type": "integer", "description": "A page's number.", "minimum": 1},
        "Text": {"allOf": [{"$ref": "#/x-schemas/Line"}, {"description": "A text."}]},
        "Line": {"type": "string", "description": "One line."},
        "Named": {"type": "object", "properties": {"name": {"$ref": "#/x-schemas/Text"}}},
        "Note": {
            "allOf": [
                {"$ref": "#/x-schemas/Named"},
                {"type": "object", "properties": {"place": {"$ref": "#/x-schemas/Place"}}},
            ]
        },
        "Place": {"type": "object", "description": "Where.", "properties": {"city": {"type": "string"}}},
    },
    "security": [{"key": []}],
    "paths": {
        "/notes/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": {"operationId": "read-note", "parameters": [{"$ref": "#/components/parameters/Page"}]},
            "put": {"operationId": "write-note", "requestBody": {"$ref": "#/components/requestBodies/Note"}},
        },
        "/notes": {
            "get": {"operationId": "list-notes", "parameters": [{"$ref": "#/components/parameters/Page"}]},
            "post": {"operationId": "add-note", "requestBody": {"$ref": "#/components/requestBodies/Note"}},
            "patch": {
                "operationId": "add-lines",
                "requestBody": {"description": "Lines.", "content": {"text/plain": {"schema": {"type": "string"}}}},
            },
        },
        "/tags/{tag}": {"$ref": "#/components/pathItems/Tag"},
        "/find": {
            "get": {
                "operationId": "find-notes",
                "parameters": [
                    {"name": "X-Kind", "in": "header", "schema": {"type": "string"}, "description": "Overwritten."},
                    {
                        "name": "x-kind",
                        "in": "header",
                        "schema": {"$ref": "#/x-schemas/Text"},
                        "description": "A kind.",
                    },
                    {"name": "where", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
                ],
            }
        },
    },
}


@pytest.fixture
def notes() -> Document:
    return bn.load_document(TREE, url="https://notes.example/openapi.json", variables={"region": "us"})


def shown(document: Document) -> dict[str, Any]:
    return {tool.name: tool.model_dump() for tool in document.tools()}


def arguments() -> Iterator[tuple[Document, str, str]]:
    for document in (DEMO, bn.load_document(TREE)):
        for operation in document.operations.values():
            yield from ((document, operation.id, name) for name in operation.input_schema["properties"])


@pytest.mark.parametrize(
    ("document", "operation", "name"), list(arguments()), ids=lambda one: one if isinstance(one, str) else ""
)
def test_of_one_argument_the_description_is_changed_to_the_letter_and_of_all_tools_nothing_else(
    document: Document, operation: str, name: str
):
    changed = document.changed({operation: {"parameters": {name: {"description": "Other words."}}}})
    before, after = shown(document), shown(changed)
    assert after[operation]["input_schema"]["properties"][name].pop("description") == "Other words."
    for tools in (before, after):
        # A reference that was reached into is written out; what it leads to is the same.
        plain = tools[operation]["input_schema"]
        plain.pop("$defs", None)
        plain["properties"].pop(name) if "$ref" in plain["properties"][name] else plain["properties"][name].pop(
            "description", None
        )
    if name not in before[operation]["input_schema"]["properties"]:
        after[operation]["input_schema"]["properties"].pop(name)
    assert after == before


def test_words_of_operations_and_the_instructions_are_what_a_model_reads(notes: Document):
    changed = notes.changed(
        {"drop-tag": {"description": "Take a tag off."}, "list-notes": {"operationId": "all-notes"}},
        instructions="Answer in one sentence.",
    )
    assert changed.operation("drop-tag").tool.description == "Take a tag off."
    assert changed.operation("all-notes").path == "/notes"
    assert changed.operation("read-tag").tool == notes.operation("read-tag").tool
    assert "Answer in one sentence." in bn.Agent(changed).system
    assert changed.assistant.name == "Notes"


def test_what_was_given_for_the_document_holds_for_the_changed_one_and_it_loads_again_from_its_text(notes: Document):
    notes.authorize("key", "a secret", origin="https://us.notes.example")
    before = deepcopy(notes.root)
    changed = notes.changed({"read-note": {"description": "Show a note."}})
    assert notes.root == before
    operation = changed.operation("read-note")
    assert str(operation.request({"id": 7}).url) == "https://us.notes.example/notes/7"
    assert operation.credential_schemes == ("key",)
    assert (changed.url, changed.trust, changed.wire) == (notes.url, notes.trust, notes.wire)
    assert [finding.rule for finding in changed.findings] == [finding.rule for finding in notes.findings]
    again = bn.load_document(changed.text, url=changed.url, variables=changed.variables)
    assert again.digest == changed.digest != notes.digest
    assert shown(again) == shown(changed)


def test_more_than_words_can_change_and_none_removes(notes: Document):
    change = {
        "read-note": {"parameters": {"page": {"enum": [1, 2], "minimum": None, "required": True}}},
        "write-note": {"parameters": {"place": {"properties": {"city": {"description": "A city."}}}}},
        "find-notes": {"parameters": {"where": {"properties": {"tag": {"type": "string"}}}}},
    }
    changed = shown(notes.changed(change))
    assert changed["read-note"]["input_schema"]["properties"]["page"] == {
        "type": "integer", "description": "The page.\n\nA page's number.", "enum": [1, 2],
    }  # fmt: skip
    assert changed["read-note"]["input_schema"]["required"] == ["id", "page"]
    place = changed["write-note"]["input_schema"]["properties"]["place"]
    assert place["properties"]["city"] == {"type": "string", "description": "A city."}
    assert changed["find-notes"]["input_schema"]["properties"]["where"]["properties"] == {"tag": {"type": "string"}}
    assert changed["add-note"] == shown(notes)["add-note"]


def test_a_schema_that_is_all_of_itself_many_times_is_changed_at_once():
    tree = deepcopy(TREE)
    tree["x-schemas"]["Line"] = {
        "allOf": [{"$ref": "#/x-schemas/Line"}] * 50,
        "type": "string",
        "description": "Again.",
    }
    changed = bn.load_document(tree).changed({"add-note": {"parameters": {"name": {"description": "Its name."}}}})
    schema = changed.operation("add-note").node["requestBody"]["content"]["application/json"]["schema"]
    assert schema["allOf"][0]["properties"]["name"]["description"] == "Its name."


def test_aliases_of_yaml_are_changed_in_one_place_only():
    text = """
openapi: 3.1.0
info: {title: T, version: "1"}
servers: [{url: "https://api.example"}]
paths:
  /a: {get: {operationId: first, parameters: &same [{name: q, in: query, schema: {type: string}}]}}
  /b: {get: {operationId: second, parameters: *same}}
"""
    changed = bn.load_document(text).changed({"first": {"parameters": {"q": {"description": "What to look for."}}}})
    assert "description" not in changed.operation("second").input_schema["properties"]["q"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"read-not": {}}, "There is no tool 'read-not' in Notes. Did you mean 'read-note'?"),
        ({"read-note": {"descripton": "x"}}, "read-note has no field 'descripton'. Did you mean 'description'?"),
        ({"read-note": {"parameters": {"idd": {}}}}, "read-note has no parameter 'idd'. Did you mean 'id'?"),
        ({"read-tag": {"parameters": {"zzz": {}}}}, "read-tag has no parameter 'zzz'. Known are tag."),
        (
            {"read-note": {"parameters": {"id": {"describtion": "x"}}}},
            "id of read-note has no field 'describtion'. Did you mean 'description'?",
        ),
        (
            {"read-note": "Show a note."},
            "The change of read-note is 'Show a note.'; write its fields, such as {'description': '...'}.",
        ),
        (
            {"read-note": {"parameters": {"id": "Its number."}}},
            "The change of id of read-note is 'Its number.'; write its fields, such as {'description': '...'}.",
        ),
    ],
)
def test_what_is_not_there_is_a_sentence_with_the_nearest_name(notes: Document, change: Any, sentence: str):
    with pytest.raises(bn.errors.OperationError) as fault:
        notes.changed(change)
    assert str(fault.value) == sentence


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [  # RFC 7396, appendix A
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_a_merge_patch_is_applied_as_its_standard_says(target: Any, patch: Any, result: Any):
    before = deepcopy(target)
    assert merged(target, patch) == result
    assert target == before
