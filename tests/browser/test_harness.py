"""The harness itself, with a small real widget: what it reports is what JupyterLab did."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from scripts.server import Server
    from tests.browser.conftest import OpenNotebook
    from tests.browser.lab import Lab

WIDGET = '''
import time
import anywidget, traitlets

class Counter(anywidget.AnyWidget):
    """Counts clicks in the kernel; a click is a custom message, the count a trait."""

    _esm = """
    export default {
      render({ model, el }) {
        const button = document.createElement("button");
        const show = () => { button.textContent = `clicked ${model.get("count")}`; };
        button.className = "counter";
        button.onclick = () => model.send({ type: "click" });
        model.on("change:count", show);
        show();
        el.append(button);
      },
    };
    """
    count = traitlets.Int(0).tag(sync=True)

    def __init__(self):
        super().__init__()
        self.times = []
        self.on_msg(self._clicked)

    def _clicked(self, _widget, _content, _buffers):
        self.times.append(time.monotonic())
        self.count += 1

counter = Counter()
counter
'''


def test_cells_run_and_their_outputs_are_read(notebook: OpenNotebook) -> None:
    book = notebook(["print('one')\n1 + 1", "md:# words", "1 / 0"])
    book.run_all()
    assert book.text(0) == "one\n2"
    assert book.text(2).startswith("ZeroDivisionError")
    assert book.python("1 + 1") == "2"
    assert book.text(book.run("print('appended')")) == "appended\n"
    saved = book.save()
    assert saved["cells"][0]["outputs"] == book.outputs(0)


def test_a_kernel_knows_the_agent_and_a_history_of_its_own_and_no_home_of_the_user(
    notebook: OpenNotebook, lab: Lab
) -> None:
    book = notebook(["import os; print(*(os.environ[k] for k in ('BITTE_NB_DEMO_URL', 'BITTE_NB_HISTORY', 'HOME')))"])
    book.run_cell(0)
    assert book.text(0).split() == [lab.agent.url, str(lab.history), str(lab.home)]


def test_a_kernel_reaches_the_demo_agent(notebook: OpenNotebook, demo_agent: Server) -> None:
    book = notebook(["import os, httpx; agent = os.environ['BITTE_NB_DEMO_URL']"])
    book.run_cell(0)
    assert book.python("agent") == repr(demo_agent.url)
    assert book.python(f"httpx.get(agent + {demo_agent.ready!r}, timeout=60).json()['openapi']").startswith("'3.1")


AWAITS = """
import asyncio
print("awaits", flush=True)
while counter.count < 2:
    await asyncio.sleep(0.1)
print("clicked")
"""


def test_a_click_reaches_the_kernel_while_a_cell_awaits_and_a_reload_shows_its_effect(
    notebook: OpenNotebook,
) -> None:
    book = notebook([WIDGET])
    book.run_cell(0)
    button = book.output(0).locator(".counter")
    button.click()
    expect(button).to_have_text("clicked 1")

    waiting = book.run(AWAITS, wait=False)  # it ends by the click and by nothing else
    book.wait_text(waiting, "awaits")
    button.click()
    expect(button).to_have_text("clicked 2")
    book.wait_done(waiting)
    assert book.text(waiting) == "awaits\nclicked\n"

    book.save()
    book.reload()
    expect(book.output(0).locator(".counter")).to_have_text("clicked 2")


def test_two_views_and_two_pages_show_the_same(notebook: OpenNotebook) -> None:
    book = notebook([WIDGET])
    book.run_cell(0)
    view = book.second_view(0).locator(".counter")
    view.click()
    first = book.output(0).locator(".counter")
    for one in (first, view):
        expect(one).to_have_text("clicked 1")

    book.save()
    other = notebook(path=book.path, own_page=True).output(0).locator(".counter")
    other.click()
    for one in (first, view, other):
        expect(one).to_have_text("clicked 2")


def test_a_killed_kernel_comes_back_with_another_pid_and_an_empty_memory(notebook: OpenNotebook) -> None:
    book = notebook(["x = 1"])
    book.run_cell(0)
    pid = book.kernel_pid()
    assert book.python("__import__('os').getpid()") == str(pid)

    os.kill(pid, signal.SIGKILL)
    book.page.get_by_role("button", name="Ok").click()  # JupyterLab says that the kernel has died
    book.wait_kernel()
    assert book.kernel_pid() != pid
    with pytest.raises(Exception, match="NameError"):
        book.python("x")

    again = book.kernel_pid()
    book.restart_kernel()
    assert book.kernel_pid() != again


def test_a_saved_notebook_opens_without_a_kernel(notebook: OpenNotebook, lab: Lab) -> None:
    book = notebook(["print('kept')"])
    book.run_cell(0)
    book.save()
    book.close()
    lab.shut_down_kernels(book.path)

    again = notebook(path=book.path, kernel=False)
    expect(again.output(0)).to_have_text("kept")
    assert again.kernel_status() == "none"
    assert book.path not in [session["path"] for session in lab.api("GET", "/api/sessions")]


def test_an_interrupt_ends_a_cell(notebook: OpenNotebook) -> None:
    book = notebook(["import time\nprint('begun', flush=True)\nwhile True: time.sleep(1)"])
    book.run_cell(0, wait=False)
    # A kernel says that it is busy before the cell's first line runs, and drops an interrupt that comes in between.
    book.wait_text(0, "begun")
    book.interrupt_kernel()
    book.wait_done(0)
    assert "KeyboardInterrupt" in book.text(0)


def test_screenshots_differ_in_light_and_dark(notebook: OpenNotebook) -> None:
    book = notebook([WIDGET])
    book.run_cell(0)
    light, dark = book.screenshots("harness", of=book.output(0))
    assert light.read_bytes() != dark.read_bytes()


def test_an_uncaught_error_of_a_widget_is_seen(notebook: OpenNotebook) -> None:
    source = WIDGET.replace("show();\n        el", "setTimeout(() => { throw new Error('boom'); });\n        el")
    book = notebook([source])
    book.run_cell(0)
    book.wait_until(lambda: book.errors, what="the error")
    assert "boom" in book.errors[0]
    assert "blob:" in book.errors[0]
    book.errors.clear()
