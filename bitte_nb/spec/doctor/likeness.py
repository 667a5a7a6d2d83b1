"""Which of many texts say nearly the same, without comparing each with each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from bitte_nb.spec.doctor.prose import tokens

__all__ = ["alike"]

_RATIO = 0.9
_SHORTEST = 5
_CROWD = 24
"""A run of words that more texts than this share tells nothing."""
_MOST_PAIRS = 4000


def alike(texts: Sequence[tuple[str, str]], own: Sequence[frozenset[str]]) -> Iterator[tuple[int, int]]:
    """Pairs (earlier, later) of indices whose texts cannot be told apart; each later one once.

    A text is given whole and as its description alone. Equal descriptions are alike; so are wholes whose words agree to
    nine tenths, unless each differs from the other in words of its `own`.
    """
    wholes = [tokens(whole) for whole, _ in texts]
    seen: dict[str, int] = {}
    done: set[int] = set()
    for index, (whole, description) in enumerate(texts):
        for text in {" ".join(tokens(description)), " ".join(wholes[index])} - {""}:
            first = seen.setdefault(text, index)
            if first != index and index not in done and (len(text) >= 20 or whole == texts[first][0]):
                done.add(index)
                yield first, index
    for first, second in _candidates(wholes):
        if second in done or not _near(wholes[first], wholes[second]):
            continue
        one, other = set(wholes[first]), set(wholes[second])
        if not ((one - other) & own[first] and (other - one) & own[second]):
            done.add(second)
            yield first, second


def _candidates(wholes: list[list[str]]) -> list[tuple[int, int]]:
    """Pairs that share many runs of three words."""
    runs: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, words in enumerate(wholes):
        if len(words) >= _SHORTEST:
            for run in {tuple(words[start : start + 3]) for start in range(len(words) - 2)}:
                runs[run].append(index)
    shared: Counter[tuple[int, int]] = Counter()
    for members in runs.values():
        if 1 < len(members) <= _CROWD:
            shared.update((one, other) for place, one in enumerate(members) for other in members[place + 1 :])
    enough = (pair for pair, count in shared.most_common(_MOST_PAIRS) if count * 3 >= len(wholes[pair[0]]))
    return sorted(enough, key=lambda pair: (pair[1], pair[0]))


def _near(one: list[str], other: list[str]) -> bool:
    if 2 * min(len(one), len(other)) < _RATIO * (len(one) + len(other)):
        return False
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() >= _RATIO and matcher.ratio() >= _RATIO
