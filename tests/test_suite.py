"""The closing line of `make test` counts honestly, and the browser tests find a Chromium or say so."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from scripts import chromium as finder
from scripts.suite import ROOT, STAGES, Count, Step, read_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REPORT = '<testsuites><testsuite tests="{0}" failures="{1}" errors="{2}" skipped="{3}"/></testsuites>'


def step(report: Path, counts: tuple[int, int, int, int], *, status: int = 0, may_skip: bool = True) -> Step:
    """A command that writes a JUnit file and ends with that status."""
    program = f"import sys; open({str(report)!r}, 'w').write({REPORT.format(*counts)!r}); sys.exit({status})"
    return Step([sys.executable, "-c", program], report=report, may_skip=may_skip)


@pytest.mark.parametrize(
    ("counts", "status", "expected"),
    [
        ((10, 0, 0, 0), 0, "10 passed, 0 failed"),
        ((10, 2, 1, 3), 1, "4 passed, 3 failed, 3 skipped"),
        ((10, 0, 0, 0), 3, "10 passed, 1 failed"),  # it crashed after its last test
        ((0, 0, 0, 0), 0, "0 passed, 1 failed"),  # it found nothing to run
        ((3, 0, 0, 3), 0, "0 passed, 1 failed, 3 skipped"),  # it skipped all it found
    ],
)
def test_a_run_is_counted_by_its_report_and_its_status(
    tmp_path: Path, counts: tuple[int, int, int, int], status: int, expected: str
):
    assert str(step(tmp_path / "report.xml", counts, status=status).run()) == expected


def test_where_nothing_may_skip_a_skipped_test_has_failed(tmp_path: Path):
    assert step(tmp_path / "report.xml", (10, 0, 0, 2), may_skip=False).run() == Count(passed=8, failed=2)


def test_a_run_without_a_report_has_failed(tmp_path: Path):
    silent = Step([sys.executable, "-c", "pass"], report=tmp_path / "none.xml")
    assert silent.run() == Count(failed=1)
    cut = tmp_path / "cut.xml"
    cut.write_text("<testsuites><testsuite tests=", "utf-8")
    assert read_report(cut) == Count()


@pytest.mark.parametrize("status", [0, 1])
def test_a_check_is_one_that_passed_or_failed(status: int):
    check = Step([sys.executable, "-c", f"raise SystemExit({status})"])
    assert check.run() == Count(passed=1 - status, failed=status)


def test_what_a_step_compiles_is_kept_for_the_next_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    kept = Step([sys.executable, "-c", "import sys; sys.exit(sys.dont_write_bytecode)"])
    assert kept.run() == Count(passed=1)


def test_the_stages_are_those_that_the_guide_names():
    assert f"`{' '.join(STAGES)}`" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[list[str]]]:
    """A machine with these programs and this user; installing records its commands and brings nothing."""

    def machine(*programs: str, root: bool, brings: str = "") -> list[list[str]]:
        present, commands = set(programs), list[list[str]]()

        def install(command: list[str], _env: dict[str, str]) -> bool:
            commands.append(command)
            if command[-1] == brings:
                present.add(brings)
            return True

        monkeypatch.setattr(finder.shutil, "which", lambda name: f"bin/{name}" if name in present else None)
        monkeypatch.setattr(finder, "_playwrights_own", lambda: None)
        monkeypatch.setattr(finder, "_succeeds", install)
        monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000)
        return commands

    return machine


def test_a_chromium_on_the_machine_is_taken_as_it_is(bare: Callable[..., list[list[str]]]):
    commands = bare("google-chrome", "apt-get", root=True)
    assert finder.chromium() == "bin/google-chrome"
    assert commands == []


def test_debians_package_is_installed_where_apt_and_root_are_at_hand(bare: Callable[..., list[list[str]]]):
    commands = bare("apt-get", root=True, brings="chromium")
    assert finder.chromium() == "bin/chromium"
    assert commands == [["apt-get", "update"], ["apt-get", "install", "-y", "chromium"]]


def test_without_root_playwright_is_asked_and_without_any_browser_it_is_said(bare: Callable[..., list[list[str]]]):
    commands = bare("apt-get", root=False)
    with pytest.raises(finder.NoChromium, match=r"need Chromium.*playwright install chromium did not bring one"):
        finder.chromium()
    assert [command[1:] for command in commands] == [["-m", "playwright", "install", "chromium"]]
