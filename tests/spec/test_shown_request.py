"""The request of a call prints as it will be sent, and no credential is in the text."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from IPython.lib.pretty import pretty

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import RequestRefused
from bitte_nb.spec.compat import Wire
from bitte_nb.spec.load import load_document
from bitte_nb.spec.shown_request import finished

BODY = {"content": {"application/json": {"schema": {"type": "object", "properties": {"text": {"type": "string"}}}}}}
NOTE: dict[str, Any] = {
    "operationId": "add-note",
    "requestBody": BODY,
    "security": [{"key": []}],
    "responses": {"200": {"description": "ok"}},
}
ROOT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Notes", "version": "1"},
    "servers": [{"url": "https://api.example/v1"}],
    "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    "paths": {"/notes": {"post": NOTE, "get": {**NOTE, "operationId": "list-notes"} | {"requestBody": {}}}},
}
SECRET = "s3cret-token"


def document() -> Any:
    doc = load_document(json.dumps(ROOT))
    doc.authorize("key", SECRET)
    return doc


def test_it_is_a_request_of_httpx_and_prints_what_will_be_sent() -> None:
    wallet = Wallet(account_id="alice.near")
    request = document().operation("add-note").request({"text": "two\nlines"}, wallet=wallet)
    assert isinstance(request, httpx.Request)
    text = str(request)
    head, _, body = text.partition("\n\n")
    assert head.splitlines()[0] == f"{request.method} {request.url}" == "POST https://api.example/v1/notes"
    for name, value in request.headers.multi_items():
        assert f"{name}: {value}" in head
    assert f"mb-metadata: {wallet.metadata()}" in head
    assert body == request.content.decode()
    assert pretty(request) == text


def test_a_request_without_a_required_argument_needs_none() -> None:
    operation = load_document(ROOT).operation("list-notes")
    assert str(operation.request().url) == "https://api.example/v1/notes"
    assert operation.arguments() == {}


@pytest.mark.parametrize("wire", ["openapi", "bitte-chat"])
def test_arguments_that_have_no_names_are_refused_in_a_sentence(wire: Wire) -> None:
    operation = load_document(ROOT, wire=wire).operation("list-notes")
    nameless: Any = [2]
    with pytest.raises(RequestRefused, match=r"by name, as a dict such as \{'id': 7\}, not as a list\."):
        operation.request(nameless)
    numbered: Any = {2: 2}
    with pytest.raises(RequestRefused, match=r"Arguments are given by name; 2 is no name\."):
        operation.request(numbered)


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "QUERY"])
@pytest.mark.parametrize("content", [None, b"", b"{}"])
@pytest.mark.parametrize("given", [[], [("host", "other.example")], [("Content-Length", "2")]])
def test_a_request_is_framed_as_httpx_frames_one(
    method: str, content: bytes | None, given: list[tuple[str, str]]
) -> None:
    url, headers = "https://api.example:8443/v1/notes?a=b", [("accept", "text/plain"), *given]
    ours = finished(method, url, "https://api.example:8443/v1", headers, content)
    theirs = httpx.Request(method, url, headers=headers, content=content)
    assert sorted(ours.headers.raw) == sorted(theirs.headers.raw)
    assert (ours.method, ours.url, ours.content) == (theirs.method, theirs.url, theirs.content)


def test_what_is_only_known_while_sending_is_said_in_words() -> None:
    text = str(document().operation("add-note").request({}))
    assert "idempotency-key: (made when an agent sends it" in text
    assert "mb-metadata: (made of the wallet" in text
    assert "authorization: Bearer ••• (credential key, added while sending)" in text
    given = document().operation("add-note").request({}, idempotency_key="k-1")
    assert "idempotency-key: k-1" in str(given).lower()
    assert "idempotency-key" not in str(document().operation("list-notes").request({}))


@pytest.mark.parametrize("headers", [{"Authorization": "Bearer abc"}, {"X-Other": SECRET}])
def test_no_credential_is_printed(headers: dict[str, str]) -> None:
    text = str(document().operation("add-note").request({}, headers=headers))
    assert "Bearer abc" not in text
    assert SECRET not in text
