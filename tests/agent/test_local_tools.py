"""Python functions as tools: what the model is offered, how they run, what they return, and what the person sees."""

from __future__ import annotations

import asyncio
import datetime
import decimal
import enum
import functools
import json
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

import bitte_nb as bn
from bitte_nb.agent.bindings.local_result import as_json
from bitte_nb.agent.bindings.local_tool import local_tool
from bitte_nb.agent.chat import Chat
from bitte_nb.core.result import ToolData, ToolError
from bitte_nb.errors import ToolDefinitionError
from bitte_nb.testing import Call, ScriptedModel

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Nowhere", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {"/notes": {"post": {"operationId": "add-note", "responses": {"200": {"description": "ok"}}}}},
    "x-mb": {"assistant": {"tools": [{"type": "generate-image"}, {"type": "render-chart"}, {"type": "sign-message"}]}},
}

Opener = Callable[..., Chat]


@pytest.fixture
def open_chat(tmp_path: Path) -> Iterator[Opener]:
    opened: list[Chat] = []

    def make(*functions: Any, calls: list[Any], **options: Any) -> Chat:
        agent = bn.Agent(DOCUMENT, model=ScriptedModel([calls, ["Done."]]), tools=functions, **options)
        opened.append(Chat(agent, store=tmp_path / f"{len(opened)}.sqlite"))
        return opened[-1]

    yield make
    for chat in opened:
        chat.close()


class Unit(enum.Enum):
    CELSIUS = "c"
    KELVIN = "k"


@dataclass
class Place:
    name: str
    height: float = 0.0


class Span(BaseModel):
    first: datetime.date
    days: Annotated[int, Field(ge=1)] = 7


# What the model is offered ------------------------------------------------------------------------------------------


def test_a_signature_is_the_schema_and_the_docstring_describes_it() -> None:
    def weather(
        place: Place,
        unit: Unit = Unit.CELSIUS,
        kind: Literal["day", "night"] = "day",
        span: Span | None = None,
        limit: Annotated[int, Field(ge=1, le=9, description="The most rows.")] = 3,
        copy: list[str] | None = None,
    ) -> list[float]:
        """Tell the weather.

        More words.

        Args:
            place: Where.
            unit: In which unit,
                over two lines.
            limit: Not this text.

        Returns:
            Temperatures.
        """
        raise NotImplementedError

    tool = local_tool(weather)
    schema = tool.arguments.schema
    assert tool.name == "weather"
    assert tool.description == "Tell the weather.\n\nMore words."
    assert schema["required"] == ["place"]
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == ["place", "unit", "kind", "span", "limit", "copy"]
    assert schema["properties"]["unit"] == {
        "$ref": "#/$defs/Unit", "default": "c", "description": "In which unit, over two lines.",
    }  # fmt: skip
    assert schema["properties"]["kind"] == {"enum": ["day", "night"], "type": "string", "default": "day"}
    assert schema["properties"]["limit"] == {
        "type": "integer", "minimum": 1, "maximum": 9, "default": 3, "description": "The most rows.",
    }  # fmt: skip
    assert schema["$defs"]["Span"]["properties"]["days"]["minimum"] == 1
    assert '"title"' not in json.dumps(schema)


GOOGLE = "Add.\n\nArgs:\n    a: The first.\n    b (int): The second."
NUMPY = "Add.\n\nParameters\n----------\na : int\n    The first.\nb\n    The second.\n"
SPHINX = "Add.\n\n:param a: The first.\n:param int b: The second.\n:returns: The sum."


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_parameters_are_described_in_every_common_style(docstring: str) -> None:
    def add(a: int, b: int) -> int:
        return a + b

    add.__doc__ = docstring
    tool = local_tool(add)
    assert tool.description == "Add."
    assert {name: one["description"] for name, one in tool.arguments.schema["properties"].items()} == {
        "a": "The first.",
        "b": "The second.",
    }


class Shop:
    def price(self, item: str) -> float:
        """Price of an item."""
        return float(len(item))

    def __call__(self, item: str) -> str:
        """Sell an item."""
        return item


def _plain(x: int) -> int:
    return x


