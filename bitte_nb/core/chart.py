"""The chart of `render-chart`: its arguments read strictly, its result in the reference's shape.

Times become milliseconds since the epoch: numbers of seconds below 1e11, numbers of milliseconds, and ISO 8601 texts
(without an offset: UTC). Bars may have names in the place of times. Percentages are fractions of one: 0.12 is 12%.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

__all__ = ["ChartError", "Drawn", "as_drawn", "chart"]

_CANDLE: tuple[str, ...] = ("open", "high", "low", "close")
_SECONDS = 1e11
"""A number of milliseconds below this lies in 1973, a number of seconds above it in the year 5138."""
_POINTS = 20_000


class ChartError(ValueError):
    """The arguments do not make a chart; the message names the field and says what it should be."""


def chart(args: dict[str, Any]) -> dict[str, Any]:
    """The result of `render-chart`.

    Args:
        args: As its schema asks for them: title, description, chartType, dataFormat, metricLabels, dataPoints.

    Returns:
        `{title, description, chartType, dataFormat, metricLabels, chartConfig, chartData, metricData}`; the first key
        of `chartConfig` is the one of the time.

    Raises:
        ChartError: a row has the wrong length, a time cannot be read, or a value is no number.
    """
    labels = [str(label) for label in args["metricLabels"]]
    is_candle = args["chartType"] == "candle"
    columns = list(_CANDLE) if is_candle else [f"x-{place}" for place in range(1, len(labels))]
    rows = [_row(row, number, len(columns) + 1) for number, row in enumerate(args["dataPoints"])]
    if len(rows) > _POINTS:
        raise ChartError(f"dataPoints has {len(rows)} rows, more than {_POINTS}: give fewer, for example one per day.")
    times = _times([row[0] for row in rows], named=args["chartType"] == "bar")
    values = [_values(row, number, columns) for number, row in enumerate(rows)]
    data = [{"time": time, **dict(zip(columns, row, strict=True))} for time, row in zip(times, values, strict=True)]
    if all(isinstance(time, int) for time in times):
        data.sort(key=lambda point: cast("int", point["time"]))
    names = [name.capitalize() for name in _CANDLE] if is_candle else labels[1:]
    config: dict[str, Any] = {"time": {"label": labels[0] if labels else "Time"}}
    for place, (column, name) in enumerate(zip(columns, names, strict=True)):
        config[column] = {"label": name, "color": f"hsl(var(--chart-{place % 5 + 1}))"}
    return {
        "title": args["title"],
        "description": args.get("description", ""),
        "chartType": args["chartType"],
        "dataFormat": args["dataFormat"],
        "metricLabels": labels,
        "chartConfig": config,
        "chartData": data,
        "metricData": _metrics(data, columns, names, args["title"], is_candle=is_candle),
    }


def _row(row: list[Any], number: int, length: int) -> list[Any]:
    if len(row) != length:
        kind = "time, open, high, low, close" if length == len(_CANDLE) + 1 else "one value for each of metricLabels"
        raise ChartError(f"dataPoints[{number}] has {len(row)} values instead of {length}: {kind}.")
    return row


def _times(given: list[Any], *, named: bool) -> list[int] | list[str]:
    times = [_time(one) for one in given]
    wrong = next((number for number, time in enumerate(times) if time is None), None)
    if wrong is None:
        return cast("list[int]", times)
    if named and all(isinstance(one, str) and one.strip() for one in given):
        return [str(one) for one in given]
    raise ChartError(
        f"dataPoints[{wrong}][0] is {given[wrong]!r}, which is no time: give UNIX seconds, milliseconds, or a text "
        "like 2026-01-31 or 2026-01-31T12:00:00Z."
    )


def _time(given: object) -> int | None:
    if isinstance(given, str) and re.fullmatch(r"-?[0-9]{9,20}", given.strip()):
        given = int(given)
    if isinstance(given, int | float) and not isinstance(given, bool):
        if not math.isfinite(given) or abs(given) > 8.64e15:
            return None
        return round(given * 1000) if abs(given) < _SECONDS else round(given)
    if not isinstance(given, str):
        return None
    try:
        read = datetime.fromisoformat(given.strip())
    except ValueError:
        return None
    return round((read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp() * 1000)


def _values(row: list[Any], number: int, columns: list[str]) -> list[float | int | None]:
    values: list[float | int | None] = []
    for place, given in enumerate(row[1:], 1):
        value = _number(given)
        if value is None and given is not None and not (isinstance(given, float) and math.isnan(given)):
            raise ChartError(f"dataPoints[{number}][{place}] ({columns[place - 1]}) is {given!r}, which is no number.")
        values.append(value)
    return values


def _number(given: object) -> float | int | None:
    if isinstance(given, bool):
        return None
    if isinstance(given, str):
        try:
            given = float(given)
        except ValueError:
            return None
    return given if isinstance(given, int | float) and math.isfinite(given) else None


def _metrics(
    data: list[dict[str, Any]], columns: list[str], names: list[str], title: str, *, is_candle: bool
) -> list[dict[str, Any]]:
    """The change of each metric from its first number to its last, in percent."""
    if is_candle:
        return [_metric(title, [point["close"] for point in data], is_candle=True)]
    return [
        _metric(name, [point[column] for point in data], is_candle=False)
        for column, name in zip(columns, names, strict=True)
    ]


def _metric(name: str, values: list[float | int | None], *, is_candle: bool) -> dict[str, Any]:
    numbers = [one for one in values if one is not None]
    change = (numbers[-1] - numbers[0]) / abs(numbers[0]) * 100 if numbers and numbers[0] else None
    return {
        "metric": name,
        "percentageChange": None if change is None or not math.isfinite(change) else round(change, 2),
        "isPositive": change is None or change >= 0,
        "isCandle": is_candle,
    }


# The result, read again ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What of a chart's result is drawn."""

    title: str
    description: str
    kind: str
    """bar, area, line or candle."""
    format: str
    """currency, percentage or number."""
    time_label: str
    times: list[int]
    """Milliseconds since the epoch, or the number of each point where it has a name."""
    names: list[str] | None
    columns: list[tuple[str, list[float | int | None]]]
    """Label and numbers of each series; open, high, low and close of candles."""


