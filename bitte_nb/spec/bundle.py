"""Documents of several files as one tree: relative references inside the document's folder, others only if allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urljoin, urlsplit

from bitte_nb.errors import DocumentError
from bitte_nb.spec.finding import Finding
from bitte_nb.spec.read import MAX_BYTES, parse
from bitte_nb.spec.tree import escape, pointer

__all__ = ["FILES", "bundle"]

FILES = "x-bundled-files"
"""The root member under which other files of the document are kept."""
_MAX_FILES = 500
_DATA = frozenset({"example", "examples", "default", "enum", "const", "x-ms-examples"})


def bundle(
    root: dict[str, Any],
    *,
    folder: Path | None,
    reach: Path | None,
    allowed: tuple[str, ...],
    base: str,
    timeout: float,
) -> tuple[dict[str, Any], list[Finding]]:
    """The tree with every loaded file in it and its references turned inward.

    `folder` is the folder of the document (None: it has none, and file references are refused); `reach` the folder that
    references may not leave, by default the same; `allowed` are URL prefixes that may be fetched. References that are
    refused or broken stay as they are and are named in the findings.
    """
    return _Bundle(root, folder, reach, allowed, base, timeout).run()


class _Bundle:
    def __init__(
        self,
        root: dict[str, Any],
        folder: Path | None,
        reach: Path | None,
        allowed: tuple[str, ...],
        base: str,
        timeout: float,
    ) -> None:
        self._root = root
        self._folder = folder
        self._reach = (reach or folder or Path()).resolve()
        self._allowed = allowed
        self._base = base
        self._timeout = timeout
        self._files: dict[str, Any] = {}
        self._waiting: list[tuple[str, Any]] = []
        self._refused: dict[str, str] = {}
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
        if not target:
            return ref if not home else f"#{pointer(FILES, home)}{fragment if fragment.startswith('/') else ''}"
        key = urljoin(home, target)
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

    def _load(self, key: str) -> Any:
        if len(self._files) >= _MAX_FILES:
            raise DocumentError(f"the document refers to more than {_MAX_FILES} files.")
        if urlsplit(key).scheme or key.startswith("//"):
            return self._remote(key)
        if self._folder is None:
            return self._remote(urljoin(self._base, key)) if self._base else self._no_folder(key)
        path = (self._folder / unquote(key)).resolve()
        if not path.is_relative_to(self._reach):
            raise DocumentError(f"it leads out of {self._reach}; widen it with folder=... if the file is yours.")
        try:
            if path.stat().st_size > MAX_BYTES:
                raise DocumentError(f"{path.name} is too large.")
            return parse(path.read_text("utf-8-sig")).tree
        except (OSError, UnicodeDecodeError) as fault:
            raise DocumentError(f"{path.name} cannot be read: {fault}.") from fault

    def _no_folder(self, key: str) -> Any:
        raise DocumentError(f"{key} is relative, and the document was not loaded from a file.")

    def _remote(self, key: str) -> Any:
        if not any(_covers(prefix, key) for prefix in self._allowed):
            raise DocumentError("fetching it is not allowed.")
        from bitte_nb.spec.fetch import fetch

        content, _ = fetch(key, headers={}, timeout=self._timeout, limit=MAX_BYTES)
        return parse(content.decode("utf-8-sig", "replace")).tree


def _covers(prefix: str, url: str) -> bool:
    """True if a URL lies under an allowed prefix, at the same origin and not by climbing out again."""
    one, other = urlsplit(prefix), urlsplit(url)
    same = (one.scheme, one.netloc) == (other.scheme, other.netloc) and other.scheme in ("http", "https")
    return same and other.path.startswith(one.path) and ".." not in unquote(other.path)


def _in_map(prefix: str) -> bool:
    """True inside a map of named things, where `example` or `default` is a name and not a keyword."""
    return prefix.rsplit("/", 1)[-1] in ("properties", "schemas", "responses", "parameters", "definitions", "examples")
