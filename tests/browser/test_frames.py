"""The widget in frames like those of VS Code and Google Colab, which cannot be run here, in a real Chromium.

What they are like was read in their sources and issues: microsoft/vscode (`backLayerWebView.ts`),
microsoft/vscode-jupyter (`webview-side/ipywidgets`), googlecolab/colab-cdn-widget-manager (`src/manager.ts`) and
googlecolab/colabtools#240. docs/notebooks.md says what follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ipywidgets
import pytest
from playwright.sync_api import Error, expect

import bitte_nb as bn
from bitte_nb.testing import Call, ScriptedModel
from bitte_nb.widget.chat import Chat
from tests.browser.notebook import wait_until
from tests.browser.test_hosts import HOST, Host

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Page

    from bitte_nb.widget.page_widget import PageWidget

VSCODE_SHEET = """
body { margin: 0; overflow: hidden; --vscode-editor-background: #1f1f1f; background: #1f1f1f; color: #ccc; }
table, thead, tr, th, td, tbody { border: none; border-spacing: 0; border-collapse: collapse; }
table, th, tr { vertical-align: middle; text-align: right; }
tr:nth-child(even) { background-color: rgba(130, 130, 130, 0.08); }
"""
VSCODE_POLICY = (
    "default-src 'none'; script-src 'self' https://*.vscode-cdn.net 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' https://*.vscode-cdn.net 'unsafe-inline'; img-src 'self' https: http: data:; "
    "font-src 'self' https:; connect-src https:; child-src https: data:;"
)
"""Only with VS Code's setting `notebook.experimental.enableCsp`, which is off unless a person turns it on."""


@dataclass(frozen=True)
class Kind:
    """A kind of frame."""

    sandbox: str
    body: str
    sheet: str = ""
    policy: str = ""
    drops_early: bool = False
    """What a kernel sends before the widget is displayed never arrives: models are made when they are shown."""


KINDS = {
    "VS Code": Kind(
        "allow-scripts allow-same-origin allow-forms allow-pointer-lock allow-downloads",
        '<body class="vscode-dark"><div id="container" class="widgetarea"></div>',
        VSCODE_SHEET,
    ),
    "Colab": Kind(
        "allow-forms allow-scripts allow-popups allow-same-origin allow-pointer-lock allow-popups-to-escape-sandbox",
        "<body>",
        drops_early=True,
    ),
    "no storage": Kind("allow-scripts", "<body>", drops_early=True),  # an origin of its own each time
}


class Framed(Host):
    """A host whose widgets are in a frame of another origin."""

    def __init__(self, page: Page, monkeypatch: pytest.MonkeyPatch, kind: Kind) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.asked: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self._widgets: dict[str, PageWidget] = {}
        self._monkeypatch = monkeypatch
        self.kind = kind
        self.outer = page
        head = f'<meta http-equiv="Content-Security-Policy" content="{kind.policy}">' if kind.policy else ""
        inner = f"<!doctype html><html lang=en><head>{head}<style>{kind.sheet}</style></head>{kind.body}</html>"
        frame = f'<iframe sandbox="{kind.sandbox}" src="http://output.test/" style="width:100%;height:860px;border:0">'
        page.route("http://notebook.test/", lambda route: route.fulfill(body=f"<!doctype html>{frame}</iframe>"))
        page.route("http://output.test/", lambda route: route.fulfill(body=inner, content_type="text/html"))
        page.expose_function("toKernel", self._take)
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto("http://notebook.test/")
        wait_until(page, lambda: page.frames[-1].url == "http://output.test/", what="the frame")
        found = page.frames[-1]
        found.wait_for_load_state()
        self.page = found  # pyright: ignore[reportAttributeAccessIssue] - a frame does all that a host asks of a page
        self.requests.clear()
        found.add_script_tag(content=HOST.read_text("utf-8"))

    def open(self, widget: PageWidget) -> str:
        name = super().open(widget)
        if self.kind.drops_early:
            self.sent.clear()
        return name


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Notes", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {
        "/notes": {"post": {"operationId": "add-note", "responses": {"200": {"description": "ok"}}}},
        "/pictures": {
            "post": {
                "operationId": "add-picture",
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}}
                        }
                    }
                },
                "responses": {"200": {"description": "ok"}},
            }
        },
    },
    "x-mb": {"assistant": {"name": "Notes", "tools": [{"type": "render-chart"}, {"type": "generate-evm-tx"}]}},
}
ME = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
CHART = {
    "title": "Prices",
    "description": "",
    "chartType": "line",
    "dataFormat": "number",
    "metricLabels": ["Day", "Price"],
    "dataPoints": [[1_700_000_000, 1.0], [1_700_086_400, 2.0], [1_700_172_800, 3.0]],
}
TRANSFER = {
    "method": "eth_sendTransaction",
    "chainId": 8453,
    "params": [{"from": ME, "to": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "value": "0x1"}],
}


