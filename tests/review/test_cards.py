"""The card as others use it: the primitives' arguments, the public names, the teaching view."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from test_rules import (
    BOB,
    DAI,
    EVE,
    EVM,
    MAX,
    ME,
    NEAR,
    NONCE,
    NOW,
    OWN_KEY,
    ROUTER,
    TOKEN,
    USDC,
    act,
    call,
    ft,
    method,
    near,
    permit,
    send,
    sign,
    swap,
)

import bitte_nb.review as room
from bitte_nb.errors import ReviewRefused
from bitte_nb.review import ReviewCard, ReviewContext, explain, request_digest, review
from bitte_nb.review.address import checksum, is_account_id, near_lookalike
from bitte_nb.review.amounts import human, parse_human
from bitte_nb.review.text import escape


def test_the_arguments_of_generate_transaction_are_reviewed() -> None:
    card = review({"transactions": [near(ft(), to=TOKEN)], "network": "mainnet"}, NEAR)
    assert card.kind == "near_function_call"
    assert card.summary == "Send 0.000005 USDt to bob.near"
    assert card.chain.name == "NEAR mainnet"
    assert {row.id for row in card.calls[0].rows} >= {
        "call",
        "deposit",
        "gas",
        "arg.receiver_id",
        "arg.amount",
        "amount.out",
    }
    empty = review({"transactions": [], "network": "testnet"}, NEAR)
    assert empty.approval == "blocked"


def test_the_arguments_of_generate_evm_tx_are_reviewed() -> None:
    one = {
        "method": "eth_sendTransaction",
        "chainId": 8453,
        "params": [{"to": BOB, "data": "0x", "value": "0x1", "from": ME}],
    }
    card = review(one, EVM)
    assert (card.kind, card.chain.name, card.facts["value"].raw) == ("native_transfer", "Base", "1")
    assert card.facts["to"].note == "Bob"
    two = review({**one, "params": one["params"] * 2}, EVM)
    assert (two.kind, len(two.calls)) == ("batch", 2)
    assert two.facts["value"].raw == "2"
    other = review({**one, "params": [{"to": BOB, "data": "0x", "value": "0x1"}], "evmAddress": EVE}, EVM)
    assert any(w.id == "from_mismatch" for w in other.warnings)


def test_the_arguments_of_sign_message_are_reviewed() -> None:
    args = {"message": "Hello", "recipient": "app.near", "nonce": NONCE, "callbackUrl": "https://app.near/cb"}
    card = review(args, NEAR)
    assert card.kind == "nep413_message"
    shown = {row.id: row.value for row in card.rows}
    assert (shown["message"], shown["recipient"], shown["nonce"]) == ("Hello", "app.near", NONCE)
    assert shown["callback"] == "https://app.near/cb"
    assert card.signing_hash is not None
    fresh = review({"message": "Hello"}, NEAR)
    assert fresh.facts["nonce"].note == "the request states none"
    assert fresh.signing_hash is None
    assert any("nonce is made when you sign" in sentence for sentence in fresh.unchecked)


@pytest.mark.parametrize(
    "request_",
    [
        {"method": "personal_sign", "chainId": 1, "params": ["0x68656c6c6f", ME]},
        {"method": "personal_sign", "chainId": 1, "params": [ME, "0x68656c6c6f"]},
        {"params": ["0x68656c6c6f", ME]},
        ["0x68656c6c6f", ME],
    ],
)
def test_a_message_is_found_in_either_order_of_params(request_: Any) -> None:
    card = review(request_, EVM)
    assert card.facts["message"].raw == "hello"
    assert card.facts["from"].value == ME


def test_typed_data_is_read_from_every_wrapping() -> None:
    data = permit()
    plain = review(data, EVM)
    for request in (
        {"method": "eth_signTypedData_v4", "chainId": 1, "params": [ME, json.dumps(data)]},
        {"method": "eth_signTypedData", "chainId": 1, "params": [ME, data]},
        {"method": "eth_signTypedData_v3", "params": [data, ME]},
        json.dumps(data),
        {"evmSignRequest": {"method": "eth_signTypedData_v4", "chainId": 1, "params": [ME, json.dumps(data)]}},
    ):
        card = review(request, EVM)
        assert card.signing_hash == plain.signing_hash
        assert card.kind == "erc20_permit"
        assert card.warnings == ()


def test_version_one_typed_data_has_the_known_hash() -> None:
    items = [{"type": "string", "name": "message", "value": "Hi, Alice!"}]
    card = review({"method": "eth_signTypedData", "params": [items, ME]}, EVM)
    assert card.signing_hash == "0x14b9f24872e28cc49e72dc104d7380d8e0ba84a3fe2e712704bcac66a5702bd5"
    assert {w.id for w in card.warnings} == {"blind_typed_data", "no_chain_binding"}
    broken = review(
        {"method": "eth_signTypedData", "params": [[{"type": "uint8", "name": "x", "value": 256}], ME]}, EVM
    )
    assert broken.severity == "block"


def test_the_digest_is_the_same_for_the_same_request_and_changes_with_it() -> None:
    request = send()
    assert (
        review(request, EVM).digest == review(dict(reversed(request.items())), NEAR).digest == request_digest(request)
    )
    assert review({**request, "value": "2"}, EVM).digest != request_digest(request)


def test_a_decision_on_another_digest_is_stale() -> None:
    seen = review(send(), EVM)
    assert review(send(), {**EVM, "reviewed_digest": seen.digest}).warnings == ()
    changed = review(send(value="2"), {**EVM, "reviewed_digest": seen.digest})
    assert [w.id for w in changed.warnings] == ["stale_review"]
    assert changed.approval == "blocked"


def test_a_card_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        review(send(), EVM).__setattr__("kind", "x")


def test_the_public_names_are_found_and_others_are_not() -> None:
    for name in room.__all__:
        assert getattr(room, name) is not None
    with pytest.raises(AttributeError):
        room.nothing  # noqa: B018 - the attribute access is the test
    assert room(send(), EVM).kind == "native_transfer"


def test_a_context_is_read_from_both_spellings() -> None:
    one = ReviewContext.of(
        {"chainId": 1, "evmAddress": ME, "accountId": "alice.near", "tokens": {"D": {"address": DAI, "decimals": "18"}}}
    )
    two = ReviewContext.of(
        {
            "chain_id": "0x1",
            "evm_address": ME,
            "account_id": "alice.near",
            "tokens": [{"symbol": "D", "address": DAI, "decimals": 18}],
        }
    )
    assert (one.chain_id, one.evm_account, one.near_account, one.own, one.tokens) == (
        two.chain_id, two.evm_account, two.near_account, two.own, two.tokens,
    )  # fmt: skip
    assert ReviewContext.of(one) is one
    assert ReviewContext.of(None) == ReviewContext()


def test_contacts_may_be_names_or_addresses_first() -> None:
    for contacts in ({"Bob": BOB}, {BOB: "Bob"}):
        assert review(send(), {**EVM, "contacts": contacts}).facts["to"].note == "Bob"


@pytest.mark.parametrize(
    ("raw", "decimals", "shown"),
    [
        (0, 18, "0"),
        (1, 24, "0." + "0" * 23 + "1"),
        (10**18, 18, "1"),
        (MAX, 0, str(MAX)),
        (250500000, 6, "250.5"),
        (-15, 1, "-1.5"),
    ],
)
def test_amounts_keep_every_digit(raw: int, decimals: int, shown: str) -> None:
    assert human(raw, decimals) == shown
    if raw >= 0:
        assert parse_human(shown, decimals) == raw


def test_an_amount_with_too_many_places_is_no_amount() -> None:
    assert parse_human("0.0000001", 6) is None
    assert parse_human("1,000.5", 6) == 1000500000
    assert parse_human("1e5", 6) is None


@pytest.mark.parametrize(
    ("account", "known", "found"),
    [
        ("b0b.near", "bob.near", True),
        ("bob.near", "bob.near", False),
        ("bobb.near", "bob.near", True),
        ("rnary.near", "mary.near", True),
        ("bob.near.evil.near", "bob.near", True),
        ("bob-near.evil.near", "bob.near", True),
        ("sub.bob.near", "bob.near", False),
        ("carol.near", "bob.near", False),
        ("a" * 64, "bob.near", False),
    ],
)
def test_account_ids_that_imitate_are_found(account: str, known: str, found: bool) -> None:
    assert (near_lookalike(account, [known]) is not None) is found


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("a.near", True),
        ("alice", True),
        ("a", False),
        ("A.near", False),
        ("a..near", False),
        ("-a.near", False),
        ("a_b-c.near", True),
        ("x" * 65, False),
        ("a\n", False),
    ],
)
def test_the_grammar_of_account_ids(text: str, valid: bool) -> None:
    assert is_account_id(text) is valid


def test_checksums_are_those_of_eip_55() -> None:
    for address in ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"):
        assert checksum(address.lower()) == address


def test_hidden_characters_are_written_out() -> None:
    assert escape("a\u202eb\u200bc\x07") == "a\\u{202E}b\\u{200B}c\\u{0007}"
    card = review(sign("a\u202eb"), EVM)
    assert card.facts["message"].value == "a\\u{202E}b"
    assert card.facts["message"].raw == "a\u202eb"


def test_indentation_and_blanks_of_a_message_stay() -> None:
    text = '{\n    "a":  1\n}'
    assert review(sign(text), EVM).facts["message"].value == text


def test_every_row_can_be_derived() -> None:
    for request, context in (
        (call("approve(address,uint256)", ROUTER, 5), EVM),
        (swap(), EVM),
        (permit(), EVM),
        (sign("hello"), EVM),
        (near(method("go"), to="x.near"), NEAR),
        ({"method": "eth_sendTransaction", "chainId": 1, "params": [send()]}, EVM),
    ):
        card = review(request, context)
        steps = explain(card)["steps"]
        assert [step["row"] for step in steps if not step["path"]] == [row.id for row in card.rows]
        assert all(step["how"].endswith(".") for step in steps)
        assert explain(card.to_json()) == explain(card)


def derived(card: ReviewCard, path: str = "") -> dict[str, dict[str, Any]]:
    return {step["row"]: step for step in explain(card)["steps"] if step["path"] == path}


def test_an_argument_is_derived_from_its_bytes() -> None:
    steps = derived(review(call("approve(address,uint256)", ROUTER, 5), EVM))
    assert steps["arg.spender"]["taken"] == "0x" + "00" * 12 + ROUTER[2:].lower()
    assert steps["arg.value"]["taken"] == "0x" + "00" * 31 + "05"
    assert steps["selector"]["taken"] == "0x095ea7b3"
    assert "big-endian" in steps["arg.value"]["how"]
    assert steps["amount.allowance"]["where"] == "data[36:68]", "what is explained again stands where its argument does"
    typed_steps = derived(review(permit(), EVM))
    assert typed_steps["field.deadline"]["taken"] == str(NOW + 60)
    assert typed_steps["to"]["taken"] == f'"{USDC}"'


def test_what_stands_in_the_tail_is_found_there() -> None:
    inner = call("transfer(address,uint256)", BOB, 7)
    items = [(USDC, bytes.fromhex(inner["data"][2:])), (USDC, b"")]
    card = review(call("tryAggregate(bool requireSuccess,(address target,bytes callData)[] calls)", True, items), EVM)
    steps = derived(card)
    assert steps["arg.calls[0].callData"]["taken"] == inner["data"]
    assert steps["arg.calls[1].target"]["taken"] == "0x" + "00" * 12 + USDC[2:].lower()
    assert steps["arg.calls[1].callData"]["taken"] == "0x"
    nested = derived(card, "calls[0]")
    assert nested["arg.to"]["taken"] == "0x" + "00" * 12 + BOB[2:].lower()
    assert explain(card)["data"]["calls[0]"] == inner["data"]


def test_a_call_without_a_review_explains_nothing() -> None:
    with pytest.raises(ReviewRefused, match="no review"):
        explain(None)


def test_a_delegate_action_shows_its_limits() -> None:
    request = {
        "senderId": "alice.near", "receiverId": "bob.near", "actions": [act("Transfer", deposit="1")], "nonce": "7",
        "maxBlockHeight": "9", "publicKey": OWN_KEY,
    }  # fmt: skip
    card = review(request, NEAR)
    rows = {row.id: row.value for row in card.calls[0].rows}
    assert rows["delegate.until"] == "9"
    assert card.calls[0].calls[0].title == "Send 0.000000000000000000000001 NEAR to bob.near"
