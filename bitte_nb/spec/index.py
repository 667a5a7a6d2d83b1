"""The operations of a document: each found once, with its id, or quarantined with a reason."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from bitte_nb.core.nearest import nearest
from bitte_nb.spec.finding import Finding
from bitte_nb.spec.parameters import Parameter, read_parameters
from bitte_nb.spec.refs import BrokenReference, References, reference
from bitte_nb.spec.tree import escape, is_map, items, mapping, plain, pointer, sequence

__all__ = ["METHODS", "SAFE_METHODS", "Entry", "Index", "make_index"]

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})
"""Methods that promise to change nothing (RFC 9110, 9.2.1)."""
_ITEM = frozenset({*METHODS, "additionalOperations"})
"""The members of a Path Item Object that are objects (OAS 3.2, 4.9)."""
_SHOWN = 8
"""Places that a sentence names: every operation of a duplicate id has the sentence."""
_METHOD = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")


@dataclass(slots=True)
class Entry:
    """One operation as it was found."""

    id: str
    method: str
    path: str
    pointer: str
    node: Mapping[str, Any]
    path_item: Mapping[str, Any]
    parameters: tuple[Parameter, ...] = ()
    declared: bool = True
    """False where the id was derived from method and path."""


@dataclass(slots=True)
class Index:
    """The usable operations by id, and what is wrong."""

    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])
    quarantined: dict[str, Finding] = field(default_factory=dict[str, Finding])
    """The finding that keeps an operation out, by the operation's pointer."""
    left_out: dict[str, Finding] = field(default_factory=dict[str, Finding])
    """The same by operationId, of those that have one."""
    findings: list[Finding] = field(default_factory=list[Finding])
    total: int = 0


def make_index(root: Mapping[str, Any], refs: References) -> Index:
    """Find the operations of a document."""
    index = Index()
    by_id: dict[str, list[Entry]] = defaultdict(list)
    unnamed: list[Entry] = []
    for entry in _entries(root, refs, index):
        index.total += 1
        name = entry.id = plain(entry.node.get("operationId")).strip()
        if not (_parameters(entry, refs, index) and _body(entry, refs, index)):
            continue
        if name:
            by_id[name].append(entry)
        else:
            unnamed.append(entry)
    for name, entries in by_id.items():
        if len(entries) == 1:
            index.entries[name] = entries[0]
            continue
        places = ", ".join(f"{entry.method} {entry.path}" for entry in entries[:_SHOWN])
        places += f" and {len(entries) - _SHOWN} more" if len(entries) > _SHOWN else ""
        for entry in entries:
            _quarantine(
                index,
                entry.pointer,
                Finding(
                    "OPID002",
                    "error",
                    entry.pointer + "/operationId",
                    f"The operationId {name!r} is used {len(entries)} times ({places}): a call could go astray.",
                    "Give each operation its own operationId.",
                ),
                name,
            )
    numbers: Counter[str] = Counter()
    for entry in unnamed:
        _name(entry, index, by_id.keys(), numbers)
    return index


def _quarantine(index: Index, where: str, finding: Finding, name: str = "") -> None:
    index.quarantined[where] = finding
    if name:
        index.left_out.setdefault(name, finding)
    index.findings.append(finding)


def _entries(root: Mapping[str, Any], refs: References, index: Index) -> Iterator[Entry]:
    for path, raw in items(root.get("paths")):
        where = pointer("paths", path)
        if path.startswith("x-"):
            continue
        try:
            item = mapping(raw) if reference(raw) is None else mapping(refs.follow(raw)) | _own(raw)
        except BrokenReference as fault:
            index.findings.append(
                Finding("SCH001", "error", where, str(fault), "Repair the reference of the path item.")
            )
            continue
        if not path.startswith("/"):
            index.findings.append(
                Finding(
                    "SRV003", "error", where, f"The path {path!r} does not start with a slash.", "Start it with `/`."
                )
            )
        if not isinstance(raw, dict):
            index.findings.append(Finding("OPS001", "error", where, "The path item is not an object.", "Remove it."))
        for method in METHODS:
            if method in item:
                yield from _entry(method.upper(), path, item[method], item, f"{where}/{method}", index)
        for method, node in items(item.get("additionalOperations")):
            place = f"{where}/additionalOperations{pointer(method)}"
            if _METHOD.match(method):
                yield from _entry(method, path, node, item, place, index)
            else:
                index.findings.append(
                    Finding("OPS001", "error", place, f"{method!r} is not a method name.", "Correct it.")
                )
        for word, node in item.items():
            if is_map(node) and word not in _ITEM and not word.startswith(("x-", "$")):
                _no_method(word, path, f"{where}/{escape(word)}", index)


def _no_method(word: str, path: str, where: str, index: Index) -> None:
    """An operation under a word that is no method is none to a reader; here it counts, and is left out aloud."""
    near = nearest(word, METHODS, alike=0.7)
    fix = f"Write `{near}`." if near else f"Write one of {', '.join(METHODS)}."
    sentence = f"{word!r} is no method, so {path} has no such operation."
    index.total += 1
    _quarantine(index, where, Finding("OPS001", "error", where, sentence, fix))


