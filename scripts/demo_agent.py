"""The demo agent as a child process, and what a kernel must know to find it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from scripts.server import Server, free_port

if TYPE_CHECKING:
    from pathlib import Path

SEED = 7
"""Makes the demo agent's coin fall the same way in each run of a notebook."""


def demo_agent(folder: Path, *, port: int | None = None) -> Server:
    """The demo agent, not started yet; its log is in `folder`."""
    port = port or free_port()
    return Server(
        [sys.executable, "-m", "bitte_nb.cli", "agent", "--port", str(port), "--seed", str(SEED)],
        name="demo agent",
        port=port,
        ready="/.well-known/ai-plugin.json",
        log=folder / "agent.log",
        cwd=folder,
        env=dict(os.environ),
    )


def kernel_environment(agent: Server, history: Path) -> dict[str, str]:
    """What a kernel is told: `BITTE_NB_DEMO_URL` (no trailing slash) and where chats are kept."""
    return {"BITTE_NB_DEMO_URL": agent.url, "BITTE_NB_HISTORY": str(history)}
