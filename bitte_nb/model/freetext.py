"""Where in a text the words are that an argument of plain words wants; positions, never new words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from bitte_nb.model.said import VERBS
from bitte_nb.model.schema import Slot
from bitte_nb.model.words import EMPTY, tokens, vocabulary

__all__ = ["SAYING", "after_name", "after_saying", "left_over"]

SAYING = re.compile(
    r"\b(?:saying|(?:that|which)\s+(?:says|reads)|reading|with\s+(?:the\s+)?(?:text|message|content|body|words)"
    r"|titled|entitled|called|named)\b[:,]?\s+(?P<words>.+)|:\s+(?P<colon>.+)",
    re.IGNORECASE | re.DOTALL,
)
"""What introduces the person's own words."""
_WITH = re.compile(r"\bwith\s+(?:the\s+|an?\s+)?$", re.IGNORECASE)
"""What makes an argument's name the head of its value, as in `with title dom casmurro`."""
_AUXILIARY = re.compile(
    r"\s*(?:what|which|how|why|when|where)?\s*(?:much|many|often)?\s*(?:do|does|did)\b", re.IGNORECASE
)
"""How a question begins whose last word is its verb, as in `what does it cost`."""
_WORD = re.compile(r"[^\s,;!?\"“”]+")
_LEAD = vocabulary("that to for about with of as on in at by from please me i'd")
_LEAD_READ = _LEAD | vocabulary("the a an my any all some")

Span = tuple[int, int]
Taken = Callable[[int, int], bool]


def after_saying(text: str, taken: Taken, known: frozenset[str] = frozenset()) -> Span | None:
    """What follows `saying` and the like, up to the first thing that another argument took.

    Where it is cut there, small words and the operation's own (`known`) right before the cut belong to what was taken.
    """
    match = SAYING.search(text)
    if match is None:
        return None
    start, end = match.span("words" if match.group("words") else "colon")
    while end > start and taken(start, end):
        end -= 1
    span = _trimmed(text, start, end)
    while span and end < len(text.rstrip()) and (match := re.search(r"\s(\w+)$", text[slice(*span)])):
        if match.group(1).lower() not in _LEAD and not set(tokens(match.group(1))) & known:
            break
        span = _trimmed(text, start, start + match.start())
    return span


def after_name(text: str, slot: Slot) -> Span | None:
    """What follows the argument's own name: `username bob`, `city is New York`, `note: buy milk`."""
    words = slot.name_words[:-1] if slot.is_id and len(slot.name_words) > 1 else slot.name_words
    name = r"[\s_-]*".join(map(re.escape, words))
    match = re.search(rf"\b{name}\b(?P<link>(?:\s+(?:id|is|of|as|named|called))?:?)\s+(?:the\s+)?(?=\S)", text, re.I)
    if match is None:
        return None
    rest = text[match.end() :]
    if slot.is_one_word:
        word = _WORD.match(rest)
        if word is None or word.group().lower().strip(".") in EMPTY | VERBS:
            return None
        if slot.is_id and not re.search(r"\d|[_-]", word.group()):
            return None
        return match.end(), match.end() + len(word.group().rstrip("."))
    if not re.search(r":|\b(?:is|as|named|called)$", match.group("link"), re.I):
        if not _WITH.search(text[: match.start()]):
            return None
        stop = re.search(r"[.;,!?](?:\s|$)|\s(?:and|with)\s|$", rest)
        return _trimmed(text, match.end(), match.end() + (stop.start() if stop else len(rest)))
    stop = re.search(r"[.;]\s|[.;]?$|,\s*(?=\w+\s*(?:=|:))", rest)
    return _trimmed(text, match.end(), match.end() + (stop.start() if stop else len(rest)))


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    bare: str
    role: str
    """`taken` by another argument, `name` of the operation, `empty`, or `word`."""


def left_over(
    text: str, slot: Slot, *, known: frozenset[str], names: Callable[[str], bool], taken: Taken, reads: bool
) -> Span | None:
    """What remains when the operation's own words and the values of other arguments are taken away.

    For an operation that changes something, plain words must follow the operation's words; for one that reads they may
    stand before them too. `known` are the stems that name the operation, `names` tells those of any operation's id:
    words that are all of these are no value.
    """
    roles = [_token(match, known, taken) for match in _WORD.finditer(text)]
    if slot.is_one_word:
        words = [token for token in roles if token.role == "word"]
        if words and words[-1] is roles[-1] and _AUXILIARY.match(text):
            words.pop()
        if any(names(stem) for token in words for stem in tokens(token.bare)):
            return None
        if len(words) != 1 or (slot.is_id and not re.search(r"\d|[_.-]\w", text[words[0].start : words[0].end])):
            return None
        span = _trimmed(text, words[0].start, words[0].end, marks=".!?:'\u2019")
        capitals = bool(slot.examples) and all(str(example).isupper() for example in slot.examples)
        return span if span and (text[slice(*span)].isupper() or not capitals) else None
    first, last = _cluster(roles)
    for run in [roles[last + 1 :], *([roles[:first]] if reads else [])]:
        strangers = [token for token in run if token.role == "word" and not all(map(names, tokens(token.bare)))]
        if strangers and (span := _run(text, run, reads=reads)) is not None:
            return span
    return None


def _token(match: re.Match[str], known: frozenset[str], taken: Taken) -> _Token:
    bare = match.group().lower().strip(".'\u2019:")
    stems = set(tokens(match.group()))
    if taken(*match.span()):
        role = "taken"
    elif stems & known or (bare in VERBS and not match.start()):
        role = "name"
    else:
        role = "word" if stems else "empty"
    return _Token(*match.span(), bare, role)


def _cluster(roles: list[_Token]) -> tuple[int, int]:
    """The first stretch of the operation's own words, small words between them included."""
    first = next((at for at, token in enumerate(roles) if token.role == "name"), 0)
    last = first - 1
    for at in range(first, len(roles)):
        if roles[at].role == "name":
            last = at
        elif roles[at].role == "word":
            break
    return first, last


def _run(text: str, run: list[_Token], *, reads: bool) -> Span | None:
    stop = next((at for at, token in enumerate(run) if token.role == "taken"), len(run))
    run = run[:stop]
    lead = _LEAD_READ if reads else _LEAD
    while run and run[0].bare in lead:
        run = run[1:]
    while run and (run[-1].bare in _LEAD or (reads and run[-1].role in ("empty", "name"))):
        run = run[:-1]
    if not any(token.role == "word" for token in run):
        return None
    return _trimmed(text, run[0].start, run[-1].end)


def _trimmed(text: str, start: int, end: int, *, marks: str = "") -> Span | None:
    while end > start and (text[end - 1].isspace() or text[end - 1] in marks):
        end -= 1
    return (start, end) if end > start else None
