"""A request as a command for a shell, to send it by hand; credentials are variables of that shell."""

from __future__ import annotations

import base64
import re
import shlex
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    import httpx

    from bitte_nb.spec.credentials import Dispatch

__all__ = ["curl"]

_LEFT_OUT = frozenset({"content-length", "cookie", "host"})
"""Headers that curl writes itself, or that have an option of their own."""


def curl(request: httpx.Request, dispatch: Dispatch | None) -> str:
    """The command for bash; `$KEY` stands for the credential of a scheme called `key`.

    A body that is no text comes through a pipe, from base64.
    """
    wanted = dispatch.wanted(str(request.url)) if dispatch is not None else ()
    url, cookie = _quoted(str(request.url)), _quoted(request.headers.get("cookie", ""))
    options = {"GET": [], "HEAD": ["--head"]}.get(request.method, [f"-X {_quoted(request.method)}"])
    headers = [(name, value) for name, value in request.headers.multi_items() if name not in _LEFT_OUT]
    options += [
        "-H " + _quoted(f"{name}: {value}") if value else "-H " + _quoted(f"{name};") for name, value in headers
    ]
    for one in wanted:
        value = f'"${_variable(one.scheme)}"'
        place = one.place
        if place.location == "query":
            mark = "&" if "?" in url else "?"
            url += _quoted(f"{mark}{quote(place.name, safe='')}=") + value
        elif place.location == "cookie":
            cookie += _quoted(f"{'; ' if cookie != _quoted('') else ''}{place.name}=") + value
        else:
            options.append(f"-u {value}" if place.pair else "-H " + _quoted(f"{place.name}: {place.prefix}") + value)
    if cookie != _quoted(""):
        options.append(f"-b {cookie}")
    before = ""
    if body := request.content:
        text = _text(body)
        before = "" if text is not None else f"base64 -d <<< {base64.b64encode(body).decode()} | "
        options.append("--data-binary @-" if text is None else f"--data-raw {_quoted(text)}")
        options += [] if "content-type" in request.headers else ["-H 'content-type:'"]
    if "accept-encoding" in request.headers:
        options.append("--compressed")
    # Brackets of an address of IPv6 are no pattern.
    options += ["--globoff"] if re.search(r"[\[\]{}]", str(request.url)) else []
    return " \\\n  ".join([f"{before}curl {url}", *options])


def _text(body: bytes) -> str | None:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _variable(scheme: str) -> str:
    name = re.sub(r"[^A-Z0-9]+", "_", scheme.upper()).strip("_") or "SECRET"
    return f"_{name}" if name[0].isdigit() else name


def _quoted(text: str) -> str:
    """A word of the shell; what cannot be seen is escaped, so that pasting it runs nothing else."""
    if all(mark.isprintable() or mark in "\n\t" for mark in text):
        return shlex.quote(text)
    return "$'" + "".join(map(_escaped, text)) + "'"


def _escaped(mark: str) -> str:
    if mark in "\\'":
        return f"\\{mark}"
    return mark if mark.isprintable() or mark == "\n" else f"\\U{ord(mark):08x}"
