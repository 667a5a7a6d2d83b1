"""Child servers of the demo and the browser tests: they are ready when said to be, and gone when stopped."""

from __future__ import annotations

import os
import signal
import sys
import time
import urllib.request
from typing import TYPE_CHECKING

import pytest

from scripts.server import Server, ServerDied, free_port

if TYPE_CHECKING:
    from pathlib import Path

SERVE = """
import http.server, sys, time, signal
print("hello from the child", flush=True)
if "stubborn" in sys.argv: signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "dies" in sys.argv: sys.exit(3)
if "silent" in sys.argv: time.sleep(60)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler).serve_forever()
"""


def server(folder: Path, *manners: str, timeout: float = 60, ready: str = "/") -> Server:
    """A small server with those manners, not started yet."""
    port = free_port()
    return Server(
        [sys.executable, "-c", SERVE, str(port), *manners],
        name="small server",
        port=port,
        ready=ready,
        log=folder / "small.log",
        cwd=folder,
        env=dict(os.environ),
        timeout=timeout,
    )


def gone(pid: int) -> bool:
    """Whether no process has that id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_it_answers_once_it_is_started_and_is_gone_once_it_is_stopped(tmp_path: Path):
    with server(tmp_path) as running:
        pid = running.pid
        with urllib.request.urlopen(running.url + running.ready, timeout=60) as answer:
            assert answer.status == 200
        assert not running.ended()
    assert running.ended()
    assert gone(pid)
    running.stop()


def test_one_that_dies_says_its_last_words(tmp_path: Path):
    with pytest.raises(ServerDied, match=r"(?s)small server ended before it was ready.*hello from the child"):
        server(tmp_path, "dies").start()


def test_one_that_stays_silent_is_ended(tmp_path: Path):
    silent = server(tmp_path, "silent", timeout=0.5)
    with pytest.raises(ServerDied, match=r"did not answer at http://127\.0\.0\.1:"):
        silent.start()
    assert silent.ended()


def test_an_error_status_is_not_ready(tmp_path: Path):
    with pytest.raises(ServerDied, match=r"/missing within"):
        server(tmp_path, ready="/missing", timeout=1.5).start()


def test_one_that_ignores_the_request_to_end_is_killed(tmp_path: Path):
    stubborn = server(tmp_path, "stubborn").start()
    pid, start = stubborn.pid, time.monotonic()
    stubborn.stop(grace=0.3)
    assert gone(pid)
    assert time.monotonic() - start < 30


def test_it_leads_a_session_of_its_own_so_that_ctrl_c_in_the_terminal_spares_it(tmp_path: Path):
    with server(tmp_path) as running:
        assert os.getsid(running.pid) == running.pid != os.getsid(0)
        os.kill(running.pid, signal.SIGKILL)
        deadline = time.monotonic() + 60
        while not running.ended() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert running.ended()
