"""Every row of the survey of other converters has a test: `rows.md` says which.

The survey lies beside a checkout where people work on it (`../shared/design/openapi-tools.md`); without it only the
tests that the table names are looked for.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
SURVEY = TESTS.parents[1] / "shared" / "design" / "openapi-tools.md"
SECTIONS = ("Section 1: features", "Section 1: names", "Section 2: reported faults", "Section 5: attacks")
REQUIREMENTS = "Section 5: requirements"


def cells(text: str) -> list[list[str]]:
    """The rows of the tables in a Markdown text, heads left out."""
    found: list[list[str]] = []
    lines = text.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("|") and not line.startswith("|---") and not following.startswith("|---"):
            found.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return found


def table() -> dict[tuple[str, str], list[str]]:
    """Tests by section and row."""
    found: dict[tuple[str, str], list[str]] = {}
    for part in (HERE / "rows.md").read_text("utf-8").split("\n## ")[1:]:
        title = part.split("\n", 1)[0]
        found |= {(title, row): tests.split(" · ") for row, tests in cells(part)}
    return found


ROWS = table()


def survey() -> set[tuple[str, str]]:
    """Section and row of all that the survey lists."""
    parts = {part[0]: part for part in SURVEY.read_text("utf-8").split("\n## ")}
    first, names = parts["1"].split("Naming probe")
    attacks = parts["5"].split("Best-in-class requirements")
    rows = {(SECTIONS[0], row[0]) for row in cells(first)} | {(SECTIONS[1], row[0]) for row in cells(names)}
    rows |= {(SECTIONS[2], number) for number in re.findall(r"^(\d+)\. ", parts["2"].split("\n", 1)[1], re.MULTILINE)}
    rows |= {(SECTIONS[3], row[0]) for row in cells(attacks[0])}
    return rows | {(REQUIREMENTS, number) for number in re.findall(r"^(\d+)\. ", attacks[1], re.MULTILINE)}


@cache
def names_in(path: Path) -> set[str]:
    """Names of the tests in a file, without `test_`."""
    tree = ast.parse(path.read_text("utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {name.removeprefix("test_") for name in names if name.startswith("test_")}


@pytest.mark.parametrize(("section", "row"), ROWS, ids=" ".join)
def test_the_tests_of_a_row_are_there(section: str, row: str) -> None:
    for test in ROWS[section, row]:
        file, _, name = test.partition("::")
        folder, _, stem = file.rpartition("/")
        home = HERE if folder in ("", "doctor") else TESTS
        path = home / folder / f"test_{stem}.py"
        assert path.is_file(), f"{row}: there is no {path}"
        assert name in names_in(path), f"{row}: {path.name} has no test_{name}"


def test_no_row_is_without_a_test() -> None:
    if not SURVEY.is_file():
        pytest.skip("../shared/design/openapi-tools.md is absent")
    listed = survey()
    assert len(listed) > 130
    assert sorted(listed - ROWS.keys()) == []
    assert sorted(ROWS.keys() - listed) == []
