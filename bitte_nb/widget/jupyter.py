"""The few calls into IPython, typed here because that library ships no complete types."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import Protocol

__all__ = ["DisplayHandle", "show", "show_bundle"]


class DisplayHandle(Protocol):
    """An output that can be replaced in place."""

    def display(self, obj: object, **kwargs: object) -> None:
        """Show the output once more, below the running cell."""
        ...

    def update(self, obj: object, **kwargs: object) -> None:
        """Replace the output wherever it is shown."""
        ...


def show(value: object) -> None:
    """Display a value below the running cell."""
    from IPython.display import display

    display(value)


def show_bundle(bundle: dict[str, str]) -> DisplayHandle | None:
    """Display a MIME bundle below the running cell; the handle replaces it later. None outside a notebook."""
    from IPython.display import display

    return display(bundle, raw=True, display_id=True)
