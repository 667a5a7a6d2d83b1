"""A chat as one text to keep or share: everything, the messages, or a page to read; what looks like a key is masked."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Literal

from bitte_nb.core.fold import fold
from bitte_nb.core.log import SCHEMA, ChatOpened, Entry, TurnStarted
from bitte_nb.core.messages import core_messages
from bitte_nb.errors import HistoryError
from bitte_nb.history import record
from bitte_nb.history.core_messages import to_core_messages
from bitte_nb.history.gaps import bridged, unread
from bitte_nb.history.jsonl import chat_lines, file_line
from bitte_nb.history.reading import Drawings, to_html, to_markdown
from bitte_nb.history.store import ChatInfo, Loaded, Store
from bitte_nb.history.summary import Summary, agent_of, summarise

__all__ = ["FORMATS", "Format", "as_loaded", "attached_files", "export", "form_of", "masked"]

Format = Literal["json", "jsonl", "core", "markdown", "html"]
FORMATS: dict[Format, str] = {
    "json": "everything, as one JSON object",
    "jsonl": "everything, one entry per line; can be imported and kept in git",
    "core": "a CoreMessage array, for other programs",
    "markdown": "to read",
    "html": "to read in a browser, without scripts or requests",
}
"""What each format is for."""
_ENDINGS: dict[str, Format] = {
    ".core.json": "core",
    ".jsonl": "jsonl",
    ".json": "json",
    ".md": "markdown",
    ".html": "html",
}
MASK = "•••"

_SECRETS = re.compile(
    r"""
      (?<![A-Za-z0-9])(?: sk- | sk_live_ | rk_live_ )(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}
    | (?<![A-Za-z0-9])(?: gh[pousr]_ | github_pat_ | glpat- | xox[abprs]- | hf_ )[A-Za-z0-9_-]{16,}
    | (?<![A-Za-z0-9])(?: AKIA | ASIA )[A-Z0-9]{16}(?![A-Za-z0-9])
    | (?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{30,}
    | (?<=ed25519:)[1-9A-HJ-NP-Za-km-z]{80,90}(?![1-9A-HJ-NP-Za-km-z])     # a NEAR secret key; public ones have 44
    | (?<=secp256k1:)[1-9A-HJ-NP-Za-km-z]{43,45}(?![1-9A-HJ-NP-Za-km-z])   # likewise; public ones have 88
    | (?i:(?<=bearer\ ))(?=[A-Za-z._~+/-]*\d)[A-Za-z0-9._~+/-]{12,}=*
    | (?<=://)[^/\s:@"\\]*:[^/\s:@"\\]+(?=@)                                 # name and password of a URL
    | -----BEGIN\ [A-Z\ ]*PRIVATE\ KEY-----[^"]*?-----END\ [A-Z\ ]*PRIVATE\ KEY-----
    """,
    re.VERBOSE,
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }}
blockquote {{ margin: 1rem 0; padding-left: 1rem; border-left: 3px solid; }}
img {{ max-width: 100%; }}
td, th {{ padding: 0 1rem 0 0; text-align: left; }}
pre {{ overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def export(
    chat: Loaded, form: Format, files: Mapping[str, bytes] | None = None, drawings: Drawings | None = None
) -> str:
    """The chat in a format of `FORMATS`; what looks like a key or password is replaced by `•••`.

    Args:
        chat: The chat.
        form: The format.
        files: The bytes of attached files by SHA-256, for the formats that keep everything; they stay as they are.
        drawings: What an author's renderers show in place of results, for the formats to read.
    """
    files = files or {}
    match form:
        case "json":
            return _with_files(
                masked(record.storable(json.dumps(_everything(chat), ensure_ascii=False, indent=1))), files
            )
        case "jsonl":
            text = "".join(chat_lines(chat.info, chat.entries))
            return masked(record.storable(text)) + "".join(f"{file_line(*file)}\n" for file in files.items())
        case "core":
            messages = to_core_messages(fold(bridged(chat)))
            text = json.dumps(
                core_messages.dump_python(messages, mode="json", exclude_none=True), ensure_ascii=False, indent=1
            )
        case "markdown":
            state = fold(bridged(chat))
            text = "".join(f"> {line}\n\n" for line in _gaps(chat)) + to_markdown(state, drawings)
        case "html":
            state = fold(bridged(chat))
            notes = "".join(f"<p><strong>{escape(line)}</strong></p>\n" for line in _gaps(chat))
            text = _PAGE.format(title=escape(chat.info.title or chat.info.chat), body=notes + to_html(state, drawings))
    return masked(record.storable(text))


def _with_files(text: str, files: Mapping[str, bytes]) -> str:
    """The JSON object with the files as its last member."""
    if not files:
        return text
    encoded = {digest: base64.b64encode(data).decode() for digest, data in files.items()}
    return f'{text[:-1].rstrip()},\n "files": {json.dumps(encoded, indent=1)}\n}}'


def attached_files(chat: Loaded, store: Store) -> dict[str, bytes]:
    """The bytes of all files that were attached in the chat, by SHA-256; those that are lost are left out."""
    digests = {file.digest for one in chat.entries if isinstance(one, TurnStarted) for file in one.files}
    found = {digest: store.file(chat.info.chat, digest) for digest in sorted(digests)}
    return {digest: data for digest, data in found.items() if data is not None}


def form_of(path: Path) -> Format:
    """The format that a file's name asks for.

    Raises:
        HistoryError: its ending is none of `.core.json`, `.jsonl`, `.json`, `.md` and `.html`.
    """
    form: Format | None = next((form for ending, form in _ENDINGS.items() if path.name.endswith(ending)), None)
    if form is None:
        raise HistoryError(f"{path.name!r} ends in none of {', '.join(_ENDINGS)}, so its format is not known.")
    return form


def masked(text: str) -> str:
    """The text with everything that looks like a key or password replaced."""
    return _SECRETS.sub(MASK, text)


def as_loaded(entries: Sequence[Entry]) -> Loaded:
    """Entries that no store has, as if they had been loaded."""
    opened = next((one for one in entries if isinstance(one, ChatOpened)), None)
    first = entries[0].at if entries else 0
    summary = summarise(Summary(title="", updated=first), entries)
    info = ChatInfo(
        chat=opened.chat if opened else "",
        title=summary.title,
        created=first,
        updated=summary.updated,
        turns=summary.turns,
        pending=summary.pending,
        agent=agent_of(entries),
    )
    return Loaded(info=info, entries=list(entries), head=len(entries))


def _everything(chat: Loaded) -> dict[str, object]:
    return {
        "bitte_nb": SCHEMA,
        "chat": chat.info.chat,
        "title": chat.info.title,
        "created": chat.info.created,
        "updated": chat.info.updated,
        "entries": [json.loads(record.dump(one)) for one in chat.entries],
        "gaps": [{"seq": gap.seq, "kind": gap.kind, "reason": gap.reason} for gap in chat.gaps],
    }


def _gaps(chat: Loaded) -> list[str]:
    return [unread(chat)] if chat.gaps else []
