"""The two wires of the Bitte executors, row by row."""

from __future__ import annotations

from typing import Any

import pytest

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import OperationError, RequestRefused
from bitte_nb.spec.load import load_document
from bitte_nb.spec.operation import Operation

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