def _own(raw: object) -> dict[str, Any]:
    """What is written beside a path item's reference; it wins over what the reference leads to."""
    return {key: value for key, value in items(raw) if key != "$ref"}


def _entry(method: str, path: str, node: object, item: dict[str, Any], where: str, index: Index) -> Iterator[Entry]:
    if is_map(node):
        yield Entry("", method, path, where, node, item)
        return
    index.total += 1
    _quarantine(
        index,
        where,
        Finding(
            "OPS001", "error", where, f"The operation {method} {path} is not an object.", "Describe it or remove it."
        ),
    )


def _parameters(entry: Entry, refs: References, index: Index) -> bool:
    """Read the parameters of an operation; False if one that it cannot do without is unusable."""
    shared, own = sequence(entry.path_item.get("parameters")), sequence(entry.node.get("parameters"))
    found, faults, missing = read_parameters([*shared, *own], refs, entry.path.split("#", 1)[0])
    entry.parameters = tuple(found)
    _path_names(entry, [one.name for one in found if one.location == "path"], missing, refs, index)
    entry.parameters = tuple(p for p in found if p.location != "path" or f"{{{p.name}}}" in entry.path)
    for position, sentence in faults:
        place = f"{entry.pointer}/parameters/{position - len(shared)}" if position >= len(shared) else entry.pointer
        finding = Finding(
            "PAR000", "error", place, f"{entry.method} {entry.path} is left out: {sentence}", "Repair the parameter."
        )
        _quarantine(index, entry.pointer, finding, entry.id)
    return not faults


def _path_names(entry: Entry, declared: list[str], missing: list[str], refs: References, index: Index) -> None:
    """Say which placeholders of the path nobody declared, and which declared ones it does not have."""
    unused = sorted({name for name in declared if f"{{{name}}}" not in entry.path})
    for name in missing:
        near = nearest(name, unused) or (unused[0] if len(unused) == len(missing) == 1 else "")
        where = entry.pointer
        sentence = (
            f"The path {entry.path} has {{{name}}}, but no path parameter {name!r} is declared; "
            f"it is taken as a required string{f', and {near!r} is not used' if near else ''}."
        )
        fix = f"Declare the path parameter {name!r} with a schema and a description."
        if near:
            unused.remove(near)
            where, fix = _declaration(entry, near, refs), f"You declared {near!r} for {{{name}}}: rename one of them."
        index.findings.append(Finding("PAR010", "error", where, sentence, fix))
    for name in unused:
        index.findings.append(
            Finding(
                "PAR010",
                "error",
                _declaration(entry, name, refs),
                f"The path parameter {name!r} is declared, but the path {entry.path} has no {{{name}}}.",
                f"Put {{{name}}} into the path or remove the parameter.",
            )
        )


def _declaration(entry: Entry, name: str, refs: References) -> str:
    """Where the path parameter of a name is declared, by the operation or its path."""
    for owner, base in ((entry.node, entry.pointer), (entry.path_item, pointer("paths", entry.path))):
        for position, node in enumerate(sequence(owner.get("parameters"))):
            with suppress(BrokenReference):
                source = mapping(refs.follow(node))
                if (source.get("name"), source.get("in")) == (name, "path"):
                    return f"{base}/parameters/{position}"
    return entry.pointer


def _body(entry: Entry, refs: References, index: Index) -> bool:
    """False if the operation's body is behind a reference that leads nowhere: without it, the call would be another."""
    try:
        refs.follow(entry.node.get("requestBody"))
    except BrokenReference as fault:
        sentence = f"{entry.method} {entry.path} is left out: {fault}"
        fix = "Repair the reference of the request body."
        finding = Finding("SCH001", "error", f"{entry.pointer}/requestBody", sentence, fix)
        _quarantine(index, entry.pointer, finding, entry.id)
        return False
    return True


def _path_words(path: str) -> list[str]:
    """The words of a path; a placeholder does not say again what stands before it.

    So `/users/{user_id}?q={q}` is users, id, q.
    """
    words: list[str] = []
    for step in re.split(r"[/?&]", path):
        segment = re.sub(r"^(.+)=\{\1\}$", r"\1", step)
        found = re.findall(r"[A-Za-z0-9]+", segment)
        said = words[-1].lower().removesuffix("s") if words and segment.startswith("{") else ""
        if said and found and found[0].lower().startswith(said):
            rest = found[0][len(said) :]
            if rest[:1].isupper():
                found = [rest.lower(), *found[1:]]
            elif not rest and len(found) > 1:
                found = found[1:]
        words += found
    return words


def _name(entry: Entry, index: Index, taken: Collection[str], numbers: Counter[str]) -> None:
    """Derive an id from method and path where the document gives none; `numbers` counts the ids that were taken."""
    name = base = "_".join([entry.method.lower(), *_path_words(entry.path.split("#", 1)[0])])
    while name in index.entries or name in taken:
        numbers[base] += 1
        name = f"{base}_{numbers[base] + 1}"
    entry.id, entry.declared = name, False
    index.entries[name] = entry
    index.findings.append(
        Finding(
            "OPID001",
            "error",
            entry.pointer,
            f"{entry.method} {entry.path} has no operationId; the tool is called {name!r} until its path changes.",
            f'Add `operationId: "{name}"`, or a name that says what it does.',
        )
    )