def test_methods_objects_partials_and_decorated_functions_are_tools() -> None:
    def scaled(x: int, factor: int) -> int:
        """Scale."""
        return x * factor

    tools = [
        local_tool(Shop().price),
        local_tool(bn.tool(name="sell", description="Sells.", safe=True)(Shop())),
        local_tool(bn.tool(name="double")(functools.partial(scaled, factor=2))),
        local_tool(bn.tool(_plain)),
    ]
    assert [(one.name, one.description, one.safe) for one in tools] == [
        ("price", "Price of an item.", False),
        ("sell", "Sells.", True),
        ("double", "Scale.", False),
        ("_plain", "The Python function _plain.", False),
    ]
    assert list(tools[0].arguments.schema["properties"]) == ["item"]


def _takes_all(*words: str) -> None: ...
def _takes_more(**words: str) -> None: ...
def _takes_a_lock(lock: threading.Lock) -> None: ...


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (_takes_all, r"_takes_all takes \*words, and a model cannot know what belongs there"),
        (_takes_more, r"_takes_more takes \*\*words"),
        (_takes_a_lock, r"The parameter lock of _takes_a_lock is a \w+"),
        (lambda: None, r"'<lambda>' cannot be the name of a tool"),
        (bn.tool(name="a b")(Shop()), "'a b' cannot be the name of a tool"),
        (7, "7 is no function"),
    ],
)
def test_what_cannot_be_offered_is_an_error_at_the_start(function: Any, sentence: str) -> None:
    with pytest.raises(ToolDefinitionError, match=sentence):
        bn.Agent(DOCUMENT, tools=[function])


@pytest.mark.parametrize("name", ["add-note", "sign-message", "twice"])
def test_a_name_that_is_taken_is_an_error_at_the_start(name: str) -> None:
    functions = [bn.tool(name=name)(lambda: None) for _ in range(2 if name == "twice" else 1)]
    with pytest.raises(ToolDefinitionError, match=f"Two tools would be called '{name}'"):
        bn.Agent(DOCUMENT, tools=functions)


# Running ------------------------------------------------------------------------------------------------------------


def test_a_function_asks_before_it_runs_and_shows_the_call(open_chat: Opener) -> None:
    ran: list[tuple[str, int]] = []

    def note(text: str, times: int = 1) -> dict[str, int]:
        ran.append((text, times))
        return {"kept": times}

    chat = open_chat(note, calls=[Call("note", {"text": "tea", "times": "2"})])
    turn = chat.ask("note it")
    [pending] = turn.pending
    assert (pending.call.kind, pending.call.executor, pending.call.rule) == ("local", "local", "ask-by-default")
    assert pending.call.args == {"text": "tea", "times": 2}
    assert pending.call.prepared is not None
    assert pending.call.prepared.body == "note(text='tea', times=2)"
    assert ran == []
    pending.approve()
    turn.wait(60)
    assert ran == [("tea", 2)]
    assert turn.invocations[0].result == ToolData(data={"kept": 2})
    assert turn.text == "Done."


def test_a_function_whose_author_says_it_only_reads_runs_by_a_rule(open_chat: Opener) -> None:
    @bn.tool(safe=True)
    async def look() -> int:
        await asyncio.sleep(0)
        return 7

    turn = open_chat(look, calls=[Call("look")]).ask("look").wait(60)
    [call] = turn.invocations
    assert (call.state, call.rule) == ("succeeded", "only-reads-here")
    assert call.result == ToolData(data=7)


def test_a_policy_without_that_rule_asks_for_a_safe_function_too(open_chat: Opener) -> None:
    chat = open_chat(bn.tool(safe=True, name="look")(lambda: 7), calls=[Call("look")], policy=bn.Policy())
    assert [one.call.tool for one in chat.ask("look").pending] == ["look"]


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({}, "place is missing."),
        ({"place": {"name": "x"}, "colour": "red"}, "colour is no argument of weather: it has place, days."),
        ({"place": {"name": "x"}, "days": "many"}, "days: Input should be a valid integer"),
        ({"place": {"name": "x"}, "days": 0}, "days: Input should be greater than or equal to 1"),
        ({"place": {"height": 1}}, "place.name is missing."),
    ],
)
def test_wrong_arguments_are_said_to_the_model_and_nothing_runs(
    open_chat: Opener, args: dict[str, Any], sentence: str
) -> None:
    def weather(place: Place, days: Annotated[int, Field(ge=1)] = 1) -> None:
        raise AssertionError("it ran")

    turn = open_chat(weather, calls=[Call("weather", args)]).ask("x").wait(60)
    result = turn.invocations[0].result
    assert isinstance(result, ToolError)
    assert sentence in result.error


