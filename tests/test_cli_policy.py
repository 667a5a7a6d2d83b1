"""The subcommand `policy`: a table of what may run, or a sentence about what is wrong with the file."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bitte_nb.cli import main
from bitte_nb.demo.document import document

POLICY = "rules:\n  - name: read-only\n    effect: allow\n    methods: [GET]\n"


def files(folder: Path, policy: str) -> list[str]:
    (folder / "policy.yaml").write_text(policy, encoding="utf-8")
    (folder / "agent.yaml").write_text(yaml.safe_dump(document("http://127.0.0.1:8787")), encoding="utf-8")
    return ["policy", str(folder / "policy.yaml"), str(folder / "agent.yaml")]


def test_it_prints_what_each_operation_may_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(files(tmp_path, POLICY)) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "allowed" in lines["get-user"]
    assert "asked" in lines["add-note"]


def test_a_misspelt_policy_is_said_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(files(tmp_path, POLICY.replace("effect", "efect"))) != 0
    captured = capsys.readouterr()
    assert "line 3" in captured.err + captured.out
    assert "Did you mean 'effect'?" in captured.err + captured.out
