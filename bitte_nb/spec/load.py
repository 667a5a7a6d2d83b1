"""Documents from anywhere: URL, path, text, bytes, dict or file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast
from weakref import WeakValueDictionary

from bitte_nb.core.nearest import nearest
from bitte_nb.errors import DocumentError
from bitte_nb.spec.document import Document
from bitte_nb.spec.finding import Finding, written_twice
from bitte_nb.spec.guard import origin_of
from bitte_nb.spec.read import MAX_BYTES, Parsed, parse
from bitte_nb.spec.servers import check_variables
from bitte_nb.spec.tree import is_map, plain

if TYPE_CHECKING:
    from bitte_nb.spec.compat import Wire

__all__ = ["Readable", "load_document"]

_PATHLIKE = 4096
_SCHEMES = ("http", "https", "file")


class Readable(Protocol):
    """An open file."""

    def read(self) -> str | bytes:
        """All of its content."""
        ...


@dataclass(frozen=True, slots=True)
class _Raw:
    """What a source gave."""

    text: str
    source: str = ""
    url: str = ""
    folder: Path | None = None


def load_document(
    source: str | bytes | Path | Mapping[str, Any] | Readable,
    *,
    url: str | None = None,
    variables: Mapping[str, str] | None = None,
    trust: Iterable[str] = (),
    wire: Wire = "openapi",
    remote_refs: Iterable[str] = (),
    folder: Path | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float = 30.0,
) -> Document:
    """Load an OpenAPI 3.x or Swagger 2.0 document, JSON or YAML.

    One bad operation never spoils the rest: it is kept out and named in `Document.findings`.

    Args:
        source: A URL, a path, the text itself, its bytes, a parsed dict or an open file.
        url: The URL that the document counts as coming from: relative servers resolve against it.
        variables: Values of server variables, by name, in place of their defaults.
        trust: Origins to which requests may go although they are private and the document came from a URL.
        wire: `bitte-chat` or `bitte-registry` builds requests as those executors do, faults included.
        remote_refs: URL prefixes from which `$ref`s to other documents may be fetched; by default only the folder of
            the URL that the document is fetched from.
        folder: The folder that `$ref`s to files may not leave, by default the document's own.
        headers: HTTP headers for fetching a URL.
        timeout: Seconds for fetching a URL.

    Raises:
        DocumentError: It cannot be found, read or parsed, or it is not an OpenAPI document at all; or none of its
            servers has one of the `variables`.
    """
    if wire not in ("openapi", "bitte-chat", "bitte-registry"):
        raise ValueError(f"{wire!r} is not a wire: use 'openapi', 'bitte-chat' or 'bitte-registry'.")
    raw = _read(source, headers or {}, timeout)
    try:
        parsed = _parsed(raw.text)
    except DocumentError as fault:
        raise DocumentError(f"{raw.source}: {fault}" if raw.source else str(fault)) from fault
    tree: Any = parsed.tree
    text = raw.text
    if not is_map(tree):
        what = _kind(tree)
        raise DocumentError(f"{raw.source or 'The source'} is not an OpenAPI document: it is {what}, not an object.")
    openapi = _version(tree, raw.source)
    base = url if url is not None else raw.url
    findings = list(_notes(parsed, openapi))
    if _leads_out(raw.text):
        from bitte_nb.spec.bundle import FILES, Reach, bundle

        reach = Reach(
            folder=raw.folder,
            widest=folder,
            base=base,
            fetched=raw.url,
            headers=headers or {},
            allowed=tuple(remote_refs),
            timeout=timeout,
        )
        tree, found = bundle(tree, reach)
        findings += found
        if FILES in tree:
            # What is kept of it must load again without the other files, and its digest must cover them.
            text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"), default=str)
    if openapi.startswith("2"):
        from bitte_nb.spec.upgrade import upgrade

        tree, found = upgrade(tree, base)
        findings += found
    check_variables(tree, variables or {})
    return Document(
        root=tree,
        text=text,
        written=raw.text,
        source=raw.source,
        url=base,
        openapi=openapi,
        findings=tuple(findings),
        variables=variables,
        trust=tuple(trust),
        wire=wire,
        parsed=parsed,
    )


_KNOWN: WeakValueDictionary[str, Parsed] = WeakValueDictionary()
"""Parsed texts by SHA-256, kept as long as some document holds them.

