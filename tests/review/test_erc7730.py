"""Descriptors of ERC-7730: bound exactly, formatted exactly, and never able to hide or soften anything."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from test_rules import BOB, DAI, EVM, MAX, ME, NOW, THING, USDC, call, typed

from bitte_nb.review import review

FRAGMENT = (
    "stake(address token,uint256 amount,uint256 until,uint8 mode,address receiver,(address to,bytes data)[] hooks)"
)


def field(path: str, label: str, form: str = "raw", **more: Any) -> dict[str, Any]:
    return {"path": path, "label": label, "format": form, **more}


DESCRIPTOR: dict[str, Any] = {
    "$schema": "https://example.org/erc7730-v2.schema.json",
    "context": {"$id": "x", "contract": {"deployments": [{"chainId": 1, "address": THING}]}},
    "metadata": {
        "owner": "Example Labs",
        "enums": {"mode": {"1": "stable", "2": "variable"}},
        "constants": {"native": "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", "dai": DAI},
        "maps": {"base": {"$keyType": "uint8", "values": {"2": DAI, "1": USDC}}},
    },
    "display": {
        "definitions": {"amount": {"label": "Amount", "format": "tokenAmount", "params": {"tokenPath": "token"}}},
        "formats": {
            FRAGMENT: {
                "intent": "Stake",
                "interpolatedIntent": "Stake {amount} until {until} for {receiver}",
                "fields": [
                    {"path": "amount", "$ref": "$.display.definitions.amount"},
                    field("until", "Until", "date", params={"encoding": "timestamp"}),
                    field("mode", "Mode", "enum", params={"$ref": "$.metadata.enums.mode"}),
                    field("receiver", "For", "addressName", params={"types": ["eoa"]}),
                    field("@.value", "Paid", "amount"),
                    field("hooks.[].data", "Hook", "calldata", params={"calleePath": "hooks.[0].to"}),
                    {"path": "hooks.[]", "fields": [field("to", "Hook target", "addressName")]},
                ],
            }
        },
    },
}
HOOK = bytes.fromhex(call("transfer(address,uint256)", BOB, 7)["data"][2:])
STAKE = call(FRAGMENT, USDC, 1500000, NOW + 60, 2, BOB, [(USDC, HOOK)], to=THING, value="5")


def context(descriptor: dict[str, Any] = DESCRIPTOR, **more: Any) -> dict[str, Any]:
    return {**EVM, "descriptors": [descriptor], **more}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The descriptor with one part replaced."""
    found = copy.deepcopy(DESCRIPTOR)
    spot: Any = found
    *heads, last = path.split("/")
    for head in heads:
        spot = spot[head]
    spot[last] = value
    return found


def described(card: Any) -> dict[str, str]:
    return {row.label: row.value for row in card.rows if row.id.startswith("described.")}


def with_fields(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    found = copy.deepcopy(DESCRIPTOR)
    found["display"]["formats"][FRAGMENT] = {"intent": "Stake", "fields": list(fields), **more}
    return found


def test_a_described_call_shows_its_fields_in_units_and_names() -> None:
    card = review(STAKE, context())
    assert described(card) == {
        "Interaction with": "Example Labs",
        "Amount": "1.5 USDC",
        "Until": "2026-01-01 00:01:00 UTC",
        "Mode": "variable",
        "For": BOB,
        "Paid": "0.000000000000000005 ETH",
        "Hook": f"a call of {USDC}, shown below",
        "Hook target": USDC,
        "Intent": f"Stake 1.5 USDC until 2026-01-01 00:01:00 UTC for {BOB}",
    }
    assert card.calls[0].function == "transfer(address,uint256)"
    assert not any(w.id == "blind_call" for w in card.warnings)
    assert card.summary.startswith("Stake 1.5 USDC")
    assert any(a.raw == "1500000" and a.human == "1.5" for a in card.amounts)


def test_every_argument_stays_on_the_card_whatever_the_descriptor_hides() -> None:
    hidden = with_fields(field("amount", "Amount", visible="never"))
    labels = {row.id: row.value for row in review(STAKE, context(hidden)).rows}
    assert labels["arg.amount"] == "1500000"
    assert labels["arg.receiver"] == BOB
    assert labels["arg.hooks[0].to"] == USDC


@pytest.mark.parametrize(
    "descriptor",
    [
        changed("context/contract/deployments", [{"chainId": 10, "address": THING}]),
        changed("context/contract/deployments", [{"chainId": 1, "address": USDC}]),
        changed("context/contract/deployments", []),
        changed("$schema", "https://example.org/erc7730-v3.schema.json"),
        changed("display/formats", {FRAGMENT: {}, FRAGMENT.replace("token", "coin"): {}}),
        changed("display/formats", {FRAGMENT.replace("uint8", "uint16"): {}}),
        {**DESCRIPTOR, "includes": "other.json"},
    ],
    ids=["chain", "address", "unbound", "version", "two-for-one-selector", "other-types", "includes"],
)
def test_a_descriptor_that_is_not_bound_to_the_call_is_not_used(descriptor: dict[str, Any]) -> None:
    card = review(STAKE, context(descriptor))
    assert described(card) == {}
    assert any(w.id == "blind_call" for w in card.warnings)


def test_a_broken_promise_sets_the_descriptor_aside() -> None:
    card = review(STAKE, context(with_fields(field("mode", "Mode", visible={"mustBe": [1]}))))
    assert described(card) == {}
    assert any("set aside" in sentence for sentence in card.unchecked)


def test_a_value_in_the_list_is_left_out_of_the_described_rows() -> None:
    card = review(STAKE, context(with_fields(field("mode", "Mode", visible={"ifNotIn": [2]}))))
    assert "Mode" not in described(card)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Stake {amount}", "Stake 1.5 USDC"),
        ("Stake {#.amount} {{now}}", "Stake 1.5 USDC {now}"),
        ("Stake {mode}", "Stake"),
        ("Stake {amount", "Stake"),
        ("Stake {}", "Stake"),
    ],
)
def test_an_intent_may_only_use_fields_that_are_shown(text: str, intent: str) -> None:
    amount = field("amount", "Amount", "tokenAmount", params={"tokenPath": "token"})
    hidden = field("mode", "Mode", visible="never")
    card = review(STAKE, context(with_fields(amount, hidden, interpolatedIntent=text)))
    assert described(card)["Intent"] == intent


