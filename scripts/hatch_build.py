"""Hatchling hook: a wheel carries the built widget, so whoever installs it needs no Node.js."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLE = ("bitte_nb/static/loader.js", "bitte_nb/static/files.json")
"""What tells whether the page part is built: the loader is written last, the list names the rest."""
EXTENSION = "js/labextension"
SHARED = {
    EXTENSION: "share/jupyter/labextensions/bitte-nb",
    "scripts/jupyter_server_config.json": "etc/jupyter/jupyter_server_config.d/bitte_nb.json",
}
"""What a wheel puts beside the package, for JupyterLab and its server to find; `scripts/link_lab.py` for a checkout."""
SKIP = "BITTE_NB_SKIP_JS"


class BundleHook(BuildHookInterface[Any]):
    """Builds the bundle with npm where a wheel is made and the bundle is missing."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the bundle unless this is no wheel, an editable install, it is there, or BITTE_NB_SKIP_JS=1."""
        root = Path(self.root)
        self._build(root, version)
        if self.target_name == "wheel" and version != "editable" and (root / EXTENSION).is_dir():
            build_data["shared_data"] = SHARED

    def _build(self, root: Path, version: str) -> None:
        missing = [name for name in BUNDLE if not (root / name).exists()]
        if self.target_name != "wheel" or version == "editable" or os.environ.get(SKIP) == "1" or not missing:
            return
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError(
                f"{missing[0]} is not built, and building it needs Node.js 20 or newer with npm on PATH. Install them, "
                f"or take a released wheel, or set {SKIP}=1 for a package without its widget."
            )
        for command in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
            subprocess.run([npm, *command], cwd=root / "js", check=True)
