"""What browser tests use: a JupyterLab and a Chromium for each worker, a notebook and its kernel for each test."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest
from playwright.sync_api import expect, sync_playwright

from scripts.chromium import FLAGS, chromium
from tests.browser.lab import ROOT, Desk, Lab, new_context
from tests.browser.notebook import PATIENCE, Notebook

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Browser, BrowserContext

    from scripts.server import Server

PICTURES = ROOT / ".screenshots"

expect.set_options(timeout=PATIENCE * 1000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each wait of a browser test say what never came, before the whole test is ended without a word."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(10 * PATIENCE))


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


@pytest.fixture(scope="session")
def desk(chrome: Browser) -> Iterator[Desk]:
    """The page that tests share."""
    desk = Desk(chrome)
    yield desk
    desk.drop()


class OpenNotebook(Protocol):
    """Opens a fresh notebook with these cells, or one that exists (`path`), with its kernel or with none.

    It opens in the page that tests share, or (`own_page`) in a new one of the test's own browser profile.
    """

    def __call__(
        self, cells: Sequence[str] = (), *, path: str | None = None, kernel: bool = True, own_page: bool = False
    ) -> Notebook: ...


@pytest.fixture
def notebook(lab: Lab, desk: Desk, context: BrowserContext, request: pytest.FixtureRequest) -> Iterator[OpenNotebook]:
    """Factory of open notebooks. Uncaught errors of our own front-end code fail the test at its end."""
    opened: list[Notebook] = []

    def open_notebook(
        cells: Sequence[str] = (), *, path: str | None = None, kernel: bool = True, own_page: bool = False
    ) -> Notebook:
        page = context.new_page() if own_page else desk.page()
        opened.append(Notebook(page, lab, path or lab.write(cells)))
        return opened[-1].open(kernel=kernel)

    yield open_notebook

    if request.node.stash.get(FAILED, False):
        for number, book in enumerate(opened):
            book.page.screenshot(path=PICTURES / f"failed-{request.node.name}-{number}.png")
            print(f"console of {book.path}:", *book.console[-40:], *book.errors, sep="\n  ")
        print("end of the server's log:", lab.log_tail(), sep="\n")
        desk.drop()
    else:
        for book in opened:
            book.close()
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
