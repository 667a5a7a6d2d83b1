"""The JupyterLab extension: commands, launcher card, panel and saved chats, in a real JupyterLab."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Error, expect

from scripts.lab_server import jupyter_environment
from tests.browser.chat_view import SETUP, ChatView, chat_in
from tests.browser.lab import Lab, new_context
from tests.browser.notebook import Notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

    from scripts.server import Server
    from tests.browser.conftest import OpenNotebook

DOCUMENT = "{}/.well-known/ai-plugin.json"

pytestmark = pytest.mark.usefixtures("demo_agent")


def test_a_chat_begins_in_the_launcher_waits_in_the_panel_and_is_read_without_a_kernel(
    notebook: OpenNotebook, lab: Lab, demo_agent: Server
) -> None:
    kept = "alone = bn.Chat(agent); alone.ask('flip three coins').wait(60)"
    book = notebook([SETUP, "chat", f"chat.export('talk.bitte.json'); chat.stop()\n{kept}"], own_page=True)
    page = book.page
    book.run_cell(0)
    book.run_cell(1)
    chat = chat_in(book, 1)
    chat.say("add a note saying look at the panel")
    chat.expect_card("add-note", "pending")

    # The panel knows of it from the history; a click goes to the cell.
    book.command("launcher:create")
    page.evaluate("window.jupyterapp.shell.activateById('bitte-nb-chats')")
    panel = page.locator("#bitte-nb-chats")
    waiting = panel.locator("section", has_text="Waiting for you").locator("button", has_text="look at the panel")
    expect(waiting).to_contain_text("1 waiting")
    expect(chat.root).not_to_be_in_viewport()
    page.screenshot(path=lab.pictures / "extension-panel.png")
    waiting.click()
    expect(chat.root).to_be_in_viewport()

    # The saved chat is a file that shows every card and offers no act.
    book.run_cell(2)
    page.evaluate("window.jupyterapp.commands.execute('docmanager:open', {path: 'talk.bitte.json'})")
    saved = page.locator(".jp-BitteChat [data-bnb-chat]")
    expect(saved.locator('[data-bnb-call][aria-label="add-note"]')).to_be_visible()
    expect(saved).to_contain_text("look at the panel")
    expect(saved.locator("textarea.bnb-composer-text")).to_be_hidden()
    acts = saved.locator('[data-bnb-action="approve"], [data-bnb-action="decline"]')
    expect(acts.locator("visible=true")).to_have_count(0)
    page.screenshot(path=lab.pictures / "extension-saved.png")

    # A chat that no notebook shows is drawn as it was kept, in one tab however often it is clicked.
    page.evaluate("window.jupyterapp.shell.activateById('bitte-nb-chats')")
    listed = panel.locator(f"[data-bnb-listed={book.python('alone.id')}]")
    for _ in range(2):
        listed.click()
        alone = page.locator('[id^="bitte-nb-chat-"]:not(.lm-mod-hidden) [data-bnb-chat]')
        expect(alone.locator('[data-bnb-call][aria-label="flip-coin"]')).to_have_count(3)
        expect(alone.locator("textarea.bnb-composer-text")).to_be_hidden()
        expect(page.locator(".lm-TabBar-tab", has_text="flip three coins")).to_have_count(1)

    # The palette and the launcher offer a new chat.
    wanted = page.locator(".lm-CommandPalette-input:visible")

    def offered() -> bool:
        # The palette closes when something else takes the focus, as a tab may that was opened just now.
        if not wanted.is_visible():
            page.evaluate("window.jupyterapp.commands.execute('apputils:activate-command-palette')")
        with suppress(Error):
            wanted.fill("agent", timeout=2_000)
        labels = ("New agent chat", "Open OpenAPI document as agent")
        return all(page.locator(".lm-CommandPalette-item", has_text=label).last.is_visible() for label in labels)

    book.wait_until(offered, what="both commands in the palette")
    page.keyboard.press("Escape")
    book.command("launcher:create")
    page.locator(".jp-LauncherCard:visible", has_text="New agent chat").click()
    dialog = page.locator(".jp-Dialog")
    dialog.locator("input").fill(DOCUMENT.format(demo_agent.url))
    page.screenshot(path=lab.pictures / "extension-new.png")
    dialog.get_by_role("button", name="Ok").click()
    new = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)").filter(has_text="bn.Chat(")
    view = ChatView(book, new.last)
    view.say("list the chains")
    view.expect_card("get-blockchains", "succeeded")
    page.screenshot(path=lab.pictures / "extension-chat.png")


# Settings ------------------------------------------------------------------------------------------------------------


def test_each_setting_does_what_it_says(notebook: OpenNotebook, lab: Lab, demo_agent: Server) -> None:
    book = notebook([SETUP, "chat.ask('list the chains').wait(60)"], own_page=True)
    page = book.page
    form = page.locator(".jp-SettingsPanel:visible")

    def keep(name: str, value: str | int) -> None:
        """Set a setting; what is written while the form saves is overwritten by what was saved, so it is looked at."""
        field = form.locator(_field(name))

        def kept() -> bool:
            if field.input_value() != str(value):
                field.fill(str(value))
            return f'"{name}": {json.dumps(value)}' in _saved_settings(lab)

        book.wait_until(kept, what=f"the setting {name} to be saved")

    book.command("settingeditor:open", {"query": "Agent chats"})
    keep("document", DOCUMENT.format(demo_agent.url))
    keep("model", "offline")
    keep("refreshSeconds", 3600)
    page.screenshot(path=lab.pictures / "extension-settings.png")

    # So seldom the panel looks only when it comes into sight; once it is to look each second, it does.
    page.evaluate("window.jupyterapp.shell.activateById('bitte-nb-chats')")
    panel = page.locator("#bitte-nb-chats")
    expect(panel.locator("h2").first).to_be_visible()
    book.run_cell(0)
    book.run_cell(1)
    chat = book.python("chat.id").strip("'")
    expect(panel.locator(f'[data-bnb-listed="{chat}"]')).to_have_count(0)
    book.command("settingeditor:open", {"query": "Agent chats"})
    keep("refreshSeconds", 1)
    expect(panel.locator(f'[data-bnb-listed="{chat}"]')).to_be_visible()

    book.command("launcher:create")
    page.locator(".jp-LauncherCard:visible", has_text="New agent chat").click()
    expect(page.locator(".jp-Dialog input")).to_have_value(DOCUMENT.format(demo_agent.url))
    page.locator(".jp-Dialog").get_by_role("button", name="Ok").click()
    new = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)").filter(has_text='model="offline"')
    ChatView(book, new.last)


def _field(name: str) -> str:
    """Where the settings page edits a setting of the extension."""
    return f'[id="jp-SettingsEditor-bitte-nb:plugin_{name}"]'


def _saved_settings(lab: Lab) -> str:
    path = lab.home / "settings" / "bitte-nb" / "plugin.jupyterlab-settings"
    return path.read_text("utf-8") if path.is_file() else ""


# What goes wrong -----------------------------------------------------------------------------------------------------

KERNELS = {
    "bare": "Without the package",
    "broken": "With a broken package",
    "dying": "That ends at once",
    "missing": "Whose program is not there",
}


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory, lab: Lab) -> Iterator[Lab]:
    """A JupyterLab with kernels that cannot chat."""
    folder = tmp_path_factory.mktemp("troubled")
    server = Lab(folder, pictures=lab.pictures)
    real = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    commands = {"dying": [sys.executable, "-c", "raise SystemExit(1)"], "missing": [str(folder / "no-such-program")]}
    raises = {
        "bare": "raise ModuleNotFoundError(\"No module named 'bitte_nb'\", name='bitte_nb')",
        "broken": "raise ImportError('half of it is missing')",
    }
    for name, title in KERNELS.items():
        spec: dict[str, Any] = {"argv": commands.get(name, real), "display_name": title, "language": "python"}
        if name in raises:
            package = folder / name / "bitte_nb"
            package.mkdir(parents=True)
            (package / "__init__.py").write_text(raises[name], "utf-8")
            spec["env"] = {"PYTHONPATH": str(folder / name)}
        place = server.home / "data" / "kernels" / name
        place.mkdir(parents=True)
        (place / "kernel.json").write_text(json.dumps(spec), "utf-8")
    (server.root / "broken.yaml").write_text("openapi: 3.1.0\npaths: [\n", "utf-8")
    (server.root / "other.json").write_text('{"a": 1}', "utf-8")
    with server:
        yield server


def _prefer(page: Page, kernel: str) -> None:
    """Let the server say that this kernel is its own choice; an empty name says that it has none."""

    def answer(route: Any) -> None:
        specs = route.fetch().json()
        specs["default"] = kernel
        specs["kernelspecs"] = specs["kernelspecs"] if kernel else {}
        route.fulfill(json=specs)

    page.route("**/api/kernelspecs*", answer)


@pytest.fixture(scope="module")
def troubled_page(chrome: Browser) -> Iterator[Page]:
    """One page for all that happens in the troubled JupyterLab: what it has read once is read again at less cost."""
    context = new_context(chrome)
    yield context.new_page()
    context.close()


def _opened(page: Page, lab: Lab, *, kernel: str | None = None) -> Page:
    """The page, with that JupyterLab and nothing open in it."""
    page.unroute_all()
    if kernel is not None:
        _prefer(page, kernel)
    page.goto(f"{lab.url}/lab?reset&token={lab.token}")
    page.wait_for_function("window.jupyterapp?.restored.then(() => true)")
    return page


def _open_document(page: Page, path: str) -> None:
    page.evaluate("path => void window.jupyterapp.commands.execute('bitte-nb:open-document', { path })", path)


def _complaint(page: Page) -> str:
    """What our dialog says, after those that JupyterLab shows of its own."""
    look = """() => {
        for (const dialog of document.querySelectorAll(".jp-Dialog")) {
            const text = dialog.textContent;
            if (text.includes("The agent chat could not be opened")) return text;
            if (text.trim() !== "") dialog.querySelector("button.jp-mod-accept")?.click();
        }
    }"""
    return str(page.wait_for_function(look).json_value())


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        ("bare", "The kernel “Without the package” has no bitte_nb. Install it in that kernel’s environment"),
        ("broken", "cannot load bitte_nb (ImportError: half of it is missing)"),
        ("dying", "The kernel “That ends at once” ended before the chat was there"),
        ("missing", "The kernel “Whose program is not there” did not start"),
        ("", "This server has no Python kernel to run the chat"),
    ],
)
def test_a_kernel_that_cannot_chat_is_told_in_a_sentence(
    troubled_page: Page, troubled: Lab, kernel: str, said: str
) -> None:
    page = _opened(troubled_page, troubled, kernel=kernel)
    _open_document(page, "other.json")
    complaint = _complaint(page)
    assert said in complaint
    assert "Traceback" not in page.inner_text("body")


def test_a_server_that_does_not_answer_is_told_in_a_sentence(troubled_page: Page, troubled: Lab) -> None:
    page = _opened(troubled_page, troubled)
    page.route("**/api/contents*", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    _open_document(page, "other.json")
    assert "The Jupyter server did not make the notebook" in _complaint(page)
    page.route("**/bitte-nb/chats*", lambda route: route.abort())
    page.evaluate("window.jupyterapp.shell.activateById('bitte-nb-chats')")
    expect(page.locator("#bitte-nb-chats").get_by_role("alert")).to_contain_text("The Jupyter server did not answer")


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("broken.yaml", "DocumentError"),
        ("other.json", "DocumentError"),
        ("gone.json", "'gone.json' cannot be read"),
    ],
)
def test_a_document_that_cannot_be_read_is_told_in_a_sentence(
    troubled_page: Page, troubled: Lab, document: str, said: str
) -> None:
    page = _opened(troubled_page, troubled, kernel="python3")
    _open_document(page, document)
    output = page.locator(".jp-NotebookPanel .jp-OutputArea-output").first
    expect(output).to_contain_text(said)
    assert len(output.inner_text().strip().splitlines()) <= 3
    assert "Traceback" not in output.inner_text()


# Another language ----------------------------------------------------------------------------------------------------


HEAD = {"domain": "jupyterlab", "language": "pt_BR", "plural_forms": "nplurals=2; plural=(n > 1);"}
"""What a language pack of JupyterLab says of itself."""


@pytest.fixture(scope="module")
def portuguese(tmp_path_factory: pytest.TempPathFactory, lab: Lab) -> Iterator[Lab]:
    """A JupyterLab that is set to Portuguese, with a language pack as one that is installed looks."""
    folder = tmp_path_factory.mktemp("portuguese")
    pack, about = folder / "jupyterlab_language_pack_pt_BR", folder / "jupyterlab_language_pack_pt_BR-1.dist-info"
    messages = pack / "locale" / "pt_BR" / "LC_MESSAGES"
    messages.mkdir(parents=True)
    about.mkdir()
    (pack / "__init__.py").write_text("")
    (messages / "jupyterlab.json").write_text(json.dumps({"": HEAD}))
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: jupyterlab-language-pack-pt-BR\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[jupyterlab.languagepack]\npt_BR = jupyterlab_language_pack_pt_BR\n")
    server = Lab(
        folder / "lab",
        pictures=lab.pictures,
        env={"PYTHONPATH": str(folder)},
        settings={"@jupyterlab/translation-extension:plugin": {"locale": "pt_BR"}},
    )
    with server, server.agent:
        yield server


ENGLISH = re.compile(r"agent chat|waiting|Waiting|OpenAPI document|Seconds between|Untitled|turn\b|turns\b")
"""Words of the extension's English."""


