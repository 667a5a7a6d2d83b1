"""What a Python function returned, as JSON: exact for the model, and a display for the person where it has one.

A table becomes `{columns, row_count, rows}`. A figure, or anything else that shows itself in a notebook, becomes
`{type, text, display}`, where `display` is a data URL: the person sees it, a model reads only its type and text.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# What a function returns may be of any library; it is asked for its own methods, none of which has types here.
from __future__ import annotations

import base64
import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic_core import PydanticSerializationError, to_jsonable_python

__all__ = ["as_json", "bundle_of", "described"]

ROWS = 500
"""Rows of a table that are kept; how many there are is always said."""
_COLUMNS = 100
_TEXT = 4_000
"""Characters of a plain representation."""
_DISPLAY = 2_000_000
"""Bytes of a display that are kept with the chat."""
_DEPTH = 60
_PICTURES = ("image/png", "image/jpeg", "image/svg+xml")
_TEXTS = ("text/html", "text/markdown")


def as_json(value: object) -> tuple[Any, bool]:
    """The value as JSON data, and whether a living page could show it better.

    What has no JSON form is described in words.
    """
    if _table(value, _DEPTH) is None and _plain(value) is None and _shows_itself(value):
        return described(value)
    return _json(value, _DEPTH), False


def _json(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool | str | int):
        return value if type(value) in (bool, str, int, type(None)) else _plain(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if depth == 0:
        return _short(repr(value))
    table = _table(value, depth)
    if table is not None:
        return table
    if isinstance(value, Mapping):
        return {_key(key): _json(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json(item, depth - 1) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and not _shows_itself(value):
        return {one.name: _json(getattr(value, one.name), depth - 1) for one in dataclasses.fields(value)}
    if _is_array(value):
        return _json(cast("Any", value).tolist(), depth - 1)
    plain = _plain(value)
    return described(value)[0] if plain is None else _json(plain, depth - 1)


def _plain(value: Any) -> Any:
    """The value as pydantic writes it (models, dates, decimals, enums, UUIDs, paths, bytes), or None."""
    if _shows_itself(value):
        return None
    try:
        return to_jsonable_python(value, bytes_mode="base64", inf_nan_mode="null")
    except (PydanticSerializationError, ValueError, TypeError, RecursionError):
        return None


def _key(key: object) -> str:
    return key if isinstance(key, str) else str(key)


def _is_array(value: Any) -> bool:
    """An array or scalar of numpy, or what behaves like one."""
    return callable(getattr(value, "tolist", None)) and hasattr(value, "dtype") and not hasattr(value, "columns")


def _table(value: Any, depth: int) -> dict[str, Any] | None:
    """A frame of pandas, Polars or the like, or a series of pandas, with its first rows."""
    shape = getattr(value, "shape", None)
    if not isinstance(shape, tuple):
        return None
    if hasattr(value, "to_frame") and not hasattr(value, "columns"):  # a series: its index says what it is about
        frame = value.to_frame()
        value = frame.reset_index() if hasattr(frame, "reset_index") else frame
    if not hasattr(value, "columns") or not callable(getattr(value, "head", None)):
        return None
    index = getattr(value, "index", None)
    if index is not None and callable(getattr(value, "reset_index", None)) and not _is_counter(index):
        value = value.reset_index()
    head = value.head(ROWS)
    names = [_key(name) for name in list(value.columns)[:_COLUMNS]]
    columns = [{"name": name, "type": kind} for name, kind in zip(names, _types(value), strict=False)]
    rows = [[_json(cell, depth - 1) for cell in list(row)[:_COLUMNS]] for row in _rows(head)]
    table = {"columns": columns, "row_count": len(value), "rows": rows}
    left = len(list(value.columns)) - len(names)
    return {**table, "further_columns": left} if left > 0 else table


def _is_counter(index: Any) -> bool:
    """An index that only counts rows says nothing."""
    return type(index).__name__ == "RangeIndex" and getattr(index, "name", None) is None


def _types(frame: Any) -> list[str]:
    return [str(kind) for kind in frame.dtypes]  # a Series of pandas, a list of Polars: both give the values


def _rows(head: Any) -> list[Any]:
    if callable(getattr(head, "rows", None)):
        return list(head.rows())
    columns = [[_cell(cell) for cell in head.iloc[:, place]] for place in range(len(head.columns))]
    return [list(row) for row in zip(*columns, strict=True)]


def _cell(cell: Any) -> Any:
    """A missing value of pandas (NaT, NA) is unequal to itself, or cannot be compared at all."""
    if isinstance(cell, list | tuple | dict | set) or hasattr(cell, "shape"):
        return cell
    try:
        return cell if bool(cell == cell) else None
    except (TypeError, ValueError):
        return None


# Displays ------------------------------------------------------------------------------------------------------------

_REPRESENTATIONS = {
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
    "image/svg+xml": "_repr_svg_",
    "text/html": "_repr_html_",
    "text/markdown": "_repr_markdown_",
}


def _shows_itself(value: Any) -> bool:
    kind = type(value)
    own = ("_repr_mimebundle_", "_ipython_display_", *_REPRESENTATIONS.values())
    return any(callable(getattr(kind, name, None)) for name in own) or _is_figure(value)


def _is_figure(value: Any) -> bool:
    """A figure of matplotlib; a notebook without `%matplotlib` gives it no display of its own."""
    return callable(getattr(value, "savefig", None)) and hasattr(value, "axes")


def bundle_of(value: Any) -> dict[str, Any]:
    """How the value shows itself, by MIME type: as the running IPython formats it, else by its own methods."""
    bundle: dict[str, Any] = {}
    formatter = _formatter()
    if formatter is not None and not callable(getattr(value, "_ipython_display_", None)):
        bundle = dict(formatter(value)[0])
    elif callable(whole := getattr(value, "_repr_mimebundle_", None)):
        given: Any = whole(include=None, exclude=None)
        bundle = dict(given[0] if isinstance(given, tuple) else given or {})
    for kind, name in _REPRESENTATIONS.items():
        own = getattr(value, name, None)
        if kind not in bundle and callable(own) and (found := own()) is not None:
            bundle[kind] = found[0] if isinstance(found, tuple) else found
    if _is_figure(value) and not any(kind in bundle for kind in _PICTURES):
        bundle["image/png"] = _drawn(value)
    return bundle


def _formatter() -> Callable[[Any], tuple[dict[str, Any], Any]] | None:
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    formatter = getattr(shell, "display_formatter", None)
    return None if formatter is None else cast("Callable[[Any], tuple[dict[str, Any], Any]]", formatter.format)


def _drawn(figure: Any) -> bytes:
    import io

    target = io.BytesIO()
    figure.savefig(target, format="png", bbox_inches="tight", dpi=110)
    return target.getvalue()


def _needs_page(bundle: Mapping[str, Any]) -> bool:
    """Whether it shows itself best in a living page: a widget, or a format that a renderer of Jupyter draws."""
    return any(kind.startswith("application/") and kind != "application/json" for kind in bundle)


def described(value: Any) -> tuple[dict[str, Any], bool]:
    """What cannot be JSON as its type, its text and its display, and whether a living page could show it better."""
    said: dict[str, Any] = {"type": type(value).__name__}
    try:
        bundle = bundle_of(value)
    except Exception as error:  # a representation may fail in any way; the value is described without it
        note = f"It could not be shown: {_said(error)}"
        return {**said, "text": _short(_repr(value)), "note": note}, False
    text = bundle.get("text/plain")
    said["text"] = _short(text if isinstance(text, str) else _repr(value))
    display = next((url for kind in (*_PICTURES, *_TEXTS) if (url := _data_url(kind, bundle.get(kind)))), "")
    if display and len(display) > _DISPLAY:
        said["note"] = "Its picture is too large to be kept with the chat."
    elif display:
        said["display"] = display
    return said, _needs_page(bundle)


def _data_url(kind: str, content: Any) -> str:
    """A representation as a data URL, or empty where there is none."""
    if isinstance(content, bytes):
        return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
    if not isinstance(content, str) or not content.strip():
        return ""
    if kind in ("image/png", "image/jpeg"):  # IPython has it in base64 already
        return f"data:{kind};base64,{''.join(content.split())}"
    return f"data:{kind};base64,{base64.b64encode(content.encode('utf-8', 'replace')).decode('ascii')}"


def _repr(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # a broken __repr__ must not lose the result
        return f"<{type(value).__name__}>"


def _short(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}…"


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".strip().removesuffix(":")
