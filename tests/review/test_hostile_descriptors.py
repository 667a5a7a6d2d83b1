"""Descriptors of ERC-7730 that were written to break the card or to make it lie: neither happens."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from test_erc7730 import DESCRIPTOR, FRAGMENT, STAKE, context, field
from test_rules import BOB, DAI, EVE, EVM, MAX, THING, USDC, call

from bitte_nb.review import ReviewCard, review

JUNK: list[Any] = [
    None,
    True,
    -1,
    10**400,
    1.5,
    "",
    "\u202e",
    "x" * 5_000,
    "$.",
    "$.display",
    "#.amount",
    "@.nothing",
    "[]",
    "[-1]",
    "hooks.[].[].[]",
    "[0:99999]",
    "0x",
    BOB,
    [],
    [[[]]],
    {},
    {"path": {"a": 1}},
    ["a", 1, None],
    {"map": 1, "keyPath": 2},
]


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*at, key))


def put(at: tuple[Any, ...], value: Any) -> dict[str, Any]:
    found = copy.deepcopy(DESCRIPTOR)
    here: Any = found
    for key in at[:-1]:
        here = here[key]
    here[at[-1]] = value
    return found


def arguments(card: ReviewCard) -> dict[str, str]:
    return {row.id: row.value for row in card.rows if row.id.startswith("arg.")}


HONEST = review(STAKE, context())


PLACES = list(places(DESCRIPTOR))


@pytest.mark.parametrize("number", range(len(PLACES)), ids=[".".join(map(str, at)) for at in PLACES])
def test_no_part_of_a_descriptor_can_crash_the_review_or_take_an_argument_away(number: int) -> None:
    for junk in JUNK[number % 3 :: 3]:
        card = review(STAKE, context(put(PLACES[number], junk)))
        # Where the descriptor does not bind any more, the call is blind and says so; else every argument stands there.
        if card.function == HONEST.function:
            assert arguments(card) == arguments(HONEST)
        else:
            assert "blind_call" in {w.id for w in card.warnings}
        assert not any("\u202e" in row.value + row.label for row in card.rows)
        assert card.facts["value"].value == "0.000000000000000005 ETH"


def described(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return put(("display", "formats", FRAGMENT), {"intent": "Stake", "fields": list(fields), **more})


def test_two_embedded_calls_of_one_callee_are_both_read() -> None:
    hooks = [(USDC, bytes.fromhex(call("transfer(address,uint256)", who, 7)["data"][2:])) for who in (BOB, EVE)]
    request = call(FRAGMENT, USDC, 1, 1, 2, BOB, hooks, to=THING)
    embedded = field("hooks.[].data", "Hook", "calldata", params={"calleePath": "hooks.[0].to"})
    card = review(request, context(described(embedded)))
    assert [inner.args[0] for inner in card.calls] == [BOB, EVE]


@pytest.mark.parametrize("threshold", ["0x0", "0", 0, "$.metadata.constants.zero"])
def test_a_message_never_replaces_the_amount(threshold: Any) -> None:
    params = {"tokenPath": "token", "threshold": threshold, "message": "0.01"}
    lying = described(field("amount", "Amount", "tokenAmount", params=params))
    lying["metadata"]["constants"]["zero"] = "0x0"
    card = review(STAKE, context(lying))
    row = next(r for r in card.rows if r.id == "described.amount")
    assert "1.5 USDC" in row.value + row.note
    assert row.raw == "1500000"
    assert [(a.raw, a.human) for a in card.amounts if a.role == "described"] == [("1500000", "1.5")]


def test_a_unit_that_only_the_descriptor_knows_is_said_to_be_its_own() -> None:
    lying = described(field("amount", "Amount", "tokenAmount", params={"tokenPath": "@.to"}))
    lying["metadata"]["token"] = {"ticker": "USDC", "decimals": 18}
    row = next(r for r in review(STAKE, context(lying)).rows if r.id == "described.amount")
    assert "descriptor says" in row.note


def test_a_descriptor_set_aside_leaves_no_amount_behind() -> None:
    params = {"tokenPath": "token"}
    broken = described(
        field("amount", "Amount", "tokenAmount", params=params), field("mode", "Mode", visible={"mustBe": ["9"]})
    )
    card = review(STAKE, context(broken))
    assert not [a for a in card.amounts if a.role == "described"]
    assert not [r for r in card.rows if r.id.startswith("described.")]


@pytest.mark.parametrize(
    "text",
    [
        "Pay {hidden}",
        "Pay {amount",
        "Pay {amount.[]}",
        "Pay {@.value}",
        "Pay {}",
        "Pay {$.metadata.owner}",
        "x" * 2_000,
    ],
)
def test_an_intent_that_cannot_be_filled_falls_back(text: str) -> None:
    shown = described(field("amount", "Amount"), field("mode", "hidden", visible="never"), interpolatedIntent=text)
    assert review(STAKE, context(shown)).facts["described.intent"].value == "Stake"


def test_an_intent_is_one_line_of_what_is_shown_and_never_a_hidden_field() -> None:
    never = described(field("amount", "Amount", visible="never"), interpolatedIntent="Pay {amount}")
    assert "1500000" not in review(STAKE, context(never)).facts["described.intent"].value
    assert "arg.amount" in review(STAKE, context(never)).facts


@pytest.mark.parametrize(
    "key",
    [
        FRAGMENT.replace("uint256 amount", "uint256 value"),
        "stake(address,uint256,uint256,uint8,address,(address,bytes)[])",
        FRAGMENT.replace("stake(", "stake ("),
    ],
)
def test_two_formats_of_one_selector_make_the_descriptor_invalid(key: str) -> None:
    two = put(("display", "formats", key), {"intent": "Claim", "fields": []})
    card = review(STAKE, context(two))
    if key.startswith("stake "):
        return  # no fragment at all, so there is nothing to collide with
    assert "described.intent" not in card.facts
    assert "blind_call" in {w.id for w in card.warnings}


def test_includes_and_other_versions_are_not_guessed() -> None:
    for change in ({"includes": "common.json"}, {"$schema": "https://example.org/erc7730-v3.schema.json"}):
        assert "described.intent" not in review(STAKE, context({**DESCRIPTOR, **change})).facts


def test_no_descriptor_takes_a_warning_of_a_built_in_reader_away() -> None:
    request = call("approve(address,uint256)", EVE, MAX, to=DAI)
    shape = {"approve(address spender,uint256 value)": {"intent": "Claim your reward", "fields": []}}
    friendly = {
        "context": {"contract": {"deployments": [{"chainId": 1, "address": DAI}]}},
        "display": {"formats": shape},
    }
    before, after = review(request, EVM), review(request, {**EVM, "descriptors": [friendly]})
    assert {w.id for w in before.warnings} == {w.id for w in after.warnings}
    assert after.title == before.title
    assert after.amounts == before.amounts
