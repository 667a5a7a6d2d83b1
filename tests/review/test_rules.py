"""Every rule fires on a request that breaks it, with its severity, and only where it should."""

from __future__ import annotations

import json
from typing import Any

import pytest
from review_vectors import load

from bitte_nb.review import review
from bitte_nb.review.abi import encode
from bitte_nb.review.abi_types import parse_function
from bitte_nb.review.rules import FACTS, RULES

ME = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
BOB = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
EVE = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
DAI = "0x6B175474E89094C44Da98b954EedeAC495271d0F"
USDT = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
ROUTER = "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D"
SAFE = "0x5aFE000000000000000000000000000000000001"
THING = "0x1234567890AbcdEF1234567890aBcdef12345678"
ZERO = "0x" + "00" * 20
MAX = 2**256 - 1
NOW = 1767225600
KEY = "ed25519:DJMTj2E6YFiq9uhdF4b9AA2CKm8howsux1qLvAN48Xmv"
OWN_KEY = "ed25519:85SjEsinE49BxsW5MfqGofmjbDbLnp3iMioo6hoAuMEN"
NONCE = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="

EVM: dict[str, Any] = {
    "now": NOW,
    "connected": ME,
    "contacts": {"Bob": BOB},
    "contracts": [USDC, DAI, USDT, ROUTER, SAFE, THING],
    "eoas": [ME, BOB, EVE],
    "tokens": {
        "USDC": {"address": USDC, "decimals": 6, "chainId": 1},
        "DAI": {"address": DAI, "decimals": 18, "chainId": 1},
    },
    "labels": {ROUTER: "Uniswap V2 Router"},
}
NEAR: dict[str, Any] = {
    "connected": "alice.near",
    "public_key": OWN_KEY,
    "contacts": ["bob.near"],
    "tokens": {
        "usdt.tether-token.near": {"symbol": "USDt", "decimals": 6},
        "wrap.near": {"symbol": "wNEAR", "decimals": 24},
    },
}


def call(fragment: str, *values: Any, to: str = USDC, value: str = "0", tail: str = "", **more: Any) -> dict[str, Any]:
    """A transaction that calls a function."""
    function = parse_function(fragment)
    data = "0x" + (function.selector + encode(function.inputs, values)).hex() + tail
    return {"to": to, "value": value, "data": data, "chainId": 1, "from": ME, **more}


def approve(spender: str, amount: int, **more: Any) -> dict[str, Any]:
    return call("approve(address,uint256)", spender, amount, **more)


def send(to: Any = BOB, value: Any = "1000000000000000000", **more: Any) -> dict[str, Any]:
    return {"to": to, "value": value, "chainId": 1, "from": ME, **more}


def swap(low: int = 1, to: str = ME, until: int = NOW + 60) -> dict[str, Any]:
    return call(
        "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)", 5, low, [USDC, DAI], to, until, to=ROUTER
    )


def safe(operation: int = 0, *, to: str = USDC, price: int = 0) -> dict[str, Any]:
    fragment = "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)"
    return call(fragment, to, 0, b"", operation, 0, 0, price, ZERO, ZERO, b"", to=SAFE)


def typed(primary: str, fields: str, message: dict[str, Any], **domain: Any) -> dict[str, Any]:
    """Typed data with one flat struct."""
    domain = domain or {"name": "n", "version": "1", "chainId": 1, "verifyingContract": USDC}
    kinds = {"name": "string", "version": "string", "chainId": "uint256", "verifyingContract": "address"}
    pairs = [field.split(" ") for field in fields.split(",")]
    return {
        "types": {
            "EIP712Domain": [{"name": key, "type": kinds[key]} for key in domain],
            primary: [{"name": name, "type": kind} for kind, name in pairs],
        },
        "primaryType": primary,
        "domain": domain,
        "message": message,
    }


PERMIT = "address owner,address spender,uint256 value,uint256 nonce,uint256 deadline"


def permit(**changed: Any) -> dict[str, Any]:
    message = {"owner": ME, "spender": ROUTER, "value": 1, "nonce": 0, "deadline": NOW + 60, **changed}
    return typed("Permit", PERMIT, message)


