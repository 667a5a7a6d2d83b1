"""Calls: identity, drift, undo, reviews that forbid, and what leaves for which server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.bindings.binding import Ready
from bitte_nb.agent.bindings.operation import OperationBinding
from bitte_nb.agent.bindings.wallet import WalletBinding
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.runner import drive
from bitte_nb.core.messages import ToolMessage
from bitte_nb.core.result import ToolData, ToolError
from bitte_nb.demo.agent import DemoAgent
from bitte_nb.errors import AlreadyDecided, DecisionRefused, StaleDecision
from bitte_nb.model.port import CallArgsDelta, CallStarted, Finished, TextDelta
from bitte_nb.spec.load import Document
from bitte_nb.testing import Call, Fault, ScriptedModel
from tests.agent.conftest import WALLET, ChatMaker, Counts


def note(text: str, **more: Any) -> Call:
    return Call("add-note", {"text": text}, **more)


def seen_results(request: Any) -> list[Any]:
    return [part.result for message in request.messages if isinstance(message, ToolMessage) for part in message.content]


# The answer -----------------------------------------------------------------------------------------------------------


def test_a_call_keeps_the_status_of_its_answer_after_a_reload_too(make_chat: ChatMaker, history: Path) -> None:
    gone = Call("remove-note", {"noteId": "note-99"})
    chat = make_chat([[Call("get-user"), gone, Call("no-such-tool")], ["ok"]])
    turn = chat.ask("all three")
    turn.pending[0].approve()
    turn.wait(60)
    told = [(call.state, call.status) for call in turn.invocations]
    assert told == [("succeeded", 200), ("failed", 404), ("failed", None)]
    chat.close()
    again = Chat.load(chat.id, agent=chat.agent, store=history)
    assert [(call.state, call.status) for call in again.invocations] == told
    again.close()


# Identity -------------------------------------------------------------------------------------------------------------


def test_the_second_call_of_the_same_id_in_one_answer_fails_and_each_gets_one_result(
    make_chat: ChatMaker, counts: Counts
) -> None:
    chat = make_chat([[note("first", call_id="same"), note("second", call_id="same")], ["ok"]])
    turn = chat.ask("notes")
    [pending] = turn.pending
    pending.approve()
    turn.wait(60)
    assert [call.state for call in turn.invocations] == ["succeeded", "failed"]
    assert "used twice" in turn.invocations[1].reason
    assert counts.effects == 1
    model = chat.agent.model
    assert isinstance(model, ScriptedModel)
    parts = [
        part for message in model.requests[1].messages if isinstance(message, ToolMessage) for part in message.content
    ]
    assert len({part.toolCallId for part in parts}) == 2


def test_the_same_id_in_two_steps_is_two_calls_with_their_own_results_after_a_reload_too(
    make_chat: ChatMaker, history: Path
) -> None:
    one, two = Call("create-share-link", {"text": "a"}, call_id="x"), Call("get-user", call_id="x")
    chat = make_chat([[one], [two], ["ok"]])
    turn = chat.ask("both").wait(60)
    results = [call.result for call in turn.invocations]
    assert [call.key for call in turn.invocations] == ["1.1.0", "1.2.0"]
    assert isinstance(results[1], ToolData)
    assert results[1].data["accountId"] == "alice.near"
    again = Chat.load(chat.id, agent=chat.agent, store=history)
    assert [call.result for call in again.invocations] == results
    ids = [part.toolCallId for message in again.messages if message.role == "tool" for part in message.content]
    assert len(set(ids)) == 2
    again.close()


def test_interleaved_arguments_of_two_calls_never_mix(make_chat: ChatMaker) -> None:
    events = [
        CallStarted(7, "a", "create-share-link"),
        CallStarted(3, "b", "create-share-link"),
        CallArgsDelta(7, '{"text": "fi'),
        CallArgsDelta(3, '{"text": "sec'),
        CallArgsDelta(99, '{"text": "nobody"}'),
        CallArgsDelta(3, 'ond"}'),
        CallStarted(7, "a", "create-share-link"),
        CallArgsDelta(7, 'rst"}'),
        Finished("tool_calls"),
    ]
    turn = make_chat([events, ["ok"]]).ask("links").wait(60)
    assert [call.args for call in turn.invocations] == [{"text": "first"}, {"text": "second"}]
    assert [call.state for call in turn.invocations] == ["succeeded", "succeeded"]


def test_a_prefix_that_happens_to_be_json_is_not_run_before_the_arguments_are_closed(make_chat: ChatMaker) -> None:
    events = [
        CallStarted(0, "a", "create-share-link"),
        CallArgsDelta(0, '{"text": "a"}'),
        TextDelta("..."),
        CallArgsDelta(0, " "),
        Finished("tool_calls"),
    ]
    turn = make_chat([events, ["ok"]]).ask("link").wait(60)
    assert [call.args for call in turn.invocations] == [{"text": "a"}]


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_an_answer_that_was_cut_short_by_the_endpoint_runs_nothing(
    make_chat: ChatMaker, counts: Counts, reason: Any
) -> None:
    events = [TextDelta("Let me"), CallStarted(0, "a", "get-user"), CallArgsDelta(0, "{}"), Finished(reason)]
    chat = make_chat([events, ["Better."]])
    turn = chat.ask("who").wait(60)
    assert (turn.phase, [call.state for call in turn.invocations]) == ("failed", ["cancelled"])
    assert counts.requests == 0
    assert chat.retry().wait(60).text.endswith("Better.")


def test_two_drivers_of_one_call_send_one_request(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("once")], ["ok"]])
    turn = chat.ask("note")
    [pending] = turn.pending
    conversation = chat.conversation

    async def twice() -> None:
        extra = [asyncio.ensure_future(drive(conversation, pending.call.key)) for _ in range(4)]
        pending.approve()
        await asyncio.gather(*extra)

    chat.thread.submit(twice()).result(60)
    assert turn.wait(60).text == "ok"
    assert counts.effects == 1


# Drift ----------------------------------------------------------------------------------------------------------------


def test_a_call_approved_for_one_wallet_is_not_sent_for_another(
    make_chat: ChatMaker, history: Path, document: Document, counts: Counts
) -> None:
    chat = make_chat([[note("mine")], ["ok"]])
    chat.ask("note").wait(60)
    chat.close()
    other = bn.Agent(document, model=ScriptedModel([["ok"]]), wallet=bn.Wallet(account_id="mallory.near"))
    again = Chat.load(chat.id, agent=other, store=history)
    [pending] = again.pending
    pending.approve()
    turn = again.turn
    assert turn is not None
    [changed] = turn.pending
    assert (changed.call.state, changed.call.version, counts.requests) == ("pending", 2, 0)
    assert "changed" in changed.call.reason
    assert "mallory.near" in str(changed.call.prepared)
    with pytest.raises((StaleDecision, AlreadyDecided)):
        pending.approve()
    changed.approve()
    assert turn.wait(60).phase == "done"
    assert counts.effects == 1
    again.close()


def test_a_call_of_a_document_that_is_gone_goes_back_to_the_person(
    make_chat: ChatMaker, history: Path, counts: Counts
) -> None:
    chat = make_chat([[note("mine")], ["ok"]])
    chat.ask("note").wait(60)
    chat.close()
    bare = bn.load_document({"openapi": "3.1.0", "info": {"title": "Other", "version": "1"}, "paths": {}})
    again = Chat.load(chat.id, agent=bn.Agent(bare, model=ScriptedModel([["ok"]])), store=history)
    [pending] = again.pending
    pending.approve()
    turn = again.turn
    assert turn is not None
    [back] = turn.pending
    assert "no longer" in back.call.reason
    assert counts.requests == 0
    back.deny("then not")
    assert turn.wait(60).text == "ok"
    again.close()


# Undo -----------------------------------------------------------------------------------------------------------------


def test_an_undo_asks_for_itself_and_takes_the_call_back(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("oops")], ["ok"]])
    turn = chat.ask("note")
    turn.pending[0].approve()
    turn.wait(60)
    [call] = turn.invocations
    chat.undo(call).wait(60)
    with pytest.raises(DecisionRefused, match="already open"):
        chat.undo(call)
    [pending] = turn.pending
    assert (pending.tool, pending.call.compensates) == ("remove-note", call.key)
    assert counts.read()["requests"].get("remove-note", 0) == 0
    pending.approve()
    turn.wait(60)
    assert [one.state for one in turn.invocations] == ["undone", "succeeded"]
    assert turn.invocations[0].undone_by == pending.call.key
    with pytest.raises(DecisionRefused):
        chat.undo(call)


def test_a_declined_undo_leaves_the_call_as_it_was_and_may_be_asked_again(make_chat: ChatMaker) -> None:
    chat = make_chat([[note("keep")], ["ok"]])
    turn = chat.ask("note")
    turn.pending[0].approve()
    turn.wait(60)
    [call] = turn.invocations
    chat.undo(call).pending[0].deny("keep it")
    turn.wait(60)
    assert [one.state for one in turn.invocations] == ["succeeded", "denied"]
    chat.undo(call).pending[0].approve()
    turn.wait(60)
    assert [one.state for one in turn.invocations] == ["undone", "denied", "succeeded"]


def test_an_undo_that_fails_leaves_the_call_as_it_was_and_says_why(make_chat: ChatMaker, demo: DemoAgent) -> None:
    chat = make_chat([[note("gone")], ["ok"]])
    turn = chat.ask("note")
    turn.pending[0].approve()
    turn.wait(60)
    [call] = turn.invocations
    demo.close()
    chat.undo(call).pending[0].approve()
    turn.wait(60)
    assert turn.invocations[0].state == "succeeded"
    assert turn.invocations[1].state in {"failed", "unknown"}
    assert turn.invocations[1].reason


def test_what_did_not_succeed_or_has_no_undo_cannot_be_undone(make_chat: ChatMaker) -> None:
    chat = make_chat([[Call("get-user"), note("no")], ["ok"]])
    turn = chat.ask("both")
    turn.pending[0].deny()
    turn.wait(60)
    for call in turn.invocations:
        with pytest.raises(DecisionRefused, match="cannot be undone"):
            chat.undo(call)
    with pytest.raises(DecisionRefused, match="no call"):
        chat.undo("9.9.9")


# Reviews --------------------------------------------------------------------------------------------------------------


def blocked_call() -> Call:
    drain = {
        "method": "eth_sendTransaction",
        "chainId": 8453,
        "params": [{"from": "0x" + "11" * 20, "to": "0x" + "22" * 20, "value": "0x1"}],
    }
    return Call("generate-evm-tx", drain)


def test_a_call_whose_review_forbids_it_cannot_be_approved_by_anybody(make_chat: ChatMaker) -> None:
    chat = make_chat([[blocked_call()], ["ok"]], signer="development")
    turn = chat.ask("send").wait(60)
    [pending] = turn.pending
    assert pending.review is not None
    review = {**pending.review, "severity": "block", "warnings": [{"severity": "block", "sentence": "It drains you."}]}
    call = pending.call
    assert call.prepared is not None
    forbidden = replace(call, prepared=call.prepared.model_copy(update={"review": review}))

    def forbid() -> None:
        state = chat.conversation.state
        chat.conversation.state = replace(state, invocations={**state.invocations, call.key: forbidden})

    chat.thread.call(forbid)
    with pytest.raises(DecisionRefused, match="It drains you"):
        pending.approve()
    assert turn.invocations[0].state == "pending"
    pending.deny("no")
    assert turn.wait(60).text == "ok"


def test_a_policy_that_allows_a_primitive_by_name_does_not_get_past_a_forbidding_review(
    make_chat: ChatMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = WalletBinding.prepare

    def forbidding(self: WalletBinding, args: dict[str, Any]) -> Ready:
        ready = made(self, args)
        warnings = [{"severity": "block", "sentence": "It drains you."}]
        review = {**(ready.prepared.review or {}), "severity": "block", "warnings": warnings}
        return replace(ready, prepared=ready.prepared.model_copy(update={"review": review}))

    monkeypatch.setattr(WalletBinding, "prepare", forbidding)
    policy = bn.Policy([{"name": "trust", "effect": "allow", "tools": ["generate-evm-tx"]}])
    turn = make_chat([[blocked_call()], ["ok"]], policy=policy).ask("send").wait(60)
    [call] = turn.invocations
    assert call.state == "pending"
    assert "It drains you" in call.reason


# Servers --------------------------------------------------------------------------------------------------------------


class Listening:
    """A real server of another origin that keeps the headers it gets."""

    def __init__(self) -> None:
        listening = self
        self.headers: list[dict[str, str]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                listening.headers.append({name.lower(): value for name, value in self.headers.items()})
                body = b'{"ok": true}'
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the library
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def listening() -> Iterator[Listening]:
    server = Listening()
    yield server
    server.server.shutdown()
    server.server.server_close()


def test_the_wallet_goes_to_the_documents_own_server_and_to_no_other(
    make_chat: ChatMaker, listening: Listening, demo: DemoAgent
) -> None:
    response = {"responses": {"200": {"description": "ok"}}}
    document = bn.load_document(
        {
            "openapi": "3.1.0",
            "info": {"title": "Two servers", "version": "1"},
            "servers": [{"url": demo.url}],
            "paths": {
                "/api/user": {"get": {"operationId": "own", **response}},
                "/elsewhere": {"get": {"operationId": "other", "servers": [{"url": listening.url}], **response}},
            },
        },
        url=demo.document_url,
    )
    turn = make_chat([[Call("own"), Call("other")], ["ok"]], document=document).ask("both").wait(60)
    own, other = turn.invocations
    assert own.prepared is not None
    assert json.loads(own.prepared.headers["mb-metadata"])["accountId"] == WALLET.account_id
    for headers in listening.headers:
        assert "mb-metadata" not in headers
        assert "alice.near" not in json.dumps(headers)
    if other.state == "failed":
        assert isinstance(other.result, ToolError)
        assert listening.headers == []
    else:
        assert len(listening.headers) == 1


def test_an_error_of_the_model_after_a_call_does_not_touch_the_call(make_chat: ChatMaker, counts: Counts) -> None:
    turn = make_chat([[note("kept")], [Fault(RuntimeError("gone"))]]).ask("note")
    turn.pending[0].approve()
    turn.wait(60)
    assert (turn.phase, turn.invocations[0].state, counts.effects) == ("failed", "succeeded", 1)


class _Odd(BaseException):
    pass


@pytest.mark.parametrize(
    "error",
    [RuntimeError("x"), StopIteration(), RecursionError(), SystemExit(1), KeyboardInterrupt(), _Odd()],
    ids=repr,
)
def test_a_call_whose_preparation_raises_anything_is_an_error_result(
    make_chat: ChatMaker, counts: Counts, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def raises(_self: object, _args: object) -> Any:
        raise error

    monkeypatch.setattr(OperationBinding, "prepare", raises)
    turn = make_chat([[note("x")], ["I see."]]).ask("note").wait(60)
    assert (turn.text, [call.state for call in turn.invocations]) == ("I see.", ["failed"])
    assert "could not be prepared" in turn.invocations[0].reason
    assert counts.requests == 0


@pytest.mark.parametrize(("call", "state"), [(note("x"), "unknown"), (Call("get-user"), "failed")])
@pytest.mark.parametrize("error", [RuntimeError("x"), TimeoutError(), asyncio.CancelledError()], ids=repr)
def test_a_fault_while_a_call_runs_leaves_a_write_unknown_and_a_read_failed(
    make_chat: ChatMaker, monkeypatch: pytest.MonkeyPatch, call: Call, state: str, error: BaseException
) -> None:
    async def raises(*_args: object) -> Any:
        raise error

    monkeypatch.setattr(OperationBinding, "_run", raises)
    turn = make_chat([[call], ["I see."]]).ask("go")
    for pending in turn.pending:
        pending.approve()
    turn.wait(60)
    assert (turn.text, [call.state for call in turn.invocations]) == ("I see.", [state])
    assert turn.invocations[0].reason


def test_a_rule_that_ends_the_program_asks_and_every_chat_goes_on(make_chat: ChatMaker) -> None:
    def leave(_subject: object) -> Any:
        raise SystemExit

    turn = make_chat([[Call("get-user")], ["ok"]], policy=bn.Policy((), checks=(leave,))).ask("who").wait(60)
    assert turn.invocations[0].state == "pending"
    thread = turn.chat.thread
    thread.post(leave_now)
    assert thread.call(lambda: "still there") == "still there"
    turn.pending[0].approve()
    assert turn.wait(60).text == "ok"


def leave_now() -> None:
    raise SystemExit
