"""What went over the wire prints as both messages, and shows no secret."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from IPython.lib.pretty import pretty
from spec_documents import document
from spec_server import reply, serving

from bitte_nb.core.result import ToolData, ToolError
from bitte_nb.errors import OperationError
from bitte_nb.spec.exchange import Exchange
from bitte_nb.spec.operation import Operation
from bitte_nb.spec.response import perform

SCHEMES = {"key": {"type": "apiKey", "in": "query", "name": "api_key"}}


def operation(url: str, method: str = "get") -> Operation:
    doc = document(
        {"/t": {method: {"operationId": "op", "security": [{"key": []}]}}},
        servers=[{"url": url}],
        components={"securitySchemes": SCHEMES},
    )
    doc.authorize("key", "s3cret-key")
    return doc.operation("op")


async def exchange(body: bytes, *, status: str = "200 OK", **headers: str) -> Exchange:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with serving(reply(body, status=status, headers=named)) as server:
        return await operation(server.url).request({}).send()


async def test_request_and_answer_are_printed_and_no_secret_is() -> None:
    done = await exchange(
        b'{"a": "s3cret-key"}', content_type="application/json", set_cookie="sid=cookie-secret", x_echo="got s3cret-key"
    )
    assert done.result == ToolData(data={"a": "[secret]"})
    assert (done.status, done.reason, done.sent, done.body) == (200, "OK", "yes", b'{"a": "[secret]"}')
    request, answer, body = str(done).split("\n\n")
    assert request.splitlines()[0] == f"GET {done.request.url}"
    assert request.splitlines()[-1] == "?api_key=••• (credential key, added while sending)"
    assert "made of the wallet" not in request
    assert answer.splitlines()[0] == f"200 OK ({done.elapsed_ms:,} ms)"
    assert {"content-type: application/json", "set-cookie: •••", "x-echo: got [secret]"} <= set(answer.splitlines())
    assert body == '{"a": "[secret]"}'
    assert pretty(done) == str(done)
    assert not any(secret in f"{done}{done!r}" for secret in ("s3cret-key", "cookie-secret"))


async def test_headers_that_give_a_secret_are_hidden_by_their_names() -> None:
    done = await exchange(b"", x_auth_token="t", x_session_id="t", api_key="t", x_ratelimit_tokens="5", etag="e")
    hidden = {name for name, value in done.headers if value == "•••"}
    assert hidden == {"x-auth-token", "x-session-id", "api-key"}


async def test_a_body_is_cut_with_a_marker_and_bytes_are_counted() -> None:
    long = await exchange(b"x" * 5000, content_type="text/plain")
    assert str(long).endswith("x\n[cut: 1,000 more characters]")
    assert len(long.body) == 5000
    assert str(await exchange(b"\x89PNG\0", content_type="image/png")).endswith("\n\n(5 bytes that are not text)")
    assert str(await exchange(b"h\xe9", content_type="text/plain; charset=iso-8859-1")).endswith("\n\nhé")
    steering = await exchange(b"a\x1b[2Jb\nc", content_type="text/plain", x_steer="a\x9bb")
    assert str(steering).endswith("\n\na\\u{001B}[2Jb\nc")
    assert "x-steer: a\\u{009B}b" in str(steering)


async def test_a_refusal_is_printed_as_the_server_wrote_it() -> None:
    done = await exchange(b"no such token", status="404 Not Found", content_type="text/plain")
    assert done.result == ToolError(error="HTTP 404 Not Found: no such token")
    assert str(done).endswith("\n\nno such token")
    assert str(done).count("no such token") == 1


async def test_what_got_no_answer_or_none_that_can_be_read_says_so() -> None:
    unread = await exchange(b"<html>", content_type="application/json")
    assert isinstance(unread.result, ToolError)
    assert str(unread).endswith(f"<html>\n\n{unread.result.error}")
    async with serving(reply()) as server:
        url = server.url
    done = await operation(url).request({}).send()
    assert (done.status, done.sent, done.headers, done.body) == (None, "no", (), b"")
    assert str(done).endswith("Nothing was sent.")


async def test_any_request_of_httpx_can_be_sent() -> None:
    async with serving(reply(b"ok", headers={"Content-Type": "text/plain"})) as server:
        done = await perform(httpx.Request("GET", f"{server.url}/x"))
    assert str(done).startswith(f"GET {server.url}/x\n\n200 OK")


async def test_methods_are_sent_in_their_own_case() -> None:
    async with serving(reply()) as server:
        doc = document(
            {"/t": {"additionalOperations": {"fetch": {"operationId": "op"}}}}, servers=[{"url": server.url}]
        )
        request = doc.operation("op").request({})
        await request.send()
        assert [asked.line for asked in server.asked] == ["fetch /t HTTP/1.1"]
    assert str(request).startswith("fetch ")
    assert [one.id for one in doc.select(methods=["FETCH"])] == ["op"]


@pytest.mark.parametrize("name", ["description", "id", "summary", "input_schema", "anything"])
def test_an_operation_says_how_to_change_it(name: str) -> None:
    made: Any = operation("https://api.test")
    with pytest.raises(OperationError, match=f"The {name} of op cannot be set: .*document.changed"):
        setattr(made, name, "x")
