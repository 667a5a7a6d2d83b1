"""Importing eth-account leaves the interpreter as it was."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_recursion_limit_stays_what_it_was():
    program = (
        "import sys; before = sys.getrecursionlimit(); from bitte_nb.signing.eth import eth_account; "
        "eth_account().messages; print(sys.getrecursionlimit() == before)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "True\n"


def test_it_is_imported_in_no_other_way():
    direct = re.compile(r"^\s*(from|import) eth_account", re.MULTILINE)
    files = [path for folder in ("bitte_nb", "tests", "notebooks") for path in (ROOT / folder).rglob("*.py")]
    assert [path.name for path in files if direct.search(path.read_text("utf-8"))] == []
