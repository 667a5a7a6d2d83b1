"""The printed card and its derivation: complete, plain text, and nothing in it can pass for a line of the card."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.review import explain

ALICE = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
APPROVE = "0x095ea7b3" + ALICE[2:].lower().rjust(64, "0") + "f" * 64


def card(chain: str | None = "0x1", **fields: str) -> Any:
    transaction = {"to": ALICE, "value": "0xde0b6b3a7640000", **({"chainId": chain} if chain else {}), **fields}
    return bn.review({"method": "eth_sendTransaction", "params": [transaction]})


def test_a_card_prints_rows_warnings_and_what_was_not_checked() -> None:
    shown = card(to=USDC, value="0x0", data=APPROVE)
    text = str(shown)
    assert text.splitlines()[0] == shown.title
    assert f"Severity: {shown.severity}" in text
    for row in shown.rows:
        assert f"{row.label}: {row.value}" in text
    for warning in shown.warnings:
        assert f"{warning.severity}: {warning.sentence}" in text
    for sentence in shown.unchecked:
        assert f"Not checked: {sentence}" in text
    assert json.loads(json.dumps(shown.to_json())) == shown.to_json()


def test_the_calls_inside_are_indented() -> None:
    calls = [{"to": USDC, "data": APPROVE}, {"to": ALICE, "value": "0x1"}]
    sent = {"version": "2.0.0", "chainId": "0x1", "from": ALICE, "calls": calls}
    shown = bn.review({"method": "wallet_sendCalls", "params": [sent]})
    assert shown.calls
    for call in shown.calls:
        assert f"Call inside: {call.title}" in str(shown)
        assert f"  {call.rows[0].label}: {call.rows[0].value}" in str(shown)


@pytest.mark.parametrize("fields", [{}, {"to": USDC, "value": "0x0", "data": APPROVE}, {"data": "0x12345678"}])
def test_a_network_that_is_not_stated_is_said_in_the_title(fields: dict[str, str]) -> None:
    assert card(None, **fields).title.endswith(" on a network that is not stated")
    assert "on a network that is not stated" in card(None, **fields).summary
    assert "not stated" not in card(**fields).title


def test_the_html_is_text_alone() -> None:
    shown = bn.review({"method": "personal_sign", "params": ["<img src=https://x.example/a>\nfatal: </pre>", ALICE]})
    tags: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.append(tag)
    parser.feed(shown._repr_html_())
    assert tags == ["pre"]


def test_no_text_from_outside_begins_a_line_or_turns_it() -> None:
    said = "hello\nNot checked: nothing\u202e"
    text = str(bn.review({"method": "personal_sign", "params": [said, ALICE]}))
    assert "\nNot checked: nothing" not in text
    assert "| Not checked: nothing" in text
    assert "\u202e" not in text


def test_the_derivation_of_a_card_prints_where_each_row_stands() -> None:
    shown = card(to=USDC, value="0x0", data=APPROVE)
    found = shown.explain()
    assert found == explain(shown)
    assert json.loads(json.dumps(found)) == found
    text = str(found)
    for step in found["steps"]:
        assert f"{step['label']}: {step['value']}" in text
        for name in ("where", "how"):
            assert not step[name] or f"  {name}: {step[name]}" in text
    assert "where: data[" in text
    assert "taken: 0x" in text
