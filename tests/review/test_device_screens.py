"""What a hardware wallet shows for real requests is on our card too, or the card says honestly that it is blind."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from review_vectors import cases

from bitte_nb.review import review
from bitte_nb.review.amounts import human

BLIND = {"blind_call", "blind_typed_data", "unknown_token"}
"""Warnings that say that something could not be read, or not in its own unit."""

DEVICE = "0xDad77910DbDFdE764fC21fCD4E74D71bBACA6D8D"
"""The account of the device that the screens were taken from; unsigned transactions name no sender."""


def squash(text: str) -> str:
    return re.sub(r"[^0-9a-z.:/_-]", "", text.lower())


def values(texts: list[str]) -> set[str]:
    """Addresses and decimal amounts on the screens; screen texts are broken over lines, so blanks mean nothing."""
    found: set[str] = set()
    for text in texts:
        if "Safe L2" in text:  # a product's version number, not a value
            continue
        found |= set(re.findall(r"0x[0-9a-f]{40}", squash(text)))
        rest = re.sub(r"0x[0-9A-Fa-f ]*", "", text)
        found |= {match.replace(" ", "") for match in re.findall(r"\d[\d ]*\.[\d ]*\d", rest)}
    return found


def judge(request: Any, vector: dict[str, Any]) -> None:
    card = review(request)
    shown = squash(json.dumps(card.to_json(), ensure_ascii=False))
    missing = {value for value in values(vector["device_texts"]) if value not in shown}
    assert not missing or {w.id for w in card.warnings} & BLIND, (vector["device_texts"], missing)


@pytest.mark.parametrize("vector", cases("fetched_ledger_calldata.json", "vectors"))
def test_values_of_a_transaction_are_on_the_card(vector: dict[str, Any]) -> None:
    tx = {**vector["tx"], "value": str(vector["tx"].get("value", "0"))}
    tx["from"] = vector.get("sender") or DEVICE
    judge(tx, vector)


@pytest.mark.parametrize("vector", cases("fetched_ledger_eip712.json", "vectors"))
def test_values_of_typed_data_are_on_the_card(vector: dict[str, Any]) -> None:
    judge(vector["typed_data"], vector)


@pytest.mark.parametrize("vector", cases("fetched_ledger_calldata.json", "vectors"))
def test_a_real_raw_transaction_has_its_hash_and_sender(vector: dict[str, Any]) -> None:
    card = review({"raw": vector["raw"]})
    if vector.get("signed"):
        assert card.extra["hash"] == vector["hash"]
        assert card.extra["sender"] == vector["sender"]
    else:
        assert card.extra["sender"] is None


@pytest.mark.parametrize("vector", cases("fetched_ledger_calldata.json", "vectors"))
def test_a_vault_s_amounts_are_on_the_card_once_its_tokens_are_told(vector: dict[str, Any]) -> None:
    """The decimals are those that the device's descriptor gave; a node tells them by asset() and decimals()."""
    request = {**vector["tx"], "value": str(vector["tx"].get("value", "0")), "from": vector.get("sender") or DEVICE}
    card = review(request)
    if card.kind != "vault":
        return
    shown = values(vector["device_texts"])
    raw = int(card.args[0])
    decimals = next((one for one in range(1, 30) if human(raw, one) in shown), None)
    if decimals is None:
        return
    vault, asset = request["to"], "0x" + "a5" * 20
    chain = int(card.chain.id)
    told = [{"address": one, "symbol": "T", "decimals": decimals, "chainId": chain} for one in (vault, asset)]
    known = review(request, {"vaults": {vault: asset}, "tokens": told})
    text = squash(json.dumps(known.to_json(), ensure_ascii=False))
    assert {one for one in shown if one not in text} == set()
    assert not {w.id for w in known.warnings} & BLIND
