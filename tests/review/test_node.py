"""What a node adds to a review: by a scripted node for every rule, and by a real local chain where one is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from test_rules import BOB, EVE, EVM, MAX, ME, NEAR, THING, USDC, act, approve, call, near, permit, send

from bitte_nb.review import ReviewContext, review
from bitte_nb.review.node import gather, http_rpc
from bitte_nb.review.simulation import revert_reason
from tests.local_node import local_node

TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
REFUSED = "0x08c379a0" + "20".rjust(64, "0") + "5".rjust(64, "0") + b"sorry".hex().ljust(64, "0")


class Node:
    """Answers from a table; counts what it was asked."""

    def __init__(self, **answers: Any) -> None:
        self.answers = {
            "eth_chainId": "0x1",
            "eth_getBalance": hex(10**18),
            "eth_getTransactionCount": "0x5",
            "eth_getBlockByNumber": {"baseFeePerGas": "0xa"},
            "eth_getCode": "0x",
            "eth_call": "0x" + "4".rjust(64, "0"),
            "debug_traceCall": LookupError("method not found", None, -32601),
            "eth_simulateV1": [{"calls": [{"status": "0x1", "logs": []}]}],
            **answers,
        }
        self.asked: list[str] = []

    async def __call__(self, method: str, params: list[Any]) -> Any:
        self.asked.append(method)
        answer = self.answers[method]
        if isinstance(answer, Exception):
            raise answer
        return answer(params) if callable(answer) else answer


def word(address: str) -> str:
    return "0x" + address[2:].lower().rjust(64, "0")


async def test_balance_nonce_code_and_allowance_are_judged_once_known() -> None:
    node = Node(eth_getCode=lambda params: "0x6001" if params[0] == USDC else "0x")
    ctx = await gather(approve(THING, 5, nonce="0x4"), {"connected": ME, "tokens": EVM["tokens"]}, rpc=node)
    rules = {w.id for w in review(approve(THING, 5, nonce="0x4"), ctx).warnings}
    assert {"nonce_low", "approve_to_eoa", "approve_exceeds_balance"} <= rules
    assert ctx.balance == 10**18
    assert ctx.base_fee == 10


async def test_a_transfer_above_the_balance_is_blocked() -> None:
    ctx = await gather(send(value=str(2 * 10**18)), EVM, rpc=Node())
    assert any(w.id == "insufficient_funds" for w in review(send(value=str(2 * 10**18)), ctx).warnings)


async def test_simulated_changes_are_on_the_card() -> None:
    logs = [
        {"address": "0x" + "ee" * 20, "topics": [TRANSFER, word(ME), word(BOB)], "data": "0x" + "5".rjust(64, "0")},
        {"address": USDC, "topics": [TRANSFER, word(BOB), word(ME)], "data": "0x" + hex(1500000)[2:].rjust(64, "0")},
        {"address": THING, "topics": [TRANSFER, word(ME), word(EVE), "0x" + "7".rjust(64, "0")], "data": "0x"},
        {"address": USDC, "topics": ["0x00"], "data": "0x"},
    ]
    node = Node(eth_simulateV1=[{"calls": [{"status": "0x1", "logs": logs}]}])
    card = review(send(), await gather(send(), EVM, rpc=node))
    row = card.facts["balance_changes"]
    assert row.note == "simulated"
    assert row.value == f"-0.000000000000000005 ETH; +1.5 USDC; -NFT 7 of {THING.lower()}"


@pytest.mark.parametrize(
    "answer",
    [
        [{"calls": [{"status": "0x0", "error": {"code": 3, "message": "execution reverted", "data": REFUSED}}]}],
        LookupError("execution reverted", REFUSED, 3),
    ],
)
async def test_a_revert_is_told_with_its_reason(answer: Any) -> None:
    card = review(send(), await gather(send(), EVM, rpc=Node(eth_simulateV1=answer)))
    assert next(w.sentence for w in card.warnings if w.id == "sim_failed").endswith("sorry")


async def test_a_node_without_simulation_still_tells_a_revert() -> None:
    missing = LookupError("method not found", None, -32601)
    node = Node(eth_simulateV1=missing, eth_call=LookupError("execution reverted", REFUSED, 3))
    card = review(send(), await gather(send(), EVM, rpc=node))
    assert any(w.id == "sim_failed" for w in card.warnings)
    quiet = review(send(), await gather(send(), EVM, rpc=Node(eth_simulateV1=missing)))
    assert "not simulated" in quiet.facts["balance_changes"].note


async def test_a_node_without_simulation_is_asked_for_a_trace() -> None:
    missing = LookupError("method not found", None, -32601)
    inner = {"type": "CALL", "from": THING, "to": ME, "value": "0x3", "logs": []}
    undone = {**inner, "value": "0x9", "error": "execution reverted"}
    shown = {"type": "DELEGATECALL", "from": THING, "to": EVE, "value": "0x5", "calls": [inner]}
    paid = {"address": USDC, "topics": [TRANSFER, word(BOB), word(ME)], "data": "0x" + "7".rjust(64, "0")}
    frame = {"type": "CALL", "from": ME, "to": THING, "value": "0x5", "logs": [paid], "calls": [shown, undone]}
    node = Node(eth_simulateV1=missing, debug_traceCall=frame)
    row = review(send(), await gather(send(), EVM, rpc=node)).facts["balance_changes"]
    assert (row.note, row.value) == ("simulated", "-0.000000000000000002 ETH; +0.000007 USDC")
    failed = Node(eth_simulateV1=missing, debug_traceCall={**frame, "error": "execution reverted", "output": REFUSED})
    card = review(send(), await gather(send(), EVM, rpc=failed))
    assert next(w.sentence for w in card.warnings if w.id == "sim_failed").endswith("sorry")


async def test_a_node_of_another_chain_adds_nothing() -> None:
    assert await gather(send(), EVM, rpc=Node(eth_chainId="0xa")) == ReviewContext.of(EVM)


@pytest.mark.parametrize(
    "request_", [near(act("Transfer", deposit="1"), to="bob.near"), send("0x12"), {"to": BOB, "value": "1"}]
)
async def test_what_a_node_cannot_know_is_not_asked(request_: Any) -> None:
    node = Node()
    await gather(request_, NEAR, rpc=node)
    assert node.asked == []


async def test_a_message_is_not_simulated() -> None:
    node = Node()
    ctx = await gather(permit(spender=EVE), {**EVM, "eoas": []}, rpc=node)
    assert "eth_simulateV1" not in node.asked
    assert any(w.id == "approve_to_eoa" for w in review(permit(spender=EVE), ctx).warnings)


async def test_a_silent_node_costs_the_time_limit_and_nothing_else() -> None:
    async def silent(method: str, params: list[Any]) -> Any:
        await asyncio.sleep(600)

    assert await gather(send(), EVM, rpc=silent, timeout=0.05) == ReviewContext.of(EVM)


async def test_a_broken_node_leaves_things_unchecked() -> None:
    node = Node(**dict.fromkeys(("eth_getBalance", "eth_getCode", "eth_simulateV1"), LookupError("no", None, -1)))
    node.answers["eth_getBlockByNumber"] = "nonsense"
    ctx = await gather(send(), {**EVM, "eoas": []}, rpc=node)
    assert ctx.balance is None
    assert ctx.eoas == frozenset()


async def test_what_is_known_wins_and_code_is_asked_once() -> None:
    cache: dict[tuple[Any, ...], Any] = {}
    node = Node(eth_getCode="0x6001")
    ctx = await gather(send(THING), {**EVM, "contracts": [], "balance": 7}, rpc=node, cache=cache)
    assert ctx.balance == 7
    asked = node.asked.count("eth_getCode")
    await gather(send(THING), {**EVM, "contracts": []}, rpc=node, cache=cache)
    assert node.asked.count("eth_getCode") == asked > 0


async def test_an_account_with_delegated_code_is_neither_plain_nor_a_contract() -> None:
    ctx = await gather(send(THING), {**EVM, "contracts": []}, rpc=Node(eth_getCode="0xef0100" + "11" * 20))
    assert THING.lower() not in ctx.contracts | ctx.eoas


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (REFUSED, "sorry"),
        ("0x4e487b71" + "11".rjust(64, "0"), "a number over- or underflowed"),
        ("0x4e487b71" + "99".rjust(64, "0"), "panic 0x99"),
        ("0xdeadbeef", "the contract's own error 0xdeadbeef"),
        ("0x08c379a0ff", "an error that cannot be read"),
        ("0x", ""),
        (None, ""),
    ],
)
def test_revert_data_is_read(data: Any, reason: str) -> None:
    assert revert_reason(data) == reason


async def test_json_rpc_is_spoken_over_http() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        import json

        body = json.loads(request.content)
        if body["method"] == "bad":
            return httpx.Response(200, json={"error": {"code": -32601, "message": "no"}})
        return httpx.Response(200, json={"jsonrpc": "2.0", "id": 1, "result": body["params"]})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        rpc = http_rpc("http://127.0.0.1:1", client)
        assert await rpc("echo", [1]) == [1]
        with pytest.raises(LookupError, match="no"):
            await rpc("bad", [])


@pytest.fixture(scope="module")
def chain() -> Iterator[str]:
    with local_node() as url:
        yield url


async def test_a_real_chain_tells_balances_code_and_changes(chain: str) -> None:
    request = send(chainId=31337)
    async with httpx.AsyncClient() as client:
        ctx = await gather(request, {"connected": ME, "contacts": {"Bob": BOB}}, rpc=http_rpc(chain, client))
        card = review(request, ctx)
        assert card.facts["balance_changes"].value == "-1 ETH"
        assert card.facts["balance_changes"].note == "simulated"
        assert BOB.lower() in ctx.eoas
        assert card.warnings == ()
        broke = send(chainId=31337, value=str(MAX))
        known = await gather(broke, {"connected": ME}, rpc=http_rpc(chain, client))
        rules = {w.id for w in review(broke, known).warnings}
        assert "insufficient_funds" in rules
        data = call("transfer(address,uint256)", BOB, 1, to=BOB, chainId=31337)
        rules = {
            w.id for w in review(data, await gather(data, {"connected": ME}, rpc=http_rpc(chain, client))).warnings
        }
        assert "data_to_eoa" in rules


async def test_a_real_chain_tells_the_same_changes_by_a_trace(chain: str) -> None:
    request = send(chainId=31337)
    async with httpx.AsyncClient() as client:
        ask = http_rpc(chain, client)

        async def without_simulation(method: str, params: list[Any]) -> Any:
            if method == "eth_simulateV1":
                raise LookupError("method not found", None, -32601)
            return await ask(method, params)

        ctx = await gather(request, {"connected": ME}, rpc=without_simulation)
        assert review(request, ctx).facts["balance_changes"].value == "-1 ETH"


async def test_a_real_revert_is_told(chain: str) -> None:
    # PUSH1 0 PUSH1 0 REVERT as code that is deployed; calling it always reverts.
    async with httpx.AsyncClient() as client:
        rpc = http_rpc(chain, client)
        await rpc("anvil_setCode", [THING, "0x60006000fd"])
        request = send(THING, "0", chainId=31337, data="0xdeadbeef")
        ctx = await gather(request, {"connected": ME}, rpc=rpc)
        assert THING.lower() in ctx.contracts
        assert any(w.id == "sim_failed" for w in review(request, ctx).warnings)


PROXY = "0x" + "aa" * 20
CODE = "0x" + "bb" * 20
BEACON = "0x" + "cc" * 20
SLOT, BEACON_SLOT = (
    "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
    "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50",
)
POKE = [{"type": "function", "name": "poke", "inputs": [{"type": "uint256", "name": "times"}]}]


@pytest.mark.parametrize(
    ("code", "slots"),
    [
        ("0x6001", {SLOT: word(CODE)}),
        ("0x6001", {BEACON_SLOT: word(BEACON)}),
        ("0x363d3d373d3d3d363d73" + CODE[2:] + "5af43d82803e903d91602b57fd5bf3", {}),
    ],
    ids=["EIP-1967", "beacon", "EIP-1167"],
)
async def test_a_call_through_a_proxy_names_the_code_and_is_read_with_its_abi(code: str, slots: dict[str, str]) -> None:
    node = Node(
        eth_getCode=lambda params: code if params[0].lower() == PROXY else "0x",
        eth_getStorageAt=lambda params: slots.get(params[1], word("0x0")),
        eth_call=lambda params: word(CODE),
    )
    request = call("poke(uint256)", 7, to=PROXY)
    context = {**EVM, "abis": {CODE: POKE}}
    assert any(w.id == "blind_call" for w in review(request, context).warnings)
    card = review(request, await gather(request, context, rpc=node))
    assert card.title.startswith("Call poke(times = 7)")
    row = card.facts["proxy"]
    assert (row.label, row.value.lower()) == ("Calls through a proxy to", CODE)
    assert not any(w.id == "blind_call" for w in card.warnings)


async def test_a_contract_that_is_no_proxy_and_one_that_answers_nonsense_are_left_as_they_are() -> None:
    for answer in (word("0x0"), "0x", None, "0x" + "ff" * 32):
        node = Node(eth_getCode="0x6001", eth_getStorageAt=answer)
        ctx = await gather(call("poke(uint256)", 7, to=PROXY), EVM, rpc=node)
        assert ctx.implementations == {}


async def test_an_account_that_runs_another_s_code_is_named_and_is_no_contract_to_trust() -> None:
    node = Node(eth_getCode=lambda params: "0xef0100" + CODE[2:] if params[0].lower() == PROXY else "0x6001")
    node.answers["eth_getStorageAt"] = word("0x0")
    request = call("poke(uint256)", 7, to=PROXY)
    card = review(request, await gather(request, {**EVM, "abis": {CODE: POKE}}, rpc=node))
    assert card.facts["proxy"].label == "An account that runs the code of"
    assert card.title.startswith("Call poke")
    assert not any("is a contract was not checked" in one for one in card.unchecked)
    allowed = approve(PROXY, 5)
    rules = {w.id for w in review(allowed, await gather(allowed, EVM, rpc=node)).warnings}
    assert "approve_to_eoa" in rules


async def test_an_upgrade_that_only_the_simulation_sees_is_a_danger() -> None:
    upgraded = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b"
    logs = [{"address": THING, "topics": [upgraded, word(EVE)], "data": "0x"}]
    node = Node(eth_simulateV1=[{"calls": [{"status": "0x1", "logs": logs}]}], eth_getStorageAt="0x")
    card = review(send(), await gather(send(), EVM, rpc=node))
    (warning,) = [w for w in card.warnings if w.id == "ownership_change"]
    assert f"{THING} would run other code: {EVE}" in warning.sentence
    assert card.approval == "second_act"


VAULT = "0x" + "dd" * 20
VAULTS = [
    ("deposit(uint256,address)", (5_000_000, ME), "assets", "Deposit"),
    ("mint(uint256,address)", (5_000_000, ME), "shares", "Mint"),
    ("withdraw(uint256,address,address)", (5_000_000, ME, ME), "assets", "Withdraw"),
    ("redeem(uint256,address,address)", (5_000_000, ME, ME), "shares", "Redeem"),
]


@pytest.mark.parametrize(("fragment", "values", "what", "verb"), VAULTS, ids=[one[3] for one in VAULTS])
async def test_a_vault_shows_the_raw_amount_and_with_a_node_its_own_unit(
    fragment: str, values: tuple[Any, ...], what: str, verb: str
) -> None:
    request = call(fragment, *values, to=VAULT)
    alone = review(request, EVM)
    assert alone.title.startswith(f"{verb} 5000000 base units of the vault's {what}")
    assert any("decimals unknown" in row.note for row in alone.rows)
    assert {w.id for w in alone.warnings} == {"blind_call"}, "without a node the function is a guess"

    def answer(params: list[Any]) -> str:
        return {"0x38d52e0f": word(USDC), "0x313ce567": word("0x6")}.get(params[0]["data"][:10], "0x")

    node = Node(eth_getCode="0x6001", eth_getStorageAt="0x", eth_call=answer)
    card = review(request, await gather(request, EVM, rpc=node))
    unit = "5 USDC" if what == "assets" else "5 0xDDdDdd"
    assert card.title.startswith(f"{verb} {unit}")
    assert {w.id for w in card.warnings} == (set() if what == "assets" else {"unknown_token"})
    assert card.facts["asset"].value == USDC


def test_what_a_vault_gives_to_another_is_a_danger() -> None:
    card = review(call("deposit(uint256,address)", 5, EVE, to=VAULT), EVM)
    assert "swap_recipient_not_me" in {w.id for w in card.warnings}


async def test_the_decimals_of_an_unknown_token_are_said_to_be_its_own_word() -> None:
    request = call("transfer(address,uint256)", BOB, 1_500_000, to=VAULT)
    node = Node(eth_getCode="0x6001", eth_getStorageAt="0x", eth_call=word("0x6"))
    card = review(request, await gather(request, EVM, rpc=node))
    assert card.title.startswith("Send 1.5 0x")
    (warning,) = [w for w in card.warnings if w.id == "unknown_token"]
    assert "is its own word" in warning.sentence
