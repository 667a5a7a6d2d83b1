"""The bundled demo agent in natural words: which calls come first, and what is asked instead."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from bitte_nb.core.messages import UserMessage
from bitte_nb.core.tool import Tool
from bitte_nb.demo.document import document
from bitte_nb.model.judge import title
from bitte_nb.model.plan import Plan, plan
from bitte_nb.model.retrieval import Index
from bitte_nb.spec.load import load_document
from tests.model.conversation import ME
from tests.model.toolsets import primitive

A = "0x" + "ab" * 20
NEAR, ETH, SIGN = "create-near-transaction", "create-evm-transaction", "create-evm-sign-request"
CHAIN = {"chainId": 8453}


@cache
def tools() -> tuple[Tool, ...]:
    loaded = load_document(document("http://127.0.0.1:1"))
    return (
        *loaded.tools(),
        *map(primitive, ("generate-transaction", "generate-evm-tx", "sign-message", "render-chart")),
    )


@cache
def index() -> Index:
    return Index(tools())


def planned(*said: str) -> Plan:
    return plan([UserMessage(content=text) for text in said], index(), wallet=ME)


@pytest.mark.parametrize(
    ("prompt", "calls"),
    [
        ("list the chains", [("get-blockchains", {})]),
        ("Which chains do you support?", [("get-blockchains", {})]),
        ("show me 3 chains", [("get-blockchains", {"limit": 3})]),
        ("who am I?", [("get-user", {})]),
        ("draw a chart", [("create-chart", {})]),
        ("draw a chart of the requests", [("create-chart", {})]),
        ("what is my account?", [("get-user", {})]),
        ("Tell who the person is", [("get-user", {})]),
        ("Make a report that takes a while", [("make-slow-report", {})]),
        ("Which account am I using?", [("get-user", {})]),
        ("send 0.1 NEAR to bob.near", [(NEAR, {"receiverId": "bob.near", "amount": "0.1"})]),
        ("Please transfer 2 near to carol.testnet", [(NEAR, {"receiverId": "carol.testnet", "amount": "2"})]),
        ("pay bob.near 1.5 NEAR", [(NEAR, {"receiverId": "bob.near", "amount": "1.5"})]),
        (
            "send 0.000000000000000001 NEAR to bob.near",
            [(NEAR, {"receiverId": "bob.near", "amount": "0.000000000000000001"})],
        ),
        (f"send 0.01 ETH to {A}", [(ETH, {"to": A, "amount": "0.01", **CHAIN})]),
        (f"transfer 1 eth to {A} on chain 10", [(ETH, {"to": A, "amount": "1", "chainId": 10})]),
        ("sign the message 'hello'", [("sign-message", {"message": "hello"})]),
        ('Sign the message "I own this account"', [("sign-message", {"message": "I own this account"})]),
        ("sign 'it is me' for app.near", [("sign-message", {"message": "it is me", "recipient": "app.near"})]),
        ("flip a coin", [("flip-coin", {})]),
        ("Flip three coins", [("flip-coin", {})] * 3),
        ("flip a coin twice", [("flip-coin", {})] * 2),
        ("toss a coin", [("flip-coin", {})]),
        ("flip a coin and list the chains", [("flip-coin", {}), ("get-blockchains", {})]),
        ("flip a coin, list the chains and who am I?", [("flip-coin", {}), ("get-blockchains", {}), ("get-user", {})]),
        ("share 'gm' with https://example.org", [("create-share-link", {"text": "gm", "url": "https://example.org"})]),
        ("share hello world", [("create-share-link", {"text": "hello world"})]),
        ("tweet hello from my notebook", [("create-share-link", {"text": "hello from my notebook"})]),
        ("add a note saying buy milk", [("add-note", {"text": "buy milk"})]),
        ("add a note: buy milk and eggs", [("add-note", {"text": "buy milk and eggs"})]),
        ("add a note saying flip a coin, list the chains", [("add-note", {"text": "flip a coin, list the chains"})]),
        ("remember to buy milk", [("add-note", {"text": "buy milk"})]),
        ("list my notes", [("list-notes", {})]),
        ("remove note-1", [("remove-note", {"noteId": "note-1"})]),
        ("delete the note note-12", [("remove-note", {"noteId": "note-12"})]),
        ("reserve the username admin", [("reserve-username", {"username": "admin"})]),
        ("claim carol as my username", [("reserve-username", {"username": "carol"})]),
        ("make a slow report", [("make-slow-report", {})]),
        ("Make a slow report that takes 20 seconds", [("make-slow-report", {"seconds": 20})]),
        ("show the statistics", [("count-effects", {})]),
        (
            "send 0.1 NEAR to bob.near and flip a coin",
            [(NEAR, {"receiverId": "bob.near", "amount": "0.1"}), ("flip-coin", {})],
        ),
    ],
)
def test_plain_words_are_the_right_call_at_once(prompt: str, calls: list[tuple[str, dict[str, Any]]]):
    step = planned(prompt)
    assert [(call.tool.name, call.args) for call in step.calls] == calls
    assert "three" not in "".join(question.text for question in step.questions), "a count is a word that was used"


def test_words_that_led_to_nothing_are_named():
    (question,) = planned("flip two coins in Rome").questions
    assert (question.kind, question.text) == ("unused", "Rome")


@pytest.mark.parametrize(
    ("prompt", "tool", "missing"),
    [
        ("send NEAR to bob.near", NEAR, ("amount",)),
        ("send 0.1 NEAR", NEAR, ("receiverId",)),
        ("send 1 ETH to vitalik.eth", ETH, ("to",)),
        ("send 0.1 ETH to bob.near", ETH, ("to",)),
        ("prove that I own this account", "sign-message", ("message",)),
        ("delete note 3", "remove-note", ("noteId",)),
        ("add a note", "add-note", ("text",)),
        ("register a username", "reserve-username", ("username",)),
    ],
)
def test_what_is_missing_is_asked_for_and_never_guessed(prompt: str, tool: str, missing: tuple[str, ...]):
    step = planned(prompt)
    assert step.calls == []
    assert (step.questions[0].choices[0].tool, step.questions[0].choices[0].missing) == (tool, missing)


@pytest.mark.parametrize(
    "prompt",
    [
        "what is the weather in Paris?",
        "tell me a joke",
        "write a poem about the sea",
        "flip the table",
        "don't flip a coin",
        "is the username bob free?",
        "how do I send NEAR?",
    ],
)
def test_other_words_call_nothing(prompt: str):
    assert planned(prompt).calls == []


def test_every_title_is_its_own_operation():
    for tool in tools():
        step = planned(title(tool))
        named = [call.tool.name for call in step.calls] or [q.choices[0].tool for q in step.questions]
        assert named == [tool.name]


@pytest.mark.parametrize(
    ("said", "call"),
    [
        (("send 0.1 NEAR", "bob.near"), (NEAR, {"receiverId": "bob.near", "amount": "0.1"})),
        (("send some NEAR to bob.near", "0.5"), (NEAR, {"receiverId": "bob.near", "amount": "0.5"})),
        (("add a note", "buy milk and eggs"), ("add-note", {"text": "buy milk and eggs"})),
        (("reserve a username", "carol"), ("reserve-username", {"username": "carol"})),
        (("send some NEAR to bob.near", "flip a coin"), ("flip-coin", {})),
    ],
)
def test_an_answer_completes_what_was_asked(said: tuple[str, ...], call: tuple[str, dict[str, Any]]):
    assert [(one.tool.name, one.args) for one in planned(*said).calls] == [call]
