"""Each operation over real HTTP: what it answers, what it refuses in words, and what it changes."""

from __future__ import annotations

import json
import time
from decimal import Decimal
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitte_nb.core.wallet import Wallet
from bitte_nb.demo.agent import serve
from bitte_nb.demo.reading import Refusal, base_units

ADDRESS = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
WALLET = {"mb-metadata": Wallet(account_id="alice.near", evm_address=ADDRESS, chain_id=8453).metadata()}
NEAR, EVM, SIGN = "/api/payloads/near-transfer", "/api/payloads/evm-transfer", "/api/payloads/evm-signature"


def stats(client: httpx.Client) -> dict[str, Any]:
    return client.get("/api/stats").json()


def test_chains_are_listed_near_first_up_to_the_limit(client: httpx.Client):
    chains = client.get("/api/blockchains").json()["blockchains"]
    assert chains[0]["name"] == "NEAR"
    assert {1, 8453} <= {chain.get("chainId") for chain in chains}
    assert client.get("/api/blockchains", params={"limit": 2}).json()["blockchains"] == chains[:2]


def test_the_person_is_who_the_wallet_context_says(client: httpx.Client):
    assert client.get("/api/user", headers=WALLET).json() == {
        "accountId": "alice.near", "evmAddress": ADDRESS, "chainId": 8453,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        ({}, "connect a wallet"),
        ({"mb-metadata": "{}"}, "names neither accountId nor evmAddress"),
        ({"mb-metadata": '{"chainId": 1}'}, "names neither"),
        ({"mb-metadata": "alice.near"}, "not a JSON object"),
        ({"mb-metadata": "[1]"}, "not a JSON object"),
    ],
)
def test_an_unknown_person_is_an_error_that_says_what_to_do(client: httpx.Client, headers: dict[str, str], says: str):
    response = client.get("/api/user", headers=headers)
    assert response.status_code == 400
    assert says in response.json()["error"]


def test_a_near_transfer_is_prepared_in_yocto(client: httpx.Client):
    payload = client.get(NEAR, params={"receiverId": "bob.near", "amount": "0.1"}).json()
    assert payload == {
        "transactionPayload": {
            "receiverId": "bob.near",
            "actions": [{"type": "Transfer", "params": {"deposit": "100000000000000000000000"}}],
        }
    }


@pytest.mark.parametrize(
    ("wallet", "chain", "expected"), [({}, {}, 1), (WALLET, {}, 8453), (WALLET, {"chainId": "10"}, 10)]
)
def test_an_eth_transfer_is_prepared_for_the_asked_chain_else_the_wallets_else_ethereum(
    client: httpx.Client, wallet: dict[str, str], chain: dict[str, str], expected: int
):
    request = client.get(EVM, params={"to": ADDRESS, "amount": "0.01", **chain}, headers=wallet).json()
    transaction = {"to": ADDRESS, "value": hex(10**16), "data": "0x", **({"from": ADDRESS} if wallet else {})}
    assert request == {
        "evmSignRequest": {"method": "eth_sendTransaction", "chainId": expected, "params": [transaction]}
    }


def test_a_text_is_prepared_as_hexadecimal_utf8(client: httpx.Client):
    made = client.get(SIGN, params={"method": "personal_sign", "message": "hé ☃"}, headers=WALLET).json()
    assert made["transaction"]["params"] == ["0x" + "hé ☃".encode().hex(), ADDRESS]
    assert made["meta"] == {"text": "hé ☃", "signer": ADDRESS}


def test_a_text_as_typed_data_is_bound_to_the_chain(client: httpx.Client):
    params = {"method": "eth_signTypedData_v4", "message": "I agree", "evmAddress": ADDRESS, "chainId": "10"}
    made = client.get(SIGN, params=params).json()["transaction"]
    typed = json.loads(made["params"][1])
    assert made["params"][0] == ADDRESS
    assert made["chainId"] == typed["domain"]["chainId"] == 10
    assert typed["message"] == {"text": "I agree"}


TRANSFER = {"receiverId": "bob.near", "amount": "1"}
ETH = {"to": ADDRESS, "amount": "1"}


