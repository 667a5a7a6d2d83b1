"""eth-account, imported on use: it takes a second, and it raises the interpreter's recursion limit for its own ends.

With that limit, deeply nested input would end the process instead of being refused, so it is put back at once.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

__all__ = ["eth_account"]


def eth_account() -> ModuleType:
    """The package `eth_account`, with `eth_account.messages`, and the recursion limit as it was."""
    limit = sys.getrecursionlimit()
    try:
        import_module("eth_account.messages")
        return import_module("eth_account")
    finally:
        sys.setrecursionlimit(limit)