def order(*receivers: str) -> dict[str, Any]:
    item = "uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount"
    paid = {"itemType": 0, "token": ZERO, "identifierOrCriteria": 0, "startAmount": 5, "endAmount": 5}
    data = typed(
        "OrderComponents",
        "address offerer,OfferItem[] offer,ConsiderationItem[] consideration,uint256 endTime",
        {
            "offerer": ME,
            "offer": [
                {**paid, "itemType": 2, "token": THING, "identifierOrCriteria": 7, "startAmount": 1, "endAmount": 1}
            ],
            "consideration": [{**paid, "recipient": receiver} for receiver in receivers],
            "endTime": NOW + 60,
        },
    )
    split = [field.split(" ") for field in item.split(",")]
    data["types"]["OfferItem"] = [{"name": n, "type": k} for k, n in split]
    data["types"]["ConsiderationItem"] = [*data["types"]["OfferItem"], {"name": "recipient", "type": "address"}]
    return data


def sign(text: str | bytes, **more: Any) -> dict[str, Any]:
    data = text.encode() if isinstance(text, str) else text
    return {"method": "personal_sign", "params": ["0x" + data.hex(), ME], "chainId": 1, **more}


def login(**changed: str) -> dict[str, Any]:
    parts = {
        "domain": "example.com",
        "address": ME,
        "chain": "1",
        "expires": "2026-01-01T01:00:00Z",
        "nonce": "32891756",
        **changed,
    }
    return sign(
        f"{parts['domain']} wants you to sign in with your Ethereum account:\n{parts['address']}\n\nHello.\n\n"
        f"URI: https://example.com\nVersion: 1\nChain ID: {parts['chain']}\nNonce: {parts['nonce']}\n"
        f"Issued At: 2026-01-01T00:00:00Z\nExpiration Time: {parts['expires']}"
    )


def near(*actions: Any, to: str = "alice.near", **more: Any) -> dict[str, Any]:
    return {"signerId": "alice.near", "receiverId": to, "actions": list(actions), "network": "mainnet", **more}


def act(kind: str, **params: Any) -> dict[str, Any]:
    return {"type": kind, "params": params}


def method(name: str, args: Any = None, deposit: str = "1", gas: str = "30000000000000") -> dict[str, Any]:
    return act("FunctionCall", methodName=name, args=args or {}, gas=gas, deposit=deposit)


def note(message: Any = "hello", recipient: Any = "app.near", **more: Any) -> dict[str, Any]:
    return {"message": message, "recipient": recipient, "nonce_base64": NONCE, **more}


AUTH = {"chainId": "0x1", "address": THING, "nonce": "0x0"}
FT = {"receiver_id": "bob.near", "amount": "5"}
TOKEN = "usdt.tether-token.near"


def ft(name: str = "ft_transfer", deposit: str = "1", **changed: str) -> dict[str, Any]:
    return method(name, {**FT, **changed}, deposit)


