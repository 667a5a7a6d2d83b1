"""No number loses a digit on its way to the card: whole numbers as text, no float, and no JSON number above 2**53."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_holdout import CTX, authorization, exec_, intents, pay, raw
from test_readers import WETH
from test_rules import BOB, NEAR, NOW, ROUTER, TOKEN, USDC, act, approve, call, ft, method, near, permit, send, typed

from bitte_nb.review import explain, review

Make = Callable[[int], dict[str, Any]]
V2 = "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)"

SHAPES: list[tuple[str, int, dict[str, Any], Make, int]] = [
    ("value", 256, CTX, lambda n: send(value=str(n)), 18),
    ("value in hex", 256, CTX, lambda n: send(value=hex(n)), 18),
    ("transfer", 256, CTX, lambda n: pay(BOB, n), 6),
    ("approve", 95, CTX, lambda n: approve(ROUTER, n), 6),
    ("swap", 256, CTX, lambda n: call(V2, 5, n, [USDC, WETH], BOB, NOW + 60, to=ROUTER), 18),
    ("safe", 256, CTX, lambda n: exec_(USDC, raw(pay(BOB, n))), 6),
    ("permit", 95, CTX, lambda n: permit(value=str(n)), 6),
    ("authorization", 256, CTX, lambda n: authorization(value=str(n)), 6),
    ("unknown typed data", 256, CTX, lambda n: typed("A", "uint256 x", {"x": str(n)}), 0),
    ("near", 128, NEAR, lambda n: near(act("Transfer", deposit=str(n)), to="bob.near"), 24),
    ("near deposit", 128, NEAR, lambda n: near(method("go", {"n": str(n)}, str(n)), to="x.near"), 24),
    ("near token", 128, NEAR, lambda n: near(ft(amount=str(n)), to=TOKEN), 6),
    ("intents", 128, NEAR, lambda n: intents({"intent": "transfer", "receiver_id": "bob.near",
                                              "tokens": {f"nep141:{TOKEN}": str(n)}}), 6),
]  # fmt: skip


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    else:
        yield value


@pytest.mark.parametrize(("bits", "context", "make", "decimals"), [s[1:] for s in SHAPES], ids=[s[0] for s in SHAPES])
def test_every_digit_reaches_the_text_of_the_page(
    bits: int, context: dict[str, Any], make: Make, decimals: int
) -> None:
    @settings(max_examples=30, deadline=None)
    @given(st.integers(0, 2**bits - 1))
    def holds(number: int) -> None:
        card = review(make(number), context)
        wire = json.loads(json.dumps(card.to_json()), parse_float=lambda text: pytest.fail(f"{text} is a float"))
        steps = json.loads(json.dumps(explain(card)))
        for leaf in leaves([wire, steps]):
            assert not isinstance(leaf, float)
            assert isinstance(leaf, bool) or not isinstance(leaf, int) or abs(leaf) < 2**53
        with localcontext(prec=200):
            exact = format((Decimal(number) / 10**decimals).normalize(), "f")
        assert any(exact in str(leaf) for leaf in leaves(wire["rows"] + wire["calls"]))
        assert str(number) in {str(leaf) for leaf in leaves(wire)}

    holds()


def test_a_number_that_javascript_would_round_is_refused() -> None:
    for number in (2**53 + 2, 2.0**60, -(2**60)):
        card = review(typed("A", "int256 x", {"x": number}), CTX)
        assert [w.id for w in card.warnings] == ["bad_typed_data"]
    assert review(typed("A", "int256 x", {"x": 2**53}), CTX).kind != "invalid"


@pytest.mark.parametrize(("kind", "value"), [("bytes²", "0x00"), ("bytes2", "0x00"), ("bytesX", "0x00")])
def test_a_size_of_version_one_that_is_no_number_or_another_is_refused(kind: str, value: str) -> None:
    items = [{"type": kind, "name": "x", "value": value}]
    card = review({"method": "eth_signTypedData", "chainId": 1, "params": [items, BOB]}, CTX)
    assert [w.id for w in card.warnings] == ["bad_typed_data"]
