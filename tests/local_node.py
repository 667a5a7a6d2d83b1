"""A real local EVM node (anvil) for the tests that send, and ways to ask it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from scripts.server import free_port

ROOT = Path(__file__).parents[1]


def said(url: str, method: str, *params: object) -> Any:
    """The whole answer of the node, an error too."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return httpx.post(url, json=body, trust_env=False, timeout=60).json()


def ask(url: str, method: str, *params: object) -> Any:
    """The result of one method."""
    answer = said(url, method, *params)
    assert "error" not in answer, answer
    return answer["result"]


@contextmanager
def local_node() -> Iterator[str]:
    """The URL of a node of its own; skips the test where none is installed."""
    named = os.environ.get("BITTE_NB_ANVIL")
    binary = Path(named) if named else ROOT / "js" / "node_modules" / ".bin" / "anvil"
    if not binary.exists():
        pytest.skip("no anvil: run `npm ci` in js/, or name the binary in BITTE_NB_ANVIL")
    port = free_port()
    process = subprocess.Popen([binary, "--silent", "--host", "127.0.0.1", "--port", str(port)])
    url = f"http://127.0.0.1:{port}"
    try:
        while True:
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