def _raises_value_error() -> None:
    raise ValueError("no such coin")


def _raises_nothing_said() -> None:
    raise RuntimeError


def _leaves() -> None:
    sys.exit(3)


def _answers_with_an_error() -> ToolError:
    return ToolError(error="The shop is closed.")


def _stops_iterating() -> None:
    next(iter(()))


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (_raises_value_error, "_raises_value_error failed: ValueError: no such coin"),
        (_raises_nothing_said, "_raises_nothing_said failed: RuntimeError"),
        (_leaves, "_leaves failed: SystemExit: 3"),
        (_answers_with_an_error, "The shop is closed."),
        (_stops_iterating, "_stops_iterating failed: StopIteration"),
    ],
)
def test_whatever_a_function_raises_is_a_sentence(open_chat: Opener, function: Any, sentence: str) -> None:
    turn = open_chat(bn.tool(safe=True)(function), calls=[Call(function.__name__)]).ask("x").wait(60)
    assert turn.invocations[0].state == "failed"
    assert turn.invocations[0].result == ToolError(error=sentence)
    assert turn.text == "Done."


def test_defaults_that_are_no_json_reach_the_function_as_they_are(open_chat: Opener) -> None:
    marker = object()

    @bn.tool(safe=True)
    def same(x: int, place: Any = marker, /, *, others: tuple[int, ...] = (1, 2)) -> list[Any]:
        return [x, place is marker, list(others)]

    turn = open_chat(same, calls=[Call("same", {"x": 4})]).ask("x").wait(60)
    assert turn.invocations[0].result == ToolData(data=[4, True, [1, 2]])


def test_what_it_prints_is_progress_and_other_output_goes_its_own_way(
    open_chat: Opener, capsys: pytest.CaptureFixture[str]
) -> None:
    told, go = threading.Event(), threading.Event()

    @bn.tool(safe=True)
    def work() -> str:
        print("step 1 of 2")
        told.set()
        assert go.wait(60)
        return "ok"

    chat = open_chat(work, calls=[Call("work")])
    before = sys.stdout
    turn = chat.ask("x")
    assert told.wait(60)
    print("from the cell")
    assert chat.wait_for(lambda: any(one.progress == "step 1 of 2" for one in chat.invocations), 60)
    go.set()
    turn.wait(60)
    assert sys.stdout is before
    assert capsys.readouterr().out == "from the cell\n"
    assert turn.invocations[0].progress == ""


@pytest.mark.parametrize("safe", [True, False])
def test_a_stop_does_not_wait_for_a_thread_and_says_what_is_not_known(open_chat: Opener, safe: bool) -> None:
    begun, go, ended = threading.Event(), threading.Event(), threading.Event()

    @bn.tool(safe=safe)
    def slow() -> str:
        begun.set()
        go.wait(60)
        ended.set()
        return "late"

    chat = open_chat(slow, calls=[Call("slow")])
    turn = chat.ask("x")
    if not safe:
        turn.pending[0].approve()
    assert begun.wait(60)
    chat.stop()
    assert chat.wait_for(lambda: chat.invocations[0].state in ("failed", "unknown"), 60)
    assert not ended.is_set()
    assert chat.invocations[0].state == ("failed" if safe else "unknown")
    go.set()
    assert ended.wait(60)
    assert chat.invocations[0].result != ToolData(data="late")


def test_stopping_an_async_function_cancels_it(open_chat: Opener) -> None:
    begun, cancelled = threading.Event(), threading.Event()

    @bn.tool(safe=True)
    async def slow() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    chat = open_chat(slow, calls=[Call("slow")])
    chat.ask("x")
    assert begun.wait(60)
    chat.stop()
    assert cancelled.wait(60)


def test_a_turn_says_that_a_call_runs_where_no_decision_is_open(open_chat: Opener) -> None:
    go = threading.Event()

    @bn.tool(safe=True)
    def slow() -> str:
        go.wait(60)
        return "done"

    @bn.tool(safe=False)
    def write() -> str:
        return "written"

    chat = open_chat(slow, write, calls=[Call("slow"), Call("write")])
    turn = chat.ask("x")
    assert chat.wait_for(lambda: [call.state for call in turn.invocations] == ["executing", "pending"], 60)
    assert chat.wait_for(lambda: turn.phase == "awaiting", 60)
    assert repr(turn) == "<Turn 1: waits for your decision on write; runs slow>"
    chat.decide(turn.invocations[1], "deny")
    assert repr(turn) == "<Turn 1: runs slow>"
    with pytest.raises(TimeoutError, match=r"Turn 1 is not over after 0 seconds \(runs slow\); it goes on\."):
        turn.wait(0)
    go.set()
    assert repr(turn.wait(60)) == "<Turn 1: done>"


