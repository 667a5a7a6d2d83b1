"""The default model: matches words to operations and says so; it needs no key, no network and no language model."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from bitte_nb.core.tool import Tool
from bitte_nb.model.answer import answer_outcome
from bitte_nb.model.chain import follow_up, holds_payload
from bitte_nb.model.plan import Plan, Question, plan, title
from bitte_nb.model.port import (
    CallArgsDelta,
    CallStarted,
    Choice,
    Connected,
    Finished,
    ModelEvent,
    ModelRequest,
    Offer,
    TextDelta,
    ThinkingDelta,
)
from bitte_nb.model.retrieval import Index

__all__ = ["OfflineModel"]

_ARGUMENT_PIECE = 24
_SELF = re.compile(
    r"\b(?:who|what)\s+are\s+you\b|\bwhat\s+(?:can|do)\s+you\s+do\b|\bhow\s+do\s+you\s+work\b|\bare\s+you\s+(?:an?\s+)?"
    r"(?:ai|llm|bot|robot|human|person|real|language\s+model|model|chatgpt|gpt|claude)\b|\byour\s+name\b|^\s*help\b"
    r"|\bwhat\s+(?:model|llm)\b|\bwhich\s+(?:model|llm)\b|\bintroduce\s+yourself\b",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"\s*(?:hi|hello|hey|hallo|good\s+(?:morning|afternoon|evening|day)|thanks?|thank\s+you|thx|cheers|ok|okay|great|cool|bye)"
    r"(?:\s+(?:there|you|so\s+much|very\s+much|a\s+lot|all))*\s*[.!?]*\s*",
    re.IGNORECASE,
)
_I_AM = "I am the offline model: I match your words to this agent's operations. There is no language model behind me"


class OfflineModel:
    """Answers any tool list deterministically: acts where it is sure, asks with choices where it is not, else refuses.

    Args:
        delay: Seconds between two pieces of text, so that people see it stream; 0 answers at once.
        budget: The most seconds that one answer's pieces may wait in all.
        sleep: What waits; injected in tests.
    """

    def __init__(
        self,
        *,
        delay: float = 0.012,
        budget: float = 0.9,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._delay = delay
        self._budget = budget
        self._sleep = sleep
        self._index: tuple[tuple[Tool, ...], Index] | None = None

    @property
    def name(self) -> str:
        """How the model is called on the page."""
        return "offline model"

    def __repr__(self) -> str:
        return "OfflineModel()"

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Answer one step; it never fails."""
        yield Connected()
        step = plan(
            request.messages, self._indexed(request.tools), wallet=request.wallet, instructions=request.instructions
        )
        if step.calls:
            yield ThinkingDelta(" ".join(dict.fromkeys(step.notes)))
            for index, call in enumerate(step.calls):
                yield CallStarted(index, f"offline-{_step_number(request)}-{index}", call.tool.name)
                text = json.dumps(call.args, ensure_ascii=False)
                pieces = [text[at : at + _ARGUMENT_PIECE] for at in range(0, len(text), _ARGUMENT_PIECE)]
                async for piece in self._paced(pieces):
                    yield CallArgsDelta(index, piece)
            yield Finished("tool_calls")
            return
        words, choices = _words(step, request)
        async for piece in self._paced(re.findall(r"\s*\S+\s*$|\s*\S+", words)):
            yield TextDelta(piece)
        if choices:
            yield Offer(choices)
        yield Finished("stop")

    async def _paced(self, pieces: Sequence[str]) -> AsyncIterator[str]:
        pause = min(self._delay, self._budget / max(1, len(pieces)))
        for number, piece in enumerate(pieces):
            if number and pause > 0:
                await self._sleep(pause)
            yield piece

    def _indexed(self, tools: Sequence[Tool]) -> Index:
        key = tuple(tools)
        if (
            self._index is None
            or len(self._index[0]) != len(key)
            or any(a is not b for a, b in zip(key, self._index[0], strict=True))
        ):
            self._index = key, Index(key)
        return self._index[1]


def _step_number(request: ModelRequest) -> int:
    return len(request.messages)


