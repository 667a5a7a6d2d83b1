"""Fixtures of the browser tests: one JupyterLab and one Chromium per run, one clean browser profile per test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest
from playwright.sync_api import sync_playwright

from scripts.chromium import FLAGS, chromium
from tests.browser.lab import ROOT, Lab, new_context

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Browser, BrowserContext

    from scripts.server import Server
    from tests.browser.notebook import Notebook

PICTURES = ROOT / ".screenshots"


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A running JupyterLab; its kernels find the demo agent (once started) at BITTE_NB_DEMO_URL."""
    PICTURES.mkdir(exist_ok=True)
    with Lab(tmp_path_factory.mktemp("lab"), pictures=PICTURES) as server:
        yield server


@pytest.fixture(scope="session")
def demo_agent(lab: Lab) -> Iterator[Server]:
    """The running demo agent."""
    with lab.agent as server:
        yield server


@pytest.fixture(scope="session")
def chrome() -> Iterator[Browser]:
    """A running headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def context(chrome: Browser) -> Iterator[BrowserContext]:
    """A clean browser profile."""
    context = new_context(chrome)
    yield context
    context.close()


class OpenNotebook(Protocol):
    """Opens a fresh notebook with these cells, or another page on one that exists (`path`); `kernel=None` is none."""

    def __call__(
        self, cells: Sequence[str] = (), *, path: str | None = None, kernel: str | None = "python3", idle: bool = True
    ) -> Notebook: ...


@pytest.fixture
def notebook(lab: Lab, context: BrowserContext, request: pytest.FixtureRequest) -> Iterator[OpenNotebook]:
    """Factory of open notebooks. Uncaught errors of our own front-end code fail the test at its end."""
    opened: list[Notebook] = []

    def open_notebook(
        cells: Sequence[str] = (), *, path: str | None = None, kernel: str | None = "python3", idle: bool = True
    ) -> Notebook:
        book = lab.page(context, path or lab.write(cells, kernel=kernel or "python3"))
        opened.append(book)
        return book.open(idle=idle) if kernel else book.open_without_kernel()

    yield open_notebook

    if request.node.stash.get(FAILED, False):
        for number, book in enumerate(opened):
            book.page.screenshot(path=PICTURES / f"failed-{request.node.name}-{number}.png")
            print(f"console of {book.path}:", *book.console[-40:], *book.errors, sep="\n  ")
        print("end of the server's log:", lab.log_tail(), sep="\n")
    # anywidget loads a widget's module from a blob: address; JupyterLab's own code never is.
    ours = [error for book in opened for error in book.errors if "blob:" in error]
    for path in {book.path for book in opened}:
        lab.shut_down_kernels(path)
    assert not ours, "uncaught errors in the widget's code:\n" + "\n".join(ours)


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Remember whether the test itself failed, for the fixtures that end after it."""
    report = yield
    if report.when == "call" and report.failed:
        item.stash[FAILED] = True
    return report
