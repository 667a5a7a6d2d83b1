"""Words as the offline model compares them: identifiers split, endings cut, words without meaning named."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["ACTIONS", "EMPTY", "action_of", "resembles", "split_identifier", "stem", "tokens", "vocabulary"]

_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_CONTRACTED = re.compile(r"['\u2019](?:s|t|d|m|ll|re|ve)$", re.IGNORECASE)


def vocabulary(words: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(words.split())


EMPTY = vocabulary(
    """a about above after again all also am an and any are as at be been being but by can could did do does doing done
    down each either else even ever every few for from further had has have having he her here hers him his how i if in
    into is it its itself just kindly let like many may me might more most much must my mine myself need no nor not
    now of off ok okay on once one only onto or other our ours out over per please quite rather really same
    shall she should so some such than that the their theirs them then there these they this those through thanks
    thank to too under until up us very via want wants was we were what when where which while who whom whose why
    will with would yes yet you your yours hi hello hey don doesn didn isn aren won cannot tell give show see look
    using use know known support supported supports available current currently today possible existing exist exists
    everything something anything thing things lets going got gonna full complete entire whole different various
    always actually still maybe perhaps together back times twice thrice"""
)
"""Words that no operation is chosen by: articles, pronouns, auxiliaries, politeness."""

ACTIONS: dict[str, frozenset[str]] = {
    "read": vocabulary(
        "get list show find fetch read retrieve view see query search lookup display return describe browse check"
    ),
    "create": vocabulary("create add new make post insert register build generate write save submit"),
    "update": vocabulary("update change edit set modify patch put replace rename"),
    "delete": vocabulary("delete remove drop erase destroy clear unset"),
    "cancel": vocabulary("cancel abort stop revoke undo"),
}
"""Verbs that say what is done and not to what, by the kind of effect; the same for every domain."""


def split_identifier(name: str) -> list[str]:
    """`getHTTPStatus`, `get-http-status` and `get_http_status` are all `get http status`."""
    return [piece.lower() for piece in _PIECE.findall(name)]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Cut an English ending, so that `flipping`, `flips` and `flip` meet; not a dictionary form."""
    if len(word) <= 3 or not word.isascii():
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) >= 7 and word.endswith(("or", "er")):
        return word[:-2]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and re.search(r"[aeiouy]", root):
            if root[-1] == root[-2] and root[-1] not in "lsz":
                root = root[:-1]
            return root.removesuffix("e")
    return word.removesuffix("e")


def tokens(text: str) -> list[str]:
    """The stems of the words of a text, identifiers in it split, empty words kept out."""
    found: list[str] = []
    for word in _WORD.findall(text):
        bare = _CONTRACTED.sub("", word)
        if bare.lower() not in EMPTY:
            found += [stem(piece) for piece in split_identifier(bare) if piece not in EMPTY]
    return found


_STEMMED_ACTIONS = {stem(verb): action for action, verbs in ACTIONS.items() for verb in verbs}


def action_of(token: str) -> str | None:
    """The kind of effect that a stemmed verb names, or None."""
    return _STEMMED_ACTIONS.get(token)


def resembles(short: str, long: str) -> bool:
    """True where one stem is the head or tail of a compound, as `chain` of `blockchain`, or an ending apart."""
    if len(short) > len(long):
        short, long = long, short
    if long.startswith(short):
        return len(short) >= 6 or (len(short) >= 4 and len(long) - len(short) >= 4)
    return len(short) >= 4 and len(long) - len(short) >= 4 and long.endswith(short)
