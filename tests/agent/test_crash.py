"""kill -9 at every point around a dispatch: at most one request leaves, and loading runs nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.demo.agent import DemoAgent
from tests.agent.conftest import Counts

PROGRAM = """
import os, signal, sys
import bitte_nb as bn
from bitte_nb.agent import runner
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.conversation import Conversation
from bitte_nb.agent.operation_binding import OperationBinding

url, history, point = sys.argv[1:]

def die():
    os.kill(os.getpid(), signal.SIGKILL)

call_events = Conversation.call_events
def watched(self, events):
    names = [event.type for key, event in events if self.state.invocations[key].tool == "add-note"]
    if any(point == f"before {name}" for name in names):
        die()
    done = call_events(self, events)
    if any(point == f"after {name}" for name in names):
        die()
    return done
Conversation.call_events = watched

run = OperationBinding._run
async def sending(self, args, key):
    outcome = await run(self, args, key)
    if point == "answer arrived":
        die()
    return outcome
OperationBinding._run = sending

chat = Chat(bn.Agent(url, wallet=bn.Wallet(account_id="alice.near")), store=history)
print(chat.id, flush=True)
turn = chat.ask("add a note saying survived")
[pending] = turn.pending
if point == "pending":
    die()
pending.approve()
if point == "after approve":
    die()
turn.wait(20)
"""

POINTS = {
    "before args_closed": ("cancelled", 0),
    "after args_closed": ("pending", 0),
    "before policy_ask": ("pending", 0),
    "after policy_ask": ("pending", 0),
    "pending": ("pending", 0),
    "before dispatch": ("pending", 0),
    "after dispatch": ("unknown", 0),
    "answer arrived": ("unknown", 1),
    "before result": ("unknown", 1),
    "after result": ("succeeded", 1),
}
"""Where the program dies -> the state after loading, and how many notes there are."""


@pytest.mark.parametrize("point", POINTS)
def test_a_call_runs_at_most_once_wherever_the_program_dies(
    demo: DemoAgent, counts: Counts, history: Path, tmp_path: Path, point: str
) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(program), demo.document_url, str(history), point],
        capture_output=True,
        text=True,
        timeout=60,
        env=dict(os.environ),
        check=False,
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    state, effects = POINTS[point]
    requests = counts.requests
    assert counts.effects == effects

    chat = Chat.load(run.stdout.split()[0], store=history)
    [call] = chat.invocations
    assert call.state == state
    assert counts.requests == requests, "loading sent something"
    again = Chat.load(chat.id, store=history)
    assert [one.state for one in again.invocations] == [state], "loading twice changed something"

    if state == "pending":
        turn = again.turn
        assert turn is not None
        turn.pending[0].approve()
        assert turn.wait(20).phase == "done"
        assert counts.effects == 1
    chat.close()
    again.close()


def test_an_offline_chat_is_loaded_with_no_agent_and_no_network(demo: DemoAgent, history: Path) -> None:
    chat = Chat(bn.Agent(demo.document_url, wallet=bn.Wallet(account_id="alice.near")), store=history)
    chat.ask("who am I?").wait(20)
    waiting = chat.ask("add a note saying later").wait(20)
    assert [pending.tool for pending in waiting.pending] == ["add-note"]
    chat.close()
    demo.close()
    again = Chat.load(chat.id, store=history)
    assert [turn.phase for turn in again.turns] == ["done", "awaiting"]
    assert again.agent.wallet.account_id == "alice.near"
    [pending] = again.pending
    pending.approve()
    turn = again.turn
    assert turn is not None
    assert turn.wait(20).invocations[0].state == "failed"  # nobody listens any more, and it is said
    again.close()
