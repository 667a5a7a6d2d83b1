"""`make demo`: the demo agent and JupyterLab with the tour, until Ctrl-C; or the tour without a browser (--check)."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import signal
import sys
import tempfile
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import nbformat

from scripts.demo_agent import demo_agent, kernel_environment
from scripts.lab_server import LabServer, jupyter_environment
from scripts.server import Server, ServerDied
from scripts.tour import TourFailed, run_tour

if TYPE_CHECKING:
    from types import FrameType

ROOT = Path(__file__).parents[1]
TOUR = ROOT / "notebooks" / "tour.ipynb"
FOLDER = ROOT / ".demo"


class Ended(Exception):
    """Somebody asked the demo to end."""


def serve(notebook: Path, folder: Path, *, browser: bool) -> int:
    """Serve a notebook and those beside it until SIGINT, SIGTERM or SIGHUP; gives the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    for one in sorted(notebook.parent.glob("*.ipynb")):
        lay_out(one, work, stamp=folder / f"{one.stem}.sha256")
    try:
        with contextlib.ExitStack() as running:
            agent = running.enter_context(demo_agent(folder))
            environment = kernel_environment(agent, folder / "history.sqlite")
            lab = running.enter_context(LabServer(work, folder / "jupyter", env=environment))
            url = lab.notebook_url(notebook.name)
            chats = f"{Path(sys.executable).with_name('bitte-nb')} chats --history {folder / 'history.sqlite'}"
            print(f"demo agent  {agent.url}{agent.ready}\nJupyterLab  {url}\nits chats   {chats}", flush=True)
            print("Ctrl-C ends both.", flush=True)
            if browser and not _show(url):
                print("No browser could be opened here: open the JupyterLab address above yourself.", flush=True)
            # From here on a signal ends the demo once; what ends it is not to be interrupted.
            running.callback(_ignore_signals)
            return _watch(agent, lab)
    except Ended:
        print("\nThe demo agent and JupyterLab have ended.")
        return 0
    except ServerDied as error:
        print(error, file=sys.stderr)
        return 1


def check(notebook: Path) -> int:
    """Run the notebook without a browser and print its transcript; 0 only if every turn ended as expected."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="bitte-nb-") as name:
        folder = Path(name)
        try:
            with demo_agent(folder) as agent:
                home = folder / "jupyter"
                environment = jupyter_environment(home, extra=kernel_environment(agent, folder / "history.sqlite"))
                os.environ.update(environment)
                transcript, cells = run_tour(notebook, folder=folder, environment=environment)
        except (ServerDied, TourFailed) as error:
            print(error, file=sys.stderr)
            return 1
    print(transcript)
    print(f"\nThe tour ended as expected: {cells} cells in {time.monotonic() - start:.1f} s.")
    return 0


def lay_out(source: Path, work: Path, *, stamp: Path) -> None:
    """Copy the notebook into the work folder; a copy that was changed there is kept, under a number if it is old.

    `stamp` remembers what was copied.
    """
    copy = work / source.name
    notebook = _without_outputs(source)
    fresh = hashlib.sha256(notebook).hexdigest()
    laid = stamp.read_text("utf-8") if stamp.exists() else ""
    if copy.exists() and hashlib.sha256(copy.read_bytes()).hexdigest() != laid:
        if laid == fresh:
            return
        number = 1
        while (kept := work / f"{source.stem}-{number}{source.suffix}").exists():
            number += 1
        copy.rename(kept)
        print(f"{source.name} is a newer one; your changed copy is now {kept.name} beside it.")
    copy.write_bytes(notebook)
    stamp.write_text(fresh, "utf-8")


def _without_outputs(source: Path) -> bytes:
    """The notebook as it is before it is run: what it was saved with is of another chat than the reader's own."""
    book = nbformat.read(source, as_version=4)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return nbformat.writes(book).encode()


def _show(url: str) -> bool:
    """Open the address in a graphical browser, if there is one."""
    graphical = sys.platform in {"darwin", "win32"} or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    return graphical and webbrowser.open(url)


def _watch(*servers: Server) -> int:
    while True:
        for server in servers:
            if server.ended():
                print(f"The {server.name} ended by itself. Its last words:\n{server.log_tail()}", file=sys.stderr)
                return 1
        time.sleep(0.5)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    raise Ended


def _ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def main() -> int:
    """Parse the arguments and run the demo."""
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--check", action="store_true", help="run the tour without a browser, print its transcript")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--notebook", type=Path, default=TOUR, help="what to open or check (default: the tour)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the demo keeps its files (default: .demo)")
    arguments = parser.parse_args()
    notebook: Path = arguments.notebook.resolve()
    if not notebook.exists():
        parser.error(f"there is no notebook {arguments.notebook}")
    if arguments.check:
        return check(notebook)
    return serve(notebook, arguments.folder.resolve(), browser=not arguments.no_browser)


if __name__ == "__main__":
    sys.exit(main())
