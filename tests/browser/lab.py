"""The JupyterLab and the Chromium of the browser tests, and the address of their demo agent."""

from __future__ import annotations

import json
import shutil
import sys
import uuid
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import httpx
import nbformat
import psutil
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from scripts.demo_agent import demo_agent, kernel_environment
from scripts.lab_server import LabServer
from tests.browser.notebook import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

ROOT = Path(__file__).parents[2]
PAGE_SCRIPT = Path(__file__).with_name("panel.js")
LEASH = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
"""Ends a server with the worker that started it: a run that is interrupted may kill its workers before they tidy up."""
KERNELS = [
    # A page that comes back while its young kernel restarts may be joined to the ports that it had before, for good.
    "--KernelRestarter.random_ports_until_alive=False",
    # A port is chosen before the kernel takes it, and another program may be first; files are the kernel's own.
    *([] if sys.platform == "win32" else ["--ConnectionFileMixin.transport=ipc"]),
]
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}


class Lab(LabServer):
    """JupyterLab in a folder of its own, whose kernels know the demo agent's address and an own history."""

    def __init__(
        self,
        folder: Path,
        *,
        pictures: Path,
        env: Mapping[str, str] | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        root, home = folder / "notebooks", folder / "home"
        root.mkdir(parents=True)
        self.pictures = pictures
        self.agent = demo_agent(folder)
        """The demo agent at the address that the kernels are told; whoever needs it starts it."""
        self.history = folder / "history.sqlite"
        # The path of a kernel's file may have some hundred bytes, so it is in no folder of pytest's.
        self._runtime = TemporaryDirectory(prefix="lab", dir=None if sys.platform == "win32" else "/tmp")
        own = {"HOME": str(home), "JUPYTER_RUNTIME_DIR": self._runtime.name} | kernel_environment(
            self.agent, self.history
        )
        super().__init__(
            root,
            home,
            env=own | dict(env or {}),
            settings=settings,
            arguments=["--LabApp.expose_app_in_browser=True", *KERNELS, *arguments],
        )
        # Whether JupyterLab should be built anew is asked of two Node processes whenever a page is loaded.
        page_config = home / "config" / "labconfig" / "page_config.json"
        page_config.parent.mkdir()
        page_config.write_text(json.dumps({"buildCheck": False}), "utf-8")
        for server in (self, self.agent):
            server.timeout = PATIENCE
            server.command = [*LEASH, *server.command]

    def stop(self, *, grace: float = 15.0) -> None:
        """As `Server.stop`; the files of its kernels are gone too."""
        super().stop(grace=grace)
        self._runtime.cleanup()

    def write(self, cells: Sequence[str], *, name: str | None = None, kernel: str = "python3") -> str:
        """Write a notebook and return its path below `root`; a cell that starts with `md:` is Markdown."""
        notebook = new_notebook(
            metadata={"kernelspec": {"name": kernel, "display_name": kernel, "language": "python"}},
            cells=[
                new_markdown_cell(cell.removeprefix("md:")) if cell.startswith("md:") else new_code_cell(cell)
                for cell in cells
            ],
        )
        path = f"{name or uuid.uuid4().hex[:8]}.ipynb"
        nbformat.write(notebook, self.root / path)
        return path

    def shut_down_kernels(self, path: str) -> None:
        """End the kernel of a notebook, if it has one."""
        for session in self.api("GET", "/api/sessions"):
            if session["path"] == path:
                try:
                    self.api("DELETE", f"/api/sessions/{session['id']}")
                except httpx.HTTPStatusError as error:
                    if error.response.status_code not in (404, 410):  # it may have ended meanwhile
                        raise

    def api(self, method: str, path: str, *, body: Any = None) -> Any:
        """The answer of one call of the server's REST API."""
        response = httpx.request(
            method,
            self.url + path,
            json=body,
            headers={"Authorization": f"token {self.token}"},
            timeout=PATIENCE,
            trust_env=False,
        )
        response.raise_for_status()
        return response.json() if response.content else None

    def kernel_pid(self, kernel_id: str) -> int:
        """Process id of a kernel of this server, found by the name of its connection file."""
        for process in psutil.Process(self.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # others end meanwhile
                if any(f"kernel-{kernel_id}" in argument for argument in process.cmdline()):
                    return int(process.pid)
        raise AssertionError(f"no process of this JupyterLab runs kernel {kernel_id}")


class Desk:
    """The page that all tests share which need no other: loading JupyterLab takes longer than most of them."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._page: Page | None = None

    def page(self) -> Page:
        """The page, as large as every other; a new one where there is none, or a question of JupyterLab was left."""
        if self._page is not None and self._page.locator(".jp-Dialog").count():
            self.drop()
        if self._page is None:
            self._page = new_context(self._browser).new_page()
        self._page.set_viewport_size(VIEWPORT)
        return self._page

    def drop(self) -> None:
        """Close the page, whatever it shows."""
        if self._page is not None:
            self._page.context.close()
        self._page = None


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """A clean browser profile whose pages can be driven by `Notebook`; the options are Playwright's."""
    context = browser.new_context(**{"viewport": VIEWPORT, **options})
    context.set_default_timeout(PATIENCE * 1000)
    context.add_init_script(path=PAGE_SCRIPT)
    return context
