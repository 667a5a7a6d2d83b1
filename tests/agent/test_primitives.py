"""The primitives of the runtime: what a model is offered of those that a document declares, and who runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.core.primitives import PRIMITIVES
from bitte_nb.core.result import ToolError
from bitte_nb.spec.doctor.primitives import KNOWN
from bitte_nb.testing import Call, ScriptedModel

WALLET = bn.Wallet(account_id="alice.near", evm_address="0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", chain_id=8453)
SERVICES = sorted(one.name for one in PRIMITIVES.values() if one.needs)
USDC = "17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1"

Opener = Callable[..., Chat]


def document(*primitives: str, operation: str = "add-note", method: str = "post") -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Nowhere", "version": "1"},
        "servers": [{"url": "http://127.0.0.1:9"}],
        "paths": {"/x": {method: {"operationId": operation, "responses": {"200": {"description": "ok"}}}}},
        "x-mb": {"assistant": {"tools": [{"type": name} for name in primitives]}},
    }


@pytest.fixture
def open_chat(tmp_path: Path) -> Iterator[Opener]:
    opened: list[Chat] = []

    def make(call: Call, *primitives: str, **options: Any) -> Chat:
        model = ScriptedModel([[call], ["Done."]])
        agent = bn.Agent(document(*(primitives or (call.name,))), model=model, wallet=WALLET, **options)
        opened.append(Chat(agent, store=tmp_path / f"{len(opened)}.sqlite"))
        return opened[-1]

    yield make
    for chat in opened:
        chat.close()


def test_every_primitive_is_known_to_the_doctor() -> None:
    assert PRIMITIVES.keys() <= KNOWN
    # Their arguments are published nowhere, so that they cannot be offered.
    assert KNOWN - PRIMITIVES.keys() == {"data-retrieval", "share-twitter"}


def test_an_unknown_primitive_is_a_finding_and_is_not_offered() -> None:
    doc = bn.load_document(document("render-chart", "render-charts"))
    [finding] = [one for one in bn.doctor(doc) if one.rule == "XMB004"]
    assert "'render-charts' is not a known primitive, so it would not be offered." in finding.message
    assert [tool.name for tool in bn.Agent(doc).tools] == ["add-note", "render-chart"]


def test_a_model_is_offered_all_declared_primitives_and_no_other() -> None:
    agent = bn.Agent(document(*PRIMITIVES))
    offered = {tool.name: tool for tool in agent.tools if tool.kind == "primitive"}
    assert offered.keys() == PRIMITIVES.keys()
    assert [tool.name for tool in bn.Agent(document("sign-message")).tools] == ["add-note", "sign-message"]


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_the_schema_of_a_primitive_is_valid_closed_and_described(name: str) -> None:
    primitive = PRIMITIVES[name]
    schema = primitive.input_schema
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert set(schema.get("required", [])) <= set(schema["properties"])
    assert all(one.get("description") for one in schema["properties"].values())
    assert 20 < len(primitive.description) < 300
    assert primitive.result_hint


ARGUMENTS: dict[str, dict[str, Any]] = {
    "generate-image": {"prompt": "a cat"},
    "create-drop": {"title": "t", "description": "d", "accountId": "a.near", "mediaHash": "h"},
    "submit-query": {"query": "{ a }", "network": "testnet"},
    "get-portfolio": {"address": "alice.near"},
    "getSwapTransactions": {"tokenIn": "near", "tokenOut": "usdc", "quantity": "1"},
    "getTokenMetadata": {"token": "usdc"},
    "generate-sui-tx": {"recipientAddress": "0x1", "senderAddress": "0x2", "amountInSui": "1"},
    "generate-sol-tx": {"transactionBytes": "AA=="},
    "generate-cardano-tx": {"unsignedTransaction": "84a4"},
    "aftermath-sui-swap": {"fromCoin": "a", "toCoin": "b", "amount": "1", "slippage": 0.01},
    "sui-lst": {"address": "0x1", "amount": "1", "validator": "0x2", "operation": "stake"},
    "get-sui-balances": {"address": "0x1"},
}


def test_there_are_arguments_for_every_service() -> None:
    assert sorted(ARGUMENTS) == SERVICES


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_that_nobody_supplies_says_what_it_needs_and_asks_nobody(open_chat: Opener, name: str) -> None:
    turn = open_chat(Call(name, ARGUMENTS[name])).ask("x").wait(60)
    [call] = turn.invocations
    assert call.state == "failed"
    assert isinstance(call.result, ToolError)
    assert f"{name} was not run: it needs {PRIMITIVES[name].needs}" in call.result.error
    assert turn.text == "Done."


@pytest.mark.parametrize("name", SERVICES)
def test_a_function_supplies_any_service_and_gets_its_arguments_by_the_contract(open_chat: Opener, name: str) -> None:
    properties = PRIMITIVES[name].input_schema["properties"]
    lines = ", ".join(f"{key}=None" for key in properties)
    space: dict[str, Any] = {}
    exec(f"def supply({lines}):\n    return dict(locals())", space)
    supply = bn.tool(name=name, safe=True)(space["supply"])
    turn = open_chat(Call(name, ARGUMENTS[name]), tools=[supply]).ask("x").wait(60)
    [call] = turn.invocations
    assert call.state == "succeeded", call.reason
    assert call.result is not None
    assert {key: value for key, value in call.result.model_dump()["data"].items() if value is not None} == ARGUMENTS[
        name
    ]
    wrong = open_chat(Call(name, {"nonsense": 1}), tools=[supply]).ask("x").wait(60)
    assert wrong.invocations[0].state == "failed"


def test_an_operation_of_the_document_supplies_a_service_and_its_own_policy_holds() -> None:
    agent = bn.Agent(document("get-portfolio", operation="get-portfolio", method="get"))
    [tool] = agent.tools
    assert (tool.kind, tool.method) == ("operation", "GET")


# render-chart -------------------------------------------------------------------------------------------------------

CHART = {
    "title": "Prices",
    "description": "Of two days.",
    "chartType": "line",
    "dataFormat": "currency",
    "metricLabels": ["Day", "BTC"],
    "dataPoints": [["2026-01-01", 1], ["2026-01-02", 2]],
}


def test_a_chart_is_drawn_without_asking_by_a_rule_that_is_named(open_chat: Opener) -> None:
    turn = open_chat(Call("render-chart", CHART)).ask("draw").wait(60)
    [call] = turn.invocations
    assert (call.state, call.rule, call.kind, call.executor) == ("succeeded", "only-reads-here", "primitive", "local")
    assert call.result is not None
    assert call.result.model_dump()["data"]["chartData"][1] == {"time": 1_767_312_000_000, "x-1": 2}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"chartType": "pie"}, "chartType"),
        ({"dataPoints": [["2026-01-01"]]}, "dataPoints"),
        ({"dataPoints": [["2026-01-01", 1, 2]]}, "dataPoints[0] has 3 values instead of 2"),
        ({"dataPoints": [["soon", 1]]}, "which is no time"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_chart_that_cannot_be_drawn_tells_the_model_what_is_wrong(
    open_chat: Opener, change: dict[str, Any], sentence: str
) -> None:
    [call] = open_chat(Call("render-chart", {**CHART, **change})).ask("draw").wait(60).invocations
    assert call.state == "failed"
    assert isinstance(call.result, ToolError)
    assert sentence in call.result.error


# transfer-ft --------------------------------------------------------------------------------------------------------


def transfer(**change: Any) -> Call:
    return Call("transfer-ft", {"receiverId": "bob.near", "tokenIdentifier": "usdc", "amount": "12.5", **change})


@pytest.mark.parametrize("token", ["usdc", "USDC", "$usdc", USDC])
def test_a_token_transfer_registers_the_receiver_and_moves_base_units(open_chat: Opener, token: str) -> None:
    [pending] = open_chat(transfer(tokenIdentifier=token)).ask("pay").pending
    review = pending.call.prepared.review if pending.call.prepared else None
    assert review is not None
    assert (pending.call.args or {})["signerId"] == "alice.near"
    texts = str(review)
    assert "12.5" in texts
    assert "USDC" in texts
    assert "bob.near" in texts


def test_the_result_of_a_token_transfer_has_the_transactions_of_the_reference(open_chat: Opener) -> None:
    chat = open_chat(transfer())
    turn = chat.ask("pay")
    turn.pending[0].approve()
    turn.wait(60)
    [call] = turn.invocations
    assert call.result is not None
    register, move = call.result.model_dump()["data"]["transactions"]
    assert register["signerId"] == move["signerId"] == "alice.near"
    assert register["receiverId"] == move["receiverId"] == USDC
    assert register["actions"][0]["params"]["methodName"] == "storage_deposit"
    assert register["actions"][0]["params"]["args"] == {"account_id": "bob.near", "registration_only": True}
    assert move["actions"] == [
        {
            "type": "FunctionCall",
            "params": {
                "methodName": "ft_transfer",
                "args": {"receiver_id": "bob.near", "amount": "12500000", "memo": None},
                "gas": "15000000000000",
                "deposit": "1",
            },
        }
    ]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"tokenIdentifier": "dogwifhat"}, "Token 'dogwifhat' not found: on mainnet this notebook knows wNEAR, USDC"),
        ({"tokenIdentifier": "usdt", "network": "testnet"}, "on testnet this notebook knows wNEAR, USDC"),
        ({"amount": "1,5"}, "amount '1,5' is not an amount of USDC"),
        ({"amount": "0.0000001"}, "up to 6 places"),
        ({"amount": "-1"}, "is not an amount"),
        ({"amount": "1e3"}, "is not an amount"),
        ({"amount": "0"}, "amount is zero"),
        ({"receiverId": None}, "receiverId"),
    ],
)
def test_a_token_transfer_that_is_not_certain_is_refused(
    open_chat: Opener, change: dict[str, Any], sentence: str
) -> None:
    [call] = open_chat(transfer(**change)).ask("pay").wait(60).invocations
    assert call.state == "failed"
    assert isinstance(call.result, ToolError)
    assert sentence in call.result.error


def test_near_itself_is_moved_as_wrapped_near_with_every_digit(open_chat: Opener) -> None:
    chat = open_chat(transfer(tokenIdentifier="near", amount="0.000000000000000000000001"))
    turn = chat.ask("pay")
    turn.pending[0].approve()
    [call] = turn.wait(60).invocations
    assert call.result is not None
    move = call.result.model_dump()["data"]["transactions"][1]
    assert move["receiverId"] == "wrap.near"
    assert move["actions"][0]["params"]["args"]["amount"] == "1"
