"""One server on the loopback interface, run as a child process and ended by its pid."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class ServerDied(RuntimeError):
    """The server ended, or never answered, before it was ready; the message carries the end of its log."""


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listened on a moment ago, and that no system gives away unasked.

    Raises:
        OSError: none was found.
    """
    for port in random.SystemRandom().sample(range(20_000, 32_000), 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("No free TCP port of 127.0.0.1 was found from 20000 to 32000.")


class Server:
    """A child that serves HTTP on 127.0.0.1; a context manager that waits until it answers and ends it.

    The child leads a session of its own, so that Ctrl-C in the terminal reaches only whoever owns this
    object, and everything is ended in order.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        name: str,
        port: int,
        ready: str,
        log: Path,
        cwd: Path,
        env: Mapping[str, str],
        timeout: float = 60.0,
    ) -> None:
        self.command = list(command)
        self.name = name
        self.port = port
        self.ready = ready
        """Path that answers with a status below 400 once the server is usable."""
        self.log = log
        self.cwd = cwd
        self.env = dict(env)
        self.timeout = timeout
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it serves, without a trailing slash."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Process id of the running child."""
        if self._child is None:
            raise ServerDied(f"The {self.name} is not running.")
        return self._child.pid

    def start(self) -> Self:
        """Start the child and wait until `ready` answers.

        Raises:
            ServerDied: it ended or stayed silent for `timeout` seconds; it is not running any more.
        """
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            self._child = subprocess.Popen(
                self.command,
                cwd=self.cwd,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self, *, grace: float = 15.0) -> None:
        """Ask the child to end, and kill its process group if it has not ended after `grace` seconds."""
        child, self._child = self._child, None
        if child is None:
            return
        child.terminate()
        try:
            child.wait(grace)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()

    def ended(self) -> bool:
        """Whether the child is gone, by itself or because it was stopped."""
        return self._child is None or self._child.poll() is not None

    def log_tail(self, *, characters: int = 3000) -> str:
        """The last characters of what the child printed."""
        return self.log.read_text("utf-8", errors="replace")[-characters:] if self.log.exists() else ""

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + self.timeout
        while not self._answers():
            if self.ended():
                raise ServerDied(f"The {self.name} ended before it was ready. Its last words:\n{self.log_tail()}")
            if time.monotonic() > deadline:
                raise ServerDied(
                    f"The {self.name} did not answer at {self.url}{self.ready} within {self.timeout:.0f} s. "
                    f"Its last words:\n{self.log_tail()}"
                )
            time.sleep(0.05)

    def _answers(self) -> bool:
        # No proxy: a proxy setting of the machine says nothing about its own loopback interface.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(self.url + self.ready, timeout=10):
                return True
        except urllib.error.HTTPError as error:
            error.close()
            return False
        except OSError:
            return False

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
