"""Real faults of wallets and chat products, each as a test of the card; names in brackets are the reports."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from review_vectors import load
from test_properties import values_of
from test_rules import (
    BOB,
    EVE,
    EVM,
    MAX,
    ME,
    NEAR,
    NOW,
    OWN_KEY,
    ROUTER,
    SAFE,
    THING,
    TOKEN,
    USDC,
    act,
    approve,
    call,
    ft,
    method,
    near,
    note,
    permit,
    safe,
    send,
    sign,
    typed,
)

from bitte_nb.errors import ReviewRefused
from bitte_nb.review import review
from bitte_nb.review.abi import encode, plain_value
from bitte_nb.review.abi_table import built_in

QUIET = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def words(card: Any) -> str:
    return json.dumps(card.to_json(), ensure_ascii=False)


def test_small_near_amounts_are_not_shown_as_zero() -> None:  # [bitte-near-small-zero, tw-1920]
    for raw, shown in (("400000000000000000000", "0.0004 NEAR"), ("1", "0.000000000000000000000001 NEAR")):
        card = review(near(act("Transfer", deposit=raw), to="bob.near"), NEAR)
        assert card.summary == f"Send {shown} to bob.near"


@pytest.mark.parametrize("kind", ["AddKey", "DeleteKey", "DeleteAccount", "DeployContract", "Stake", "CreateAccount"])
def test_every_kind_of_action_has_a_card(kind: str) -> None:  # [bitte-addkey-crash]
    params = {
        "publicKey": OWN_KEY,
        "accessKey": {"permission": "FullAccess"},
        "beneficiaryId": "bob.near",
        "code": "AA==",
        "stake": "1",
    }
    assert review(near(act(kind, **params)), NEAR).actions[0]["kind"] == kind


def test_a_contract_creation_is_a_card_and_a_bad_recipient_is_blocked() -> None:  # [bitte-create-refused]
    assert review(send(None, "0", data="0x6001"), EVM).kind == "contract_creation"
    for to in ("0x", "0xzz", 5, ["0x"], {"a": 1}):
        assert review(send(to, "0"), EVM).approval == "blocked"


def test_the_network_is_never_guessed_from_an_account_id() -> None:  # [bitte-testnet-by-substring]
    card = review(near(act("Transfer", deposit="1"), to="mytestnetfan.near"), NEAR)
    assert card.chain.explorer == "https://nearblocks.io"
    assert not any(w.id == "network_mismatch" for w in card.warnings)


def test_no_image_or_link_of_the_agent_is_more_than_text() -> None:  # [bitte-remote-image]
    args = {"metadata": {"media": "https://x.example/track.png"}}
    card = review(near(method("mint", args), to="nft.near"), NEAR)
    rows = [row for row in card.calls[0].rows if "track.png" in row.value]
    assert rows
    assert all(row.kind == "code" for row in rows)


def test_a_card_can_be_made_of_every_prefix_of_streamed_arguments() -> None:  # [bitte-duplicate-hooks]
    full = {"transactions": [near(ft(), to=TOKEN)], "network": "mainnet"}

    def prefixes(value: Any) -> list[Any]:
        if isinstance(value, dict):
            found, held = [{}], {}
            for key, item in value.items():
                found += [{**held, key: part} for part in prefixes(item)]
                held = {**held, key: item}
            return found
        if isinstance(value, list):
            return [[], *([part] for part in prefixes(value[0]))] if value else [[]]
        half = value[: len(value) // 2] if isinstance(value, str) else value
        return [None, half, value]

    made = 0
    for part in prefixes(full):
        try:
            review(part, NEAR)
            made += 1
        except ReviewRefused:
            assert "transactions" not in part
    assert made > 20


def test_the_amount_of_an_approval_has_its_decimals() -> None:  # [mm-4984, mm-11125]
    assert review(approve(ROUTER, 100_000_000), EVM).summary == "Let Uniswap V2 Router spend up to 100 USDC"
    assert review(permit(value=str(2**64)), EVM).amounts[0].human == "18446744073709.551616"


def test_an_approval_of_a_collection_names_the_contract() -> None:  # [mm-15377]
    card = review(call("setApprovalForAll(address,bool)", ROUTER, True, to=THING), EVM)
    assert card.facts["collection"].value == THING
    assert THING in next(w.sentence for w in card.warnings if w.id == "approve_all_nfts")


def test_a_wrong_chain_says_the_way_out() -> None:  # [mm-8448]
    sentence = next(w.sentence for w in review(permit(), {**EVM, "chain_id": 137}).warnings)
    assert "Switch the wallet to Ethereum" in sentence


def test_inner_calls_of_a_safe_are_full_cards() -> None:  # [erc7730-2840, safe-3115]
    fragment = "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)"
    inner = bytes.fromhex(call("transfer(address,uint256)", BOB, 5)["data"][2:])
    zero = "0x" + "00" * 20
    card = review(call(fragment, USDC, 7, inner, 0, 0, 0, 0, zero, zero, b"", to=SAFE), EVM)
    assert (card.calls[0].to, card.calls[0].value, card.calls[0].title) == (USDC, "7", "Send 0.000005 USDC to Bob")
    packed = b"\x01" + bytes.fromhex(THING[2:]) + bytes(31) + b"\x00" + bytes(31) + b"\x00"
    nested = bytes.fromhex(call("multiSend(bytes)", packed)["data"][2:])
    multisend = "0x40A2aCCbd92BCA938b02010E17A5b8929b49130D"
    card = review(call(fragment, multisend, 0, nested, 1, 0, 0, 0, zero, zero, b"", to=SAFE), EVM)
    found = next(w for w in card.warnings if w.id == "delegatecall")
    assert found.severity == "danger"
    assert found.path == "calls[0]"
    assert not any(w.id == "delegatecall" for w in review(safe(1, to=multisend), EVM).warnings)


def test_bytes_of_unknown_typed_data_are_tried_as_a_call() -> None:  # [erc7730-2675]
    data = "0x" + call("approve(address,uint256)", EVE, MAX)["data"][2:]
    request = typed("ForwardRequest", "address from,address to,bytes data", {"from": ME, "to": USDC, "data": data})
    card = review(request, EVM)
    assert card.calls[0].function == "approve(address,uint256)"
    assert {"approve_unlimited", "blind_typed_data"} <= {w.id for w in card.warnings}


def test_a_yocto_comes_after_the_method_and_is_explained() -> None:  # [nw-1594]
    card = review(near(ft(), to=TOKEN), NEAR)
    assert card.title.startswith("Send 0.000005 USDt")
    rows = [row.id for row in card.calls[0].rows]
    assert rows.index("call") < rows.index("deposit")
    assert next(row.note for row in card.calls[0].rows if row.id == "deposit").startswith("1 yocto")


def test_a_nonce_in_url_letters_is_shown_in_plain_base64() -> None:  # [ws-1065]
    card = review({**note(), "nonce_base64": "-vv8_f7_-vv8_f7_-vv8_f7_-vv8_f7_-vv8_f7_-vs="}, NEAR)
    assert card.facts["nonce"].value == "+vv8/f7/+vv8/f7/+vv8/f7/+vv8/f7/+vv8/f7/+vs="


def test_the_callback_is_a_row_with_its_host() -> None:  # [bitte-callback-hidden]
    card = review(note(callbackUrl="https://evil.example/x"), NEAR)
    assert card.facts["callback"].note == "host evil.example"
    assert any(w.id == "callback_host_mismatch" for w in card.warnings)


def test_a_flood_of_lines_is_counted() -> None:  # [brave-24816]
    card = review(sign("hi" + "\n" * 50 + "pay"), EVM)
    assert "51 lines" in next(w.sentence for w in card.warnings if w.id == "newline_flood")


FUNCTIONS = st.sampled_from([known.function for known in built_in().values()])


def leaves(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


@QUIET
@given(FUNCTIONS.flatmap(lambda f: st.tuples(st.just(f), st.tuples(*(values_of(t) for t in f.inputs)))))
def test_no_argument_of_a_decoded_call_is_absent_from_the_card(pair: tuple[Any, Any]) -> None:  # [erc7730-2852]
    function, values = pair
    data = "0x" + (function.selector + encode(function.inputs, values)).hex()
    card = review({"to": THING, "data": data, "chainId": 1}, EVM)
    shown = " ".join(f"{row.value} {row.raw}" for row in card.rows).lower()
    for leaf in leaves(values):
        text = str(plain_value(leaf)).lower()
        assert text in shown, (function.signature, text)


def test_every_named_vector_of_the_complaints_that_is_at_hand_exists() -> None:
    complaints = load("bug_cases.json").get("cases", [])
    if not complaints:
        pytest.skip("../shared/data/transactions/bug_cases.json is absent")
    held = {
        vector["id"]
        for name in ("evm_calldata", "eip191", "eip712", "near_transactions", "nep413", "evm_signed")
        for key in ("vectors", "invalid")
        for vector in load(f"{name}.json").get(key, [])
    }
    named = {name for case in complaints for name in case["vectors"]}
    assert len(named & held) >= 25


def test_deadlines_are_dates_a_person_can_read() -> None:
    row = review(permit(), EVM).facts["deadline"]
    assert (row.value, row.raw) == ("2026-01-01 00:01:00 UTC", str(NOW + 60))
