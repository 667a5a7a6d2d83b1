"""Rules about every text of a document: what wastes tokens, what hides, what tries to give orders."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from bitte_nb.spec.doctor.prose import cut, language, tokens
from bitte_nb.spec.doctor.rule import Remark, patch, rule
from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.doctor.walks import place
from bitte_nb.spec.tree import clean, mapping, plain

__all__: list[str] = []

_NOISE: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("a code fence", re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)),
    ("a table", re.compile(r"^\s*\|?\s*:?-{2,}:?\s*\|", re.MULTILINE)),
    ("an image", re.compile(r"!\[[^\]]*\]\(|<img\b", re.IGNORECASE)),
    (
        "HTML",
        re.compile(
            r"</?(?:a|b|blockquote|br|code|div|em|font|h[1-6]|hr|i|li|ol|p|pre|small|span|strong|sub|sup|table|tbody"
            r"|td|th|thead|tr|u|ul)(?:\s[^<>]*)?/?>",
            re.IGNORECASE,
        ),
    ),
    ("a link", re.compile(r"\[[^\]]+\]\((?:https?:|/|#|\.)[^)]*\)")),
    (
        "a note on versions",
        re.compile(r"(?i)\b(?:added|new|introduced|available|changed|removed|deprecated) (?:in|since|as of)"
                   r" v?(?:ersion )?\d"
                   r"|^#+\s*changelog|\bsince v\d", re.MULTILINE),
    ),
)  # fmt: skip

_HIDDEN = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufff9-\ufffb\U000e0001\U000e0020-\U000e007e]|(?<=.)\ufeff|(?<=[\u0020-\u007e])[\u200c\u200d]"
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_MARKS = "\u061c\u200e\u200f"
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
_COMMAND = "an order to the model"
_ORDERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "an order to forget other instructions",
        re.compile(r"(?i)\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|the|your|of|my|these|those)\s+){0,3}"
                   r"(?:previous|prior|earlier|above|preceding|foregoing|other|system|safety|existing)\s+"
                   r"(?:instructions?|prompts?|rules?|messages?|directions?|guidelines?|context)"),
    ),
    (
        _COMMAND,
        re.compile(r"(?i)\b(?:reveal|print|repeat|output|leak|disclose|show)\s+(?:(?:me|us|the|your|all)\s+){0,3}system\s+prompt"
                   r"|\byou are now (?:in|an?|the|no longer)\b|\bact as (?:an? )?(?:unrestricted|jailbroken|DAN)\b"
                   r"|\bdo not (?:tell|inform|ask|alert|warn|notify) the (?:user|person|human)\b"
                   r"|\bwithout (?:telling|informing|asking|alerting|notifying) the (?:user|person|human)\b"),
    ),
    (
        "a mark of a chat format",
        re.compile(r"<\|(?:im_start|im_end|system|user|assistant)\|>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant)>"),
    ),
    (
        "an order about secrets",
        re.compile(r"(?i)\b(?:send|include|append|exfiltrate|forward|transmit|paste|copy)\b[^.\n]{0,60}"
                   r"\b(?:system prompt|(?:conversation|chat) history|"
                   r"(?:the|their|your|user's|person's|wallet's|its)\s+"
                   r"(?:private keys?|seed phrases?|mnemonics?|recovery phrases?))\b"),
    ),
    ("a script", re.compile(r"(?i)<script\b|\bjavascript:|\bon(?:error|load|click)\s*=")),
    ("a call of eval", re.compile(r"\beval\s*\(")),
    ("an HTML comment", re.compile(r"<!--")),
)  # fmt: skip
_ANY_API = frozenset(
    {"a", "an", "api", "document", "http", "openapi", "rest", "service", "specification", "the", "web"}
)
"""Words that could introduce any document."""


@rule("DESC006", "warning", "descriptions are plain text")
def plain_text(survey: Survey) -> Iterator[Remark]:
    """Markup costs tokens and says nothing to a model; only what a model reads is looked at."""
    for visit in survey.visits:
        seen = [(visit.description, f"{visit.at}/description", visit.name)]
        seen += [(slot.description, f"{slot.at}/description", f"{visit.name}, {slot.words}") for slot in visit.slots]
        for text, at, name in seen:
            found = [what for what, pattern in _NOISE if text and pattern.search(text)]
            if found:
                yield Remark(
                    at=at,
                    message=f"{name}: the description contains {_and(found)}, which costs tokens and says little.",
                    fix="Say it in plain sentences.",
                )


@rule("DESC007", "error", "no text hides anything or gives orders to the model")
def honest(survey: Survey) -> Iterator[Remark]:
    """The document is the prompt: hidden characters, scripts and injected orders have no place in it."""
    for text, chain, prose in survey.strings.texts:
        found = [] if text.isascii() and text.isprintable() else _hidden(text)
        if found:
            at = place(chain)
            cleaned = clean(text)
            shown = ", ".join(f"U+{ord(mark):04X}" for mark in dict.fromkeys(found))
            yield Remark(
                at=at,
                message=f"The text has characters that nobody sees: {shown}.",
                fix="Remove them.",
                about=("hidden",),
                patch=patch("replace", at, cleaned) if prose else (),
            )
        for what, pattern in _ORDERS if prose else ():
            if what == _COMMAND and chain is not None and chain[1] == "instructions":
                continue  # Instructions are there to give orders.
            if match := pattern.search(text):
                yield Remark(
                    at=place(chain),
                    message=f"The text contains {what}: {cut(match[0])!r}.",
                    fix="Remove it: a description describes, it gives no orders and carries no code.",
                    about=(match[0],),
                )


def _hidden(text: str) -> list[str]:
    found = _HIDDEN.findall(_FLAG.sub("", text))
    return [mark for mark in found if mark not in _MARKS] if found and _RTL.search(text) else found


@rule("DESC008", "info", "the document says what it is for")
def introduced(survey: Survey) -> Iterator[Remark]:
    """Title and description tell a model, and a person, when the whole document is of use."""
    info = mapping(survey.root.get("info"))
    if not plain(info.get("title")).strip():
        fix = "Write `title`, a name for the whole."
        yield Remark(at="/info", message="The document has no title.", fix=fix, about=("title",))
    text = clean(info.get("description")) or clean(info.get("summary"))
    if set(tokens(text)) <= _ANY_API:
        yield Remark(
            at="/info/description" if "description" in info else "/info",
            message="The document does not say what it is about." if text else "The document has no description.",
            fix="Write in `info.description` what it covers, and what it does not.",
            about=("description",),
        )


@rule("STY001", "info", "descriptions are in one language")
def one_language(survey: Survey) -> Iterator[Remark]:
    """A model chooses less well between tools that are described in different languages."""
    by_language: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for visit in survey.visits:
        if name := language(visit.words):
            by_language[name].append((visit.name, visit.description_at))
    if len(by_language) < 2:
        return
    main = max(by_language, key=lambda name: len(by_language[name]))
    for name, places in by_language.items():
        if name != main:
            shown = ", ".join(entry for entry, _ in places[:4]) + (", ..." if len(places) > 4 else "")
            yield Remark(
                at=places[0][1],
                message=f"Most operations are described in {main}, but {shown} in {name}.",
                fix=f"Describe all of them in {main}.",
                about=(name,),
            )


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
