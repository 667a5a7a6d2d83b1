"""What the offline model says when it calls nothing: it asks, explains, refuses, or says what it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bitte_nb.core.tool import Tool
from bitte_nb.model.judge import title
from bitte_nb.model.plan import Question
from bitte_nb.model.port import Choice
from bitte_nb.model.schema import Slot, slots_of

__all__ = ["word_question"]

_SELF = re.compile(
    r"\b(?:who|what)\s+are\s+you\b|\bwhat\s+(?:can|do)\s+you\s+do\b|\bhow\s+do\s+you\s+work\b|\bare\s+you\s+(?:an?\s+)?"
    r"(?:ai|llm|bot|robot|human|person|real|language\s+model|model|chatgpt|gpt|claude)\b|\byour\s+name\b|^\s*help\b"
    r"|\bwhat\s+(?:model|llm)\b|\bwhich\s+(?:model|llm)\b|\bintroduce\s+yourself\b",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"\s*(?:hi|hello|hey|hallo|good\s+(?:morning|afternoon|evening|day))(?:\s+(?:there|you|all))*\s*[,.!?]*\s*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\s*(?:thanks?|thank\s+you|thx|cheers|ok(?:ay)?|great|cool|bye|goodbye)"
    r"(?:\s+(?:you|so\s+much|very\s+much|a\s+lot|all|thanks))*\s*[,.!]*\s*",
    re.IGNORECASE,
)
_I_AM = "I am the offline model: I match your words to this agent's operations, with no language model behind me"
_LISTED = 12


def word_question(question: Question, tools: Sequence[Tool]) -> tuple[str, tuple[Choice, ...]]:
    """The words for a question, and the choices that go with them as data."""
    best = question.candidates[0] if question.candidates else None
    match question.kind:
        case "none":
            return _refuse(question.text, tools)
        case "unknown":
            return f"This agent has no operation called `{question.text}`.", question.choices
        case "trouble":
            return question.note, question.choices
        case "unused":
            return f"I did not use these words: {question.text}.", ()
        case "long":
            words = f"Your message has {len(question.text):,} characters; I match short requests only."
            return f"{words} Say it in a few words, or write `use <operation> with name=value`.", ()
        case "negated":
            return "You say not to, so I called nothing.", ()
        case _ if best is None:
            return "I do not know which operation you mean.", ()
        case "explain":
            words = f"`{best.tool.name}` comes nearest. Its document says:\n\n> {_prose(best.tool.description)}"
            return words, question.choices
        case "missing":
            return _missing(best.tool, best.filling.missing), question.choices
        case "unasked":
            words = f"`{best.tool.name}` comes nearest, but it may change something and you asked a question."
            return f"{words} I did not call it.", question.choices
        case "which" if len(question.choices) == 1:
            return f"`{best.tool.name}` comes nearest, but I am not sure that you mean it.", question.choices
        case "which":
            names = list(dict.fromkeys(f"`{choice.tool}`" for choice in question.choices))
            near = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "none"
            return f"I am not sure which operation you mean. The nearest: {near}.", question.choices


def _refuse(text: str, tools: Sequence[Tool]) -> tuple[str, tuple[Choice, ...]]:
    if _SELF.search(text):
        words = f"{_I_AM}. Where your words fit one operation and every argument is known, I call it; otherwise I ask."
        return f"{words}\n\n{_listing(tools)}", _starters(tools)
    if _THANKS.fullmatch(text):
        return "You are welcome.", ()
    if _POLITE.fullmatch(text) or not text.strip():
        return f"Hello. {_I_AM}. Say what you need in plain words, or ask what I can do.", _starters(tools)
    count = (
        f"None of this agent's {len(tools)} operations fits" if len(tools) > 1 else "The agent's operation does not fit"
    )
    words = f"{count} these words, so I called nothing. {_I_AM}, so I have no other knowledge to answer from."
    return f'{words} Ask "what can you do?" for the list.', ()


def _missing(tool: Tool, missing: Sequence[str]) -> str:
    slots = {slot.label: slot for slot in slots_of(tool.input_schema)}
    lines: list[str] = []
    for name in missing:
        slot = slots.get(name)
        about = _first_sentence(str(slot.schema.get("description", ""))) if slot else ""
        options = f" One of {', '.join(map(str, slot.options[:8]))}." if slot and len(slot.options) > 1 else ""
        lines.append(f"- `{name}`{': ' + about if about else ''}{options}{_bounds(slot)}")
    return f"To call `{tool.name}` I still need this, and I never make values up:\n\n" + "\n".join(lines)


def _bounds(slot: Slot | None) -> str:
    least, most = (slot.schema.get(key) if slot else None for key in ("minimum", "maximum"))
    words = [f"at least {least}"] if least is not None else []
    words += [f"at most {most}"] if most is not None else []
    return f" It must be {' and '.join(words)}." if words else ""


def _listing(tools: Sequence[Tool]) -> str:
    lines: list[str] = []
    for tool in tools[:_LISTED]:
        said = title(tool)
        about = said if said != tool.name else _first_sentence(tool.description)
        lines.append(f"- `{tool.name}`{': ' + about if about else ''}")
    if len(tools) > _LISTED:
        lines.append(f"- ... and {len(tools) - _LISTED} more")
    return "What this agent can do:\n\n" + "\n".join(lines)


def _starters(tools: Sequence[Tool]) -> tuple[Choice, ...]:
    """Three operations that read and need nothing."""
    ready = [
        t for t in tools if t.kind == "operation" and t.method in ("GET", "") and not t.input_schema.get("required")
    ]
    return tuple(Choice(tool.name, title(tool)) for tool in ready[:3])


def _prose(text: str) -> str:
    """Lines as sentences of one paragraph."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (
        " ".join(line if line.endswith((".", "!", "?", ":", ";", ",")) else f"{line}." for line in lines) or "(nothing)"
    )


def _first_sentence(text: str) -> str:
    sentence = re.split(r"(?<=[.!?])\s", " ".join(text.split()), maxsplit=1)[0]
    return sentence if len(sentence) <= 160 else f"{sentence[:157]}..."
