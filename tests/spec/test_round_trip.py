"""Generated operations and arguments, sent to a real server and read back as they were given."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from spec_documents import document, json_body
from spec_server import Asked, reply, serving

from bitte_nb.core.result import ToolData
from bitte_nb.errors import BitteError, DocumentError, RequestRefused
from bitte_nb.spec.load import load_document

NAMES = st.from_regex(r"[A-Za-z$_][A-Za-z0-9_.\[\]-]{0,8}", fullmatch=True)
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
SEGMENT = st.from_regex(r"[A-Za-z0-9 é%&=+?#;,:@-]{1,10}", fullmatch=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
PYTHON = {str: "string", int: "integer", bool: "boolean"}


async def echo(asked: Asked, writer: asyncio.StreamWriter) -> None:
    value = {"line": asked.line, "headers": asked.headers, "body": asked.body.decode("latin-1")}
    await reply(json.dumps(value).encode(), headers={"Content-Type": "application/json"})(asked, writer)


def schema_of(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"type": "array", "items": {"type": "string"}}
    return {"type": PYTHON[type(value)]}


@settings(max_examples=60, deadline=None)
@given(
    segment=SEGMENT,
    query=st.dictionaries(
        NAMES, st.one_of(TEXT, st.integers(), st.booleans(), st.lists(TEXT, min_size=1, max_size=3)), max_size=4
    ),
    header=st.from_regex(r"[!-~]([ -~]{0,10}[!-~])?", fullmatch=True),
    body=st.dictionaries(NAMES, JSON, min_size=1, max_size=4),
)
def test_what_was_given_is_what_a_server_reads(
    segment: str, query: dict[str, Any], header: str, body: dict[str, Any]
) -> None:
    params = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "X-Head", "in": "header", "schema": {"type": "string"}},
        *[{"name": name, "in": "query", "schema": schema_of(value)} for name, value in query.items()],
    ]
    node = {
        "operationId": "op",
        "parameters": params,
        "requestBody": json_body({"type": "object", "properties": {name: {} for name in body}}),
    }

    async def run() -> None:
        async with serving(echo) as server:
            operation = document({"/base/{id}/end": {"post": node}}, servers=[{"url": server.url}]).operation("op")
            args: dict[str, Any] = {}
            given_values = {("path", "id"): segment, ("header", "X-Head"): header}
            given_values |= {("query", name): value for name, value in query.items()}
            given_values |= {("field", name): value for name, value in body.items()}
            for argument in operation.plan.arguments:
                args[argument.name] = given_values[argument.location, argument.key]
            result = await operation.call(args)
        assert isinstance(result, ToolData), result
        method, target, _ = result.data["line"].split(" ")
        path, _, raw = target.partition("?")
        assert method == "POST"
        assert [unquote(part) for part in path.split("/")] == ["", "base", segment, "end"]
        pairs = parse_qsl(raw, keep_blank_values=True)
        expected = [
            (n, e)
            for n, v in query.items()
            for e in (v if isinstance(v, list) else [json.dumps(v) if not isinstance(v, str) else v])
        ]
        assert pairs == expected
        assert result.data["headers"]["x-head"] == header
        assert json.loads(result.data["body"].encode("latin-1")) == body

    asyncio.run(run())


WORD = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
LIST = st.lists(WORD, min_size=1, max_size=3)
OBJECT = st.dictionaries(WORD, WORD, min_size=1, max_size=3)
# What a path value hides behind escapes may be refused; a per cent sign that is none is text.
PLAIN = st.from_regex(r"[A-Za-z0-9 é%&=+?#:@-]{1,6}", fullmatch=True).filter(lambda text: unquote(text) == text)
COOKIE = st.from_regex(r"[A-Za-z0-9/=+:@-]{1,6}", fullmatch=True)


def raw_pairs(text: str) -> list[tuple[str, str]]:
    """Names and values of a query as they travel."""
    return [(name, value) for name, _, value in (pair.partition("=") for pair in text.split("&") if pair)]


def decoded(style: str, raw: list[tuple[str, str]], kind: type) -> Any:
    """A query value by its style, undone by the rules of OAS 3.1.1 (4.8.12) alone."""
    if style == "deepObject":
        return {unquote(name)[2:-1]: unquote(value) for name, value in raw}
    if style == "explode":
        if kind is list:
            return [unquote(value) for _, value in raw]
        return {unquote(name): unquote(value) for name, value in raw}
    ((_, value),) = raw
    mark = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}[style]
    parts = [unquote(part) for part in value.split(mark)]
    return parts if kind is list else dict(zip(parts[::2], parts[1::2], strict=True))


@settings(max_examples=40, deadline=None)
@given(
    style=st.sampled_from(["form", "explode", "spaceDelimited", "pipeDelimited", "deepObject"]),
    value=LIST | OBJECT,
    matrix=st.lists(PLAIN, min_size=1, max_size=3),
    label=st.lists(PLAIN, min_size=1, max_size=3),
    cookies=st.tuples(COOKIE, COOKIE),
    form=st.dictionaries(st.sampled_from(["a", "b c", "d[é]"]), WORD | LIST, min_size=1),
)
def test_every_style_is_read_back_by_a_server_that_knows_only_the_rules(
    style: str, value: Any, matrix: list[str], label: list[str], cookies: tuple[str, str], form: dict[str, Any]
) -> None:
    if style == "deepObject" and isinstance(value, list):
        value = {"k": value[0]}
    if style in ("spaceDelimited", "pipeDelimited"):
        # The rules leave no way to tell these delimiters from data.
        clean = lambda text: "".join(text.replace(" ", "").replace("|", "")) or "x"  # noqa: E731 - read below
        pairs = (
            [clean(one) for one in value] if isinstance(value, list) else {clean(k): clean(v) for k, v in value.items()}
        )
        value = pairs
    array, free = {"type": "array", "items": {"type": "string"}}, {"type": "object", "additionalProperties": True}
    rules = (
        {"style": "form", "explode": True} if style == "explode" else {"style": style, "explode": style == "deepObject"}
    )
    params = [
        {"name": "q", "in": "query", "schema": array if isinstance(value, list) else free, **rules},
        {"name": "m", "in": "path", "required": True, "style": "matrix", "explode": True, "schema": array},
        {"name": "l", "in": "path", "required": True, "style": "label", "explode": True, "schema": array},
        *[{"name": name, "in": "cookie", "schema": {"type": "string"}} for name in ("one", "two")],
    ]
    fields = {name: array if isinstance(member, list) else {"type": "string"} for name, member in form.items()}
    body = json_body({"type": "object", "properties": fields}, media="application/x-www-form-urlencoded")
    node = {"operationId": "op", "parameters": params, "requestBody": body}

    async def run() -> None:
        async with serving(echo) as server:
            operation = document({"/t/{m}/{l}": {"post": node}}, servers=[{"url": server.url}]).operation("op")
            args = {"q": value, "m": matrix, "l": label, "one": cookies[0], "two": cookies[1], **form}
            result = await operation.call(args)
        assert isinstance(result, ToolData), result
        path, _, query = result.data["line"].split(" ")[1].partition("?")
        _, _, sent_matrix, sent_label = path.split("/")
        assert [unquote(part).removeprefix("m=") for part in sent_matrix.split(";")[1:]] == matrix
        assert [unquote(part) for part in sent_label.split(".")[1:]] == label
        assert decoded(style, raw_pairs(query), type(value)) == value
        sent = dict(pair.split("=", 1) for pair in result.data["headers"]["cookie"].split("; "))
        assert (unquote(sent["one"]), unquote(sent["two"])) == cookies
        expected = [(n, e) for n, v in form.items() for e in (v if isinstance(v, list) else [v])]
        assert parse_qsl(result.data["body"], keep_blank_values=True) == expected

    asyncio.run(run())


WORDS = """
openapi swagger info paths /t/{a} get post parameters requestBody content schema $ref in name application/json responses
200 properties items allOf oneOf type required servers url variables components schemas x-mb assistant tools operationId
security nullable enum links undo consumes
"""
VALUES = "#/components/schemas/A #/paths # path query body string object array 2.0 3.1.0 https://a.test"
KEYS = st.sampled_from(WORDS.split())
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.text(max_size=4), st.sampled_from(VALUES.split()))
TREES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=30
)


@settings(max_examples=250, deadline=None)
@given(TREES, st.sampled_from(["3.1.0", "3.0.0", "2.0", "3.2.0"]))
def test_no_tree_makes_loading_or_converting_crash(tree: Any, version: str) -> None:
    root = {"swagger" if version == "2.0" else "openapi": version, "paths": {"/t/{a}": tree, "/u": {"post": tree}}}
    root |= tree if isinstance(tree, dict) and "paths" in tree else {}
    try:
        doc = load_document(root, url="https://a.test/x")
    except DocumentError:
        return
    assert doc.findings is not None
    assert len(doc.operations) + len(doc.quarantined) == doc.declared_operations
    assert doc.assistant.name
    for provider in (None, "openai-strict", "gemini"):
        assert len(doc.tools(provider)) == len(doc.operations)
    for operation in doc.operations.values():
        assert operation.undo is None or operation.undo.operation_id
        with contextlib.suppress(BitteError):
            operation.request({"a": "x"})


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200) | st.binary(max_size=200))
@example("~\0")
def test_no_text_makes_loading_crash(source: Any) -> None:
    if isinstance(source, str) and source.strip().lower().startswith(("http://", "https://")):
        return
    with pytest.raises(DocumentError):
        load_document(source)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["id", "n", "list", "o", "body", "extra"]), JSON, max_size=5))
def test_any_arguments_make_a_request_or_a_sentence(args: dict[str, Any]) -> None:
    params = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "n", "in": "query", "schema": {"type": "integer", "minimum": 0}},
        {"name": "list", "in": "cookie", "explode": False, "schema": {"type": "array", "items": {"type": "string"}}},
        {"name": "o", "in": "query", "style": "deepObject", "schema": {"type": "object"}},
    ]
    node = {
        "operationId": "op",
        "parameters": params,
        "requestBody": json_body({"oneOf": [{"type": "object"}, {"type": "null"}]}, required=False),
    }
    operation = document({"/t/{id}": {"post": node}}).operation("op")
    try:
        request = operation.request(args)
    except RequestRefused:
        return
    assert request.url.host == "api.test"
    assert request.url.path.startswith("/t/")
