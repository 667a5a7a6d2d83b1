"""OAuth2 client credentials on a real server."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from spec_documents import document
from spec_server import Asked, Server, reply, serving

from bitte_nb.core.result import ToolData, ToolError
from bitte_nb.errors import OperationError
from bitte_nb.spec.document import Document
from bitte_nb.spec.response import Exchange, Limits, perform


def secured(server: Server, token_url: str = "/token", **given: Any) -> Document:
    flows = {"clientCredentials": {"tokenUrl": token_url, "scopes": {}}}
    schemes = {"o": {"type": "oauth2", "flows": flows}}
    paths = {"/t": {"get": {"operationId": "op", "security": [{"o": []}]}}}
    servers = [{"url": server.url}, {"url": "https://evil.test"}]
    return document(paths, servers=servers, components={"securitySchemes": schemes}, **given)


def answering(token: Any, status: str = "200 OK") -> Any:
    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        value: Any = token if "/token" in asked.line else {"auth": asked.headers.get("authorization")}
        code = status if "/token" in asked.line else "200 OK"
        await reply(json.dumps(value).encode(), status=code, headers={"Content-Type": "application/json"})(
            asked, writer
        )

    return answer


async def test_a_token_is_asked_for_once_and_used_until_it_ends() -> None:
    async with serving(answering({"access_token": "tok-12345", "token_type": "Bearer", "expires_in": 3600})) as server:
        doc = secured(server)
        doc.authorize_client("o", client_id="me", client_secret="cl1ent-s3cret", scopes=["a", "b"])
        for _ in range(2):
            assert await doc.operation("op").call({}) == ToolData(data={"auth": "Bearer [secret]"})
        assert [asked.line.split()[1] for asked in server.asked] == ["/token", "/t", "/t"]
        assert server.asked[1].headers["authorization"] == "Bearer tok-12345"
        assert base64.b64decode(server.asked[0].headers["authorization"].split()[1]) == b"me:cl1ent-s3cret"
        assert server.asked[0].body == b"grant_type=client_credentials&scope=a+b"
        assert "s3cret" not in repr(doc.credentials) + repr(doc.operation("op").request({}).extensions)


async def test_a_token_that_has_ended_is_asked_for_again() -> None:
    async with serving(answering({"access_token": "tok-12345", "expires_in": 1})) as server:
        doc = secured(server)
        doc.authorize_client("o", client_id="me", client_secret="cl1ent-s3cret")
        for _ in range(2):
            await doc.operation("op").call({})
        assert [asked.line.split()[1] for asked in server.asked] == ["/token", "/t", "/token", "/t"]


async def test_a_token_that_lasts_for_ever_is_a_token() -> None:
    async with serving(answering({"access_token": "tok-12345", "expires_in": 10**400})) as server:
        doc = secured(server)
        doc.authorize_client("o", client_id="me", client_secret="cl1ent-s3cret")
        assert await doc.operation("op").call({}) == ToolData(data={"auth": "Bearer [secret]"})


async def asked_meanwhile(act: Callable[[Document], None], limits: Limits | None = None) -> tuple[Exchange, list[str]]:
    """Do something while a call's token is asked for: what came of the call, and how each request was authorized.

    With limits, no token comes.
    """

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        act(doc)
        if limits is None:
            await answering({"access_token": "tok-12345"})(asked, writer)

    async with serving(answer) as server:
        doc = secured(server)
        doc.authorize_client("o", client_id="me", client_secret="cl1ent-s3cret")
        found = await perform(doc.operation("op").request({}), limits=limits)
        return found, [asked.headers.get("authorization", "")[:6] for asked in server.asked]


async def test_a_client_that_is_forgotten_while_it_is_asked_stays_forgotten() -> None:
    held: list[Document] = []

    def forget(doc: Document) -> None:
        doc.credentials.forget()
        held.append(doc)

    _, sent = await asked_meanwhile(forget)
    assert sent == ["Basic ", ""]
    assert not held[0].credentials.hold([{"o": []}], held[0].servers[0])


async def test_a_call_whose_token_takes_too_long_was_surely_not_sent() -> None:
    found, sent = await asked_meanwhile(lambda _: None, Limits(deadline=1.0))
    assert isinstance(found.result, ToolError)
    assert found.sent == "no"
    assert sent in (["Basic "], []), "at most the token was asked for"


@pytest.mark.parametrize(
    ("token", "status"),
    [
        ({"error": "invalid_client"}, "401 Unauthorized"),
        ({}, "200 OK"),
        ([], "200 OK"),
        ({"access_token": "x", "token_type": "mac"}, "200 OK"),
    ],
)
async def test_a_refused_token_is_an_error_and_the_call_is_not_sent(token: Any, status: str) -> None:
    async with serving(answering(token, status)) as server:
        doc = secured(server)
        doc.authorize_client("o", client_id="me", client_secret="cl1ent-s3cret")
        found = await doc.operation("op").call({})
        assert isinstance(found, ToolError)
        assert "s3cret" not in found.error
        assert len(server.asked) == 1


async def test_a_token_endpoint_that_answers_without_end_is_cut_off() -> None:
    async with serving(answering({"access_token": "x" * 2_000_000})) as server:
        doc = secured(server)
        doc.authorize_client("o", client_id="me", client_secret="cl1ent-s3cret")
        found = await doc.operation("op").call({})
        assert isinstance(found, ToolError)
        assert "larger than 1,000,000 bytes" in found.error
        assert len(server.asked) == 1


async def test_the_secret_goes_to_no_private_endpoint_that_only_a_document_from_a_url_names() -> None:
    async with serving(answering({"access_token": "tok-12345"})) as server:
        doc = secured(server, url="https://api.example/openapi.json")
        doc.authorize_client("o", client_id="me", client_secret="cl1ent-s3cret")
        found = await doc.operation("op").call({})
        assert isinstance(found, ToolError)
        assert "not a public address" in found.error
        assert server.asked == []


def test_the_clients_secret_goes_to_a_foreign_token_url_only_if_a_person_says_so() -> None:
    doc = secured(Server("https://api.test"), "https://evil.test/token")
    with pytest.raises(OperationError, match=r"evil\.test"):
        doc.authorize_client("o", client_id="me", client_secret="x")
    doc.authorize_client("o", client_id="me", client_secret="x", token_url="https://login.test/token")
    with pytest.raises(OperationError):
        doc.authorize_client("nope", client_id="me", client_secret="x", token_url="https://login.test/token")
