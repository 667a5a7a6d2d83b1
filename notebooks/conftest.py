"""Each notebook that pytest runs (`--nbval`) gets a fresh demo agent and a history of its own."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scripts.demo_agent import demo_agent, kernel_environment
from scripts.lab_server import jupyter_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNNING = pytest.StashKey[tuple[Path, contextlib.ExitStack]]()


@pytest.hookimpl(tryfirst=True, wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Before the first cell of a notebook starts its kernel: start an agent and tell the environment about it."""
    running = item.session.stash.get(RUNNING, None)
    if running is None or running[0] != item.path:
        if running is not None:
            running[1].close()
        stack = contextlib.ExitStack()
        item.session.stash[RUNNING] = (item.path, stack)
        temporary = tempfile.TemporaryDirectory(prefix="bitte-nb-", ignore_cleanup_errors=True)
        folder = Path(stack.enter_context(temporary))
        agent = stack.enter_context(demo_agent(folder))
        known = kernel_environment(agent, folder / "history.sqlite")
        os.environ |= jupyter_environment(folder / "jupyter", extra=known)
    return (yield)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the last notebook's agent."""
    if (running := session.stash.get(RUNNING, None)) is not None:
        running[1].close()
