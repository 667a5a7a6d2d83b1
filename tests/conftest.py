"""Order of the whole suite: browser tests last."""

from __future__ import annotations

from pathlib import Path

import pytest

BROWSER = Path(__file__).parent / "browser"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the browser tests last: Playwright's event loop stays in its thread, where async tests need their own."""
    items.sort(key=lambda item: BROWSER in item.path.parents)
