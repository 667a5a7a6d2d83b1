"""A wrong wallet is refused where it is given, with a sentence; a stored one is read as it was stored."""

from __future__ import annotations

from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.core.log import AgentRecord
from bitte_nb.errors import WalletError

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Little Library", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:1"}],
    "paths": {"/books": {"get": {"operationId": "list-books", "responses": {"200": {"description": "ok"}}}}},
}
GOOD = ["alice.near", "a1", "sub.alice-2_x.near", "a" * 64, "0123456789abcdef" * 4]
BAD = ["Alice Near", "alice near", "a", "Alice.near", ".near", "a..b", "a-", "a" * 65, "ü.near", "", "alice.near\n"]
ADDRESS = "0x" + "aB" * 20


@pytest.mark.parametrize("account", GOOD)
def test_an_account_id_of_near_is_taken(account: str) -> None:
    assert bn.Wallet(account_id=account).account_id == account


@pytest.mark.parametrize("account", BAD)
def test_what_is_no_account_id_of_near_is_refused(account: str) -> None:
    with pytest.raises(WalletError, match="no NEAR account id"):
        bn.Wallet(account_id=account)


@pytest.mark.parametrize("address", ["0x12", "", ADDRESS[2:], ADDRESS + "0", ADDRESS[:-1] + "g", ADDRESS + "\n"])
def test_what_is_no_evm_address_is_refused(address: str) -> None:
    assert bn.Wallet(evm_address=ADDRESS).evm_address == ADDRESS
    with pytest.raises(WalletError, match="0x and 40 hex digits"):
        bn.Wallet(evm_address=address)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("alice.near", "bn.Wallet(account_id='alice.near')"),
        (ADDRESS, f"bn.Wallet(evm_address={ADDRESS!r})"),
        ({"account_id": "alice.near"}, "it is dict"),
        (7, "it is int"),
    ],
)
def test_what_is_no_wallet_is_refused_by_an_agent_and_by_a_request(given: Any, says: str) -> None:
    document = bn.load_document(DOCUMENT)
    with pytest.raises(WalletError) as by_agent:
        bn.Agent(document, wallet=given)
    with pytest.raises(WalletError) as by_request:
        document.operation("list-books").request({}, wallet=given)
    for error in (by_agent, by_request):
        assert says in str(error.value)
        assert "wallet must be a bn.Wallet: bn.Wallet(" in str(error.value)


def test_a_wallet_of_an_earlier_record_is_read_as_it_was_stored() -> None:
    record = AgentRecord.model_validate_json('{"agent": "a", "name": "A", "wallet": {"account_id": "Alice Near"}}')
    assert record.wallet.account_id == "Alice Near"
    assert AgentRecord.model_validate_json(record.model_dump_json()) == record
