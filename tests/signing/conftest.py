"""A real local EVM node for the tests that send, and a stand-in for a NEAR node."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.local_node import ask, local_node
from tests.signing.near_stand_in import NearStandIn


@pytest.fixture(scope="session")
def anvil_process() -> Iterator[str]:
    with local_node() as url:
        yield url


@pytest.fixture
def anvil(anvil_process: str) -> Iterator[str]:
    """The node's URL; what a test changes is taken back."""
    snapshot = ask(anvil_process, "evm_snapshot")
    yield anvil_process
    ask(anvil_process, "evm_revert", snapshot)
    # Going back to a snapshot sets the clock of the node back, too; the next test's blocks are of its own time.
    ask(anvil_process, "anvil_setTime", int(time.time()))
    ask(anvil_process, "evm_setAutomine", True)


@pytest.fixture
def rpc(anvil: str) -> Callable[..., Any]:
    """Ask the node directly, past the signer."""
    return partial(ask, anvil)


@pytest.fixture
def stand_in() -> Iterator[NearStandIn]:
    """See `near_stand_in`."""
    server = NearStandIn()
    yield server
    server.shutdown()
    server.server_close()
