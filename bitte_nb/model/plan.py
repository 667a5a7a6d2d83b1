"""What the next step of a turn is: calls to make, a question with choices, or words."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bitte_nb.core.messages import CoreMessage
from bitte_nb.core.tool import Tool
from bitte_nb.core.wallet import Wallet
from bitte_nb.model.chain import follow_up
from bitte_nb.model.explicit import Command, parse_command
from bitte_nb.model.freetext import SAYING
from bitte_nb.model.judge import Candidate, Verdict, judge, title
from bitte_nb.model.mentions import mentions, pairs
from bitte_nb.model.port import Choice
from bitte_nb.model.retrieval import Index
from bitte_nb.model.said import Outcome, Said
from bitte_nb.model.schema import slots_of
from bitte_nb.model.slots import MOST_PARALLEL, Filling, fill
from bitte_nb.model.turn import Turn, turns
from bitte_nb.model.words import stem, tokens

__all__ = ["Plan", "PlannedCall", "Question", "plan"]

_MOST_CHOICES = 3
_MOST_PARTS = 8
_LONGEST = 2000
"""Characters of a message that are matched with operations; the explicit syntax may be longer."""
_BREAK = re.compile(
    r";|\.\s|,?\s{1,3}and\s{1,3}(?:then|also)\s|,?\s{1,3}then\s|,\s{0,3}and\s|\sand\s|,\s", re.IGNORECASE
)
_TIMES = {"twice": 2, "thrice": 3}
_COUNTED = re.compile(r"\b(two|three|four|five|[2-5])\s+(?:more\s+)?([a-z]+)\b|\b(twice|thrice)\b", re.IGNORECASE)

_NO_VALUE = re.compile(
    r"^\s*(?:help\b|no\b|nope\b|not\b|don'?t\b|never\s?mind|cancel\b|stop\b|forget\b|thanks?\b|thank\s+you"
    r"|(?:who|what|which|how|why|when|where)(?:'s|\s+(?:are|is|was|can|could|do|does|did|would|should|will))\b"
    r"|(?:can|could|do|does|are|will|would)\s+(?:you|i|it|this|that)\b)|\?\s*$",
    re.IGNORECASE,
)
"""A question, a refusal or thanks: the person answers with no value. What stands in quotes is always one."""

QuestionKind = Literal[
    "missing", "which", "none", "explain", "negated", "trouble", "unknown", "unasked", "long", "unused"
]


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call to make now."""

    tool: Tool
    args: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """A part of the message that leads to no call, and what may be done instead."""

    kind: QuestionKind
    text: str
    """The part of the message."""
    candidates: tuple[Candidate, ...] = ()
    note: str = ""

    @property
    def choices(self) -> tuple[Choice, ...]:
        """At most three things to do next; a missing argument with few allowed values gives one choice a value."""
        first = self.candidates[0] if self.candidates else None
        if first is not None and self.kind == "missing" and len(first.filling.missing) == 1:
            name = first.filling.missing[0]
            options = next(slot.options for slot in slots_of(first.tool.input_schema) if slot.label == name)
            if 1 < len(options) <= _MOST_CHOICES:
                return tuple(
                    Choice(first.tool.name, f"{title(first.tool)}: {option}", _with(first.filling.args, name, option))
                    for option in options
                )
        near = 0.6 * first.score if first is not None and self.kind in ("missing", "explain", "unasked") else 0.0
        return tuple(
            Choice(one.tool.name, title(one.tool), one.filling.args, one.filling.missing)
            for one in self.candidates[:_MOST_CHOICES]
            if one.score >= near
        )


