"""Rules about operationIds: the id is the tool's name, so it must be there, be one of a kind and be usable."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from bitte_nb.spec.doctor.primitives import BUILT_IN, KNOWN
from bitte_nb.spec.doctor.rule import Remark, patch, rule
from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.doctor.verbs import VERBS, word_set, words_of

__all__: list[str] = []

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_GEMINI = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}\Z")


@rule("OPID001", "error", "every operation has an operationId")
def present(survey: Survey) -> Iterator[Remark]:
    """The tool name is the operationId; loading derives one and says so, this covers operations kept out."""
    for visit in survey.visits:
        if not visit.id:
            name = "_".join([visit.method.lower(), *re.findall(r"[A-Za-z0-9]+", visit.path)])
            yield Remark(
                at=visit.at,
                message=f"{visit.method} {visit.path} has no operationId, so its tool has no name of its own.",
                fix=f'Add `operationId: "{name}"`, or a name that says what it does.',
                patch=patch("add", f"{visit.at}/operationId", name),
            )


@rule("OPID002", "error", "every operationId is used once")
def distinct(survey: Survey) -> Iterator[Remark]:
    """With two of a name, a call reaches the wrong one; the reference takes the last."""
    by_id: defaultdict[str, list[str]] = defaultdict(list)
    for visit in survey.visits:
        if visit.id:
            by_id[visit.id].append(visit.at)
    for name, places in by_id.items():
        for at in places if len(places) > 1 else []:
            yield Remark(
                at=f"{at}/operationId",
                message=f"The operationId {name!r} is used {len(places)} times: a call could go astray.",
                fix="Give each operation its own operationId.",
            )


@rule("OPID003", "warning", "operationIds differ by more than case and punctuation")
def distinguishable(survey: Survey) -> Iterator[Remark]:
    """`getUser` and `get_user` are one word to a model, and may become one name at a provider."""
    alike: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for visit in survey.visits:
        if visit.id:
            alike[re.sub(r"[^a-z0-9]+", "", visit.id.lower()) or visit.id][visit.id] = visit.at
    for names in alike.values():
        first, *others = names
        for name in others:
            yield Remark(
                at=f"{names[name]}/operationId",
                message=f"The operationId {name!r} differs from {first!r} only by case or punctuation.",
                fix="Give one of them a name that says how it differs.",
            )


@rule("OPID004", "error", "operationIds are names that every provider accepts")
def acceptable(survey: Survey) -> Iterator[Remark]:
    """OpenAI and Anthropic take `[a-zA-Z0-9_-]{1,64}`; Gemini takes dots and colons too, up to 128."""
    aliases = survey.document.aliases
    for visit in survey.visits:
        if not visit.id or _NAME.match(visit.id):
            continue
        who = "OpenAI and Anthropic refuse it" if _GEMINI.match(visit.id) else "OpenAI, Anthropic and Gemini refuse it"
        why = (
            f"it has {len(visit.id)} characters, 64 are allowed"
            if len(visit.id) > 64
            else "only a-z A-Z 0-9 _ - may be used"
        )
        alias = aliases.get(visit.id, "")
        fix = (
            f"Write `operationId: {alias}`, the name under which it is offered instead."
            if alias
            else ("Write a name of at most 64 letters, digits, hyphens and underscores.")
        )
        yield Remark(
            at=f"{visit.at}/operationId",
            message=f"The operationId {visit.id!r} cannot be a tool name: {why}; {who}.",
            fix=fix,
            patch=patch("replace", f"{visit.at}/operationId", alias) if alias else (),
        )


@rule("OPID005", "error", "no operationId shadows a primitive")
def unshadowed(survey: Survey) -> Iterator[Remark]:
    """A call of the name would be routed to the primitive, or the primitive would be lost."""
    for visit in survey.visits:
        if visit.id in KNOWN or visit.id in BUILT_IN:
            yield Remark(
                at=f"{visit.at}/operationId",
                message=f"The operationId {visit.id!r} is the name of a built-in tool: calls would be routed wrongly.",
                fix=f"Name it otherwise, for example `prepare-{visit.id}`.",
            )


_GENERATED = (
    re.compile(r"(?i)(?:get|post|put|patch|delete)_?/?_?(?:api|v\d+)[_/].*"),
    re.compile(r"(?i)(?:api|v\d+)[A-Za-z0-9_/.-]*(?:get|post|put|patch|delete)\Z"),
    re.compile(r"(?i)(?:op|operation|endpoint|method|func|function|route|api|call|handler)[-_]?\d*\Z"),
    re.compile(r"[A-Za-z0-9]*Controller_\w+\Z"),
    re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-.*"),
)


_FIRST = word_set("""
    arrange bake begin bring catch clean combine cook deal dig eat employ end feed finish fold gather go grow hire hold
    keep lay learn lend lift make meet mend need own pack praise produce prove pull raise reach relax rent rescue
    respond retire return ride rinse say shoot sing sit spend teach tell thank throw tie unload unpack wash weigh win
""")
"""Verbs that say what is done at the beginning of a name; elsewhere, or in a text, they may be nouns."""


@rule("OPID006", "warning", "an operationId says what the operation does")
def telling(survey: Survey) -> Iterator[Remark]:
    """Generated names (`get_api_v1_items__id__get`) and names without a verb tell a model nothing."""
    for visit in survey.visits:
        if not visit.id or visit.id in KNOWN:
            continue
        words = words_of(visit.id)
        spelled = words[-1:] == (visit.method.lower(),) and len(words) > 3 and set(words_of(visit.path)) <= set(words)
        if spelled or "__" in visit.id.strip("_") or any(pattern.fullmatch(visit.id) for pattern in _GENERATED):
            fault = "reads as if a program had made it"
        elif len(visit.id) < 3 or not (any(word in VERBS for word in words) or (len(words) > 1 and words[0] in _FIRST)):
            fault = "does not say what is done"
        else:
            continue
        yield Remark(
            at=f"{visit.at}/operationId",
            message=f"The operationId {visit.id!r} {fault}.",
            fix="Write a verb and what it acts on, such as `list-orders` or `create-invoice`.",
        )


_STYLES = {
    "kebab-case": re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+\Z"),
    "snake_case": re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+\Z"),
    "camelCase": re.compile(r"[a-z]+[a-z0-9]*[A-Z][A-Za-z0-9]*\Z"),
    "PascalCase": re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*\Z"),
}


@rule("OPID007", "info", "operationIds are written in one style")
def consistent(survey: Survey) -> Iterator[Remark]:
    """One style for all is easier to name without a slip; single words belong to any."""
    by_style: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for visit in survey.visits:
        for style, pattern in _STYLES.items():
            if pattern.match(visit.id):
                by_style[style][visit.id] = visit.at
    if len(by_style) < 2:
        return
    main = max(by_style, key=lambda style: len(by_style[style]))
    others = {name: at for style, names in by_style.items() if style != main for name, at in names.items()}
    shown = ", ".join(list(others)[:4]) + (", ..." if len(others) > 4 else "")
    count = f"{len(others)} operationId{'s are' if len(others) > 1 else ' is'} not in {main}"
    yield Remark(
        at=f"{next(iter(others.values()))}/operationId",
        message=f"{count} like the other {len(by_style[main])}: {shown}.",
        fix=f"Write all of them in {main}.",
    )