def test_two_functions_run_side_by_side(open_chat: Opener) -> None:
    met = threading.Barrier(2, timeout=60)

    @bn.tool(safe=True)
    def one() -> bool:
        met.wait()
        return True

    @bn.tool(safe=True)
    def two() -> bool:
        met.wait()
        return True

    turn = open_chat(one, two, calls=[Call("one"), Call("two")]).ask("x").wait(60)
    assert [call.state for call in turn.invocations] == ["succeeded", "succeeded"]


def test_an_approval_does_not_hold_for_other_code_of_the_same_name(tmp_path: Path) -> None:
    ran: list[str] = []

    def first(x: int) -> None:
        ran.append("first")

    def second(x: int) -> None:
        ran.append("second")

    def agent(function: Any) -> bn.Agent:
        return bn.Agent(
            DOCUMENT, model=ScriptedModel([[Call("act", {"x": 1})], ["ok"]]), tools=[bn.tool(name="act")(function)]
        )

    chat = Chat(agent(first), store=tmp_path / "h.sqlite")
    [pending] = chat.ask("x").pending
    chat.close()
    loaded = Chat.load(chat.id, agent=agent(second), store=tmp_path / "h.sqlite")
    [again] = loaded.pending
    assert again.call.prepared == pending.call.prepared
    loaded.decide(again.call, "approve")
    assert loaded.wait_for(lambda: loaded.invocations[0].version > 1, 60)
    assert loaded.invocations[0].state == "pending"
    assert ran == []
    loaded.close()


def test_a_chat_that_was_loaded_without_its_functions_says_how_to_load_them(tmp_path: Path) -> None:
    agent = bn.Agent(DOCUMENT, tools=[bn.tool(name="act")(lambda: 1)])
    restored = bn.Agent.from_record(agent.record(), agent.document.text)
    assert [tool.name for tool in restored.tools] == ["add-note", "generate-image", "render-chart", "sign-message"]
    with pytest.raises(bn.errors.UnknownTool, match=r"'act' does not exist here: .* Chat\.load\(\.\.\., agent="):
        restored.binding("act")


# Primitives ---------------------------------------------------------------------------------------------------------


def test_a_function_supplies_a_declared_primitive_by_its_contract(open_chat: Opener) -> None:
    @bn.tool(name="generate-image", safe=True, description="ignored")
    def draw(prompt: str) -> dict[str, str]:
        return {"url": f"https://images.example/{prompt}.png", "hash": "h"}

    chat = open_chat(draw, calls=[Call("generate-image", {"prompt": "cat"})])
    tool = next(one for one in chat.agent.tools if one.name == "generate-image")
    assert (tool.kind, tool.result_hint) == ("primitive", "{url, hash}")
    turn = chat.ask("x").wait(60)
    assert turn.invocations[0].result == ToolData(data={"url": "https://images.example/cat.png", "hash": "h"})


def test_a_primitive_without_its_service_says_so_and_asks_nobody(open_chat: Opener) -> None:
    turn = open_chat(calls=[Call("generate-image", {"prompt": "cat"})]).ask("x").wait(60)
    [call] = turn.invocations
    assert call.state == "failed"
    assert isinstance(call.result, ToolError)
    assert "needs an image generator, which this notebook does not have" in call.result.error


# What comes back ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (0, 0), (False, False), ("", ""), (None, None), ([], []), (float("nan"), None), (float("inf"), None),
        ((1, 2), [1, 2]), ({3}, [3]), ({1: "a"}, {"1": "a"}), (decimal.Decimal("1.10"), "1.10"),
        (datetime.date(2026, 1, 2), "2026-01-02"), (Unit.KELVIN, "k"),
        (Place("Oslo", 23.0), {"name": "Oslo", "height": 23.0}),
        (Span(first=datetime.date(2026, 1, 2)), {"first": "2026-01-02", "days": 7}), (b"x", "eA=="),
        (Path("a") / "b", str(Path("a") / "b")), (2**70, 2**70), (ToolData(data=[1]), [1]),
    ],
)  # fmt: skip
def test_values_become_json(open_chat: Opener, value: Any, data: Any) -> None:
    @bn.tool(safe=True)
    def give() -> Any:
        return value

    turn = open_chat(give, calls=[Call("give")]).ask("x").wait(60)
    assert turn.invocations[0].result == ToolData(data=data)


