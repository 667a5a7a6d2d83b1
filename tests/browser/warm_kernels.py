"""Kernels forked from a process that has imported what most of a kernel's start imports; each is a process of its own.

A JupyterLab server runs `use()` from its configuration; the process that forks runs this file. What registers itself
with the kernel as it is imported (ipywidgets, and so `bitte_nb.widget`) is left for the kernel to import.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import psutil

CONFIGURATION = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.browser import warm_kernels
del sys.path[0]
warm_kernels.use()
"""
"""What `jupyter_server_config.py` of such a server says."""

FORKS = sys.platform == "linux"
"""Whether a fork may go on without `exec`; macOS's own libraries forbid it, and Windows has none."""

STANDARD = ["-m", "ipykernel_launcher", "-f"]
"""Arguments of a kernel that can be forked, before the path of its connection file."""


class ForkedKernel:
    """What Jupyter asks of a `subprocess.Popen`, of a process that another one started."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._process = psutil.Process(pid)

    def poll(self) -> int | None:
        """0 once it has ended, however it did."""
        return None if self._process.is_running() else 0

    def wait(self, timeout: float | None = None) -> int:
        self._process.wait(timeout)
        return 0

    def send_signal(self, number: int) -> None:
        """Send it, unless the process has ended."""
        with contextlib.suppress(psutil.NoSuchProcess):
            self._process.send_signal(number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def use() -> None:
    """Let this process start its standard kernels as forks; others start as ever."""
    from jupyter_client.launcher import launch_kernel
    from jupyter_client.provisioning import local_provisioner

    forker = Forker()

    def launch(cmd: list[str], *, env: dict[str, str], cwd: str | None = None, **options: Any) -> Any:
        if cmd[1:-1] == STANDARD and env.get("PYTHONPATH") == os.environ.get("PYTHONPATH"):
            return ForkedKernel(forker.fork(cmd, cwd=cwd, env=env))
        return launch_kernel(cmd, env=env, cwd=cwd, **options)

    local_provisioner.launch_kernel = launch  # pyright: ignore[reportPrivateImportUsage]


class Forker:
    """The process that forks, started for the first kernel; it ends with the process that owns this."""

    def __init__(self) -> None:
        self._ours: socket.socket | None = None

    def fork(self, cmd: list[str], *, cwd: str | None, env: dict[str, str]) -> int:
        """Process id of a new kernel, which leads a session of its own."""
        if self._ours is None:
            self._ours, its = socket.socketpair()
            subprocess.Popen([sys.executable, __file__], stdin=its.fileno())
            its.close()
        self._ours.sendall(json.dumps([cmd, cwd, env]).encode() + b"\n")
        return int(self._ours.recv(32))


def serve() -> None:
    """Fork a kernel for each line of the socket that is this process's standard input; returns in each kernel."""
    from ipykernel import kernelapp

    for name in ("bitte_nb.agent.agent", "bitte_nb.agent.chat"):
        import_module(name)
    assert "ipywidgets" not in sys.modules
    owner = socket.socket(fileno=os.dup(0))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in owner.makefile():
        if os.fork() != 0:
            continue
        os.setsid()
        cmd, cwd, env = json.loads(line)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.environ.clear()
        os.environ.update(env | {"JPY_PARENT_PID": str(os.getppid())})
        os.chdir(cwd or ".")
        sys.argv = cmd[2:]
        owner.sendall(str(os.getpid()).encode())
        owner.close()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        kernelapp.launch_new_instance()
        return


if __name__ == "__main__":
    del sys.path[0]
    serve()
