"""The built JavaScript and CSS; a checkout without them says what to run instead of failing at import."""

from __future__ import annotations

from pathlib import Path

__all__ = ["NOT_BUILT", "asset"]

_STATIC = Path(__file__).parent.parent / "static"

NOT_BUILT = """
export default () => ({
  render({ el }) {
    el.textContent = "The page part of bitte_nb is not built. Run `make bundle`, then restart the kernel.";
  },
});
"""


def asset(name: str, fallback: str) -> str | Path:
    """The file `bitte_nb/static/<name>`, or `fallback` where it is not built.

    A path lets anywidget reload the page part while it is edited (`ANYWIDGET_HMR=1`).
    """
    path = _STATIC / name
    return path if path.is_file() else fallback
