"""The page part as it was built: the loader that each widget carries, and the files that it fetches from the kernel.

Everything is read once, so that a package that is replaced under a running kernel stays whole; with `ANYWIDGET_HMR=1`,
while it is edited, it is read anew each time. A checkout without it says what to run instead of failing at import.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable
from pathlib import Path

__all__ = ["NOT_BUILT", "STATIC", "core_files", "files", "loader"]

STATIC = Path(__file__).parent.parent / "static"
"""Where `js/build.mjs` writes."""

NOT_BUILT = """
export default () => ({
  render({ el }) {
    el.textContent = "The page part of bitte_nb is not built. Run `make bundle`, then restart the kernel.";
  },
});
"""


def loader() -> str | Path:
    """The module that a widget carries (`_esm`); a path lets anywidget replace it while it is edited."""
    path = STATIC / "loader.js"
    if not path.is_file():
        return NOT_BUILT
    return path if _edited() else path.read_text("utf-8")


def core_files() -> dict[str, str]:
    """The text of each file that the first chat of a page needs, by name; empty where nothing is built."""
    built = _built()
    return {name: built[name] for name in json.loads(built.get("files.json", '{"core": []}'))["core"]}


def files(names: Iterable[str]) -> dict[str, str]:
    """The text of the built files of these names; names that were never built are left out."""
    built = _built()
    return {name: built[name] for name in names if name in built}


def _built() -> dict[str, str]:
    return _read() if _edited() else _read_once()


def _read() -> dict[str, str]:
    if not STATIC.is_dir():
        return {}
    return {path.name: path.read_text("utf-8") for path in STATIC.iterdir() if path.suffix in {".js", ".json"}}


_read_once = functools.cache(_read)


def _edited() -> bool:
    return os.environ.get("ANYWIDGET_HMR") == "1"
