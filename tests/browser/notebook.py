"""One notebook open in one page of a real JupyterLab, as the browser tests drive it."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Any, Literal

import nbformat

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import ConsoleMessage, Error, Locator, Page

    from tests.browser.lab import Lab

Theme = Literal["light", "dark"]

PATIENCE = 120.0
"""Seconds after which something that should have happened is taken not to happen; a busy machine is slow."""


class Notebook:
    """A notebook in a page. Cells are named by their index from 0."""

    def __init__(self, page: Page, lab: Lab, path: str) -> None:
        self.page = page
        self.lab = lab
        self.path = path
        self.console: list[str] = []
        """What the page's console said, as `type: text`."""
        self.errors: list[str] = []
        """Uncaught errors of the page, with their stack."""
        page.on("console", self._heard)
        page.on("pageerror", self._failed)

    def _heard(self, message: ConsoleMessage) -> None:
        self.console.append(f"{message.type}: {message.text}")

    def _failed(self, error: Error) -> None:
        self.errors.append(f"{error.message}\n{error.stack}")

    # -- opening ------------------------------------------------------------------------------------------------

    def open(self, *, kernel: bool = True) -> Notebook:
        """Open the document in the page, and wait for an idle kernel; without one it is as after "No Kernel"."""
        if not self.page.evaluate("'jupyterapp' in window"):
            self._load()
        self._show(kernel=kernel)
        while kernel and self.page.evaluate("p => window.labPanel.missedWidget(p)", self.path):
            self._load()
            self._show()
        return self

    def _show(self, *, kernel: bool = True) -> None:
        self.page.evaluate("([p, k]) => window.labPanel.open(p, k)", [self.path, kernel])
        self.page.wait_for_function("p => window.labPanel.ready(p)", arg=self.path)
        if kernel:
            self.wait_kernel()

    def _load(self) -> None:
        """Load JupyterLab with nothing open, whatever was."""
        address = f"{self.lab.url}/lab/workspaces/w{uuid.uuid4().hex[:8]}?token={self.lab.token}"
        self.page.goto(address, wait_until="domcontentloaded")
        self.page.wait_for_function("window.jupyterapp?.restored.then(() => true)")
        # The file list takes a quarter of the page and shows nothing that a test asks for.
        self.page.evaluate("window.jupyterapp.shell.collapseLeft()")

    def reload(self) -> Notebook:
        """Load the page again; the kernel goes on. Unsaved changes of the document are lost."""
        self._load()
        return self.open()

    def close(self) -> None:
        """Close the document and whatever else stands in the page, unsaved changes and all; the kernel goes on."""
        self.page.evaluate("window.labPanel.clear()")
        self.page.remove_listener("console", self._heard)
        self.page.remove_listener("pageerror", self._failed)

    def wait_until(self, condition: Callable[[], object], *, what: str) -> None:
        """Ask until `condition` is true, and fail the test if it never is. The page lives on meanwhile."""
        wait_until(self.page, condition, what=what)

    # -- running ------------------------------------------------------------------------------------------------

    def run_cell(self, index: int, *, wait: bool = True) -> None:
        """Run one cell; without `wait`, return once the page asked for it."""
        call = "([p, i]) => { const done = window.labPanel.run(p, i); %s }"
        self.page.evaluate(call % ("return done;" if wait else "done.catch(console.error);"), [self.path, index])

    def run_all(self) -> None:
        """Run all cells and wait until the kernel is done with them."""
        self.command("notebook:run-all-cells")

    def append(self, source: str) -> int:
        """Add a code cell at the end; returns its index."""
        return int(self.page.evaluate("([p, s]) => window.labPanel.append(p, s)", [self.path, source]))

    def run(self, source: str, *, wait: bool = True) -> int:
        """Add a code cell at the end and run it; returns its index."""
        index = self.append(source)
        self.run_cell(index, wait=wait)
        return index

    def wait_text(self, index: int, text: str) -> None:
        """Wait until a cell, which was started without waiting for it, has printed the text."""
        self.wait_until(lambda: text in self.text(index), what=f"{text!r} from cell {index}")

    def wait_done(self, index: int) -> None:
        """Wait until the kernel is done with the cell, which was started without waiting for it."""
        self.wait_until(lambda: self.prompt(index) not in {"", "*"}, what=f"the end of cell {index}")

    def prompt(self, index: int) -> str:
        """`*` while the cell waits or runs, its number when it is done, nothing before."""
        return str(self.page.evaluate("([p, i]) => window.labPanel.prompt(p, i)", [self.path, index]))

    def python(self, expression: str) -> str:
        """The `repr` of an expression in the kernel, which must be idle; leaves no trace in the notebook."""
        return str(self.page.evaluate("([p, e]) => window.labPanel.python(p, e)", [self.path, expression]))

    def command(self, name: str, arguments: dict[str, Any] | None = None) -> None:
        """Execute a JupyterLab command with this notebook as the current one, and wait for it."""
        self.page.evaluate("([p, n, a]) => window.labPanel.command(p, n, a)", [self.path, name, arguments])

    # -- reading ------------------------------------------------------------------------------------------------

    def cells(self) -> list[dict[str, Any]]:
        """The cells as the notebook would save them."""
        return list(self.page.evaluate("p => window.labPanel.cells(p)", self.path))

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """The outputs of a cell as the notebook would save them."""
        return list(self.cells()[index].get("outputs", []))

    def text(self, index: int) -> str:
        """The printed text, plain results and errors of a cell, in order."""
        return "".join(_plain(output) for output in self.outputs(index))

    def output(self, index: int) -> Locator:
        """The output area of a cell on the page, scrolled into view (far cells are not in the page at all)."""
        self.page.evaluate("([p, i]) => window.labPanel.of(p).content.scrollToItem(i)", [self.path, index])
        panel_id = str(self.page.evaluate("p => window.labPanel.of(p).id", self.path))
        return self.page.locator(f'[id="{panel_id}"] [data-windowed-list-index="{index}"] .jp-OutputArea')

    def save(self) -> Any:
        """Save, and return the notebook as it is on disk (an nbformat node)."""
        self.command("docmanager:save")
        dirty = "p => !window.labPanel.of(p).context.model.dirty"
        self.page.wait_for_function(dirty, arg=self.path)
        return nbformat.read(self.lab.root / self.path, as_version=4)

    # -- the kernel ---------------------------------------------------------------------------------------------

    def kernel_status(self) -> str:
        """`idle`, `busy`, `restarting`, `dead` and so on as this page knows it."""
        return str(self.page.evaluate("p => window.labPanel.kernel(p)", self.path))

    def wait_kernel(self) -> None:
        """Wait until this page knows the kernel as idle."""
        try:
            self.page.wait_for_function("p => window.labPanel.kernel(p) === 'idle'", arg=self.path)
        except Exception as error:
            raise AssertionError(f"the kernel is {self.kernel_status()!r}, not idle: {error}") from error

    def kernel_pid(self) -> int:
        """Process id of the kernel; works while it is busy or hung."""
        kernel_id = self.page.evaluate("p => window.labPanel.of(p).sessionContext.session.kernel.id", self.path)
        return self.lab.kernel_pid(str(kernel_id))

    def restart_kernel(self) -> None:
        """Restart the kernel as the menu does, without the question, and wait until it is idle."""
        self.page.evaluate("p => window.labPanel.of(p).sessionContext.restartKernel()", self.path)
        self.wait_kernel()

    def interrupt_kernel(self) -> None:
        """Interrupt what the kernel runs."""
        self.command("notebook:interrupt-kernel")

    # -- looking ------------------------------------------------------------------------------------------------

    def second_view(self, index: int) -> Locator:
        """Open "New View for Cell Output" of a cell; returns the new view."""
        views = self.page.locator(".jp-LinkedOutputView")
        before = views.count()
        self.page.evaluate("([p, i]) => { window.labPanel.select(p, i); }", [self.path, index])
        self.command("notebook:create-output-view")
        view = views.nth(before)
        view.wait_for(state="visible")
        return view

    def theme(self, theme: Theme) -> None:
        """Switch JupyterLab to its light or dark theme and wait until it is painted."""
        name = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}[theme]
        self.command("apputils:change-theme", {"theme": name})
        self.page.wait_for_function(
            "light => document.body.dataset.jpThemeLight === light", arg="true" if theme == "light" else "false"
        )

    def screenshots(self, name: str, *, of: Locator | None = None) -> list[Path]:
        """Pictures of the page (or of one element) in light and in dark: `<name>-light.png`, `<name>-dark.png`."""
        paths: list[Path] = []
        for theme in ("light", "dark"):
            self.theme(theme)
            path = self.lab.pictures / f"{name}-{theme}.png"
            (of or self.page).screenshot(path=path, animations="disabled")
            paths.append(path)
        self.theme("light")
        return paths


def wait_until(page: Page, condition: Callable[[], object], *, what: str) -> None:
    """Ask until `condition` is true, and fail the test if it never is. The page lives on meanwhile."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE:.0f} s in vain for {what}; the page: {page.inner_text('body')!r}")
        # Not time.sleep: Playwright hands over the page's events only while it is being called.
        page.wait_for_timeout(20)


def _plain(output: dict[str, Any]) -> str:
    match output["output_type"]:
        case "stream":
            return str(output["text"])
        case "error":
            return f"{output['ename']}: {output['evalue']}"
        case _:
            return str(output["data"].get("text/plain", ""))