@pytest.mark.parametrize(
    ("path", "params", "says"),
    [
        (NEAR, {"amount": "1"}, "receiverId is missing"),
        (NEAR, {"receiverId": "bob.near"}, "amount is missing"),
        (NEAR, {**TRANSFER, "receiverId": "Bob.near"}, "not a NEAR account id"),
        (NEAR, {**TRANSFER, "receiverId": "b"}, "not a NEAR account id"),
        (NEAR, {**TRANSFER, "receiverId": "a..near"}, "not a NEAR account id"),
        (NEAR, {**TRANSFER, "receiverId": "bob.near\n"}, "not a NEAR account id"),
        (NEAR, {**TRANSFER, "amount": "1e5"}, "plain decimal"),
        (NEAR, {**TRANSFER, "amount": "-1"}, "plain decimal"),
        (NEAR, {**TRANSFER, "amount": "1,5"}, "plain decimal"),
        (NEAR, {**TRANSFER, "amount": "1 NEAR"}, "plain decimal"),
        (NEAR, {**TRANSFER, "amount": "١"}, "plain decimal"),
        (NEAR, {**TRANSFER, "amount": "0.0"}, "is zero"),
        (NEAR, {**TRANSFER, "amount": "0." + "0" * 24 + "1"}, "24 decimal places"),
        (NEAR, {**TRANSFER, "amount": "9" * 40}, "more NEAR than can exist"),
        (NEAR, {**TRANSFER, "memo": "x"}, "has no query parameter 'memo': it takes receiverId, amount"),
        (EVM, {**ETH, "to": "vitalik.eth"}, "not resolved here"),
        (EVM, {**ETH, "to": ADDRESS.replace("f39F", "F39f")}, "does not match its checksum"),
        (EVM, {**ETH, "to": "0x" + "1" * 41}, "not an EVM address"),
        (EVM, {**ETH, "chainId": "137"}, "does not serve chainId 137"),
        (EVM, {**ETH, "chainId": "0x1"}, "chainId must be a whole number"),
        (SIGN, {"method": "personal_sign", "message": "x"}, "No account to sign with"),
        (SIGN, {"method": "eth_sign", "message": "x", "evmAddress": ADDRESS}, "method must be one of"),
        (SIGN, {"method": "personal_sign", "message": " ", "evmAddress": ADDRESS}, "message is empty"),
        (SIGN, {"method": "personal_sign", "message": "x" * 1001, "evmAddress": ADDRESS}, "1001 characters"),
        ("/api/share-link", {"text": "x", "url": "javascript:alert(1)"}, "http or https"),
        ("/api/share-link", {}, "text is missing"),
        ("/api/slow-report", {"seconds": "21"}, "from 1 to 20"),
        ("/api/slow-report", {"seconds": "0.5"}, "from 1 to 20"),
        ("/api/blockchains", {"limit": "0"}, "from 1 to 50"),
        ("/api/coin", {"sides": "3"}, "it takes none"),
    ],
)
def test_a_wrong_argument_is_a_400_that_says_what_to_give(client: httpx.Client, path: str, params: Any, says: str):
    response = client.get(path, params=params)
    assert response.status_code == 400
    assert says in response.json()["error"]


def test_a_wallet_on_a_chain_that_is_not_served_is_told(client: httpx.Client):
    headers = {"mb-metadata": Wallet(chain_id=137).metadata()}
    response = client.get(EVM, params=ETH, headers=headers)
    assert "the wallet's chain 137" in response.json()["error"]


def test_an_argument_given_twice_is_refused(client: httpx.Client):
    response = client.get(NEAR + "?receiverId=bob.near&amount=1&amount=1000")
    assert (response.status_code, "given 2 times" in response.json()["error"]) == (400, True)


@given(st.decimals(min_value=0, max_value=10**9, places=18, allow_nan=False, allow_infinity=False))
def test_an_amount_is_exact_to_the_last_digit(amount: Decimal):
    text = f"{amount:f}"
    if not amount:
        with pytest.raises(Refusal):
            base_units({"amount": text}, "amount", unit="ETH", decimals=18, bits=256)
    else:
        units = base_units({"amount": text}, "amount", unit="ETH", decimals=18, bits=256)
        assert units == int(amount.scaleb(18))


def test_a_share_link_carries_the_words_and_nothing_is_requested(client: httpx.Client):
    made = client.get("/api/share-link", params={"text": "a & b", "url": "https://example.org/?q=1"}).json()
    shared = httpx.URL(made["shareUrl"])
    assert dict(shared.params) == {"text": "a & b", "url": "https://example.org/?q=1"}


def test_a_seed_makes_the_coin_fall_the_same_way_each_time(client: httpx.Client):
    first = [client.get("/api/coin").json()["result"] for _ in range(12)]
    with serve(seed=7) as again:
        assert [httpx.get(again.url + "/api/coin", timeout=60).json()["result"] for _ in range(12)] == first
    assert set(first) == {"heads", "tails"}


def test_a_taken_name_is_a_409_with_free_names_that_can_be_had(client: httpx.Client):
    response = client.post("/api/usernames", json={"username": "alice"})
    assert response.status_code == 409
    free = response.json()["suggestions"]
    assert free
    assert all(name in response.json()["error"] for name in free)
    for name in free:
        assert client.post("/api/usernames", json={"username": name}).status_code == 201
        assert client.post("/api/usernames", json={"username": name}).status_code == 409


@pytest.mark.parametrize("name", ["al", "Alice", "9lives", "a" * 21, "al ice", "alice\n"])
def test_a_name_that_breaks_the_rules_is_a_422_that_tells_them(client: httpx.Client, name: str):
    response = client.post("/api/usernames", json={"username": name})
    assert response.status_code == 422
    assert "3 to 20 characters" in response.json()["error"]


