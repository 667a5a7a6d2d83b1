"""A real kernel of a given ipykernel, driven as a front end drives it: cells on the shell, clicks on a comm.

Like a front end, it sends no cell before the kernel answered the last one: until a chat is shown, an ipykernel 7.3 may
lose a request that comes in while it answers another (ipykernel#1529).
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from queue import Empty
from tempfile import TemporaryDirectory
from typing import Any

from jupyter_client.manager import KernelManager

ROOT = Path(__file__).parents[2]
INSTALLED = version("ipykernel")
CACHE = ROOT / ".cache" / "kernels"
"""`make kernels` puts other versions of ipykernel here, a folder each."""
VERSIONS = ("6.31.0", "7.3.0", INSTALLED)

Message = dict[str, Any]


class Kernel:
    """One kernel and one client. Times are in seconds."""

    def __init__(self, ipykernel: str, folder: Path) -> None:
        self.ipykernel = ipykernel
        self.folder = folder
        """Where it runs."""
        path = [str(CACHE / ipykernel)] if ipykernel != INSTALLED else []
        self.messages: list[tuple[float, Message]] = []
        """All that it published so far, with the time of arrival."""
        # A port is chosen before the kernel takes it, and another program may be first; files are the kernel's own, and
        # their path may have some hundred bytes.
        self._files = TemporaryDirectory(prefix="kernel", dir="/tmp")
        self._manager = KernelManager(kernel_name="python3", transport="ipc", ip=f"{self._files.name}/channel")
        inherited = os.environ.get("PYTHONPATH", "")
        env = os.environ | {"PYTHONPATH": os.pathsep.join([*path, *([inherited] if inherited else [])])}
        env |= {"IPYTHONDIR": str(folder / "ipython"), "PYTHONSAFEPATH": "1"}
        self._manager.start_kernel(env=env, cwd=str(folder))
        self.client = self._manager.blocking_client()
        self.client.start_channels()
        self.subshell: str | None = None
        """The shell that clicks are sent to, where the kernel has more than one: JupyterLab's way."""
        try:
            self._meet()
        except BaseException:
            self.end()
            raise

    def _meet(self) -> None:
        """Ask until what the kernel publishes arrives too, one question after the other."""
        asked = ""
        while self.ended(asked) is None:
            asked = self.client.kernel_info()
            self._replied(asked)
            with suppress(AssertionError):
                self.until(lambda asked=asked: self.ended(asked) is not None, timeout=2)

    def _replied(self, asked: str) -> Message:
        """Wait for the reply to a request on the shell; clicks have none."""
        while True:
            reply: Message = self.client.get_shell_msg(timeout=90)
            if _parent(reply) == asked:
                return reply

    def end(self) -> None:
        self.client.stop_channels()
        self._manager.shutdown_kernel(now=True)
        self._files.cleanup()

    def open_subshell(self) -> None:
        """Ask for a shell of the comms' own; an ipykernel before 7 has none and says nothing."""
        if self.python("__import__('ipykernel').version_info[0]") == "6":
            return
        message = self.client.session.msg("create_subshell_request", {})
        self.client.control_channel.send(message)
        reply = self.client.get_control_msg(timeout=90)
        self.subshell = str(reply["content"]["subshell_id"])

    def complete(self, code: str) -> list[str]:
        """What may come at the end of the code."""
        return list(self._replied(self.client.complete(code, len(code)))["content"]["matches"])

    def start(self, code: str) -> str:
        """Send a cell and return its id at once."""
        return str(self.client.execute(code))

    def run(self, code: str, *, timeout: float = 90) -> str:
        """Run a cell; returns what it printed and its value.

        Raises:
            AssertionError: it raised, or did not end in time.
        """
        return self.finish(self.start(code), timeout=timeout)

    def python(self, expression: str) -> str:
        """The `repr` of an expression."""
        return self.run(expression)

    def finish(self, cell: str, *, timeout: float = 90) -> str:
        self.until(lambda: self.ended(cell) is not None, timeout=timeout)
        self._replied(cell)
        said: list[str] = []
        for message in self.published(cell):
            content = message["content"]
            match message["msg_type"]:
                case "stream":
                    said.append(content["text"])
                case "execute_result":
                    said.append(content["data"]["text/plain"])
                case "error":
                    raise AssertionError("\n".join(content["traceback"]))
                case _:
                    pass
        return "".join(said)

    def ended(self, cell: str) -> float | None:
        """When the kernel said that it was done with the cell."""
        for at, message in self.messages:
            if _parent(message) == cell and message["content"].get("execution_state") == "idle":
                return at
        return None

    def running(self, cell: str) -> bool:
        """Whether the kernel has begun with the cell."""
        return any(one["msg_type"] == "execute_input" for one in self.published(cell))

    def published(self, cell: str) -> list[Message]:
        return [message for _, message in self.messages if _parent(message) == cell]

    def comm(self) -> str:
        """The id of the newest chat widget's comm."""
        opened = [one["content"] for _, one in self.messages if one["msg_type"] == "comm_open"]
        return str(next(one for one in reversed(opened) if "_esm" in one["data"].get("state", {}))["comm_id"])

    def click(self, content: Message, *, comm: str | None = None) -> None:
        """Send what a page sends."""
        message = self.client.session.msg(
            "comm_msg", {"comm_id": comm or self.comm(), "data": {"method": "custom", "content": content}}
        )
        if self.subshell is not None:
            message["header"]["subshell_id"] = self.subshell
        self.client.shell_channel.send(message)

    def customs(self, kind: str) -> list[tuple[float, Message]]:
        """The custom messages of one type that widgets sent, with their times."""
        found: list[tuple[float, Message]] = []
        for at, message in self.messages:
            data = message["content"].get("data", {})
            if message["msg_type"] == "comm_msg" and data.get("method") == "custom":
                content = data["content"]
                if content.get("type") == kind:
                    found.append((at, content))
        return found

    def answer(self, mid: str) -> float:
        """When a request of the page was acknowledged, which was sent once."""
        self.until(lambda: any(one["mid"] == mid for _, one in self.customs("ack")))
        return next(at for at, one in self.customs("ack") if one["mid"] == mid)

    def until(self, condition: Any, *, timeout: float = 60) -> None:
        """Read what the kernel publishes until the condition holds.

        Raises:
            AssertionError: it did not in time.
        """
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"waited {timeout} s in vain")
            try:
                message = self.client.get_iopub_msg(timeout=0.2)
            except Empty:
                continue
            self.messages.append((time.monotonic(), message))


def _parent(message: Message) -> str:
    return str(message["parent_header"].get("msg_id", ""))
