"""Act, ask or refuse: which operation a text means, how sure that is, and what is still missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from bitte_nb.core.tool import Tool
from bitte_nb.core.wallet import Wallet
from bitte_nb.model.freetext import SAYING
from bitte_nb.model.retrieval import Hit, Index
from bitte_nb.model.said import Outcome, Said
from bitte_nb.model.slots import Filling, fill
from bitte_nb.model.words import action_of, stem, tokens

__all__ = ["Candidate", "Verdict", "judge", "title"]

_MARGIN, _SURE_READ, _SURE_WRITE = 1.25, 0.5, 0.6
"""How clear of the second the best must stand, and which share of the telling words it must know."""
_CONSIDERED = 8
_TYPED_EVIDENCE, _FULL_EVIDENCE = 2.5, 5.0
_WHO_AM_I = re.compile(
    r"\bwho(?:\s+am\s+i|m\s+i)\b|\bwhoami\b|\babout\s+me\b|\bwho\s+(?:the|this)\s+(?:person|user)\s+is\b"
    r"|\bwhich\s+(?:account|address|wallet)\s+(?:am|do)\s+i\b"
    r"|\bwhat(?:'s|\s+is|\s+are)\s+my\s+(?:own\s+)?(?:near\s+|evm\s+)?"
    r"(?:account|address|profile|wallet|identity|user)",
    re.IGNORECASE,
)
_ABOUT_ME = ("user", "person", "profile", "whoami", "identity", "account")
_HOW = re.compile(
    r"^\s*(?:please\s+)?(?:how\s+(?:do|does|can|could|should|would|to)\b|what\s+does\b.*\bdo\b|explain\b|why\b"
    r"|(?:can|could)\s+you\s+explain\b|should\s+i\b|what\s+(?:happens|would\s+happen)\b|describe\s+how\b)",
    re.IGNORECASE | re.DOTALL,
)
_QUESTION = re.compile(
    r"^\s*(?:what|which|who|whose|where|when|how\s+(?:many|much|often|long|old)|is|are|was|were|does|do|did|has|have)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:don'?t|do\s+not|never|please\s+not|rather\s+not|without\s+\w+ing|stop)\b", re.IGNORECASE)
_EFFECTS = {"read": "read", "create": "write", "update": "write", "delete": "remove", "cancel": "remove"}

Kind = Literal["act", "ask", "refuse", "explain", "negated", "unasked"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An operation that the text may mean."""

    tool: Tool
    score: float
    coverage: float
    """The share of the telling words that it knows, 0 to 1."""
    filling: Filling
    met: frozenset[str] = frozenset()
    """Stems of the text that it knows."""
    strange: frozenset[str] = frozenset()
    """Telling stems of the text that it does not know."""
    named: bool = False
    """True where the text has its name as it stands in the document."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do about a text."""

    kind: Kind
    ranked: tuple[Candidate, ...] = ()
    action: str | None = None
    """What the text wants done, by its verb: read, create, update, delete or cancel."""

    def against(self, action: str | None) -> bool:
        """True where an operation of that effect does something else than the text wants."""
        return None not in (action, self.action) and _EFFECTS[action or ""] != _EFFECTS[self.action or ""]

    @property
    def best(self) -> Candidate:
        """The first candidate; a verdict other than `refuse` has one."""
        return self.ranked[0]

    @property
    def clear(self) -> bool:
        """True where the best stands clear of the others, whatever is missing.

        A rival of half its score that knows a telling word which the best does not know stands in the way too.
        """
        best, *others = self.ranked
        return all(best.score >= (_MARGIN if not one.met & best.strange else 2 * _MARGIN) * one.score for one in others)


def title(tool: Tool) -> str:
    """A tool as a button says it: the first sentence of its description, or its name."""
    first = re.split(r"(?<=[.!?])\s|\n", tool.description.strip(), maxsplit=1)[0].rstrip(". ")
    return first if 0 < len(first) <= 60 else tool.name


def judge(text: str, index: Index, *, wallet: Wallet, outcomes: Sequence[Outcome] = ()) -> Verdict:
    """Decide about one request; a value is never guessed to make an operation possible."""
    said = Said.read(text)
    bare = _without_values(text, said)
    query = _query(bare, index)
    soft: set[str] = set()
    if _WHO_AM_I.search(bare):
        soft = {stem(word) for word in _ABOUT_ME} | set(query)
        query += [word for word in sorted(soft) if word not in query and index.share(word) <= 0.5]
    named = _titled(text, index.tools) or _named_tools(bare, index.tools)
    hits = index.search(query)
    if named:
        by_name = {hit.tool.name: hit for hit in hits}
        found = [by_name.get(tool.name) or Hit(tool, 1.0, frozenset(), frozenset()) for tool in named]
        hits = found + [hit for hit in hits if hit.tool not in named]
    asks = _QUESTION.search(bare) is not None
    action = _action_said(bare, said)
    action = action or ("read" if asks else None)
    ranked = [
        _candidate(hit, index, said, query, soft, action, wallet=wallet, outcomes=outcomes, named=hit.tool in named)
        for hit in hits[:_CONSIDERED]
    ]
    met = {hit.tool.name: hit for hit in hits}
    ranked = [one for one in ranked if one.named or _distinct(met[one.tool.name], index) or _fits_alone(one, ranked)]
    ranked.sort(key=lambda one: (-one.named, -one.score))
    if not ranked:
        return Verdict("refuse")
    verdict = Verdict("ask", tuple(ranked), action)
    if _HOW.search(bare):
        return replace(verdict, kind="explain")
    if _NOT.search(bare):
        return replace(verdict, kind="negated")
    if not _sure(verdict, index):
        return verdict
    return replace(verdict, kind="unasked" if asks and not _reads(ranked[0].tool, index) else "act")


