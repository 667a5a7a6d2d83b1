"""Names that every provider takes for tools whose own names hold dots, slashes, blanks or are too long."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

__all__ = ["Aliases"]

_VALID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_LONGEST = 64


class Aliases:
    """A reversible mapping; a name that is valid stays as it is and wins over an alias that would look the same."""

    def __init__(self, names: Iterable[str]) -> None:
        wanted = list(dict.fromkeys(names))
        self._sent = {name: name for name in wanted if _VALID.fullmatch(name)}
        for name in wanted:
            if name not in self._sent:
                self._sent[name] = _alias(name, set(self._sent.values()))
        self._names = {sent: name for name, sent in self._sent.items()}

    def sent(self, name: str) -> str:
        """The name as a provider gets it; one that is not on the list, as in an old message, is made valid alone."""
        return self._sent.get(name) or (name if _VALID.fullmatch(name) else _alias(name, set()))

    def name(self, sent: str) -> str:
        """The tool's own name; what a model made up stays as it is."""
        return self._names.get(sent, sent)


def _alias(name: str, taken: set[str]) -> str:
    alias = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_") or "tool"
    alias = alias if re.match(r"[A-Za-z_]", alias) else f"_{alias}"
    if len(alias) <= _LONGEST and alias not in taken:
        return alias
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{alias[: _LONGEST - 9]}_{digest}"
