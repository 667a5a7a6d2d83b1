"""Rules about what the descriptions of operations say: the model chooses a tool by them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bitte_nb.spec.doctor.likeness import alike
from bitte_nb.spec.doctor.prose import cut, tokens
from bitte_nb.spec.doctor.rule import Remark, rule
from bitte_nb.spec.doctor.survey import Survey, Visit
from bitte_nb.spec.doctor.verbs import DESTRUCTIVE, word_set, words_of

__all__: list[str] = []

_FEWEST_LETTERS, _FEWEST_WORDS = 30, 6
_GPT, _LONGEST, _LONGEST_SUMMARY = 300, 1024, 120
_WHEN = re.compile(
    r"(?i)\b(use|used|useful|when|whenever|if|before|after|call|once|unless|instead|asks?|wants?|needs?|helps?|lets?"
    r"|allows?|enables?)\b"
)
_EFFECT = re.compile(
    r"(?i)side[ -]effect|irrevers|permanent|cannot be|can't be|can not be|undo|undone|revers|restor|recover|revert|roll"
    r"|no longer|gone|lost|forever|takes? back|taken back|sends? nothing|moves? nothing|nothing is"
    r"|does not|doesn't|only (?:prepares?|builds?|creates?)|unsigned|payload|prepares?|review|approv|confirm"
)
_FILLER = word_set("""
    a an the of to for and or in on by with from given specified its this that endpoint operation api method request
    resource returns return call path get post put patch delete http rest v1 v2 v3
""")  # fmt: skip


@rule("DESC001", "error", "every operation has a summary or a description")
def described(survey: Survey) -> Iterator[Remark]:
    """Without one the model has only a name to go by."""
    for visit in survey.visits:
        if not visit.words:
            yield Remark(
                at=visit.at,
                message=f"{visit.name} has neither summary nor description: the model cannot know what it does.",
                fix="Add `description`: what it does, when to use it, and what it gives back.",
            )


@rule("DESC002", "warning", "a description says what the operation does and when to use it")
def explained(survey: Survey) -> Iterator[Remark]:
    """Three or four sentences are what models choose best by; where only the *when* is absent it is an info."""
    for visit in survey.visits:
        text = visit.words
        if not text:
            continue
        short = len(text) < _FEWEST_LETTERS or len(tokens(text)) < _FEWEST_WORDS
        if short and _repeats_its_name(visit):
            continue  # DESC005 says it, and why.
        if short and not _unspaced(text):
            yield Remark(
                at=visit.description_at,
                message=f"{visit.name}: {text!r} is too little to choose it by.",
                fix="Say in one to four sentences what it does, when to use it and what it gives back.",
            )
        elif not _WHEN.search(text) and text.isascii():
            yield Remark(
                at=visit.description_at,
                message=f"{visit.name}: the description does not say when to use it.",
                fix="Add a sentence such as `Use it when the person asks for ...`.",
                severity="info",
            )


def _unspaced(text: str) -> bool:
    """True for scripts that write a sentence without spaces, where words cannot be counted."""
    return len(re.findall("[\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]", text)) >= 12


@rule("DESC003", "warning", "descriptions are no longer than clients take")
def short_enough(survey: Survey) -> Iterator[Remark]:
    """Some clients cut at 1024 characters; GPT Actions take 300, which is an info here; a summary is one line."""
    for visit in survey.visits:
        text, summary = visit.description, visit.summary
        if len(text) > _GPT:
            hard = len(text) > _LONGEST
            who = f"some clients cut it at {_LONGEST}" if hard else f"GPT Actions refuse more than {_GPT}"
            yield Remark(
                at=visit.description_at,
                message=f"{visit.name}: the description has {len(text)} characters; {who}.",
                fix="Keep what tells this operation from the others; move the rest to `externalDocs`.",
                severity=None if hard else "info",
            )
        if len(summary) > _LONGEST_SUMMARY:
            yield Remark(
                at=f"{visit.at}/summary",
                message=f"{visit.name}: the summary has {len(summary)} characters; {_LONGEST_SUMMARY} are enough.",
                fix="Write one line, and the rest into `description`.",
            )


@rule("DESC004", "warning", "no two operations are described alike")
def distinct(survey: Survey) -> Iterator[Remark]:
    """Words that are also in the operation's own id or path tell it apart, so they count as a difference."""
    texts = [(visit.words, visit.description) for visit in survey.visits]
    own = [frozenset(words_of(visit.id)) | frozenset(words_of(visit.path)) for visit in survey.visits]
    for first, second in alike(texts, own):
        visit, other = survey.visits[second], survey.visits[first]
        yield Remark(
            at=visit.description_at,
            message=f"{visit.name} is described like {other.name}: the model cannot choose between them.",
            fix="Say in each how it differs from the other.",
        )


@rule("DESC005", "warning", "a description says more than the name")
def informative(survey: Survey) -> Iterator[Remark]:
    """`Get user` under `get-user` adds nothing."""
    for visit in survey.visits:
        if _repeats_its_name(visit):
            yield Remark(
                at=visit.description_at,
                message=f"{visit.name}: {cut(visit.words)!r} only repeats its name.",
                fix="Say what it gives back, when to use it and what it does not do.",
            )


def _repeats_its_name(visit: Visit) -> bool:
    """True for a description whose every word is in the operation's id, path or method."""
    words = {_stem(word) for word in tokens(visit.words)} - _FILLER
    known = {_stem(word) for word in (*words_of(visit.id), *words_of(visit.path), visit.method.lower())}
    return bool(visit.words) and visit.words.isascii() and words <= known | _FILLER


def _stem(word: str) -> str:
    for ending in ("ies", "es", "s", "ing", "ed", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word


@rule("DESC009", "warning", "an operation that takes something away says so")
def consequences(survey: Survey) -> Iterator[Remark]:
    """What is lost, and whether it can be taken back, decides if a model should ask first."""
    for visit in survey.visits:
        if _destructive(visit) and visit.words and not _EFFECT.search(visit.words):
            yield Remark(
                at=visit.description_at,
                message=f"{visit.name} takes something away, but its description does not say what happens for good.",
                fix="Add `Side effect: ...`, and whether and how it can be undone.",
            )


def _destructive(visit: Visit) -> bool:
    if visit.safe:
        return False
    first = next((word for word in words_of(visit.id) if word not in ("api", "v", "post", "put", "patch")), "")
    return visit.method == "DELETE" or first in DESTRUCTIVE
