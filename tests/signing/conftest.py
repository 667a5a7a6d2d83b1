"""A real local EVM node for the tests that send."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[2]


def anvil_binary() -> Path | None:
    named = os.environ.get("BITTE_NB_ANVIL")
    path = Path(named) if named else ROOT / "js" / "node_modules" / ".bin" / "anvil"
    return path if path.exists() else None


def said(url: str, method: str, *params: object) -> Any:
    """The whole answer of the node, an error too."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return httpx.post(url, json=body, trust_env=False).json()


def ask(url: str, method: str, *params: object) -> Any:
    answer = said(url, method, *params)
    assert "error" not in answer, answer
    return answer["result"]


@pytest.fixture(scope="session")
def anvil_process() -> Iterator[str]:
    binary = anvil_binary()
    if binary is None:
        pytest.skip("no anvil: run `npm ci` in js/, or name the binary in BITTE_NB_ANVIL")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([binary, "--silent", "--host", "127.0.0.1", "--port", str(port)])
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(100):
            try:
                ask(url, "eth_chainId")
                break
            except httpx.TransportError:
                assert process.poll() is None, "anvil ended at once"
                time.sleep(0.05)
        yield url
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def anvil(anvil_process: str) -> Iterator[str]:
    """The node's URL; what a test changes is taken back."""
    snapshot = ask(anvil_process, "evm_snapshot")
    yield anvil_process
    ask(anvil_process, "evm_revert", snapshot)
    ask(anvil_process, "evm_setAutomine", True)


@pytest.fixture
def rpc(anvil: str) -> Callable[..., Any]:
    """Ask the node directly, past the signer."""
    return partial(ask, anvil)