def _words(step: Plan, request: ModelRequest) -> tuple[str, tuple[Choice, ...]]:
    """The end of a turn: what came back, then what is still open."""
    blocks = _results(step, request)
    choices: list[Choice] = []
    for question in step.questions:
        if blocks and question.kind == "none" and len(step.questions) == 1:
            continue
        if not request.tools and step.turn.outcomes:
            continue
        text, offered = _ask(question, request)
        blocks.append(text)
        choices += [choice for choice in offered if choice not in choices]
    if not blocks:
        blocks.append("There is nothing for me to do.")
    return "\n\n".join(blocks), tuple(choices[:3])


def _results(step: Plan, request: ModelRequest) -> list[str]:
    outcomes = step.turn.outcomes
    primitives = {tool.name for tool in request.tools if tool.kind == "primitive"}
    blocks: list[str] = []
    for outcome in outcomes:
        if holds_payload(outcome.data) and outcome.name not in primitives:
            if any(one.name in primitives for one in outcomes):
                continue
            if follow_up(outcome, request.tools, request.wallet, request.instructions) is None:
                blocks.append(
                    answer_outcome(outcome)
                    + "\n\nThis only prepares a request. No declared primitive takes it, so nothing "
                    "was signed or sent."
                )
                continue
        blocks.append(answer_outcome(outcome))
    alike = Counter(blocks)
    return [
        f"{block} ({alike[block]} times)" if alike[block] > 1 and "\n" not in block else block
        for block in dict.fromkeys(blocks)
    ]


def _ask(question: Question, request: ModelRequest) -> tuple[str, tuple[Choice, ...]]:
    tools = request.tools
    if not tools:
        return "I may call nothing in this step, so I can only say that it is not done.", ()
    if question.kind == "none":
        if _SELF.search(question.text) or not question.text.strip():
            return _introduction(tools), _starters(tools)
        if _POLITE.fullmatch(question.text):
            return f"Hello. {_I_AM}. Say what you need in plain words.", _starters(tools)
        return (
            f"None of this agent's {len(tools)} operations fits these words, and I answer nothing from knowledge of my "
            f"own. {_I_AM}.\n\n{_listing(tools)}",
            (),
        )
    best = question.candidates[0] if question.candidates else None
    if question.kind == "unknown":
        return f"This agent has no operation called `{question.text}`.", question.choices
    if best is None:
        return "I do not know which operation you mean.", ()
    if question.kind == "trouble":
        return question.note, question.choices
    if question.kind == "explain":
        described = best.tool.description.strip() or "The document does not describe it."
        return (
            f"`{best.tool.name}` fits that best. Its document says:\n\n> {' '.join(described.split())}",
            question.choices,
        )
    if question.kind == "negated":
        return "You say not to, so I called nothing.", ()
    if question.kind == "missing":
        missing = best.filling.missing
        names = " and ".join(f"`{name}`" for name in missing)
        them = "it" if len(missing) == 1 else "them"
        words = f"To call `{best.tool.name}` I still need {names}. I do not make values up: please say {them}."
        return words, question.choices
    return "I am not sure which operation you mean. These come nearest:", question.choices


def _introduction(tools: Sequence[Tool]) -> str:
    return (
        f"{_I_AM}, so I only do what the document describes. Where your words fit one operation and every argument "
        f"is known I call it, otherwise I ask.\n\n{_listing(tools)}"
    )


def _listing(tools: Sequence[Tool]) -> str:
    lines = [
        f"- `{tool.name}`: {title(tool)}" if title(tool) != tool.name else f"- `{tool.name}`" for tool in tools[:10]
    ]
    more = f"\n- ... and {len(tools) - 10} more" if len(tools) > 10 else ""
    return "What this agent can do:\n\n" + "\n".join(lines) + more


def _starters(tools: Sequence[Tool]) -> tuple[Choice, ...]:
    ready = [
        t for t in tools if t.kind == "operation" and t.method in ("GET", "") and not t.input_schema.get("required")
    ]
    return tuple(Choice(tool.name, title(tool)) for tool in ready[:3])
