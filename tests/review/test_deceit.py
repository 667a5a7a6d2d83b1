"""Requests made to deceive: the header says what happens, and approving takes what the danger asks for."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from test_holdout import CALL_ONLY, batch, cow, exec_, multisend, pay, raw, safe_tx, single, transfer_from
from test_readers import CONTEXT as EVM
from test_readers import PERMIT2, commands, execute
from test_rules import (
    BOB,
    DAI,
    EVE,
    KEY,
    MAX,
    ME,
    NEAR,
    NOW,
    OWN_KEY,
    ROUTER,
    SAFE,
    THING,
    USDC,
    ZERO,
    act,
    approve,
    call,
    method,
    near,
    note,
    order,
    permit,
    send,
    sign,
    typed,
)  # fmt: skip

from bitte_nb.errors import ReviewRefused
from bitte_nb.review import review
from bitte_nb.review.abi import encode
from bitte_nb.review.abi_types import parse_types

LOOK = BOB[:6] + "1" * 32 + BOB[-4:]
STRANGE = "0x" + "ab" * 20
MULTICALL = "0xcA11bde05977b3631167028862bE2a173976CA11"
USDT_NEAR = "usdt.tether-token.near"
FT = {"receiver_id": "bob.near", "amount": "1"}
ENTRY = {"chainId": 1, "address": EVE, "nonce": 0}
CHAIN_ONE = {**EVM, "chainId": 1}
LIE = {**EVM, "intent": {"amount": "0.1", "to": BOB}, "claim": "This sends 0.1 ETH."}


def many(*calls: dict[str, Any]) -> dict[str, Any]:
    return call("aggregate3((address,bool,bytes)[])", [(one["to"], True, raw(one)) for one in calls], to=MULTICALL)


def changed(data: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    made = copy.deepcopy(data)
    change(made)
    return made


def bundle(*calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    params = [{"version": "2.0.0", "from": ME, "chainId": "0x1", "atomicRequired": True, "calls": list(calls), **more}]
    return {"method": "wallet_sendCalls", "chainId": 1, "params": params}


def twice(data: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(data)[:-1] + f', "message": {json.dumps(permit(spender=EVE)["message"])}}}'
    return {"method": "eth_signTypedData_v4", "params": [ME, text], "chainId": 1}


def key_of(permission: Any) -> Any:
    return near(act("AddKey", publicKey=KEY, accessKey={"permission": permission}), to="alice.near")


def transfer_call(**more: Any) -> Any:
    params = {"methodName": "ft_transfer", "args": FT, "gas": "30000000000000", "deposit": "1"}
    return near(act("FunctionCall", **{**params, **more}), to=USDT_NEAR)


HIDDEN_MODULE = multisend((0, USDC, 0, raw(pay(BOB, 1))), (0, SAFE, 0, raw(call("enableModule(address)", EVE))))
BATCH_MODE = bytes.fromhex("01000000000078210001")
LOGIN = (
    f"evil.com wants you to sign in with your Ethereum account:\n{ME}\n\nhi\n\nURI: https://evil.com\nVersion: 1\n"
    "Chain ID: 1\nNonce: 32891756\nIssued At: 2026-01-01T00:00:00Z"
)
MANY = "((address,uint160,uint48,uint48)[],address,uint256),bytes"
DELEGATE = {
    "delegateAction": {
        "senderId": "alice.near", "receiverId": "alice.near", "nonce": "1", "maxBlockHeight": "9", "publicKey": OWN_KEY,
        "actions": [act("AddKey", publicKey=KEY, accessKey={"permission": "FullAccess"})],
    }
}  # fmt: skip
REPEATED = '{"receiver_id":"bob.near","receiver_id":"eve.near","amount":"1"}'

# name, request, context, words of the header, what is warned of (all of it that is danger or block)
CASES: list[tuple[str, Any, dict[str, Any], str, set[str]]] = [
    ("approve in a multicall of a Safe", exec_(MULTICALL, raw(many(pay(BOB, 1), approve(EVE, MAX)))), EVM,
     "Run 2 calls through Multicall3", {"approve_unlimited", "approve_to_eoa"}),
    ("module in a packed batch of a Safe", exec_(CALL_ONLY, raw(HIDDEN_MODULE), operation=1), EVM,
     "Batch of 2 calls", {"ownership_change"}),
    ("approve between two payments", batch(pay(BOB, 1), approve(EVE, 10**9), pay(BOB, 2)), EVM,
     "Batch of 3 calls", {"unused_approval", "approve_to_eoa"}),
    ("approve in wallet_sendCalls", bundle(pay(BOB, 1), approve(EVE, MAX)), EVM,
     "Batch of 2 calls", {"approve_unlimited", "approve_to_eoa", "unused_approval"}),
    ("all coins, said to be few", send(value=str(10**20)), LIE, "Send 100 ETH to Bob", {"intent_mismatch"}),
    ("same ends", send(to=LOOK), EVM, "Send 1 ETH to 0x7099111", {"lookalike_address"}),
    ("poison of the history", call("transferFrom(address,address,uint256)", ME, LOOK, 0), EVM,
     "Send 0 USDC", {"lookalike_address"}),
    ("nothing to a copy", send(to=LOOK, value="0"), EVM, "Send 0 ETH", {"lookalike_address"}),
    ("text that turns", sign("Pay \u202e001 to Bob"), EVM, "Sign a message", {"bidi_control"}),
    ("hash as text", sign(b"\x99" * 32), EVM, "Sign a message", {"looks_like_hash"}),
    ("login elsewhere", sign(LOGIN), {**EVM, "origin": "good.com"}, "Log in to evil.com", {"siwe_domain_mismatch"}),
    ("argument that turns",
     call("note(string)", "ok\u202eevil", to=STRANGE), {**EVM, "abis": {STRANGE: [
         {"type": "function", "name": "note", "inputs": [{"type": "string", "name": "text"}]}]}},
     r"note(text = ok\u{202E}evil)", {"bidi_control"}),
    *[(f"value {value!r}", send(value=value), EVM, "cannot be sent", {"bad_value"}) for value in (
        "0XDE0B6B3A7640000", "0010", "1e18", 1e18, 1.0, "-1", -1, True, " 1", "\uff11\uff10", "\u0661\u0662", 10**18)],
    *[(f"data {data!r}", {**pay(BOB, 1), "data": data}, EVM, "cannot be sent", {"bad_hex"}) for data in (
        "0xabc", "0X" + raw(pay(BOB, 1)).hex(), "a9059cbb", "0x 00")],
    ("capital 0X", send(to="0X" + BOB[2:]), EVM, "cannot be sent", {"invalid_address"}),
    *[(f"chain {chain!r}", send(chainId=chain), EVM, "Send 1 native", {"bad_value"}) for chain in ("1 ", "01", -1, 0)],
    ("dirty address", {**pay(BOB, 5), "data": "0xa9059cbb" + "ff" * 12 + BOB[2:] + "5".rjust(64, "0")}, EVM,
     f"Call {USDC}", {"malformed_calldata"}),
    ("other chain in typed data", changed(permit(), lambda d: d["domain"].update(chainId="0x89")), CHAIN_ONE,
     "by signature", {"chain_mismatch"}),
    ("field that is not signed", changed(permit(), lambda d: d["message"].update(note="harmless")), EVM,
     "by signature", {"unsigned_fields"}),
    ("domain field that is not signed", changed(permit(), lambda d: d["domain"].update(salt="0x" + "00" * 32)), EVM,
     "by signature", {"unsigned_fields"}),
    ("struct in itself", changed(permit(), lambda d: d["types"]["Permit"].append({"name": "p", "type": "Permit"})),
     EVM, "cannot be signed", {"bad_typed_data"}),
    ("bytes4 of five bytes", typed("Thing", "bytes4 a", {"a": "0x1122334455"}), EVM, "cannot be signed",
     {"bad_typed_data"}),
    ("uint8 of 256", typed("Thing", "uint8 a", {"a": 256}), EVM, "cannot be signed", {"bad_typed_data"}),
    ("float in typed data", typed("Thing", "uint256 a", {"a": 1e18}), EVM, "cannot be signed", {"bad_typed_data"}),
    ("two messages in one text", twice(permit()), EVM, "cannot be signed", {"bad_typed_data"}),
    ("permit for ever to a person", permit(spender=EVE, value=str(MAX), deadline=str(MAX)), EVM,
     f"Let {EVE} spend unlimited USDC", {"approve_unlimited", "approve_to_eoa"}),
    ("Permit2 for ever", single(EVE, 2**160 - 1, 2**48 - 1), EVM,
     "spend unlimited USDC through Permit2", {"approve_unlimited", "approve_to_eoa"}),
    ("Permit2 of two tokens", commands((0x03, MANY, (
        ([(USDC, 2**160 - 1, 2**48 - 1, 0), (DAI, 2**160 - 1, 2**48 - 1, 0)], EVE, 2**47), b""))), EVM,
     "Universal Router", {"approve_unlimited", "approve_to_eoa"}),
    ("Permit2 on chain", call("approve(address,address,uint160,uint48)", USDC, EVE, 2**160 - 1, 2**48 - 1, to=PERMIT2),
     EVM, "spend unlimited USDC", {"approve_unlimited", "approve_to_eoa"}),
    ("transfer with a witness", transfer_from(EVE, 10**9, witness=True), EVM, f"Let {EVE} take 1000 USDC",
     {"approve_to_eoa"}),
    ("code for the account", send(authorizationList=[ENTRY]), EVM, f"run the code at {EVE}", {"eip7702_delegation"}),
    ("code on every chain", send(authorizationList=[{**ENTRY, "chainId": 0}]), EVM,
     "run the code", {"eip7702_delegation", "eip7702_all_chains"}),
    ("code on another chain", send(authorizationList=[{**ENTRY, "chainId": 10}]), EVM,
     "run the code", {"eip7702_delegation", "chain_mismatch"}),
    ("code in no list", send(authorizationList=ENTRY), EVM, "Send 1 ETH", {"bad_value"}),
    ("code under two names", send(authorizationList=[{**ENTRY, "address": ZERO, "contractAddress": EVE}]), EVM,
     "smart-account code", {"data_input_conflict"}),
    ("code under another name", send(authorization_list=[ENTRY]), EVM, "Send 1 ETH", {"data_input_conflict"}),
    ("code in a batch", batch({**pay(BOB, 1), "authorizationList": [ENTRY]}, pay(BOB, 2)), EVM,
     "Batch of 2 calls", {"eip7702_delegation"}),
    ("list of addresses that is none", send(accessList="0x"), EVM, "Send 1 ETH", {"bad_value"}),
    ("all pictures", call("setApprovalForAll(address,bool)", EVE, True, to=THING), EVM,
     "move all your NFTs", {"approve_all_nfts", "approve_to_eoa"}),
    ("a new owner", call("transferOwnership(address)", EVE, to=THING), EVM, f"newOwner {EVE}", {"ownership_change"}),
    ("offer for nothing", order(), EVM, "for nothing", {"order_gives_nothing"}),
    ("offer for another", order(EVE), EVM, "for nothing", {"order_proceeds_not_me"}),
    ("offer that ends at zero", changed(order(ME), lambda d: d["message"]["consideration"][0].update(endAmount=0)), EVM,
     "for 0 ETH", {"order_gives_nothing"}),
    ("swap for another", cow(EVE), EVM, "Sell 7 USDC", {"swap_recipient_not_me"}),
    ("swap for nothing", cow(bought=0), EVM, "at least 0 DAI", {"no_slippage_limit"}),
    ("Safe as somebody's code", safe_tx(EVE, operation=1), EVM, "The Safe", {"delegatecall"}),
    ("Safe with one more owner", safe_tx(SAFE, raw(call("addOwnerWithThreshold(address,uint256)", EVE, 1))), EVM,
     "addOwnerWithThreshold", {"ownership_change"}),
    ("batch of a smart account", execute(BATCH_MODE, encode(parse_types("(address,uint256,bytes)[]"), [
        [(USDC, 0, raw(approve(EVE, MAX)))]])), EVM, "spend unlimited USDC", {"approve_unlimited", "approve_to_eoa"}),
    ("delegatecall of a smart account", execute(b"\xff", bytes.fromhex(EVE[2:]) + b"\x12\x34\x56\x78"), EVM,
     "The account", {"delegatecall"}),
    ("claim() that costs", call("claim()", to=STRANGE, value=str(10**18)), EVM, "with 1 ETH", {"blind_call"}),
    ("code that costs", {"to": None, "data": "0x6000", "value": "5", "chainId": 1, "from": ME}, EVM,
     "Deploy a contract with 0.000000000000000005 ETH", set()),
    ("two batches at once", {**bundle(pay(BOB, 1)), "params": bundle(pay(BOB, 1))["params"] * 2}, EVM,
     "More than one batch", {"bad_value"}),
    ("batch for another chain", bundle({"to": BOB, "value": "0x1"}, chainId="0xa"), EVM, "Batch of 1",
     {"chain_mismatch"}),
    ("full access", key_of("FullAccess"), NEAR, "full control of alice.near", {"full_access_key"}),
    ("full access, misspelt", key_of("fullAccess"), NEAR, "cannot be signed", {"unknown_action"}),
    ("full access through a relayer", DELEGATE, NEAR, "full control of alice.near", {"full_access_key"}),
    ("key for every method", key_of({"receiverId": "x.near", "methodNames": []}), NEAR, "every method on x.near",
     set()),
    ("key for an imitation", key_of({"receiverId": "a1ice.near", "methodNames": ["x"], "allowance": "1"}), NEAR,
     "a1ice.near", {"lookalike_address"}),
    ("code on NEAR", near(act("DeployContract", code="AGFzbQ=="), to="alice.near"), NEAR, "Deploy",
     {"deploy_contract"}),
    ("deletion", near(act("DeleteAccount", beneficiaryId="eve.near"), to="alice.near"), NEAR,
     "Delete alice.near", {"delete_account"}),
    ("NEAR for yocto", near(act("Transfer", deposit="1.5"), to="bob.near"), NEAR, "cannot be signed", {"bad_value"}),
    ("NEAR beside a token", transfer_call(deposit="5" + "0" * 24), NEAR, "to bob.near with 5 NEAR",
     {"value_to_nonpayable"}),
    *[(f"method {name!r}", near(method(name, FT), to=USDT_NEAR), NEAR, "Call ft_tr", {"malformed_calldata"})
      for name in (
        "ft_transfer ", "ft_tr\u0430nsfer", "ft_transfer\u200b", "ft_transfer\n\nApproved")],
    ("receiver twice", transfer_call(args=REPEATED), NEAR, "unreadable arguments", {"malformed_calldata"}),
    ("two deposits", transfer_call(attachedDeposit="5" + "0" * 24), NEAR, "cannot be signed", {"data_input_conflict"}),
    ("two methods", transfer_call(method_name="ft_burn"), NEAR, "cannot be signed", {"data_input_conflict"}),
    ("two receivers", {**transfer_call(), "receiver_id": "eve.near"}, NEAR, "Send 0.000001 USDt",
     {"data_input_conflict"}),
    ("two kinds", near({"type": "Transfer", "params": {"deposit": "1"}, "FunctionCall": {"method_name": "x"}}), NEAR,
     "cannot be signed", {"unknown_action"}),
    ("memo that turns", transfer_call(args={**FT, "memo": "\u202eevil"}), NEAR, "Send 0.000001 USDt", {"bidi_control"}),
    ("token that imitates", near(method("ft_transfer", FT), to="usdt.tether-tokem.near"), NEAR,
     "unknown token", {"lookalike_address"}),
    ("swap in a message", near(method("ft_transfer_call", {
        **FT, "msg": json.dumps({"actions": [{"min_amount_out": "0"}]})}), to=USDT_NEAR), NEAR,
     "and call it", {"no_slippage_limit"}),
    ("payment as a message", note(json.dumps({"intents": [
        {"intent": "transfer", "receiver_id": "eve.near", "tokens": {"nep141:wrap.near": "1"}}]})), NEAR,
     "payment order", {"message_moves_funds"}),
]  # fmt: skip


@pytest.mark.parametrize(("request_", "context", "header", "grave"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_the_header_says_it_and_approving_is_gated(
    request_: Any, context: dict[str, Any], header: str, grave: set[str]
) -> None:
    card = review(request_, context)
    assert header in card.title
    assert {w.id for w in card.warnings if w.severity in ("danger", "block")} == grave
    blocked = any(w.severity == "block" for w in card.warnings)
    assert card.approval == ("blocked" if blocked else "second_act" if grave else "plain")
    assert not any(mark in card.title for mark in "\u202e\u200b\n")


def test_a_request_in_text_that_says_one_name_twice_is_refused() -> None:
    with pytest.raises(ReviewRefused, match="stands twice"):
        review(f'{{"to": "{BOB}", "value": "1", "value": "2", "chainId": 1}}')


def test_what_a_call_of_a_batch_says_besides_is_shown() -> None:
    card = review(bundle({"to": BOB, "value": "0x1", "capabilities": {"x": {}}}, capabilities={"pay": {}}), EVM)
    assert card.facts["capabilities"].value == "pay"
    assert "not known here" in card.facts["capabilities"].note
    (row,) = [row for row in card.calls[0].rows if row.id == "others"]
    assert json.loads(row.raw) == {"capabilities": {"x": {}}}


def test_the_agents_words_cannot_turn_or_hide() -> None:
    row = review(send(), {**EVM, "claim": "ok \u202e x\u200b"}).facts["origin"]
    assert row.value == r"“ok \u{202E} x\u{200B}”"


def test_what_has_a_time_is_judged_by_it() -> None:
    assert {w.id for w in review(permit(deadline=NOW + 10**9), EVM).warnings} == {"never_expires"}
    assert {w.id for w in review(permit(deadline=NOW - 1, spender=ROUTER), EVM).warnings} == {"deadline_passed"}
