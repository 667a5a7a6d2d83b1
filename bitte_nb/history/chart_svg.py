"""The picture of a chart as SVG, for readers without the widget: no script, no link, no font, the same bytes each time.

Colours hold on a light and on a dark page. Times are UTC.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any

from bitte_nb.core.chart import as_drawn

__all__ = ["chart_svg", "written"]

_WIDTH, _HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 628, 26, 232
_COLOURS = ("#4f74f0", "#d9731a", "#1f9e90", "#b94fa8", "#8a971f")
_RISES, _FALLS = "#2f9e5f", "#d6493f"
_INK = "#7d838c"
_LARGEST = 1e300
_POINTS = 1_500


def chart_svg(data: dict[str, Any]) -> str:
    """The SVG of a result of `render-chart`.

    Raises:
        ChartError: it is no such result.
    """
    model = as_drawn(data)
    banded = model.kind in ("bar", "candle") or model.names is not None
    low, high = _extent([column for _, column in model.columns], from_zero=model.kind in ("bar", "area"))
    ticks = _ticks(low, high)
    low, high = ticks[0], ticks[-1]

    def y(value: float) -> float:
        return _BOTTOM - (_bounded(value) - low) / (high - low or 1) * (_BOTTOM - _TOP)

    count = len(model.times)
    first, last = (model.times[0], model.times[-1]) if count and model.names is None else (0, 0)

    def x(place: int) -> float:
        if banded or first == last:
            return _LEFT + (place + 0.5) * (_RIGHT - _LEFT) / max(1, count)
        return _LEFT + (model.times[place] - first) / (last - first) * (_RIGHT - _LEFT)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'font-family="sans-serif" font-size="11" fill="{_INK}">',
        f"<title>{escape(model.title)}</title>",
    ]
    places = _places(ticks, model.format)
    for tick in ticks:
        parts.append(f'<path d="M{_LEFT} {y(tick):.1f}H{_RIGHT}" stroke="{_INK}" stroke-opacity=".25"/>')
        label = _short(tick, model.format, places)
        parts.append(f'<text x="{_LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{escape(label)}</text>')
    marks = range(0, count, max(1, math.ceil(count / 6)))
    for place in marks:
        label = model.names[place] if model.names is not None else _time(model.times[place], last - first)
        short = label if len(label) <= 14 else f"{label[:13]}…"
        parts.append(f'<text x="{x(place):.1f}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(short)}</text>')
    base = y(min(max(0.0, low), high))
    if model.kind == "candle":
        parts += _candles([column for _, column in model.columns], x, y, (_RIGHT - _LEFT) / max(1, count))
    elif model.kind == "bar":
        parts += _bars([column for _, column in model.columns], x, y, base, (_RIGHT - _LEFT) / max(1, count))
    else:
        for number, (_, column) in enumerate(model.columns):
            parts += _line(column, x, y, base, _COLOURS[number % 5], filled=model.kind == "area")
    if model.kind != "candle" and len(model.columns) > 1:
        parts += _legend([name for name, _ in model.columns])
    return "".join([*parts, "</svg>"])


def written(value: float | int | None, form: str) -> str:
    """A value in full: `$1,234.50`, `12.34%` of 0.1234, `1,234.5`; empty where there is none."""
    if value is None:
        return ""
    if form == "percentage":
        return f"{_digits(_bounded(value) * 100, 2)}%"
    if form == "currency":
        sign = "-" if value < 0 else ""
        return f"{sign}${abs(value):,.2f}" if abs(value) >= 1 or value == 0 else f"{sign}${_digits(abs(value), 6)}"
    return _digits(value, 6)


def _digits(value: float | int, places: int) -> str:
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _bounded(value: float | int) -> float:
    if abs(value) < 1 / _LARGEST:
        return 0.0
    return float(max(-_LARGEST, min(_LARGEST, value)))


def _extent(columns: Sequence[Sequence[float | int | None]], *, from_zero: bool) -> tuple[float, float]:
    numbers = [_bounded(value) for column in columns for value in column if value is not None]
    if not numbers:
        return 0.0, 1.0
    low, high = min(numbers), max(numbers)
    return (min(0.0, low), max(0.0, high)) if from_zero else (low, high)


def _ticks(low: float, high: float) -> list[float]:
    if low == high:
        around = abs(low) * 0.1 or 1.0
        low, high = low - around, high + around
    rough = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((one * power for one in (1, 2, 5, 10) if one * power >= rough * 0.999), 10 * power)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    if not math.isfinite(step) or step == 0 or not 0 < last - first <= 50:
        return [low, high]
    return [number * step for number in range(first, last + 1)]


def _places(ticks: list[float], form: str) -> int:
    step = abs(ticks[1] - ticks[0]) * (100 if form == "percentage" else 1)
    places = max(0, min(8, -math.floor(math.log10(step or 1) + 1e-9)))
    return max(2, places) if form == "currency" and places else places


def _short(value: float, form: str, places: int) -> str:
    value = value * 100 if form == "percentage" else value
    sign, size = ("-" if value < 0 else ""), abs(value)
    unit = next(
        ((mark, limit) for mark, limit in (("T", 1e12), ("B", 1e9), ("M", 1e6), ("K", 1e3)) if size >= limit), None
    )
    if unit is None:
        text = f"{size:.{places}f}"
    elif size >= 1e15:
        text = f"{size:.1e}"
    else:
        text = f"{_digits(size / unit[1], 1)}{unit[0]}"
    return f"{sign}{'$' if form == 'currency' else ''}{text}{'%' if form == 'percentage' else ''}"


def _time(milliseconds: int, span: int) -> str:
    moment = moment_of(milliseconds)
    if moment is None:
        return str(milliseconds)
    if span < 86_400_000:
        return f"{moment:%H:%M}"
    day = f"{moment.day} {moment:%b}"
    return day if span < 365 * 86_400_000 else f"{moment:%b} {moment.year}"


def moment_of(milliseconds: int) -> datetime | None:
    """The time in UTC, or None beyond the years that Python knows."""
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None


def _line(column: Sequence[float | int | None], x: Any, y: Any, base: float, colour: str, *, filled: bool) -> list[str]:
    every = max(1, len(column) // _POINTS)
    runs: list[list[str]] = [[]]
    ends: list[list[float]] = [[]]
    for place, value in enumerate(column):
        if value is None:
            runs.append([])
            ends.append([])
        elif place % every == 0 or place == len(column) - 1:
            runs[-1].append(f"{x(place):.1f} {y(value):.1f}")
            ends[-1].append(x(place))
    drawn = [
        (f"M{'L'.join(run)}{'h.01' if len(run) == 1 else ''}", at) for run, at in zip(runs, ends, strict=True) if run
    ]
    parts = [
        f'<path d="{path}L{at[-1]:.1f} {base:.1f}L{at[0]:.1f} {base:.1f}z" fill="{colour}" fill-opacity=".16"/>'
        for path, at in drawn
        if filled
    ]
    line = "".join(path for path, _ in drawn)
    style = 'fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"'
    parts.append(f'<path d="{line}" stroke="{colour}" {style}/>')
    return parts


def _bars(columns: Sequence[Sequence[float | int | None]], x: Any, y: Any, base: float, band: float) -> list[str]:
    group = min(band * 0.76, 64.0 * len(columns))
    each = group / len(columns)
    parts: list[str] = []
    for number, column in enumerate(columns):
        left, wide = number * each - group / 2, max(0.4, each * 0.94)
        path = "".join(
            f"M{x(place) + left:.1f} {base:.1f}V{y(value):.1f}h{wide:.1f}V{base:.1f}z"
            for place, value in enumerate(column)
            if value is not None
        )
        parts.append(f'<path d="{path}" fill="{_COLOURS[number % 5]}"/>')
    return parts


def _candles(columns: Sequence[Sequence[float | int | None]], x: Any, y: Any, band: float) -> list[str]:
    half = max(0.5, min(7.0, band * 0.34))
    paths = {True: "", False: ""}
    for place, row in enumerate(zip(*columns, strict=True)):
        if len(row) == 4 and not any(value is None for value in row):
            start, high, low, end = (float(value or 0) for value in row)
            top, bottom = y(max(start, end)), y(min(start, end))
            at = x(place)
            paths[end >= start] += (
                f"M{at:.1f} {y(high):.1f}V{y(low):.1f}"
                f"M{at - half:.1f} {top:.1f}h{2 * half:.1f}v{max(1.0, bottom - top):.1f}h{-2 * half:.1f}z"
            )
    return [
        f'<path d="{path}" stroke="{_RISES if rises else _FALLS}" fill="{"none" if rises else _FALLS}"/>'
        for rises, path in paths.items()
        if path
    ]


def _legend(names: list[str]) -> list[str]:
    parts: list[str] = []
    at = float(_LEFT)
    for number, name in enumerate(names[:6]):
        short = name if len(name) <= 18 else f"{name[:17]}…"
        parts.append(f'<rect x="{at:.0f}" y="3" width="9" height="9" rx="2" fill="{_COLOURS[number % 5]}"/>')
        parts.append(f'<text x="{at + 13:.0f}" y="11">{escape(short)}</text>')
        at += 30 + 6.4 * len(short)
    return parts
