"""Where an operation takes files, and how their bytes get there."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitte_nb as bn
from bitte_nb.spec.files import File, accepted_files, with_files
from bitte_nb.spec.operation import Operation

BINARY: dict[str, Any] = {"type": "string", "format": "binary"}
BYTE: dict[str, Any] = {"type": "string", "format": "byte"}
BASE64: dict[str, Any] = {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}
PHOTO = File("photo.png", "image/png", b"\x89PNG\x00\xff")
ENCODED = base64.b64encode(PHOTO.content).decode()
REFERENCE = "attachment:photo"


def find(text: str) -> File | None:
    return PHOTO if text == REFERENCE else None


def operation(media: str, schema: dict[str, Any], *, version: str = "3.1.0", **content: Any) -> Operation:
    body = {"required": True, "content": {media: {"schema": schema, **content}}}
    document = {
        "openapi": version,
        "info": {"title": "Files", "version": "1"},
        "servers": [{"url": "http://files.test"}],
        "paths": {
            "/f": {"post": {"operationId": "put", "requestBody": body, "responses": {"200": {"description": ""}}}}
        },
    }
    return bn.load_document(document).operation("put")


def fields(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


FORM = "multipart/form-data"
ACCEPTED: dict[str, tuple[Operation, tuple[str, ...]]] = {
    "a part": (operation(FORM, fields(photo=BINARY, note={"type": "string"})), ("*/*",)),
    "a part of declared kinds": (
        operation(FORM, fields(photo=BINARY), encoding={"photo": {"contentType": "image/png, image/jpeg"}}),
        ("image/png", "image/jpeg"),
    ),
    "a part with a media type": (
        operation(FORM, fields(photo={"type": "string", "contentMediaType": "image/webp"})),
        ("image/webp",),
    ),
    "several parts": (operation(FORM, fields(photos={"type": "array", "items": BINARY})), ("*/*",)),
    "a body of bytes": (operation("application/octet-stream", BINARY), ("*/*",)),
    "a body of a kind": (operation("image/png", {}), ("image/png",)),
    "base64 in JSON": (operation("application/json", fields(photo=BASE64)), ("image/png",)),
    "the format byte, old documents": (
        operation("application/json", fields(photo=BYTE), version="3.0.3"),
        ("*/*",),
    ),
    "deep in JSON": (
        operation("application/json", fields(a=fields(list={"type": "array", "items": fields(photo=BASE64)}))),
        ("image/png",),
    ),
    "no file": (operation("application/json", fields(note={"type": "string"})), ()),
    "a form without files": (operation(FORM, fields(note={"type": "string"})), ()),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_an_operation_takes_is_what_its_document_declares(name: str) -> None:
    one, expected = ACCEPTED[name]
    assert accepted_files(one) == expected


def sent(one: Operation, args: dict[str, Any]) -> bytes:
    return one.request(with_files(one, one.arguments(args), find)).content


def test_a_part_carries_the_bytes_the_name_and_the_type() -> None:
    body = sent(operation(FORM, fields(photo=BINARY, note={"type": "string"})), {"photo": REFERENCE, "note": REFERENCE})
    assert b'name="photo"; filename="photo.png"\r\nContent-Type: image/png\r\n\r\n' + PHOTO.content in body
    assert b'name="note"\r\n\r\n' + REFERENCE.encode() in body  # a field that is no file keeps its text


def test_several_parts_and_a_described_file() -> None:
    one = operation(FORM, fields(photos={"type": "array", "items": BINARY}))
    body = sent(one, {"photos": [REFERENCE, {"content_base64": REFERENCE, "filename": "mine.png"}, "plain"]})
    assert body.count(PHOTO.content) == 2
    assert b'filename="mine.png"' in body
    assert b"plain" in body


def test_a_body_is_the_bytes() -> None:
    assert sent(operation("image/png", {}), {"body": REFERENCE}) == PHOTO.content


@pytest.mark.parametrize("schema", [BASE64, BYTE, {"anyOf": [BASE64, {"type": "null"}]}], ids=["base64", "byte", "any"])
def test_json_carries_base64(schema: dict[str, Any]) -> None:
    one = operation("application/json", fields(photo=schema, deep=fields(list={"type": "array", "items": schema})))
    body = sent(one, {"photo": REFERENCE, "deep": {"list": [REFERENCE, "QQ=="]}}).decode()
    assert body.count(ENCODED) == 2
    assert "QQ==" in body
    assert REFERENCE not in body


def test_a_referenced_schema_is_followed() -> None:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Files", "version": "1"},
        "servers": [{"url": "http://files.test"}],
        "components": {"schemas": {"Photo": fields(data=BASE64, next={"$ref": "#/components/schemas/Photo"})}},
        "paths": {
            "/f": {
                "post": {
                    "operationId": "put",
                    "requestBody": {
                        "content": {
                            "application/json": {"schema": fields(photo={"$ref": "#/components/schemas/Photo"})}
                        }
                    },
                    "responses": {"200": {"description": ""}},
                }
            }
        },
    }
    one = bn.load_document(document).operation("put")
    assert accepted_files(one) == ("image/png",)
    body = sent(one, {"photo": {"data": REFERENCE, "next": {"data": REFERENCE}}}).decode()
    assert body.count(ENCODED) == 2


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([REFERENCE, "x", ""]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["photo", "list", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([one for one, _ in ACCEPTED.values()]),
    st.dictionaries(st.sampled_from(["photo", "a", "body"]), values),
)
def test_any_arguments_are_taken_and_nothing_changes_where_nothing_is_found(
    one: Operation, args: dict[str, Any]
) -> None:
    with_files(one, args, find)
    assert with_files(one, args, lambda _: None) == args
