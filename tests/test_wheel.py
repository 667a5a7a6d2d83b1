"""The distributions: what they carry, that a wheel needs no Node.js, and when the build hook builds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from scripts.hatch_build import BUNDLE, SKIP, BundleHook

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The source distribution of this tree, and the wheel made from nothing but that."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return {"sdist": next(folder.glob("*.tar.gz")), "wheel": next(folder.glob("*.whl"))}


def test_the_wheel_carries_the_bundle_the_package_and_the_extension_only(distributions: dict[str, Path]):
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        names = wheel.namelist()
        core = json.loads(wheel.read("bitte_nb/static/files.json"))["core"]
        sizes = [wheel.getinfo(f"bitte_nb/static/{name}").file_size for name in ["loader.js", *core]]
    assert sum(sizes) > 100_000
    beside = {name.partition(".data/data/")[2] for name in names if ".data/data/" in name}
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name and ".data/" not in name} == {
        "bitte_nb"
    }
    extension = "share/jupyter/labextensions/bitte-nb"
    assert {f"{extension}/package.json", f"{extension}/schemas/bitte-nb/plugin.json"} < beside
    assert "etc/jupyter/jupyter_server_config.d/bitte_nb.json" in beside
    assert len([name for name in beside if name.startswith(f"{extension}/static/remoteEntry.")]) == 1
    assert [name for name in names if name.endswith((".map", ".pyc"))] == []


def test_the_sdist_carries_what_builds_the_bundle(distributions: dict[str, Path]):
    with tarfile.open(distributions["sdist"]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert names >= {"scripts/hatch_build.py", "js/package.json", "js/package-lock.json", "js/build.mjs", *BUNDLE}
    assert any(name.startswith("js/src/") for name in names)
    assert [name for name in names if "node_modules" in name or name.startswith(".venv")] == []


def test_an_installed_wheel_works_where_there_is_no_node(distributions: dict[str, Path], tmp_path: Path):
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    bare = {"PATH": str(home / "bin"), "HOME": str(tmp_path)}
    install = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", str(python)]
    subprocess.run(
        [*install, "install", "--no-deps", "--no-index", str(distributions["wheel"])], cwd=tmp_path, check=True
    )
    # The dependencies are borrowed. Path files in a borrowed folder are not read, so our editable install stays out.
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")

    program = (
        "import shutil, importlib.resources as r, bitte_nb; print(bitte_nb.__file__); print(shutil.which('node')); "
        "print(len((r.files('bitte_nb') / 'static' / 'loader.js').read_bytes()))"
    )
    run = subprocess.run([python, "-c", program], cwd=tmp_path, env=bare, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    where, node, size = run.stdout.split()
    assert Path(where).is_relative_to(home)
    assert node == "None"
    assert int(size) == (ROOT / BUNDLE[0]).stat().st_size

    command = [home / "bin" / "bitte-nb", "--help"]
    shown = subprocess.run(command, cwd=tmp_path, env=bare, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    assert "agent" in shown.stdout


def hook(root: Path, *, target: str = "wheel") -> BundleHook:
    """The build hook for a tree."""
    nothing: Any = None
    return BundleHook(str(root), {}, nothing, nothing, str(root / "dist"), target)


def test_the_hook_says_what_is_missing_where_it_cannot_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(SKIP, raising=False)
    with pytest.raises(RuntimeError, match=r"loader\.js is not built.*Node\.js 20.*BITTE_NB_SKIP_JS=1"):
        hook(tmp_path).initialize("standard", {})


def test_the_hook_builds_nothing_for_an_editable_install_an_sdist_or_when_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(SKIP, raising=False)
    hook(tmp_path).initialize("editable", {})
    hook(tmp_path, target="sdist").initialize("standard", {})
    monkeypatch.setenv(SKIP, "1")
    hook(tmp_path).initialize("standard", {})
    monkeypatch.delenv(SKIP)
    for name in BUNDLE:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    hook(tmp_path).initialize("standard", {})


def test_the_hook_runs_npm_where_the_bundle_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "js").mkdir()
    npm = tmp_path / "npm"
    npm.write_text('#!/bin/sh\necho "$PWD $*" >> "$LOG"\n', "utf-8")
    npm.chmod(0o755)
    log = tmp_path / "log"
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("LOG", str(log))
    monkeypatch.delenv(SKIP, raising=False)
    hook(tmp_path).initialize("standard", {})
    js = tmp_path / "js"
    assert log.read_text("utf-8").splitlines() == [f"{js} ci --no-audit --no-fund", f"{js} run build"]
