"""The teaching view: the bytes beside a row, encoded again from what the row says, are the same bytes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from test_holdout import CASES
from test_readers import commands, execute, hop
from test_rules import BOB, EVE, EVM, ME, NOW, ROUTER, USDC, call, swap

from bitte_nb.review import explain, review
from bitte_nb.review.abi import encode
from bitte_nb.review.abi_types import parse_types


def again(kind: str, text: str) -> bytes | None:
    """The bytes that a row's value stands for, by its type; None for kinds that are not flat."""
    if kind == "bytes":
        return bytes.fromhex(text[2:])
    if kind == "string":
        return text.encode()
    if re.fullmatch(r"(u?int\d*|address|bool|bytes\d+)(\[\d*\])?", kind) is None:
        return None
    base, _, rest = kind.partition("[")

    def value(part: str) -> Any:
        if base.startswith(("uint", "int")):
            return int(part)
        return part.lower() == "true" if base == "bool" else bytes.fromhex(part[2:]) if "bytes" in base else part

    if not rest:
        return encode(parse_types(f"{kind} x"), [value(text)])
    encoded = encode(parse_types(f"{kind} x"), [[value(part) for part in text.split(", ") if part]])
    return encoded[32:] if rest == "]" else encoded


def rows_of(level: Any, path: str) -> dict[tuple[str, str], Any]:
    found: dict[tuple[str, str], Any] = {(path, row["id"]): row for row in level["rows"]}
    for inner in level["calls"]:
        found |= rows_of(inner, inner["path"])
    return found


EVM_CASES = [case for case in CASES if "chainId" in case[1] or case[1].get("method") == "wallet_sendCalls"]


@pytest.mark.parametrize(("request_", "context"), [c[1:3] for c in EVM_CASES], ids=[c[0] for c in EVM_CASES])
def test_the_bytes_of_an_argument_are_those_of_its_value(request_: dict[str, Any], context: dict[str, Any]) -> None:
    card = review(request_, context)
    view, rows = explain(card), rows_of(card.to_json(), "")
    for step in view["steps"]:
        row = rows[step["path"], step["row"]]
        if not step["row"].startswith("arg.") or not step["where"].startswith("data["):
            continue
        start, end = map(int, re.findall(r"\d+", step["where"]))
        assert step["taken"] == "0x" + bytes.fromhex(view["data"][step["path"]][2:])[start:end].hex()
        kind = "address" if row["kind"] == "address" else row["note"]
        bytes_ = again(kind, row["raw"] or row["value"])
        assert bytes_ is None or step["taken"] == "0x" + bytes_.hex(), (step, kind)


def test_a_value_that_stands_twice_points_at_neither() -> None:
    request = call(
        "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)",
        5,
        5,
        [USDC, BOB],
        ME,
        NOW + 60,
        to=ROUTER,
    )
    amount = next(step for step in explain(review(request, EVM))["steps"] if step["row"] == "amount.out")
    assert amount["where"] == ""
    request = swap(low=6)
    amount = next(step for step in explain(review(request, EVM))["steps"] if step["row"] == "amount.out")
    assert amount["taken"] == "0x" + (5).to_bytes(32).hex()


def test_an_amount_does_not_point_at_a_nonce_of_the_same_number() -> None:
    request = call("transfer(address,uint256)", EVE, 7, nonce="7")
    amount = next(step for step in explain(review(request, EVM))["steps"] if step["row"] == "amount.out")
    assert amount["where"] == "data[36:68]"


def test_the_data_of_each_inner_call_is_its_own() -> None:
    one, two = (call("transfer(address,uint256)", who, 5) for who in (BOB, EVE))
    inner = [(USDC, 0, bytes.fromhex(each["data"][2:])) for each in (one, two)]
    packed = encode(parse_types("(address to,uint256 value,bytes data)[] calls"), [inner])
    data = explain(review(execute(b"\1", packed), EVM))["data"]
    assert [data[f"calls[{n}]"] for n in (0, 1)] == [one["data"], two["data"]]


def test_a_router_command_shows_its_own_input() -> None:
    path = hop(USDC, BOB)
    types = "address,uint256,uint256,bytes,bool"
    request = commands((0x00, types, (ME, 5, 6, path, True)), (0x00, types, (EVE, 7, 8, path, True)))
    view = explain(review(request, EVM))
    for number, values in enumerate([(ME, 5, 6, path, True), (EVE, 7, 8, path, True)]):
        assert view["data"][f"calls[{number}]"] == "0x" + encode(parse_types(types), values).hex()


def test_equal_inner_calls_stand_at_their_own_places() -> None:
    inner = bytes.fromhex(call("transfer(address,uint256)", BOB, 5)["data"][2:])
    card = review(call("multicall(bytes[])", [inner, inner], to=USDC), EVM)
    first, second = (inner.source for inner in card.calls)
    assert first != second
