"""Makes the JupyterLab extension of a checkout known to this environment by links, so that a build needs no install."""

from __future__ import annotations

import sys
from pathlib import Path

from scripts.hatch_build import SHARED

ROOT = Path(__file__).parents[1]


def link(prefix: Path) -> None:
    """Link what a wheel would put below `prefix`; what is there already, of an earlier wheel or link, is replaced."""
    for source, target in SHARED.items():
        place = prefix / target
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_symlink() or place.is_file():
            place.unlink()
        place.symlink_to(ROOT / source)


if __name__ == "__main__":
    link(Path(sys.prefix))
