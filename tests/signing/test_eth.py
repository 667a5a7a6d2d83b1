"""Importing eth-account leaves the interpreter as it was."""

from __future__ import annotations

import subprocess
import sys


def test_the_recursion_limit_stays_what_it_was():
    program = (
        "import sys; before = sys.getrecursionlimit(); from bitte_nb.signing.eth import eth_account; "
        "eth_account().messages; print(sys.getrecursionlimit() == before)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "True\n"