def test_a_note_is_added_listed_counted_and_taken_back(client: httpx.Client):
    added = client.post("/api/notes", json={"text": "Buy milk"})
    note_id = added.json()["noteId"]
    assert added.status_code == 201
    assert client.get("/api/notes").json() == {"notes": [{"noteId": note_id, "text": "Buy milk"}], "total": 1}
    assert client.delete(f"/api/notes/{note_id}").json() == {"noteId": note_id, "removed": True}
    assert client.get("/api/notes").json() == {"notes": [], "total": 0}
    gone = client.delete(f"/api/notes/{note_id}")
    assert (gone.status_code, "list-notes" in gone.json()["error"]) == (404, True)
    counted = stats(client)
    assert counted["effects"] == {"reserve-username": 0, "add-note": 1, "remove-note": 1}
    assert counted["requests"]["remove-note"] == 2


def test_the_newest_note_is_first_and_the_limit_holds(client: httpx.Client):
    for text in ("one", "two", "three"):
        client.post("/api/notes", json={"text": text})
    listed = client.get("/api/notes", params={"limit": 2}).json()
    assert [note["text"] for note in listed["notes"]] == ["three", "two"]
    assert listed["total"] == 3


def test_one_idempotency_key_makes_one_note(client: httpx.Client):
    headers = {"Idempotency-Key": "k-1"}
    answers = [client.post("/api/notes", json={"text": "once"}, headers=headers) for _ in range(3)]
    assert len({answer.text for answer in answers}) == 1
    assert [answer.headers.get("Idempotent-Replayed") for answer in answers] == [None, "true", "true"]
    counted = stats(client)
    assert (counted["requests"]["add-note"], counted["effects"]["add-note"], counted["replays"]) == (3, 1, 2)


def test_a_replay_after_the_undo_does_not_bring_the_note_back(client: httpx.Client):
    headers = {"Idempotency-Key": "k-1"}
    note_id = client.post("/api/notes", json={"text": "once"}, headers=headers).json()["noteId"]
    client.delete(f"/api/notes/{note_id}")
    assert client.post("/api/notes", json={"text": "once"}, headers=headers).json()["noteId"] == note_id
    assert client.get("/api/notes").json()["total"] == 0


def test_an_idempotency_key_counts_for_one_request_of_one_operation(client: httpx.Client):
    headers = {"Idempotency-Key": "k-1"}
    client.post("/api/notes", json={"text": "one"}, headers=headers)
    other = client.post("/api/notes", json={"text": "two"}, headers=headers)
    assert (other.status_code, "used for another add-note request" in other.json()["error"]) == (422, True)
    assert client.post("/api/usernames", json={"username": "carol"}, headers=headers).status_code == 201


def test_a_refused_request_leaves_its_idempotency_key_free(client: httpx.Client):
    headers = {"Idempotency-Key": "k-1"}
    assert client.post("/api/notes", json={"text": ""}, headers=headers).status_code == 400
    assert client.post("/api/notes", json={"text": "now"}, headers=headers).status_code == 201


@pytest.mark.parametrize(
    ("sent", "status", "says"),
    [
        ({"content": "text=x"}, 415, "application/json"),
        ({"content": "{", "headers": {"Content-Type": "application/json"}}, 400, "not JSON"),
        ({"json": ["x"]}, 400, "JSON object"),
        ({"json": {}}, 400, "text is missing"),
        ({"json": {"text": 5}}, 400, "must be text, not int"),
        ({"json": {"text": "x", "color": "red"}}, 400, "no body field 'color'"),
        ({"json": {"text": "x" * 281}}, 400, "281 characters"),
    ],
)
def test_a_body_that_cannot_be_used_is_refused_and_changes_nothing(
    client: httpx.Client, sent: dict[str, Any], status: int, says: str
):
    response = client.post("/api/notes", **sent)
    assert (response.status_code, says in response.json()["error"]) == (status, True)
    assert stats(client)["effects"]["add-note"] == 0


def test_a_slow_report_takes_its_time(client: httpx.Client):
    began = time.monotonic()
    report = client.get("/api/slow-report", params={"seconds": 1}).json()
    assert time.monotonic() - began >= 1
    assert report["seconds"] == 1


def test_hanging_up_ends_a_slow_report_at_once(client: httpx.Client, agent: Any):
    with httpx.Client(base_url=agent.url) as impatient, pytest.raises(httpx.ReadTimeout):
        impatient.get("/api/slow-report", params={"seconds": 20}, timeout=httpx.Timeout(60, read=0.2))
    end = time.monotonic() + 60
    while stats(client)["abandoned"] == 0 and time.monotonic() < end:
        time.sleep(0.02)
    assert stats(client)["abandoned"] == 1
