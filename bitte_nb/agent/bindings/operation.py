"""An operation of the document as a tool: one HTTP request, shown as it would leave, sent only as it was shown."""

from __future__ import annotations

import base64
import copy
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bitte_nb.agent.bindings.binding import Outcome, Ready
from bitte_nb.core.digest import digest
from bitte_nb.core.invocation import Executor, Invocation
from bitte_nb.core.invocation_events import Prepared, Undo
from bitte_nb.core.result import ToolData
from bitte_nb.core.tool import Tool
from bitte_nb.errors import DecisionRefused
from bitte_nb.spec.profiles import adapt

if TYPE_CHECKING:
    import httpx

    from bitte_nb.core.wallet import Wallet
    from bitte_nb.spec.files import File, Find
    from bitte_nb.spec.operation import Operation

__all__ = ["OperationBinding"]

_FORMAT = "bitte_nb/request/1"
_HIDDEN = "•••"
_FRESH = "(one for this approval, made when it is sent)"
_PLUMBING = frozenset({"host", "connection", "accept-encoding", "user-agent", "content-length", "accept"})
_NOT_DONE = frozenset({500, 501, 503})
"""Server errors by which a server says that it did not do what was asked."""
_SHOWN_BODY = 200_000
"""Characters of a body that a card keeps; the digest always covers the whole."""


class OperationBinding:
    """See the module."""

    executor: Executor = "http"
    responds = False

    def __init__(self, operation: Operation, *, wallet: Wallet, document: str, agent: str) -> None:
        self.operation = operation
        self._wallet = wallet
        self._document = document
        # One refused property name fails a provider's whole list of tools, so the model is offered the aliases.
        self.tool: Tool = adapt(operation.tool, "anthropic", operation.id).model_copy(update={"agent": agent})
        self.safe = operation.safe
        self.idempotent = operation.idempotent
        self._find: Find | None = None

    def with_files(self, find: Find) -> OperationBinding:
        """The same operation, whose arguments may refer to the files that `find` finds."""
        bound = copy.copy(self)
        bound._find = find
        return bound

    def _request(self, args: dict[str, Any], find: Find | None, idempotency_key: str | None = None) -> httpx.Request:
        if find is not None:
            from bitte_nb.spec.files import with_files

            args = with_files(self.operation, args, find)
        return self.operation.request(args, wallet=self._wallet, idempotency_key=idempotency_key)

    def _shown_body(self, args: dict[str, Any], request: httpx.Request) -> str:
        """The body as a card shows it: the name, type, size and SHA-256 of each attached file in place of its bytes."""
        find, marks = self._find, list[str]()
        if find is None:
            return _body(request)
        from bitte_nb.spec.files import File

        def marked(text: str) -> File | None:
            file = find(text)
            if file is None:
                return None
            digest = hashlib.sha256(file.content).hexdigest()
            marks.append(f"[{file.name}, {file.media}, {len(file.content):,} bytes, SHA-256 {digest}]")
            return File(file.name, file.media, marks[-1].encode())

        described = self._request(args, marked)
        if not marks:
            return _body(request)
        body = _body(described).replace(_boundary(described), _boundary(request))
        for mark in marks:
            body = body.replace(base64.b64encode(mark.encode()).decode(), mark)
        return body

    @property
    def origin(self) -> str:
        """The server's. Raises OperationError where the document names none."""
        return self.operation.origin

    def prepare(self, args: dict[str, Any]) -> Ready:
        """Check the arguments and build the request; nothing is sent.

        Raises:
            RequestRefused: an argument is missing, wrong or unsafe.
            OperationError: the document names no server.
        """
        checked = self.operation.arguments(args)
        request = self._request(checked, self._find)
        schemes = self.operation.credential_schemes
        prepared = Prepared(
            digest=self._digest(request, schemes),
            method=request.method,
            url=str(request.url),
            headers={
                **_headers(request),
                **({} if self.safe else {"Idempotency-Key": _FRESH}),
                **{f"credential {name}": _HIDDEN for name in schemes},
            },
            body=self._shown_body(checked, request),
        )
        return Ready(
            args=checked,
            prepared=prepared,
            run=lambda key: self._run(checked, key),
        )

    def _digest(self, request: httpx.Request, schemes: tuple[str, ...]) -> str:
        return digest(
            [
                _FORMAT,
                self.operation.origin,
                self.operation.id,
                request.method,
                self.operation.path,
                request.url.raw_path.decode("ascii"),
                sorted((name.lower(), value) for name, value in request.headers.items()),
                hashlib.sha256(request.content).hexdigest(),
                self._document,
                self._wallet.context(),
                schemes,
            ]
        )

    async def _run(self, args: dict[str, Any], idempotency_key: str) -> Outcome:
        from bitte_nb.spec.response import perform

        request = self._request(args, self._find, idempotency_key)
        outcome = await perform(request)
        status = outcome.status
        if isinstance(outcome.result, ToolData):
            undo = self._undo(args, outcome.result.data)
            return Outcome(kind="result", data=outcome.result.data, undo=undo, status=status)
        # It left, and no answer says that it had no effect: a refusal would.
        refused = status is not None and (400 <= status < 500 or status in _NOT_DONE)
        if not self.safe and outcome.sent != "no" and not refused:
            return Outcome(kind="unknown", error=outcome.result.error, status=status)
        return Outcome(kind="error", error=outcome.result.error, status=status)

    def _undo(self, args: dict[str, Any], data: Any) -> Undo | None:
        declared = self.operation.undo
        if declared is None:
            return None
        tool, arguments = declared.call(args, data)
        return Undo(tool=tool, args=arguments)

    async def answer(self, call: Invocation, text: str, others: Sequence[Invocation]) -> Any:
        """An operation's result comes from its server only."""
        raise DecisionRefused(f"{self.operation.id} takes no answer from a person.")


def _headers(request: httpx.Request) -> dict[str, str]:
    """The headers that say something; credentials are added while sending, so the request never holds one."""
    return {name: value for name, value in request.headers.items() if name.lower() not in _PLUMBING}


def _boundary(request: httpx.Request) -> str:
    """What stands between the parts of a multipart body; a word that nothing has where there are none."""
    return request.headers.get("content-type", "").partition("boundary=")[2] or "\0"


def _body(request: httpx.Request) -> str:
    content = request.content
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return f"({len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()})"
    if len(text) > _SHOWN_BODY:
        return f"{text[:_SHOWN_BODY]}\n… ({len(text) - _SHOWN_BODY} more characters)"
    return text
