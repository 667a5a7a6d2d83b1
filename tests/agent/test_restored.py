"""An agent that is restored from history sends what it sent before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.core.log import AgentRecord
from bitte_nb.core.wallet import Wallet

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Notes", "version": "1"},
    "servers": [{"url": "http://{region}.example:{port}/v1", "variables": {"region": {"default": "eu"}}}],
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
    "security": [{"key": []}],
    "paths": {
        "/notes/{id}": {
            "put": {
                "operationId": "put-note",
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "tags", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {"text": {"type": "string"}},
                                "required": ["text"],
                            }
                        }
                    }
                },
            }
        }
    },
}
DOCUMENT["servers"][0]["variables"]["port"] = {"default": "80"}
ARGS = {"id": "a b", "tags": ["x", "y"], "text": "é"}
WALLET = Wallet(account_id="alice.near")


def sent(agent: bn.Agent) -> tuple[Any, ...]:
    """All of the request that leaves, and to where it may."""
    request = agent.document.operation("put-note").request(ARGS, wallet=WALLET, idempotency_key="k")
    public_only = request.extensions["bitte_nb"].public_only
    return request.method, str(request.url), list(request.headers.raw), request.content, public_only


@pytest.mark.parametrize("wire", ["openapi", "bitte-chat", "bitte-registry"])
@pytest.mark.parametrize("trusted", [False, True])
def test_a_reloaded_chat_sends_the_same_bytes(wire: Any, trusted: bool, tmp_path: Path) -> None:
    # The other wires read no variables, and one that no server has is refused; the registry's puts https:// before any
    # server that does not begin with it.
    origin = f"{'https' if wire == 'bitte-registry' else 'http'}://us.example:8080"
    servers = DOCUMENT["servers"] if wire == "openapi" else [{"url": f"{origin}/v1"}]
    document = bn.load_document(
        {**DOCUMENT, "servers": servers},
        url="https://docs.example/openapi.json",
        variables={"region": "us", "port": "8080"} if wire == "openapi" else {},
        trust=[origin] if trusted else [],
        wire=wire,
    )
    document.authorize("key", "secret-of-the-person")
    store = tmp_path / "h.sqlite"
    agent = bn.Agent(document)
    chat = Chat(agent, store=store)
    chat.ask("hello").wait(60)
    chat.close()
    loaded = Chat.load(chat.id, store=store)
    assert sent(loaded.agent) == sent(agent)
    assert "us.example:8080" in sent(agent)[1]
    assert sent(agent)[-1] is not trusted
    loaded.close()
    assert "secret-of-the-person" not in agent.record().model_dump_json()
    assert b"secret-of-the-person" not in store.read_bytes()


def test_a_record_of_before_loads() -> None:
    agent = bn.Agent(bn.load_document(DOCUMENT))
    old = {
        key: value
        for key, value in agent.record().model_dump(mode="json").items()
        if key not in ("variables", "trust", "wire")
    }
    restored = bn.Agent.from_record(AgentRecord.model_validate(old), agent.document.text)
    assert sent(restored) == sent(agent)
