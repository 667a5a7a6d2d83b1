"""Drawn results in transcripts: charts, tables and figures for readers without the widget, and nothing that acts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitte_nb.core.chart import ChartError, as_drawn, chart
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.result import ToolData
from bitte_nb.history.chart_svg import chart_svg, written
from bitte_nb.history.drawn import drawn

DAY = 86_400_000
TYPES = ["bar", "area", "line", "candle"]


def made(rows: list[list[Any]], kind: str = "line", form: str = "currency", title: str = "Prices") -> dict[str, Any]:
    width = max((len(row) for row in rows), default=2)
    labels = ["Day", *(f"M{place}" for place in range(1, width))]
    return chart({"title": title, "chartType": kind, "dataFormat": form, "metricLabels": labels, "dataPoints": rows})


def call(data: Any, tool: str = "render-chart", kind: Any = "primitive") -> Invocation:
    return Invocation(
        key="1.1.0", tool=tool, kind=kind, executor="local", state="succeeded", result=ToolData(data=data)
    )


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def picture(html: str) -> ET.Element:
    [source] = [str(attrs["src"]) for tag, attrs in Tags(html).seen if tag == "img"]
    kind, _, body = source.partition(",")
    assert kind == "data:image/svg+xml"
    return ET.fromstring(unquote(body))


@pytest.mark.parametrize("kind", TYPES)
def test_a_chart_is_a_picture_and_a_table(kind: str) -> None:
    rows = [["2026-01-01", 1, 4, 0.5, 2], ["2026-01-02", 2, 3, 1, 1.5]]
    result = drawn(call(made(rows, kind)))
    assert result is not None
    svg = picture(result.html)
    assert svg.tag.endswith("svg")
    assert [one.text for one in svg if one.tag.endswith("title")] == ["Prices"]
    assert len([one for one in svg if one.tag.endswith("path")]) > 4
    assert "<td>2026-01-01</td><td>$1.00</td>" in result.html
    assert "| 2026-01-02 | \\$2.00 |" in result.markdown


def test_percentages_are_fractions_and_gaps_are_empty() -> None:
    result = drawn(call(made([["2026-01-01", 0.1234], ["2026-01-02", None]], form="percentage")))
    assert result is not None
    assert "<td>12.34%</td>" in result.html
    assert "<td>2026-01-02</td><td></td>" in result.html


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (1_234_567.891, "currency", "$1,234,567.89"), (-3.5, "currency", "-$3.50"), (0.000123, "currency", "$0.000123"),
        (0, "currency", "$0.00"), (12.34, "percentage", "1,234%"), (1_234.5, "number", "1,234.5"), (None, "number", ""),
    ],
)  # fmt: skip
def test_values_are_written_in_their_format(value: float | None, form: str, text: str) -> None:
    assert written(value, form) == text


numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@given(
    kind=st.sampled_from(TYPES),
    form=st.sampled_from(["currency", "percentage", "number"]),
    rows=st.lists(
        st.tuples(st.integers(-8 * 10**15, 8 * 10**15), numbers, numbers, numbers, numbers).map(list), max_size=20
    ),
)
def test_any_chart_is_a_well_formed_finite_picture(kind: str, form: str, rows: list[list[Any]]) -> None:
    svg = chart_svg(made(rows, kind, form))
    tree = ET.fromstring(svg)
    assert not re.search(r"nan|inf", " ".join(str(one.get("d")) for one in tree.iter()), re.IGNORECASE)
    assert drawn(call(made(rows, kind, form))) is not None


def test_five_thousand_points_stay_a_small_picture() -> None:
    rows = [[1_700_000_000 + place * 3600, place % 97] for place in range(5_000)]
    svg = chart_svg(made(rows))
    assert len(svg) < 60_000
    result = drawn(call(made(rows)))
    assert result is not None
    assert "4,970 more rows" in result.html


HOSTILE = [
    '"><script>alert(1)</script>',
    "</svg><img src=x onerror=alert(1)>",
    "]]>&<x/>",
    "| a | b |\n---",
    "![x](https://e.example/p.png)",
]


TAGS = {"p", "strong", "br", "img", "details", "summary", "table", "thead", "tbody", "tr", "th", "td", "em"}


@pytest.mark.parametrize("evil", HOSTILE)
def test_hostile_words_stay_words(evil: str) -> None:
    data = made([[1_767_225_600_000, 1]], title=evil)
    data["description"] = evil
    data["chartConfig"]["x-1"]["label"] = evil
    data["chartConfig"]["x-1"]["color"] = f"red'/>{evil}"
    frame = {"columns": [{"name": evil, "type": evil}], "row_count": 1, "rows": [[evil]]}
    for one in (
        call(data),
        call(frame, "f", "local"),
        call({"type": evil, "display": "data:image/png;base64,AAAA"}, "f", "local"),
    ):
        result = drawn(one)
        assert result is not None
        tags = {tag for tag, _ in Tags(result.html).seen}
        assert tags <= TAGS
        for tag, attrs in Tags(result.html).seen:
            assert set(attrs) <= ({"alt", "src"} if tag == "img" else set())
            assert str(attrs.get("src", "data:image/")).startswith("data:image/")
        assert "<" not in result.markdown.replace("\\<", "")
        assert not re.search(r"(?<!\\)\]\(", result.markdown)


@pytest.mark.parametrize(
    "display",
    [
        "javascript:alert(1)", "https://evil.example/a.png", "data:text/html;base64,AAAA",
        'data:image/png;base64,AA"onerror=', "data:image/png;base64,AAAA\n", 7,
    ],
)  # fmt: skip
def test_only_pictures_in_their_own_bytes_are_images(display: Any) -> None:
    result = drawn(call({"type": "Figure", "display": display}, "f", "local"))
    assert result is None or "<img" not in result.html


def test_a_frame_says_how_much_is_left_out() -> None:
    frame = {"columns": [{"name": f"c{place}"} for place in range(25)], "row_count": 2_000, "rows": [[1] * 25] * 500}
    result = drawn(call(frame, "prices", "local"))
    assert result is not None
    assert "… 1,970 more rows, 5 more columns" in result.html
    assert result.html.count("<tr>") == 31


@pytest.mark.parametrize(
    "data",
    [
        None, 7, "x", [], {}, {"chartType": "pie"},
        {"chartType": "bar", "dataFormat": "number", "chartConfig": {"t": {}}, "chartData": [7]},
    ],
)  # fmt: skip
def test_what_is_no_chart_is_shown_as_it_came(data: Any) -> None:
    assert drawn(call(data)) is None
    with pytest.raises(ChartError):
        as_drawn(data)


def test_an_operation_may_not_pose_as_a_function_of_python() -> None:
    assert drawn(call({"type": "x", "display": "data:image/png;base64,AAAA"}, "op", "operation")) is None
