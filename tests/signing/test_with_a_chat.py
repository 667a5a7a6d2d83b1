"""Signers, nodes and reviews in a whole chat: what the card shows, what the history keeps, what the model reads."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.core.result import ToolData
from bitte_nb.errors import DecisionRefused, SigningError
from bitte_nb.signing.development import EVM_ADDRESSES
from bitte_nb.signing.injected import InjectedSigner
from bitte_nb.testing import Call, ScriptedModel
from tests.local_node import ask

ME, OTHER = EVM_ADDRESSES[0], EVM_ADDRESSES[1]
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {},
    "x-mb": {"assistant": {"name": "Shop", "tools": [{"type": "generate-evm-tx"}, {"type": "sign-message"}]}},
}


def transfer(value: int = 5, **more: Any) -> Call:
    params = [{"to": OTHER, "value": hex(value), **more}]
    return Call("generate-evm-tx", {"method": "eth_sendTransaction", "chainId": 31337, "params": params})


@pytest.fixture
def open_chat(tmp_path: Path) -> Iterator[Callable[..., Chat]]:
    made: list[Chat] = []

    def make(*steps: list[Any], **options: Any) -> Chat:
        wallet = bn.Wallet(evm_address=ME, chain_id=31337)
        agent = bn.Agent(DOCUMENT, model=ScriptedModel(list(steps)), **{"wallet": wallet, **options})
        made.append(Chat(agent, store=tmp_path / "history.sqlite"))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def review_of(chat: Chat) -> dict[str, Any]:
    call = chat.invocations[-1]
    assert call.prepared is not None
    assert call.prepared.review is not None
    return call.prepared.review


def rows(review: dict[str, Any]) -> dict[str, Any]:
    return {row["id"]: row for row in review["rows"]}


def ids(review: dict[str, Any]) -> set[str]:
    return {one["id"] for one in review["warnings"]}


def pending(chat: Chat, words: str = "go") -> dict[str, Any]:
    chat.ask(words)
    assert chat.wait_for(lambda: any(one.state == "pending" for one in chat.invocations), 60)
    return review_of(chat)


def answered(chat: Chat) -> dict[str, Any]:
    """The review once the node has had its say: on a busy machine it is later than the card."""
    pending(chat)
    assert chat.wait_for(lambda: not any("has not answered yet" in one for one in review_of(chat)["unchecked"]), 60)
    return review_of(chat)


def test_a_node_that_was_named_is_on_the_card(anvil: str, open_chat: Callable[..., Chat]):
    review = answered(open_chat([transfer()], rpc={31337: anvil}))
    assert rows(review)["balance_changes"]["value"] == "-0.000000000000000005 ETH"
    assert rows(review)["balance_changes"]["note"] == "simulated"
    assert not any("no node was asked" in one for one in review["unchecked"])
    too_much = answered(open_chat([transfer(10**30)], rpc={31337: anvil}))
    assert "insufficient_funds" in ids(too_much)
    assert too_much["severity"] == "block"


def test_no_node_is_asked_that_nobody_named(open_chat: Callable[..., Chat]):
    review = pending(open_chat([transfer()]))
    assert "Your balance was not checked: no node was asked." in review["unchecked"]
    elsewhere = pending(open_chat([transfer()], rpc={1: "http://127.0.0.1:9"}))
    assert elsewhere["unchecked"] == review["unchecked"]


class SlowNode(http.server.ThreadingHTTPServer):
    """A stand-in node that answers from a table once `gate` is open."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert isinstance(self.server, SlowNode)
        self.server.gate.wait(60)
        table = {
            "eth_chainId": "0x7a69",
            "eth_getBalance": "0x1",
            "eth_getTransactionCount": "0x0",
            "eth_getCode": "0x",
        }
        result = table.get(body["method"])
        answer: dict[str, Any] = {"result": result} if result else {"error": {"code": -32601, "message": "not here"}}
        text = json.dumps({"jsonrpc": "2.0", "id": 1, **answer}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        pass


@pytest.fixture
def slow_node() -> Iterator[SlowNode]:
    server = SlowNode()
    yield server
    server.gate.set()
    server.shutdown()
    server.server_close()


def test_a_slow_node_delays_no_card_and_what_it_says_makes_another_version_of_the_same_request(
    slow_node: SlowNode, open_chat: Callable[..., Chat]
):
    chat = open_chat([transfer()], rpc={31337: slow_node.url})
    first = pending(chat)
    before = chat.invocations[-1]
    assert "A node was asked, but it has not answered yet." in first["unchecked"]
    assert "insufficient_funds" not in ids(first)
    slow_node.gate.set()
    assert chat.wait_for(lambda: chat.invocations[-1].version > before.version, 60)
    after = chat.invocations[-1]
    assert after.state == "pending"
    assert after.prepared is not None
    assert before.prepared is not None
    assert after.prepared.digest == before.prepared.digest, "what a node says is no part of what is signed"
    assert "insufficient_funds" in ids(review_of(chat))
    with pytest.raises(DecisionRefused):  # the card that was approved is not the one that is shown
        chat.decide(before, "approve")


def test_a_node_of_another_chain_is_said_to_tell_nothing(anvil: str, open_chat: Callable[..., Chat]):
    params = [{"to": OTHER, "value": "0x1"}]
    call = Call("generate-evm-tx", {"method": "eth_sendTransaction", "chainId": 8453, "params": params})
    wallet = bn.Wallet(evm_address=ME, chain_id=8453)
    review = answered(open_chat([call], wallet=wallet, rpc={8453: anvil}))
    assert any("told nothing" in one for one in review["unchecked"])


def test_what_a_node_says_too_late_does_not_take_an_approval_back(slow_node: SlowNode, open_chat: Callable[..., Chat]):
    chat = open_chat([transfer()], ["Noted."], rpc={31337: slow_node.url}, signer="review-only")
    pending(chat)
    chat.pending[0].approve()
    assert chat.wait_for(lambda: chat.invocations[-1].settled, 60)
    slow_node.gate.set()
    assert chat.invocations[-1].state == "succeeded"
    assert chat.invocations[-1].version == 1


def test_the_agents_words_are_a_claim_and_its_operation_is_what_the_payload_is_compared_with(
    demo_document: Any, tmp_path: Path
):
    made: list[Any] = []

    def sign(request: Any) -> list[Any]:
        (payload,) = [part.result["data"]["evmSignRequest"] for part in request.messages[-1].content]
        payload = json.loads(json.dumps(payload))
        made.append(payload)
        return ["This sends 0.1 ETH to Bob.", Call("generate-evm-tx", payload)]

    args = {"to": OTHER, "amount": "0.1"}
    model = ScriptedModel([[Call("create-evm-transaction", args)], sign])
    agent = bn.Agent(
        demo_document,
        model=model,
        wallet=bn.Wallet(evm_address=ME, chain_id=31337),
        review_context={"contacts": {"Bob": OTHER}},
    )
    chat = Chat(agent, store=tmp_path / "history.sqlite")
    try:
        review = pending(chat, "send 0.1 ETH to Bob")
        assert rows(review)["origin"]["value"] == "“This sends 0.1 ETH to Bob.”"
        assert "intent_mismatch" not in ids(review)
        assert any("Bob" in row["note"] for row in review["rows"] if row["kind"] == "address")
    finally:
        chat.close()


def test_the_hash_of_what_was_sent_is_kept_and_looked_up_only_when_asked(
    anvil: str, rpc: Callable[..., Any], open_chat: Callable[..., Chat], tmp_path: Path
):
    rpc("evm_setAutomine", False)
    signer = InjectedSigner(wallet=bn.Wallet(evm_address=ME), rpc={31337: anvil}, receipt_timeout=0.3)
    chat = open_chat([transfer()], ["It is open."], rpc={31337: anvil}, signer=signer)
    pending(chat)
    opened = threading.Event()

    def answer(request: Any) -> None:
        opened.set()
        sent = ask(anvil, "eth_sendTransaction", *request.params)
        chat.thread.post(lambda: signer.pages.answer(request.nonce, "page1", result=sent))

    chat.thread.call(lambda: signer.pages.join(chat.id, answer))
    assert chat.wait_for(lambda: "has not answered yet" not in str(review_of(chat)["unchecked"]), 60)
    call = chat.invocations[-1]
    chat.thread.call(lambda: signer.pages.clicked(f"{chat.id}:{call.key}", "page1"))
    chat.pending[0].approve()
    assert chat.wait_for(lambda: chat.invocations[-1].state == "unknown", 60)
    left = chat.invocations[-1]
    assert opened.is_set()
    assert left.progress.startswith("Sent as 0x")
    with pytest.raises(DecisionRefused, match="not included yet"):
        chat.check(left)
    rpc("evm_mine")
    chat.close()

    agent = chat.agent
    loaded = Chat.load(chat.id, store=tmp_path / "history.sqlite", agent=agent)
    try:
        assert loaded.invocations[-1].state == "unknown", "loading asks no node"
        loaded.check(loaded.invocations[-1])
        result = loaded.invocations[-1].result
        assert isinstance(result, ToolData)
        assert result.data["status"] == "mined"
        assert result.data["hash"] in left.progress
    finally:
        loaded.close()


def answer_by_hand(chat: Chat, pasted: str) -> None:
    assert chat.wait_for(lambda: "has not answered yet" not in str(review_of(chat)["unchecked"]), 60)
    chat.respond(chat.invocations[-1], pasted)


def test_a_hash_answers_one_card_only_and_no_older_one_answers_any(anvil: str, open_chat: Callable[..., Chat]):
    def sent() -> str:
        return ask(anvil, "eth_sendTransaction", {"from": ME, "to": OTHER, "value": "0x5"})

    old = sent()
    chat = open_chat([transfer()], ["One."], [transfer()], ["Two."], rpc={31337: anvil})
    pending(chat)
    with pytest.raises(SigningError, match="used up before this was asked for"):
        answer_by_hand(chat, old)
    new = sent()
    answer_by_hand(chat, new)
    assert chat.wait_for(lambda: chat.invocations[-1].settled, 60)
    result = chat.invocations[-1].result
    assert isinstance(result, ToolData)
    assert (result.data["status"], result.data["verified"]) == ("mined", True)
    assert chat.wait_for(lambda: chat.turns[-1].outcome is not None, 60)
    pending(chat, "again")
    with pytest.raises(SigningError, match="outcome of another call"):
        answer_by_hand(chat, new)
    other = open_chat([transfer()])
    pending(other)
    with pytest.raises(SigningError, match="outcome of another call"):
        answer_by_hand(other, new)


def test_without_a_node_the_card_says_what_a_pasted_hash_is_worth(open_chat: Callable[..., Chat]):
    review = pending(open_chat([transfer()]))
    assert "an older transaction like it cannot be told from it" in review["wallet"]["bring"]
    assert "an older" not in pending(open_chat([transfer()], rpc={31337: "http://127.0.0.1:9"}))["wallet"]["bring"]


def test_a_batch_is_reviewed_as_its_calls_and_sent(anvil: str, open_chat: Callable[..., Chat]):
    bundle = {
        "version": "2.0.0",
        "chainId": "0x7a69",
        "atomicRequired": False,
        "calls": [{"to": OTHER, "value": "0x5"}] * 2,
    }
    call = Call("generate-evm-tx", {"method": "wallet_sendCalls", "chainId": 31337, "params": [bundle]})
    chat = open_chat([call], ["Done."], rpc={31337: anvil}, signer="development")
    review = answered(chat)
    assert (review["kind"], len(review["calls"]), rows(review)["value"]["value"]) == (
        "batch",
        2,
        "0.00000000000000001 ETH",
    )
    assert rows(review)["from"]["value"] == ME
    chat.pending[0].approve()
    assert chat.wait_for(lambda: chat.invocations[-1].settled, 60)
    result = chat.invocations[-1].result
    assert isinstance(result, ToolData)
    assert (result.data["status"], len(result.data["hashes"])) == ("mined", 2)


@pytest.fixture
def demo_document() -> Iterator[Any]:
    from bitte_nb.demo.agent import serve

    with serve(seed=7) as agent:
        yield bn.load_document(agent.document_url)


def test_the_named_development_signer_sends_where_a_local_node_was_named(anvil: str, open_chat: Callable[..., Chat]):
    chat = open_chat([transfer(9)], ["Done."], rpc={31337: anvil}, signer="development")
    assert answered(chat)["signer_note"] == ""
    chat.pending[0].approve()
    assert chat.wait_for(lambda: chat.invocations[-1].settled, 60)
    assert chat.invocations[-1].state == "succeeded"


def test_a_silent_node_leaves_nothing_running_once_its_time_is_over(slow_node: SlowNode):
    from bitte_nb.agent.bindings.node_facts import NodeFacts
    from bitte_nb.review.context import ReviewContext

    facts = NodeFacts({"31337": slow_node.url}, limit=0.2)
    request = {"method": "eth_sendTransaction", "chainId": 31337, "params": [{"from": ME, "to": OTHER, "value": "0x1"}]}
    start = time.monotonic()
    answer = facts.about(request, ReviewContext(), chain="31337", digest="d")
    assert answer is not None
    assert answer.result(timeout=60) == ReviewContext()
    assert time.monotonic() - start < 15
    assert facts.about(request, ReviewContext(), chain="31337", digest="d") is answer, "asked once for a while"


@pytest.mark.parametrize(
    ("url", "given"),
    [
        ("http://127.0.0.1:8545", ["http://127.0.0.1:8545"]),
        ("http://127.0.0.1:8545/", ["http://127.0.0.1:8545"]),
        ("https://node.example/v3/secret", None),
        ("https://node.example/?key=secret", None),
        ("https://user:secret@node.example", None),
    ],
)
def test_an_address_that_may_hold_a_key_never_reaches_a_page(url: str, given: Any):
    from bitte_nb.agent.bindings.wallet_request import carried, read_request

    request = read_request("generate-evm-tx", json.loads(transfer().text), account=None)
    shown = carried(request, bn.Wallet(evm_address=ME), asks=True, rpc={"31337": url})
    assert shown is not None
    assert (shown["add"] and shown["add"]["rpcUrls"]) == given
    assert "secret" not in json.dumps(shown)
