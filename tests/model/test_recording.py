"""A recording replays the same events, errors included, and only for the request that it was made for."""

from __future__ import annotations

from pathlib import Path

import pytest

from bitte_nb.core.messages import UserMessage
from bitte_nb.errors import ModelError, ModelStreamCut
from bitte_nb.model.port import Choice, Finished, Model, ModelEvent, ModelRequest, TextDelta, ThinkingDelta, Usage
from bitte_nb.model.recording import RecordingModel, ReplayModel
from bitte_nb.testing import Call, Cut, Fault, ScriptedModel


def ask(said: str = "hi") -> ModelRequest:
    return ModelRequest(system="s", messages=[UserMessage(content=said)], tools=[])


async def read(model: Model, said: str = "hi") -> list[ModelEvent]:
    return [event async for event in model.stream(ask(said))]


async def test_every_kind_of_event_replays_the_same(tmp_path: Path):
    end = Finished("tool_calls", Usage(3, 4), {"provider": "x"})
    step = ["é ", ThinkingDelta("hm"), Call("a", {"x": [1]}), (Choice("a", "A", {"x": 1}, ("y",)),), end]
    recorded = await read(RecordingModel(ScriptedModel([step], name="m"), tmp_path / "r.jsonl"))
    replay = ReplayModel(tmp_path / "r.jsonl")
    assert replay.name == "m"
    assert await read(replay) == recorded


@pytest.mark.parametrize("unit", [Fault.http(429, "slow", retry_after=3.0), Cut()])
async def test_an_error_replays_as_the_same_error(tmp_path: Path, unit: Fault | Cut):
    with pytest.raises(ModelError) as first:
        await read(RecordingModel(ScriptedModel([["half", unit]]), tmp_path / "r.jsonl"))
    with pytest.raises(ModelError) as again:
        await read(ReplayModel(tmp_path / "r.jsonl"))
    assert type(again.value) is type(first.value)
    assert str(again.value) == str(first.value)
    assert (again.value.status, again.value.retry_after) == (first.value.status, first.value.retry_after)


async def test_an_answer_belongs_to_its_request_and_plays_once(tmp_path: Path):
    recorder = RecordingModel(ScriptedModel([["one"], ["two"]]), tmp_path / "r.jsonl")
    await read(recorder, "first")
    await read(recorder, "second")
    replay = ReplayModel(tmp_path / "r.jsonl")
    assert TextDelta("two") in await read(replay, "second")
    with pytest.raises(ModelError, match="no answer for this request"):
        await read(replay, "second")
    assert TextDelta("one") in await read(ReplayModel(tmp_path / "r.jsonl", strict=False), "anything")


async def test_a_recording_holds_no_words_of_the_request(tmp_path: Path):
    await read(RecordingModel(ScriptedModel([["answer"]]), tmp_path / "r.jsonl"), "my secret plan")
    assert "secret plan" not in (tmp_path / "r.jsonl").read_text()


async def test_a_cancelled_answer_replays_as_cut(tmp_path: Path):
    stream = RecordingModel(ScriptedModel([["one", "two"]]), tmp_path / "r.jsonl").stream(ask())
    async for event in stream:
        if isinstance(event, TextDelta):
            break
    await stream.aclose()  # type: ignore[attr-defined]
    with pytest.raises(ModelStreamCut, match="was cancelled"):
        await read(ReplayModel(tmp_path / "r.jsonl"))


async def test_a_recording_replays_at_its_pace(tmp_path: Path):
    times = iter([0.0, 0.5, 1.0, 3.0, 3.0])
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    await read(RecordingModel(ScriptedModel([["a", "b"]]), tmp_path / "r.jsonl", clock=lambda: next(times)))
    await read(ReplayModel(tmp_path / "r.jsonl", speed=2.0, sleep=sleep))
    assert slept == [0.25, 0.25, 1.0]


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"type": "sing"}', '{"at": 1}', '{"type": "text", "at": 0, "text": "no head"}']
)
def test_a_damaged_recording_names_the_line(tmp_path: Path, line: str):
    (tmp_path / "r.jsonl").write_text(line + "\n")
    with pytest.raises(ModelError, match=r"r\.jsonl, line 1"):
        ReplayModel(tmp_path / "r.jsonl")


def test_an_absent_recording_is_an_error_sentence(tmp_path: Path):
    with pytest.raises(ModelError, match="cannot be read"):
        ReplayModel(tmp_path / "none.jsonl")
