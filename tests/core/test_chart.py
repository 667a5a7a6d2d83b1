"""The chart of `render-chart`: what is read, what is refused, and the result's shape."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitte_nb.core.chart import ChartError, chart

DAY = 86_400_000


def args(**change: Any) -> dict[str, Any]:
    return {
        "title": "Prices",
        "description": "Of a week.",
        "chartType": "line",
        "dataFormat": "currency",
        "metricLabels": ["Day", "BTC", "ETH"],
        "dataPoints": [["2026-01-01", 100, 10], ["2026-01-02", 150, 5]],
        **change,
    }


def test_the_result_has_the_shape_of_the_reference() -> None:
    assert chart(args()) == {
        "title": "Prices",
        "description": "Of a week.",
        "chartType": "line",
        "dataFormat": "currency",
        "metricLabels": ["Day", "BTC", "ETH"],
        "chartConfig": {
            "time": {"label": "Day"},
            "x-1": {"label": "BTC", "color": "hsl(var(--chart-1))"},
            "x-2": {"label": "ETH", "color": "hsl(var(--chart-2))"},
        },
        "chartData": [
            {"time": 1_767_225_600_000, "x-1": 100, "x-2": 10},
            {"time": 1_767_312_000_000, "x-1": 150, "x-2": 5},
        ],
        "metricData": [
            {"metric": "BTC", "percentageChange": 50.0, "isPositive": True, "isCandle": False},
            {"metric": "ETH", "percentageChange": -50.0, "isPositive": False, "isCandle": False},
        ],
    }


def test_candles_have_open_high_low_and_close_whatever_the_labels_say() -> None:
    made = chart(args(chartType="candle", metricLabels=["t", "x"], dataPoints=[[1_767_225_600, 1, 4, 0.5, 2]]))
    assert list(made["chartConfig"]) == ["time", "open", "high", "low", "close"]
    assert made["chartData"] == [{"time": 1_767_225_600_000, "open": 1, "high": 4, "low": 0.5, "close": 2}]
    assert made["metricData"][0]["isCandle"]


@pytest.mark.parametrize(
    ("time", "milliseconds"),
    [
        (1_767_225_600, 1_767_225_600_000),
        (1_767_225_600_000, 1_767_225_600_000),
        ("1767225600", 1_767_225_600_000),
        ("1767225600000", 1_767_225_600_000),
        (1_767_225_600.5, 1_767_225_600_500),
        ("2026-01-01", 1_767_225_600_000),
        ("2026-01-01T00:00:00Z", 1_767_225_600_000),
        ("2026-01-01T02:00:00+02:00", 1_767_225_600_000),
        ("2026-01-01 00:00", 1_767_225_600_000),
        ("1969-12-31", -DAY),
    ],
)
def test_times_are_read_as_milliseconds(time: Any, milliseconds: int) -> None:
    assert chart(args(dataPoints=[[time, 1, 2]]))["chartData"][0]["time"] == milliseconds


def test_points_are_put_in_order_and_gaps_stay_gaps() -> None:
    rows = [["2026-01-03", None, 3], ["2026-01-01", "1.5", float("nan")]]
    made = chart(args(dataPoints=rows))
    assert [(one["x-1"], one["x-2"]) for one in made["chartData"]] == [(1.5, None), (None, 3)]


def test_bars_may_have_names_and_keep_their_order() -> None:
    made = chart(args(chartType="bar", metricLabels=["Coin", "Price"], dataPoints=[["ETH", 2], ["BTC", 1]]))
    assert [one["time"] for one in made["chartData"]] == ["ETH", "BTC"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"dataPoints": [["2026-01-01", 1]]}, "dataPoints[0] has 2 values instead of 3"),
        ({"chartType": "candle", "dataPoints": [["2026-01-01", 1]]}, "instead of 5: time, open, high, low, close"),
        ({"dataPoints": [["2026-01-01", 1, 2], ["soon", 1, 2]]}, "dataPoints[1][0] is 'soon', which is no time"),
        ({"dataPoints": [[True, 1, 2]]}, "which is no time"),
        ({"dataPoints": [["²" * 9, 1, 2]]}, "which is no time"),
        ({"dataPoints": [["--123456789", 1, 2]]}, "which is no time"),
        ({"dataPoints": [["9" * 5000, 1, 2]]}, "which is no time"),
        ({"dataPoints": [[1e300, 1, 2]]}, "which is no time"),
        ({"dataPoints": [["2026-01-01", "many", 2]]}, "dataPoints[0][1] (x-1) is 'many', which is no number"),
        ({"dataPoints": [["2026-01-01", 1, True]]}, "dataPoints[0][2] (x-2) is True"),
        ({"dataPoints": [[time, 1, 2] for time in range(20_001)]}, "has 20001 rows, more than 20000"),
    ],
)
def test_what_makes_no_chart_is_named_by_its_field(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ChartError) as raised:
        chart(args(**change))
    assert sentence in str(raised.value)


def test_an_empty_chart_is_a_chart() -> None:
    made = chart(args(dataPoints=[]))
    assert made["chartData"] == []
    assert [one["percentageChange"] for one in made["metricData"]] == [None, None]


@given(st.lists(st.tuples(st.integers(-(10**15), 10**15), st.none() | st.floats(), st.floats()), max_size=30))
def test_any_numbers_make_strict_json(rows: list[tuple[int, float | None, float]]) -> None:
    finite = [list(row) for row in rows if not any(value in (float("inf"), -float("inf")) for value in row)]
    json.dumps(chart(args(dataPoints=finite)), allow_nan=False)
