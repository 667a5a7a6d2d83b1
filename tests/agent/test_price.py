"""What a model costs is what the person says, is kept with the chat, and reaches the page."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

import bitte_nb as bn
from bitte_nb.core.log import AgentRecord, entry

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Prices", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"description": "ok"}}}}},
}


def test_a_price_is_kept_with_the_agent_and_comes_back() -> None:
    price = bn.Price(input=0.15, output=0.6)
    record = bn.Agent(DOCUMENT, price=price).record()
    assert record.price == price
    assert AgentRecord.model_validate_json(record.model_dump_json()).price == price


def test_without_one_nothing_is_said() -> None:
    assert bn.Agent(DOCUMENT).record().price is None


def test_a_chat_stored_before_there_were_prices_is_read() -> None:
    old = {"kind": "chat_opened", "at": 1, "chat": "c", "agents": [{"agent": "a", "name": "A"}]}
    opened = entry.validate_python(old)
    assert opened.kind == "chat_opened"
    assert opened.agents[0].price is None


@pytest.mark.parametrize("wrong", [{"input": -1, "output": 0}, {"input": 1, "output": float("inf")}])
def test_a_price_is_a_number_from_zero_on(wrong: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        bn.Price(**wrong)  # pyright: ignore[reportArgumentType]


def test_a_currency_is_a_code() -> None:
    with pytest.raises(ValidationError):
        bn.Price(input=1, output=1, currency="dollars")
