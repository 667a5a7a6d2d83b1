"""Request bodies: which content is sent and its exact bytes."""

from __future__ import annotations

import base64
import json
import re
from email import message_from_bytes
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest
from spec_documents import json_body, operation

from bitte_nb.errors import RequestRefused

OBJECT = {"type": "object"}


def post(content: dict[str, Any], value: Any = ..., *, required: bool = True, root: Any = None) -> httpx.Request:
    return operation(method="post", body={"required": required, "content": content}, root=root).build(body=value)


def form(content: dict[str, Any], value: Any) -> list[tuple[str, str]]:
    sent = post({"application/x-www-form-urlencoded": content}, value)
    assert sent.headers["content-type"] == "application/x-www-form-urlencoded"
    return parse_qsl(sent.content.decode(), keep_blank_values=True)


def parts(request: httpx.Request) -> dict[str, Any]:
    head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
    message = message_from_bytes(head + request.content)
    return {part.get_param("name", header="content-disposition"): part for part in message.get_payload()}


@pytest.mark.parametrize("value", [{"a": 1}, [1, 2], [], {}, 0, False, "", "x", {"a": None}, {"é": "ü"}])
def test_any_json_value_is_a_json_body(value: Any) -> None:
    sent = post({"application/json": {"schema": {}}}, value)
    assert json.loads(sent.content) == value
    assert sent.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("media", "sent"),
    [
        ("application/vnd.api+json", "application/vnd.api+json"),
        ("application/merge-patch+json", "application/merge-patch+json"),
        ("application/json; charset=utf-8", "application/json; charset=utf-8"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
    ],
)
def test_the_media_type_is_sent_as_declared_but_never_a_range(media: str, sent: str) -> None:
    assert post({media: {"schema": OBJECT}}, {"a": 1}).headers["content-type"] == sent


@pytest.mark.parametrize(
    ("declared", "chosen"),
    [
        (["application/xml", "application/json"], "application/json"),
        (["application/vnd.x+json", "application/json"], "application/json"),
        (["multipart/form-data", "application/x-www-form-urlencoded"], "application/x-www-form-urlencoded"),
        (["application/octet-stream", "text/plain"], "text/plain"),
        (["text/plain", "multipart/form-data"], "multipart/form-data"),
    ],
)
def test_the_best_of_several_contents_is_sent(declared: list[str], chosen: str) -> None:
    value: Any = "x" if chosen == "text/plain" else {"a": "1"}
    sent = post({media: {"schema": {}} for media in declared}, value)
    assert sent.headers["content-type"].startswith(chosen)


def test_bytes_choose_the_content_that_can_carry_them() -> None:
    content = {"application/json": {"schema": OBJECT}, "multipart/form-data": {"schema": OBJECT}}
    assert post(content, {"f": b"\x00\xff"}).headers["content-type"].startswith("multipart/form-data")


def test_an_absent_optional_body_sends_nothing_and_null_is_not_absent_where_it_is_a_value() -> None:
    assert post({"application/json": {"schema": OBJECT}}, required=False).content == b""
    assert "content-type" not in post({"application/json": {"schema": OBJECT}}, None, required=False).headers
    assert post({"application/json": {"schema": {"type": ["object", "null"]}}}, None).content == b"null"


def test_a_missing_required_body_and_a_body_that_nobody_takes_are_refused() -> None:
    with pytest.raises(RequestRefused, match="Missing required request body"):
        post({"application/json": {"schema": OBJECT}})
    with pytest.raises(RequestRefused, match="takes no request body"):
        operation().build(body={"a": 1})


def test_what_json_cannot_say_is_refused() -> None:
    for value in (float("nan"), float("inf"), {"a": object()}):
        with pytest.raises(RequestRefused):
            post({"application/json": {"schema": {}}}, value)


def test_a_form_writes_scalars_arrays_objects_and_leaves_null_out() -> None:
    value = {"s": "a b&c", "n": 0, "b": False, "list": ["x", "y"], "o": {"R": 1}, "none": None, "e": ""}
    pairs = [("s", "a b&c"), ("n", "0"), ("b", "false"), ("list", "x"), ("list", "y"), ("o", '{"R":1}'), ("e", "")]
    assert form({"schema": OBJECT}, value) == pairs


