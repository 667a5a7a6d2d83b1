"""A notebook run from its first cell to its last without a browser, and the transcript it ends with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import nbclient
import nbformat
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TAG = "transcript"
"""Tag of the cell whose output is the transcript."""
TIMEOUT = 120
"""Seconds that one cell may take."""
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class TourFailed(RuntimeError):
    """A cell failed, or the notebook shows no transcript; the message says which and why."""


def run_tour(notebook: Path, *, folder: Path, environment: Mapping[str, str]) -> tuple[str, int]:
    """Run a copy of the notebook in `folder`, its kernel in that environment.

    Its cells assert what they expect, so a turn that ended otherwise is an error of its cell. Kernels are looked for
    where this process' own environment says.

    Returns:
        The text output of the cell tagged `transcript`, and how many code cells ran.

    Raises:
        TourFailed: see there.
    """
    book = nbformat.read(notebook, as_version=4)
    for cell in _code(book):
        cell.outputs, cell.execution_count = [], None
    client = nbclient.NotebookClient(book, timeout=TIMEOUT, kernel_name="python3", resources={})
    log = folder / "kernel.log"
    try:
        with log.open("wb") as said:
            client.execute(cwd=str(folder), env=dict(environment), stdout=said, stderr=said)
    except CellExecutionError as error:
        raise TourFailed(f"The tour failed.\n{_COLOURS.sub('', str(error))}{_so_far(book)}") from error
    except (CellTimeoutError, DeadKernelError) as error:
        last = log.read_text("utf-8", errors="replace")[-2000:]
        raise TourFailed(f"The tour did not end: {error}\nThe kernel's last words:\n{last}{_so_far(book)}") from error
    transcript = _transcript(book)
    if not transcript.strip():
        raise TourFailed(f"The tour shows no transcript: no cell tagged {TAG!r} in {notebook.name} printed any text.")
    return transcript, sum(1 for _ in _code(book))


def _code(book: Any) -> list[Any]:
    return [cell for cell in book.cells if cell.cell_type == "code"]


def _transcript(book: Any) -> str:
    cells = [cell for cell in _code(book) if TAG in cell.metadata.get("tags", [])]
    return "\n".join(text for cell in cells if (text := "".join(_plain(output) for output in cell.outputs).rstrip()))


def _plain(output: Any) -> str:
    if output.output_type == "stream":
        return str(output.text) if output.name == "stdout" else ""
    return str(output.get("data", {}).get("text/plain", ""))


def _so_far(book: Any) -> str:
    transcript = _transcript(book)
    return f"\n\nThe transcript until then:\n{transcript}" if transcript else ""