CASES: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("from_mismatch", "block", send(**{"from": EVE}), EVM),
    ("from_mismatch", "block", {**near(act("Transfer", deposit="1"), to="bob.near"), "signerId": "eve.near"}, NEAR),
    ("chain_mismatch", "block", send(), {**EVM, "chain_id": 137}),
    ("chain_mismatch", "block", send(chainId="0x89"), {**EVM, "chain_id": 1}),
    ("chain_mismatch", "block", permit(), {**EVM, "chain_id": 10}),
    ("chain_mismatch", "block", {"method": "eth_sendTransaction", "chainId": 1, "params": [send(chainId=10)]}, EVM),
    ("chain_mismatch", "warn", login(chain="137"), EVM),
    ("network_mismatch", "danger", near(act("Transfer", deposit="1"), to="bob.testnet"), NEAR),
    ("network_mismatch", "danger", near(method("ft_transfer", {**FT, "receiver_id": "x.testnet"}), to=TOKEN), NEAR),
    ("network_mismatch", "danger", {**near(act("Transfer", deposit="1"), to="bob.near"), "network": "testnet"}, NEAR),
    ("invalid_address", "block", send("0x1234"), EVM),
    ("invalid_address", "block", near(act("Transfer", deposit="1"), to="Bob..near"), NEAR),
    ("unresolved_name", "block", send("vitalik.eth"), EVM),
    ("missing_recipient", "block", send(None), EVM),
    ("missing_recipient", "block", note(recipient=None), NEAR),
    ("bad_value", "block", send(value="0.1"), EVM),
    ("bad_value", "block", send(value="1e18"), EVM),
    ("bad_value", "block", send(value=10**18), EVM),
    ("bad_value", "block", near(act("Transfer", deposit=1e24), to="bob.near"), NEAR),
    ("bad_value", "block", near(method("ft_transfer", {**FT, "amount": "0.5"}), to=TOKEN), NEAR),
    ("bad_value", "block", {"recipient": "a.near", "nonce_base64": NONCE}, NEAR),
    ("bad_hex", "block", send(data="0xabc"), EVM),
    ("bad_encoding", "block", {"raw": "0x02c0"}, EVM),
    ("bad_encoding", "block", {"borsh_hex": "0a000000"}, NEAR),
    ("data_input_conflict", "block", send(data="0x01", input="0x02"), EVM),
    ("bad_fee", "block", send(gas="0x5208", gasPrice="1", maxFeePerGas="1"), EVM),
    ("bad_fee", "block", send(gas="0x5208", maxFeePerGas="1", maxPriorityFeePerGas="2"), EVM),
    ("gas_low", "block", send(gas="20999"), EVM),
    ("gas_low", "block", call("transfer(address,uint256)", BOB, 1, gas="21000"), EVM),
    ("gas_low", "block", near(method("go", gas="0"), to="x.near"), NEAR),
    ("gas_over_limit", "block", near(*[method("go", gas="151" + "0" * 12)] * 2, to="x.near"), NEAR),
    ("nonce_low", "block", send(nonce="0x4"), {**EVM, "nonce": 5}),
    ("nonce_gap", "warn", send(nonce="0x9"), {**EVM, "nonce": 5, "pending_nonce": 6}),
    ("insufficient_funds", "block", send(gas="21000", maxFeePerGas="1"), {**EVM, "balance": 10**18}),
    ("insufficient_funds", "block", near(act("Transfer", deposit="2"), to="bob.near"), {**NEAR, "balance": 1}),
    ("empty_batch", "block", {"calls": [], "chainId": 1}, EVM),
    ("empty_batch", "block", {"transactions": []}, NEAR),
    ("unknown_action", "block", near(act("Teleport")), NEAR),
    ("unknown_action", "block", near(act("AddKey", publicKey=KEY, accessKey={"permission": {"gasKey": 1}})), NEAR),
    ("bad_public_key", "block", near(act("DeleteKey", publicKey="ed25519:0OIl")), NEAR),
    ("bad_nonce", "block", {**note(), "nonce_base64": "AAAA"}, NEAR),
    ("bad_typed_data", "block", {"domain": {}, "message": {}, "primaryType": "A"}, EVM),
    ("bad_typed_data", "block", {"method": "eth_signTypedData_v4", "params": [ME, "{"]}, EVM),
    ("verifying_contract_is_own_account", "block", typed("A", "uint256 x", {"x": 1}, verifyingContract=ME), EVM),
    ("stale_review", "block", send(), {**EVM, "reviewed_digest": "00"}),
    ("already_decided", "block", send(), {**EVM, "decided": "denied"}),
    ("eth_sign", "block", {"method": "eth_sign", "params": [ME, "0x" + "ab" * 32]}, EVM),
    ("approve_unlimited", "danger", approve(ROUTER, MAX), EVM),
    ("approve_unlimited", "danger", approve(ROUTER, 2**96 - 1), EVM),
    ("approve_unlimited", "danger", permit(value=str(2**255)), EVM),
    ("approve_to_eoa", "danger", approve(EVE, 1), EVM),
    ("approve_all_nfts", "danger", call("setApprovalForAll(address,bool)", ROUTER, True, to=THING), EVM),
    ("lookalike_address", "danger", send("0x7099ffffffffffffffffffffffffffffffff79c8"), EVM),
    ("lookalike_address", "danger", near(act("Transfer", deposit="1"), to="bob.near.evil.near"), NEAR),
    ("lookalike_address", "danger", near(act("Transfer", deposit="1"), to="b0b.near"), NEAR),
    ("zero_address", "danger", send(ZERO), EVM),
    ("zero_address", "danger", call("transfer(address,uint256)", ZERO, 1), EVM),
    ("burn_address", "danger", send("0x000000000000000000000000000000000000dEaD"), EVM),
    ("recipient_is_token_contract", "danger", call("transfer(address,uint256)", USDC, 1), EVM),
    ("recipient_is_token_contract", "danger", near(ft(receiver_id=TOKEN), to=TOKEN), NEAR),
    ("bad_checksum", "danger", send(BOB.replace("C5", "c5")), EVM),
    ("bad_checksum", "danger", permit(spender=ROUTER.replace("B4", "b4")), EVM),
    ("value_to_nonpayable", "danger", call("transfer(address,uint256)", BOB, 1, value="1"), EVM),
    ("malformed_calldata", "danger", send(USDC, "0", data="0xa9059cbb" + "00" * 60), EVM),
    ("malformed_calldata", "danger", call("multiSend(bytes)", b"\x00" * 90, to=THING), EVM),
    ("blind_call", "warn", send(THING, "0", data="0xdeadbeef"), EVM),
    ("blind_call", "danger", send(THING, "1", data="0xdeadbeef"), EVM),
    ("blind_call", "warn", near(method("go", "AAECAw==", "0"), to="x.near"), NEAR),
    ("blind_typed_data", "warn", typed("Vote", "uint256 x", {"x": 1}), EVM),
    ("unsigned_fields", "danger", permit(hidden="yes"), EVM),
    ("swap_recipient_not_me", "danger", swap(to=EVE), EVM),
    ("no_slippage_limit", "danger", swap(0), EVM),
    ("no_slippage_limit", "danger", near(ft("ft_transfer_call", msg='{"min_amount_out":"0"}'), to=TOKEN), NEAR),
    ("delegatecall", "danger", safe(1, to=THING), EVM),
    ("ownership_change", "danger", call("transferOwnership(address)", BOB, to=THING), EVM),
    ("ownership_change", "danger", call("grantRole(bytes32,address)", b"\0" * 32, BOB, to=THING), EVM),
    ("eip7702_delegation", "danger", send(ME, "0", authorizationList=[AUTH]), EVM),
    ("eip7702_all_chains", "danger", send(ME, "0", authorizationList=[{**AUTH, "chainId": 0}]), EVM),
    (
        "account_delegation",
        "danger",
        typed("Delegation", "address delegate,address delegator,bytes32 authority,uint256[] caveats,uint256 salt",
              {"delegate": EVE, "delegator": ME, "authority": "0x" + "ff" * 32, "caveats": [], "salt": 1}),
        EVM,
    ),
    ("unused_approval", "danger", {"calls": [approve(ROUTER, 1), send()], "chainId": 1}, EVM),
    ("order_gives_nothing", "danger", order(), EVM),
    ("order_proceeds_not_me", "danger", order(EVE), EVM),
    ("siwe_domain_mismatch", "danger", login(), {**EVM, "origin": "evil.example"}),
    ("siwe_address_mismatch", "danger", login(address=BOB), EVM),
    ("looks_like_hash", "danger", sign(b"\xab" * 32), EVM),
    ("bidi_control", "danger", sign("a\u202eb"), EVM),
    ("bidi_control", "danger", note("a\u202eb"), NEAR),
    ("full_access_key", "danger", near(act("AddKey", publicKey=KEY, accessKey={"permission": "FullAccess"})), NEAR),
    ("delete_account", "danger", near(act("DeleteAccount", beneficiaryId="bob.near")), NEAR),
    ("beneficiary_is_self", "danger", near(act("DeleteAccount", beneficiaryId="alice.near")), NEAR),
    ("deploy_contract", "danger", near(act("DeployContract", code="AGFzbQ==")), NEAR),
    ("message_moves_funds", "danger", note('{"intents":[{"intent":"ft_withdraw","token":"x","amount":"1"}]}'), NEAR),
    ("message_moves_funds", "danger", note("x", "intents.near"), NEAR),
    ("intent_mismatch", "danger", send(), {**EVM, "intent": {"amount": "2", "to": BOB}}),
    ("intent_mismatch", "danger", send(), {**EVM, "intent": {"to": EVE}}),
    ("intent_mismatch", "danger", call("transfer(address,uint256)", BOB, 1), {**EVM, "intent": {"token": "DAI"}}),
    ("sim_failed", "danger", send(), {**EVM, "simulation": {"error": "ERC20: insufficient balance"}}),
    ("self_transfer", "warn", send(ME), EVM),
    ("unknown_chain", "warn", send(chainId=987654321), EVM),
    ("unknown_token", "warn", call("transfer(address,uint256)", BOB, 1, to=THING), EVM),
    ("unknown_token", "warn", near(method("ft_transfer", FT), to="token.x.near"), NEAR),
    ("approve_exceeds_balance", "warn", approve(ROUTER, 5), {**EVM, "tokenBalance": {"USDC": "4"}}),
    ("approve_nonzero_to_nonzero", "warn", approve(ROUTER, 5, to=USDT), {**EVM, "allowance": "1"}),
    ("approve_hidden_increase", "warn", call("increaseAllowance(address,uint256)", ROUTER, 5), EVM),
    ("never_expires", "warn", permit(deadline=str(MAX)), EVM),
    ("never_expires", "warn", permit(deadline=NOW + 11 * 365 * 86400), EVM),
    ("deadline_passed", "warn", swap(until=NOW - 1), EVM),
    ("owner_mismatch", "warn", permit(owner=EVE), EVM),
    ("no_chain_binding", "warn", typed("A", "uint256 x", {"x": 1}, name="n"), EVM),
    ("data_to_eoa", "warn", call("transfer(address,uint256)", BOB, 1, to=EVE), EVM),
    ("trailing_calldata", "warn", call("transfer(address,uint256)", BOB, 1, tail="abcd"), EVM),
    ("contract_creation", "warn", send(None, "0", data="0x6001"), EVM),
    ("safe_gas_refund", "warn", safe(price=1), EVM),
    ("fee_high", "warn", send(gas="1000000", maxFeePerGas=str(10**11)), EVM),
    ("fee_high", "warn", send(gas="21000", maxFeePerGas="1000"), {**EVM, "base_fee": 10}),
    ("not_text", "warn", sign(b"\xff\x00"), EVM),
    ("empty_message", "warn", sign(""), EVM),
    ("empty_message", "warn", note(""), NEAR),
    ("newline_flood", "warn", sign("hi" + "\n" * 40 + "and pay"), EVM),
    ("newline_flood", "warn", note("hi\n\n\n\n\n\nand pay"), NEAR),
    ("invisible_chars", "warn", sign("pay\u200bpal"), EVM),
    ("mixed_script", "warn", sign("p\u0430ypal"), EVM),
    ("siwe_expired", "warn", login(expires="2025-12-31T23:00:00Z"), EVM),
    ("siwe_malformed", "warn", login(nonce="1"), EVM),
    ("delete_key", "warn", near(act("DeleteKey", publicKey=KEY)), NEAR),
    ("delete_key", "danger", near(act("DeleteKey", publicKey=OWN_KEY)), NEAR),
    (
        "key_allowance_unlimited",
        "warn",
        near(act("AddKey", publicKey=KEY, accessKey={"permission": {"receiverId": "g.near", "methodNames": ["x"]}})),
        NEAR,
    ),
    (
        "key_any_method",
        "warn",
        near(act("AddKey", publicKey=KEY, accessKey={"permission": {"receiverId": "g.near", "allowance": "1"}})),
        NEAR,
    ),
    ("stake", "warn", near(act("Stake", stake="1", publicKey=KEY)), NEAR),
    (
        "meta_transaction",
        "warn",
        {"senderId": "alice.near", "receiverId": "bob.near", "actions": [act("Transfer", deposit="1")], "nonce": "7",
         "maxBlockHeight": "9", "publicKey": OWN_KEY},
        NEAR,
    ),
    ("not_atomic", "warn", {"transactions": [near(act("Transfer", deposit="1"), to="bob.near")] * 2}, NEAR),
    ("not_atomic", "warn", {"calls": [send(), send()], "chainId": 1, "atomicRequired": False}, EVM),
    ("not_atomic", "warn", {"method": "eth_sendTransaction", "chainId": 1, "params": [send(), send()]}, EVM),
    ("large_deposit", "warn", near(method("go", deposit="51" + "0" * 24), to="x.near"), NEAR),
    ("missing_one_yocto", "warn", near(ft("nft_transfer", deposit="0", token_id="1"), to="n.near"), NEAR),
    ("nft_approval", "warn", near(method("nft_approve", {"account_id": "m.near", "token_id": "1"}), to="n.near"), NEAR),
    ("weak_nonce", "warn", {**note(), "nonce_base64": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}, NEAR),
    ("recipient_is_signer", "warn", note(recipient="alice.near"), NEAR),
    ("recipient_is_signer", "warn", {"message": "hello"}, NEAR),
    ("callback_not_https", "warn", note(callbackUrl="http://127.0.0.1:8/x"), NEAR),
    ("callback_host_mismatch", "warn", note(recipient="app.example", callbackUrl="https://evil.example/x"), NEAR),
    ("callback_ambiguous", "warn", note(callbackUrl=""), NEAR),
    ("message_looks_like_transaction", "warn", note('{"receiverId":"x","actions":[]}'), NEAR),
    ("first_time_recipient", "info", send(EVE), EVM),
    ("first_time_recipient", "info", near(act("Transfer", deposit="1"), to="carol.near"), NEAR),
    ("implicit_account", "info", near(act("Transfer", deposit="1"), to="98" * 32), NEAR),
    ("noop_transfer", "info", send(value="0"), EVM),
    ("noop_transfer", "info", near(act("Transfer", deposit="0"), to="bob.near"), NEAR),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "severity", "request_", "context"), CASES, ids=[f"{i}-{c[0]}" for i, c in enumerate(CASES)]
)
def test_the_rule_fires_with_its_severity(
    rule: str, severity: str, request_: dict[str, Any], context: dict[str, Any]
) -> None:
    card = review(request_, context)
    assert (rule, severity) in {(w.id, w.severity) for w in card.warnings}, card.warnings
    assert all(
        w.sentence.strip().endswith((".", ")", "…")) or "http" in w.sentence or ":" in w.sentence for w in card.warnings
    )


