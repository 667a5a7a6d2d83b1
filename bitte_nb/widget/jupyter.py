"""The few calls into IPython, typed here because that library ships no complete types."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import sys
from typing import Any, Protocol

__all__ = ["DisplayHandle", "hear_every_request", "show", "show_bundle"]


class DisplayHandle(Protocol):
    """An output that can be replaced in place."""

    def display(self, obj: object, **kwargs: object) -> None:
        """Show the output once more, below the running cell."""
        ...

    def update(self, obj: object, **kwargs: object) -> None:
        """Replace the output wherever it is shown."""
        ...


def hear_every_request() -> None:
    """Let an ipykernel before 7.4 answer through the stream that reads its shell socket, as later ones do.

    ipykernel 7.0 to 7.3 answer beside that stream, which then never learns of a request that came in meanwhile: no
    cell and no click is heard any more until another client connects (ipykernel#1529, ipykernel#1554).
    """
    from IPython import get_ipython

    kernel: Any = getattr(get_ipython(), "kernel", None)
    thread = getattr(kernel, "shell_channel_thread", None)  # an ipykernel 6 and an in-process kernel have none
    if thread is not None and sys.modules["ipykernel"].version_info < (7, 4):
        thread.manager._shell_socket = kernel.shell_stream


def show(value: object) -> None:
    """Display a value below the running cell."""
    from IPython.display import display

    display(value)


def show_bundle(bundle: dict[str, str]) -> DisplayHandle | None:
    """Display a MIME bundle below the running cell; the handle replaces it later. None outside a notebook."""
    from IPython.display import display

    return display(bundle, raw=True, display_id=True)
