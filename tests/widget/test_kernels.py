"""Clicks and streams over real kernels of three versions of ipykernel, as JupyterLab sends them, without a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.golden.page import Page
from tests.widget.kernels import CACHE, INSTALLED, VERSIONS, Kernel

pytestmark = pytest.mark.timeout(300)  # starting a kernel takes long on a busy machine; each wait has its own limit

SETUP = """
import asyncio, os, time
import bitte_nb as bn
from bitte_nb.testing import Call, Pause, ScriptedModel
document = {
    "openapi": "3.1.0", "info": {"title": "Nowhere", "version": "1"}, "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {"/notes": {"post": {"operationId": "add-note", "responses": {"200": {"description": "ok"}}}}},
}
def show(*steps):
    chat = bn.Chat(bn.Agent(document, model=ScriptedModel([list(step) for step in steps])), store="h.sqlite")
    display(chat)
    return chat
"""


@pytest.fixture(scope="module", params=VERSIONS)
def kernel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    if request.param != INSTALLED and not (CACHE / request.param).is_dir():
        pytest.skip(f"ipykernel {request.param} is not here: run `make kernels` once, with a network")
    kernel = Kernel(request.param, tmp_path_factory.mktemp("kernel"))
    try:
        kernel.run(SETUP)
        assert kernel.python("__import__('ipykernel').__version__") == repr(request.param)
        kernel.open_subshell()
        yield kernel
    finally:
        kernel.end()


def open_chat(kernel: Kernel, *steps: str) -> None:
    """Show a chat in a cell of its own; ask for a snapshot and say hello, as a page does when it draws it."""
    kernel.messages.clear()
    kernel.run(f"chat = show({', '.join(steps)})")
    for message in ({"type": "resync", "mid": "open"}, {"type": "ping", "mid": "hello"}):
        kernel.click(message)
        kernel.answer(message["mid"])


def running(kernel: Kernel, code: str) -> str:
    cell = kernel.start(code)
    kernel.until(lambda: kernel.running(cell))
    return cell


@pytest.mark.parametrize("pause", ["time.sleep(0.05)", "await asyncio.sleep(0.05)"], ids=["blocking", "await"])
def test_a_page_is_heard_while_a_cell_runs_wherever_the_kernel_can(kernel: Kernel, pause: str) -> None:
    """An ipykernel 6 has one shell, which the cell holds; on a later one the cell ends only once the page was heard."""
    one_shell = kernel.ipykernel.startswith("6.")
    open_chat(kernel, "['Hello.']")
    told = kernel.folder / "heard"
    told.unlink(missing_ok=True)
    wait = f"while not os.path.exists('heard') and time.monotonic() < end: {pause}"
    cell = running(kernel, f"end = time.monotonic() + {2 if one_shell else 90}\n{wait}")
    kernel.click({"type": "send", "mid": "go", "text": "go"})
    heard = kernel.answer("go")
    told.touch()
    kernel.finish(cell)
    ended = kernel.ended(cell)
    assert ended is not None
    assert (heard > ended) == one_shell


def test_nothing_is_lost_that_comes_in_while_the_kernel_answers(kernel: Kernel) -> None:
    """ipykernel#1529: an ipykernel 7.3 heard neither cells nor clicks any more after some thirty such cells."""
    open_chat(kernel, "['Hello.']")
    for n in range(150):
        kernel.messages.clear()
        cell = kernel.start(str(n))
        kernel.until(lambda cell=cell: kernel.ended(cell) is not None)


STREAM_AND_ASK = "[piece for n in range(40) for piece in ('w ', Pause(0.02))] + [Call('add-note', {})], ['Done.']"


@pytest.mark.parametrize(
    "wait", ["turn.wait(90, until='end')", "await turn.finished(until='end')"], ids=["blocking", "await"]
)
def test_a_click_ends_the_wait_of_the_cell_that_streamed_just_before(kernel: Kernel, wait: str) -> None:
    open_chat(kernel, STREAM_AND_ASK)
    code = f"turn = chat.ask('go'); {wait}; print(turn.phase, turn.text)"
    if kernel.ipykernel.startswith("6."):
        with pytest.raises(AssertionError, match=r"WaitRefused.*cell"):
            kernel.run(code)
        kernel.run("chat.stop()")
        return
    cell = running(kernel, code)
    kernel.until(lambda: '"pending"' in repr(kernel.customs("events")).replace("'", '"'))
    kernel.click({"type": "resync", "mid": "look"})
    kernel.answer("look")
    card = next(iter(kernel.customs("snapshot")[-1][1]["chat"]["invocations"].values()))
    decision = {"key": card["key"], "digest": card["digest"], "version": card["version"], "decision": "deny"}
    kernel.click({"type": "decide", "mid": "no", **decision})
    kernel.answer("no")
    assert "done" in kernel.finish(cell)


def test_what_is_said_right_after_the_display_is_all_there(kernel: Kernel) -> None:
    """ipywidgets#300, anywidget#436: a page that comes late has missed messages, and asks for the whole."""
    kernel.messages.clear()
    kernel.run("chat = show([f'{n} ' for n in range(200)]); _ = chat.ask('count').wait(60)")
    kernel.messages = [one for one in kernel.messages if one[1]["msg_type"] == "comm_open"]
    kernel.click({"type": "resync", "mid": "late"})
    kernel.answer("late")
    page = Page()
    assert page.take(kernel.customs("snapshot")[-1][1]) == "applied"
    assert page.chat is not None
    assert page.chat["turns"][0]["steps"][0]["text"] == "".join(f"{n} " for n in range(200))


def test_a_burst_of_ten_thousand_tokens_is_exact_and_few_messages(kernel: Kernel) -> None:
    """jupyter/notebook#2287: past a thousand messages a second a server drops them."""
    open_chat(kernel, "[f'{n} ' for n in range(10_000)]")
    page = Page()
    page.take(kernel.customs("snapshot")[-1][1])
    kernel.messages = [one for one in kernel.messages if one[1]["msg_type"] == "comm_open"]
    kernel.run("_ = chat.ask('count').wait(60)")
    kernel.click({"type": "ping", "mid": "end"})
    kernel.answer("end")
    events = kernel.customs("events")
    assert {page.take(message) for _, message in events} == {"applied"}
    assert page.chat is not None
    assert page.chat["turns"][0]["steps"][0]["text"] == "".join(f"{n} " for n in range(10_000))
    sent = [message for _, message in kernel.messages if message["msg_type"] == "comm_msg"]
    first, last = (sent[at]["header"]["date"] for at in (0, -1))
    assert len(sent) <= 60 * max((last - first).total_seconds(), 1)
