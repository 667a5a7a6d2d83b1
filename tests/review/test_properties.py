"""Properties that hold for any input: no surprise exceptions, canonical decoding, stable digests."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from review_vectors import load

from bitte_nb.errors import ReviewRefused
from bitte_nb.review import ReviewCard, request_digest, review
from bitte_nb.review.abi import Malformed, decode, encode
from bitte_nb.review.abi_table import built_in
from bitte_nb.review.abi_types import TooLarge, parse_function, parse_types
from bitte_nb.review.borsh import BorshError, read_delegate, read_signed, read_transaction
from bitte_nb.review.borsh_write import write_transaction
from bitte_nb.review.rlp import RlpError, decode_raw, rlp_decode, rlp_encode
from bitte_nb.review.rules import RULES, SEVERITIES

QUIET = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

KEY = "ed25519:85SjEsinE49BxsW5MfqGofmjbDbLnp3iMioo6hoAuMEN"
ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
WORDS = st.sampled_from(
    re.findall(
        r"\S+",
        """
        to value data input chainId from gas gasPrice maxFeePerGas
        nonce calls method params transactions actions type Transfer FunctionCall
        methodName args deposit signerId receiverId message recipient nonce_base64 callbackUrl
        types primaryType domain EIP712Domain Permit owner spender deadline authorizationList
        address verifyingContract personal_sign eth_sign eth_sendTransaction eth_signTypedData_v4
        wallet_sendCalls delegateAction senderId
        publicKey accessKey permission FullAccess AddKey Stake DeployContract code enum
        functionCall kind raw borsh_hex signed_base64 intents uint256 tx evmSignRequest
        contractName Delegate UseGlobalContract contractIdentifier network mainnet
        """,
    )
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**260)
    | st.floats()
    | WORDS
    | st.text(max_size=20)
    | st.sampled_from(
        [ADDRESS, "0x", "0xzz", "alice.near", "1", "-1", "ed25519:xyz", "0xa9059cbb", '{"a":1}', "[", "\ud800"]
    )
    | st.binary(max_size=40).map(lambda b: "0x" + b.hex())
)
CONTAINERS = WORDS | st.text(max_size=5)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(CONTAINERS, inner, max_size=6),
    max_leaves=25,
)
CONTEXT_KEYS = re.findall(
    r"\S+",
    """
    now connected contacts contracts eoas erc721 tokens labels abis descriptors chainId network balance nonce intent
    simulation servers origin large_deposit_near tokenBalance allowance
    """,
)
CONTEXT = st.dictionaries(st.sampled_from(CONTEXT_KEYS), JSON, max_size=5)


def check(request: Any, context: Any = None) -> ReviewCard | None:
    """A card that is sound, or None where the request was refused."""
    try:
        card = review(request, context)
    except ReviewRefused:
        return None
    json.dumps(card.to_json(), allow_nan=False).encode("utf-8")
    assert all(w.id in RULES and w.severity in SEVERITIES and w.sentence for w in card.warnings)
    assert card.severity == max((w.severity for w in card.warnings), key=SEVERITIES.index, default="none")
    assert len({w.id for w in card.warnings}) == len(card.warnings)
    for call in card.calls:
        assert SEVERITIES.index(call.severity) <= SEVERITIES.index(card.severity)
    assert card.digest == request_digest(request)
    assert {"raw", "origin", "chain"} <= set(card.facts)
    if card.kind == "invalid":
        assert card.severity == "block"
    return card


@QUIET
@given(JSON, CONTEXT)
def test_any_json_gives_a_card_or_a_refusal_in_words(request_: Any, context: Any) -> None:
    check(request_, context)


@QUIET
@given(st.sampled_from(sorted(built_in())), st.binary(max_size=400), st.integers(0, 2**256 - 1))
def test_any_calldata_of_a_known_function_gives_a_card(selector: bytes, tail: bytes, value: int) -> None:
    card = check({"to": ADDRESS, "value": str(value), "data": "0x" + (selector + tail).hex(), "chainId": 1})
    assert card is not None
    assert card.selector == "0x" + selector.hex()


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Values of an ABI type."""
    if kind.dims:
        count = kind.dims[-1]
        return st.lists(values_of(kind.element), min_size=count or 0, max_size=count if count is not None else 3)
    if kind.base == "tuple":
        return st.tuples(*(values_of(c) for c in kind.components))
    if kind.base == "address":
        return st.binary(min_size=20, max_size=20).map(lambda b: "0x" + b.hex())
    if kind.base == "bool":
        return st.booleans()
    if kind.base == "string":
        return st.text(max_size=40)
    if kind.base == "bytes":
        return st.binary(max_size=70)
    if kind.base.startswith("uint"):
        return st.integers(0, 2 ** int(kind.base[4:]) - 1)
    if kind.base.startswith("int"):
        bits = int(kind.base[3:])
        return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    size = int(kind.base[5:])
    return st.binary(min_size=size, max_size=size)


