"""Bytes and hashes against independent implementations: eth-account, near-kit and pynacl."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_rules import BOB, EVM, KEY, ME, NEAR, NONCE, act, near, permit, typed

from bitte_nb.review import review
from bitte_nb.review.borsh import base58_decode, base58_encode, read_transaction
from bitte_nb.signing.eth import eth_account

SECRET = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
"""The first development key that every local chain has; its account is ME."""
QUIET = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUIET
@given(st.binary(max_size=200))
def test_the_hash_of_a_message_is_that_of_eth_account(message: bytes) -> None:
    card = review({"method": "personal_sign", "params": ["0x" + message.hex(), ME]})
    oracle = eth_account().messages
    expected = oracle._hash_eip191_message(oracle.encode_defunct(message)).hex()
    assert card.signing_hash == "0x" + expected.removeprefix("0x")


KINDS = [
    "uint8",
    "int256",
    "address",
    "bool",
    "string",
    "bytes",
    "bytes4",
    "uint256[]",
    "Inner",
    "Inner[2]",
    "string[]",
]


def as_written(number: int) -> int | str:
    """As requests write it: what JavaScript would round is text."""
    return number if abs(number) <= 2**53 else str(number)


def value_of(kind: str) -> st.SearchStrategy[Any]:
    if kind.endswith("]"):
        base, _, size = kind.rpartition("[")
        count = int(size[:-1]) if size[:-1] else None
        return st.lists(value_of(base), min_size=count or 0, max_size=3 if count is None else count)
    return {
        "uint8": st.integers(0, 255),
        "uint256": st.integers(0, 2**256 - 1).map(as_written),
        "int256": st.integers(-(2**255), 2**255 - 1).map(as_written),
        "address": st.binary(min_size=20, max_size=20).map(lambda b: "0x" + b.hex()),
        "bool": st.booleans(),
        "string": st.text(max_size=20),
        "bytes": st.binary(max_size=20).map(lambda b: "0x" + b.hex()),
        "bytes4": st.binary(min_size=4, max_size=4).map(lambda b: "0x" + b.hex()),
        "Inner": st.fixed_dictionaries({"a": st.integers(0, 9), "b": st.text(max_size=5)}),
    }[kind]


@QUIET
@given(
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=5).flatmap(
        lambda ks: st.tuples(st.just(ks), st.tuples(*map(value_of, ks)))
    )
)
def test_the_digest_of_typed_data_is_that_of_eth_account(pair: tuple[list[str], tuple[Any, ...]]) -> None:
    kinds, values = pair
    data = typed(
        "Outer", ",".join(f"{kind} f{i}" for i, kind in enumerate(kinds)), {f"f{i}": v for i, v in enumerate(values)}
    )
    if any(kind.startswith("Inner") for kind in kinds):
        data["types"]["Inner"] = [{"name": "a", "type": "uint8"}, {"name": "b", "type": "string"}]
    oracle = eth_account().messages
    expected = oracle._hash_eip191_message(oracle.encode_typed_data(full_message=data)).hex()
    assert review(data).signing_hash == "0x" + expected.removeprefix("0x")


TRANSACTIONS: list[dict[str, Any]] = [
    {"gasPrice": 5},
    {"gasPrice": 5, "chainId": 1},
    {"gasPrice": 5, "chainId": 1, "accessList": [{"address": BOB, "storageKeys": ["0x" + "01" * 32]}]},
    {"maxFeePerGas": 5, "maxPriorityFeePerGas": 1, "chainId": 8453},
    {"maxFeePerGas": 5, "maxPriorityFeePerGas": 1, "chainId": 1, "accessList": [], "data": "0xdeadbeef"},
]


@pytest.mark.parametrize("extra", TRANSACTIONS)
def test_a_transaction_signed_by_eth_account_is_read_back(extra: dict[str, Any]) -> None:
    tx = {"to": BOB, "value": 10**18, "gas": 21000, "nonce": 3, **extra}
    signed = eth_account().Account.from_key(SECRET).sign_transaction(tx)
    card = review(
        {"method": "eth_sendRawTransaction", "params": ["0x" + signed.raw_transaction.hex().removeprefix("0x")]}, EVM
    )
    assert card.extra["sender"] == ME
    assert card.signing_hash == "0x" + signed.hash.hex().removeprefix("0x")
    assert card.extra["tx"]["value"] == hex(10**18)
    assert card.kind == ("contract_call" if "data" in extra else "native_transfer")
    bound = "chainId" in extra
    assert any(w.id == "no_chain_binding" for w in card.warnings) is not bound


def test_a_changed_signature_names_another_sender_or_none() -> None:
    raw = (
        eth_account()
        .Account.from_key(SECRET)
        .sign_transaction({"to": BOB, "value": 1, "gas": 21000, "nonce": 3, "gasPrice": 5, "chainId": 1})
    )
    broken = bytearray(raw.raw_transaction)
    broken[-1] ^= 1
    card = review({"raw": "0x" + bytes(broken).hex()}, EVM)
    assert card.severity == "block"
    assert {w.id for w in card.warnings} & {"from_mismatch", "bad_encoding"}


def test_a_permit_that_eth_account_signs_is_signed_over_our_digest() -> None:
    signed = eth_account().Account.from_key(SECRET).sign_typed_data(full_message=permit())
    card = review(permit(), EVM)
    recovered = eth_account().Account._recover_hash(
        bytes.fromhex(str(card.signing_hash)[2:]), signature=signed.signature
    )
    assert recovered == ME


def wire(**fields: Any) -> Any:
    from near import parse_key, wire

    key = wire.PublicKeyWire.Ed25519(data=base58_decode(KEY.split(":")[1]))
    assert parse_key is not None
    return wire.Transaction(
        signer_id="alice.near", public_key=key, nonce=7, receiver_id="bob.near", block_hash=b"\x05" * 32, **fields
    )


def kit_actions() -> dict[str, Any]:
    import near
    from near import wire as w

    return {
        "CreateAccount": near.create_account(),
        "DeployContract": near.deploy_contract(b"\0asm"),
        "FunctionCall": near.function_call("go", {"a": 1}, gas="30 Tgas", deposit="1 yocto"),
        "Transfer": near.transfer("1.5 NEAR"),
        "Stake": near.stake("2 NEAR", KEY),
        "AddKey": near.add_full_access_key(KEY),
        "AddKey limited": near.add_function_call_key(KEY, "game.near", ["play"], allowance="0.25 NEAR"),
        "DeleteKey": near.delete_key(KEY),
        "DeleteAccount": near.delete_account("mallory.near"),
        "DeployGlobalContract": near.publish_contract(b"\0asm", identified_by="hash"),
        "UseGlobalContract": near.use_global_contract(account_id="code.near"),
        "UseGlobalContract hash": near.use_global_contract(code_hash=b"\x01" * 32),
        "Delegate": w.Action.SignedDelegate(
            delegate_action=kit_delegate(), signature=w.SignatureWire.Ed25519(data=b"\x07" * 64)
        ),
    }


def kit_delegate() -> Any:
    import near
    from near import wire as w

    key = w.PublicKeyWire.Ed25519(data=base58_decode(KEY.split(":")[1]))
    return w.DelegateAction(
        sender_id="alice.near",
        receiver_id="bob.near",
        actions=[near.transfer("1 NEAR")],
        nonce=7,
        max_block_height=9,
        public_key=key,
    )


def test_every_action_that_near_kit_writes_is_read_with_its_hash() -> None:
    for name, action in kit_actions().items():
        data = wire(actions=[action]).to_borsh()
        card = review({"borsh_hex": data.hex()}, NEAR)
        assert card.actions[0]["kind"] == name.split(" ")[0]
        assert card.signing_hash == base58_encode(hashlib.sha256(data).digest())
        assert card.extra["borsh_hex"] == data.hex(), name


def test_a_delegate_action_has_the_hash_of_near_kit() -> None:
    from near.wire import delegate_action_signing_hash

    request = {
        "delegateAction": {
            "senderId": "alice.near", "receiverId": "bob.near", "actions": [act("Transfer", deposit="1" + "0" * 24)],
            "nonce": "7", "maxBlockHeight": "9", "publicKey": KEY,
        }
    }  # fmt: skip
    expected = delegate_action_signing_hash(kit_delegate()).hex()
    assert review(request, NEAR).signing_hash == expected
    prefixed = (2**30 + 366).to_bytes(4, "little") + kit_delegate().to_borsh()
    assert review({"borsh_hex": prefixed.hex()}, NEAR).signing_hash == expected


def test_newer_actions_and_transactions_are_blocked_and_never_guessed() -> None:
    import near
    from near import wire as w

    gas_key = wire(actions=[near.transfer_to_gas_key(KEY, "1 NEAR")]).to_borsh()
    first = w.TransactionV1(
        signer_id="alice.near",
        public_key=w.PublicKeyWire.Ed25519(data=b"\x01" * 32),
        nonce=w.TransactionNonce.Nonce(nonce=1),
        receiver_id="bob.near",
        block_hash=b"\x05" * 32,
        actions=[near.transfer("1 NEAR")],
    ).to_borsh()
    for data in (gas_key, first, wire(actions=[near.add_gas_key(KEY, 4)]).to_borsh()):
        card = review({"borsh_hex": data.hex()}, NEAR)
        assert [(w.id, w.severity) for w in card.warnings] == [("unknown_action", "block")]


@QUIET
@given(
    st.text(max_size=60),
    st.sampled_from(["app.near", "app.example"]),
    st.none() | st.sampled_from(["", "https://a.example/x"]),
)
def test_the_hash_of_a_near_message_is_that_of_near_kit(message: str, recipient: str, callback: str | None) -> None:
    import base64

    from near.nep413 import nep413_hash

    request: dict[str, Any] = {"message": message, "recipient": recipient, "nonce_base64": NONCE}
    if callback is not None:
        request["callbackUrl"] = callback
    expected = nep413_hash(message, recipient, base64.b64decode(NONCE), callback).hex()
    assert review(request, NEAR).signing_hash == expected


def test_a_signed_transaction_with_another_signature_is_blocked() -> None:
    data = wire(actions=[]).to_borsh()
    assert read_transaction(data)["nonce"] == 7
    card = review({"signed_base64": __import__("base64").b64encode(data + b"\0" + b"\x01" * 64).decode()}, NEAR)
    assert card.severity == "block"


@QUIET
@given(st.binary(max_size=40))
def test_base58_is_that_of_the_library(data: bytes) -> None:
    import base58

    assert base58_encode(data) == base58.b58encode(data).decode()
    assert base58_decode(base58_encode(data)) == data


def test_the_dialects_give_the_same_actions() -> None:
    forms = [
        act("Transfer", deposit="5"),
        {"transfer": {"deposit": "5"}, "enum": "transfer"},
        {"Transfer": {"deposit": "5"}},
    ]
    found = [review(near(form, to="bob.near"), NEAR).actions for form in forms]
    assert found[0] == found[1] == found[2]
    octets = {str(i): byte for i, byte in enumerate(b'{"a":1}')}
    calls = [
        act("FunctionCall", methodName="go", args={"a": 1}, gas="5", deposit="0"),
        {"functionCall": {"methodName": "go", "args": octets, "gas": "5", "deposit": "0"}, "enum": "functionCall"},
        {"FunctionCall": {"method_name": "go", "args": "eyJhIjoxfQ==", "gas": 5, "deposit": "0"}},
    ]  # fmt: skip
    found = [review(near(form, to="x.near"), NEAR).actions for form in calls]
    flat = {"contractName": "x.near", "methodName": "go", "args": {"a": 1}, "gas": "5", "deposit": "0"}
    assert found[0] == found[1] == found[2] == review(flat, NEAR).actions