def _sure(verdict: Verdict, index: Index) -> bool:
    best = verdict.best
    if best.filling.missing or best.filling.loose:
        return False
    if not _reads(best.tool, index) and not best.filling.args and best.tool.input_schema.get("properties"):
        return False  # everything is optional and nothing was said: a change without content is not what is meant
    if verdict.against(index.action(best.tool)):
        return False
    if best.named:
        return len([one for one in verdict.ranked if one.named]) == 1
    return verdict.clear and best.coverage > (_SURE_READ if _reads(best.tool, index) else _SURE_WRITE)


def _reads(tool: Tool, index: Index) -> bool:
    return tool.method in ("GET", "HEAD") or (tool.method == "" and index.action(tool) == "read")


def _candidate(
    hit: Hit,
    index: Index,
    said: Said,
    query: Sequence[str],
    soft: set[str],
    action: str | None,
    *,
    wallet: Wallet,
    outcomes: Sequence[Outcome],
    named: bool,
) -> Candidate:
    filling = fill(hit.tool, said, wallet=wallet, outcomes=outcomes, known=hit.matched, names=index.named)
    met = hit.matched | hit.faint
    consumed = {token for start, end in filling.spans for token in tokens(said.text[start:end])} | filling.units
    telling = [t for t in dict.fromkeys(query) if t in hit.matched or (t not in consumed and action_of(t) is None)]
    telling = [token for token in telling if token in met or token not in soft]
    complete = filling.evidence >= _FULL_EVIDENCE and not filling.missing and not filling.loose
    if complete and telling and telling[0] not in met and telling[0] == query[0]:
        telling = telling[1:]  # an imperative begins with a verb, and a call that takes everything needs no other proof
    weights = {token: index.idf(token) for token in telling}
    known = sum(
        w * (1.0 if token in hit.matched else 0.5 if token in hit.faint else 0.0) for token, w in weights.items()
    )
    total = sum(weights.values())
    coverage = known / total if total > 0 else (0.75 if complete else 0.0)
    score = (hit.score + 0.3 * min(filling.evidence, 8.0)) * 0.75**filling.loose
    score *= (0.4 + 0.6 * coverage) * (0.35 + 0.65 * hit.precision)
    if filling.missing:
        score *= 0.8
    own = index.action(hit.tool)
    if action is not None and own is not None:
        score *= 1.2 if action == own else 0.4 if "delete" in (action, own) else 0.7
    strange = frozenset(token for token in telling if token not in met)
    return Candidate(hit.tool, score, coverage, filling, met, strange, named)


def _distinct(hit: Hit, index: Index) -> bool:
    """True where the operation shares a word with the text by which it differs from others, or a word of its id."""
    few = max(0.25, 1 / len(index.tools))
    words = [token for token in hit.matched if action_of(token) is None]
    if any(index.share(token) <= max(0.5, few) for token in words) or (words and hit.precision > 0):
        return True
    if any(index.share(token) <= few for token in hit.matched - set(words)):
        return True
    return len([token for token in hit.faint if action_of(token) is None and index.share(token) <= few]) >= 2


def _action_said(bare: str, said: Said) -> str | None:
    """The effect of the first verb that names one; capitalised names are no verbs."""
    names = [(m.start, m.end) for m in said.mentions if m.kind == "name"]
    for match in re.finditer(r"[A-Za-z]+", bare):
        if any(start <= match.start() < end for start, end in names):
            continue
        if (kind := action_of(stem(match.group().lower()))) is not None:
            return kind
    return None


def _query(text: str, index: Index) -> list[str]:
    """The stems of a text; two words that an id writes as one, such as `log out`, count as that one."""
    words = re.findall(r"[A-Za-z]+", text.lower())
    joined = {stem(one + other) for one, other in pairwise(words)}
    return tokens(text) + sorted(word for word in joined if index.named(word) and index.spelled(word))


def _fits_alone(candidate: Candidate, rivals: Sequence[Candidate]) -> bool:
    """True where only this operation takes the address, id or link of the text, and nothing else is missing."""
    if candidate.filling.missing or candidate.filling.evidence < _TYPED_EVIDENCE:
        return False
    others = [one.filling for one in rivals if one is not candidate]
    return all(one.missing or one.loose or one.evidence < _TYPED_EVIDENCE for one in others)


def _titled(text: str, tools: Sequence[Tool]) -> list[Tool]:
    """The tool whose title is the whole text, as a button of suggestions sends it."""
    said = text.strip().rstrip(".!?").lower()
    found = [tool for tool in tools if title(tool).lower() == said]
    return found if len(found) == 1 else []


def _named_tools(text: str, tools: Sequence[Tool]) -> list[Tool]:
    """Tools whose name stands in the text, where the name could not be an everyday word."""
    found: list[Tool] = []
    for tool in tools:
        if not re.search(r"[_\-./\d]|[a-z][A-Z]", tool.name):
            continue
        if re.search(rf"(?<![\w-]){re.escape(tool.name)}(?![\w-])", text, re.IGNORECASE):
            found.append(tool)
    return found


def _without_values(text: str, said: Said) -> str:
    """The text without quotes, links, addresses, `name=value` pairs and what follows `saying`."""
    spans = [(m.start, m.end) for m in said.mentions if m.kind not in ("name", "number")]
    spans += [(start, end) for _, _, start, end in said.pairs]
    bare = list(text)
    for start, end in spans:
        bare[start:end] = " " * (end - start)
    return SAYING.sub(" ", "".join(bare))
