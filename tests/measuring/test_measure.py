"""Whole measurements: what is counted, that nothing leaves, and that they can be stopped."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.thread import agent_thread
from bitte_nb.measuring import measure as module
from bitte_nb.model.port import Connected, ModelEvent, ModelRequest, TextDelta
from bitte_nb.spec.load import Document
from bitte_nb.testing import Call, Fault, Pause, ScriptedModel
from tests.agent.conftest import WALLET, Counts
from tests.agent.virtual import Hasty
from tests.measuring.conftest import Answering, said

COIN = bn.Case("Flip a coin", ["flip-coin"])
MILK = bn.Case("Add a note saying buy milk", [("add-note", {"text": "buy milk"})])
JOT = bn.Case("jot buy milk", [("add-note", {"text": "buy milk"})])
THANKS = bn.Case("Thank you!", [])


def test_the_offline_model_is_measured_on_the_demo_agent_and_no_request_leaves(
    document: Document, counts: Counts, history: Path
):
    agent = bn.Agent(document, wallet=WALLET)
    found = bn.measure(agent, [COIN, MILK, JOT, THANKS], runs=2)
    assert {case.name: [one.outcome for one in found.of(case.name)] for case in found.cases} == {
        "Flip a coin": ["passed"] * 2,
        "Add a note saying buy milk": ["passed"] * 2,
        "jot buy milk": ["missed"] * 2,
        "Thank you!": ["passed"] * 2,
    }
    assert [(one.run, one.case) for one in found.trials] == [(r, c.name) for r in (1, 2) for c in found.cases]
    assert (found.model, found.agent, found.document) == ("offline model", "Demo agent", document.digest)
    assert counts.requests == 0
    assert not history.exists()


def test_a_change_that_helps_is_seen(document: Document):
    agent = bn.Agent(document)
    before = bn.measure(agent, [MILK, JOT, THANKS])
    words = {"add-note": {"description": "Jot a text down as a note. Use it when the person wants to jot something."}}
    after = bn.measure(agent.changed(words), [MILK, JOT, THANKS])
    assert [one.change for one in after.compare(before).changes] == ["same", "better", "same"]
    assert after.document != before.document


@contextmanager
def node() -> Iterator[tuple[str, SimpleQueue[str]]]:
    """A node that notes who asks."""
    asked = SimpleQueue[str]()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.put(self.path)
            self.send_error(500)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


PAYMENT = {
    "method": "eth_sendTransaction",
    "chainId": "8453",
    "params": [{"to": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "value": "0x1", "data": "0x"}],
}


def test_a_payment_is_checked_and_reviewed_without_a_node_and_nobody_signs(document: Document, counts: Counts):
    ran: list[str] = []

    def report() -> str:
        """Make a report."""
        ran.append("report")
        return "done"

    tools = ("report", "reserve-username", "generate-evm-tx")
    model = Answering(lambda _: list(zip(tools, ({}, {"username": "bob"}, PAYMENT), strict=True)))
    policy = bn.Policy([bn.Rule(name="all", effect="allow", tools=tools)])
    with node() as (url, asked):
        options: dict[str, Any] = {"signer": "development", "rpc": {8453: url}, "tools": [report], "policy": policy}
        agent = bn.Agent(document, model=model, wallet=WALLET, **options)
        pay = bn.Case("Pay", [("generate-evm-tx", {"chainId": 8453}), "report", "reserve-username"])
        [trial] = bn.measure(agent, [pay]).trials
        assert trial.outcome == "passed", trial.words
        assert asked.empty()
        assert (ran, counts.requests) == ([], 0)
        agent.binding("generate-evm-tx").prepare(PAYMENT)  # as in a chat, where the node is asked
        assert asked.get(timeout=60)


def test_with_results_the_model_goes_on_as_in_a_chat(document: Document, counts: Counts):
    asked: list[dict[str, Any]] = []

    def noted(args: dict[str, Any]) -> Any:
        asked.append(args)
        return {"id": 7, "text": args["text"]}

    def answer(request: ModelRequest) -> Any:
        match len(request.messages):
            case 1:
                return [("add-note", {"text": "milk"}), ("list-notes", {})]
            case 3:
                return [("remove-note", {"noteId": "note-7"})]
            case _:
                return f"Done: {request.messages[-1].content[0].result}"  # type: ignore[union-attr]

    agent = bn.Agent(document, model=Answering(answer))
    case = bn.Case(
        "x", ["add-note", "list-notes", ("remove-note", {"noteId": "note-7"})], text="no such note", ordered=True
    )
    results = {
        "add-note": noted,
        "list-notes": bn.ToolData(data=[]),
        "remove-note": bn.ToolError(error="no such note"),
    }
    [trial] = bn.measure(agent, [case], results=results).trials
    assert trial.outcome == "passed", trial.words
    assert (trial.steps, trial.input_tokens, trial.output_tokens) == (3, 300, 15)
    assert asked == [{"text": "milk"}]
    # Without the last result it waits there, and what was called counts.
    [trial] = bn.measure(agent, [case], results={name: results[name] for name in ("add-note", "list-notes")}).trials
    assert (trial.outcome, trial.steps, [one.tool for one in trial.calls][-1]) == ("missed", 2, "remove-note")
    assert counts.requests == 0


def test_what_the_policy_denies_is_denied_and_a_chart_is_drawn(document: Document):
    chart = {
        "title": "T", "description": "D", "chartConfig": [{"key": "a", "label": "A", "color": "#000000"}],
        "chartType": "bar", "dataFormat": "time", "chartData": [[1, 2]],
    }  # fmt: skip
    script = {1: [("add-note", {"text": "milk"})], 3: [("render-chart", chart)]}
    agent = bn.Agent(
        document,
        model=Answering(lambda request: script.get(len(request.messages), "That is not allowed.")),
        policy=bn.Policy([bn.Rule(name="no-notes", effect="deny", tools=("add-note",))]),
    )
    [trial] = bn.measure(agent, [bn.Case("x", ["add-note"], more=True, text="not allowed")]).trials
    assert trial.outcome == "passed", trial.words
    assert trial.steps == 3


def test_arguments_are_checked_as_in_a_chat_and_a_model_that_corrects_itself_passes(document: Document):
    def answer(request: ModelRequest) -> Any:
        return [("make-slow-report", {"seconds": "two" if len(request.messages) == 1 else "2"})]

    agent = bn.Agent(document, model=Answering(answer))
    cases = [bn.Case("x", [("make-slow-report", {"seconds": 2})]), bn.Case("y", [])]
    passed, missed = bn.measure(agent, cases).trials
    assert (passed.outcome, missed.outcome) == ("passed", "missed")
    assert "seconds" in passed.refused[0]
    assert passed.calls[0].args == {"seconds": 2}


@pytest.mark.parametrize("seen", ["model", "check", "result"])
def test_a_failure_is_an_error_of_its_run_and_no_miss(document: Document, seen: str):
    def broken(_: Any) -> Any:
        raise KeyError("city")

    def answer(request: ModelRequest) -> Any:
        if seen == "model" and said(request) == "Flip a coin":
            raise RuntimeError("no such model")
        return [("flip-coin", {})] if len(request.messages) == 1 else "Heads."

    wrong = {
        "model": (COIN, {}, "no such model"),
        "check": (bn.Case("Flip a coin", text=broken), {}, "A check of this case raised KeyError"),
        "result": (COIN, {"flip-coin": broken}, "The function that stands in for flip-coin raised KeyError"),
    }
    case, results, sentence = wrong[seen]
    other = bn.Case("Once more", ["flip-coin"])
    found = bn.measure(bn.Agent(document, model=Answering(answer)), [case, other], results=results)
    assert found.trials[0].outcome == "error"
    assert sentence in found.trials[0].error
    assert found.trials[1].outcome == ("error" if seen == "result" else "passed")
    assert not found.passed


def test_an_endpoint_that_fails_is_tried_again_and_then_an_error(document: Document):
    steps: list[Any] = [[Fault.http(503)], [Call("flip-coin")], [Fault.http(401, "no key")]]
    model = ScriptedModel(steps, sleep=Hasty().sleep)
    found = bn.measure(bn.Agent(document, model=model), [COIN, THANKS], max_concurrency=1, clock=Hasty())
    assert [(one.outcome, one.error) for one in found.trials] == [("passed", ""), ("error", "no key")]


def test_a_silent_model_ends_by_the_timeouts_of_the_agent(document: Document):
    model = ScriptedModel([[Pause(10_000)]] * 3, sleep=Hasty().sleep)
    agent = bn.Agent(document, model=model, timeouts=bn.Timeouts(hard=1))
    [trial] = bn.measure(agent, [COIN], clock=Hasty()).trials
    assert trial.outcome == "error"
    assert "The model said nothing more for 1 seconds." in trial.error
    assert len(model.requests) == 3


class Hanging:
    """A model that answers the first prompts and then hangs; it says when it does, and when it is closed."""

    name = "hanging model"

    def __init__(self, answers: int) -> None:
        self.answers, self.hangs, self.closed = answers, threading.Event(), threading.Event()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        yield Connected()
        if self.answers:
            self.answers -= 1
            async for event in Answering(lambda _: "Hello.").stream(request):
                yield event
            return
        self.hangs.set()
        try:
            yield TextDelta("I ")
            await asyncio.Event().wait()
        finally:
            self.closed.set()


class Interrupting:
    """Interrupts, as Ctrl-C does, once two trials have ended and the model hangs."""

    def __init__(self, model: Hanging) -> None:
        self.model, self.last = model, ""

    def tell(self, line: str) -> None:
        if line.startswith("2 of"):
            assert self.model.hangs.wait(60)
            raise KeyboardInterrupt

    def end(self, line: str) -> None:
        self.last = line


def test_an_interrupt_keeps_what_was_measured_and_closes_what_runs(document: Document, monkeypatch: pytest.MonkeyPatch):
    model = Hanging(2)
    progress = Interrupting(model)
    monkeypatch.setattr(module, "progress_for", lambda _wanted: progress)
    cases = [bn.Case(f"Hello {n}", []) for n in range(50)]
    found = bn.measure(bn.Agent(document, model=model), cases, max_concurrency=2)
    assert [one.outcome for one in found.trials] == ["passed"] * 2
    assert "it was stopped after 2 of 50." in found.summary
    assert progress.last == "Stopped: 2 of 50 trials: 2 passed, 0 missed"
    assert model.closed.wait(20)
    # What was stopped leaves nothing behind: the next measurement, and a chat, are as ever.
    assert bn.measure(document, [THANKS]).passed


INTERRUPTED = """
import sys
import bitte_nb as bn
from tests.measuring.test_measure import Hanging

