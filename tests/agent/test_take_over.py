"""Two kernels on one chat: the second reads, takes over when it is told to, and nothing is lost or mixed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.demo.agent import DemoAgent
from bitte_nb.errors import HistoryError
from bitte_nb.testing import Pause, ScriptedModel
from tests.agent.conftest import Counts

ROOT = Path(__file__).parents[2]
KERNEL = """
import sys
import bitte_nb as bn
from bitte_nb.agent.chat import Chat
url, history, chat_id = sys.argv[1:]
if chat_id == "new":
    chat = Chat(bn.Agent(url, wallet=bn.Wallet(account_id="alice.near")), store=history)
else:
    chat = Chat.load(chat_id, store=history)
for line in sys.stdin:
    try:
        said = eval(line)
        print(repr(said if isinstance(said, (str, int)) else repr(said)), flush=True)
    except Exception as error:
        print(repr(f"{type(error).__name__}: {error}"), flush=True)
"""


class Kernel:
    """Another program with the chat, told line by line what to do."""

    def __init__(self, program: subprocess.Popen[str]) -> None:
        self.program = program

    def do(self, line: str) -> object:
        assert self.program.stdin is not None
        assert self.program.stdout is not None
        self.program.stdin.write(line + "\n")
        self.program.stdin.flush()
        return eval(self.program.stdout.readline())


@pytest.fixture
def kernel(demo: DemoAgent, target: str) -> Iterator[Callable[[str], Kernel]]:
    """Starts another kernel on a chat, or on a new one."""
    running: list[subprocess.Popen[str]] = []

    def start(chat_id: str = "new") -> Kernel:
        command = [sys.executable, "-c", KERNEL, demo.document_url, target, chat_id]
        running.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT))
        return Kernel(running[-1])

    yield start
    for program in running:
        program.kill()
        program.communicate()


@pytest.fixture
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / getattr(request, "param", "history.db"))


def begun(first: Kernel) -> str:
    assert first.do("chat.ask('who am I?').wait(60).phase") == "done"
    return str(first.do("chat.id"))


@pytest.mark.parametrize("target", ["history.db", "history.jsonl"], indirect=True)
def test_the_second_kernel_reads_and_acts_only_once_it_took_over(kernel: Callable[..., Kernel], target: str) -> None:
    first = kernel()
    chat = Chat.load(begun(first), store=target)
    assert "is written by another kernel now (process " in chat.notice
    assert [turn.phase for turn in chat.turns] == ["done"]
    for act in (lambda: chat.ask("mine"), chat.proceed, lambda: chat.ask("again")):
        with pytest.raises((HistoryError, bn.errors.DecisionRefused)):
            act()
    assert first.do("chat.ask('who am I?').wait(60).phase") == "done"

    assert chat.take_over() is chat
    assert (chat.notice, len(chat.turns)) == ("", 2), "what the first said meanwhile is there"
    assert chat.ask("who am I?").wait(60).phase == "done"
    said = str(first.do("chat.ask('lost?')"))
    assert said.startswith("ChatConflict: The chat")
    assert "`chat.take_over()` goes on with it here" in said
    assert first.do("chat.notice") == said.partition(": ")[2]

    first.do("chat.take_over()")
    assert first.do("len(chat.turns)") == 3
    assert first.do("chat.ask('who am I?').wait(60).phase") == "done"
    with pytest.raises(HistoryError, match="another kernel"):
        chat.ask("lost?")
    chat.take_over()
    assert [turn.state.text for turn in chat.turns] == ["who am I?"] * 4
    assert [turn.state.turn for turn in chat.turns] == [1, 2, 3, 4]
    chat.close()


def test_a_card_that_waits_in_one_kernel_runs_once_wherever_it_is_approved(
    kernel: Callable[..., Kernel], target: str, counts: Counts
) -> None:
    first = kernel()
    assert first.do("chat.ask('add a note saying once').wait(60).phase") == "awaiting"
    chat = Chat.load(str(first.do("chat.id")), store=target)
    with pytest.raises(HistoryError, match="another kernel"):
        chat.pending[0].approve()
    chat.take_over()
    assert str(first.do("chat.pending[0].approve()")).startswith("ChatConflict")
    assert counts.effects == 0
    chat.pending[0].approve()
    assert chat.turns[-1].wait(60).phase == "done"
    assert counts.effects == 1
    chat.close()


@pytest.mark.parametrize("end", ["killed", "closed"])
def test_a_kernel_that_is_gone_holds_nothing(kernel: Callable[..., Kernel], target: str, end: str) -> None:
    first = kernel()
    chat_id = begun(first)
    if end == "killed":
        first.program.kill()
        first.program.wait()
    else:
        first.do("chat.close()")
    until = time.monotonic() + 60
    while (chat := Chat.load(chat_id, store=target)).notice:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert chat.ask("who am I?").wait(60).phase == "done"
    assert "another kernel" in str(kernel(chat_id).do("chat.notice"))
    chat.close()


def test_two_kernels_that_begin_at_once_leave_one_writer(kernel: Callable[..., Kernel], target: str) -> None:
    first = kernel()
    chat_id = begun(first)
    first.do("chat.close()")
    others = [kernel(chat_id) for _ in range(2)]
    notices = [str(one.do("chat.notice")) for one in others]
    assert sum(not notice for notice in notices) == 1
    said = [str(one.do("chat.ask('who am I?').wait(60).phase")) for one in others]
    assert sorted("done" if one == "done" else "refused" for one in said) == ["done", "refused"]


def test_a_second_object_in_the_same_kernel_is_no_second_kernel(demo: DemoAgent, history: Path) -> None:
    chat = Chat(bn.Agent(demo.document_url), store=history)
    chat.ask("flip a coin").wait(60)
    again = Chat.load(chat.id, store=history)
    assert again.notice == ""
    assert again.ask("flip a coin").wait(60).phase == "done"
    with pytest.raises(HistoryError, match="moved on"):
        chat.ask("flip a coin")
    assert len(chat.take_over().turns) == 2
    assert chat.ask("flip a coin").wait(60).phase == "done"
    chat.close()


def test_a_chat_that_is_read_again_while_it_speaks_loses_no_word_and_goes_on(demo: DemoAgent, history: Path) -> None:
    said, never = threading.Event(), asyncio.Event()

    async def pause(_seconds: float) -> None:
        said.set()
        await never.wait()

    model = ScriptedModel([["Half a sentence", Pause(1), "and more"], ["Whole."]], sleep=pause)
    chat = Chat(bn.Agent(demo.document_url, model=model), store=history)
    turn = chat.ask("go")
    assert said.wait(60)
    chat.wait_for(lambda: turn.text == "Half a sentence", 60)
    chat.take_over()
    assert chat.turns[0].text == "Half a sentence"
    assert chat.turns[0].phase == "failed"
    chat.close()