@bn.tool(safe=True)
def level() -> dict[str, int]:
    return {"level": 3}


@pytest.fixture(params=KINDS)
def framed(request: pytest.FixtureRequest, context: BrowserContext, monkeypatch: pytest.MonkeyPatch) -> Framed:
    return Framed(context.new_page(), monkeypatch, KINDS[request.param])


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Chat]:
    steps: list[list[Any]] = [
        [Call("add-note", {})],
        ["All **done**."],
        [Call("render-chart", CHART), Call("level")],
        ["Drawn."],
        [Call("generate-evm-tx", TRANSFER)],
        ["Sent."],
    ]
    wallet = bn.Wallet(evm_address=ME, chain_id=8453)
    agent = bn.Agent(DOCUMENT, model=ScriptedModel(steps), tools=[level], wallet=wallet, signer="injected")
    chat = Chat(agent, store=tmp_path / "history.sqlite")
    chat.renderers["level"] = lambda data: ipywidgets.IntProgress(value=data["level"])
    yield chat
    chat.close()


def test_the_whole_chat_works_in_a_frame_of_another_origin(
    framed: Framed, chat: Chat, pictures: Path, request: pytest.FixtureRequest
) -> None:
    view = framed.render(framed.open(chat.widget), "cell")
    framed.until(view)

    def say(text: str) -> None:
        view.locator("textarea.bnb-composer-text").fill(text)
        view.locator("textarea.bnb-composer-text").press("Enter")

    # A click decides, words stream, and Markdown is drawn.
    say("note it")
    decline = view.locator('[data-bnb-action="decline"]').last
    framed.until(decline)
    decline.click()
    framed.until(view.get_by_role("log"), text="All done.")

    # Cards are a chunk of their own; a widget that this front end cannot draw is told in words, with the result.
    say("draw")
    framed.until(view.get_by_role("log"), text="Drawn.")
    chart = view.locator('[data-bnb-component="render-chart"] :is(svg, canvas)')
    framed.carry_until(lambda: chart.count(), what="the chart")
    framed.until(view.locator('[data-bnb-component="level"]'), text="This front end cannot show it inside the card.")
    framed.until(view.locator('[data-bnb-component="level"]'), text="level")

    # A file is read in the page and goes over the same line, in pieces.
    view.locator('input[type="file"]').set_input_files(
        [{"name": "note.txt", "mimeType": "text/plain", "buffer": b"x" * 300_000}]
    )
    framed.carry_until(
        lambda: view.locator('[data-bnb-file="done"]').count(),
        what="the file",
    )
    offsets = {one["offset"] for one in framed.asked if one["type"] == "upload"}  # one that is late is sent again
    assert len(offsets) == 2, "in two pieces"

    # The wallet of a browser is not there, and the card says so.
    say("send it")
    framed.until(view.locator("[data-bnb-wallet-holds='none']"), text="This page has no wallet")
    expect(view.locator('[data-bnb-action="approve"]').last).to_be_disabled()
    framed.outer.screenshot(path=pictures / f"frame-{request.node.callspec.id.replace(' ', '-')}.png")

    # The panel of chats is another chunk, and is closed by its key.
    view.locator('[data-bnb-action="history"]').click()
    framed.until(view.locator(".bnb-drawer-row").first)

    assert framed.requests == [one for one in framed.requests if one.startswith("blob:")], "nothing came by an address"


def test_under_vs_codes_optional_policy_no_anywidget_runs_so_that_the_transcript_is_what_is_seen(
    context: BrowserContext, monkeypatch: pytest.MonkeyPatch, chat: Chat
) -> None:
    framed = Framed(context.new_page(), monkeypatch, Kind(KINDS["VS Code"].sandbox, "<body>", policy=VSCODE_POLICY))
    with pytest.raises(Error, match="Failed to fetch dynamically imported module"):
        framed.open(chat.widget)  # host.js imports the module from a blob: address, as anywidget itself does


def test_the_colours_are_those_of_the_editor_and_its_sheet_leaves_tables_alone(
    context: BrowserContext, monkeypatch: pytest.MonkeyPatch, chat: Chat
) -> None:
    framed = Framed(context.new_page(), monkeypatch, KINDS["VS Code"])
    view = framed.render(framed.open(chat.widget), "cell")
    framed.until(view)
    expect(view).to_have_css("color-scheme", "dark")


@pytest.fixture
def pictures() -> Path:
    from tests.browser.conftest import PICTURES

    PICTURES.mkdir(exist_ok=True)
    return PICTURES
