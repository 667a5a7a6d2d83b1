"""Words of the document that OpenAPI does not know but nearly: what stands under them says nothing to a reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bitte_nb.core.nearest import nearest
from bitte_nb.spec.doctor.rule import Remark, patch, rule
from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.doctor.verbs import word_set
from bitte_nb.spec.tree import escape, mapping, sequence
from bitte_nb.spec.values import ARTICLES

_ALIKE = 0.8
"""How alike two words are, from 0 to 1, for one to be taken as the other misspelt."""
_ROOT = word_set("components info openapi paths security servers tags webhooks externalDocs jsonSchemaDialect swagger")
_INFO = word_set("contact description license summary termsOfService title version")
_OPERATION = word_set("""
    callbacks deprecated description externalDocs operationId parameters requestBody responses security servers summary
    tags consumes produces schemes
""")
_PARAMETER = word_set("""
    allowEmptyValue allowReserved content deprecated description example examples explode in name required schema style
    collectionFormat default enum format items maximum maxItems maxLength minimum minItems minLength pattern type
""")
_BODY = word_set("content description required")
_RESPONSE = word_set("content description examples headers links schema summary")
_SCHEMA = word_set("""
    additionalProperties allOf anyOf const contains contentEncoding contentMediaType default definitions
    dependentRequired dependentSchemas deprecated description discriminator else enum example examples exclusiveMaximum
    exclusiveMinimum externalDocs format if items maxContains maxItems maxLength maxProperties maximum minContains
    minItems minLength minProperties minimum multipleOf not nullable oneOf pattern patternProperties prefixItems
    properties propertyNames readOnly required then title type unevaluatedItems unevaluatedProperties uniqueItems
    writeOnly xml
""")
_EXTENSION = word_set("account-id assistant email")
_ASSISTANT = word_set("categories chainIds description image instructions name repo tools version")


@rule("STX001", "warning", "every word is spelt as OpenAPI spells it")
def known_words(survey: Survey) -> Iterator[Remark]:
    """A misspelt field is no error to a reader: it is ignored, and what it says with it (OAS 3.1, 4.8)."""
    yield from _misspelt(survey.root, "", _ROOT, "the document")
    yield from _misspelt(survey.root.get("info"), "/info", _INFO, "`info`")
    yield from _misspelt(survey.extension, "/x-mb", _EXTENSION, "`x-mb`")
    yield from _misspelt(survey.assistant, "/x-mb/assistant", _ASSISTANT, "the assistant of `x-mb`")
    seen: set[str] = set()
    for visit in survey.visits:
        body, at = visit.body_node
        places = [
            (visit.node, visit.at, _OPERATION, "an operation"),
            *((slot.node, slot.at, _PARAMETER, "a parameter") for slot in visit.parameters),
            (body, at, _BODY, "a request body"),
            *((response, where, _RESPONSE, "a response") for _, response, where in visit.responses),
        ]
        for node, place, words, name in places:
            if place not in seen:
                seen.add(place)
                yield from _misspelt(node, place, words, name)
    for shape in survey.shapes.values():
        yield from _misspelt(shape.node, shape.at, _SCHEMA, "a schema")
        yield from _types(shape.node, shape.at)


def _misspelt(node: object, at: str, words: frozenset[str], name: str) -> Iterator[Remark]:
    written = mapping(node)
    for word, value in written.items():
        if word in words or word.startswith(("x-", "$")):
            continue
        near = nearest(word, sorted(words), alike=_ALIKE)
        if near and near not in written:
            yield Remark(
                at=f"{at}/{escape(word)}",
                message=f"`{word}` is no word of {name}, so it says nothing.",
                fix=f"Did you mean `{near}`?",
                patch=(*patch("add", f"{at}/{near}", value), *patch("remove", f"{at}/{escape(word)}")),
            )


def _types(node: dict[str, Any], at: str) -> Iterator[Remark]:
    declared = node.get("type")
    for kind in [declared] if isinstance(declared, str) else sequence(declared):
        if isinstance(kind, str) and kind not in ARTICLES and kind != "file":
            near = nearest(kind, ARTICLES)
            yield Remark(
                at=f"{at}/type",
                message=f"{kind!r} is no type, so nothing can be checked by it.",
                fix=f"Write `{near}`." if near else f"Write one of {', '.join(ARTICLES)}.",
            )
