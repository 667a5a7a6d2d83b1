"""What a streamed answer costs between kernel and page: bytes and CPU per token, and how both grow.

    python benchmarks/widget_wire.py

Every row counts whole Jupyter messages as they go on the line (header, metadata, content) and the CPU of this process
from the token to the serialised message. Peers that are not installed are left out; the rows of ipywidgets, anywidget
and IPython are what a chat is made of where it does not send deltas.
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import comm
import ipywidgets
import traitlets
from jupyter_client.session import Session

import bitte_nb as bn
from bitte_nb.core.fold import apply
from bitte_nb.core.log import StepStarted, TextAdded, TurnStarted
from bitte_nb.testing import ScriptedModel

TOKEN = "tok "
COALESCED = 16
SIZES = (2_000, 20_000)
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Nowhere", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {"/notes": {"post": {"operationId": "add-note", "responses": {"200": {"description": "ok"}}}}},
}

session = Session(key=b"0" * 32)


class Line:
    """Counts what goes on the line."""

    messages = 0
    bytes = 0
    updates = 0
    """Messages that set traits."""


class CountingComm(comm.base_comm.BaseComm):
    """A comm whose messages are serialised as the kernel does, and counted."""

    def publish_msg(self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any):
        content = {"data": data or {}, "comm_id": self.comm_id, **keys}
        parts = session.serialize(session.msg(msg_type, content, metadata=metadata), ident=b"comm-0")
        Line.messages += 1
        Line.bytes += sum(map(len, parts))
        Line.updates += (data or {}).get("method") == "update"


def display_data(data: dict[str, Any]) -> None:
    parts = session.serialize(
        session.msg("update_display_data", {"data": data, "metadata": {}, "transient": {"display_id": "d"}}), ident=b"d"
    )
    Line.messages += 1
    Line.bytes += sum(map(len, parts))


def ours(tokens: int) -> Callable[[], None]:
    """The driver and widget: pieces of 16 tokens, a flush each, the snapshot when the turn rests."""
    folder = tempfile.mkdtemp()
    chat = bn.Chat(bn.Agent(DOCUMENT, model=ScriptedModel([])), store=Path(folder) / "history.sqlite")
    driver = chat.widget.driver
    state = chat.conversation.state

    # What the log and the fold cost is the next row's.
    start = apply(state, TurnStarted(turn=1, text="go", at=1, agent=chat.agent.id))
    states = [apply(start, StepStarted(turn=1, step=1, attempt=1, at=1, model="m"))]
    entries = [TextAdded(turn=1, step=1, at=1, text=TOKEN * COALESCED) for _ in range(tokens // COALESCED)]
    for entry in entries:
        states.append(apply(states[-1], entry))
    driver._state = states[0]

    def stream() -> None:
        for before, entry, after in zip(states, entries, states[1:], strict=False):
            driver._appended(before, (entry,), after)
            driver._flush_events()

    return lambda: chat.thread.call(stream)


def whole(tokens: int) -> Callable[[], None]:
    """Everything: model, log, history on disk, transcript, widget; as fast as the model speaks."""
    folder = tempfile.mkdtemp()
    chat = bn.Chat(bn.Agent(DOCUMENT, model=ScriptedModel([[TOKEN] * tokens])), store=Path(folder) / "history.sqlite")
    _ = chat.widget
    return lambda: chat.ask("go").wait(120) and None


class Text(anywidget.AnyWidget):
    _esm = "export default { render() {} }"
    text = traitlets.Unicode("").tag(sync=True)


def custom(tokens: int, *, each: int) -> Callable[[], None]:
    widget = Text()

    def run() -> None:
        for at in range(tokens // each):
            widget.send({"type": "delta", "seq": at, "text": TOKEN * each})
        widget.text = TOKEN * tokens

    return run


def trait(tokens: int) -> Callable[[], None]:
    widget = Text()

    def run() -> None:
        for _ in range(tokens):
            widget.text += TOKEN

    return run


def html(tokens: int) -> Callable[[], None]:
    widget = ipywidgets.HTML()

    def run() -> None:
        for _ in range(tokens):
            widget.value += TOKEN

    return run


def markdown(tokens: int) -> Callable[[], None]:
    def run() -> None:
        text = ""
        for _ in range(tokens):
            text += TOKEN
            display_data({"text/markdown": text, "text/plain": "<IPython.core.display.Markdown object>"})

    return run


def panel(tokens: int) -> Callable[[], None]:
    import panel as pn

    feed = pn.chat.ChatFeed()

    def run() -> None:
        message = feed.stream("", user="a")
        for _ in range(tokens):
            message = feed.stream(TOKEN, message=message)

    return run


ROWS: dict[str, tuple[Callable[[int], Callable[[], None]], tuple[int, ...]]] = {
    "bitte_nb, driver to line, x16": (ours, SIZES),
    "bitte_nb, everything, full speed": (whole, SIZES),
    "anywidget, bare delta x16 + snapshot": (lambda n: custom(n, each=COALESCED), SIZES),
    "anywidget, bare delta per token": (lambda n: custom(n, each=1), SIZES),
    "anywidget, trait += token": (trait, SIZES),
    "ipywidgets, HTML.value += token": (html, SIZES),
    "IPython, display update (Markdown)": (markdown, SIZES),
    **({"Panel, ChatFeed.stream (CPU only)": (panel, SIZES[:1])} if importlib.util.find_spec("panel") else {}),
}


def measure(make: Callable[[int], Callable[[], None]], tokens: int) -> dict[str, float]:
    run = make(tokens)
    Line.messages = Line.bytes = Line.updates = 0
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    time.sleep(0.2)  # what the agent thread still has to say belongs to it
    return {"messages": Line.messages, "bytes": Line.bytes, "updates": Line.updates, "cpu": cpu, "wall": wall}


def flushes(seconds: float = 3.0) -> tuple[float, int]:
    """Messages a second while a model speaks 1,500 tokens a second, and trait updates of the whole answer."""
    from bitte_nb.testing import Pause

    tokens = int(1_500 * seconds)
    words = [one for _ in range(tokens // 15) for one in (*[TOKEN] * 15, Pause(0.01))]
    folder = tempfile.mkdtemp()
    chat = bn.Chat(bn.Agent(DOCUMENT, model=ScriptedModel([words])), store=Path(folder) / "history.sqlite")
    _ = chat.widget
    Line.messages = Line.updates = 0
    start = time.perf_counter()
    chat.ask("go").wait(60)
    took = time.perf_counter() - start
    sent = Line.messages - Line.updates
    time.sleep(0.3)
    return sent / took, Line.updates


def main() -> None:
    comm.create_comm = CountingComm
    heads = f"{'':<36} {'tokens':>7} {'messages':>9} {'B/token':>9} {'us/token':>9} {'snapshots':>9}"
    print(heads)
    for name, (make, sizes) in ROWS.items():
        found: list[dict[str, float]] = []
        for tokens in sizes:
            one = min((measure(make, tokens) for _ in range(3)), key=lambda each: each["cpu"])
            found.append(one)
            print(
                f"{name:<36} {tokens:>7} {one['messages']:>9.0f} {one['bytes'] / tokens:>9.1f} "
                f"{one['cpu'] * 1e6 / tokens:>9.1f} {one['updates']:>9.0f}"
            )
        if len(found) == 2 and found[0]["bytes"]:
            print(f"{'':<36} growth of the wire 20k/2k: {found[1]['bytes'] / found[0]['bytes']:.1f}")
    rate, snapshots = flushes()
    print(f"bitte_nb at 1,500 tokens a second: {rate:.1f} messages a second, {snapshots} snapshot(s) for the answer")


if __name__ == "__main__":
    main()