def test_all_that_the_extension_says_is_in_the_language_of_jupyterlab(context: BrowserContext, portuguese: Lab) -> None:
    book = Notebook(context.new_page(), portuguese, portuguese.write([SETUP, "chat"])).open()
    page = book.page
    book.run_cell(0)
    book.run_cell(1)
    chat = chat_in(book, 1)
    chat.say("add a note saying olá")
    chat.expect_card("add-note", "pending")
    expect(chat.box).to_have_attribute("placeholder", re.compile("Mensagem"))

    page.evaluate("window.jupyterapp.shell.activateById('bitte-nb-chats')")
    panel = page.locator("#bitte-nb-chats")
    expect(panel).to_contain_text("Esperam por você")
    expect(panel).to_contain_text("1 à espera · 1 rodada")
    book.command("launcher:create")
    card = page.locator(".jp-LauncherCard:visible", has_text="Nova conversa com um agente")
    expect(card).to_be_visible()
    page.screenshot(path=portuguese.pictures / "extension-pt.png")
    assert not ENGLISH.search(panel.inner_text() + card.inner_text() + (card.get_attribute("title") or ""))
    card.click()
    dialog = page.locator(".jp-Dialog")
    expect(dialog).to_contain_text("Documento OpenAPI: um endereço")
    assert not ENGLISH.search(dialog.inner_text())
    page.keyboard.press("Escape")
    book.command("settingeditor:open", {"query": "Conversas com agentes"})
    form = page.locator(".jp-SettingsPanel:visible")
    said = {
        "document": "Documento",
        "model": "Modelo",
        "refreshSeconds": "Segundos entre as consultas ao histórico",
    }
    for name, label in said.items():
        expect(form.locator(_field(name))).to_have_attribute("label", label)
    expect(form).to_contain_text("O documento OpenAPI que “Nova conversa com um agente” propõe")
    page.screenshot(path=portuguese.pictures / "extension-settings-pt.png")
    (portuguese.root / "bad.bitte.json").write_text("{", "utf-8")
    page.evaluate("window.jupyterapp.commands.execute('docmanager:open', {path: 'bad.bitte.json'})")
    expect(page.locator(".jp-BitteChat")).to_contain_text("Este arquivo está danificado")
    portuguese.shut_down_kernels(book.path)


