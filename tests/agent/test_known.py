"""What the person and the document tell reviews: names, descriptors, ABIs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.review import ReviewContext
from bitte_nb.review.abi import encode
from bitte_nb.review.abi_types import parse_function
from bitte_nb.testing import Call, ScriptedModel

ME = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
VAULT = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
FUNCTION = parse_function("lockUp(uint256 amount,uint64 months)")
DATA = "0x" + (FUNCTION.selector + encode(FUNCTION.inputs, (5, 12))).hex()
ABI = [
    {
        "type": "function",
        "name": "lockUp",
        "inputs": [{"name": "amount", "type": "uint256"}, {"name": "months", "type": "uint64"}],
    }
]
DESCRIPTOR = {
    "context": {"contract": {"deployments": [{"chainId": 8453, "address": VAULT}]}},
    "display": {
        "formats": {
            "lockUp(uint256 amount,uint64 months)": {
                "intent": "Lock up savings",
                "fields": [{"path": "months", "label": "For months", "format": "raw"}],
            }
        }
    },
}


def document(**more: Any) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Vault", "version": "1"},
        "servers": [{"url": "http://127.0.0.1:9"}],
        "paths": {},
        "x-mb": {"assistant": {"tools": [{"type": "generate-evm-tx"}]}},
        **more,
    }


def reviewed(tmp_path: Path, shape: dict[str, Any], **given: Any) -> dict[str, Any]:
    request = {"method": "eth_sendTransaction", "chainId": 8453, "params": [{"to": VAULT, "data": DATA, "from": ME}]}
    wallet = bn.Wallet(evm_address=ME, chain_id=8453)
    model = ScriptedModel([[Call("generate-evm-tx", request)]])
    chat = bn.Chat(bn.Agent(shape, model=model, wallet=wallet, **given), store=tmp_path / "history.sqlite")
    [pending] = chat.ask("lock up").wait(60).pending
    chat.close()
    assert pending.review is not None
    return pending.review


def labels(review: dict[str, Any]) -> dict[str, str]:
    return {row["label"]: row["value"] for row in review["rows"]}


def test_without_knowledge_the_call_is_blind(tmp_path: Path) -> None:
    assert "blind_call" in {one["id"] for one in reviewed(tmp_path, document())["warnings"]}


@pytest.mark.parametrize("place", [VAULT, VAULT.lower(), "*"])
def test_the_abi_of_the_document_names_the_arguments(tmp_path: Path, place: str) -> None:
    review = reviewed(tmp_path, document(**{"x-abi": {place: ABI}}))
    assert labels(review)["months"] == "12"
    assert "ABI: document" in {row["note"] for row in review["rows"]}


def test_a_descriptor_of_the_person_explains_the_call(tmp_path: Path) -> None:
    path = tmp_path / "vault.json"
    path.write_text(json.dumps(DESCRIPTOR), "utf-8")
    for given in (path, str(path), DESCRIPTOR):
        review = reviewed(tmp_path, document(), review_context={"descriptors": [given]})
        assert labels(review)["For months"] == "12"


def test_names_of_the_person_are_on_the_card(tmp_path: Path) -> None:
    for given in ({"labels": {VAULT: "My vault"}}, ReviewContext(labels={VAULT.lower(): "My vault"})):
        review = reviewed(tmp_path, document(), review_context=given)
        assert "My vault" in json.dumps(review)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"contact": {}}, "no field 'contact'"),
        ({"descriptors": ["nowhere.json"]}, "cannot be read"),
        ({"descriptors": [__file__]}, "cannot be read"),
    ],
)
def test_what_cannot_be_used_is_a_sentence(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        bn.Agent(document(), review_context=given)


@pytest.mark.parametrize("abi", [None, 5, [], {"*": "no"}, {"*": [5, {"name": 1}]}])
def test_an_abi_that_is_none_changes_nothing(tmp_path: Path, abi: Any) -> None:
    assert "blind_call" in {one["id"] for one in reviewed(tmp_path, document(**{"x-abi": abi}))["warnings"]}
