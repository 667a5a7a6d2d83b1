"""Rules about what parameters and body fields say: the model fills them by their descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bitte_nb.spec.doctor.prose import tokens
from bitte_nb.spec.doctor.rule import Remark, rule
from bitte_nb.spec.doctor.survey import Slot, Survey
from bitte_nb.spec.doctor.verbs import word_set, words_of
from bitte_nb.spec.tree import sequence

__all__: list[str] = []

_FEWEST, _MOST = 10, 700
_QUANTITIES = word_set("""
        amount amt balance bid budget cost deadline deposit duration elapsed expiration expires expiry fee fees
        gas height interval mileage period price quantity radius rent salary timeout timestamp ttl wage weight
        width
    """)  # fmt: skip
_MONEY = word_set("amount amt balance bid budget cost deposit fee fees gas price rent salary value wage")
_TIMES = word_set("date datetime deadline expires expiration expiry time timestamp")
_UNIT = re.compile(
    r"""(?ix)
    \b(?:(?:milli|micro|nano)?seconds?|secs?|ms|minutes?|mins?|hours?|days?|weeks?|months?|years?|unix|epoch|iso|rfc|utc|gmt
    |yyyy\S*|hh:mm\S*|bytes?|[kmgt]i?b|kilobytes?|megabytes?|gigabytes?|pixels?|px|points?|percent\w*|basis|bps|ratio
    |cents?|dollars?|euros?|usd|eur|gbp|usdc|usdt|dai|wei|gwei|eth|ether|near|yocto\w*|lamports?|sol|sui|satoshis?|btc
    |decimals?|units?|currency|currencies|denominat\w+|human|smallest|minor|base|number\ of|how\ many
    |count
    |met(?:er|re)s?|km|kilomet\w+|miles?|feet|inch\w*|kg|kilograms?|grams?|pounds?|celsius|fahrenheit|characters?
    |format\w*|seconds-since|shares?|items?|pages?|rows?|records?|entries|results?|timestamp\ in)\b
    |%|\$|€|ms\b
    """
)  # fmt: skip
_SUFFIX = word_set("""
    ms s sec secs seconds minutes min hours days weeks months bytes kb mb gb px percent pct bps wei gwei eth usd eur
    cents unix iso utc km m kg meters miles decimals count