@pytest.mark.parametrize(
    ("encoding", "value", "pairs"),
    [
        ({"style": "deepObject", "explode": True}, {"a": {"b": 1}}, [("o[a][b]", "1")]),
        ({"style": "deepObject"}, [{"price": "p", "n": 2}], [("o[0][price]", "p"), ("o[0][n]", "2")]),
        ({"style": "deepObject"}, "", [("o", "")]),
        ({"style": "form", "explode": False}, ["a", "b"], [("o", "a,b")]),
        ({"explode": True}, {"a": 1}, [("a", "1")]),
        ({"style": "spaceDelimited", "explode": False}, ["a", "b"], [("o", "a b")]),
        ({"style": "pipeDelimited", "explode": False}, ["a", "b"], [("o", "a|b")]),
        ({"contentType": "application/json"}, ["a"], [("o", '["a"]')]),
        ({"contentType": "text/plain"}, ["a", "b"], [("o", "a"), ("o", "b")]),
    ],
)
def test_a_form_field_follows_its_encoding(encoding: Any, value: Any, pairs: list[tuple[str, str]]) -> None:
    assert form({"schema": OBJECT, "encoding": {"o": encoding}}, {"o": value}) == pairs


SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "n": {"type": "integer"},
        "meta": {"type": "object", "properties": {"a": {"type": "integer"}}},
        "file": {"type": "string", "format": "binary"},
        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
        "old": {"type": "string", "contentMediaType": "image/png"},
        "encoded": {"type": "string", "format": "byte"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "rows": {"type": "array", "items": {"type": "object"}},
    },
}


def multipart(value: Any, **encoding: Any) -> dict[str, Any]:
    return parts(post({"multipart/form-data": {"schema": SCHEMA, "encoding": encoding}}, value))


def test_multipart_writes_text_json_and_files_as_their_own_kinds_of_part() -> None:
    found = multipart(
        {"text": "hé", "n": 5, "meta": {"a": 1}, "file": b"\x89\x00\r\n--", "old": "x", "encoded": "eA=="}
    )
    assert found["text"].get_payload(decode=True) == "hé".encode()
    assert found["text"].get_filename() is None
    assert found["n"].get_payload() == "5"
    assert found["meta"].get_content_type() == "application/json"
    assert json.loads(found["meta"].get_payload()) == {"a": 1}
    assert found["file"].get_filename()
    assert found["file"].get_content_type() == "application/octet-stream"
    assert found["old"].get_filename()
    assert found["encoded"].get_payload() == "eA=="


def test_multipart_keeps_the_exact_bytes_of_a_file() -> None:
    raw = bytes(range(256)) * 3
    sent = post({"multipart/form-data": {"schema": SCHEMA}}, {"file": raw})
    assert raw in sent.content
    described = {
        "file": {
            "content_base64": base64.b64encode(raw).decode(),
            "filename": 'a"\r\nb.png',
            "content_type": "image/png",
        }
    }
    sent = post({"multipart/form-data": {"schema": SCHEMA}}, described)
    assert raw in sent.content
    assert b'filename="a%22%0D%0Ab.png"' in sent.content
    assert b"Content-Type: image/png" in sent.content


def test_multipart_repeats_arrays_and_follows_encoding() -> None:
    request = post(
        {"multipart/form-data": {"schema": SCHEMA}}, {"tags": ["a", "b"], "files": ["x", b"y"], "rows": [{"a": 1}]}
    )
    text = request.content.decode()
    assert text.count('name="tags"') == 2
    assert text.count('name="files"; filename=') == 2
    assert '{"a":1}' in text
    found = multipart({"meta": {"a": 1}, "text": "<a/>"}, text={"contentType": "application/xml"})
    assert found["text"].get_content_type() == "application/xml"
    found = multipart({"meta": {"a": {"b": 1}}}, meta={"style": "deepObject"})
    assert found["meta[a][b]"].get_payload() == "1"
    found = multipart({"tags": ["a b", "c"]}, tags={"style": "pipeDelimited", "explode": False})
    assert found["tags"].get_payload() == "a b|c"


def test_the_same_arguments_give_the_same_multipart_bytes() -> None:
    one, two = (post({"multipart/form-data": {"schema": SCHEMA}}, {"text": "a", "file": b"b"}) for _ in range(2))
    assert one.content == two.content
    assert one.headers["content-type"] == two.headers["content-type"]
    boundary = re.search("boundary=(.+)", one.headers["content-type"])
    assert boundary
    assert one.content.count(boundary[1].encode()) == 3


