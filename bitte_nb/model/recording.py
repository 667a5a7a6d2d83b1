"""Any model's answers as JSON Lines, recorded once and replayed the same, without the model."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from bitte_nb.core.messages import core_messages
from bitte_nb.errors import ModelError, ModelStreamCut
from bitte_nb.model.port import (
    CallArgsDelta,
    CallStarted,
    Choice,
    Connected,
    Finished,
    Model,
    ModelEvent,
    ModelRequest,
    Offer,
    TextDelta,
    ThinkingDelta,
    Usage,
)

__all__ = ["RecordingModel", "ReplayModel", "request_digest"]

_KINDS: dict[str, type[Any]] = {
    "connected": Connected,
    "text": TextDelta,
    "thinking": ThinkingDelta,
    "call": CallStarted,
    "args": CallArgsDelta,
    "offer": Offer,
    "finished": Finished,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def request_digest(request: ModelRequest) -> str:
    """SHA-256 of what a model may see, in hex; the opaque records of a provider are left out."""
    seen = {
        "system": request.system,
        "messages": core_messages.dump_python(request.messages, mode="json", exclude_none=True),
        "tools": [[tool.name, tool.description, tool.input_schema] for tool in request.tools],
    }
    text = json.dumps(seen, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class RecordingModel:
    """A model that passes another one through and appends what it answered to a file, a line for each event.

    The file holds answers, digests and times, and neither requests nor keys.

    Args:
        model: Who answers.
        path: The JSON Lines file; it is added to.
        clock: Seconds that only go forward; injected in tests.
    """

    def __init__(self, model: Model, path: str | Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._model = model
        self._path = Path(path)
        self._clock = clock

    @property
    def name(self) -> str:
        """The recorded model's name."""
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Answer one step and record it; an error is recorded too, a cancelled answer ends where it was cancelled."""
        began = self._clock()
        lines: list[dict[str, Any]] = [{"request": request_digest(request), "model": self.name}]
        try:
            async with aclosing(cast("Any", self._model.stream(request))) as events:
                async for event in events:
                    lines.append({"at": round(self._clock() - began, 3), **_dump(event)})
                    yield event
        except ModelError as error:
            kind = "cut" if isinstance(error, ModelStreamCut) else "error"
            said = {"message": str(error), "status": error.status, "retry_after": error.retry_after}
            lines.append({"at": round(self._clock() - began, 3), "type": kind, **said})
            raise
        finally:
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(text)


class ReplayModel:
    """A model that answers from a recording: the next answer that was recorded for the same request.

    Args:
        path: A file that `RecordingModel` wrote.
        strict: False takes the answers in their order, whatever is asked.
        speed: 0 replays at once, 1 as fast as it was recorded.
        sleep: What waits; injected in tests.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        strict: bool = True,
        speed: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Read the recording.

        Raises:
            ModelError: The file is absent or a line of it is no record.
        """
        self._path = Path(path)
        self._answers = list(_answers(self._path))
        self._strict = strict
        self._speed = speed
        self._sleep = sleep

    @property
    def name(self) -> str:
        """The recorded model's name."""
        return str(self._answers[0][0].get("model", "recording")) if self._answers else "recording"

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Play one recorded answer; each is played once."""
        wanted = request_digest(request) if self._strict else None
        found = next((n for n, (head, _) in enumerate(self._answers) if wanted in (None, head["request"])), None)
        if found is None:
            raise ModelError(
                f"{self._path.name} holds no answer for this request. Record it again, or use strict=False."
            )
        _, records = self._answers.pop(found)
        at = 0.0
        for record in records:
            if self._speed > 0 and record["at"] > at:
                await self._sleep((record["at"] - at) / self._speed)
            at = record["at"]
            if record["type"] in ("error", "cut"):
                kind = ModelStreamCut if record["type"] == "cut" else ModelError
                raise kind(record["message"], status=record["status"], retry_after=record["retry_after"])
            yield _load(record)
        if not records or records[-1]["type"] != "finished":
            raise ModelStreamCut(f"The answer in {self._path.name} was cancelled when it was recorded.")


def _dump(event: ModelEvent) -> dict[str, Any]:
    return {"type": _NAMES[type(event)], **asdict(event)}


def _load(record: dict[str, Any]) -> ModelEvent:
    fields = {name: value for name, value in record.items() if name not in ("type", "at")}
    if record["type"] == "offer":
        choices: list[dict[str, Any]] = fields["choices"]
        return Offer(tuple(Choice(c["tool"], c["label"], c["args"], tuple(c["missing"])) for c in choices))
    if record["type"] == "finished":
        return Finished(fields["reason"], Usage(**fields["usage"]), fields["raw"])
    return cast("ModelEvent", _KINDS[record["type"]](**fields))


def _answers(path: Path) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ModelError(f"The recording {path} cannot be read: {error.strerror}.") from None
    head: dict[str, Any] | None = None
    records: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        try:
            record = cast("dict[str, Any]", json.loads(line))
            known = "request" in record or record["type"] in (*_KINDS, "error", "cut")
        except (ValueError, TypeError, KeyError):
            known, record = False, {}
        if not known or ("request" not in record and head is None):
            raise ModelError(f"{path.name}, line {number}: this is no record of a model's answer.")
        if "request" in record:
            if head is not None:
                yield head, records
            head, records = record, []
        else:
            records.append(record)
    if head is not None:
        yield head, records
