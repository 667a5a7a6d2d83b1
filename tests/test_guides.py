"""The Python of README and of every guide runs as it stands, in a folder with the files that it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bitte_nb.demo.agent import serve

ROOT = Path(__file__).parents[1]
LIBRARY = """
openapi: 3.1.0
info: {title: Library, version: "1"}
servers: [{url: "https://api.library.example"}]
paths:
  /books/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: read-book}
    put: {operationId: shelve-book}
    post: {operationId: lend-book}
    patch: {operationId: reserve-book}
"""


def blocks(guide: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", guide.read_text("utf-8"), re.DOTALL)


GUIDES = [guide for guide in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if blocks(guide, "python")]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_the_python_of_a_guide_runs(guide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BITTE_NB_HISTORY", str(tmp_path / "history.sqlite"))
    Path("openapi.yaml").write_text(LIBRARY)
    for text in blocks(guide, "yaml"):
        if named := re.match(r"# (\S+\.yaml)\n", text):
            Path(named[1]).write_text(text)
    code = "\n".join(blocks(guide, "python"))
    with serve(seed=7) as demo:
        exec(compile(code.replace("http://127.0.0.1:8787", demo.url), str(guide), "exec"), {})
