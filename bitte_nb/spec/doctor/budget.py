"""Rules about size: all tools together, each with its schema, travel with every request to a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bitte_nb.spec.budget import tokens
from bitte_nb.spec.doctor.rule import Remark, rule
from bitte_nb.spec.doctor.survey import Survey

__all__: list[str] = []

_TOOLS, _COMFORTABLE = 128, 40
_TOTAL, _ONE, _NOTABLE = 16_000, 2_000, 500


@rule("BUD001", "warning", "all tools together fit into a request")
def total(survey: Survey) -> Iterator[Remark]:
    """At most 128 tools (OpenAI) and 16,000 tokens; over 40 tools models choose less well, which is an info."""
    weights = survey.weights
    size = sum(weight.total for weight in weights)
    if tokens(size) > _TOTAL:
        heaviest = sorted(weights, key=lambda weight: -weight.total)[:10]
        shown = ", ".join(f"{weight.operation.id} {tokens(weight.total):,}" for weight in heaviest)
        yield Remark(
            at="/paths",
            message=f"The {len(weights)} tools take about {tokens(size):,} tokens of every request; {_TOTAL:,} are "
            f"bearable. The heaviest: {shown}.",
            fix="Offer fewer operations, or shorten the heaviest.",
            about=("tokens",),
        )
    if len(weights) > _COMFORTABLE:
        many = len(weights) > _TOOLS
        yield Remark(
            at="/paths",
            message=f"The document has {len(weights)} tools; "
            + (f"OpenAI takes {_TOOLS}." if many else f"models choose best among at most {_COMFORTABLE}."),
            fix="Offer only the operations that the agent needs, for example by tag.",
            about=("tools",),
            severity=None if many else "info",
        )


@rule("BUD002", "warning", "each tool is light, and definitions are not repeated in many")
def one(survey: Survey) -> Iterator[Remark]:
    """Providers take no definitions across tools: each tool carries its own copy."""
    copies: Counter[str] = Counter()
    sizes: dict[str, int] = {}
    for weight in survey.weights:
        copies.update(weight.shared)
        sizes |= weight.shared
        if tokens(weight.total) > _ONE:
            shared = sum(weight.shared.values())
            share = f", {100 * shared // weight.total} % of it definitions" if shared else ""
            yield Remark(
                at=weight.operation.pointer,
                message=f"{weight.operation.id} takes about {tokens(weight.total):,} tokens{share}; "
                f"{_ONE:,} are bearable.",
                fix="Take a smaller body in this operation, or shorten the descriptions in it.",
            )
    repeated = {name: (number - 1) * sizes[name] for name, number in copies.items() if number > 1}
    if tokens(sum(repeated.values())) > _ONE:
        worst = sorted(repeated, key=lambda name: -repeated[name])[:5]
        shown = ", ".join(f"{name} {copies[name]} times" for name in worst)
        yield Remark(
            at="/components/schemas" if "components" in survey.root else "",
            message=f"Definitions that several tools repeat take about {tokens(sum(repeated.values())):,} tokens: "
            f"{shown}.",
            fix="Take smaller schemas in requests, for example ids in place of whole objects.",
            about=("copies",),
        )


@rule("BUD003", "info", "heavy tools are trimmed where it costs nothing")
def trims(survey: Survey) -> Iterator[Remark]:
    """Only where examples, formats and titles, or a long description, are a fifth or more of a tool."""
    for weight in survey.weights:
        text = max(0, weight.text - 300)
        spare = weight.trims + text
        if tokens(weight.total) > _NOTABLE and spare * 5 >= weight.total:
            what = "its long description" if text > weight.trims else "examples, formats and titles"
            yield Remark(
                at=weight.operation.pointer,
                message=f"{weight.operation.id} takes about {tokens(weight.total):,} tokens, {tokens(spare):,} of them "
                f"for {what}.",
                fix="Shorten it." if text > weight.trims else "Drop those that say nothing new.",
            )