@dataclass(slots=True)
class Plan:
    """Calls and questions of the next step; with neither, the turn ends in an answer from its results."""

    calls: list[PlannedCall] = field(default_factory=list[PlannedCall])
    questions: list[Question] = field(default_factory=list[Question])
    turn: Turn = field(default_factory=lambda: Turn(""))
    notes: list[str] = field(default_factory=list[str])
    """Why the calls were chosen, a line for each."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    call: PlannedCall
    note: str


def plan(messages: Sequence[CoreMessage], index: Index, *, wallet: Wallet, instructions: str = "") -> Plan:
    """Plan the next step of the last turn of a history."""
    history = turns(messages)
    if not history:
        return Plan()
    turn = history[-1]
    result = Plan(turn=turn)
    wanted, questions = _wanted(history, index, wallet)
    done = Counter(outcome.name for outcome in turn.outcomes)
    primitives = {tool.name for tool in index.tools if tool.kind == "primitive"}
    for outcome in turn.outcomes:
        following = follow_up(outcome, index.tools, wallet, instructions)
        if following is None:
            continue
        tool, args = following
        if done[tool.name] > 0:
            done[tool.name] -= 1
        else:
            result.calls.append(PlannedCall(tool, args))
            result.notes.append(f"The result of {outcome.name} is what {tool.name} takes.")
    for one in wanted:
        if done[one.call.tool.name] > 0:
            done[one.call.tool.name] -= 1
        else:
            result.calls.append(one.call)
            result.notes.append(one.note)
    followed = {outcome.name for outcome in turn.outcomes if outcome.name in primitives}
    result.questions = [q for q in questions if not (q.candidates and q.candidates[0].tool.name in followed)]
    return result


def _wanted(history: list[Turn], index: Index, wallet: Wallet) -> tuple[list[_Wanted], list[Question]]:
    turn = history[-1]
    outcomes = [outcome for one in history for outcome in one.outcomes]
    if (command := parse_command(turn.text, index.tools)) is not None:
        return _commanded(command, index, wallet)
    text = turn.text
    if len(text) > _LONGEST:
        return [], [Question("long", text)]
    verdict = judge(text, index, wallet=wallet, outcomes=outcomes)
    if verdict.kind in ("explain", "negated"):
        return [], [Question(verdict.kind, text, verdict.ranked)]
    parts = _parts(text, index, wallet, outcomes)
    if len(parts) < 2:
        earlier = _continued(history, verdict, index, wallet, outcomes)
        text, verdict = earlier or (text, verdict)
        parts = [(text, verdict)]
    wanted: list[_Wanted] = []
    questions: list[Question] = []
    for part, judged in parts:
        if judged.kind == "act":
            note = f"The words match {judged.best.tool.name} best."
            calls, counted = _repeated(part, judged.best)
            wanted += [_Wanted(PlannedCall(judged.best.tool, judged.best.filling.args), note) for _ in range(calls)]
            strange = set(judged.best.strange).difference(tokens(counted))
            if words := [word for word in part.split() if not strange.isdisjoint(tokens(word))]:
                questions.append(Question("unused", ", ".join(words)))
        elif judged.kind == "refuse":
            questions.append(Question("none", part))
        elif judged.kind in ("explain", "negated", "unasked"):
            questions.append(Question(judged.kind, part, judged.ranked))
        else:
            alone = judged.clear and bool(judged.best.filling.missing)
            questions.append(Question("missing" if alone else "which", part, judged.ranked))
    return wanted, questions


def _commanded(command: Command, index: Index, wallet: Wallet) -> tuple[list[_Wanted], list[Question]]:
    if command.tool is None:
        near = index.search(tokens(command.name))[:_MOST_CHOICES]
        found = [Candidate(hit.tool, hit.score, 0.0, Filling(missing=_required(hit.tool))) for hit in near]
        return [], [Question("unknown", command.name, tuple(found))]
    tool = command.tool
    args = {**fill(tool, Said.read(""), wallet=wallet).args, **command.args}
    missing = tuple(label for label in _required(tool) if not _has(args, label))
    if command.trouble or missing:
        candidate = Candidate(tool, 1.0, 1.0, Filling(args=args, missing=missing), named=True)
        return [], [Question("trouble" if command.trouble else "missing", command.name, (candidate,), command.trouble)]
    return [_Wanted(PlannedCall(tool, args), f"The message names {tool.name}.")], []


def _parts(text: str, index: Index, wallet: Wallet, outcomes: Sequence[Outcome]) -> list[tuple[str, Verdict]]:
    """The requests that a message is made of; a piece that names no operation belongs to the one before it."""
    pieces = _pieces(text)
    if not 2 <= len(pieces) <= _MOST_PARTS:
        return []
    whole = judge(text, index, wallet=wallet, outcomes=outcomes)
    parts: list[tuple[str, Verdict]] = []
    for separator, piece in pieces:
        verdict = judge(piece.strip(), index, wallet=wallet, outcomes=outcomes)
        if parts and not _stands_alone(verdict):
            joined = parts[-1][0] + separator + piece
            parts[-1] = joined, judge(joined.strip(), index, wallet=wallet, outcomes=outcomes)
        else:
            parts.append((piece, verdict))
    acts = [verdict for _, verdict in parts if verdict.kind == "act"]
    calls = [(verdict.best.tool.name, verdict.best.filling.args) for verdict in acts]
    if whole.kind == "act" and all(call == (whole.best.tool.name, whole.best.filling.args) for call in calls):
        return []  # one operation whose own words have an `and` in them
    if not acts or (whole.kind == "act" and len(acts) < len(parts)) or not all(_stands_alone(v) for _, v in parts):
        return []
    return [(text.strip(), verdict) for text, verdict in parts]


def _stands_alone(verdict: Verdict) -> bool:
    return verdict.kind == "act" or (verdict.kind == "ask" and verdict.clear and verdict.best.coverage > 0.5)


def _pieces(text: str) -> list[tuple[str, str]]:
    """The text cut at `and`, `then`, commas and semicolons, each piece with the separator before it.

    Nothing is cut inside a quote, a link, a number or JSON, nor after words such as `saying`.
    """
    closed = [(m.start, m.end) for m in mentions(text) if m.kind != "name"] + [(a, b) for _, _, a, b in pairs(text)]
    free = SAYING.search(text)
    end_of_cuts = free.start() if free else len(text)
    pieces: list[tuple[str, str]] = []
    separator, at = "", 0
    for match in _BREAK.finditer(text):
        inside = any(start < match.end() and match.start() < end for start, end in closed)
        if match.start() >= end_of_cuts or inside:
            continue
        pieces.append((separator, text[at : match.start()]))
        separator, at = match.group(), match.end()
    pieces.append((separator, text[at:]))
    return [(sep, piece) for sep, piece in pieces if piece.strip()]


def _continued(
    history: list[Turn], verdict: Verdict, index: Index, wallet: Wallet, outcomes: Sequence[Outcome]
) -> tuple[str, Verdict] | None:
    """The request that this message completes, where the turn before it ended in a question."""
    if verdict.kind in ("act", "unasked") or len(history) < 2 or _NO_VALUE.search(history[-1].text):
        return None
    own = verdict.best.tool if verdict.kind == "ask" and verdict.best.coverage > 0.5 else None
    text = history[-1].text
    for earlier in reversed(history[-4:-1]):
        if earlier.outcomes or len(earlier.text) + len(text) > _LONGEST:
            return None
        before = judge(earlier.text, index, wallet=wallet, outcomes=outcomes)
        if before.kind == "ask":
            chosen = own is not None and verdict.best.named
            if own is not None and own is not before.best.tool and not chosen:
                return None
            joined = _joined(earlier.text, text, before)
            after = judge(joined, index, wallet=wallet, outcomes=outcomes)
            same = after.kind == "ask" and after.best.tool is before.best.tool
            fewer = same and len(after.best.filling.missing) < len(before.best.filling.missing)
            if after.kind == "act" or fewer or chosen:
                return joined, after
        text = f"{earlier.text} {text}"
    return None


def _joined(asked: str, answer: str, verdict: Verdict) -> str:
    slots = {slot.label: slot for slot in slots_of(verdict.best.tool.input_schema)}
    missing = verdict.best.filling.missing
    if len(missing) == 1 and not answer.lstrip().startswith(('"', "'")):
        slot = slots[missing[0]]
        if slot.is_plain_text:
            return f"{asked.rstrip(' .!?')}, {slot.name}={json.dumps(answer.strip(), ensure_ascii=False)}"
    return f"{asked} {answer}"


def _repeated(text: str, candidate: Candidate) -> tuple[int, str]:
    """How many times the text asks for an operation that needs no arguments, 1 to 5, and the words that say so."""
    match = _COUNTED.search(text)
    if match is None or candidate.filling.args or _required(candidate.tool):
        return 1, ""
    if match.group(3):
        return _TIMES[match.group(3).lower()], match.group()
    noun = match.group(2).lower()
    count = next((int(m.typed) for m in mentions(text) if m.kind == "number" and m.start == match.start()), 1)
    known = noun == "times" or stem(noun) in tokens(candidate.tool.name)
    return (min(count, MOST_PARALLEL), match.group()) if known else (1, "")


def _required(tool: Tool) -> tuple[str, ...]:
    return tuple(slot.label for slot in slots_of(tool.input_schema) if slot.required)


def _has(args: Any, label: str) -> bool:
    head, _, rest = label.partition(".")
    if label in args:
        return True
    return head in args and isinstance(args[head], dict) and bool(rest) and _has(args[head], rest)


def _with(args: dict[str, Any], label: str, value: Any) -> dict[str, Any]:
    head, _, rest = label.partition(".")
    return {**args, head: _with(args.get(head, {}), rest, value) if rest else value}
