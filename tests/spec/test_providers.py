"""Tools of generated and real schemas against the documented rules of each provider."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from provider_rules import faults, strict_faults
from spec_documents import document, json_body

from bitte_nb.spec.document import Document
from bitte_nb.spec.load import load_document
from bitte_nb.spec.profiles import PROVIDERS

DOCUMENTS = Path(__file__).parents[2].parent / "shared" / "data" / "openapi" / "documents"
NAME = st.text(st.sampled_from("abz$[]. é-"), min_size=1, max_size=5) | st.just("x" * 70)
TYPE = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])
REF = st.sampled_from(["A", "B", "C"]).map(lambda name: {"$ref": f"#/components/schemas/{name}"})
VALUE = st.none() | st.booleans() | st.integers(-3, 3) | st.text(st.sampled_from("ab"), max_size=3)


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A schema of any shape, sound or not."""
    several = st.lists(inner, min_size=1, max_size=3)
    fields = st.dictionaries(NAME, inner, max_size=4)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPE | st.lists(TYPE, min_size=1, max_size=3, unique=True),
            "nullable": st.booleans(),
            "properties": fields,
            "required": st.lists(NAME, max_size=2),
            "additionalProperties": st.booleans() | inner,
            "items": inner,
            "anyOf": several,
            "oneOf": several,
            "allOf": several,
            "not": inner,
            "enum": st.lists(VALUE, min_size=1, max_size=4),
            "const": VALUE,
            "default": VALUE,
            "example": VALUE,
            "description": st.just("words"),
            "format": st.sampled_from(["date", "int32", "uuid", "binary", "own"]),
            "pattern": st.just("^a"),
            "minLength": st.integers(0, 3),
            "uniqueItems": st.booleans(),
            "discriminator": st.just({"propertyName": "a", "mapping": {"one": "#/components/schemas/A"}}),
        },
    )


SCHEMA = st.recursive(st.just({}) | REF | st.booleans(), lambda inner: REF | keywords(inner), max_leaves=14)


def made(schemas: dict[str, Any], params: list[tuple[str, Any]]) -> Document:
    declared = [{"name": name, "in": "query", "schema": schema} for name, schema in params]
    node = {"operationId": "Ä b", "parameters": declared, "requestBody": json_body(schemas["A"], required=False)}
    return document({"/t": {"post": node}}, components={"schemas": schemas})


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.fixed_dictionaries({"A": SCHEMA, "B": SCHEMA, "C": SCHEMA}),
    st.lists(st.tuples(NAME, SCHEMA), max_size=3, unique_by=lambda pair: pair[0]),
)
def test_every_profile_keeps_the_rules_of_its_provider(schemas: dict[str, Any], params: list[tuple[str, Any]]) -> None:
    doc = made(schemas, params)
    for provider in PROVIDERS:
        (tool,) = doc.tools(provider)
        assert faults(provider, tool.name, tool.input_schema) == []
        if provider != "gemini":
            Draft202012Validator.check_schema(tool.input_schema)


def small(path: Path) -> bool:
    return path.is_file() and path.suffix in (".json", ".yaml", ".yml") and path.stat().st_size < 300_000


@pytest.mark.parametrize(
    "path", sorted(filter(small, DOCUMENTS.glob("*"))) or [None], ids=lambda path: getattr(path, "name", "none")
)
def test_the_tools_of_real_documents_keep_the_rules(path: Path | None) -> None:
    if path is None:
        pytest.skip("../shared/data/openapi/documents is absent")
    doc = load_document(path, url="https://fallback.test/openapi.json")
    for provider in PROVIDERS:
        for tool in doc.tools(provider):
            assert faults(provider, tool.name, tool.input_schema) == [], tool.name


def test_strict_mode_stays_within_its_limits_of_size() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(30):
        deep = {"type": "object", "properties": {"in": deep}}
    wide = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(3000)}}
    words = {"type": "string", "enum": [f"word-{n:050}" for n in range(400)]}
    many = {"type": "string", "enum": [f"w{n}" for n in range(900)]}
    doc = made(
        {"A": {"type": "object", "properties": {"d": deep, "w": wide, "x": wide, "e": words, "m": many, "n": many}}}, []
    )
    (tool,) = doc.tools("openai-strict")
    assert strict_faults(tool.input_schema) == []
    fields = tool.input_schema["properties"]
    assert fields["x"] == {"type": ["string", "null"], "description": "Write it as JSON text."}
    assert "One of:" in fields["e"]["description"]
    assert "One of:" in fields["n"]["description"]
    assert len(fields["m"]["enum"]) == 901


def test_what_a_dialect_cannot_say_is_said_in_words_and_read_back() -> None:
    body = {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "default": 10, "example": 5, "description": "How many."},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}},
            "free": {"description": "Anything."},
            "either": {"description": "One.", "anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
    }
    doc = made({"A": body}, [])
    strict, gemini = (doc.tools(provider)[0].input_schema["properties"] for provider in ("openai-strict", "gemini"))
    assert strict["n"]["description"] == "How many. Default: 10. Example: 5."
    assert gemini["either"] == {
        "anyOf": [{"description": "One.", "type": "string"}, {"description": "One.", "type": "integer"}]
    }
    for fields in (strict, gemini):
        assert fields["map"]["description"].endswith("Write it as JSON text.")
        assert fields["free"]["description"] == "Anything. Write it as JSON text."
    (operation,) = doc.operations.values()
    request = operation.request({"map": '{"a": "1"}', "free": '[{"b": 2}]', "either": "5"})
    assert request.content == b'{"map":{"a":1},"free":[{"b":2}],"either":"5"}'
    assert operation.request({"free": "[not JSON"}).content == b'{"free":"[not JSON"}'