In memory only: JSON is parsed at the decoder's own speed, and YAML of a megabyte takes a sixth of a CPU second. A cache
on disk would save that once per process, and would be one more file whose content has to be believed.
"""


def _parsed(text: str) -> Parsed:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    parsed = _KNOWN.get(digest)
    if parsed is None:
        parsed = _KNOWN[digest] = parse(text)
    return parsed


def _kind(value: object) -> str:
    if value is None:
        return "empty"
    if isinstance(value, list):
        return "a list"
    return "plain text" if isinstance(value, str) else "a plain value"


def _version(tree: dict[str, Any], source: str) -> str:
    version = plain(tree.get("openapi")) or plain(tree.get("swagger"))
    if not version and isinstance(tree.get("paths"), dict):
        return "3.0.0"
    if not version:
        name = source or "The source"
        raise DocumentError(f"{name} is not an OpenAPI document: it has neither `openapi` nor `swagger` nor `paths`.")
    if version[0] not in "23":
        raise DocumentError(
            f"{source or 'The document'} declares OpenAPI {version}; versions 2.0 and 3.x can be loaded."
        )
    return version


def _notes(parsed: Parsed, openapi: str) -> Iterable[Finding]:
    for key, line in parsed.duplicates:
        yield written_twice(key, line)
    for sentence, fix, line in parsed.notes:
        yield Finding("DOC001", "warning", "", sentence, fix, line)
    for tag, line in parsed.tags:
        yield Finding(
            "DOC001", "warning", "", f"The YAML tag {tag} is not read; its value is plain text.", "Remove it.", line
        )
    if not openapi.startswith(("2.0", "3.0", "3.1", "3.2")):
        yield Finding(
            "VER001", "warning", "/openapi", f"The version {openapi} is not known; it is read like 3.1.", "Write 3.1.0."
        )


def _leads_out(text: str) -> bool:
    """True if some reference may lead out of the document; decided on the text, as a walk costs more than parsing."""
    import re

    return re.search(r"""\$ref["']?\s*:\s*["']?(?![#"'\s{\[])[^\s]""", text) is not None


def _read(source: object, headers: Mapping[str, str], timeout: float) -> _Raw:
    if isinstance(source, Mapping):
        tree = dict(cast("Mapping[str, Any]", source))
        try:
            text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"), default=_date)
        except (TypeError, ValueError, RecursionError) as fault:
            raise DocumentError(f"The dict cannot be an OpenAPI document: {fault}.") from fault
        # Through text and back, so that the document is the same when it is loaded again and shares nothing.
        return _Raw(text)
    if isinstance(source, bytes | bytearray):
        return _Raw(_decode(bytes(source), "The source"))
    if isinstance(source, Path):
        return _file(source)
    if isinstance(source, str):
        return _string(source, headers, timeout)
    read = getattr(source, "read", None)
    if callable(read):
        content = read()
        name = getattr(source, "name", "")
        if isinstance(content, bytes | bytearray):
            content = _decode(bytes(content), "The file")
        if isinstance(content, str):
            path = Path(name) if isinstance(name, str) and name else None
            return _Raw(
                content, source=str(path or ""), folder=path.resolve().parent if path and path.is_file() else None
            )
    raise DocumentError(
        f"A document is loaded from a URL, path, text, bytes, dict or file, not from {type(source).__name__}."
    )


def _date(value: object) -> str:
    """A date as its author wrote it: readers of YAML 1.1 make dates of text."""
    if isinstance(value, date | datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no part of one")


def _string(source: str, headers: Mapping[str, str], timeout: float) -> _Raw:
    text = source.strip()
    if text.lower().startswith(("http://", "https://")) and not any(mark in text for mark in "\n {"):
        return _fetch(text, headers, timeout)
    if text.lower().startswith("file://"):
        from urllib.parse import unquote, urlsplit

        return _file(Path(unquote(urlsplit(text).path)))
    if "\n" in source or text.startswith(("{", "[")) or len(source) > _PATHLIKE:
        return _Raw(source)
    scheme = text.partition("://")[0].lower()
    if "://" in text and scheme.isalnum() and scheme not in _SCHEMES:
        raise DocumentError(f"{text!r} cannot be read: there is no scheme {scheme}://. Write http, https or a path.")
    try:
        path = Path(source).expanduser()
    except (RuntimeError, ValueError):
        path = Path(source)
    try:
        known = path.is_file()
    except (OSError, ValueError):
        known = False
    if known or not (": " in source or source.endswith(":")):
        return _file(path)
    return _Raw(source)


def _file(path: Path) -> _Raw:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DocumentError(f"{path} is larger than {MAX_BYTES:,} bytes.")
        content = path.read_bytes()
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or fault
        beside = _beside(path) if isinstance(fault, FileNotFoundError) else ""
        raise DocumentError(f"{str(path)!r} cannot be read: {why}.{beside}") from fault
    return _Raw(_decode(content, str(path)), source=str(path), folder=path.resolve().parent)


def _beside(path: Path) -> str:
    """What to say of the folder of a file that is not there."""
    folder = path.parent.absolute()
    try:
        names = sorted(one.name for one in islice(folder.iterdir(), 2000))
    except OSError:
        return f" There is no folder {str(folder)!r}."
    near = nearest(path.name, names)
    return f" The folder is {str(folder)!r}" + (f"; did you mean {near!r}?" if near else ".")


def _decode(content: bytes, name: str) -> str:
    if len(content) > MAX_BYTES:
        raise DocumentError(f"{name} is larger than {MAX_BYTES:,} bytes.")
    encoding = "utf-8-sig"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as fault:
        raise DocumentError(f"{name} is not UTF-8 text (byte {fault.start}).") from fault


def _fetch(url: str, headers: Mapping[str, str], timeout: float) -> _Raw:
    """Fetch a URL that the person named. Redirects are followed three times, without headers to another origin."""
    from bitte_nb.spec.fetch import fetch

    content, final = fetch(url, headers=headers, timeout=timeout, limit=MAX_BYTES)
    return _Raw(_decode(content, url), source=url, url=final if origin_of(final) else url)
