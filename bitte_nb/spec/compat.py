"""The two wires of the Bitte executors, faults included, for agents that rely on them. Named, never the default.

`bitte-chat` is the executor in the chat package, `bitte-registry` the one of the agent registry. Both ignore where
parameters are declared. What this module does not reproduce: requests that leave the server or forge headers, redirects
that are followed, answers without a limit, calls that stay open for ever, and the last of several operations of one id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import quote, quote_plus

from bitte_nb.core.result import ToolData, ToolError, ToolResult
from bitte_nb.errors import OperationError, RequestRefused
from bitte_nb.spec.content import Unreadable, read_json
from bitte_nb.spec.guard import HALF_PAIR, check_arguments, check_header, check_path_value, origin_of
from bitte_nb.spec.servers import check_base
from bitte_nb.spec.style import compact, scalar
from bitte_nb.spec.tree import mapping, plain, sequence

if TYPE_CHECKING:
    from bitte_nb.spec.operation import Operation
    from bitte_nb.spec.shown_request import ShownRequest

__all__ = ["Wire", "base_url", "build_compatible", "read_compatible"]

Wire = Literal["openapi", "bitte-chat", "bitte-registry"]


_PLACEHOLDER = re.compile(r"\{(\w+)\}", re.ASCII)
_BODILESS = ("GET", "HEAD")


def build_compatible(
    operation: Operation, args: Mapping[str, Any], headers: Mapping[str, str], wire: Wire
) -> ShownRequest:
    """The request as an executor of Bitte would send it: arguments unchecked, all of them in query or body.

    Raises RequestRefused where that executor fails, and where the request would not be safe.
    """
    check_arguments(args)
    for name in args:
        if ("query", name) in operation.document.secret_parameters:
            raise RequestRefused(f"The argument {name} carries a credential, which no argument can set.")
    try:
        return _built(operation, args, headers, wire)
    except UnicodeEncodeError as fault:
        raise RequestRefused(HALF_PAIR) from fault


def _built(operation: Operation, args: Mapping[str, Any], headers: Mapping[str, str], wire: Wire) -> ShownRequest:
    from bitte_nb.spec.shown_request import finished

    base = base_url(operation.document.root, wire)
    rest = dict(args)

    def fill(found: re.Match[str]) -> str:
        name = found[1]
        if name not in rest:
            raise RequestRefused(f"Missing required path parameter: {name}")
        text = _text(rest.pop(name))
        check_path_value(name, text)
        return quote(text, safe="!'()*-._~")

    url = _PLACEHOLDER.sub(fill, base + operation.path.split("#", 1)[0])
    pairs = [(name, _text(value)) for name, value in rest.items() if value is not None]
    if pairs and (operation.method == "GET" or wire == "bitte-registry"):
        query = "&".join(f"{quote_plus(name, safe='*')}={quote_plus(text, safe='*')}" for name, text in pairs)
        url += f"{'&' if '?' in url else '?'}{query}"
    content: bytes | None = None
    if operation.method not in _BODILESS:
        content = compact(rest).encode()
    elif operation.method == "HEAD" and wire == "bitte-chat":
        raise RequestRefused("Request with GET/HEAD method cannot have body.")
    sent = {"Content-Type": "application/json", "Accept": "*/*", "Accept-Encoding": "gzip, deflate"}
    sent |= {name: check_header(name, value) for name, value in headers.items()}
    sent |= {"User-Agent": "bitte_nb"}
    return finished(operation.method, url, base.rstrip("/"), list(sent.items()), content)


def read_compatible(status: int, reason: str, media: str, body: bytes, wire: Wire) -> ToolResult:
    """The result as an executor of Bitte would give it: error bodies dropped, other content than JSON and text `{}`.

    `bitte-chat` wraps what it read as `{"data": {"result": ...}}`, `bitte-registry` gives it as `{"data": ...}`.
    """
    if not 200 <= status < 300:
        what = "tool execution" if wire == "bitte-chat" else "plugin tool execution"
        return ToolError(error=f"HTTP error during {what}: {status} {reason}")
    found: Any = {}
    if "application/json" in media:
        try:
            found = read_json(body.decode("utf-8-sig", "replace"))
        except Unreadable as fault:
            return ToolError(error=str(fault))
    elif "text" in media:
        found = body.decode("utf-8", "replace")
    return ToolData(data={"result": found} if wire == "bitte-chat" else found)


def base_url(root: Mapping[str, Any], wire: Wire) -> str:
    """The first server of the document, verbatim: no variables, no path or operation servers, no relative URLs.

    Raises OperationError where it is not an absolute http or https URL.
    """
    servers = [plain(mapping(server).get("url")) for server in sequence(root.get("servers"))]
    base = servers[0] if servers else ""
    if wire == "bitte-registry" and base:
        base = "https://" + base.removeprefix("https://")
    if not origin_of(base):
        raise OperationError("The document's first server is not an absolute URL, which this wire needs.")
    check_base(base)
    return base


def _text(value: object) -> str:
    """`String(value)` of JavaScript."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "[object Object]"
    if isinstance(value, list):
        return ",".join("" if entry is None else _text(entry) for entry in cast("list[Any]", value))
    return json.dumps(value) if isinstance(value, bool) else scalar(value)
