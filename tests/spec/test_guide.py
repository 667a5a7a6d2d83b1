"""The examples of docs/documents.md run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "documents.md"


def test_the_examples_of_the_guide_run() -> None:
    examples = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert len(examples) >= 4
    exec(compile("\n".join(examples), str(GUIDE), "exec"), {})