model = Hanging(3)

class Model(Hanging):
    async def stream(self, request):
        async for event in model.stream(request):
            if model.hangs.is_set():
                print("hangs", flush=True)
            yield event

tree = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {}}
found = bn.measure(bn.Agent(tree, model=Model(0)), [bn.Case(f"{n}", []) for n in range(9)], max_concurrency=1)
print(len(found.trials), "kept", flush=True)
"""


def test_ctrl_c_is_such_an_interrupt():
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "hangs\n"
        child.send_signal(signal.SIGINT)
        assert child.stdout.read().splitlines()[-1] == "3 kept"
    assert child.returncode == 0


def test_no_more_trials_than_asked_for_run_side_by_side(document: Document):
    running, most, three = 0, 0, asyncio.Event()

    class Model(Answering):
        async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
            nonlocal running, most
            running += 1
            most = max(most, running)
            if running == 3:
                three.set()
            try:
                await three.wait()
                async for event in super().stream(request):
                    yield event
            finally:
                running -= 1

    cases = [bn.Case(f"Hello {n}", []) for n in range(12)]
    assert bn.measure(bn.Agent(document, model=Model(lambda _: "Hi.")), cases, max_concurrency=3).passed
    assert most == 3


def test_a_thousand_cases_are_measured(document: Document):
    model = Answering(lambda request: [("add-note", {"text": said(request)})])
    cases = [bn.Case(f"note {n}", [("add-note", {"text": f"note {n}"})]) for n in range(1000)]
    found = bn.measure(bn.Agent(document, model=model, price=bn.Price(input=1, output=2)), cases, max_concurrency=16)
    assert found.passed
    assert found.cost == pytest.approx((100_000 * 1 + 5_000 * 2) / 1_000_000)


def test_chats_that_are_open_are_left_alone(document: Document, tmp_path: Path):
    agent = bn.Agent(document, wallet=WALLET)
    chat = Chat(agent, store=tmp_path / "chats.sqlite")
    waiting = chat.ask("Add a note saying buy milk").wait()
    before = chat.state
    bn.measure(agent, [MILK, COIN])
    assert chat.state is before
    waiting.pending[0].approve()
    assert waiting.wait().invocations[0].state == "succeeded"
    chat.close()


def test_a_document_is_measured_with_the_options_of_an_agent(document: Document, tmp_path: Path):
    path = tmp_path / "cases.csv"
    path.write_text('prompt,call,args\nAdd a note saying buy milk,add-note,"{""text"": ""buy milk""}"\n')
    assert bn.measure(document, path, wallet=WALLET).passed
    assert bn.measure(document, str(path), model=Answering(lambda _: "No.")).count("missed") == 1
    with pytest.raises(TypeError, match="model: give this to Agent"):
        bn.measure(bn.Agent(document), [COIN], model="offline")


@pytest.mark.parametrize(
    ("cases", "options", "sentence"),
    [
        ([], {}, "There are no cases to measure."),
        ([bn.Case("x", ["flip-coins"])], {}, "no tool of Demo agent. Did you mean 'flip-coin'?"),
        ([COIN], {"runs": 0}, "runs is 0 and max_concurrency 4; both are at least 1."),
        ([COIN], {"results": {"flip-cion": 1}}, "no tool of Demo agent. Did you mean 'flip-coin'?"),
    ],
)
def test_what_cannot_be_measured_is_a_sentence_and_nothing_starts(
    document: Document, cases: list[bn.Case], options: dict[str, Any], sentence: str
):
    model = ScriptedModel([])
    with pytest.raises(bn.errors.MeasureError) as fault:
        bn.measure(bn.Agent(document, model=model), cases, **options)
    assert str(fault.value).endswith(sentence)
    assert model.requests == []


def test_on_the_agent_thread_it_refuses_to_wait_for_itself(document: Document):
    agent = bn.Agent(document)
    with pytest.raises(bn.errors.WaitRefused):
        agent_thread().call(lambda: bn.measure(agent, [COIN]))
