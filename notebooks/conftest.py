"""Each notebook that pytest runs (`--nbval`) gets a fresh demo agent and a history of its own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scripts.demo_agent import demo_agent, kernel_environment
from scripts.lab_server import jupyter_environment
from scripts.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNNING = pytest.StashKey[tuple[Path, Server]]()


@pytest.hookimpl(tryfirst=True, wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Before the first cell of a notebook starts its kernel: start the agent and tell the environment about it."""
    stash = item.session.stash
    running = stash.get(RUNNING, None)
    if running is None or running[0] != item.path:
        if running:
            running[1].stop()
        folder = Path(tempfile.mkdtemp(prefix="bitte-nb-"))
        agent = demo_agent(folder).start()
        stash[RUNNING] = (item.path, agent)
        os.environ |= jupyter_environment(
            folder / "jupyter", extra=kernel_environment(agent, folder / "history.sqlite")
        )
    return (yield)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the last notebook's agent."""
    if running := session.stash.get(RUNNING, None):
        running[1].stop()
