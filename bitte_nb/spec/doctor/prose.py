"""Reading sentences: which say the same, which contradict each other, in which language they are."""

from __future__ import annotations

import re
from collections import Counter

from bitte_nb.spec.doctor.verbs import word_set

__all__ = ["contradictions", "cut", "language", "repeated", "sentences", "tokens"]

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*(?:[-*•]|\d+[.)])?\s*")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_STOP = word_set("""
    a an and any are as at be been by can do does each for from has have if in into is it its may of on or that the
    their them then there these they this to use used using was when where which will with you your all also not no
    only other
""")  # fmt: skip
_ALWAYS = re.compile(r"(?i)\b(always|must always)\s+(?!be\b)([^.;:!?\n]+)")
_NEVER = re.compile(r"(?i)\b(never|must not ever)\s+([^.;:!?\n]+)")

_COMMON: dict[str, frozenset[str]] = {
    "English": word_set("the of and to is for this that with by from an are it be which when returns list"),
    "Spanish": word_set("el los las de la que en un una para por con del se es al como lista"),
    "French": word_set("le les des du une est pour dans avec sur par ce cette au aux qui liste"),
    "German": word_set("der die das und ist ein eine für mit von den dem zur zum auf wird nicht liste"),
    "Portuguese": word_set("o os as do da dos das uma para por com não em no na que lista"),
    "Italian": word_set("il lo gli di della del che un una per con non nel alla dei elenco"),
    "Dutch": word_set("het een van voor met niet door aan zijn wordt deze naar bij"),
}  # fmt: skip
_SCRIPTS: dict[str, re.Pattern[str]] = {
    "Japanese": re.compile("[\u3040-\u30ff]"),
    "Korean": re.compile("[\uac00-\ud7af]"),
    "Chinese": re.compile("[\u4e00-\u9fff]"),
    "Russian or another Cyrillic language": re.compile("[\u0400-\u04ff]"),
    "Greek": re.compile("[\u0370-\u03ff]"),
    "Arabic": re.compile("[\u0600-\u06ff]"),
    "Hebrew": re.compile("[\u0590-\u05ff]"),
    "Thai": re.compile("[\u0e00-\u0e7f]"),
    "Hindi": re.compile("[\u0900-\u097f]"),
}


def sentences(text: str) -> list[str]:
    """The sentences and list entries of a text."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def cut(text: str) -> str:
    """A text as a sentence quotes it."""
    return text if len(text) <= 60 else text[:57] + "..."


def tokens(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def _content(text: str) -> list[str]:
    return [word for word in tokens(text) if word not in _STOP]


def repeated(text: str) -> list[str]:
    """Sentences of five words or more that are in a text more than once, as first written."""
    first: dict[str, str] = {}
    count: Counter[str] = Counter()
    for sentence in sentences(text):
        words = tokens(sentence)
        if len(words) >= 5:
            key = " ".join(words)
            first.setdefault(key, sentence)
            count[key] += 1
    return [first[key] for key, number in count.items() if number > 1]


def contradictions(text: str) -> list[tuple[str, str]]:
    """Pairs of `always ...` and `never ...` about the same first words."""
    found: list[tuple[str, str]] = []
    never = [(match[0].strip(), _content(match[2])[:2]) for match in _NEVER.finditer(text)]
    for match in _ALWAYS.finditer(text):
        words = _content(match[2])[:2]
        found += [(match[0].strip(), other) for other, its in never if len(words) == 2 and words == its]
    return found


def language(text: str) -> str:
    """The language of a text where it is plain, else empty."""
    letters = sum(character.isalpha() for character in text)
    for name, script in _SCRIPTS.items():
        if letters and len(script.findall(text)) * 3 > letters:
            return name
    words = tokens(text)
    if len(words) < 6:
        return ""
    scores = sorted(((sum(word in common for word in words), name) for name, common in _COMMON.items()), reverse=True)
    best, second = scores[0], scores[1]
    return best[1] if best[0] >= 3 and best[0] >= 2 * second[0] and best[0] * 8 >= len(words) else ""
