"""The demo agent's OpenAPI 3.1 document: `openapi.yaml` beside this file, with the place where the agent listens."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

__all__ = ["document"]


def document(base_url: str) -> dict[str, Any]:
    """Describe the agent as it answers at `base_url` (scheme, host and port, no trailing slash)."""
    described = deepcopy(_described())
    front = {name: described.pop(name) for name in ("openapi", "info")}
    return {**front, "servers": [{"url": base_url, "description": "This running agent"}], **described}


@cache
def _described() -> dict[str, Any]:
    return yaml.safe_load(files("bitte_nb.demo").joinpath("openapi.yaml").read_text(encoding="utf-8"))
