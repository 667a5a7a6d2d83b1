"""How often the offline model is right when it acts by itself, over prompts of three unlike agents.

A call counts as right if the tool and every argument are those expected. A question instead of a call is never wrong,
only less handy; it lowers the share of prompts that were acted on. Numbers are printed with `pytest -s`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from bitte_nb.core.messages import UserMessage
from bitte_nb.core.tool import Tool
from bitte_nb.core.wallet import Wallet
from bitte_nb.model.plan import plan
from bitte_nb.model.retrieval import Index
from tests.model.toolsets import LIBRARY, PARCELS, WALLET

ME = Wallet(account_id="alice.near", evm_address="0x" + "11" * 20, chain_id=8453)
A = "0x" + "ab" * 20
B = "0x" + "Cd" * 20
UUID = "3f2b8c1e-9d4a-4b6f-8e21-5c7d9a0b1e2f"

Expected = list[tuple[str, dict[str, Any]]]
CASES: list[tuple[list[Tool], str, Expected]] = [
    (LIBRARY, "search books about medieval gardens", [("searchBooks", {"q": "medieval gardens"})]),
    (LIBRARY, "find german books about bees", [("searchBooks", {"q": "bees", "language": "german"})]),
    (
        LIBRARY,
        'search the catalogue for "Ursula Le Guin", limit 5',
        [("searchBooks", {"q": "Ursula Le Guin", "limit": 5})],
    ),
    (LIBRARY, "get the book 9780140449136", [("getBook", {"isbn": "9780140449136"})]),
    (LIBRARY, "list my loans", [("listLoans", {})]),
    (LIBRARY, "show my overdue loans", [("listLoans", {"overdue": True})]),
    (LIBRARY, "borrow 9780140449136 for 3 weeks", [("borrowBook", {"isbn": "9780140449136", "weeks": 3})]),
    (LIBRARY, "borrow a book", []),
    (LIBRARY, "renew loan L-204", [("renewLoan", {"loanId": "L-204"})]),
    (LIBRARY, "renew my loan", []),
    (LIBRARY, "return the book of loan L-77", [("returnBook", {"loanId": "L-77"})]),
    (
        LIBRARY,
        "reserve the garden room on 2026-03-04 for 4 people",
        [("reserveRoom", {"room": "garden", "date": "2026-03-04", "people": 4})],
    ),
    (LIBRARY, "reserve a study room on 2026-03-04", []),
    (LIBRARY, "what are the opening hours?", [("openingHours", {})]),
    (
        LIBRARY,
        "renew loan L-1 and renew loan L-2",
        [("renewLoan", {"loanId": "L-1"}), ("renewLoan", {"loanId": "L-2"})],
    ),
    (LIBRARY, "opening hours, and list my loans", [("openingHours", {}), ("listLoans", {})]),
    (LIBRARY, "how do I return a book?", []),
    (LIBRARY, "order a pizza", []),
    (LIBRARY, "who painted the night watch?", []),
    (LIBRARY, "please don't renew loan L-204", []),
    (LIBRARY, "use renewLoan with loanId=L-9", [("renewLoan", {"loanId": "L-9"})]),
    (PARCELS, "track parcel PX4471190", [("track_parcel", {"tracking_number": "PX4471190"})]),
    (PARCELS, "where is my parcel?", []),
    (PARCELS, "where is parcel PX4471190 now?", [("track_parcel", {"tracking_number": "PX4471190"})]),
    (
        PARCELS,
        "what is the price of sending 2.5 kg to Norway",
        [("quote_price", {"weight": 2.5, "destination": "Norway"})],
    ),
    (
        PARCELS,
        "quote express price for 3 kg to New Zealand",
        [("quote_price", {"weight": 3, "destination": "New Zealand", "speed": "express"})],
    ),
    (PARCELS, "quote the price to Spain", []),
    (
        PARCELS,
        "create a shipment of 4 kg to anna@example.org in Bergen",
        [("create_shipment", {"weight": 4, "recipient": {"email": "anna@example.org", "city": "Bergen"}})],
    ),
    (PARCELS, "create a shipment", []),
    (PARCELS, f"cancel shipment {UUID}", [("cancel_shipment", {"shipment_id": UUID})]),
    (PARCELS, "cancel my shipment", []),
    (PARCELS, "cancel shipment 12", []),
    (
        PARCELS,
        "schedule a pickup on 2026-05-01 for 3 parcels",
        [("schedule_pickup", {"date": "2026-05-01", "parcels": 3})],
    ),
    (PARCELS, "schedule a pickup tomorrow", []),
    (PARCELS, "list depots in Bergen", [("list_depots", {"city": "Bergen"})]),
    (PARCELS, "is there a disruption of the service?", [("service_status", {})]),
    (
        PARCELS,
        "add a webhook https://example.org/hook for delivered and lost",
        [("add_webhook", {"url": "https://example.org/hook", "events": ["delivered", "lost"]})],
    ),
    (
        PARCELS,
        "track parcel PX1 and list depots in Oslo",
        [("track_parcel", {"tracking_number": "PX1"}), ("list_depots", {"city": "Oslo"})],
    ),
    (PARCELS, "hello there", []),
    (PARCELS, "sing me a song", []),
    (PARCELS, "what is the capital of Norway?", []),
    (PARCELS, "should I insure it?", []),
    (PARCELS, "what does cancel_shipment do?", []),
    (WALLET, "list the networks", [("getNetworks", {})]),
    (WALLET, "what is my balance?", [("getBalance", {"address": ME.evm_address, "chainId": 8453})]),
    (WALLET, f"balance of {A} on chain 1", [("getBalance", {"address": A, "chainId": 1})]),
    (WALLET, "price of WETH", [("getTokenPrice", {"symbol": "WETH"})]),
    (WALLET, "what does a token cost?", []),
    (WALLET, "transfer 0.25 NEAR to carol.near", [("buildTransfer", {"receiverId": "carol.near", "amount": "0.25"})]),
    (WALLET, "transfer 1 NEAR", []),
    (WALLET, "transfer some NEAR to carol.near", []),
    (WALLET, f"transfer 0.1 ETH to {A}", [("buildEvmTransfer", {"to": A, "amount": "0.1", "chainId": 8453})]),
    (WALLET, f"transfer 0.1 ETH to {A} on chain 10", [("buildEvmTransfer", {"to": A, "amount": "0.1", "chainId": 10})]),
    (WALLET, "transfer 0.1 ETH to 0x1234", []),
    (WALLET, f"revoke the approval of token {A} for spender {B}", [("revokeApproval", {"token": A, "spender": B})]),
    (WALLET, f"revoke the approval for {B}", []),
    (WALLET, "roll two dice", [("rollDice", {}), ("rollDice", {})]),
    (WALLET, "roll the dice", [("rollDice", {})]),
    (WALLET, "sign the message 'I was here'", [("sign-message", {"message": "I was here"})]),
    (WALLET, "sign something for me", []),
    (WALLET, "write a haiku", []),
    (WALLET, "buy me a boat", []),
    (WALLET, "the price of WETH; roll the dice", [("getTokenPrice", {"symbol": "WETH"}), ("rollDice", {})]),
]


def test_automatic_calls_are_right_nine_times_in_ten_and_nothing_is_made_up():
    right = wrong = missed = silent = 0
    trouble: list[str] = []
    invented: list[str] = []
    for tools, prompt, expected in CASES:
        calls = [
            (one.tool.name, one.args) for one in plan([UserMessage(content=prompt)], Index(tools), wallet=ME).calls
        ]
        invented += [
            f"{prompt!r}: {value!r}" for _, args in calls for value in _scalars(args) if not _known(value, prompt)
        ]
        if calls == expected:
            right, silent = (right + 1, silent) if calls else (right, silent + 1)
        elif calls:
            wrong += 1
            trouble.append(f"WRONG  {prompt!r}: {calls}")
        else:
            missed += 1
            trouble.append(f"ASKED  {prompt!r}")
    acted = right + wrong
    needed = sum(1 for _, _, expected in CASES if expected)
    print(f"\n{len(CASES)} prompts: {right} of {acted} automatic calls right ({right / acted:.0%}),")
    print(f"{right} of {needed} prompts that need a call were served at once, {missed} led to a question,")
    print(f"{silent} of {len(CASES) - needed} prompts that need none led to none")
    print("\n".join(trouble))
    assert invented == []
    assert right / acted >= 0.9
    assert right / needed >= 0.8


def _scalars(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [one for inner in value.values() for one in _scalars(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in _scalars(inner)]
    return [value]


def _known(value: Any, prompt: str) -> bool:
    """The value stands in the prompt or in the wallet, or is a flag or an enum value that the prompt names."""
    written = json.dumps(value) if not isinstance(value, str) else value
    words = {"2": "two", "true": "overdue"}
    return (
        written in prompt
        or value in ME.context().values()
        or words.get(written, "\0") in prompt
        or re.search(rf"\b{re.escape(written)}\b", prompt, re.IGNORECASE) is not None
    )
