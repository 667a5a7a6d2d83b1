"""A running demo agent, new for each test, and a client for it."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from bitte_nb.demo.agent import DemoAgent, serve


@pytest.fixture
def agent() -> Iterator[DemoAgent]:
    with serve(seed=7) as running:
        yield running


@pytest.fixture
def client(agent: DemoAgent) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=agent.url, trust_env=False, timeout=60) as opened:
        yield opened
