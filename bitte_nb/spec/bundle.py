"""Documents of several files as one tree: relative references inside the document's folder, others only if allowed."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urljoin, urlsplit

from bitte_nb.errors import DocumentError
from bitte_nb.spec.finding import Finding
from bitte_nb.spec.read import MAX_BYTES, parse
from bitte_nb.spec.refs import ids_of
from bitte_nb.spec.tree import escape, pointer, string

__all__ = ["FILES", "Reach", "bundle"]

FILES = "x-bundled-files"
"""The root member under which other files of the document are kept."""
_MAX_FILES = 500
_DATA = frozenset({"example", "examples", "default", "enum", "const", "x-ms-examples"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What the references of a document may lead to; nothing outside it by default."""

    folder: Path | None = None
    """The folder of the document's file (None: it has none, and file references are refused)."""
    widest: Path | None = None
    """The folder that file references may not leave, by default the same."""
    base: str = ""
    """The URL that relative references resolve against where there is no folder, or empty."""
    fetched: str = ""
    """The URL that the document was just fetched from: what lies in its folder may be fetched too."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """HTTP headers for that folder."""
    allowed: tuple[str, ...] = ()
    """URL prefixes that may be fetched besides."""
    timeout: float = 30.0
    """Seconds for all fetching together."""


def bundle(root: dict[str, Any], reach: Reach) -> tuple[dict[str, Any], list[Finding]]:
    """The tree with every loaded file in it and its references turned inward.

    References that are refused or broken stay as they are and are named in the findings.
    """
    return _Bundle(root, reach).run()


class _Bundle:
    def __init__(self, root: dict[str, Any], reach: Reach) -> None:
        self._root = root
        self._reach = reach
        self._widest = (reach.widest or reach.folder or Path()).resolve()
        self._self = string(root.get("$self")).split("#", 1)[0]
        self._files: dict[str, Any] = {}
        self._waiting: list[tuple[str, Any]] = []
        self._refused: dict[str, str] = {}
        self._deadline = time.monotonic() + reach.timeout
        self._fetched = 0
        self.findings: list[Finding] = []

    def run(self) -> tuple[dict[str, Any], list[Finding]]:
        root = self._turned(self._root, "", "")
        while self._waiting:
            key, tree = self._waiting.pop()
            self._files[key] = self._turned(tree, key, pointer(FILES, key))
        if self._files:
            root = {**root, FILES: self._files}
        return root, self.findings

    def _turned(self, tree: Any, home: str, prefix: str) -> Any:
        """A copy of a tree whose references lead into the bundle; `home` is the file that it came from."""
        if isinstance(tree, dict):
            source = cast("dict[str, Any]", tree)
            out = {
                key: value
                if key in _DATA and not _in_map(prefix)
                else self._turned(value, home, f"{prefix}/{escape(key)}")
                for key, value in source.items()
            }
            ref = source.get("$ref")
            if isinstance(ref, str):
                out["$ref"] = self._inward(ref, home, prefix)
            return out
        if isinstance(tree, list):
            entries = cast("list[Any]", tree)
            return [self._turned(value, home, f"{prefix}/{index}") for index, value in enumerate(entries)]
        return tree

    def _inward(self, ref: str, home: str, where: str) -> str:
        target, _, fragment = ref.partition("#")
        if target and self._self and not home and urljoin(self._self, target) == self._self:
            return f"#{fragment}"
        if target in self._ids:
            return ref
        if not target:
            return ref if not home else f"#{pointer(FILES, home)}{fragment if fragment.startswith('/') else ''}"
        key = _joined(home, target)
        if key in self._refused:
            return ref
        if key not in self._files:
            try:
                tree = self._load(key)
            except DocumentError as fault:
                self._refused[key] = str(fault)
                fix = "Put it into the document, or allow its URL with remote_refs=[...]."
                self.findings.append(
                    Finding("SCH001", "error", where, f"The reference {ref} was not loaded: {fault}", fix)
                )
                return ref
            self._files[key] = tree
            self._waiting.append((key, tree))
        return f"#{pointer(FILES, key)}{fragment if fragment.startswith('/') else ''}"

    @cached_property
    def _ids(self) -> frozenset[str]:
        """The `$id`s of the document's schemas: a reference to one of them does not lead out."""
        return frozenset(ids_of(self._root))

    def _load(self, key: str) -> Any:
        if len(self._files) >= _MAX_FILES:
            raise DocumentError(f"the document refers to more than {_MAX_FILES} files.")
        if urlsplit(key).scheme or key.startswith("//"):
            return self._remote(key)
        reach = self._reach
        if reach.folder is None:
            return self._remote(urljoin(reach.base, key)) if reach.base else self._no_folder(key)
        path = (reach.folder / unquote(key)).resolve()
        if not path.is_relative_to(self._widest):
            raise DocumentError(f"it leads out of {self._widest}; widen it with folder=... if the file is yours.")
        try:
            if path.stat().st_size > MAX_BYTES:
                raise DocumentError(f"{path.name} is too large.")
            return parse(path.read_text("utf-8-sig")).tree
        except (OSError, UnicodeDecodeError) as fault:
            raise DocumentError(f"{path.name} cannot be read: {fault}.") from fault

    def _no_folder(self, key: str) -> Any:
        raise DocumentError(f"{key} is relative, and the document was not loaded from a file.")

    def _remote(self, key: str) -> Any:
        reach = self._reach
        beside = bool(reach.fetched) and _covers(urljoin(reach.fetched, "."), key)
        if not beside and not any(_covers(prefix, key) for prefix in reach.allowed):
            raise DocumentError("fetching it is not allowed.")
        from bitte_nb.spec.fetch import fetch

        left = self._deadline - time.monotonic()
        if left <= 0 or self._fetched >= MAX_BYTES:
            raise DocumentError("the document's other files take too long or are too large.")
        headers = reach.headers if beside else dict[str, str]()
        content, _ = fetch(key, headers=headers, timeout=left, limit=MAX_BYTES - self._fetched, stay=True)
        self._fetched += len(content)
        return parse(content.decode("utf-8-sig", "replace")).tree


def _joined(home: str, target: str) -> str:
    """A reference's file, seen from the file that it stands in; paths stay relative to the document's folder."""
    if urlsplit(home).netloc or urlsplit(target).netloc or urlsplit(target).scheme or target.startswith("/"):
        return urljoin(home, target)
    return posixpath.normpath(posixpath.join(posixpath.dirname(home), target))


def _covers(prefix: str, url: str) -> bool:
    """True if a URL lies under an allowed prefix, at the same origin and not by climbing out again."""
    one, other = urlsplit(prefix), urlsplit(url)
    same = (one.scheme, one.netloc) == (other.scheme, other.netloc) and other.scheme in ("http", "https")
    return same and other.path.startswith(one.path) and ".." not in unquote(other.path)


def _in_map(prefix: str) -> bool:
    """True inside a map of named things, where `example` or `default` is a name and not a keyword."""
    return prefix.rsplit("/", 1)[-1] in ("properties", "schemas", "responses", "parameters", "definitions", "examples")
