"""The known word that was meant by an unknown one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["nearest"]

_LONGEST = 100
"""Characters of a word that are looked at: how alike two are takes the product of their lengths to say."""


def nearest(word: str, known: Iterable[str], *, alike: float = 0.6) -> str:
    """The known word that is most like another one, whatever their case; empty where none is.

    Args:
        word: Anything that somebody wrote.
        known: The words that there are.
        alike: How alike they must be, from 0 to 1 (`difflib.SequenceMatcher.ratio`).
    """
    words = {one.lower(): one for one in known}
    close = get_close_matches(word[:_LONGEST].lower(), words, n=1, cutoff=alike)
    return words[close[0]] if close else ""
