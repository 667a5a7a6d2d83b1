"""The two wires of the Bitte executors, row by row."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from spec_server import reply, serving

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import OperationError, RequestRefused
from bitte_nb.spec.guard import MOST_TEXT
from bitte_nb.spec.load import load_document
from bitte_nb.spec.operation import Operation
from bitte_nb.spec.response import send

WIRES = ("bitte-chat", "bitte-registry")
PARAMS = [{"name": "h", "in": "header", "schema": {}}, {"name": "n", "in": "query", "schema": {"type": "integer"}}]


def operation(path: str, method: str, wire: Any, server: str = "https://api.test") -> Operation:
    node = {"operationId": "op", "parameters": PARAMS}
    root = {"openapi": "3.0.0", "servers": [{"url": server}], "paths": {path: {method: node}}}
    return load_document(root, wire=wire).operation("op")


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


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


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "value", ["..", "../../admin", "%2e%2e%2fadmin", "%252e%252e", "..\\..\\admin", "a\\b", ".;x", "a\r\nb", "\x00", ""]
)
def test_a_path_value_that_climbs_or_breaks_is_refused_on_every_wire(wire: Any, value: str) -> None:
    with pytest.raises(RequestRefused):
        operation("/u/{id}/x", "get", wire).request({"id": value})


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("value", ["http://evil.test/x", "//evil.test", "@evil.test", "?x#y"])
def test_an_absolute_url_in_a_path_value_is_data_on_every_wire(wire: Any, value: str) -> None:
    request = operation("/u/{id}", "get", wire).request({"id": value})
    assert request.url.host == "api.test"
    assert request.url.raw_path.count(b"/") == 2


@pytest.mark.parametrize("wire", WIRES)
def test_an_argument_sets_no_header_and_breaks_none_on_any_wire(wire: Any) -> None:
    made = operation("/u", "get", wire)
    request = made.request({"Host": "evil.test", "Authorization": "x", "mb-metadata": "{}", "h": "a\r\nX: 1"})
    assert (request.headers["host"], "authorization" in request.headers) == ("api.test", False)
    assert not {"mb-metadata", "x"} & request.headers.keys()
    assert "\n" not in str(request.url)
    for headers in ({"Idempotency-Key": "a\r\nb"}, {"X\r\nY": "a"}, {"X": "a\x00"}):
        with pytest.raises(RequestRefused):
            made.request({}, headers=headers)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({"a": "x" * (MOST_TEXT + 1)}, "Argument a has a text of 32,000,001 characters"),
        ({"a": ["x" * (MOST_TEXT // 2)] * 5}, "The arguments are larger than 64,000,000 characters together"),
        ({"a": [{"b": "x" * (MOST_TEXT + 1)}]}, "Argument a has a text of 32,000,001 characters"),
        ({"a": "\ud800"}, "half a surrogate pair"),
        ({"\udfff": 1}, "half a surrogate pair"),
        ({"a": deep(201)}, "nested deeper than 200 levels"),
    ],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_the_caps_on_arguments_hold_on_every_wire(wire: Any, args: dict[str, Any], sentence: str, method: str) -> None:
    with pytest.raises(RequestRefused, match=sentence):
        operation("/u", method, wire).request(args)


@pytest.mark.parametrize("wire", WIRES)
def test_a_request_that_is_too_long_is_a_sentence_on_every_wire(wire: Any) -> None:
    with pytest.raises(RequestRefused, match="a URL of 100,0"):
        operation("/u", "get", wire).request({"a": "x" * 100_000})


@pytest.mark.parametrize(
    ("wire", "server"),
    [
        ("bitte-chat", "https://{host}"),
        ("bitte-chat", "https://api.test@{host}"),
        ("bitte-chat", "https://user:secret@api.test"),
        ("bitte-chat", "ftp://api.test"),
        ("bitte-chat", "file:///etc"),
        ("bitte-registry", "https://{host}"),
        ("bitte-registry", "https://user:secret@api.test"),
    ],
)
def test_no_argument_chooses_the_server_and_no_url_carries_a_password(wire: Any, server: str) -> None:
    made = operation("/u", "get", wire, server)
    with pytest.raises((RequestRefused, OperationError)):
        made.request({"host": "evil.test"})


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_judged_is_the_place_where_the_request_goes(wire: Any) -> None:
    """The executors know no server but the document's first; a policy and the network rule must mean that one."""
    node = {"operationId": "op", "servers": [{"url": "https://public.test"}]}
    root = {"openapi": "3.0.0", "servers": [{"url": "https://10.0.0.1"}], "paths": {"/u": {"get": node}}}
    made = load_document(root, url="https://public.test/openapi.json", wire=wire).operation("op")
    request = made.request({})
    assert made.origin == "https://10.0.0.1" == str(request.url.copy_with(raw_path=b"")).rstrip("/")
    assert made.document.servers == ("https://10.0.0.1",)
    assert request.extensions["bitte_nb"].public_only
    typed = load_document(root, url="https://10.0.0.1/openapi.json", wire=wire).operation("op")
    assert not typed.request({}).extensions["bitte_nb"].public_only


@pytest.mark.parametrize("wire", WIRES)
def test_no_argument_stands_for_a_credential_on_any_wire(wire: Any) -> None:
    root = {
        "openapi": "3.0.0",
        "servers": [{"url": "https://api.test"}],
        "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "key"}}},
        "security": [{"key": []}],
        "paths": {"/u": {"get": {"operationId": "op"}}},
    }
    made = load_document(root, wire=wire)
    made.authorize("key", "s3cret-value")
    with pytest.raises(RequestRefused, match="carries a credential"):
        made.operation("op").request({"key": "mine"})
    request = made.operation("op").request({})
    assert "s3cret" not in f"{request.url}{request}"
    assert made.operation("op").credential_schemes == ("key",)


async def test_redirects_bombs_and_large_answers_are_caught_on_a_wire_too() -> None:
    async with serving(reply(b"", status="302 Found", headers={"Location": "https://evil.test/"})) as server:
        moved = await operation("/u", "get", "bitte-chat", server.url).call({})
    assert len(server.asked) == 1
    assert "evil.test" in moved.model_dump()["error"]
    bomb = gzip.compress(b"0" * 30_000_000)
    zipped = {"Content-Type": "text/plain", "Content-Encoding": "gzip"}
    for body, headers in ((bomb, zipped), (b"0" * 11_000_000, {"Content-Type": "text/plain"})):
        async with serving(reply(body, headers=headers)) as server:
            found = await operation("/u", "get", "bitte-chat", server.url).call({})
        assert "error" in found.model_dump()


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
    assert "says that it is JSON but is not" in found.model_dump()["error"]
