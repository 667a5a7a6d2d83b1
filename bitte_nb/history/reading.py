"""A chat to read: Markdown and HTML made from its state, for saved notebooks, exports and print.

Both are deterministic (no times, no random ids). Everything that came from outside is data: raw HTML is shown as text,
links are http, https or mailto, images become links (reading requests nothing), and JSON stands in code blocks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any
from urllib.parse import urlsplit

from bitte_nb.core.answer import model_result
from bitte_nb.core.fold import ChatState, Turn
from bitte_nb.core.invocation import Invocation

__all__ = ["to_html", "to_markdown"]

_LONGEST = 20_000
"""Characters of one result or argument block; what is longer says how much was left out."""


def to_markdown(state: ChatState) -> str:
    """The chat as Markdown."""
    parts = [f"# {_line(state.title)}"] if state.title else []
    for turn in state.turns:
        parts.append(f"**You:** {turn.text.strip()}")
        parts += [value if isinstance(value, str) else _card_markdown(value) for _, value in _pieces(state, turn)]
    return "\n\n".join(parts) + "\n"


def to_html(state: ChatState) -> str:
    """The chat as one HTML element of class `bnb-static`, without scripts, styles or requests."""
    names = {record.agent: record.name for record in state.agents}
    parts: list[str] = ['<div class="bnb-static">']
    if state.title:
        parts.append(f"<h3>{escape(state.title)}</h3>")
    for turn in state.turns:
        parts.append(f"<p><strong>You</strong></p><blockquote><p>{_breaks(turn.text)}</p></blockquote>")
        pieces = list(_pieces(state, turn))
        if pieces:
            parts.append(f"<p><strong>{escape(names.get(turn.agent, turn.agent))}</strong></p>")
        for kind, value in pieces:
            if isinstance(value, Invocation):
                parts.append(_card_html(value))
            elif kind == "note":
                parts.append(f"<p><em>{_breaks(value.strip('_'))}</em></p>")
            else:
                parts.append(_markdown_html(value))
    parts.append("</div>")
    return "\n".join(parts)


def _pieces(state: ChatState, turn: Turn) -> Iterator[tuple[str, str | Invocation]]:
    """The parts of an answer in the order of the page: words, cards, and notes about how it ended."""
    for step in turn.steps:
        if step.text:
            yield "text", step.text
        for choice in step.offers:
            yield "note", f"_Offered: {_line(choice.label)}_"
        for key in step.calls:
            yield "card", state.invocations[key]
    for key in turn.actions:
        yield "card", state.invocations[key]
    session = turn.session
    if session.phase in {"failed", "cancelled"} and session.reason:
        yield "note", f"_{'Failed' if session.phase == 'failed' else 'Stopped'}: {_line(session.reason)}_"
    if session.outcome == "capped":
        yield "note", "_Stopped at the cap of model calls._"
    if session.phase == "awaiting":
        yield "note", "_Waits for a decision._"


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


def _blocks(call: Invocation) -> Iterator[tuple[str, str]]:
    if call.args:
        yield "Arguments", _json(call.args)
    review = call.prepared.review if call.prepared else None
    if review is not None:
        yield "Review", _review_text(review)
    result = model_result(call)
    if result is not None:
        data = result.model_dump()
        name = "Result" if "data" in data else "Error"
        yield name, data["error"] if name == "Error" else _json(data["data"])


def _review_text(review: dict[str, Any]) -> str:
    lines = [f"{row.get('label', '')}: {row.get('value', '')}" for row in review.get("rows", [])]
    lines += [f"{one.get('severity', '')}: {one.get('sentence', '')}" for one in review.get("warnings", [])]
    return "\n".join(lines)


def _card_markdown(call: Invocation) -> str:
    parts = [f"**`{_line(call.tool)}`** {_WORDS[call.state]}"]
    if head := _head(call):
        parts.append(_fence(head, ""))
    parts += [f"{name}:\n\n{_fence(text, 'json' if name != 'Error' else '')}" for name, text in _blocks(call)]
    return "\n\n".join(parts)


def _card_html(call: Invocation) -> str:
    head = _head(call)
    parts = [f"<p><code>{escape(call.tool)}</code> <em>{_WORDS[call.state]}</em></p>"]
    if head:
        parts.append(f"<p><code>{escape(head)}</code></p>")
    for name, text in _blocks(call):
        parts.append(f"<details><summary>{name}</summary><pre>{escape(text)}</pre></details>")
    return f"<blockquote>{''.join(parts)}</blockquote>"


def _json(value: Any) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… ({len(text) - _LONGEST} more characters)"


def _fence(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _breaks(text: str) -> str:
    return "<br>".join(escape(line) for line in text.strip().splitlines())


def _safe(url: str) -> bool:
    return urlsplit(url.strip()).scheme.lower() in {"http", "https", "mailto"}


def _markdown_html(text: str) -> str:
    return str(_renderer()(text))


def _renderer() -> Any:
    import mistune

    class Renderer(mistune.HTMLRenderer):
        """No raw HTML, no unsafe link, no request by reading."""

        def link(self, text: str, url: str, title: str | None = None) -> str:
            del title
            return f'<a href="{escape(url)}" rel="noopener noreferrer">{text}</a>' if _safe(url) else text

        def image(self, text: str, url: str, title: str | None = None) -> str:
            return self.link(text or escape(url), url, title)

    return mistune.create_markdown(renderer=Renderer(escape=True), plugins=["table", "strikethrough"])