def test_every_rule_has_a_case() -> None:
    assert set(RULES) == {case[0] for case in CASES}


def test_the_rules_are_those_of_the_table_with_its_severities() -> None:
    table = load("review_rules.json").get("rules")
    if not table:
        pytest.skip("../shared/data/transactions/review_rules.json is absent")
    facts = [r["id"] for r in table if r["severity"] == "fact"]
    assert tuple(facts) == FACTS
    rated = {"danger if value>0 else warn": "warn", "warn; danger if it is the signing key": "warn"}
    expected = {r["id"]: rated.get(r["severity"], r["severity"]) for r in table if r["severity"] != "fact"}
    ours = {"eth_sign", "bad_encoding"}  # rules of our own, not in the table
    assert {k: v for k, v in RULES.items() if k not in ours} == expected


CLEAN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (send(), EVM),
    (call("transfer(address,uint256)", BOB, 250500000), EVM),
    (approve(ROUTER, 10**30), EVM),
    (approve(EVE, 0), EVM),
    (swap(), EVM),
    (permit(), EVM),
    (permit(value=str(2**64)), EVM),
    (order(ME), EVM),
    (login(), {**EVM, "origin": "https://example.com/x"}),
    (sign("gm \u2600\ufe0f \U0001f680 \U0001f468\u200d\U0001f469\u200d\U0001f467"), EVM),
    (sign("\u043f\u0440\u0438\u0432\u0435\u0442 hello"), EVM),
    ({"calls": [approve(ROUTER, 5), swap()], "chainId": 1, "atomicRequired": True}, EVM),
    (near(act("Transfer", deposit="1"), to="bob.near"), NEAR),
    (near(method("ft_transfer", FT), to=TOKEN), NEAR),
    (near(act("CreateAccount"), act("Transfer", deposit="1"), to="kid.alice.near"), NEAR),
    (note(recipient="app.example", callbackUrl="https://login.app.example/cb"), NEAR),
    (note(callbackUrl="https://agent.example/cb"), {**NEAR, "servers": ["https://agent.example"]}),
    (send(), {**EVM, "intent": {"amount": "1", "to": BOB, "token": "eth"}}),
]


