"""Every rule stays silent on the request that is just on the other side of its line."""

from __future__ import annotations

from typing import Any

import pytest
from test_rules import (
    AUTH,
    BOB,
    DAI,
    EVE,
    EVM,
    FT,
    KEY,
    ME,
    NEAR,
    NOW,
    ROUTER,
    SAFE,
    THING,
    TOKEN,
    USDC,
    USDT,
    act,
    approve,
    call,
    ft,
    login,
    method,
    near,
    note,
    order,
    permit,
    safe,
    send,
    sign,
    swap,
    typed,
)  # fmt: skip

from bitte_nb.review import request_digest, review
from bitte_nb.review.rlp import rlp_encode
from bitte_nb.review.rules import RULES

CONTRACT_KEY = {"permission": {"receiverId": "g.near", "methodNames": ["x"], "allowance": "1"}}
PAY = act("Transfer", deposit="1")
UNSIGNED = "0x" + rlp_encode([b"", b"\1", b"\x52\x08", bytes.fromhex(BOB[2:]), b"\1", b""]).hex()
MULTISEND = "0x40A2aCCbd92BCA938b02010E17A5b8929b49130D"

NEAR_MISSES: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {
    "from_mismatch": [(send(**{"from": ME.lower()}), EVM), ({"to": BOB, "value": "1", "chainId": 1}, EVM)],
    "chain_mismatch": [(send(chainId="0x1"), {**EVM, "chain_id": 1}), (login(), {**EVM, "chain_id": 1})],
    "network_mismatch": [
        (near(PAY, to="testnet.near"), NEAR),
        ({**near(PAY, to="b.testnet"), "network": "testnet"}, NEAR),
    ],
    "invalid_address": [(send(BOB.lower()), EVM), (near(PAY, to="a-b_c.near"), NEAR)],
    "unresolved_name": [(send(BOB), EVM)],
    "missing_recipient": [(send(None, "0", data="0x6001"), EVM), (note(), NEAR)],
    "bad_value": [
        (send(value="0x0"), EVM),
        (send(value=2**53), EVM),
        (near(act("Transfer", deposit=str(2**128 - 1)), to="bob.near"), NEAR),
    ],
    "bad_hex": [(send(USDC, "0", data="0xABcd"), EVM), (send(data="0x"), EVM)],
    "bad_encoding": [({"raw": UNSIGNED}, EVM)],
    "data_input_conflict": [(send(USDC, "0", data="0xAB", input="0xab"), EVM)],
    "bad_fee": [(send(gas="0x5208", maxFeePerGas="2", maxPriorityFeePerGas="2"), EVM)],
    "gas_low": [(send(gas="21000"), EVM), (near(method("go", gas="1"), to="x.near"), NEAR)],
    "gas_over_limit": [(near(method("go", gas="300" + "0" * 12), to="x.near"), NEAR)],
    "nonce_low": [(send(nonce="5"), {**EVM, "nonce": 5})],
    "nonce_gap": [(send(nonce="6"), {**EVM, "nonce": 5, "pending_nonce": 6})],
    "insufficient_funds": [
        (send(gas="21000", maxFeePerGas="1"), {**EVM, "balance": 10**18 + 21000}),
        (near(PAY, to="bob.near"), {**NEAR, "balance": 1}),
    ],
    "empty_batch": [({"calls": [send()], "chainId": 1}, EVM), (near(PAY, to="bob.near"), NEAR)],
    "unknown_action": [
        (near({"enum": "createAccount", "createAccount": {}}, to="k.alice.near"), NEAR),
        (near("CreateAccount", to="k.alice.near"), NEAR),
    ],
    "bad_public_key": [(near(act("DeleteKey", publicKey=KEY)), NEAR)],
    "bad_nonce": [({**note(), "nonce_base64": None, "nonce": list(range(32))}, NEAR)],
    "bad_typed_data": [(permit(value="0x1"), EVM)],
    "verifying_contract_is_own_account": [(typed("A", "uint256 x", {"x": 1}, verifyingContract=BOB), EVM)],
    "stale_review": [(send(), {**EVM, "reviewed_digest": request_digest(send())})],
    "already_decided": [(send(), EVM)],
    "eth_sign": [(sign("x"), EVM)],
    "approve_unlimited": [
        (approve(ROUTER, 2**255 - 1), EVM),
        (approve(ROUTER, 2**160 - 2), EVM),
        (call("transfer(address,uint256)", BOB, 2**256 - 1), EVM),
    ],
    "approve_to_eoa": [(approve(ROUTER, 1), EVM), (approve(EVE, 0), EVM), (approve(EVE, 1), {**EVM, "eoas": []})],
    "approve_all_nfts": [(call("setApprovalForAll(address,bool)", ROUTER, False, to=THING), EVM)],
    "lookalike_address": [
        (send("0x7099ffffffffffffffffffffffffffffffff79c0"), EVM),
        (send(BOB), EVM),
        (near(PAY, to="x.bob.near"), NEAR),
        (near(PAY, to="bobby1.near"), NEAR),
    ],
    "zero_address": [(send("0x" + "00" * 19 + "01"), EVM), (approve("0x" + "00" * 20, 0), EVM)],
    "burn_address": [(send("0x" + "00" * 19 + "12"), EVM), (send("0x" + "ff" * 19 + "fe"), EVM)],
    "recipient_is_token_contract": [
        (call("transfer(address,uint256)", THING, 1), EVM),
        (near(ft("ft_transfer_call", receiver_id="wrap.near", msg=""), to=TOKEN), NEAR),
    ],
    "bad_checksum": [(send(BOB.lower()), EVM), (send("0x" + BOB[2:].upper()), EVM), (send(BOB), EVM)],
    "value_to_nonpayable": [
        (call("deposit()", to=THING, value="1"), EVM),
        (call("transfer(address,uint256)", BOB, 1), EVM),
    ],
    "malformed_calldata": [
        (call("transfer(address,uint256)", BOB, 1), EVM),
        (call("multiSend(bytes)", b"\0" * 85, to=THING), EVM),
    ],
    "blind_call": [
        (call("transfer(address,uint256)", BOB, 1), EVM),
        (near(method("go", "e30=", "0"), to="x.near"), NEAR),
    ],
    "blind_typed_data": [(permit(), EVM)],
    "unsigned_fields": [(permit(), EVM)],
    "swap_recipient_not_me": [(swap(), EVM), (swap(to=SAFE), {**EVM, "own": [SAFE, ME]})],
    "no_slippage_limit": [(swap(1), EVM), (near(ft("ft_transfer_call", msg='{"min_amount_out":"1"}'), to=TOKEN), NEAR)],
    "delegatecall": [(safe(0, to=THING), EVM), (safe(1, to=MULTISEND), EVM)],
    "ownership_change": [(call("owner()", to=THING), EVM), (call("transfer(address,uint256)", BOB, 1), EVM)],
    "eip7702_delegation": [
        (send(ME, "0", authorizationList=[{**AUTH, "address": "0x" + "00" * 20}]), EVM),
        (send(authorizationList=[]), EVM),
    ],
    "eip7702_all_chains": [(send(ME, "0", authorizationList=[AUTH]), EVM)],
    "account_delegation": [(permit(), EVM)],
    "unused_approval": [({"calls": [approve(ROUTER, 1), swap()], "chainId": 1}, EVM), (approve(ROUTER, 1), EVM)],
    "order_gives_nothing": [(order(ME), EVM), (order(EVE), EVM)],
    "order_proceeds_not_me": [(order(ME, EVE), EVM), (order(ME), EVM)],
    "siwe_domain_mismatch": [(login(), {**EVM, "origin": "https://EXAMPLE.com/a"}), (login(), EVM)],
    "siwe_address_mismatch": [(login(address=ME), EVM)],
    "looks_like_hash": [(sign("x" * 32), EVM), (sign(b"\xab" * 31), EVM)],
    "bidi_control": [(sign("\u05d0\u05d1"), EVM), (note("\u0627"), NEAR)],
    "full_access_key": [(near(act("AddKey", publicKey=KEY, accessKey=CONTRACT_KEY)), NEAR)],
    "delete_account": [(near(act("DeleteKey", publicKey=KEY)), NEAR)],
    "beneficiary_is_self": [(near(act("DeleteAccount", beneficiaryId="bob.near")), NEAR)],
    "deploy_contract": [
        (near(act("CreateAccount"), act("DeployContract", code="AGFzbQ=="), to="kid.alice.near"), NEAR)
    ],
    "message_moves_funds": [
        (note('{"intent":"x"}'), NEAR),
        (note("x", "intents.near.app"), NEAR),
        (note("x", "notintents.near"), NEAR),
    ],
    "intent_mismatch": [(send(), {**EVM, "intent": {"amount": "1.0", "to": BOB.lower(), "token": "ETH"}})],
    "sim_failed": [(send(), {**EVM, "simulation": {"changes": []}})],
    "self_transfer": [
        (send(BOB), EVM),
        (near(method("ft_transfer_call", {**FT, "receiver_id": "alice.near", "msg": ""}), to=TOKEN), NEAR),
    ],
    "unknown_chain": [(send(chainId=8453), EVM)],
    "unknown_token": [(call("transfer(address,uint256)", BOB, 1, to=DAI), EVM), (near(ft(), to=TOKEN), NEAR)],
    "approve_exceeds_balance": [(approve(ROUTER, 5), {**EVM, "tokenBalance": {"USDC": "5"}})],
    "approve_nonzero_to_nonzero": [
        (approve(ROUTER, 5, to=USDT), {**EVM, "allowance": "0"}),
        (approve(ROUTER, 0, to=USDT), {**EVM, "allowance": "5"}),
    ],
    "approve_hidden_increase": [(call("decreaseAllowance(address,uint256)", ROUTER, 5), EVM)],
    "never_expires": [(permit(deadline=NOW + 9 * 365 * 86400), EVM)],
    "deadline_passed": [(swap(until=NOW), EVM), (swap(until=1), {**EVM, "now": None})],
    "owner_mismatch": [(permit(owner=ME.lower()), EVM)],
    "no_chain_binding": [
        (typed("A", "uint256 x", {"x": 1}, chainId=1), EVM),
        (typed("A", "uint256 x", {"x": 1}, verifyingContract=THING), EVM),
    ],
    "data_to_eoa": [(call("transfer(address,uint256)", BOB, 1), EVM), (send(EVE), EVM)],
    "trailing_calldata": [(call("transfer(address,uint256)", BOB, 1), EVM)],
    "contract_creation": [(send(data="0x"), EVM)],
    "safe_gas_refund": [(safe(), EVM)],
    "fee_high": [
        (send(gas="500000", maxFeePerGas=str(10**11)), EVM),
        (send(gas="21000", maxFeePerGas="100"), {**EVM, "base_fee": 10}),
    ],
    "not_text": [(sign("tab\tand\r\nlines"), EVM), (note("tab\t"), NEAR)],
    "empty_message": [(sign(" "), EVM), (note(" "), NEAR)],
    "newline_flood": [(sign("\n".join("x" * 40)), EVM), (note("a\n\n\n\nb"), NEAR)],
    "invisible_chars": [(sign("\U0001f468\u200d\U0001f469"), EVM), (sign("a\u00a0b"), EVM)],
    "mixed_script": [(sign("\u043f\u0440\u0438 hello"), EVM), (sign("caf\u00e9 5\u03bc"), EVM)],
    "siwe_expired": [(login(expires="2026-01-01T00:00:00Z"), EVM)],
    "siwe_malformed": [(login(), EVM), (sign("I wants you to sign in"), EVM)],
    "delete_key": [(near(act("AddKey", publicKey=KEY, accessKey=CONTRACT_KEY)), NEAR)],
    "key_allowance_unlimited": [
        (
            near(
                act("AddKey", publicKey=KEY, accessKey={"permission": {**CONTRACT_KEY["permission"], "allowance": "0"}})
            ),
            NEAR,
        )
    ],
    "key_any_method": [(near(act("AddKey", publicKey=KEY, accessKey=CONTRACT_KEY)), NEAR)],
    "stake": [(near(PAY, to="bob.near"), NEAR)],
    "meta_transaction": [(near(PAY, to="bob.near"), NEAR)],
    "not_atomic": [
        ({"transactions": [near(PAY, to="bob.near")]}, NEAR),
        ({"calls": [send(), send()], "chainId": 1, "atomicRequired": True}, EVM),
        ({"calls": [send()], "chainId": 1, "atomicRequired": False}, EVM),
    ],
    "large_deposit": [(near(method("go", deposit="50" + "0" * 24), to="x.near"), NEAR)],
    "missing_one_yocto": [(near(ft(), to=TOKEN), NEAR), (near(method("ft_balance_of", deposit="0"), to=TOKEN), NEAR)],
    "nft_approval": [(near(method("nft_revoke", {"account_id": "m.near", "token_id": "1"}), to="n.near"), NEAR)],
    "weak_nonce": [(note(), NEAR), ({**note(), "nonce_base64": None, "nonce": [7] * 17 + [0] * 15}, NEAR)],
    "recipient_is_signer": [(note(recipient="bob.near"), NEAR)],
    "callback_not_https": [(note(recipient="a.b", callbackUrl="HTTPS://a.b/c"), NEAR)],
    "callback_host_mismatch": [(note(recipient="a.example", callbackUrl="https://x.A.example/c"), NEAR)],
    "callback_ambiguous": [(note(), NEAR), (note(callbackUrl=None), NEAR)],
    "message_looks_like_transaction": [(note('["receiverId"]'), NEAR), (note('"actions"'), NEAR)],
    "first_time_recipient": [(send(BOB), EVM), (send(EVE), {**EVM, "contacts": {}}), (near(PAY, to="bob.near"), NEAR)],
    "implicit_account": [(near(PAY, to="98" * 31 + "9g"), NEAR), (near(PAY, to="98" * 31), NEAR)],
    "noop_transfer": [(send(value="1"), EVM), (near(PAY, to="bob.near"), NEAR)],
}

CASES = [(rule, *case) for rule, cases in NEAR_MISSES.items() for case in cases]


@pytest.mark.parametrize(("rule", "request_", "context"), CASES, ids=[f"{i}-{c[0]}" for i, c in enumerate(CASES)])
def test_the_rule_stays_silent(rule: str, request_: dict[str, Any], context: dict[str, Any]) -> None:
    assert rule not in {w.id for w in review(request_, context).warnings}


def test_every_rule_has_a_near_miss() -> None:
    assert NEAR_MISSES.keys() == RULES.keys()
    assert all(NEAR_MISSES.values())