def rich(**ways: Any) -> Any:
    methods = {f"_repr_{name}_": (lambda self, given=given, **_: given) for name, given in ways.items()}
    return type("Rich", (), {"__repr__": lambda self: "<Rich>", **methods})()


@pytest.mark.parametrize(
    ("value", "display"),
    [
        (rich(png=b"\x89PNG"), "data:image/png;base64,iVBORw=="),
        (rich(svg="<svg/>"), "data:image/svg+xml;base64,PHN2Zy8+"),
        (rich(html="<b>x</b>"), "data:text/html;base64,PGI+eDwvYj4="),
        (rich(markdown="*x*"), "data:text/markdown;base64,Kngq"),
        (rich(html="<b>x</b>", png=b"\x89PNG"), "data:image/png;base64,iVBORw=="),
        (rich(mimebundle={"image/png": "iVBORw==", "text/plain": "p"}), "data:image/png;base64,iVBORw=="),
    ],
)
def test_what_shows_itself_becomes_a_display(value: Any, display: str) -> None:
    data, live = as_json(value)
    assert (data["type"], data["display"], live) == ("Rich", display, False)


def test_what_only_a_living_page_can_show_is_kept_for_it_and_described() -> None:
    import ipywidgets

    data, live = as_json(ipywidgets.IntSlider(value=3))
    assert live
    assert (data["type"], "display" in data) == ("IntSlider", False)
    data, live = as_json(rich(mimebundle={"application/vnd.plotly.v1+json": {"data": []}, "text/html": "<script/>"}))
    assert live


def test_a_representation_that_fails_is_said_and_loses_nothing() -> None:
    def broken(self: Any, **_: Any) -> None:
        raise OSError("no display")

    data, live = as_json(type("Broken", (), {"_repr_html_": broken, "__repr__": lambda self: "<Broken>"})())
    assert data == {"type": "Broken", "text": "<Broken>", "note": "It could not be shown: OSError: no display"}
    assert not live


def test_a_cycle_ends() -> None:
    loop: list[Any] = []
    loop.append(loop)
    json.dumps(as_json(loop)[0])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_table_is_its_columns_its_count_and_its_first_rows(library: str) -> None:
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    frame = frames.DataFrame({"coin": ["btc", "eth", None], "price": [1.5, float("nan"), 3.0]})
    data, live = as_json(frame)
    assert not live
    assert data["row_count"] == 3
    assert [one["name"] for one in data["columns"]] == ["coin", "price"]
    assert data["rows"] == [["btc", 1.5], ["eth", None], [None, 3.0]]
    long, _ = as_json(frames.DataFrame({"x": list(range(2_000))}))
    assert (long["row_count"], len(long["rows"])) == (2_000, 500)


def test_a_series_keeps_its_index_and_dates_are_texts() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    days = pandas.date_range("2026-01-01", periods=2, name="day")
    data, _ = as_json(pandas.Series([1, 2], index=days, name="price"))
    assert [one["name"] for one in data["columns"]] == ["day", "price"]
    assert data["rows"] == [["2026-01-01T00:00:00", 1], ["2026-01-02T00:00:00", 2]]
    assert as_json(pandas.DataFrame({"t": [pandas.NaT, pandas.NA]}))[0]["rows"] == [[None], [None]]
    assert as_json(pandas.DataFrame())[0] == {"columns": [], "row_count": 0, "rows": []}


def test_a_figure_is_drawn_without_a_window() -> None:
    figures = pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed")
    figure = figures.Figure()
    figure.subplots().plot([1, 2, 3])
    data, live = as_json(figure)
    assert data["display"].startswith("data:image/png;base64,iVBORw0KGgo")
    assert not live


def test_arrays_and_scalars_of_numpy_are_lists_and_numbers() -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    assert as_json({"a": numpy.arange(3), "x": numpy.float64(1.5), "n": numpy.nan})[0] == {
        "a": [0, 1, 2], "x": 1.5, "n": None,
    }  # fmt: skip
