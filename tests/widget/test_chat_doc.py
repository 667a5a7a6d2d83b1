"""What docs/chat.md says that a test holds, a test of that name holds."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
HELD = re.compile(r'`([\w./]+\.(?:py|tsx?))` "([^"]+)"')


def rows() -> list[list[str]]:
    lines = (ROOT / "docs/chat.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table[1:]]


def held(path: str, words: str) -> bool:
    """Whether a test of that file, a name of a function or the title of a test, has these words."""
    file = ROOT / ("tests" if path.endswith(".py") else "js/test") / path
    if not file.is_file():
        return False
    text = file.read_text(encoding="utf-8")
    if path.endswith(".py"):
        return any(words in name for name in re.findall(r"^def test_(\w+)", text, re.MULTILINE))
    titles = re.findall(r"""\(\s*["`]([^"`\n]*)["`],\s*(?:async )?\(""", text)
    return any(words in title for title in titles)


def test_every_feature_is_held_by_a_test_that_is_there() -> None:
    missing = [
        f"{feature}: {path} {words!r}"
        for feature, _here, where in rows()
        for path, words in HELD.findall(where)
        if not held(path, words)
    ]
    assert missing == []
    assert [feature for feature, _here, where in rows() if not HELD.findall(where)] == []
    assert len(rows()) > 40