# Disabled ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def disabled(tmp_path_factory: pytest.TempPathFactory, lab: Lab) -> Iterator[Lab]:
    """A JupyterLab in which `jupyter labextension disable bitte-nb` was run, and so was the server's half."""
    server = Lab(tmp_path_factory.mktemp("disabled"), pictures=lab.pictures)
    for command in (
        "labextension disable bitte-nb --level=user",
        "server extension disable bitte_nb.lab_server --user",
    ):
        subprocess.run(
            [sys.executable, "-m", "jupyter", *command.split()],
            env=jupyter_environment(server.home),
            check=True,
            capture_output=True,
            timeout=600,
        )
    with server, server.agent:
        yield server


def test_the_chat_needs_no_extension(context: BrowserContext, disabled: Lab) -> None:
    book = Notebook(context.new_page(), disabled, disabled.write([SETUP, "chat"])).open()
    page = book.page
    assert not page.evaluate("window.jupyterapp.commands.hasCommand('bitte-nb:new-chat')")
    assert page.locator("#bitte-nb-chats").count() == 0
    # The browser may load the file of an extension that is disabled; its server's half must not be asked.
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/bitte-nb/chats" in request.url else None)
    book.run_cell(0)
    book.run_cell(1)
    chat = chat_in(book, 1)
    chat.say("add a note saying hello")
    chat.expect_card("add-note", "pending")
    chat.press("approve")
    chat.expect_card("add-note", "succeeded")
    chat.say("draw the price of near as a chart")
    chat.expect_phase("done")
    chat.root.locator('[data-bnb-action="history"]').click()
    expect(chat.root.locator(".bnb-drawer-row").first).to_be_visible()
    page.keyboard.press("Escape")
    book.save()
    book.reload()
    chat_in(book, 1).expect_card("add-note", "succeeded")
    assert asked == []
    disabled.shut_down_kernels(book.path)