SIGNATURES = st.sampled_from([known.function for known in built_in().values()] + [
    parse_function("f(int8,bytes4,(string,uint8[2][])[],bool)"),
    parse_function("g((bytes,(address,int256)[3])[2],string[])"),
])  # fmt: skip


@QUIET
@given(SIGNATURES.flatmap(lambda f: st.tuples(st.just(f), st.tuples(*(values_of(t) for t in f.inputs)))))
def test_encoding_and_decoding_are_inverse_and_agree_with_eth_abi(pair: tuple[Any, tuple[Any, ...]]) -> None:
    import eth_abi

    function, values = pair
    data = encode(function.inputs, values)
    found, used = decode(function.inputs, data)
    assert used == len(data)
    assert encode(function.inputs, found) == data
    assert data == eth_abi.encode([t.canonical for t in function.inputs], list(values))


@QUIET
@given(SIGNATURES, st.binary(max_size=600))
def test_what_decodes_encodes_to_the_same_bytes(function: Any, data: bytes) -> None:
    try:
        found, used = decode(function.inputs, data)
    except (Malformed, TooLarge):
        return
    if not any(t.canonical.count("string") for t in function.inputs):
        assert encode(function.inputs, found) == data[:used]


@QUIET
@given(st.recursive(st.binary(max_size=80), lambda inner: st.lists(inner, max_size=5), max_leaves=12))
def test_rlp_is_its_own_inverse(value: Any) -> None:
    assert rlp_decode(rlp_encode(value)) == value


@QUIET
@given(st.binary(max_size=200))
def test_random_bytes_are_no_transaction_and_never_crash(data: bytes) -> None:
    for read in (decode_raw, read_transaction, read_signed, read_delegate):
        try:
            read(data)
        except (RlpError, BorshError):
            continue
    check({"borsh_hex": data.hex()})
    check({"raw": "0x" + data.hex()})


ACCOUNTS = st.sampled_from(["alice.near", "bob.near", "x.near", "kid.alice.near"])
KEYS = st.just(KEY)
U128 = st.integers(0, 2**128 - 1)
ACTIONS = st.one_of(
    st.fixed_dictionaries({"kind": st.just("CreateAccount")}),
    st.fixed_dictionaries({"kind": st.just("Transfer"), "deposit": U128}),
    st.fixed_dictionaries({"kind": st.just("DeployContract"), "code": st.binary(max_size=40)}),
    st.fixed_dictionaries({"kind": st.just("Stake"), "stake": U128, "public_key": KEYS}),
    st.fixed_dictionaries({"kind": st.just("DeleteKey"), "public_key": KEYS}),
    st.fixed_dictionaries({"kind": st.just("DeleteAccount"), "beneficiary": ACCOUNTS}),
    st.fixed_dictionaries(
        {
            "kind": st.just("FunctionCall"),
            "method": st.sampled_from(["ft_transfer", "go"]),
            "args": st.binary(max_size=60),
            "gas": st.integers(0, 2**64 - 1),
            "deposit": U128,
        }
    ),
    st.fixed_dictionaries({"kind": st.just("UseGlobalContract"), "code_hash": st.binary(min_size=32, max_size=32)}),
)  # fmt: skip


@QUIET
@given(st.lists(ACTIONS, max_size=4), ACCOUNTS, ACCOUNTS, st.integers(0, 2**64 - 1))
def test_borsh_reads_what_it_wrote_and_the_card_sums_it(actions: Any, signer: str, receiver: str, nonce: int) -> None:
    tx = {"signer": signer, "receiver": receiver, "public_key": KEY,
          "nonce": nonce, "block_hash": "5CszNzftzcVhHNzn8ccmph42TpVmzHLdNwHURoTfNmxF", "actions": actions}  # fmt: skip
    data = write_transaction(tx)
    assert read_transaction(data) == tx
    card = check({"borsh_hex": data.hex()})
    assert card is not None
    if actions:
        assert card.extra["totals"]["deposit_raw"] == str(sum(a.get("deposit", 0) for a in actions))


