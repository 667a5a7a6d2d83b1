"""One operation of a document: a tool for the model, a request for the wire, a result for both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bitte_nb.errors import BitteError, RequestRefused
from bitte_nb.spec.arguments import Argument, Plan, make_plan
from bitte_nb.spec.check import Checker
from bitte_nb.spec.guard import origin_of
from bitte_nb.spec.hints import result_hint
from bitte_nb.spec.inline import inlined
from bitte_nb.spec.media import Body, read_body
from bitte_nb.spec.parameters import Parameter
from bitte_nb.spec.refs import BrokenReference
from bitte_nb.spec.request import Located, Target, build_request
from bitte_nb.spec.tree import clean, items, mapping, sequence
from bitte_nb.spec.undo import Undo, read_undo

if TYPE_CHECKING:
    import httpx

    from bitte_nb.core.result import ToolResult
    from bitte_nb.core.tool import Tool
    from bitte_nb.core.wallet import Wallet
    from bitte_nb.spec.document import Document
    from bitte_nb.spec.response import Limits

__all__ = ["Operation"]

_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})
_IDEMPOTENT = _SAFE | {"PUT", "DELETE"}
_TELLING = 40
"""Length from which a description does without its summary."""


@dataclass(frozen=True, eq=False)
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
        return self.method in _SAFE

    @property
    def idempotent(self) -> bool:
        """True if sending it twice promises to be as good as once (RFC 9110, 9.2.2)."""
        return self.method in _IDEMPOTENT

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
        return make_plan(self.parameters, self.body, self.document.schemas, self.document.secret_parameters)

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
        """The description as a model reads it; the summary too, where the description alone says little."""
        summary, description = self.summary, self.description
        enough = len(description) >= _TELLING or not summary or description.startswith(summary)
        both = description if enough else f"{summary}\n\n{description}".strip()
        return f"[DEPRECATED] {both}".strip() if self.deprecated else both

    @cached_property
    def _checker(self) -> Checker:
        return Checker(self.plan.definitions)

    @cached_property
    def _aliases(self) -> dict[str, str]:
        from bitte_nb.spec.profiles import property_aliases

        return {alias: name for name, alias in property_aliases(list(self.plan.by_name)).items()}

    def arguments(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as they would be sent: checked by schema and converted where the meaning is plain.

        Defaults are never filled in and null for an optional argument means absent. Raises RequestRefused with one
        sentence per fault, each on its own line.
        """
        plan = self.plan
        faults: list[str] = []
        found: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for given, value in args.items():
            name = given if given in plan.by_name else self._aliases.get(given, given)
            argument = plan.by_name.get(name)
            if argument is not None:
                checked, own = self._one(argument, value)
                faults += own
                if checked is not ...:
                    found[name] = checked
            elif plan.extra is None:
                faults.append(_unknown(given, plan))
            else:
                extra[given], own = self._checker.check(value, plan.extra, f"Body field {given}")
                faults += own
        gives_body = bool(extra) or any(plan.by_name[name].location == "field" for name in found)
        missing = [
            a for a in plan.arguments if a.name not in found and a.name not in args and self._needed(a, gives_body)
        ]
        faults = [
            f"Missing required {argument.words}: {argument.key or argument.name}" for argument in missing
        ] + faults
        if faults:
            raise RequestRefused("\n".join(dict.fromkeys(faults)))
        return found | extra

    def _needed(self, argument: Argument, gives_body: bool) -> bool:
        return argument.required or (
            gives_body and argument.location == "field" and argument.key in self._body_required
        )

    @cached_property
    def _body_required(self) -> frozenset[str]:
        """Fields that an object body needs whenever it is given at all."""
        if self.body is None:
            return frozenset()
        from bitte_nb.spec.arguments import body_required

        return body_required(self.body.best, self.document.schemas)

    def _one(self, argument: Argument, value: Any) -> tuple[Any, list[str]]:
        """One argument checked; `...` for a null that means absent."""
        if value is None and not self._checker.accepts(None, argument.schema):
            if not argument.required:
                return ..., []
            return ..., [f"Missing required {argument.words}: {argument.key or argument.name}"]
        if value is None and argument.location not in ("field", "body"):
            # null has no form outside a body; a nullable parameter that is null is absent.
            return ..., [f"Missing required {argument.words}: {argument.key}"] if argument.required else []
        return self._checker.check(value, argument.schema, f"{argument.words.capitalize()} {argument.name}")

    def located(self, args: Mapping[str, Any]) -> Located:
        """Checked arguments, sorted by location. Raises RequestRefused."""
        plan = self.plan
        places: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "header": {}, "cookie": {}, "field": {}}
        whole: dict[str, Any] = {}
        for name, value in self.arguments(args).items():
            argument = plan.by_name.get(name)
            if argument is None:
                places["field"][name] = value
            elif argument.location in places:
                places[argument.location][argument.key] = value
            else:
                whole[argument.location] = value
        fields = places["field"]
        body = whole.get("body", fields if fields or self._empty_object else ...)
        return Located(
            path=places["path"],
            query=places["query"],
            headers=places["header"],
            cookies=places["cookie"],
            querystring=whole.get("querystring"),
            body=body,
        )

    @property
    def _empty_object(self) -> bool:
        """True where a body must be sent although none of its fields is given."""
        return self.plan.body_required and all(argument.location != "body" for argument in self.plan.arguments)

    def request(
        self,
        args: Mapping[str, Any],
        *,
        wallet: Wallet | None = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> httpx.Request:
        """The exact request of a call; nothing is sent, and it holds no credential (those are added while sending).

        `wallet` travels as the `mb-metadata` header; `idempotency_key` only with methods that are not safe. Raises
        RequestRefused for bad arguments or an unsafe target, OperationError where the document names no server.
        """
        if self.document.wire != "openapi":
            from bitte_nb.spec.compat import build_compatible

            extra = self._extra(wallet, headers, idempotency_key)
            request = build_compatible(self, args, extra, self.document.wire)
            request.extensions["bitte_nb"] = self.document.dispatch_for(self)
            return request
        return self._build(self.located(args), self._extra(wallet, headers, idempotency_key))

    def build(
        self,
        path: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, Any] | None = None,
        cookies: Mapping[str, Any] | None = None,
        body: Any = ...,
        *,
        wallet: Wallet | None = None,
    ) -> httpx.Request:
        """The request of arguments that are already sorted by location; their values are taken as they are.

        Raises RequestRefused for missing required parameters, unknown names and unsafe values.
        """
        located = Located(path=path or {}, query=query or {}, headers=headers or {}, cookies=cookies or {}, body=body)
        return self._build(located, self._extra(wallet, None, None))

    def _extra(
        self, wallet: Wallet | None, headers: Mapping[str, str] | None, idempotency_key: str | None
    ) -> dict[str, str]:
        """Headers that do not come from arguments."""
        extra = dict(headers or {})
        if wallet is not None:
            extra["mb-metadata"] = wallet.metadata()
        if idempotency_key and not self.safe:
            extra["Idempotency-Key"] = idempotency_key
        return extra

    def _build(self, located: Located, extra: Mapping[str, str]) -> httpx.Request:
        request = build_request(self._target, located, extra)
        request.extensions["bitte_nb"] = self.document.dispatch_for(self)
        return request

    @cached_property
    def _target(self) -> Target:
        return Target(
            method=self.method,
            server=self.server,
            path=self.path,
            parameters=self.parameters,
            body=self.body,
            accept=self._accept,
            resolve=self.document.schemas.resolve,
            optional=self.document.secret_parameters,
        )

    @cached_property
    def _accept(self) -> str:
        """The media types of its successful responses, then anything."""
        found: list[str] = []
        for status, raw in items(self.node.get("responses")):
            if str(status).startswith("2"):
                try:
                    content = mapping(self.document.refs.follow(raw)).get("content")
                except BrokenReference:
                    continue
                found += [
                    media for media in mapping(content) if "*" not in media and media.isascii() and media.isprintable()
                ]
        wanted = list(dict.fromkeys(found))[:6] or ["application/json"]
        wanted.sort(key=lambda media: "json" not in media)
        return ", ".join([*wanted, "*/*;q=0.5"])

    async def call(
        self,
        args: Mapping[str, Any],
        *,
        wallet: Wallet | None = None,
        client: httpx.AsyncClient | None = None,
        idempotency_key: str | None = None,
        limits: Limits | None = None,
    ) -> ToolResult:
        """Check, send and read: `{data}` or `{error}`, never an exception for arguments, network or HTTP."""
        from bitte_nb.core.result import ToolError
        from bitte_nb.spec.response import perform

        try:
            request = self.request(args, wallet=wallet, idempotency_key=idempotency_key)
        except BitteError as fault:
            return ToolError(error=str(fault))
        return (await perform(request, client=client, limits=limits)).result


def _unknown(name: str, plan: Plan) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, list(plan.by_name), n=1)
    known = ", ".join(list(plan.by_name)[:20]) or "no arguments"
    return f"Unknown argument {name!r}: " + (f"did you mean {near[0]!r}?" if near else f"the operation takes {known}.")