@pytest.mark.parametrize(("request_", "context"), CLEAN)
def test_an_honest_request_has_no_warning(request_: dict[str, Any], context: dict[str, Any]) -> None:
    assert review(request_, context).warnings == ()


def test_the_worst_nested_severity_is_in_the_header() -> None:
    hidden = approve(EVE, MAX)
    data = bytes.fromhex(hidden["data"][2:])
    outer = call("multicall(bytes[])", [data], to=USDC)
    inner = bytes.fromhex(outer["data"][2:])
    card = review(call("aggregate3((address,bool,bytes)[])", [(USDC, False, inner)], to=THING), EVM)
    assert card.severity == "danger"
    assert {"approve_unlimited", "approve_to_eoa"} <= {w.id for w in card.warnings}
    assert card.approval == "second_act"
    path = next(w.path for w in card.warnings if w.id == "approve_unlimited")
    assert path == "calls[0].calls[0]"


def test_what_was_not_checked_is_said() -> None:
    card = review(approve(THING, 5), {"now": NOW})
    text = " ".join(card.unchecked)
    for word in ("contract", "balance", "simulated", "account"):
        assert word in text


def test_the_agents_words_are_a_quotation_and_never_data() -> None:
    card = review(send(), {**EVM, "claim": "Sending 5 USDC to Carol", "tool": "generate-evm-tx"})
    assert card.facts["origin"].value == "\u201cSending 5 USDC to Carol\u201d"
    assert "not checked" in card.facts["origin"].note
    assert "Carol" not in card.summary