@pytest.mark.parametrize(
    "value", [{"file": {"content_base64": "!!"}}, {"file": {"text": "x", "content_type": "a\r\nb"}}, "x"]
)
def test_a_broken_multipart_value_is_refused(value: Any) -> None:
    with pytest.raises(RequestRefused):
        post({"multipart/form-data": {"schema": SCHEMA}}, value)


@pytest.mark.parametrize(
    ("media", "value", "raw"),
    [
        ("application/octet-stream", b"\x00\xff", b"\x00\xff"),
        ("image/png", {"content_base64": "AAE="}, b"\x00\x01"),
        ("application/pdf", "x", b"x"),
        ("text/plain", "hé", "hé".encode()),
        ("text/plain; charset=iso-8859-1", "hé", b"h\xe9"),
        ("text/csv", "a,b\n", b"a,b\n"),
        ("text/plain", 5, b"5"),
        ("application/xml", "<a/>", b"<a/>"),
        ("text/xml; charset=iso-8859-1", "<a>\xe9\u20ac</a>", b"<a>\xe9&#8364;</a>"),
        ("text/xml; charset=iso-8859-1", {"a": "\xe9\u20ac"}, b"<root><a>\xe9&#8364;</a></root>"),
        ("application/x-ndjson", [{"a": 1}, {"a": 2}], b'{"a":1}\n{"a":2}\n'),
    ],
)
def test_other_bodies_are_sent_as_they_are(media: str, value: Any, raw: bytes) -> None:
    sent = post({media: {"schema": {"type": "string"}}}, value)
    assert sent.content == raw
    assert sent.headers["content-type"] == media


def test_a_file_may_be_a_part_of_a_list() -> None:
    schema = {"type": "array", "prefixItems": [OBJECT], "items": {"type": "string", "format": "binary"}}
    made = operation(method="post", body={"required": True, "content": {"multipart/mixed": {"schema": schema}}})
    sent = made.request({"body": [{"a": 1}, {"content_base64": "AAE=", "filename": "a.bin"}]})
    assert b'attachment; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n\x00\x01\r\n' in sent.content


@pytest.mark.parametrize("charset", ["iso-8859-1", "idna", "undefined", "nonsense"])
def test_a_text_that_its_charset_cannot_carry_is_refused(charset: str) -> None:
    with pytest.raises(RequestRefused, match=f"in the charset {charset}"):
        post({f"text/plain; charset={charset}": {"schema": {"type": "string"}}}, "\u20ac" * 70)


@pytest.mark.parametrize(
    ("body", "match"),
    [
        ({"a><evil/><b": "x"}, "cannot be the name"),
        ({"a b": "x"}, "cannot be the name"),
        ({"a": {"1": "x"}}, "cannot be the name"),
        ({"{http://other}a": "x"}, "cannot be the name"),
        ({"a": "x\x00"}, "control character"),
    ],
)
def test_what_xml_cannot_say_is_refused(body: Any, match: str) -> None:
    with pytest.raises(RequestRefused, match=match):
        post({"application/xml": {"schema": {"type": "object"}}}, body)
    assert b"<\xc3\xa9-1.x:b>" in post({"application/xml": {"schema": {"type": "object"}}}, {"é-1.x:b": "x"}).content


def test_an_object_is_written_as_xml_by_its_hints() -> None:
    schema = {
        "type": "object",
        "xml": {"name": "pet"},
        "properties": {
            "id": {"type": "integer", "xml": {"attribute": True}},
            "tags": {"type": "array", "xml": {"wrapped": True}, "items": {"type": "string", "xml": {"name": "tag"}}},
        },
    }
    sent = post({"application/xml": {"schema": schema}}, {"id": 1, "name": "a<b", "tags": ["x", "y"]})
    assert sent.content == b'<pet id="1"><name>a&lt;b</name><tags><tag>x</tag><tag>y</tag></tags></pet>'


def test_a_body_is_sent_with_any_method_that_declares_one() -> None:
    for method in ("get", "delete", "put", "patch"):
        sent = operation(method=method, body=json_body(OBJECT)).build(body={"a": 1})
        assert json.loads(sent.content) == {"a": 1}
