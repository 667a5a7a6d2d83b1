"""What hostile data costs the reviewer, beside eth-abi on the same bytes where eth-abi has an answer.

    python benchmarks/review_limits.py [--peer-limit SECONDS]

Each line is one bomb: our CPU seconds, what the card says of it, and eth-abi's CPU seconds in the same run (in a
process of its own, ended after --peer-limit). Decoding is compared with decoding; whole requests have no peer.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from bitte_nb.errors import ReviewRefused
from bitte_nb.review import review
from bitte_nb.review.abi import MAX_CALLDATA, Malformed, decode, encode
from bitte_nb.review.abi_types import TooLarge, parse_function, parse_types

ETH_ABI = """
import json, sys, time
from eth_abi import decode
types, data = json.load(sys.stdin)
begun = time.process_time()
try:
    decode(types, bytes.fromhex(data))
    said = "decoded"
except Exception as error:
    said = type(error).__name__
print(json.dumps([time.process_time() - begun, said]))
"""
TO = "0x1234567890abcdef1234567890abcdef12345678"


def words(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(32, "big") for number in numbers)


def shared_tails(depth: int) -> bytes:
    """Nested arrays whose ten items all point at one shared tail."""
    data = words(1, 0)
    for _ in range(depth):
        data = words(10, *([320] * 10)) + data
    return words(32) + data


def transaction(fragment: str, *values: Any) -> dict[str, Any]:
    function = parse_function(fragment)
    return {
        "to": TO,
        "value": "0",
        "chainId": 1,
        "data": "0x" + (function.selector + encode(function.inputs, values)).hex(),
    }


def nested(depth: int) -> dict[str, Any]:
    request = transaction("transfer(address,uint256)", TO, 1)
    for _ in range(depth):
        request = transaction("multicall(bytes[])", [bytes.fromhex(request["data"][2:])] * 2)
    return request


def timed(work: Callable[[], object]) -> tuple[float, str]:
    """CPU seconds of the best of three runs, and what came of it."""
    best, said = float("inf"), ""
    for _ in range(3):
        begun = time.process_time()
        try:
            found = work()
            said = "decoded" if not hasattr(found, "warnings") else "; ".join(w.id for w in found.warnings) or "clean"  # pyright: ignore
        except (Malformed, TooLarge, ReviewRefused) as error:
            said = type(error).__name__
        best = min(best, time.process_time() - begun)
    return best, said


def peer(types: list[str], data: bytes, limit: float) -> tuple[float | None, str]:
    """The same of eth-abi; None where it did not end in time."""
    try:
        ran = subprocess.run(
            [sys.executable, "-c", ETH_ABI], input=json.dumps([types, data.hex()]), capture_output=True, text=True,
            timeout=limit, check=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, f"not ended after {limit:g} s"
    spent, said = json.loads(ran.stdout)
    return spent, said


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-limit", type=float, default=30.0)
    limit = parser.parse_args().peer_limit

    flat = encode(parse_types("uint256[] x"), [list(range(1_900))])
    wide = encode(parse_types("uint256[] x"), [[1] * 4_000])
    decoding: list[tuple[str, str, bytes]] = [
        *(
            (f"{depth} dimensions, one shared tail", "uint256" + "[]" * depth, shared_tails(depth))
            for depth in (3, 5, 6)
        ),
        ("60 nested parentheses", "(" * 60 + "uint256" + ")" * 60, words(1)),
        ("1,900 honest values", "uint256[]", flat),
        ("4,000 values", "uint256[]", wide),
    ]
    print(f"{'decoding':<38}{'ours s':>9}  {'ours':<12}{'eth-abi s':>10}  {'eth-abi':<22}{'ratio':>9}")
    for name, kind, data in decoding:
        spent, said = timed(lambda kind=kind, data=data: decode(parse_types(kind), data))
        theirs, words_ = peer([kind], data, limit)
        ratio = f"{(limit if theirs is None else theirs) / max(spent, 1e-6):,.0f}x"
        shown = "-" if theirs is None else f"{theirs:.4f}"
        print(f"{name:<38}{spent:>9.4f}  {said:<12}{shown:>10}  {words_:<22}{'>' if theirs is None else ''}{ratio:>8}")

    swap = "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)"
    pay = transaction("transfer(address,uint256)", TO, 1)
    full = transaction("execute(address,uint256,bytes)", TO, 0, b"\1" * (MAX_CALLDATA - 200))
    requests: list[tuple[str, dict[str, Any]]] = [
        ("calldata at the limit, one bytes", full),
        ("calldata over the limit", {"to": TO, "chainId": 1, "data": "0xa9059cbb" + "00" * (MAX_CALLDATA + 32)}),
        *((f"calls nested {depth} deep, twice each", nested(depth)) for depth in (5, 6, 8)),
        ("200 calls in a batch", {"calls": [pay] * 200, "chainId": 1}),
        ("1,900 values in one argument", transaction(swap, 1, 1, [TO] * 1_900, TO, 1)),
        ("a message of 880 kB", {"method": "personal_sign", "params": ["0x" + b"pay now\n".hex() * 110_000, TO]}),
    ]
    print(f"\n{'whole requests':<38}{'ours s':>9}  card")
    for name, request in requests:
        spent, said = timed(lambda request=request: review(request))
        print(f"{name:<38}{spent:>9.4f}  {said[:90]}")


if __name__ == "__main__":
    main()