@pytest.mark.parametrize(
    ("form", "path", "params", "shown"),
    [
        ("raw", "amount", {}, "1500000"),
        ("amount", "amount", {}, "0.0000000000015 ETH"),
        ("tokenAmount", "amount", {"token": "$.metadata.constants.dai"}, "0.0000000000015 DAI"),
        ("tokenAmount", "amount", {"token": {"map": "$.metadata.maps.base", "keyPath": "mode"}}, "0.0000000000015 DAI"),
        ("tokenAmount", "amount", {"tokenPath": "token", "threshold": "0x10", "message": "All"}, "All USDC"),
        ("tokenAmount", "amount", {"tokenPath": "token", "threshold": "0x10"}, "Unlimited USDC"),
        ("tokenAmount", "amount", {"tokenPath": "token", "nativeCurrencyAddress": USDC}, "0.0000000000015 ETH"),
        ("tokenAmount", "amount", {}, "1500000 base units"),
        ("tokenAmount", "amount", {"tokenPath": "nowhere"}, "1500000"),
        ("unit", "amount", {"base": "%", "decimals": 4}, "150%"),
        ("unit", "amount", {"base": "h", "decimals": 1, "prefix": True}, "150 kh"),
        ("unit", "amount", {"base": "m", "decimals": 900}, "1500000"),
        ("duration", "mode", {}, "00:00:02"),
        ("enum", "mode", {"$ref": "$.metadata.enums.mode"}, "variable"),
        ("enum", "amount", {"$ref": "$.metadata.enums.mode"}, "1500000"),
        ("nftName", "amount", {"collectionPath": "token"}, f"NFT 1500000 of {USDC}"),
        ("tokenTicker", "token", {}, "USDC"),
        ("chainId", "mode", {}, "unknown chain 2"),
        ("date", "until", {"encoding": "blockheight"}, f"block {NOW + 60}"),
        ("raw", "hooks.[0].data.[0:4]", {}, "0xa9059cbb"),
        ("raw", "hooks.[-1].to", {}, USDC),
        ("addressName", "token", {}, USDC),
        ("no-such-format", "mode", {}, "2"),
    ],
)
def test_each_format_shows_what_the_standard_says(form: str, path: str, params: dict[str, Any], shown: str) -> None:
    card = review(STAKE, context(with_fields(field(path, "X", form, params=params))))
    assert described(card)["X"] == shown


def test_a_path_that_leads_nowhere_is_said() -> None:
    assert described(review(STAKE, context(with_fields(field("nowhere.[5]", "X")))))["X"] == "not found in the data"


def test_a_descriptor_cannot_soften_a_built_in_warning() -> None:
    name = "approve(address to,uint256 friends)"
    gentle = changed("display/formats", {name: {"intent": "Say hello", "fields": [field("friends", "Friends")]}})
    gentle["context"]["contract"]["deployments"] = [{"chainId": 1, "address": USDC}]
    card = review(call("approve(address,uint256)", ME, MAX), context(gentle))
    assert {"approve_unlimited", "approve_to_eoa"} <= {w.id for w in card.warnings}
    assert card.summary.startswith("Let ")
    assert described(card)["Friends"] == str(MAX)
    assert len(card.amounts) == 1


def test_typed_data_is_described_where_domain_and_type_fit() -> None:
    data = typed("Vote", "uint256 proposal,address voter", {"proposal": 5, "voter": BOB})
    descriptor = {
        "context": {"eip712": {"deployments": [{"chainId": 1, "address": USDC}], "domain": {"name": "n"}}},
        "display": {
            "formats": {
                "Vote(uint256 proposal,address voter)": {
                    "intent": "Vote",
                    "interpolatedIntent": "Vote on {proposal}",
                    "fields": [field("proposal", "Proposal"), field("voter", "Voter", "addressName")],
                }
            }
        },
    }
    card = review(data, context(descriptor))
    assert card.kind == "described_typed_data"
    assert card.summary == "Vote on 5"
    assert card.warnings == ()
    other = copy.deepcopy(descriptor)
    other["context"]["eip712"]["domain"]["name"] = "m"
    assert any(w.id == "blind_typed_data" for w in review(data, context(other)).warnings)
    del other["context"]["eip712"]["domain"], other["context"]["eip712"]["deployments"]
    assert any(w.id == "blind_typed_data" for w in review(data, context(other)).warnings)


def test_an_abi_of_the_document_decodes_without_explaining() -> None:
    abi = [
        {
            "type": "function",
            "name": "poke",
            "stateMutability": "nonpayable",
            "inputs": [{"name": "x", "type": "uint8"}],
        }
    ]
    request = call("poke(uint8)", 9, to=THING)
    card = review(request, {**EVM, "abis": {THING: abi}})
    assert card.function == "poke(uint8)"
    assert card.facts["arg.x"].value == "9"
    assert card.facts["call"].note == "ABI: document"
    assert any(
        w.id == "value_to_nonpayable" for w in review({**request, "value": "1"}, {**EVM, "abis": {"*": abi}}).warnings
    )
