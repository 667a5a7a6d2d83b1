"""Responses: exactly one of data and error, by content type, within limits, on a real loopback server."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import time
import zlib
from typing import Any

import httpx
import pytest
from spec_documents import document
from spec_server import Answer, Asked, Server, drip, reply, serving

from bitte_nb.core.result import ToolData, ToolError
from bitte_nb.core.wallet import Wallet
from bitte_nb.spec.document import Document
from bitte_nb.spec.operation import Operation
from bitte_nb.spec.receive import Limits
from bitte_nb.spec.response import Exchange, perform, send

JSON = {"Content-Type": "application/json"}


def operation(server: Server, method: str = "get", **extra: Any) -> Operation:
    return document({"/t": {method: {"operationId": "op", **extra}}}, servers=[{"url": server.url}]).operation("op")


async def outcome(answer: Answer, method: str = "get", **limits: Any) -> Exchange:
    async with serving(answer) as server:
        return await perform(operation(server, method).request({}), limits=Limits(**limits))


async def data(answer: Answer, **limits: Any) -> Any:
    found = (await outcome(answer, **limits)).result
    assert isinstance(found, ToolData), found
    return found.data


async def error(answer: Answer, **limits: Any) -> str:
    found = (await outcome(answer, **limits)).result
    assert isinstance(found, ToolError), found
    return found.error


@pytest.mark.parametrize(
    ("media", "body", "value"),
    [
        ("application/json", b'{"a": 1}', {"a": 1}),
        ("application/json; charset=utf-8", b"\xef\xbb\xbf[1]", [1]),
        ("application/json; charset=iso-8859-1", b'"h\xe9"', "hé"),
        ("application/problem+json", b'{"title": "x"}', {"title": "x"}),
        ("application/vnd.api+json", b"0", 0),
        ("application/json", b"false", False),
        ("application/json", b'""', ""),
        ("application/json", b"null", None),
        ("application/json", b"", None),
        ("application/json", b"[NaN, Infinity, -Infinity]", ["NaN", "Infinity", "-Infinity"]),
        ("application/json", b"123456789012345678901234567890", 123456789012345678901234567890),
        ("application/json", b'[1e999, -1e999, 1e300, "1e999"]', ["1e999", "-1e999", 1e300, "1e999"]),
        ("application/json", b"[" + b"7" * 5000 + b"]", ["7" * 5000]),
        ("application/json, text/html", b"[1]", [1]),
        ("json", b"[1]", [1]),
        ("text/plain", "hé".encode(), "hé"),
        ("text/plain; charset=iso-8859-1", b"h\xe9", "hé"),
        ("text/plain; charset=utf-16", "hé".encode("utf-16"), "hé"),
        ("text/plain; charset=nonsense", b"ok", "ok"),
        ("text/plain; charset=idna", b"xn--a", "xn--a"),
        ("text/plain; charset=undefined", b"ok", "ok"),
        ("text/plain; charset=unicode_escape", b"\\u0041", "\\u0041"),
        ("text/plain; charset='iso-8859-1'", b"h\xe9", "hé"),
        ("text/plain", b"h\xe9", "h\ufffd"),
        ("text/html", b"<b>x</b>", "<b>x</b>"),
        ("application/xml", b"<a/>", "<a/>"),
        ("application/x-ndjson", b'{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        ("application/x-ndjson", '["\u2028"]\r\n["\u0085"]'.encode(), [["\u2028"], ["\u0085"]]),
        ("application/json-seq", b'\x1e{"a":\n1}\n\x1e{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        (
            "text/event-stream",
            b'event: x\ndata: {"a": 1}\n\ndata: a\ndata: b\nid: 7\n\n',
            [{"event": "x", "data": {"a": 1}}, {"id": "7", "data": "a\nb"}],
        ),
        (None, b'{"a": 1}', {"a": 1}),
        (None, b"plain words", "plain words"),
    ],
)
async def test_a_body_is_read_by_its_content_type(media: str | None, body: bytes, value: Any) -> None:
    assert await data(reply(body, headers={"Content-Type": media} if media else {})) == value


@pytest.mark.parametrize("status", ["204 No Content", "205 Reset Content", "200 OK"])
async def test_no_content_is_null(status: str) -> None:
    assert await data(reply(status=status)) is None


async def test_a_binary_body_is_a_described_attachment() -> None:
    image = b"\x89PNG\r\n\x1a\n" + bytes(200)
    found = await data(
        reply(image, headers={"Content-Type": "image/png", "Content-Disposition": 'attachment; filename="../a.png"'})
    )
    preview = found.pop("preview")
    assert preview.startswith("data:image/png;base64,")
    assert found == {"type": "image/png", "size": 208, "sha256": hashlib.sha256(image).hexdigest(), "filename": "a.png"}
    found = await data(reply(b"\x00\x01\xff" * 50_000, headers={"Content-Type": "video/mp4"}))
    assert found["size"] == 150_000
    assert "preview" not in found
    assert (await data(reply(b"\x00\xff\xfe\x01")))["type"] == "application/octet-stream"
    assert (await data(reply(b"a\x00b", headers={"Content-Type": "text/plain"})))["type"] == "text/plain"
    refused = await error(reply(image, status="500 Oops", headers={"Content-Type": "image/png"}))
    assert "image/png" in refused
    assert "base64" not in refused


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="a b.bin"', "a b.bin"),
        ("attachment; filename=a.bin; size=3", "a.bin"),
        ("attachment; filename=\"e.bin\"; filename*=UTF-8''%e2%82%ac.bin", "€.bin"),
        ("attachment; filename*=iso-8859-1'en'%A3.bin", "£.bin"),
        ("attachment; filename*=idna''..%2F..%2Fa%00.bin", "a.bin"),
        ("attachment", None),
    ],
)
async def test_an_attachment_has_the_name_that_the_server_gives_without_a_folder(
    disposition: str, name: str | None
) -> None:
    media = {"Content-Type": "application/octet-stream", "Content-Disposition": disposition}
    assert (await data(reply(b"\0\1", headers=media))).get("filename") == name


@pytest.mark.parametrize(
    ("status", "media", "body", "sentence"),
    [
        (
            "422 Unprocessable Entity",
            "application/json",
            b'{"message": "amount too high"}',
            'HTTP 422 Unprocessable Entity: {"message":"amount too high"}',
        ),
        ("400 Bad Request", "text/plain", b"no such token", "HTTP 400 Bad Request: no such token"),
        (
            "500 Internal Server Error",
            "text/html",
            b"<html><head><style>x{}</style></head><body><h1>Oops</h1><script>evil()</script></body>",
            "HTTP 500 Internal Server Error: Oops",
        ),
        ("503 Service Unavailable", "text/plain", b"", "HTTP 503 Service Unavailable"),
        ("404 Not Found", "application/json", b"{broken", "HTTP 404 Not Found: {broken"),
    ],
)
async def test_an_error_body_reaches_the_model(status: str, media: str, body: bytes, sentence: str) -> None:
    assert await error(reply(body, status=status, headers={"Content-Type": media})) == sentence


async def test_a_long_error_body_is_cut_with_a_marker() -> None:
    found = await error(reply(b"x" * 9000, status="400 Bad Request", headers={"Content-Type": "text/plain"}))
    assert found.endswith("x [cut: 5,000 more characters]")


async def test_broken_json_is_an_error_that_shows_its_beginning() -> None:
    assert "it begins: <html>" in await error(reply(b"<html>not json", headers=JSON))


async def test_deep_json_is_an_error_and_not_a_crash() -> None:
    assert "nested deeper" in await error(reply(b"[" * 200_000 + b"]" * 200_000, headers=JSON))
    assert "nested deeper" in await error(reply(b'{"a":' * 5000 + b"1" + b"}" * 5000, headers=JSON))
    assert await data(reply(json.dumps("[" * 500).encode(), headers=JSON)) == "[" * 500


@pytest.mark.parametrize(
    "status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"]
)
async def test_a_redirect_is_never_followed(status: str) -> None:
    async with (
        serving(reply(b"stolen")) as other,
        serving(reply(status=status, headers={"Location": f"{other.url}/x"})) as server,
    ):
        found = await operation(server).call({}, wallet=Wallet(account_id="a.near"))
        assert isinstance(found, ToolError)
        assert "redirects are not followed" in found.error
        assert other.asked == []


async def test_a_body_on_the_wire_is_capped() -> None:
    assert "larger than 1,000 bytes" in await error(reply(b"x" * 2000), wire_bytes=1000)


@pytest.mark.parametrize(("coding", "fold"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_a_bomb_is_stopped_while_it_unfolds(coding: str, fold: Any) -> None:
    bomb = fold(bytes(50_000_000))
    begun = time.process_time()
    assert "bomb" in await error(reply(bomb, headers={"Content-Encoding": coding, "Content-Type": "text/plain"}))
    assert time.process_time() - begun < 1


async def test_the_decompressed_body_is_capped_whatever_its_ratio() -> None:
    raw = gzip.compress(b"".join(hashlib.sha256(bytes([n % 256, n // 256])).digest() for n in range(3000)))
    assert "unfolds" in await error(reply(raw, headers={"Content-Encoding": "gzip"}), decoded_bytes=50_000)


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(b'{"a": 1}')),
        ("gzip", gzip.compress(b'{"a":') + gzip.compress(b" 1}") + b"\0\0"),
        ("deflate", zlib.compress(b'{"a": 1}')),
        ("deflate", zlib.compress(b'{"a": 1}')[2:-4]),
        ("identity", b'{"a": 1}'),
    ],
    ids=["gzip", "gzip of two members", "zlib", "raw deflate", "identity"],
)
async def test_compressed_bodies_are_read(coding: str, body: bytes) -> None:
    assert await data(reply(body, headers={"Content-Encoding": coding, **JSON})) == {"a": 1}


async def test_the_members_of_a_gzip_body_may_come_in_any_pieces() -> None:
    body = gzip.compress(b"one ") + gzip.compress(b"two")
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\n"
    assert await data(drip([bytes([byte]) for byte in body], pause=0, head=head)) == "one two"


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip"])
async def test_a_compression_that_was_not_asked_for_is_refused(coding: str) -> None:
    assert "not asked for" in await error(reply(b"xx", headers={"Content-Encoding": coding}))


async def test_a_broken_compression_is_an_error() -> None:
    half = gzip.compress(b"x" * 5000 + bytes(range(256)))[:-20]
    assert "cut off" in await error(reply(half, headers={"Content-Encoding": "gzip"}))
    assert "broken" in await error(reply(b"not gzip at all", headers={"Content-Encoding": "gzip"}))


async def test_a_dripping_server_meets_the_total_deadline() -> None:
    found = await outcome(drip([b"x"] * 10_000, pause=0.1), deadline=2.0)
    assert isinstance(found.result, ToolError)
    assert "within 2 seconds" in found.result.error
    assert (found.sent, found.status) == ("yes", 200)


async def test_a_stream_of_events_that_does_not_end_gives_what_came_and_says_so() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    found = await data(
        drip([b"data: 1\n\n", b"data: 2\n\n", b": ping\n\n"] + [b":\n"] * 5000, pause=0.05, head=head), deadline=2.5
    )
    assert [event["data"] for event in found[:2]] == ["1", "2"]
    assert found[-1]["event"] == "cut"


async def test_a_server_that_says_nothing_leaves_the_outcome_unknown() -> None:
    async def silent(_asked: Any, _writer: Any) -> None:
        await asyncio.sleep(300)

    found = await outcome(silent, "post", deadline=2.0)
    assert (found.sent, found.status) == ("unknown", None)


async def test_a_connection_that_breaks_after_sending_leaves_the_outcome_unknown() -> None:
    async def hang_up(_asked: Any, _writer: Any) -> None:
        return

    found = await outcome(hang_up, "post")
    assert found.sent == "unknown"
    assert isinstance(found.result, ToolError)


async def test_a_server_that_is_not_there_was_surely_not_reached() -> None:
    async with serving(reply()) as server:
        gone = server.url
    found = await perform(operation(Server(gone), "post").request({}))
    assert (found.sent, found.status) == ("no", None)
    assert isinstance(found.result, ToolError)
    assert "Nothing was sent" in found.result.error


async def test_cancelling_closes_the_connection_at_once() -> None:
    started = asyncio.Event()

    async def slow(_asked: Any, _writer: Any) -> None:
        started.set()
        await asyncio.sleep(300)

    async with serving(slow) as server:
        task = asyncio.ensure_future(operation(server, "post").call({}))
        await asyncio.wait_for(started.wait(), 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.closed.wait(), 60)


async def test_on_sent_is_called_once_and_only_when_bytes_may_leave() -> None:
    calls: list[int] = []
    async with serving(reply(b"{}", headers=JSON)) as server:
        request = operation(server, "post").request({})
        assert await send(request, on_sent=lambda: calls.append(1)) == ToolData(data={})
        gone = server.url
    assert calls == [1]
    await perform(operation(Server(gone)).request({}), on_sent=lambda: calls.append(2))
    assert calls == [1]


async def test_a_given_client_is_used_and_neither_follows_nor_authorises() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        assert "authorization" not in request.headers
        return httpx.Response(302, headers={"Location": "https://evil.test/"})

    transport = httpx.MockTransport(handler)
    async with httpx.AsyncClient(transport=transport, follow_redirects=True, auth=("u", "p")) as client:
        found = await operation(Server("https://api.test")).call({}, client=client)
    assert isinstance(found, ToolError)


async def test_retry_after_is_told() -> None:
    found = await outcome(reply(b"slow down", status="429 Too Many Requests", headers={"Retry-After": "7"}))
    assert (found.status, found.retry_after) == (429, 7.0)


async def test_nothing_is_sent_twice() -> None:
    async with serving(reply(status="503 Service Unavailable")) as server:
        await operation(server, "post").call({})
        assert len(server.asked) == 1


async def test_what_arrives_is_what_was_built() -> None:
    async with serving(reply(b"{}", headers=JSON)) as server:
        body = {
            "required": True,
            "content": {"application/json": {"schema": {"type": "object", "properties": {"a": {}}}}},
        }
        request = operation(server, "post", requestBody=body).request(
            {"a": "é"}, wallet=Wallet(account_id="alice.near"), idempotency_key="k"
        )
        await send(request)
        asked = server.asked[0]
        assert asked.line == "POST /t HTTP/1.1"
        assert asked.body == request.content == '{"a":"é"}'.encode()
        assert json.loads(asked.headers["mb-metadata"]) == {"accountId": "alice.near"}
        assert asked.headers["idempotency-key"] == "k"
        assert asked.headers["accept-encoding"] == "gzip, deflate"


SCHEMES = {
    "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "api_key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "oauth": {"type": "oauth2", "flows": {}},
}


def secured(server: Server, security: Any) -> Document:
    params = [{"name": "api_key", "in": "query", "required": True, "schema": {"type": "string"}}]
    paths = {"/t": {"get": {"operationId": "op", "security": security, "parameters": params}}}
    return document(paths, servers=[{"url": server.url}], components={"securitySchemes": SCHEMES})


@pytest.mark.parametrize(
    ("scheme", "secret", "place", "value"),
    [
        ("key", "s3cret", "x-api-key", "s3cret"),
        ("query", "s3 cret", "line", "GET /t?api_key=s3%20cret HTTP/1.1"),
        ("cookie", "s3cret", "cookie", "sid=s3cret"),
        ("bearer", "s3cret", "authorization", "Bearer s3cret"),
        ("oauth", "s3cret", "authorization", "Bearer s3cret"),
        ("basic", "user:pass", "authorization", "Basic dXNlcjpwYXNz"),
        ("basic", "tok3n", "authorization", "Basic dG9rM246"),
    ],
)
async def test_a_credential_goes_where_its_scheme_says_and_is_seen_nowhere_else(
    scheme: str, secret: str, place: str, value: str
) -> None:
    async with serving(
        reply(f"denied {secret}".encode(), status="403 Forbidden", headers={"Content-Type": "text/plain"})
    ) as server:
        doc = secured(server, [{scheme: []}])
        doc.authorize(scheme, secret)
        request = doc.operation("op").request({})
        found = await send(request)
        asked = server.asked[0]
        assert (asked.line if place == "line" else asked.headers[place]) == value
    assert isinstance(found, ToolError)
    shown = [
        repr(doc),
        repr(doc.credentials),
        repr(request),
        str(request.headers),
        str(request.url),
        found.error,
        str(doc.tools()),
        repr(request.extensions),
    ]
    assert all(secret not in text for text in shown)
    assert "api_key" not in str(doc.tools())


async def test_a_credential_never_goes_to_another_origin_or_an_open_operation() -> None:
    async with serving(reply(b"{}", headers=JSON)) as one, serving(reply(b"{}", headers=JSON)) as other:
        paths = {
            "/a": {"get": {"operationId": "a", "servers": [{"url": other.url}]}},
            "/b": {"get": {"operationId": "b", "security": []}},
            "/c": {"get": {"operationId": "c"}},
        }
        doc = document(
            paths, servers=[{"url": one.url}], security=[{"bearer": []}], components={"securitySchemes": SCHEMES}
        )
        doc.authorize("bearer", "s3cret", origin=one.url)
        for name in "abc":
            await doc.operation(name).call({})
        assert "authorization" not in other.asked[0].headers
        assert ["authorization" in asked.headers for asked in one.asked] == [False, True]


async def test_all_schemes_of_an_alternative_are_needed_and_the_first_that_can_be_met_is_used() -> None:
    async with serving(reply(b"{}", headers=JSON)) as server:
        doc = secured(server, [{"key": [], "basic": []}, {"bearer": []}])
        doc.authorize("key", "k-secret")
        doc.authorize("bearer", "b-secret")
        await doc.operation("op").call({})
        doc.authorize("basic", "u:p")
        await doc.operation("op").call({})
        assert [asked.headers["authorization"].split()[0] for asked in server.asked] == ["Bearer", "Basic"]
        assert "x-api-key" not in server.asked[0].headers


async def test_a_secret_that_the_server_echoes_is_not_in_the_result() -> None:
    async def echo(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await reply(json.dumps(asked.headers).encode(), headers=JSON)(asked, writer)

    async with serving(echo) as server:
        doc = secured(server, [{"bearer": []}])
        doc.authorize("bearer", "s3cret-token")
        found = await doc.operation("op").call({})
    assert isinstance(found, ToolData)
    assert found.data["authorization"] == "Bearer [secret]"


def test_unknown_schemes_and_origins_are_refused() -> None:
    doc = secured(Server("https://api.test"), [{"key": []}])
    for scheme, origin in (("nope", None), ("key", "https://evil.test")):
        with pytest.raises(Exception, match=r"declares no security scheme|is not an origin"):
            doc.authorize(scheme, "x", origin=origin)
