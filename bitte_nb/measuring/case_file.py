"""Cases from a file: YAML or JSON, JSON Lines, or CSV; what is wrong names its line.

- prompt: What does note 7 say?        # cases.yaml
  calls: [{read-note: {id: 7}}]
- prompt: Thank you!
  calls: []

prompt,call,args,text                  # cases.csv: one call a row, none where `call` is empty
What does note 7 say?,read-note,"{""id"": 7}",
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, cast

from bitte_nb.core.nearest import nearest
from bitte_nb.errors import DocumentError, MeasureError
from bitte_nb.measuring.case import Case
from bitte_nb.spec.lines import locate
from bitte_nb.spec.read import parse
from bitte_nb.spec.tree import is_list, is_map, mapping

__all__ = ["load_cases"]

_COLUMNS = ("prompt", "call", "args", "text", "name")

Row = tuple[int | None, Any]
"""The line on which a case begins, where it is known, and the case as it was read."""


def load_cases(source: str | Path) -> list[Case]:
    """Read cases from a file.

    Args:
        source: The file's path; it ends in `.yaml`, `.yml`, `.json`, `.jsonl` or `.csv`.

    Raises:
        MeasureError: it cannot be read, or a case of it is wrong; the sentence names the line.
    """
    path = Path(source)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise MeasureError(f"{path} is read as none of {', '.join(_READERS)}; give it one of these endings.")
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise MeasureError(f"The cases in {path} cannot be read: {error}.") from error
    cases: list[Case] = []
    try:
        for line, row in reader(text):
            where = f"{path}, line {line}" if line else str(path)
            try:
                cases.append(_case(row))
            except MeasureError as fault:
                raise MeasureError(f"{where}: {fault}") from fault
    except (DocumentError, csv.Error) as fault:
        raise MeasureError(f"{path}: {fault}") from fault
    if not cases:
        raise MeasureError(f"{path} holds no cases.")
    return cases


def _case(row: Any) -> Case:
    if not is_map(row):
        raise MeasureError(f"a case is written as `prompt: ...` and `calls: [...]`, not as {row!r:.60}.")
    _only(row, _KINDS)
    given: dict[str, Any] = {key: value for key, value in row.items() if value is not None}
    for key, value in given.items():
        kinds, what = _KINDS[key]
        if not isinstance(value, kinds):
            raise MeasureError(f"{key} is {what}, not {value!r:.60}.")
    given.setdefault("prompt", "")
    return Case(**given)


_FLAG = (bool, "true or false")
_KINDS: dict[str, tuple[Any, str]] = {
    "prompt": (str, "a text"),
    "calls": (list, "a list, [] where nothing may be called"),
    "text": ((str, dict), "a text or {$regex: ...}"),
    "exact": _FLAG,
    "ordered": _FLAG,
    "more": _FLAG,
    "name": (str, "a text"),
}


def _only(row: dict[str, Any], known: Collection[str]) -> None:
    for key in row:
        if key not in known:
            near = nearest(key, known)
            advice = f"Did you mean {near!r}?" if near else f"Known are {', '.join(known)}."
            raise MeasureError(f"{key!r} means nothing in a case. {advice}")


def _tree(text: str) -> Iterator[Row]:
    parsed = parse(text)
    if parsed.duplicates:
        key, line = parsed.duplicates[0]
        raise DocumentError(f"{key!r} is written twice in one place{f' (line {line})' if line else ''}.")
    tree: Any = parsed.tree
    nested = is_map(tree) and tree.keys() == {"cases"}
    rows, base = (mapping(tree).get("cases"), "/cases") if nested else (tree, "")
    if not is_list(rows):
        raise DocumentError("this is no list of cases; write `- prompt: ...` for each.")
    lines = locate(text, [f"{base}/{number}" for number in range(len(rows))])
    yield from ((lines.get(f"{base}/{number}"), row) for number, row in enumerate(rows))


def _lines(text: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield number, _json(line, number)


def _json(text: str, line: int) -> Any:
    try:
        return json.loads(text)
    except ValueError as fault:
        raise DocumentError(f"line {line} is not valid JSON: {fault}.") from fault


def _table(text: str) -> Iterator[Row]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    _header(reader.fieldnames or ())
    before = reader.line_num
    for row in reader:
        line, before = before + 1, reader.line_num
        if any(key is None for key in cast("dict[Any, Any]", row)):
            raise DocumentError(f'line {line} has more cells than columns; put cells with commas in "...".')
        yield line, _row({key: value or "" for key, value in row.items()}, line)


def _header(names: Any) -> None:
    try:
        _only(dict.fromkeys(names), _COLUMNS)
    except MeasureError as fault:
        raise DocumentError(f"line 1: {fault}") from fault
    if "prompt" not in names or not {"call", "text"} & set(names):
        raise DocumentError(f"line 1 names the columns: prompt, and call or text (of {', '.join(_COLUMNS)}).")


def _row(row: dict[str, str], line: int) -> dict[str, Any]:
    args: Any = _json(row["args"], line) if row.get("args") else {}
    if not is_map(args):
        raise DocumentError(f"line {line}: args is a JSON object, not {args!r:.60}.")
    call = row.get("call", "").strip()
    calls = None if "call" not in row else [{call: args}] if call else []
    return {"prompt": row["prompt"], "calls": calls, "text": row.get("text") or None, "name": row.get("name", "")}


_READERS: dict[str, Callable[[str], Iterator[Row]]] = {
    ".yaml": _tree, ".yml": _tree, ".json": _tree, ".jsonl": _lines, ".csv": _table,
}  # fmt: skip
