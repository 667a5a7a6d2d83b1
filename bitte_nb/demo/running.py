"""The demo agent that a notebook or script can count on: the one that is running, else one started here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bitte_nb.demo.agent import DemoAgent

__all__ = ["document_url"]

_PATH = "/.well-known/ai-plugin.json"
_started: list[DemoAgent] = []


def document_url(*, seed: int | None = 7) -> str:
    """Address of the demo agent's document.

    `BITTE_NB_DEMO_URL` names a running agent (`make demo` and `bitte-nb agent` print theirs); without it one is started
    in this process, on a free loopback port, and ends with it.
    """
    running = os.environ.get("BITTE_NB_DEMO_URL")
    if running:
        return running.rstrip("/") + _PATH
    from bitte_nb.demo.agent import serve

    if not _started:
        _started.append(serve(seed=seed))
    return _started[0].document_url