def as_drawn(data: object) -> Drawn:
    """The result of `render-chart` as it is drawn, whoever made it.

    Raises:
        ChartError: it has not the shape of one; the message names the field.
    """
    given = _mapping(data, "data")
    kind = given.get("chartType")
    form = given.get("dataFormat")
    if kind not in ("bar", "area", "line", "candle") or form not in ("currency", "percentage", "number"):
        raise ChartError("chartType or dataFormat is none of the known ones.")
    config = _mapping(given.get("chartConfig"), "chartConfig")
    rows = given.get("chartData")
    if not config or not isinstance(rows, list):
        raise ChartError("chartConfig or chartData is missing.")
    points = [_mapping(row, "chartData") for row in cast("list[object]", rows)]
    key, *columns = config
    columns = list(_CANDLE) if kind == "candle" else columns
    times = _times([point.get(key) for point in points], named=kind == "bar")
    order = list(range(len(points)))
    named = bool(times) and isinstance(times[0], str)
    if not named:
        order.sort(key=lambda place: cast("list[int]", times)[place])
    values = [_values([None, *(points[place].get(name) for name in columns)], place, columns) for place in order]
    labels = {name: str(_label(config.get(name), name)) for name in (key, *columns)}
    return Drawn(
        title=str(given.get("title", "")),
        description=str(given.get("description") or ""),
        kind=str(kind),
        format=str(form),
        time_label=labels[key],
        times=list(range(len(points))) if named else [cast("list[int]", times)[place] for place in order],
        names=[str(time) for time in times] if named else None,
        columns=[(labels[name], [row[place] for row in values]) for place, name in enumerate(columns)],
    )


def _mapping(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ChartError(f"{what} is no object.")
    return cast("dict[str, Any]", value)


def _label(config: object, name: str) -> str:
    label = cast("dict[str, Any]", config).get("label") if isinstance(config, dict) else None
    return label if isinstance(label, str) and label else name