def test_every_fact_of_a_transaction_has_a_row() -> None:
    facts = set(FACTS)
    evm = review(call("transfer(address,uint256)", BOB, 1), EVM).facts
    assert facts - {"gas_near"} <= set(evm)
    assert facts - {"gas_near"} <= set(review(send(), EVM).facts)
    assert facts - {"fee"} <= set(review(near(act("Transfer", deposit="1"), to="bob.near"), NEAR).facts)
    two = {"transactions": [near(act("Transfer", deposit="1"), to="bob.near")] * 2}
    assert facts - {"fee"} <= set(review(two, NEAR).facts)


def test_gas_and_deposits_are_summed_over_all_transactions() -> None:
    calls = [
        near(method("go", deposit="1", gas="30" + "0" * 12), to="x.near"),
        near(method("go", deposit="2", gas="1" + "0" * 14), to="x.near"),
    ]
    card = review({"transactions": calls, "network": "mainnet"}, NEAR)
    assert card.extra["totals"]["gas_tgas"] == "130"
    assert card.extra["totals"]["deposit_raw"] == "3"
    assert card.facts["gas_near"].value == "at most 130 TGas for calls"


def test_the_card_is_json_and_the_raw_text_is_the_request() -> None:
    request = call("transfer(address,uint256)", BOB, 1)
    card = review(request, EVM)
    assert json.loads(card.raw) == request
    assert json.loads(json.dumps(card.to_json())) == card.model_dump()
