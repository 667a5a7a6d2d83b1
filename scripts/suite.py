"""`make test`: everything that must pass, stage by stage, and one closing line that counts it.

A stage that fails does not stop the others; a stage that ran nothing has failed. Arguments name the stages to run.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

from scripts.chromium import NoChromium, chromium

ROOT = Path(__file__).parents[1]
PYTEST = [sys.executable, "-m", "pytest", "--quiet"]
NO_NBVAL = ["-p", "no:nbval"]
"""For tests that are no notebooks: nbval is slow to import, in every worker."""
SPREAD = ["-n", "logical", "--maxprocesses=4", "--dist=worksteal"]


@dataclass(frozen=True, slots=True)
class Count:
    """How many tests, or checks, ended how."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a stage; without a report it counts as one check."""

    command: list[str]
    folder: Path = ROOT
    report: Path | None = None
    """Where the command writes a JUnit file."""
    may_skip: bool = True
    """Whether a test may skip; where not, a skipped test has failed."""

    def run(self) -> Count:
        """Run it, its output going straight to the terminal."""
        print(f"\n$ {' '.join(_short(word) for word in self.command)}", flush=True)
        # Without their compiled files every worker, server and kernel would compile the package and the tests anew.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        with subprocess.Popen(self.command, cwd=self.folder, env=environment) as child:
            try:
                status = child.wait()
            except BaseException:
                # The child ends what it started itself; leaving this block waits for it.
                child.terminate()
                raise
        if self.report is None:
            return Count(passed=int(status == 0), failed=int(status != 0))
        count = read_report(self.report)
        if not self.may_skip and count.skipped:
            print(f"{count.skipped} tests skipped that must not.")
            count = Count(count.passed, count.failed + count.skipped)
        if count.failed or (status == 0 and count.passed):
            return count
        # Nothing failed by name, yet the run did: it crashed, or it found nothing to run.
        print(f"This ended with status {status} after {count}.")
        return count + Count(failed=1)


def read_report(path: Path) -> Count:
    """Count the tests of a JUnit file; a file that is not there, or is cut, counts nothing."""
    try:
        suites = list(ElementTree.parse(path).getroot().iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        return Count()
    tests, failures, errors, skipped = (
        sum(int(suite.get(name, 0)) for suite in suites) for name in ("tests", "failures", "errors", "skipped")
    )
    failed = failures + errors
    return Count(passed=max(tests - failed - skipped, 0), failed=failed, skipped=skipped)


def lint(_reports: Path) -> list[Step]:
    """Style, types and layers, in both languages."""
    npm = ROOT / "js"
    return [
        Step([sys.executable, "-m", "ruff", "check", "."]),
        Step([sys.executable, "-m", "ruff", "format", "--check", "."]),
        Step([sys.executable, "-m", "pyright"]),
        Step([str(Path(sys.executable).with_name("lint-imports"))]),
        Step(["npm", "run", "--silent", "check"], folder=npm),
        Step(["npm", "run", "--silent", "protocol:check"], folder=npm),
    ]


def python(reports: Path) -> list[Step]:
    """The Python tests that need no browser."""
    report = reports / "python.xml"
    return [
        Step([*PYTEST, *NO_NBVAL, *SPREAD, "tests", "--ignore=tests/browser", f"--junitxml={report}"], report=report)
    ]


def javascript(reports: Path) -> list[Step]:
    """The front end's tests."""
    report = reports / "javascript.xml"
    reporters = ["--reporter=default", "--reporter=junit", f"--outputFile.junit={report}"]
    return [Step(["npm", "test", "--silent", "--", *reporters], folder=ROOT / "js", report=report)]


def notebooks(reports: Path) -> list[Step]:
    """Every notebook, cell by cell, against the outputs it was saved with."""
    report = reports / "notebooks.xml"
    compare = ["--nbval", "--nbval-current-env", "--nbval-sanitize-with=notebooks/sanitize.cfg"]
    return [Step([*PYTEST, *compare, "notebooks", f"--junitxml={report}"], report=report)]


def browser(reports: Path) -> list[Step]:
    """The widget in a real JupyterLab, in Chromium; each worker has both to itself."""
    print(f"Chromium: {chromium()}")
    report = reports / "browser.xml"
    return [Step([*PYTEST, *NO_NBVAL, *SPREAD, "tests/browser", f"--junitxml={report}"], report=report, may_skip=False)]


STAGES = {stage.__name__: stage for stage in (lint, python, javascript, notebooks, browser)}


def main() -> int:
    """Run the stages asked for; the exit status is 0 only if nothing failed."""
    parser = argparse.ArgumentParser(prog="make test", description=__doc__)
    parser.add_argument("stages", nargs="*", metavar="stage", help=f"any of {', '.join(STAGES)} (default: all)")
    asked = parser.parse_args().stages or list(STAGES)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if unknown := [name for name in asked if name not in STAGES]:
        parser.error(f"there is no stage {unknown[0]!r}; the stages are {', '.join(STAGES)}")
    lines: list[str] = []
    total = Count()
    with tempfile.TemporaryDirectory() as reports:
        for name in asked:
            start = time.monotonic()
            try:
                count = sum((step.run() for step in STAGES[name](Path(reports))), Count())
            except NoChromium as error:
                print(error)
                count = Count(failed=1)
            total += count
            lines.append(f"{name:<11} {time.monotonic() - start:6.1f} s  {count}")
    print("", *lines, total, sep="\n")
    return 1 if total.failed else 0


def _short(word: str) -> str:
    return word.removeprefix(f"{ROOT}/")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
