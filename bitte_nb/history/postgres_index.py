"""Words as the PostgreSQL store indexes them: split here, so `bob.near` is two words and accents do not count."""

from __future__ import annotations

import re
import unicodedata

from bitte_nb.history import record

__all__ = ["queries_for", "storable", "words_of"]

LONGEST_WORD, MOST_WORDS = 100, 20_000
"""Characters of a word and words of an entry that the index takes, far below PostgreSQL's own limits."""


def storable(text: str) -> str:
    """What PostgreSQL can hold: no NUL and no half surrogates."""
    return record.storable(text).replace("\0", " ")


def words_of(text: str) -> list[str]:
    """The words of a text as the index keeps them: without case and accents."""
    plain = "".join(one for one in unicodedata.normalize("NFKD", storable(text)) if not unicodedata.combining(one))
    found = dict.fromkeys(word[:LONGEST_WORD] for word in re.findall(r"[^\W_]+", plain.casefold()))
    return list(found)[:MOST_WORDS]


def queries_for(text: str) -> list[str]:
    """The tsqueries to try in turn: all words, then the last one as a beginning; none where there are no words."""
    words = [f"'{word}'" for word in words_of(text)]
    whole = " & ".join(words)
    return [] if not words else [whole] if text[-1].isspace() else [whole, f"{whole}:*"]
