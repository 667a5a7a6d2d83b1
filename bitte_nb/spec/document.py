"""A loaded document: its operations, its tools, its servers and what is wrong with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bitte_nb.core.nearest import nearest
from bitte_nb.errors import ArgumentRefused, OperationError, UnknownTool
from bitte_nb.spec.credentials import Credentials, Dispatch, secret_parameters
from bitte_nb.spec.finding import Finding, written_twice
from bitte_nb.spec.findings import Loaded
from bitte_nb.spec.guard import origin_of, same_place
from bitte_nb.spec.hints import Shapes
from bitte_nb.spec.index import Index, make_index
from bitte_nb.spec.operation import Operation
from bitte_nb.spec.refs import BrokenReference, References
from bitte_nb.spec.schema import Schemas
from bitte_nb.spec.servers import pick, resolve_server
from bitte_nb.spec.tree import clean, items, mapping, plain, sequence, string
from bitte_nb.spec.xmb import AssistantSpec, read_assistant

if TYPE_CHECKING:
    from bitte_nb.core.tool import Tool
    from bitte_nb.spec.budget import Budget, Rung
    from bitte_nb.spec.compat import Wire

__all__ = ["Document"]


class Document:
    """An OpenAPI document. Made by `load_document`; treat it as immutable."""

    def __init__(
        self,
        *,
        root: dict[str, Any],
        text: str,
        source: str,
        url: str,
        openapi: str,
        findings: tuple[Finding, ...] = (),
        variables: Mapping[str, str] | None = None,
        trust: tuple[str, ...] = (),
        wire: Wire = "openapi",
        parsed: object = None,
        written: str | None = None,
    ) -> None:
        self.root = root
        """The document as OpenAPI 3, bundled into one tree."""
        self.text = text
        """Its text, with the other files that it refers to; `load_document(text, url=url)` gives the same document."""
        self.written = text if written is None else written
        """The text as its author wrote it, in which lines are counted."""
        self.source = source
        """The URL or path it came from, or empty."""
        self.url = url
        """The URL against which relative servers resolve, or empty."""
        self.openapi = openapi
        """The specification version that the text declares, such as `3.1.0` or `2.0`."""
        self.wire: Wire = wire
        """How requests are built: by the document, or as an executor of Bitte would (`spec/compat.py`)."""
        self.refs = References(root)
        self.schemas = Schemas(self.refs)
        self.shapes = Shapes(self.refs)
        self._findings = findings
        # Held so that loading the same text again need not parse it.
        self._parsed = parsed
        self.variables: Mapping[str, str] = MappingProxyType(dict(variables or {}))
        """Values given for variables of its servers."""
        self.trust = frozenset(origin_of(origin) for origin in trust) - {""}
        """Origins to which its requests may go although they are private."""

    def __repr__(self) -> str:
        left_out = f" ({len(self.quarantined)} left out)" if self.quarantined else ""
        # Without the lines of `findings`, which take a look at the whole text.
        found = (*self._findings, *self._index.findings, *self._server_findings())
        operations, errors = len(self.operations), sum(one.severity == "error" for one in found)
        count = f"{operations} operation{'s' * (operations != 1)}{left_out}"
        if errors:
            count += f", {errors} error{'s' * (errors != 1)}: see bn.doctor(doc)"
        return f"<Document {self.title!r} {self.version}: {count}, {self.source or 'in memory'}>"

    @property
    def title(self) -> str:
        """`info.title`, or a plain word."""
        return clean(plain(mapping(self.root.get("info")).get("title"))) or "Untitled API"

    @property
    def version(self) -> str:
        """`info.version`, or empty."""
        return plain(mapping(self.root.get("info")).get("version"))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text, in hex."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def assistant(self) -> AssistantSpec:
        """The agent that the document declares in `x-mb`, or one named by its title."""
        return read_assistant(self.root)

    @cached_property
    def agent_id(self) -> str:
        """The name under which the agent is known: its host, as agent registries use it, else its account."""
        for origin in (origin_of(self.url), *self.servers):
            if origin:
                return origin.split("://", 1)[1]
        return self.assistant.account_id or self.title

    @cached_property
    def _index(self) -> Index:
        return make_index(self.root, self.refs)

    @cached_property
    def operations(self) -> Mapping[str, Operation]:
        """The usable operations by id, in the document's order of declared, then derived ids."""
        return MappingProxyType(
            {
                name: Operation(
                    self, name, entry.method, entry.path, entry.pointer, entry.node, entry.path_item, entry.parameters
                )
                for name, entry in self._index.entries.items()
            }
        )

    @property
    def quarantined(self) -> Mapping[str, Finding]:
        """The operations that cannot be used, by pointer, with the reason."""
        return MappingProxyType(self._index.quarantined)

    @property
    def left_out(self) -> Mapping[str, Finding]:
        """Those of them that have an operationId, by it."""
        return MappingProxyType(self._index.left_out)

    @property
    def declared_operations(self) -> int:
        """How many operations the document has, usable or not."""
        return self._index.total

    @cached_property
    def ids_by_pointer(self) -> Mapping[str, str]:
        """Operation ids by the pointer of the operation."""
        return {operation.pointer: operation.id for operation in self.operations.values()}

    @cached_property
    def findings(self) -> Loaded:
        """What was found wrong while loading; the lines are looked up when it is first read."""
        from bitte_nb.spec.lines import locate
        from bitte_nb.spec.read import repeated_keys

        found = [*self._findings, *map(written_twice, repeated_keys(self.written))]
        found += [*self._index.findings, *self._server_findings()]
        lines = locate(self.written, [finding.pointer for finding in found if finding.line is None])
        placed = (one if one.line is not None else one.at(lines.get(one.pointer)) for one in found)
        return Loaded.of(placed, self)

    def _server_findings(self) -> list[Finding]:
        try:
            resolve_server(pick(self.root.get("servers")), self.url, self.variables)
        except OperationError as fault:
            where = "/servers/0/url" if pick(self.root.get("servers")) else ""
            return [Finding("SRV001", "error", where, str(fault), "Name an absolute https URL in `servers`.")]
        return []

    @cached_property
    def servers(self) -> tuple[str, ...]:
        """The origins that its operations talk to; those that cannot be resolved are left out."""
        holders: list[Mapping[str, Any]] = [{}]
        for _, item in items(self.root.get("paths")):
            holders += [one for one in (mapping(item), *map(mapping, mapping(item).values())) if "servers" in one]
        found: dict[str, None] = {}
        for holder in holders:
            try:
                found[origin_of(self.server_for(holder, {}))] = None
            except OperationError:
                continue
        return tuple(found)

    def server_for(self, operation: Mapping[str, Any], path_item: Mapping[str, Any]) -> str:
        """The base URL of an operation: its own servers, else its path's, else the document's (OAS 3.1, 4.8.10).

        On a wire of Bitte always the document's first. Raises OperationError where there is none.
        """
        if self.wire != "openapi":
            from bitte_nb.spec.compat import base_url

            return base_url(self.root, self.wire).rstrip("/")
        server = pick(operation.get("servers"), path_item.get("servers"), self.root.get("servers"))
        return resolve_server(server, self.url, self.variables)

    def operation(self, name: str) -> Operation:
        """The operation of an id or of a provider's alias. Raises UnknownTool, with the nearest name."""
        found = self.operations.get(name) or self.operations.get(self._by_alias.get(name, ""))
        if found is not None:
            return found
        if finding := self._index.left_out.get(name):
            raise UnknownTool(f"There is no tool {name!r}: {finding.message}")
        near = nearest(name, self.operations)
        known = ", ".join(list(self.operations)[:12]) or "no operations"
        advice = f"Did you mean {near!r}?" if near else f"The document has: {known}."
        raise UnknownTool(f"There is no tool {name!r} in {self.title}. {advice}")

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """Aliases of the operation ids that providers refuse, by id."""
        from bitte_nb.spec.profiles import tool_aliases

        return tool_aliases(self.operations)

    @cached_property
    def _by_alias(self) -> dict[str, str]:
        return {alias: name for name, alias in self.aliases.items()}

    def select(
        self,
        *,
        tags: Iterable[str] | None = None,
        methods: Iterable[str] | None = None,
        paths: Iterable[str] | None = None,
        ids: Iterable[str] | None = None,
        where: Callable[[Operation], bool] | None = None,
        deprecated: bool = True,
    ) -> list[Operation]:
        """The operations that meet every condition given: tag (or one below it), method, path prefix, id, predicate."""
        from bitte_nb.spec.budget import matches

        tags = None if tags is None else self._with_children(tags)
        given: dict[str, Any] = {"tags": tags, "methods": methods, "paths": paths, "ids": ids, "where": where}
        given = {key: value if value is None or callable(value) else tuple(value) for key, value in given.items()}
        return [o for o in self.operations.values() if matches(o, deprecated=deprecated, **given)]

    def _with_children(self, tags: Iterable[str]) -> set[str]:
        """The tags and those below them in the hierarchy that 3.2 can declare (`parent`)."""
        parents = {
            string(mapping(tag).get("name")): mapping(tag).get("parent") for tag in sequence(self.root.get("tags"))
        }
        found = set(tags)
        while more := {tag for tag, parent in parents.items() if parent in found} - found:
            found |= more
        return found

    def budget(self, provider: str | None = None, *, rung: Rung = "full") -> Budget:
        """What the tools cost in a model's context, heaviest first."""
        from bitte_nb.spec.budget import budget

        return budget(self.tools(provider, rung=rung))

    def tools(
        self, provider: str | None = None, *, operations: Iterable[Operation] | None = None, rung: Rung = "full"
    ) -> list[Tool]:
        """What the model would see: all operations or those given, in full or on a smaller rung (`spec/budget.py`).

        Without a provider: names and schemas verbatim. With `openai`, `openai-strict`, `anthropic` or `gemini`: aliased
        where that provider refuses a name, in its dialect of JSON Schema.

        Raises ArgumentRefused for another provider or rung.
        """
        chosen = self.operations.values() if operations is None else operations
        found = [operation.tool for operation in chosen]
        if rung != "full":
            from bitte_nb.spec.budget import RUNGS, trim

            if rung not in RUNGS:
                raise ArgumentRefused(f"{rung!r} is no rung of the tools: choose one of {', '.join(RUNGS)}.")
            found = [trim(tool, rung) for tool in found]
        if provider is None:
            return found
        from bitte_nb.spec.profiles import adapt

        return [adapt(tool, provider, self.aliases.get(tool.name, tool.name)) for tool in found]

    def changed(
        self, operations: Mapping[str, Mapping[str, Any]] | None = None, *, instructions: str | None = None
    ) -> Document:
        """The document with other words for a model; what was given for this one (credentials, trust) holds there too.

        Args:
            operations: Operation ids to what changes, as a JSON Merge Patch (RFC 7396) of the operation; below
                `parameters` stand its arguments by the names of `tool.input_schema`, fields of the body among them:
                `{"read-note": {"description": "...", "parameters": {"id": {"description": "..."}}}}`. None removes.
            instructions: The assistant's instructions (`x-mb`) in place of the document's.

        Raises:
            UnknownTool: there is no such operation; the sentence has the nearest name.
            OperationError: it has no such field or argument.
        """
        from bitte_nb.spec.changes import changed_tree

        root = changed_tree(self, operations or {}, instructions=instructions)
        document = Document(
            root=root,
            text=json.dumps(root, ensure_ascii=False, separators=(",", ":")),
            written=self.written,
            source=self.source,
            url=self.url,
            openapi=plain(root.get("openapi")) or self.openapi,
            findings=self._findings,
            variables=self.variables,
            trust=tuple(self.trust),
            wire=self.wire,
        )
        document.credentials = self.credentials
        return document

    @cached_property
    def security_schemes(self) -> dict[str, Any]:
        """The declared security schemes, references followed."""
        found: dict[str, Any] = {}
        for name, node in items(mapping(self.root.get("components")).get("securitySchemes")):
            try:
                found[name] = mapping(self.refs.follow(node))
            except BrokenReference:
                continue
        return found

    @cached_property
    def secret_parameters(self) -> frozenset[tuple[str, str]]:
        """Parameters that carry credentials, as location and name."""
        return secret_parameters(self.security_schemes)

    @cached_property
    def credentials(self) -> Credentials:
        """The secrets given for this document."""
        return Credentials(self.security_schemes)

    def authorize(self, scheme: str, secret: str, *, origin: str | None = None) -> None:
        """Give the secret of a security scheme, for one origin of the document (its only one by default).

        Raises OperationError for an unknown scheme, and where the document has several origins and none is named.
        """
        self.credentials.give(scheme, secret, origin=self._own_origin(origin))

    def authorize_client(
        self,
        scheme: str,
        *,
        client_id: str,
        client_secret: str,
        scopes: Iterable[str] = (),
        token_url: str | None = None,
        origin: str | None = None,
    ) -> None:
        """Give a client of an OAuth2 scheme (client credentials, RFC 6749, 4.4); tokens are asked for when needed.

        The document's own token URL is used only at the same origin; name another yourself. Raises
        OperationError where there is none that may be used.
        """
        from bitte_nb.spec.oauth import Client, token_url_of

        own = self._own_origin(origin)
        target = token_url or token_url_of(self.security_schemes.get(scheme), origin_of(own))
        public_only = token_url is None and self._public_only(origin_of(target))
        client = Client(target, client_id, client_secret, tuple(scopes), public_only)
        self.credentials.give_client(scheme, client, origin=own)

    def _own_origin(self, origin: str | None) -> str:
        if origin is None:
            if len(self.servers) != 1:
                known = ", ".join(self.servers) or "none is known"
                raise OperationError(f"Say for which origin the secret is: {known}.")
            origin = self.servers[0]
        if origin_of(origin) not in self.servers:
            raise OperationError(f"{origin} is not an origin of this document; it has: {', '.join(self.servers)}.")
        return origin

    def dispatch_for(self, operation: Operation) -> Dispatch:
        """What sending a request of the operation needs to know beside its bytes."""
        security = operation.node.get("security", self.root.get("security"))
        return Dispatch(self.credentials, security, self._public_only(operation.origin), self.wire)

    def _public_only(self, origin: str) -> bool:
        """True for an origin that only the document names, and the document came from a URL."""
        typed = not origin_of(self.url) or same_place(origin, origin_of(self.url))
        return not typed and origin not in self.trust
