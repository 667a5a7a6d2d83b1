"""Chromium for the browser tests: the one on this machine, else Debian's package, else Playwright's own download.

`python -m scripts.chromium` prints the path of the browser, installing one if it must.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

FLAGS = [
    # Chromium refuses its sandbox to root, and containers often have no other user.
    *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    # Nothing that looks for the network: the tests need this machine only.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
"""Arguments under which it runs headless, as root too, and asks the network for nothing."""


class NoChromium(RuntimeError):
    """No Chromium is on this machine and none could be installed."""


def installed_chromium() -> str | None:
    """Path of the Chromium or Chrome found on PATH, or of the one that Playwright downloaded earlier."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or _playwrights_own()


def chromium() -> str:
    """Path of a Chromium; installs one where there is none.

    Raises:
        NoChromium: every way failed; the message says which were tried.
    """
    if found := installed_chromium():
        return found
    tried: list[str] = []
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        tried.append("apt-get install chromium")
        quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        if _succeeds(["apt-get", "update"], quiet):
            _succeeds(["apt-get", "install", "-y", "chromium"], quiet)
        if found := installed_chromium():
            return found
    tried.append("playwright install chromium")
    _succeeds([sys.executable, "-m", "playwright", "install", "chromium"], dict(os.environ))
    if found := installed_chromium():
        return found
    raise NoChromium(
        f"The browser tests need Chromium: none of {', '.join(NAMES)} is on PATH, and "
        f"{' and '.join(tried)} did not bring one. Install Chromium and run this again."
    )


def _succeeds(command: list[str], env: dict[str, str]) -> bool:
    print("+", *command, file=sys.stderr, flush=True)
    return subprocess.run(command, env=env, stdout=sys.stderr, check=False).returncode == 0


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


if __name__ == "__main__":
    try:
        print(chromium())
    except NoChromium as error:
        sys.exit(str(error))
