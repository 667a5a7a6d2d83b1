"""Rules about the assistant's instructions: that they fit the tools which the document has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bitte_nb.core.nearest import nearest
from bitte_nb.spec.doctor.payloads import MAKERS, described, payloads
from bitte_nb.spec.doctor.primitives import KNOWN
from bitte_nb.spec.doctor.prose import contradictions, repeated
from bitte_nb.spec.doctor.rule import Remark, patch, rule
from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.doctor.verbs import VERBS, word_set, words_of
from bitte_nb.spec.tree import items, mapping, sequence, string

__all__: list[str] = []

_AT = "/x-mb/assistant/instructions"
_SHORTEST, _LONGEST = 80, 4000
_PATH = re.compile(r"(?<![\w:/.}])/[A-Za-z0-9_{][\w\-{}:.~%]*(?:/[\w\-{}:.~%*]+)*/?")
_MOST = 100
"""Unknown names that are looked at; each is held against every known one."""
_TOKEN = re.compile(
    r"(?<![\w/.\-])[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+(?![\w/\-])|(?<![\w/.\-])[a-z]+[a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+(?![\w/\-])"
)
_CALL = re.compile(
    r"(?i)(?:\b(?:use|using|call|calling|invoke|invoking|run|trigger|execute|tools?|primitives?|endpoints?|operations?|functions?"
    r"|plugins?)\s+(?:named\s+|called\s+|the\s+)?[`'\"]?)\Z"
)
_PARTICLES = word_set("""
    a action ahead and as based by down driven ended for free friendly in off on only or out over source the through
    time to up
""")
"""Words that make a verb an English compound, as in follow-up, read-only or call-to-action."""
_NOUN = re.compile(r"(?i)\A[`'\"]?\s+(?:tools?|primitives?|endpoints?|operations?|functions?|plugins?|api)\b")


def _text(survey: Survey) -> str:
    text = survey.assistant.get("instructions")
    return text if isinstance(text, str) else ""


@rule("XMB007", "warning", "the instructions name every declared primitive and what comes before it")
def primitives_named(survey: Survey) -> Iterator[Remark]:
    """Getting a payload sends nothing: the model must be told which tool makes it and which primitive takes it."""
    text = _text(survey)
    if not text.strip():
        return
    for kind in survey.primitives:
        if not _mentions(text, kind):
            yield Remark(
                at=_AT,
                message=f"The instructions do not name the primitive {kind!r}, although the agent declares it.",
                fix=f"Say when to call `{kind}`, and with which result.",
                about=(kind,),
            )
            continue
        makers = payloads(survey).get(kind, {})
        if makers and not any(_mentions(text, name) or path in text for name, path in makers.items()):
            yield Remark(
                at=_AT,
                message=f"The instructions do not say which tool prepares the payload of {kind!r}.",
                fix=f"Write: first call `{next(iter(makers))}`, then `{kind}` with its result.",
                about=(kind,),
            )


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


@rule("XMB008", "error", "the instructions name only tools and paths that exist")
def names_exist(survey: Survey) -> Iterator[Remark]:
    """A renamed tool that the instructions still name is called in vain."""
    text = _text(survey)
    if not text.strip():
        return
    known = survey.ids | KNOWN | frozenset(survey.primitives)
    lowered = {re.sub(r"[^a-z0-9]", "", name.lower()): name for name in known}
    words = _vocabulary(survey)
    foreign: set[str] = set()
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in known or token in words:
            continue
        foreign.add(token)
        if len(foreign) > _MOST:
            break
        if not _is_tool(token, text, found, lowered):
            continue
        near = lowered.get(re.sub(r"[^a-z0-9]", "", token.lower()))
        near = near or nearest(token, sorted(known))
        corrected = re.sub(rf"(?<![\w-]){re.escape(token)}(?![\w-])", near, text) if near else ""
        yield Remark(
            at=_AT,
            message=f"The instructions name {token!r}, but no operation or primitive is called that.",
            fix=f"Did you mean `{near}`?" if near else "Name an operationId of the document.",
            about=(token,),
            patch=patch("replace", _AT, corrected) if near else (),
        )
    yield from _paths(survey, text)


def _is_tool(token: str, text: str, found: re.Match[str], lowered: dict[str, str]) -> bool:
    """True if a word is surely meant as a tool: near a word like `call` or `tool`, or a known name in other clothes."""
    start, end = found.span()
    if re.sub(r"[^a-z0-9]", "", token.lower()) in lowered and len(words_of(token)) > 1:
        return True
    named = _CALL.search(text[max(0, start - 40) : start]) is not None or _NOUN.match(text[end : end + 20]) is not None
    quoted = text[start - 1 : start] in "`'\"" and text[end : end + 1] in "`'\"" and start > 0
    first, *rest = words_of(token)
    verb = first in VERBS and not set(rest) <= _PARTICLES
    near = nearest(token, lowered.values(), alike=0.85)
    return (verb and (named or bool(near) or _listed(text, start, end))) or (named and quoted)


def _listed(text: str, start: int, end: int) -> bool:
    """True for an entry of a list that explains a name: `- send-receipt: sends ...`."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return re.fullmatch(r"\s*(?:[-*•]|\d+[.)])\s*[`*'\"]*", line) is not None and (
        re.match(r"[`*'\"]*[ \t]*(?::|\(|[-\u2013\u2014]\s|=>|->)", text[end : end + 12]) is not None
    )


