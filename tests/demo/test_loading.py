"""The demo agent through our own reader: every operation becomes a tool that works over real HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bitte_nb.agent.agent import Agent
from bitte_nb.agent.chat import Chat
from bitte_nb.core.result import ToolData, ToolError
from bitte_nb.core.wallet import Wallet
from bitte_nb.demo.agent import DemoAgent
from bitte_nb.demo.tools import OPERATIONS
from bitte_nb.spec.document import Document
from bitte_nb.spec.load import load_document

ME = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
WALLET = Wallet(account_id="alice.near", evm_address=ME, chain_id=8453)


@pytest.fixture
def loaded(agent: DemoAgent) -> Document:
    return load_document(agent.document_url)


async def call(document: Document, operation_id: str, args: dict[str, Any] | None = None) -> Any:
    result = await document.operation(operation_id).call(args or {}, wallet=WALLET)
    assert isinstance(result, ToolData), result
    return result.data


def test_loading_finds_nothing_wrong_and_loses_no_operation(loaded: Document):
    assert loaded.findings == ()
    assert not loaded.quarantined
    assert set(loaded.operations) == {operation.id for operation in OPERATIONS}
    assert [tool.name for tool in loaded.tools()] == list(loaded.operations)


@pytest.mark.parametrize("provider", ["openai", "openai-strict", "anthropic", "gemini"])
def test_every_provider_takes_the_names_verbatim(loaded: Document, provider: str):
    assert [tool.name for tool in loaded.tools(provider=provider)] == list(loaded.operations)


async def test_the_wallet_context_reaches_the_agent(loaded: Document):
    assert await call(loaded, "get-user") == WALLET.context()


async def test_a_payload_and_a_signature_request_are_built_for_the_wallets_accounts(loaded: Document):
    near = await call(loaded, "create-near-transaction", {"receiverId": "bob.near", "amount": "0.1"})
    assert near["transactionPayload"]["actions"][0]["params"]["deposit"] == str(10**23)
    evm = await call(loaded, "create-evm-transaction", {"to": ME, "amount": "0.1"})
    assert evm["evmSignRequest"]["chainId"] == 8453
    sign = await call(loaded, "create-evm-sign-request", {"method": "personal_sign", "message": "Hello"})
    assert sign["transaction"]["params"] == ["0x48656c6c6f", ME]


async def test_a_note_is_undone_by_the_declared_undo(loaded: Document):
    note = await call(loaded, "add-note", {"text": "Buy milk"})
    undo = loaded.operation("add-note").undo
    assert undo is not None
    operation_id, args = undo.call({"text": "Buy milk"}, note)
    assert (operation_id, args) == ("remove-note", {"noteId": note["noteId"]})
    await call(loaded, operation_id, args)
    assert (await call(loaded, "list-notes"))["total"] == 0
    counted = await call(loaded, "count-effects")
    assert (counted["effects"]["add-note"], counted["effects"]["remove-note"]) == (1, 1)


async def test_what_the_agent_refuses_reaches_the_model_in_its_own_words(loaded: Document):
    result = await loaded.operation("reserve-username").call({"username": "alice"}, wallet=WALLET)
    assert isinstance(result, ToolError)
    assert "409" in result.error
    assert "alice-2" in result.error


def test_a_chart_is_asked_for_in_words_drawn_by_the_primitive_and_not_spelled_out(
    agent: DemoAgent, tmp_path: Path
) -> None:
    chat = Chat(Agent(agent.document_url), store=tmp_path / "history.sqlite")
    turn = chat.ask("draw a chart").wait(60)
    assert [(call.tool, call.state) for call in turn.invocations] == [
        ("create-chart", "succeeded"),
        ("render-chart", "succeeded"),
    ]
    assert turn.text == "Here is the chart."
    chat.close()
