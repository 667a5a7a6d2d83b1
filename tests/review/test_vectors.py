"""Every handed vector: ids and severities exact, amounts exact, hashes exact."""

from __future__ import annotations

from typing import Any

import pytest
from review_vectors import cases, load, warned, within

from bitte_nb.review import review


def evm_context(vector: dict[str, Any]) -> dict[str, Any]:
    """The file's context and what a vector's note adds to it."""
    context = dict(load("evm_calldata.json")["context"])
    notes = vector.get("notes", "")
    for name, value in {
        "context.balance = 1 ETH": ("balance", 10**18),
        "context.tokenBalance = 10 DAI": ("tokenBalance", str(10 * 10**18)),
        "context.allowance = 1 USDT": ("allowance", "1000000"),
    }.items():
        if name in notes:
            context[value[0]] = value[1]
    return context


@pytest.mark.parametrize("vector", cases("evm_calldata.json", "vectors"))
def test_an_evm_request_gives_the_expected_card(vector: dict[str, Any]) -> None:
    expect, card = vector["expect"], review(vector["tx"], evm_context(vector))
    assert warned(card.warnings) == warned(expect["warnings"])
    assert card.kind == expect["kind"]
    shape = card.to_json()
    for key in ("function", "selector", "args", "arg_names"):
        if key in expect:
            assert shape[key] == expect[key]
    for amount in expect.get("amounts", []):
        assert any(within(amount, found) for found in shape["amounts"]), (amount, shape["amounts"])
    for wanted, found in zip(expect.get("calls", []), shape["calls"], strict=False):
        assert within(wanted, found)
    assert len(shape["calls"]) >= len(expect.get("calls", []))


@pytest.mark.parametrize("vector", cases("evm_signed.json", "vectors"))
def test_a_raw_transaction_decodes_to_its_fields_hash_and_sender(vector: dict[str, Any]) -> None:
    card = review({"raw": vector["raw"]}, load("evm_calldata.json")["context"])
    assert card.extra["tx"] == vector["tx"]
    assert card.extra["hash"] == vector["hash"] == card.signing_hash
    assert card.extra["sender"] == vector["sender"]
    if "must warn" in vector.get("notes", ""):
        assert any(w.id == "no_chain_binding" for w in card.warnings)


@pytest.mark.parametrize("vector", cases("eip191.json", "vectors"))
def test_a_message_has_its_hash_and_warnings(vector: dict[str, Any]) -> None:
    card = review({"method": "personal_sign", "params": vector["params"]}, load("evm_calldata.json")["context"])
    assert warned(card.warnings) == warned(vector["warnings"])
    assert card.signing_hash == vector["hash"]
    if "text" in vector:
        assert card.facts["message"].raw == vector["text"]


@pytest.mark.parametrize("vector", cases("eip712.json", "vectors", "invalid"))
def test_typed_data_has_its_digest_kind_and_warnings(vector: dict[str, Any]) -> None:
    card = review(vector["typed_data"], load("evm_calldata.json")["context"])
    assert warned(card.warnings) == warned(vector["expect"]["warnings"])
    if vector["expect"]["kind"] == "valid":
        assert card.kind != "invalid"
    else:
        assert card.kind == vector["expect"]["kind"]
    if "hash" in vector:
        assert card.signing_hash == vector["hash"]


@pytest.mark.parametrize("vector", cases("fetched_ethers_typed_data.json", "vectors"))
def test_typed_data_of_ethers_has_the_same_digest(vector: dict[str, Any]) -> None:
    data = {key: vector[key] for key in ("types", "primaryType", "domain")} | {"message": vector["data"]}
    assert review(data).signing_hash == vector["digest"]


@pytest.mark.parametrize("vector", cases("fetched_ledger_eip712.json", "vectors"))
def test_typed_data_of_the_registry_has_the_same_digest(vector: dict[str, Any]) -> None:
    assert review(vector["typed_data"]).signing_hash == vector["hash"]


@pytest.mark.parametrize("vector", cases("nep413.json", "vectors", "invalid"))
def test_a_near_message_has_its_hash_and_warnings(vector: dict[str, Any]) -> None:
    card = review(vector["params"], load("near_transactions.json")["context"])
    assert warned(card.warnings) == warned(vector["warnings"])
    if "sha256" in vector:
        assert card.signing_hash == vector["sha256"]


NEAR_FORMS = (
    "wallet_selector",
    "near_api_js",
    "rpc_view",
    "borsh_hex",
    "signed_base64",
    "delegate_action",
    "transactions",
)


@pytest.mark.parametrize("form", NEAR_FORMS)
@pytest.mark.parametrize("vector", cases("near_transactions.json", "vectors"))
def test_a_near_transaction_means_the_same_in_every_form(vector: dict[str, Any], form: str) -> None:
    if not vector.get(form):
        return
    request = {form: vector[form]} if form in ("borsh_hex", "signed_base64", "transactions") else vector[form]
    context = {**load("near_transactions.json")["context"], "network": vector["network"]}
    card, expect = review(request, context), vector["expect"]
    assert warned(card.warnings) == warned(expect["warnings"])
    if "kind" in expect:
        assert card.kind == expect["kind"]
    if "actions" in expect and not (form == "rpc_view" and vector["id"] == "global-deploy"):
        # A nearcore view of a deployment holds the hash of the code instead of the code.
        assert within(expect["actions"], card.to_json()["actions"])
    for action, warning in ((w["action"], w["id"]) for w in expect["warnings"] if "action" in w):
        assert any(w.id == warning and w.action == action for w in card.warnings)
    if "totals" in expect:
        assert within(expect["totals"], dict(card.extra["totals"]))
    if form in ("near_api_js", "borsh_hex", "signed_base64", "delegate_action"):
        assert card.signing_hash == vector.get("hash_b58", vector.get("hash_hex"))
    if form in ("near_api_js", "delegate_action"):
        assert card.extra["borsh_hex"] == vector["borsh_hex"]
    if form == "signed_base64":
        assert card.extra["signature_valid"] is True


@pytest.mark.parametrize("vector", cases("fetched_near_api_js.json", "vectors"))
def test_borsh_of_near_api_js_is_read_whole(vector: dict[str, Any]) -> None:
    card = review({"borsh_hex": vector["borsh_hex"]})
    assert card.kind != "invalid"
    assert [a["kind"] for a in card.actions] == vector.get("kinds", ["Transfer"])
