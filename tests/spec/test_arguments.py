"""Arguments of a tool: where each goes, what is converted, and a sentence for every fault."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from spec_documents import document, json_body, operation

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import RequestRefused
from bitte_nb.spec.check import Checker
from bitte_nb.spec.operation import Operation
from bitte_nb.spec.pattern import safe_pattern

CHAIN = {
    "path": "/u/{id}",
    "params": [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}},
        {"name": "kind", "in": "query", "schema": {"type": "string", "enum": ["Big", "small"]}},
        {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
    ],
}


def refusal(made: Operation, args: dict[str, Any]) -> list[str]:
    with pytest.raises(RequestRefused) as caught:
        made.request(args)
    return str(caught.value).split("\n")


def test_a_missing_path_parameter_is_exactly_the_known_sentence() -> None:
    assert refusal(operation(**CHAIN), {}) == ["Missing required path parameter: id"]
    assert refusal(operation(**CHAIN), {"id": None}) == ["Missing required path parameter: id"]


async def test_a_missing_path_parameter_is_an_error_result() -> None:
    assert (await operation(**CHAIN).call({})).model_dump() == {"error": "Missing required path parameter: id"}


def test_arguments_go_where_they_are_declared_and_defaults_are_never_sent() -> None:
    request = operation(**CHAIN).request({"id": "a", "X-Trace": "t"})
    assert str(request.url) == "https://api.test/u/a"
    assert request.headers["x-trace"] == "t"


@pytest.mark.parametrize(
    ("args", "query"),
    [
        ({"limit": "5"}, "limit=5"),
        ({"limit": 5.0}, "limit=5"),
        ({"limit": " 7 "}, "limit=7"),
        ({"kind": "big"}, "kind=Big"),
        ({"limit": None}, ""),
    ],
)
def test_a_value_whose_meaning_is_plain_is_converted(args: dict[str, Any], query: str) -> None:
    assert operation(**CHAIN).request({"id": "a", **args}).url.query.decode() == query


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({"limit": "many"}, 'Query parameter limit must be an integer, not "many".'),
        ({"limit": 0}, "Query parameter limit must be at least 1, not 0."),
        ({"limit": 5.5}, "Query parameter limit must be an integer, not 5.5."),
        ({"limit": True}, "Query parameter limit must be an integer, not true."),
        ({"kind": "tiny"}, 'Query parameter kind must be one of "Big", "small", not "tiny".'),
        ({"limt": 5}, "Unknown argument 'limt': did you mean 'limit'?"),
        ({"zzz": 5}, "Unknown argument 'zzz': the operation takes id, limit, kind, X-Trace."),
    ],
)
def test_every_fault_is_one_sentence(args: dict[str, Any], sentence: str) -> None:
    assert refusal(operation(**CHAIN), {"id": "a", **args}) == [sentence]


def test_several_faults_are_several_sentences() -> None:
    assert len(refusal(operation(**CHAIN), {"limit": 0, "kind": "x", "q": 1})) == 4


def test_the_fields_of_an_object_body_are_arguments() -> None:
    schema = {"type": "object", "required": ["to"], "properties": {"to": {"type": "string"}, "n": {"type": "integer"}}}
    made = operation("/t", "post", body=json_body(schema))
    assert made.input_schema["required"] == ["to"]
    assert json.loads(made.request({"to": "bob", "n": "3"}).content) == {"to": "bob", "n": 3}
    assert refusal(made, {"n": 1}) == ["Missing required body field: to"]


def test_an_optional_body_needs_its_required_fields_only_when_it_is_given() -> None:
    schema = {"type": "object", "required": ["to"], "properties": {"to": {"type": "string"}, "n": {"type": "integer"}}}
    made = operation("/t", "post", body=json_body(schema, required=False))
    assert "required" not in made.input_schema
    assert made.request({}).content == b""
    assert refusal(made, {"n": 1}) == ["Missing required body field: to"]


def test_a_required_body_without_fields_given_is_an_empty_object() -> None:
    made = operation("/t", "post", body=json_body({"type": "object", "properties": {"a": {"type": "string"}}}))
    assert made.request({}).content == b"{}"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "array", "items": {"type": "integer"}}, [1, 2]),
        ({"type": "string"}, "x"),
        (
            {"oneOf": [{"type": "object", "properties": {"a": {}}}, {"type": "object", "properties": {"b": {}}}]},
            {"b": 1},
        ),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"k": 1}),
        ({}, {"any": [1]}),
        (True, 5),
    ],
)
def test_a_body_that_is_not_plainly_an_object_is_one_argument(schema: Any, value: Any) -> None:
    made = operation("/t", "post", body=json_body(schema))
    assert list(made.input_schema["properties"]) == ["body"]
    assert json.loads(made.request({"body": value}).content) == value


def test_the_fields_of_a_whole_body_may_be_given_side_by_side_where_they_can_mean_nothing_else() -> None:
    free = {"type": "object", "additionalProperties": True}
    either = {"oneOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]}
    query = [{"name": "limit", "in": "query", "schema": {"type": "integer"}}]
    assert operation("/t", "post", body=json_body(free, required=False)).request({"n": 1}).content == b'{"n":1}'
    request = operation("/t", "post", params=query, body=json_body(either)).request({"limit": "5", "b": 1})
    assert (request.url.query, request.content) == (b"limit=5", b'{"b":1}')
    assert "Unknown argument" in refusal(operation("/t", "post", params=query, body=json_body(either)), {"c": 1})[-1]
    assert (
        "Unknown argument"
        in refusal(operation("/t", "post", params=query, body=json_body(free, required=False)), {"n": 1})[0]
    )
    assert "Unknown argument" in refusal(operation("/t", "post", body=json_body(free)), {"body": {}, "n": 1})[0]


def test_all_of_is_merged_into_fields_and_optional_null_is_absent_but_nullable_null_is_sent() -> None:
    base = {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": "string"}, "id": {"type": "string", "readOnly": True}},
    }
    more = {"properties": {"b": {"type": ["string", "null"]}, "c": {"type": "string"}}, "required": ["id"]}
    made = operation(
        "/t",
        "post",
        body=json_body({"allOf": [{"$ref": "#/components/schemas/B"}, more]}),
        root={"components": {"schemas": {"B": base}}},
    )
    assert list(made.input_schema["properties"]) == ["a", "b", "c"]
    assert json.loads(made.request({"a": "x", "b": None, "c": None}).content) == {"a": "x", "b": None}


def test_further_fields_are_taken_only_where_the_schema_says_so() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}
    made = operation("/t", "post", body=json_body(schema))
    assert json.loads(made.request({"a": "x", "k": "5"}).content) == {"a": "x", "k": 5}
    del schema["additionalProperties"]
    assert "Unknown argument" in refusal(operation("/t", "post", body=json_body(schema)), {"a": "x", "k": 5})[0]


def test_only_colliding_names_are_suffixed_by_their_location() -> None:
    schema = {"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}
    params = [{"name": "id", "in": "path", "required": True, "schema": {}}, {"name": "id", "in": "query", "schema": {}}]
    made = operation("/t/{id}", "post", params=params, body=json_body(schema))
    assert list(made.input_schema["properties"]) == ["id_path", "id_query", "id_body", "name"]
    request = made.request({"id_path": "1", "id_query": "2", "id_body": "3", "name": "n"})
    assert str(request.url) == "https://api.test/t/1?id=2"
    assert json.loads(request.content) == {"id": "3", "name": "n"}


def test_an_operation_parameter_replaces_the_path_items() -> None:
    shared = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    own = {**shared, "schema": {"type": "integer"}}
    doc = document({"/t/{id}": {"parameters": [shared], "get": {"operationId": "op", "parameters": [own]}}})
    assert doc.operation("op").input_schema["properties"] == {"id": {"type": "integer"}}


def test_an_undeclared_placeholder_is_a_required_string_and_a_finding() -> None:
    doc = document({"/o/{orderId}/{action}": {"get": {"operationId": "op"}}})
    assert doc.operation("op").input_schema["required"] == ["orderId", "action"]
    assert [finding.rule for finding in doc.findings] == ["PAR010", "PAR010"]
    assert str(doc.operation("op").request({"orderId": "1", "action": "x"}).url) == "https://api.test/o/1/x"


def test_a_path_parameter_under_another_name_is_one_finding_where_it_is_declared() -> None:
    bike = {"name": "bikeId", "in": "path", "required": True, "schema": {"type": "string"}}
    shared = document({"/b/{id}": {"parameters": [bike], "get": {"operationId": "op"}}})
    own = document({"/b/{id}": {"get": {"operationId": "op", "parameters": [bike]}}})
    for doc, at in ((shared, "/paths/~1b~1{id}/parameters/0"), (own, "/paths/~1b~1{id}/get/parameters/0")):
        (finding,) = doc.findings
        assert (finding.rule, finding.pointer) == ("PAR010", at)
        assert finding.fix == "You declared 'bikeId' for {id}: rename one of them."
        assert list(doc.operation("op").input_schema["properties"]) == ["id"]


def test_aliases_of_refused_names_are_understood() -> None:
    made = operation(
        params=[{"name": "filter[name]", "in": "query", "schema": {}}, {"name": "$top", "in": "query", "schema": {}}]
    )
    assert (
        made.request({"filter_name": "x", "top": 5}).url.query
        == made.request({"filter[name]": "x", "$top": 5}).url.query
    )


def test_the_wallet_travels_as_metadata_and_the_key_only_with_unsafe_methods() -> None:
    wallet = Wallet(account_id="alice.near", evm_address="0x" + "1" * 40, chain_id=8453)
    request = operation().request({}, wallet=wallet, idempotency_key="k1")
    assert json.loads(request.headers["mb-metadata"]) == {
        "accountId": "alice.near",
        "evmAddress": "0x" + "1" * 40,
        "chainId": 8453,
    }
    assert "idempotency-key" not in request.headers
    assert operation(method="post").request({}, idempotency_key="k1").headers["idempotency-key"] == "k1"
    with pytest.raises(RequestRefused):
        operation(method="post").request({}, idempotency_key="k\r\nX: 1")


def test_a_declared_idempotency_key_is_the_runtimes_and_sent_once() -> None:
    made = operation(
        method="post", params=[{"name": "Idempotency-Key", "in": "header", "required": True, "schema": {}}]
    )
    assert made.input_schema["properties"] == {}
    assert made.request({}, idempotency_key="k1").headers.get_list("idempotency-key") == ["k1"]
    assert refusal(made, {}) == ["Missing required header: Idempotency-Key"]


def test_safe_and_idempotent_follow_the_method() -> None:
    table = {
        m: (operation(method=m).safe, operation(method=m).idempotent)
        for m in ("get", "head", "put", "delete", "post", "patch")
    }
    assert table == {
        "get": (True, True),
        "head": (True, True),
        "put": (False, True),
        "delete": (False, True),
        "post": (False, False),
        "patch": (False, False),
    }


@pytest.mark.parametrize(
    ("value", "schema", "found"),
    [
        ("5", {"type": "integer"}, 5),
        ("5.0", {"type": "integer"}, 5),
        ("-1.5e3", {"type": "number"}, -1500.0),
        ("TRUE", {"type": "boolean"}, True),
        (5, {"type": "string"}, "5"),
        (True, {"type": "string"}, "true"),
        ("[1]", {"type": "array", "items": {"type": "integer"}}, [1]),
        ('{"a": "1"}', {"type": "object", "properties": {"a": {"type": "integer"}}}, {"a": 1}),
        ("a", {"type": "array", "items": {"type": "string"}}, ["a"]),
        ("5", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, 5),
        ("5", {"type": ["string", "integer"]}, "5"),
        ("5", {"oneOf": [{"type": "string"}, {"type": "integer"}]}, "5"),
        ("123456789012345678901234567890", {"type": "integer"}, 123456789012345678901234567890),
        (1, {"enum": ["1", "2"]}, "1"),
        ({"a": None}, {"type": "object", "properties": {"a": {"type": "string"}}}, {}),
        ({"a": None}, {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}, {"a": None}),
    ],
)
def test_conversions(value: Any, schema: Any, found: Any) -> None:
    checked, faults = Checker({}).check(value, schema, "x")
    assert faults == []
    assert checked == found
    assert type(checked) is type(found)


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("5x", {"type": "integer"}),
        ("1.5", {"type": "integer"}),
        ("nan", {"type": "number"}),
        ("yes", {"type": "boolean"}),
        (None, {"type": "string"}),
        ({}, {"type": "string"}),
        ([1, 1], {"uniqueItems": True}),
        ([], {"minItems": 1}),
        ("ab", {"maxLength": 1}),
        ("x", {"pattern": "^[0-9]+$"}),
        (0.3, {"multipleOf": 0.2}),
        ({"a": 1}, {"additionalProperties": False}),
        ({"a": 1}, {"not": {"required": ["a"]}}),
        ({}, {"minProperties": 1}),
        ({"a": 1}, {"dependentRequired": {"a": ["b"]}}),
        ({"k": 1}, {"if": {"required": ["k"]}, "then": {"required": ["z"]}}),
        (1, False),
        (True, {"const": 1}),
    ],
)
def test_what_cannot_be_meant_is_a_fault(value: Any, schema: Any) -> None:
    assert Checker({}).check(value, schema, "x")[1]


def test_a_recursive_schema_is_checked_to_the_depth_of_the_value() -> None:
    node = {
        "type": "object",
        "properties": {
            "children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
            "n": {"type": "integer"},
        },
    }
    made = operation(
        "/t",
        "post",
        body=json_body({"$ref": "#/components/schemas/Node"}),
        root={"components": {"schemas": {"Node": node}}},
    )
    tree = {"children": [{"n": "1", "children": [{"n": 2}]}], "n": 0}
    assert json.loads(made.request(tree).content)["children"][0]["n"] == 1
    assert (
        "children[0].children[0].n must be an integer" in refusal(made, {"children": [{"children": [{"n": "x"}]}]})[0]
    )
    assert Checker({"A": {"$ref": "#/$defs/A"}}).check(1, {"$ref": "#/$defs/A"}, "x") == (1, [])


@pytest.mark.parametrize(
    "pattern",
    [
        "^(a+)+$",
        "(a?){1,50}$",
        "(?:a?b?)*c",
        "(?<n>a*)*b",
        "([a-z]|[0-9a-f])*!",
        "a*a*a*a*b",
        "(a|a)*b",
        "(.*)*x",
        "([a-z]+)*$",
        "(?:a{1,9}){1,99}",
        "(x+x+)+y",
        ".*.*.*.*.*=.*",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
    ],
)
def test_a_pattern_that_could_stop_the_kernel_is_left_to_the_server(pattern: str) -> None:
    assert safe_pattern(pattern) is None
    begun = time.process_time()
    assert Checker({}).check("a" * 5000 + "!", {"pattern": pattern}, "x")[1] == []
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    "pattern",
    [
        r"^0x[0-9a-fA-F]{40}$",
        r"^\d{4}-\d{2}$",
        "^[a-z]+(_x)?$",
        r"^[A-Z]{2,3}(-[0-9]{4})?$",
        r"^https?://\S+$",
        r"\p{L}",
    ],
)
def test_an_ordinary_pattern_is_checked_where_python_can_read_it(pattern: str) -> None:
    assert (safe_pattern(pattern) is None) == (pattern == r"\p{L}")


def test_the_longest_text_and_the_worst_kept_pattern_take_no_time() -> None:
    begun = time.process_time()
    for pattern in (r"a*a*b", r"(a{0,100})b", r"[a-z]*[0-9]", r"a{3,}a{0,90}!", r"\s+$"):
        for length in (1000, 120):
            Checker({}).check("a" * length, {"pattern": pattern}, "x")
            Checker({}).check(" " * length + "x", {"pattern": pattern}, "x")
    assert time.process_time() - begun < 4


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(-5, 5).map(lambda x: round(x, 1))
    | st.text("ab1", max_size=3)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


def schemas() -> st.SearchStrategy[Any]:
    kinds = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
    leaf = st.one_of(
        st.just({}),
        st.builds(lambda kind: {"type": kind}, kinds),
        st.builds(lambda kinds: {"type": sorted(kinds)}, st.sets(kinds, min_size=1, max_size=3)),
        st.builds(lambda values: {"enum": values}, st.lists(SCALARS, min_size=1, max_size=3)),
        st.builds(lambda low: {"minimum": low, "maxLength": 2}, st.integers(-3, 3)),
    )

    def grow(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.one_of(
            st.builds(lambda item: {"type": "array", "items": item, "minItems": 1}, inner),
            st.builds(
                lambda fields, needed, more: {
                    "type": "object",
                    "properties": fields,
                    "required": needed,
                    "additionalProperties": more,
                },
                st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
                st.lists(st.sampled_from("ab"), max_size=1),
                st.one_of(st.booleans(), inner),
            ),
            st.builds(lambda branches: {"anyOf": branches}, st.lists(inner, min_size=1, max_size=3)),
            st.builds(lambda branches: {"allOf": branches}, st.lists(inner, min_size=1, max_size=2)),
            st.builds(lambda inner: {"not": inner}, inner),
        )

    return st.recursive(leaf, grow, max_leaves=5)


@settings(max_examples=300, deadline=None)
@given(VALUES, schemas())
def test_the_checker_agrees_with_a_reference_validator(value: Any, schema: Any) -> None:
    assert Checker({}).accepts(value, schema) == Draft202012Validator(schema).is_valid(value)


@settings(max_examples=200, deadline=None)
@given(VALUES, schemas())
def test_a_converted_value_without_faults_is_valid(value: Any, schema: Any) -> None:
    checked, faults = Checker({}).check(value, schema, "x")
    if not faults:
        assert Draft202012Validator(schema).is_valid(checked)
