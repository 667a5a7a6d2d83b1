"""What holds for the whole suite: its order, its patience, and that a request to end it ends what it started."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

BROWSER = Path(__file__).parent / "browser"

# How long one example takes says how busy the machine is, not whether the rule holds.
settings.register_profile("patient", settings(deadline=None))
settings.load_profile("patient")


def pytest_configure(config: pytest.Config) -> None:
    """Treat SIGTERM like Ctrl-C, so that servers and browsers that fixtures started are ended too."""
    if not hasattr(config, "workerinput"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the browser tests last: Playwright's event loop stays in its thread, where async tests need their own."""
    items.sort(key=lambda item: BROWSER in item.path.parents)
