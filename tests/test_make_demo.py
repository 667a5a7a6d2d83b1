"""`make demo`: it serves until told to end, keeps a person's changes, and its check tells success from failure."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest

from scripts.demo import lay_out
from scripts.lab_server import jupyter_environment
from scripts.tour import TourFailed, run_tour

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]


def book(path: Path, *cells: str, tag: str = "transcript") -> Path:
    """A notebook of code cells, the last one tagged."""
    v4 = nbformat.v4
    made = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])
    made.cells[-1].metadata["tags"] = [tag]
    nbformat.write(made, path)
    return path


def listens(port: int) -> bool:
    """Whether somebody listens on that port of 127.0.0.1."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


SMALL = """
import sys
from scripts import demo
from scripts.server import Server, free_port

class SmallServer(Server):
    def __init__(self, root, home, *, env):
        port = free_port()
        command = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(port)]
        super().__init__(command, name="server", port=port, ready="/", log=home / "log", cwd=root, env=env)

    def notebook_url(self, name):
        return self.url

demo.LabServer = SmallServer
sys.exit(demo.main())
"""
"""The demo with a small server in place of JupyterLab, whose start is most of what a test of the demo takes."""


@pytest.fixture
def demo(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """A demo that is starting, with JupyterLab or (parameter "small") with a small server in its place."""
    tour = book(tmp_path / "tour.ipynb", "1")
    where = ["--notebook", str(tour), "--folder", str(tmp_path / "demo")]
    program = ["-c", SMALL] if request.param == "small" else ["-m", "scripts.demo"]
    command = [sys.executable, *program, "--no-browser", *where]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    yield child
    if child.poll() is None:
        child.terminate()
        child.wait(60)


@pytest.mark.parametrize(
    ("demo", "number"),
    [("JupyterLab", signal.SIGINT), *(("small", number) for number in (signal.SIGTERM, signal.SIGHUP))],
    indirect=["demo"],
)
def test_a_signal_ends_the_agent_and_jupyterlab(demo: subprocess.Popen[str], number: signal.Signals):
    assert demo.stdout is not None
    said = ""
    while "Ctrl-C ends both." not in said:
        line = demo.stdout.readline()
        assert line, said
        said += line
    ports = [int(port) for port in re.findall(r"127\.0\.0\.1:(\d+)", said)]
    assert len(ports) == 2
    assert all(listens(port) for port in ports)

    demo.send_signal(number)
    assert demo.wait(60) == 0
    assert demo.stdout.read().strip() == "The demo agent and JupyterLab have ended."
    assert not any(listens(port) for port in ports)


def test_a_copy_that_a_person_changed_is_kept_and_an_untouched_one_follows_the_tour(tmp_path: Path):
    source, work, stamp = tmp_path / "tour.ipynb", tmp_path / "work", tmp_path / "stamp"
    work.mkdir()
    copy = work / "tour.ipynb"

    def tour(words: str) -> None:
        cell = nbformat.v4.new_code_cell(words, outputs=[nbformat.v4.new_output("stream", text="of another chat")])
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), source)
        lay_out(source, work, stamp=stamp)

    def words() -> str:
        return nbformat.read(copy, as_version=4).cells[0].source

    tour("first")
    tour("second")
    assert words() == "second"
    assert "of another chat" not in copy.read_text("utf-8"), "outputs of another chat were laid out"

    copy.write_text("mine", "utf-8")
    lay_out(source, work, stamp=stamp)
    assert copy.read_text("utf-8") == "mine"

    tour("third")
    assert words() == "third"
    assert (work / "tour-1.ipynb").read_text("utf-8") == "mine"


def test_a_tour_that_ends_well_gives_its_transcript(tmp_path: Path):
    tour = book(
        tmp_path / "tour.ipynb", "print('not this')", "import os\nprint('you:', os.environ['WHO'])\n'agent: hi'"
    )
    environment = jupyter_environment(tmp_path / "home", extra={"WHO": "alice"})
    assert run_tour(tour, folder=tmp_path, environment=environment) == ("you: alice\n'agent: hi'", 2)
    assert all("outputs" in cell and cell["outputs"] == [] for cell in json.loads(tour.read_text("utf-8"))["cells"])


@pytest.mark.parametrize(
    ("cells", "tag", "sentence"),
    [
        (
            ("assert False, 'the turn was denied'", "print('words')"),
            "transcript",
            "AssertionError: the turn was denied",
        ),
        (("print('words')", "raise ValueError('late')"), "transcript", "ValueError: late"),
        (("1", "print('words')"), "other", "no cell tagged 'transcript'"),
        (("1", "None"), "transcript", "no cell tagged 'transcript'"),
        (("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "1"), "transcript", "The tour did not end"),
    ],
)
def test_a_tour_that_ends_badly_says_so(tmp_path: Path, cells: tuple[str, ...], tag: str, sentence: str):
    tour = book(tmp_path / "tour.ipynb", *cells, tag=tag)
    with pytest.raises(TourFailed, match=re.escape(sentence)):
        run_tour(tour, folder=tmp_path, environment=jupyter_environment(tmp_path / "home"))
