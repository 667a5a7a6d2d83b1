"""Section 5 of the design, row by row: attacks on loading, building and sending that no other file proves."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from spec_documents import document, json_body, operation
from spec_server import Asked, reply, serving

from bitte_nb.core.nearest import nearest
from bitte_nb.core.result import ToolData, ToolError
from bitte_nb.errors import BitteError, DocumentError, RequestRefused, UnknownTool
from bitte_nb.spec import filling
from bitte_nb.spec.guard import MOST_TEXT
from bitte_nb.spec.load import load_document

PATH = [{"name": "c", "in": "path", "required": True, "schema": {"type": "string"}}]


@pytest.mark.parametrize(
    "value", ["http://evil.test/x", "//evil.test/x", "@evil.test", "a@evil.test:80", "?x#y", "x:y"]
)
def test_an_absolute_url_in_a_path_parameter_is_data(value: str) -> None:
    request = operation("/t/{c}", params=PATH).request({"c": value})
    assert request.url.host == "api.test"
    assert request.url.raw_path.count(b"/") == 2


@pytest.mark.parametrize("name", ["X\r\nEvil", "X Evil", "X:Evil", "X\x00"])
def test_a_header_name_that_would_forge_a_header_is_refused(name: str) -> None:
    made = operation(params=[{"name": name, "in": "header", "schema": {"type": "string"}}])
    with pytest.raises(RequestRefused):
        made.build(headers={name: "x"})


@pytest.mark.parametrize("place", ["query", "path", "header", "cookie"])
@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\x00b"])
def test_control_characters_never_break_a_request(place: str, value: str) -> None:
    made = operation("/t/{c}" if place == "path" else "/t", params=[{**PATH[0], "in": place}])
    try:
        request = made.request({"c": value})
    except RequestRefused:
        assert place != "query"
        return
    assert all(mark not in str(request.url) for mark in ("\r", "\n", "\x00"))


def test_a_request_that_is_too_long_is_a_sentence() -> None:
    made = operation(params=[{"name": "c", "in": "query", "schema": {"type": "string"}}])
    with pytest.raises(RequestRefused, match=r"a URL of 100,0[0-9]+ characters"):
        made.request({"c": "x" * 100_000})


def test_text_that_no_url_takes_is_refused_before_it_is_looked_through() -> None:
    made = operation("/t/{c}", params=PATH)
    with pytest.raises(RequestRefused, match="30,000,000 characters"):
        made.request({"c": "%25" * 10_000_000})


def test_a_name_of_any_length_is_a_short_sentence() -> None:
    made = operation(params=[{"name": "c", "in": "query", "schema": {"type": "string"}}])
    with pytest.raises(RequestRefused) as refused:
        made.request({"c" * 1_000_000: 1})
    assert str(refused.value).startswith("Unknown argument 'ccc")
    assert len(str(refused.value)) < 300
    with pytest.raises(RequestRefused, match="is the most") as refused:
        made.request({"c" * (MOST_TEXT + 1): 1})
    assert len(str(refused.value)) < 300
    with pytest.raises(UnknownTool):
        made.document.operation("o" * 100_000)


def test_as_many_faults_are_told_as_somebody_reads() -> None:
    params = [{"name": f"p{n}", "in": "query", "required": True, "schema": {"type": "string"}} for n in range(3000)]
    with pytest.raises(RequestRefused, match="And 2,950 more faults") as refused:
        operation(params=params).request({})
    assert len(str(refused.value).splitlines()) == 51


def test_what_was_meant_is_looked_for_as_often_as_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def look(word: str, known: Iterable[str]) -> str:
        asked.append(word)
        return nearest(word, known)

    monkeypatch.setattr(filling, "nearest", look)
    made = operation(params=[{"name": "limit", "in": "query", "schema": {"type": "integer"}}])
    with pytest.raises(RequestRefused, match="And 2,950 more faults") as refused:
        made.request({f"limit{n}": 1 for n in range(3000)})
    assert len(asked) == str(refused.value).count("did you mean 'limit'?") == 50


def test_a_document_cannot_name_the_secret_of_another() -> None:
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    paths = {"/t": {"get": {"operationId": "op", "security": [{"key": []}]}}}
    one, other = (document(paths, components={"securitySchemes": schemes}) for _ in range(2))
    one.authorize("key", "s3cret-of-one")
    assert one.operation("op").credential_schemes == ("key",)
    assert other.operation("op").credential_schemes == ()


@pytest.mark.parametrize(
    "act", [lambda doc: doc.credentials.forget(), lambda doc: doc.authorize("key", "an0ther-secret")]
)
async def test_a_secret_that_is_changed_while_a_call_is_under_way_is_hidden_in_its_answer(act: Any) -> None:
    async def echo(asked: Asked, writer: asyncio.StreamWriter) -> None:
        act(doc)
        await reply(asked.headers["x-key"].encode(), headers={"Content-Type": "text/plain"})(asked, writer)

    schemes = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    paths = {"/t": {"get": {"operationId": "op", "security": [{"key": []}]}}}
    async with serving(echo) as server:
        doc = document(paths, servers=[{"url": server.url}], components={"securitySchemes": schemes})
        doc.authorize("key", "s3cret-of-one")
        assert await doc.operation("op").call({}) == ToolData(data="[secret]")


@pytest.mark.parametrize("place", ["query", "header", "cookie"])
async def test_no_log_record_holds_a_secret(place: str, caplog: pytest.LogCaptureFixture) -> None:
    async def echo(asked: Asked, writer: asyncio.StreamWriter) -> None:
        text = json.dumps(asked.headers) + asked.line
        await reply(text.encode(), headers={"X-Echo": text, "Content-Type": "text/plain"})(asked, writer)

    schemes = {"key": {"type": "apiKey", "in": place, "name": "key"}}
    async with serving(echo) as server:
        paths = {"/t": {"get": {"operationId": "op", "security": [{"key": []}]}}}
        doc = document(paths, servers=[{"url": server.url}], components={"securitySchemes": schemes})
        doc.authorize("key", "s3cret/token")
        with caplog.at_level(logging.DEBUG):
            found = await doc.operation("op").call({})
        assert "s3cret" in server.asked[0].line + str(server.asked[0].headers)
    assert isinstance(found, ToolData)
    logged = [record.getMessage() for record in caplog.records]
    assert any("HTTP Request" in message for message in logged)
    assert not [message for message in [*logged, str(found)] if "s3cret" in message]


def test_a_link_cannot_lead_out_of_the_documents_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"x": {"type": "integer"}}')
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    param = {"name": "p", "in": "query", "schema": {"$ref": "link.json#/x"}}
    root = {"openapi": "3.1.0", "paths": {"/t": {"get": {"operationId": "op", "parameters": [param]}}}}
    (folder / "api.json").write_text(json.dumps(root))
    doc = load_document(folder / "api.json")
    assert doc.operation("op").input_schema["properties"]["p"] == {}
    assert any("leads out" in finding.message for finding in doc.findings)


def test_a_document_that_is_too_large_or_runs_code_is_not_read(tmp_path: Path) -> None:
    sparse = tmp_path / "large.yaml"
    with sparse.open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    with pytest.raises(DocumentError, match="larger than"):
        load_document(sparse)
    doc = load_document("openapi: 3.1.0\ninfo: {title: !!python/object/apply:os.system ['exit 7']}\npaths: {}\n")
    assert any("is not read" in finding.message for finding in doc.findings)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x]\n"
        + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(25)),
        "[" * 100_000,
        "{" * 100_000,
        "a: " * 1000,
        '{"a":' * 50_000,
        "- " * 10_000,
    ],
    ids=["aliases", "brackets", "braces", "keys", "json", "dashes"],
)
def test_a_bomb_of_a_document_is_a_sentence_at_once(text: str) -> None:
    begun = time.process_time()
    with pytest.raises(DocumentError):
        load_document(text)
    assert time.process_time() - begun < 20


def test_words_of_a_document_stay_words() -> None:
    evil = "${process.exit(1)} {{7*7}} <script>alert(1)</script> `rm -rf` %n\u202e\u200b\U000e0041<!-- hidden -->"
    node = {"operationId": "op", "description": evil, "parameters": [{**PATH[0], "in": "query", "description": evil}]}
    tool = document({"/t": {"get": node}}).operation("op").tool
    shown = "${process.exit(1)} {{7*7}} <script>alert(1)</script> `rm -rf` %n"
    assert tool.description == shown
    assert tool.input_schema["properties"]["c"]["description"] == shown


@pytest.mark.parametrize(
    ("media", "body"),
    [
        ("application/json", b"[" * 200_000),
        ("application/json", b'{"a":' * 200_000),
        ("application/json", b"\xff\xfe\x00"),
        ("text/event-stream", b"data: " + b"[" * 100_000 + b"\n\n"),
        ("application/x-ndjson", b"{}\n{"),
        ("application/json; charset=nope", b'"\xc3\xa9"'),
        ("image/png; charset=utf-8", b"\x89PNG\x00"),
        ("nonsense", b"\x00\xff"),
        ("", b""),
    ],
)
async def test_no_answer_makes_a_call_raise(media: str, body: bytes) -> None:
    async with serving(reply(body, headers={"Content-Type": media})) as server:
        doc = document({"/t": {"get": {"operationId": "op"}}}, servers=[{"url": server.url}])
        found = await doc.operation("op").call({})
    assert isinstance(found, ToolData | ToolError)


def test_a_schema_that_goes_round_in_circles_ends() -> None:
    schemas: dict[str, Any] = {
        "A": {"allOf": [{"$ref": "#/components/schemas/B"}]},
        "B": {"allOf": [{"$ref": "#/components/schemas/A"}], "anyOf": [{"$ref": "#/components/schemas/A"}]},
        "C": {"$ref": "#/components/schemas/C"},
    }
    for name in schemas:
        body = json_body({"$ref": f"#/components/schemas/{name}"})
        made = operation(method="post", body=body, root={"components": {"schemas": schemas}})
        for provider in (None, "openai-strict", "gemini"):
            assert len(made.document.tools(provider)) == 1
        with contextlib.suppress(BitteError):
            made.request({"body": {"a": 1}})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x" * (MOST_TEXT + 1), "Argument text has a text of 32,000,001 characters; 32,000,000 is the most."),
        (["x" * (MOST_TEXT // 2)] * 5, "The arguments are larger than 64,000,000 characters together."),
        ({"a": [{"b": "x" * (MOST_TEXT + 1)}]}, "Argument text has a text of 32,000,001 characters"),
    ],
)
def test_arguments_beyond_any_need_are_refused_before_they_are_looked_at(text: Any, sentence: str) -> None:
    slow = {"type": "object", "properties": {"text": {"pattern": "^(a+)+$"}}}
    taking = operation("/t", "post", body=json_body(slow))
    with pytest.raises(RequestRefused, match=re.escape(sentence)):
        taking.request({"text": text})
    assert taking.request({"text": "a"}).content == b'{"text":"a"}'


def place_of(place: str, values: dict[str, Any]) -> Any:
    """The keyword of `Operation.build` for a location."""
    return {{"header": "headers", "cookie": "cookies"}.get(place, place): values}


@pytest.mark.parametrize("place", ["query", "path", "header", "cookie"])
@pytest.mark.parametrize("value", ["\ud800", ["\udfff"], {"\ud834": 1}, '["\\ud800"]'])
def test_half_a_surrogate_pair_is_a_sentence_everywhere(place: str, value: Any) -> None:
    made = operation("/t/{c}" if place == "path" else "/t", params=[{**PATH[0], "in": place, "schema": {}}])
    bodied = operation("/t", "post", body=json_body({"type": "object", "properties": {"c": {}}}))
    for one in (made, bodied):
        with pytest.raises(RequestRefused):
            one.request({"c": value})
    plain = json.loads(value) if isinstance(value, str) and value[0] == "[" else value
    with pytest.raises(RequestRefused):
        made.build(**place_of(place, {"c": plain}))
    with pytest.raises(RequestRefused):
        bodied.build(body={"c": plain})
    in_template = operation("/\ud800")
    with pytest.raises(RequestRefused, match="half a surrogate pair"):
        in_template.request({})


def test_an_argument_that_is_nested_too_deeply_is_a_sentence() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = {"a": [value]}
    made = operation("/t", "post", body=json_body({}))
    for build in (lambda: made.request({"body": value}), lambda: made.build(body=value)):
        with pytest.raises(RequestRefused, match="nested deeper than 200 levels"):
            build()
    with pytest.raises(RequestRefused, match="half a surrogate pair") as refused:
        made.request({"\ud800": value})
    assert str(refused.value).isascii(), "the sentence itself can be stored and shown"
