"""Renderers: what a notebook's author shows in place of the results of a tool, in Python or in JavaScript.

    chat.renderers["get-user"] = lambda data: f"Hello **{data['accountId']}**"      # Markdown
    chat.renderers["price"] = lambda data: pandas.DataFrame(data["rows"])          # anything that shows itself
    chat.renderers["level"] = lambda data: ipywidgets.IntProgress(data["level"])   # a widget
    chat.renderers["map"] = bitte_nb.renderer(esm=Path("map.js"))                  # a module of anywidget's

A renderer is code of the notebook's author; no document, model or history can name one. The data that it is given came
from outside: put it into HTML only escaped, and into JavaScript only as text.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# ipywidgets ships no complete types.
from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

__all__ = ["Renderer", "Renderers", "renderer"]

Renderer = Callable[[Any], object]
"""Takes a result's data and returns what is shown: a widget, anything that shows itself, or Markdown as text."""


class Renderers(MutableMapping[str, Renderer]):
    """The renderers of a chat by the tool's name; setting one shows the results that are already there anew."""

    def __init__(self, changed: Callable[[str], None] = lambda _tool: None) -> None:
        self._changed = changed
        self._renderers: dict[str, Renderer] = {}

    def __getitem__(self, tool: str) -> Renderer:
        return self._renderers[tool]

    def __setitem__(self, tool: str, renderer: Renderer) -> None:
        if not callable(renderer):
            raise TypeError(f"The renderer of {tool!r} must be a function of the result's data, not {renderer!r}.")
        self._renderers[tool] = renderer
        self._changed(tool)

    def __delitem__(self, tool: str) -> None:
        del self._renderers[tool]
        self._changed(tool)

    def __iter__(self) -> Iterator[str]:
        return iter(self._renderers)

    def __len__(self) -> int:
        return len(self._renderers)

    def __repr__(self) -> str:
        return f"<Renderers of {', '.join(self._renderers) or 'no tool'}>"


def renderer(*, esm: str | Path, css: str | Path = "") -> Renderer:
    """A renderer in JavaScript, as a module of anywidget's: `export default { render({ model, el }) { ... } }`.

    The result is `model.get("data")`. It is untrusted: write it by `textContent`, never by `innerHTML`.

    Args:
        esm: The module's text, or the path of its file.
        css: A style sheet for it, likewise.
    """
    import anywidget
    import traitlets

    class ResultWidget(anywidget.AnyWidget):
        """One result, drawn by the author's module."""

        _esm = esm
        _css = css
        data = traitlets.Any().tag(sync=True)

    return lambda data: ResultWidget(data=data)
