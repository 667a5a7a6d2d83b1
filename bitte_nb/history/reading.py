"""A chat to read: Markdown and HTML made from its state, for saved notebooks, exports and print.

Both are deterministic (no times, no random ids). Everything that came from outside is data: raw HTML is shown as text,
links are http, https or mailto, images become links (reading requests nothing; charts and figures are pictures made of
their own bytes), and JSON stands in code blocks. What people and models wrote stands in quotes, so none of it can look
like a card or end one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from bitte_nb.core.answer import model_result
from bitte_nb.core.attachment import Attachment
from bitte_nb.core.card_text import card_text
from bitte_nb.core.decision import decision, edited
from bitte_nb.core.fold import ChatState, Turn
from bitte_nb.core.invocation import Invocation
from bitte_nb.history.drawn import DrawnResult, drawn
from bitte_nb.history.markdown import code, fenced, html_of, inline, quoted

__all__ = ["Drawings", "to_html", "to_markdown"]

_LONGEST = 20_000
"""Characters of one result or argument block; what is longer says how much was left out."""


Drawings = Mapping[str, DrawnResult]
"""Results that are drawn otherwise than by themselves, by the key of their call: what an author's renderer made."""


def to_markdown(state: ChatState, drawings: Drawings | None = None) -> str:
    """The chat as Markdown."""
    parts = [f"# {inline(state.title)}"] if state.title.strip() else []
    for turn in state.turns:
        parts += ["**You:**", *([quoted(turn.text)] if turn.text or not turn.files else [])]
        parts += [f"_{inline(_attached(file))}_" for file in turn.files]
        if line := _version(state, turn):
            parts.append(f"_{line}_")
        for kind, value in _pieces(state, turn):
            if isinstance(value, Invocation):
                parts.append(_card_markdown(value, _drawn(value, drawings)))
            elif kind == "speaker":
                parts.append(f"**{inline(value)}:**")
            else:
                parts.append(f"_{inline(value)}_" if kind == "note" else quoted(value))
    return "\n\n".join(parts) + "\n"


def to_html(state: ChatState, drawings: Drawings | None = None) -> str:
    """The chat as one HTML element of class `bnb-static`, without scripts, styles or requests."""
    parts: list[str] = ['<div class="bnb-static">']
    if state.title:
        parts.append(f"<h3>{escape(state.title)}</h3>")
    for turn in state.turns:
        parts.append(f"<p><strong>You</strong></p><blockquote><p>{_breaks(turn.text)}</p></blockquote>")
        parts += [f"<p><em>{escape(_attached(file))}</em></p>" for file in turn.files]
        if line := _version(state, turn):
            parts.append(f"<p><em>{line}</em></p>")
        for kind, value in _pieces(state, turn):
            if isinstance(value, Invocation):
                parts.append(_card_html(value, _drawn(value, drawings)))
            elif kind == "speaker":
                parts.append(f"<p><strong>{escape(value)}</strong></p>")
            else:
                parts.append(f"<p><em>{_breaks(value)}</em></p>" if kind == "note" else html_of(value))
    parts.append("</div>")
    return "\n".join(parts)


def _attached(file: Attachment) -> str:
    return f"Attached: {_line(file.name)} ({file.media}, {file.size:,} bytes)"


def _version(state: ChatState, turn: Turn) -> str:
    """Says that there are other versions of the turn, which are not part of what is read."""
    versions = state.versions(turn)
    if len(versions) < 2:
        return ""
    place = versions.index(turn.turn) + 1
    return f"Version {place} of {len(versions)}. The others are in the chat and in its JSON and JSON Lines exports."


def _pieces(state: ChatState, turn: Turn) -> Iterator[tuple[str, str | Invocation]]:
    """The parts of an answer in the order of the page: who speaks, words, cards, and notes about how it ended."""
    names = {record.agent: record.name for record in state.agents}
    speaker: str | None = None
    for step in turn.steps:
        if speaker != (speaker := step.agent or turn.agent):
            yield "speaker", _line(names.get(speaker) or speaker) or "Agent"
        if step.text.strip():
            yield "text", step.text
        for choice in step.offers:
            yield "note", f"Offered: {_line(choice.label)}"
        for key in step.calls:
            yield "card", state.invocations[key]
    for key in turn.actions:
        yield "card", state.invocations[key]
    session = turn.session
    if session.phase in {"failed", "cancelled"} and session.reason:
        yield "note", f"{'Failed' if session.phase == 'failed' else 'Stopped'}: {_line(session.reason)}"
    if session.outcome == "capped":
        yield "note", "Stopped at the cap of model calls."


_WORDS = {
    "streaming": "arguments arriving",
    "proposed": "proposed",
    "pending": "waits for a decision",
    "approved": "approved, not run yet",
    "executing": "running",
    "unknown": "outcome unknown",
    "succeeded": "succeeded",
    "failed": "failed",
    "denied": "declined",
    "expired": "expired",
    "cancelled": "cancelled",
    "undone": "undone",
}


def _head(call: Invocation) -> str:
    prepared = call.prepared
    return f"{prepared.method} {prepared.url}" if prepared and prepared.url else f"{call.method} {call.path}".strip()


def _drawn(call: Invocation, drawings: Drawings | None) -> DrawnResult | None:
    return (drawings or {}).get(call.key) or drawn(call)


def _blocks(call: Invocation, picture: DrawnResult | None) -> Iterator[tuple[str, str, str]]:
    """The name, text and language of each block of a card, but for a result that is drawn."""
    if call.args and not (picture is not None and call.tool == "render-chart"):  # its numbers are in the chart's table
        yield "Arguments", _json(call.args), "json"
    if call.original_args is not None:
        yield edited(call), _json(call.original_args), "json"
    review = call.prepared.review if call.prepared else None
    if review is not None:
        yield "Review", card_text(review), ""
    result = model_result(call)
    if result is not None and picture is None:
        data = result.model_dump()
        name = "Error" if call.state in ("failed", "undone") else "The model was told"
        yield ("Result", _json(data["data"]), "json") if "data" in data else (name, data["error"], "")


def _card_markdown(call: Invocation, picture: DrawnResult | None) -> str:
    parts = [f"**{code(call.tool)}** {_WORDS[call.state]}"]
    if said := decision(call):
        parts.append(f"_{inline(said)}_")
    if head := _head(call):
        parts.append(fenced(head))
    parts += [f"{name}:\n\n{fenced(text, language)}" for name, text, language in _blocks(call, picture)]
    if picture is not None:
        parts.append(picture.markdown)
    return "\n\n".join(parts)


def _card_html(call: Invocation, picture: DrawnResult | None) -> str:
    head = _head(call)
    parts = [f"<p><code>{escape(call.tool)}</code> <em>{_WORDS[call.state]}</em></p>"]
    if said := decision(call):
        parts.append(f"<p><em>{escape(_line(said))}</em></p>")
    if head:
        parts.append(f"<p><code>{escape(head)}</code></p>")
    for name, text, _ in _blocks(call, picture):
        parts.append(f"<details><summary>{name}</summary><pre>{escape(text)}</pre></details>")
    if picture is not None:
        parts.append(picture.html)
    return f"<blockquote>{''.join(parts)}</blockquote>"


def _json(value: Any) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… ({len(text) - _LONGEST} more characters)"


def _line(text: str) -> str:
    return " ".join(text.split())


def _breaks(text: str) -> str:
    return "<br>".join(escape(line) for line in text.strip().splitlines())
