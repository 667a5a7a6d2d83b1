"""One operation of a document: a tool for the model, a request for the wire, a result for both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bitte_nb.errors import BitteError, OperationError
from bitte_nb.spec.arguments import Plan, body_required, make_plan
from bitte_nb.spec.filling import Filling
from bitte_nb.spec.guard import check_arguments, origin_of
from bitte_nb.spec.hints import result_hint
from bitte_nb.spec.index import SAFE_METHODS
from bitte_nb.spec.inline import inlined
from bitte_nb.spec.media import Body, accepted, read_body
from bitte_nb.spec.parameters import Parameter, without_own_pairs
from bitte_nb.spec.profiles import property_aliases
from bitte_nb.spec.refs import BrokenReference
from bitte_nb.spec.request import Located, Target, build_request
from bitte_nb.spec.tree import clean, sequence, words
from bitte_nb.spec.undo import Undo, read_undo

if TYPE_CHECKING:
    import httpx

    from bitte_nb.core.result import ToolResult
    from bitte_nb.core.tool import Tool
    from bitte_nb.core.wallet import Wallet
    from bitte_nb.spec.credentials import Dispatch
    from bitte_nb.spec.document import Document
    from bitte_nb.spec.receive import Limits
    from bitte_nb.spec.shown_request import ShownRequest

__all__ = ["Operation"]

_TELLING = 40
"""Length from which a description does without its summary."""
_HUMP = re.compile("(?<=[a-z])(?=[A-Z])")
"""Where a word begins in a name such as `getUserById`."""


@dataclass(eq=False)
class Operation:
    """An operation, converted when it is first asked for."""

    document: Document = field(repr=False)
    id: str
    """The operationId, verbatim, or a derived name where the document gives none."""
    method: str
    """HTTP method in upper case."""
    path: str
    """Path template as the document writes it."""
    pointer: str
    """JSON pointer of the operation in the document."""
    node: Mapping[str, Any] = field(repr=False)
    """The operation as it is in the document."""
    path_item: Mapping[str, Any] = field(repr=False)
    parameters: tuple[Parameter, ...] = field(repr=False)

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__ or name not in self.__dataclass_fields__:
            raise OperationError(
                f"The {name} of {self.id} cannot be set: an operation stays as its document has it. "
                f"For other words, make another document: document.changed({{{self.id!r}: {{'description': '...'}}}})."
            )
        super().__setattr__(name, value)

    @property
    def summary(self) -> str:
        """The summary, cleaned of what a reader cannot see."""
        return clean(self.node.get("summary")) or clean(self.path_item.get("summary"))

    @property
    def description(self) -> str:
        """The description, cleaned of what a reader cannot see."""
        return clean(self.node.get("description")) or clean(self.path_item.get("description"))

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags, in order."""
        return tuple(tag for tag in sequence(self.node.get("tags")) if isinstance(tag, str))

    @property
    def deprecated(self) -> bool:
        """True where the document advises against it."""
        return self.node.get("deprecated") is True

    @property
    def safe(self) -> bool:
        """True if the method promises to change nothing (RFC 9110, 9.2.1)."""
        return self.method in SAFE_METHODS

    @property
    def idempotent(self) -> bool:
        """True if sending it twice promises to be as good as once (RFC 9110, 9.2.2)."""
        return self.safe or self.method in ("PUT", "DELETE")

    @cached_property
    def server(self) -> str:
        """Absolute base URL, without a slash at its end. Raises OperationError where the document names none."""
        return self.document.server_for(self.node, self.path_item)

    @property
    def origin(self) -> str:
        """Scheme, host and port of the server. Raises OperationError where the document names none."""
        return origin_of(self.server)

    @cached_property
    def body(self) -> Body | None:
        """The request body that it takes, or None."""
        try:
            return read_body(self.node.get("requestBody"), self.document.refs)
        except BrokenReference:
            return None

    @cached_property
    def plan(self) -> Plan:
        """Its arguments and where each goes."""
        schemas = self.document.schemas
        with schemas.lock:
            return make_plan(self.parameters, self.body, schemas, self.document.secret_parameters)

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema (2020-12) of its arguments; references lead into its own `$defs`."""
        return inlined(self.plan.schema())

    @cached_property
    def result_hint(self) -> str:
        """The shape of a successful result in a few words, or empty."""
        return result_hint(self.node, self.document.refs, self.document.shapes)

    @cached_property
    def undo(self) -> Undo | None:
        """The operation that takes this one back, where the document declares it."""
        return read_undo(self.node, self.document.refs, self.document.ids_by_pointer)

    @cached_property
    def tool(self) -> Tool:
        """The tool as the document has it: verbatim names, full schema."""
        from bitte_nb.core.tool import Tool

        return Tool(
            name=self.id,
            description=self.words,
            input_schema=self.input_schema,
            agent=self.document.agent_id,
            method=self.method,
            path=self.path,
            result_hint=self.result_hint,
        )

    @property
    def words(self) -> str:
        """The description as a model reads it; the summary too, where it and the name say little."""
        summary, description = self.summary, self.description
        known = words(f"{_HUMP.sub(' ', self.id)} {description}")
        enough = description and (len(description) >= _TELLING or words(summary) <= known)
        both = description if enough else f"{summary}\n\n{description}".strip()
        return f"[DEPRECATED] {both}".strip() if self.deprecated else both

    @cached_property
    def _filling(self) -> Filling:
        names = list(self.plan.by_name)
        aliases = {alias: name for name, alias in property_aliases(names).items()}
        required = body_required(self.body.best, self.document.schemas) if self.body else frozenset[str]()
        return Filling(self.plan, aliases, required)

    def arguments(self, args: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The arguments as they would be sent: checked by schema and converted where the meaning is plain.

        Defaults are never filled in and null for an optional argument means absent. Raises RequestRefused with one
        sentence per fault, each on its own line.
        """
        return self._filling.checked({} if args is None else args)

    def located(self, args: Mapping[str, Any] | None = None) -> Located:
        """Checked arguments, sorted by location. Raises RequestRefused."""
        return self._filling.located({} if args is None else args)

    def request(
        self,
        args: Mapping[str, Any] | None = None,
        *,
        wallet: Wallet | None = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> ShownRequest:
        """The exact request of a call; nothing is sent, and it holds no credential (those are added while sending).

        It prints as what will be sent; `curl()` is a command that sends it, and `await send()` does, once.

        `args` has values by the names of `input_schema`; none are needed where no argument is required. `wallet`
        travels as the `mb-metadata` header; `idempotency_key` only with methods that are not safe. Raises
        RequestRefused for bad arguments or an unsafe target, OperationError where the document names no server.
        """
        extra = self._extra(wallet, headers, idempotency_key)
        if self.document.wire == "openapi":
            return self._build(self.located(args), extra)
        from bitte_nb.spec.compat import build_compatible

        return self._sendable(build_compatible(self, {} if args is None else args, extra, self.document.wire))

    def build(
        self,
        path: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, Any] | None = None,
        cookies: Mapping[str, Any] | None = None,
        body: Any = ...,
        *,
        wallet: Wallet | None = None,
    ) -> ShownRequest:
        """The request of arguments that are already sorted by location; their values are taken as they are.

        Raises RequestRefused for missing required parameters, unknown names and unsafe values.
        """
        for values in (path, query, headers, cookies, {"body": body}):
            check_arguments(values or {})
        located = Located(path=path or {}, query=query or {}, headers=headers or {}, cookies=cookies or {}, body=body)
        return self._build(located, self._extra(wallet, None, None))

    def _extra(
        self, wallet: Wallet | None, headers: Mapping[str, str] | None, idempotency_key: str | None
    ) -> dict[str, str]:
        """Headers that do not come from arguments."""
        extra = dict(headers or {})
        if wallet is not None:
            from bitte_nb.core.wallet import Wallet

            extra["mb-metadata"] = Wallet.of(wallet).metadata()
        if idempotency_key and not self.safe:
            extra["Idempotency-Key"] = idempotency_key
        return extra

    @property
    def credential_schemes(self) -> tuple[str, ...]:
        """The security schemes whose credentials will be added while sending; names, never values."""
        security = self.node.get("security", self.document.root.get("security"))
        return tuple(self.document.credentials.chosen(security, self.origin) or ())

    def _build(self, located: Located, extra: Mapping[str, str]) -> ShownRequest:
        return self._sendable(build_request(self._target, located, extra))

    def _sendable(self, request: ShownRequest) -> ShownRequest:
        request.extensions["bitte_nb"] = self._dispatch
        return request

    @cached_property
    def _dispatch(self) -> Dispatch:
        return self.document.dispatch_for(self)

    @cached_property
    def _target(self) -> Target:
        return Target(
            method=self.method,
            server=self.server,
            path=without_own_pairs(
                self.path.split("#", 1)[0], {one.name for one in self.parameters if one.location == "query"}
            ),
            parameters=self.parameters,
            body=self.body,
            accept=accepted(self.node.get("responses"), self.document.refs),
            resolve=self.document.schemas.resolve,
            optional=self.document.secret_parameters,
        )

    async def call(
        self,
        args: Mapping[str, Any] | None = None,
        *,
        wallet: Wallet | None = None,
        client: httpx.AsyncClient | None = None,
        idempotency_key: str | None = None,
        limits: Limits | None = None,
    ) -> ToolResult:
        """Check, send and read: `{data}` or `{error}`, never an exception for arguments, network or HTTP."""
        from bitte_nb.core.result import ToolError

        try:
            request = self.request(args, wallet=wallet, idempotency_key=idempotency_key)
        except BitteError as fault:
            return ToolError(error=str(fault))
        return (await request.send(client=client, limits=limits)).result
