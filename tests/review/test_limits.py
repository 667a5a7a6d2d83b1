"""Hostile data ends quickly and in words: ABI bombs, deep nesting, huge requests."""

from __future__ import annotations

from typing import Any

import pytest
from test_rules import EVM, ROUTER, THING, USDC, call

from bitte_nb.errors import ReviewRefused
from bitte_nb.review import review
from bitte_nb.review.abi import MAX_CALLDATA, Malformed, decode, encode
from bitte_nb.review.abi_types import TooLarge, parse_types

WORD = 32


def words(*numbers: int) -> bytes:
    return b"".join(n.to_bytes(WORD, "big") for n in numbers)


def bomb(depth: int) -> bytes:
    """Nested arrays whose ten items all point at one shared tail."""
    data = words(1, 0)
    for _ in range(depth):
        data = words(10, *([10 * WORD] * 10)) + data
    return words(WORD) + data


@pytest.mark.parametrize("depth", [2, 3])
def test_arrays_that_share_a_tail_are_refused_at_the_first_wrong_offset(depth: int) -> None:
    with pytest.raises(Malformed):
        decode(parse_types("uint256" + "[]" * depth), bomb(depth))


def test_deep_arrays_are_no_type() -> None:
    with pytest.raises(TooLarge):
        parse_types("uint256" + "[]" * 6)


def test_sixty_nested_brackets_end_at_once() -> None:
    with pytest.raises(TooLarge):
        parse_types("(" * 60 + "uint256" + ")" * 60)


def test_more_values_than_a_person_can_read_are_not_decoded() -> None:
    types = parse_types("uint256[] items")
    data = encode(types, [[1] * 3_000])
    with pytest.raises(TooLarge):
        decode(types, data)
    card = review(
        call(
            "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)",
            1,
            1,
            [USDC] * 2_500,
            USDC,
            1,
            to=ROUTER,
        ),
        EVM,
    )
    assert any(w.id == "blind_call" and "too large" in w.sentence for w in card.warnings)


def test_calldata_over_the_limit_is_blind() -> None:
    data = "0xa9059cbb" + "00" * (MAX_CALLDATA + 1)
    card = review({"to": USDC, "data": data, "chainId": 1}, EVM)
    assert any(w.id == "blind_call" for w in card.warnings)
    row = card.facts["data"]
    assert len(row.value) < 5_000
    assert row.raw == data


def nest(levels: int) -> dict[str, Any]:
    request = call("renounceOwnership()", to=THING)
    for _ in range(levels):
        inner = bytes.fromhex(request["data"][2:])
        request = call("aggregate3((address,bool,bytes)[])", [(THING, False, inner)], to=THING)
    return request


def test_calls_are_read_five_deep_and_said_to_be_blind_below() -> None:
    assert any(w.id == "ownership_change" for w in review(nest(5), EVM).warnings)
    deeper = review(nest(7), EVM)
    assert any(w.id == "blind_call" and "deep" in w.sentence for w in deeper.warnings)


def test_the_budget_of_values_is_shared_by_all_nested_calls() -> None:
    inner = bytes.fromhex(call("balances(uint256)", 1)["data"][2:])
    card = review(call("aggregate3((address,bool,bytes)[])", [(THING, False, inner)] * 600, to=THING), EVM)
    assert any(w.id == "blind_call" for w in card.warnings)


@pytest.mark.parametrize(
    "request_",
    [
        {"a": [0] * 70_000},
        {"message": "x" * 2_100_000, "recipient": "a.near"},
        [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],
        {"value": float("nan")},
        {"value": object()},
        {"value": 10**2_000},
        {},
        [],
        "",
        "hello there",
        {"hello": "there"},
        {"method": "eth_getBalance", "params": []},
        {"tx": {"tx": {"tx": {"tx": {"tx": {"tx": {"to": USDC}}}}}}},
    ],
    ids=[
        "many",
        "long",
        "deep",
        "nan",
        "object",
        "bits",
        "empty",
        "list",
        "text",
        "words",
        "unknown",
        "method",
        "wrapped",
    ],
)
def test_what_cannot_be_reviewed_is_refused_in_a_sentence(request_: Any) -> None:
    with pytest.raises(ReviewRefused, match=r"\.$"):
        review(request_)


def test_importing_the_package_loads_no_reviewer() -> None:
    import subprocess
    import sys

    heavy = "m.startswith(('eth_', 'Crypto', 'nacl')) or m.endswith('.dispatch')"
    code = f"import sys, bitte_nb.review; print(any({heavy} for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