@QUIET
@given(st.dictionaries(st.text(max_size=6), st.integers() | st.text(max_size=6), max_size=6))
def test_the_digest_does_not_depend_on_the_order_of_keys(value: dict[str, Any]) -> None:
    assert request_digest(value) == request_digest(dict(reversed(list(value.items()))))


@pytest.mark.parametrize(
    "text", ["(" * 60 + ")" * 60, "uint256[][][][]", "uint257", "bytes33", "address[", "uint256," * 400]
)
def test_a_hostile_type_is_refused_at_once(text: str) -> None:
    with pytest.raises(TooLarge):
        parse_types(text)


LIMITED = {"receiverId": "c.near", "methodNames": ["x"], "allowance": "5"}
ADD_KEY = {"type": "AddKey", "params": {"publicKey": KEY, "accessKey": {"permission": LIMITED}}}
SAMPLES: list[Any] = [
    {
        "to": ADDRESS,
        "value": "0x1",
        "chainId": 1,
        "data": "0x",
        "gas": "0x5208",
        "authorizationList": [{"chainId": "0x0", "address": ADDRESS}],
    },
    {"calls": [{"to": ADDRESS, "value": "1"}, {"to": ADDRESS, "data": "0x095ea7b3" + "00" * 64}], "chainId": 1},
    {"method": "personal_sign", "params": ["0x68656c6c6f", ADDRESS], "chainId": 1},
    {"method": "eth_sendTransaction", "chainId": 1, "params": [{"to": ADDRESS, "data": "0x6a761202" + "00" * 400}]},
    {"transactions": [{"signerId": "a.near", "receiverId": "b.near", "actions": [ADD_KEY]}]},
    {
        "senderId": "a.near",
        "receiverId": "b.near",
        "actions": [{"type": "Transfer", "params": {"deposit": "1"}}],
        "nonce": "7",
        "maxBlockHeight": "2",
        "publicKey": KEY,
    },
    {
        "message": '{"intents":[{"intent":"transfer","tokens":{"nep141:wrap.near":"1"},"receiver_id":"x.near"}]}',
        "recipient": "intents.near",
        "nonce_base64": "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=",
    },
]


def mutate(value: Any, rng: random.Random) -> Any:
    """The value with one part changed to something else, dropped or doubled."""
    junk = [
        None,
        True,
        -1,
        2**300,
        0.5,
        "",
        "0x",
        "\ud800",
        [],
        {},
        [[]],
        {"a": {}},
        ADDRESS,
        "alice.near",
        "1e9",
        [None],
        "0x00",
    ]
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        changed = dict(value)
        if rng.random() < 0.15:
            del changed[key]
        else:
            changed[key] = mutate(value[key], rng)
        return changed
    if isinstance(value, list) and value and rng.random() < 0.85:
        index = rng.randrange(len(value))
        return [*value[:index], mutate(value[index], rng), *value[index + (rng.random() < 0.8) :]]
    if isinstance(value, str) and value and rng.random() < 0.5:
        index = rng.randrange(len(value))
        return value[:index] + rng.choice(["", "0", "f", "g", ".", "\u202e", "00" * 40]) + value[index + 1 :]
    return rng.choice(junk)


def test_a_broken_request_gives_a_card_or_a_refusal() -> None:
    rng = random.Random(7)
    tokens = {"X": {"address": ADDRESS, "decimals": 6, "chainId": 1}}
    context = {"connected": [ADDRESS, "a.near"], "now": 1, "contacts": {"Bob": ADDRESS}, "tokens": tokens}
    samples = list(SAMPLES)
    for name, keys in {
        "eip712.json": ("typed_data",),
        "near_transactions.json": ("near_api_js", "rpc_view", "wallet_selector", "signed_base64"),
        "evm_calldata.json": ("tx",),
        "nep413.json": ("params",),
    }.items():
        for vector in load(name).get("vectors", []):
            samples += [vector[key] for key in keys if vector.get(key)]
    for _ in range(3_000):
        request = mutate(rng.choice(samples), rng)
        if rng.random() < 0.4:
            request = mutate(request, rng)
        check(request, context)
