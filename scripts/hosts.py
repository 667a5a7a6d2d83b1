"""Runs the chat in other front ends than JupyterLab, in Chromium: marimo, its editor, and Jupyter Notebook 7.

    python -m scripts.hosts            # make hosts

They are installed into `.cache/hosts`, apart from the project; the chat comes from this checkout. Prints what was
seen, and leaves a picture of each.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect, sync_playwright

from scripts.chromium import FLAGS, chromium
from scripts.lab_server import jupyter_environment
from scripts.server import Server, free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).parents[1]
HOSTS = ROOT / ".cache" / "hosts"
PICTURES = ROOT / ".screenshots"
PACKAGES = ("marimo>=0.25,<1", "notebook>=7.5,<8")

BORROWED = os.pathsep.join([str(ROOT), sysconfig.get_path("purelib")])
"""Where a host finds the chat and what it needs."""

CELL = """
import bitte_nb as bn
from bitte_nb.testing import Call, Pause, ScriptedModel
document = {
    "openapi": "3.1.0", "info": {"title": "Notes", "version": "1"}, "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {"/notes": {"post": {"operationId": "add-note", "responses": {"200": {"description": "ok"}}}}},
}
words = [piece for n in range(30) for piece in (f"word{n} ", Pause(0.02))]
model = ScriptedModel([words, [Call("add-note", {})], ["All **done**."]])
chat = bn.Chat(bn.Agent(document, model=model), store="history.sqlite")
"""


def install() -> None:
    """Make `.cache/hosts` unless it is there."""
    if (HOSTS / "bin" / "marimo").exists():
        return
    venv.create(HOSTS, with_pip=True)
    command = [str(HOSTS / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*command, *PACKAGES], check=True)


def marimo(folder: Path) -> tuple[Server, str]:
    """A marimo app, as its readers see it, whose cell ends in the chat, and its address."""
    return _marimo(folder, "run")


def marimo_edit(folder: Path) -> tuple[Server, str]:
    """The same app in marimo's editor."""
    return _marimo(folder, "edit")


def _marimo(folder: Path, mode: str) -> tuple[Server, str]:
    body = "\n    ".join(CELL.strip().splitlines())
    (folder / "app.py").write_text(
        f"import marimo\n\napp = marimo.App()\n\n\n@app.cell\ndef _():\n    {body}\n    chat\n    return\n", "utf-8"
    )
    port = free_port()
    command = [str(HOSTS / "bin" / "marimo"), mode, "app.py", "--headless", "--no-token", "--port", str(port)]
    command += ["--skip-update-check"] if mode == "edit" else []
    server = Server(
        command,
        name="marimo",
        port=port,
        ready="/health",
        log=folder / "marimo.log",
        cwd=folder,
        env=dict(os.environ) | {"PYTHONPATH": BORROWED, "HOME": str(folder)},
    )
    return server, f"http://127.0.0.1:{port}/"


def notebook(folder: Path) -> tuple[Server, str]:
    """A Jupyter Notebook 7 with a notebook that ends in the chat, and its address."""
    cell = {"cell_type": "code", "id": "c", "source": CELL + "chat", "metadata": {}, "outputs": []}
    content = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "cells": [cell | {"execution_count": None}],
    }
    (folder / "chat.ipynb").write_text(json.dumps(content), "utf-8")
    port, token = free_port(), secrets.token_urlsafe(16)
    share = str(Path(sysconfig.get_path("data")) / "share" / "jupyter")
    own = {"JUPYTER_PATH": share, "JUPYTER_TOKEN": token, "PYTHONPATH": BORROWED}
    env = jupyter_environment(folder / "home", extra=own)
    command = [str(HOSTS / "bin" / "jupyter-notebook"), "--no-browser", "--allow-root", f"--port={port}"]
    command += ["--ServerApp.port_retries=0", f"--ServerApp.root_dir={folder}"]
    command += ["--JupyterNotebookApp.expose_app_in_browser=True"]
    server = Server(
        command, name="Jupyter Notebook", port=port, ready="/api", log=folder / "nb.log", cwd=folder, env=env
    )
    return server, f"http://127.0.0.1:{port}/notebooks/chat.ipynb?token={token}"


def run_marimo(page: Page) -> None:
    """Run the cell of an open editor: a click before its kernel is there does nothing, so that it is clicked again."""
    run, chat = page.locator('[data-testid="run-button"]').first, page.locator("[data-bnb-chat]").first
    for _ in range(6):
        run.click(timeout=90_000)
        with contextlib.suppress(AssertionError):
            expect(chat).to_be_visible(timeout=20_000)
            return


def use(page: Page) -> list[str]:
    """Stream an answer, decline a call, and read what came; returns what was seen."""
    root = page.locator("[data-bnb-chat]").first
    expect(root).to_be_visible(timeout=90_000)
    log, box = root.get_by_role("log"), root.locator("textarea.bnb-composer-text")
    box.fill("say thirty words")
    box.press("Enter")
    expect(log).to_contain_text("word29", timeout=30_000)
    assert re.findall(r"word\d+", log.inner_text()) == [f"word{n}" for n in range(30)]
    box.fill("note it")
    box.press("Enter")
    root.locator('[data-bnb-action="decline"]').last.click(timeout=30_000)
    expect(log).to_contain_text("All done.", timeout=30_000)
    expect(root).to_have_css("display", "flex")
    return ["streamed", "declined by a click", "answered", "styled"]


def main() -> int:
    """Run all; the exit status is 0 if all did."""
    install()
    PICTURES.mkdir(exist_ok=True)
    failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for host in (marimo, marimo_edit, notebook):
            with tempfile.TemporaryDirectory() as folder:
                server, address = host(Path(folder))
                with server:
                    page = browser.new_page()
                    page.goto(address)
                    try:
                        if host is notebook:
                            page.wait_for_function(
                                "window.jupyterapp?.shell.currentWidget?.context?.sessionContext?.session?.kernel?.status"
                                " === 'idle'",
                                timeout=90_000,
                            )
                            page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
                        if host is marimo_edit:
                            run_marimo(page)
                        print(f"{host.__name__}: {', '.join(use(page))}")
                    except Exception as error:
                        failed += 1
                        print(f"{host.__name__}: FAILED: {error}")
                    picture = PICTURES / f"host-{host.__name__}.png"
                    page.screenshot(path=picture)
                    print(f"{host.__name__}: see {picture.relative_to(ROOT)}")
                    page.close()
        browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