def _vocabulary(survey: Survey) -> frozenset[str]:
    """Names that the document gives to other things than tools: parameters, fields, schemas, tags, values."""
    found: set[str] = set()
    for visit in survey.visits:
        for slot in (*visit.parameters, *visit.fields):
            found.add(slot.name)
            found.update(value for value in sequence(slot.schema.get("enum")) if isinstance(value, str))
        found.update(tag for tag in sequence(visit.node.get("tags")) if isinstance(tag, str))
    for shape in survey.shapes.values():
        found.update(name for name, _ in items(shape.node.get("properties")))
        found.update(value for value in sequence(shape.node.get("enum")) if isinstance(value, str))
        found.add(shape.at.rsplit("/", 1)[-1])
    return frozenset(found)


def _paths(survey: Survey, text: str) -> Iterator[Remark]:
    known = [_segments(visit.path) for visit in survey.visits]
    first = {path[0] for path in known if path} | {"api"}
    foreign: set[str] = set()
    for found in _PATH.finditer(text):
        path = found[0].rstrip("./:")
        steps = _segments(path)
        if not steps or steps[0] not in first or any(_leads_to(steps, candidate) for candidate in known):
            continue
        foreign.add(path)
        if len(foreign) > _MOST:
            break
        near = nearest(path, [visit.path for visit in survey.visits])
        yield Remark(
            at=_AT,
            message=f"The instructions name the path {path}, but the document has no such path.",
            fix=f"Did you mean `{near}`? Better name its operationId." if near else "Name an operationId instead.",
            about=(path,),
        )


def _segments(path: str) -> list[str]:
    steps = [step for step in path.split("?")[0].strip("/").split("/") if step]
    return ["{}" if step.startswith(("{", ":")) else step for step in steps]


def _leads_to(steps: list[str], candidate: list[str]) -> bool:
    """True if the steps are a path of the document, or the beginning of one."""
    if len(steps) > len(candidate):
        return False
    return all(one in (other, "*") or other == "{}" for one, other in zip(steps, candidate, strict=False))


@rule("XMB009", "warning", "the instructions have a sensible length and say nothing twice or both ways")
def well_written(survey: Survey) -> Iterator[Remark]:
    """Too short says nothing, too long is not followed, and contradictions are settled at random."""
    text = _text(survey).strip()
    if text and not _SHORTEST <= len(text) <= _LONGEST:
        short = len(text) < _SHORTEST
        yield Remark(
            at=_AT,
            message=f"The instructions have {len(text)} characters; {_SHORTEST} to {_LONGEST} work well.",
            fix="Say what the agent is for, and which tools to call in which order." if short else "Keep what decides.",
            about=("length",),
        )
    for sentence in repeated(text):
        yield Remark(
            at=_AT, message=f"The instructions say twice: {sentence!r}.", fix="Say it once.", about=(sentence,)
        )
    for one, other in contradictions(text):
        yield Remark(
            at=_AT,
            message=f"The instructions say both {one!r} and {other!r}.",
            fix="Keep one, or say when each holds.",
            about=(one, other),
        )


@rule("XMB010", "warning", "payloads have their primitive, and primitives their payload")
def matched(survey: Survey) -> Iterator[Remark]:
    """A payload that no declared primitive takes goes nowhere."""
    if not survey.agent:
        return
    made = payloads(survey)
    for kind, names in made.items():
        if kind not in survey.primitives and not _alternatives(kind) & set(survey.primitives):
            for visit in survey.visits:
                if visit.name in names:
                    yield Remark(
                        at=visit.at,
                        message=f"{visit.name} returns a payload for {kind!r}, which the agent does not declare.",
                        fix=f"Add `{{type: {kind}}}` to the assistant's tools.",
                    )
    if not survey.visits or not all(visit.results and described(survey, *visit.results[0]) for visit in survey.visits):
        return  # What is not described may well be a payload.
    words = " ".join(f"{visit.id} {visit.words}" for visit in survey.visits)
    for index, tool in enumerate(sequence(survey.assistant.get("tools"))):
        kind = string(mapping(tool).get("type"))
        if kind in MAKERS and kind not in made and not _mentions(words, kind):
            yield Remark(
                at=f"/x-mb/assistant/tools/{index}",
                message=f"The agent declares {kind!r}, but no operation returns a payload for it.",
                fix="Describe the payload in the response of the operation that makes it, or remove the primitive.",
            )


def _alternatives(kind: str) -> set[str]:
    return {"transfer-ft"} if kind == "generate-transaction" else set()
