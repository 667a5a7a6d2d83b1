"""The two wires of the Bitte executors, row by row."""

from __future__ import annotations

from typing import Any

import pytest
from spec_server import reply, serving

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import OperationError, RequestRefused
from bitte_nb.spec.load import load_document
from bitte_nb.spec.operation import Operation
from bitte_nb.spec.response import send

PARAMS = [{"name": "h", "in": "header", "schema": {}}, {"name": "n", "in": "query", "schema": {"type": "integer"}}]


def operation(path: str, method: str, wire: Any, server: str = "https://api.test") -> Operation:
    node = {"operationId": "op", "parameters": PARAMS}
    root = {"openapi": "3.0.0", "servers": [{"url": server}], "paths": {path: {method: node}}}
    return load_document(root, wire=wire).operation("op")


@pytest.mark.parametrize(
    ("wire", "method", "args", "url", "body"),
    [
        (
            "bitte-chat",
            "get",
            {"id": "x/y z", "a": [1, 2, 3], "o": {"b": 1}, "z": None, "f": False, "e": ""},
            "/u/x%2Fy%20z?a=1%2C2%2C3&o=%5Bobject+Object%5D&f=false&e=",
            None,
        ),
        ("bitte-chat", "get", {"id": None}, "/u/null", None),
        ("bitte-chat", "get", {"id": {}}, "/u/%5Bobject%20Object%5D", None),
        ("bitte-chat", "get", {"id": 1, "h": "not a header"}, "/u/1?h=not+a+header", None),
        ("bitte-chat", "post", {"id": 1, "n": 5, "s": "t"}, "/u/1", b'{"n":5,"s":"t"}'),
        ("bitte-chat", "delete", {"id": 1}, "/u/1", b"{}"),
        ("bitte-registry", "get", {"id": 1, "n": 5}, "/u/1?n=5", None),
        ("bitte-registry", "post", {"id": 1, "n": 5}, "/u/1?n=5", b'{"n":5}'),
    ],
)
def test_a_wire_sends_what_its_executor_sends(wire: str, method: str, args: Any, url: str, body: bytes | None) -> None:
    request = operation("/u/{id}", method, wire).request(args, wallet=Wallet(account_id="a.near"))
    assert str(request.url) == "https://api.test" + url
    assert request.content == (body or b"")
    assert request.headers["content-type"] == "application/json"
    assert request.headers["mb-metadata"] == '{"accountId":"a.near"}'


def test_their_faults_are_theirs() -> None:
    assert (
        str(operation("/u/{account-id}", "get", "bitte-chat").request({"account-id": 1}).url)
        == "https://api.test/u/%7Baccount-id%7D?account-id=1"
    )
    assert str(operation("/u", "get", "bitte-chat", "https://api.test/").request({}).url) == "https://api.test//u"
    with pytest.raises(RequestRefused, match=r"^Missing required path parameter: id$"):
        operation("/u/{id}", "get", "bitte-chat").request({})
    with pytest.raises(RequestRefused, match="cannot have body"):
        operation("/u", "head", "bitte-chat").request({})
    with pytest.raises(OperationError):
        operation("/u", "get", "bitte-chat", "/relative").request({})


def test_safety_holds_on_every_wire() -> None:
    for wire in ("bitte-chat", "bitte-registry"):
        with pytest.raises(RequestRefused):
            operation("/u/{id}/x", "get", wire).request({"id": ".."})
        with pytest.raises(RequestRefused):
            operation("/u", "post", wire).request({}, idempotency_key="a\r\nb")


def test_a_wire_is_named_and_off_by_default() -> None:
    root: dict[str, Any] = {"openapi": "3.0.0", "paths": {}}
    assert load_document(root).wire == "openapi"
    with pytest.raises(ValueError, match="is not a wire"):
        load_document(root, wire="acme")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wire", "status", "media", "body", "result"),
    [
        ("bitte-chat", "200 OK", "application/json; charset=utf-8", b'{"a":0}', {"data": {"result": {"a": 0}}}),
        ("bitte-chat", "200 OK", "text/html", "é".encode(), {"data": {"result": "é"}}),
        ("bitte-chat", "200 OK", "application/problem+json", b'{"a":1}', {"data": {"result": {}}}),
        ("bitte-chat", "204 No Content", None, b"", {"data": {"result": {}}}),
        (
            "bitte-chat",
            "422 Unprocessable Entity",
            "application/json",
            b'{"why":"x"}',
            {"error": "HTTP error during tool execution: 422 Unprocessable Entity"},
        ),
        ("bitte-registry", "200 OK", "application/json", b"[1]", {"data": [1]}),
        ("bitte-registry", "200 OK", "image/png", b"\x89PNG", {"data": {}}),
        (
            "bitte-registry",
            "500 Internal Server Error",
            "text/plain",
            b"x",
            {"error": "HTTP error during plugin tool execution: 500 Internal Server Error"},
        ),
    ],
)
async def test_a_wire_reads_what_its_executor_reads(
    wire: Any, status: str, media: str | None, body: bytes, result: dict[str, Any]
) -> None:
    async with serving(reply(body, status=status, headers={"Content-Type": media} if media else {})) as server:
        made = operation("/u", "get", wire, server.url)
        if wire == "bitte-registry":
            # That executor speaks https only; what is under test here is how it reads.
            request = made.request({})
            made = operation("/u", "get", "bitte-chat", server.url)
            plain = made.request({})
            plain.extensions["bitte_nb"] = request.extensions["bitte_nb"]
            found = await send(plain)
        else:
            found = await made.call({})
    assert found.model_dump() == result


async def test_json_that_is_broken_is_an_error_on_every_wire() -> None:
    async with serving(reply(b"{", headers={"Content-Type": "application/json"})) as server:
        found = await operation("/u", "get", "bitte-chat", server.url).call({})
    assert "not JSON" in found.model_dump()["error"]