""")  # fmt: skip
_TRACES = word_set("request correlation trace span idempotency session")
"""Words of header ids that a caller makes up."""
_IDENTITIES = word_set("address addresses hash id ids identifier slug symbol ticker uid uuid guid")
_FORMS = re.compile(
    r"""(?ix)
    \bdo\ not\ (?:guess|infer|invent|make)|never\ (?:guess|infer|invent)|don't\ (?:guess|infer|invent)
    |\b(?:such\ as|for\ example|e\.?g\.?|like|format\w*|form|must\ be|should\ be|consists?|starts?\ with|begins?\ with
    |exactly|returned|obtained|retrieved|comes?\ from|found\ in|listed|lists?
    |given\ by|as\ given|gave|provided\ by|taken\ from
    |from\ the|see|one\ of|either|uuid|guid|hex\w*|base58|base64|checksum\w*|characters?|digits?|number\ of|symbol\ or
    |address\ or|or\ (?:an?\ |the\ )?(?:address|symbol|name|id|slug)|0x|leave\ (?:it\ )?out)
    |\d|`[^`]+`|"[^"]+"
    """
)
_REQUIRED = re.compile(
    r"(?i)^\W*required\b(?!\s+(?:if|when|for|unless|only|with|by|on|in|to|fields?|number|amount|scopes?))"
    r"|\((?:required|mandatory)\)|\b(?:is|are)\s+(?:required|mandatory)\b(?!\s+(?:if|when|for|unless|only|with|by|on|in|to))"
)
_OPTIONAL = re.compile(
    r"(?i)^\W*optional(?:ly)?\b(?!\s+(?:fields?|parameters?\s+of|list))|\(optional\)"
    r"|\bis optional\b(?!\s+(?:if|when|for|unless))"
)
_CONDITION = re.compile(r"(?i)\b(?:not|only|conditionally|if|unless|when|otherwise|either)\b")


@rule("PAR001", "error", "every parameter and body field has a description")
def described(survey: Survey) -> Iterator[Remark]:
    """A name alone makes the model guess."""
    for visit in survey.visits:
        for slot in visit.slots:
            if not slot.description:
                yield Remark(
                    at=slot.at,
                    message=f"{visit.name}: the {slot.words} has no description, so the model guesses what to put.",
                    fix="Add `description`: what it means, its form, and where its value comes from.",
                )
        body, at = visit.body_node
        if body.get("content") and not visit.fields and not visit.whole_described:
            yield Remark(
                at=at,
                message=f"{visit.name}: the body has no description, so the model guesses what to put.",
                fix="Add `description` to the request body: what it means and in which form.",
            )


@rule("PAR002", "warning", "a description of a parameter says more than its name, in reasonable length")
def explained(survey: Survey) -> Iterator[Remark]:
    """GPT Actions refuse more than 700 characters."""
    for visit in survey.visits:
        for slot in visit.slots:
            text = slot.description
            if not text:
                continue
            if len(text) > _MOST:
                fault = f"has {len(text)} characters; GPT Actions refuse more than {_MOST}"
            elif text.isascii() and "".join(tokens(text)) == "".join(words_of(slot.name)):
                fault = "only repeats its name"
            elif len(text) < _FEWEST and text.isascii():
                fault = f"is only {text!r}"
            else:
                continue
            yield Remark(
                at=slot.at,
                message=f"{visit.name}: the description of the {slot.words} {fault}.",
                fix="Say in a sentence or two what it means and in which form it is given.",
            )


@rule("PAR003", "warning", "quantities and times name their unit")
def measured(survey: Survey) -> Iterator[Remark]:
    """Wei or ETH, seconds or milliseconds: a factor of a thousand, or of 10 to the 18th."""
    for visit in survey.visits:
        for slot in visit.slots:
            if slot.description and _quantity(slot) and not _UNIT.search(slot.description):
                yield Remark(
                    at=slot.at,
                    message=f"{visit.name}: the {slot.words} does not say its unit or format.",
                    fix=f"Name it, such as {_example(slot)}.",
                )


def _example(slot: Slot) -> str:
    last = words_of(slot.name)[-1]
    if last in _TIMES:
        return "`as ISO 8601` or `in Unix seconds`"
    if last in _MONEY:
        return "`in NEAR (not yoctoNEAR)` or `in USD cents`"
    return "`in seconds`, `in bytes` or `in percent`"


def _quantity(slot: Slot) -> bool:
    words = words_of(slot.name)
    kinds = set(slot.types)
    if (
        not words
        or not kinds & {"string", "integer", "number"}
        or any(key in slot.schema for key in ("enum", "const", "format") if key != "format" or "string" in kinds)
    ):
        return False
    last = words[-1]
    if last in _SUFFIX - {"s", "m", "min"} or "type" in words or "id" in words or "unit" in words:
        return False
    if last in _TIMES:
        return True
    if "string" in kinds and not kinds & {"integer", "number"}:
        return last in {"amount", "amt", "price", "fee", "deposit", "cost", "duration", "timeout"}
    return last in _QUANTITIES


@rule("PAR004", "warning", "ids, addresses and symbols say which forms are accepted")
def sourced(survey: Survey) -> Iterator[Remark]:
    """A model makes up what it is not told where to find; a pattern, format, enum or example tells the form."""
    for visit in survey.visits:
        for slot in visit.slots:
            words = words_of(slot.name)
            if not slot.description or words[-1:] == () or words[-1] not in _IDENTITIES or "boolean" in slot.types:
                continue
            if slot.location == "header" and set(words) & _TRACES:
                continue
            shown = any(
                key in slot.schema for key in ("enum", "const", "format", "pattern", "example", "examples", "default")
            )
            named = any(name in slot.description for name in survey.ids)
            if shown or slot.sample is not ... or named or _FORMS.search(slot.description):
                continue
            yield Remark(
                at=slot.at,
                message=f"{visit.name}: the {slot.words} does not say which form is accepted, nor where to find it.",
                fix="Say which operation gives it, or its form, and add `Do not guess`.",
            )


@rule("PAR005", "warning", "free strings have an example")
def exemplified(survey: Survey) -> Iterator[Remark]:
    """An example anchors the form better than words do."""
    for visit in survey.visits:
        for slot in visit.slots:
            known = ("enum", "const", "format", "pattern", "example", "examples", "default", "contentMediaType")
            if slot.types == ("string",) and slot.sample is ... and not any(key in slot.schema for key in known):
                yield Remark(
                    at=slot.at,
                    message=f"{visit.name}: the {slot.words} is a free string without an example.",
                    fix="Add `example`, or an `enum`, `format` or `pattern` where its values are bounded.",
                )


@rule("PAR007", "warning", "what the text calls required is required, and the other way round")
def agreed(survey: Survey) -> Iterator[Remark]:
    """Models follow the schema and leave out what only the text requires."""
    for visit in survey.visits:
        for slot in visit.slots:
            if slot.location == "path":
                continue
            for sentence in re.split(r"(?<=[.!?;])\s+|\n", slot.description):
                if not slot.required and _REQUIRED.search(sentence) and not _conditional(sentence, slot):
                    fix = "Set `required: true`." if slot.location != "body" else "List it in the body's `required`."
                    message = f"{visit.name}: the {slot.words} is called required, but the schema makes it optional."
                elif slot.required and _OPTIONAL.search(sentence) and not _CONDITION.search(sentence):
                    fix = "Take it out of `required`, or correct the text."
                    message = f"{visit.name}: the {slot.words} is called optional, but the schema requires it."
                else:
                    continue
                yield Remark(at=slot.at, message=message, fix=fix)
                break


def _conditional(sentence: str, slot: Slot) -> bool:
    return _CONDITION.search(sentence) is not None or "default" in slot.schema or bool(sequence(slot.node.get("oneOf")))
