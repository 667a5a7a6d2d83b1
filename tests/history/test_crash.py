"""What was acknowledged outlives the program; programs that share a chat lose and interleave nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

from bitte_nb.core.log import TextAdded
from bitte_nb.history.store import Loaded, open_store

ROOT = Path(__file__).parents[2]
APPENDER = Path(__file__).with_name("appender.py")


def started(target: str, name: str, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(APPENDER), target, "c1", name, *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def begun(target: str) -> None:
    store = open_store(target)
    store.create("c1", "t", 1)
    store.close()


def texts(loaded: Loaded) -> list[list[str]]:
    """The name, number and part of every entry."""
    assert loaded.gaps == []
    return [one.text.split() for one in loaded.entries if isinstance(one, TextAdded)]


def test_what_was_acknowledged_is_there_after_kill_9(target: str):
    begun(target)
    random = Random(7)
    acknowledged: list[tuple[str, int]] = []
    head = 0
    for run in range(5):
        program = started(target, f"run{run}")
        assert program.stdout is not None
        said = "".join(program.stdout.readline() for _ in range(random.randint(1, 6)))
        time.sleep(random.uniform(0, 0.02))  # so that it dies somewhere between two lines
        program.send_signal(signal.SIGKILL)
        said += program.communicate()[0]
        whole = said[: said.rfind("\n") + 1]  # its last line may be torn
        lines = [line.split() for line in whole.splitlines()]
        acknowledged += [(f"run{run}", int(number)) for _, number in lines]
        head = max(head, *(int(one) for one, _ in lines))
        store = open_store(target)
        loaded = store.load("c1")
        store.close()
        assert loaded.head >= head
    kept = texts(loaded)
    assert len(acknowledged) >= 5
    seen = {(name, int(number)) for name, number, _ in kept}
    assert seen.issuperset(acknowledged)
    assert [[*kept[at][:2], str(at % 3)] for at in range(len(kept))] == kept  # each append whole, none torn
    assert len(kept) == 3 * len(seen)


def test_two_programs_on_one_chat_lose_and_interleave_nothing(target: str):
    begun(target)
    programs = [started(target, name, "30") for name in ("a", "b")]
    for program in programs:
        program.communicate(timeout=100)
        assert program.returncode == 0
    store = open_store(target)
    kept = texts(store.load("c1"))
    store.close()
    assert len(kept) == 2 * 30 * 3
    for at in range(0, len(kept), 3):
        assert [one[:2] for one in kept[at : at + 3]] == [kept[at][:2]] * 3
        assert [one[2] for one in kept[at : at + 3]] == ["0", "1", "2"]
    for name in ("a", "b"):
        assert [int(one[1]) for one in kept if one[0] == name] == [n for n in range(30) for _ in range(3)]
