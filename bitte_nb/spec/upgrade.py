"""Swagger 2.0 as OpenAPI 3: servers, bodies, forms, styles, responses and security; what is lost is said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from bitte_nb.spec.finding import Finding
from bitte_nb.spec.refs import BrokenReference, References
from bitte_nb.spec.tree import is_map, items, mapping, pointer, sequence, string

__all__ = ["upgrade"]

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
_OUTER = frozenset({
    "name", "in", "description", "required", "deprecated", "allowEmptyValue", "example", "examples", "x-example",
    "collectionFormat",
})  # fmt: skip
_STYLES = {
    "csv": ("form", False),
    "ssv": ("spaceDelimited", False),
    "tsv": ("tabDelimited", False),
    "pipes": ("pipeDelimited", False),
    "multi": ("form", True),
}
_FLOWS = {
    "accessCode": "authorizationCode",
    "application": "clientCredentials",
    "implicit": "implicit",
    "password": "password",
}


def upgrade(root: dict[str, Any], url: str) -> tuple[dict[str, Any], list[Finding]]:
    """The document as OpenAPI 3.0, and the points at which something is read differently.

    Schemas stay where they are (`#/definitions/...`): references may lead anywhere.
    """
    return _Upgrade(root, url).run()


class _Upgrade:
    def __init__(self, root: dict[str, Any], url: str) -> None:
        self._root = root
        self._url = url
        self._refs = References(root)
        self._findings: list[Finding] = []

    def run(self) -> tuple[dict[str, Any], list[Finding]]:
        out = {key: value for key, value in self._root.items() if key not in ("swagger", "host", "basePath", "schemes")}
        out["openapi"] = "3.0.3"
        if servers := self._servers(self._root.get("schemes"), ""):
            out["servers"] = servers
        out["paths"] = {path: self._item(path, node) for path, node in items(self._root.get("paths"))}
        schemes = {name: self._scheme(mapping(node)) for name, node in items(self._root.get("securityDefinitions"))}
        out["components"] = {**mapping(self._root.get("components")), "securitySchemes": schemes}
        return out, self._findings

    def _servers(self, declared: object, where: str) -> list[dict[str, Any]]:
        host, base = string(self._root.get("host")), string(self._root.get("basePath"))
        base = base if not base or base.startswith("/") else f"/{base}"
        schemes = [scheme for scheme in sequence(declared) if scheme in ("http", "https")]
        if sequence(declared) and not schemes:
            self._note(f"{where}/schemes", "Only http and https are used; the document names neither.")
        if not host:
            return [{"url": base or "/"}] if base or self._url else []
        if "/" in host:
            # Some documents write the whole URL into `host`.
            host = host.split("://", 1)[-1].rstrip("/")
        own = urlsplit(self._url).scheme
        fallback = own if own in ("http", "https") else "https"
        ordered = sorted(dict.fromkeys(schemes), key=lambda scheme: scheme != "https") or [fallback]
        return [{"url": f"{scheme}://{host}{base}"} for scheme in ordered]

    def _item(self, path: str, node: object) -> Any:
        if not is_map(node):
            return node
        source = node
        try:
            source = mapping(self._refs.follow(node)) | {key: value for key, value in source.items() if key != "$ref"}
        except BrokenReference:
            return node
        shared = sequence(source.get("parameters"))
        out = {key: value for key, value in source.items() if key not in ("parameters", "$ref")}
        for method in _METHODS:
            if isinstance(source.get(method), dict):
                where = pointer("paths", path, method)
                out[method] = self._operation(mapping(source[method]), shared, where)
        return out

    def _operation(self, node: dict[str, Any], shared: list[Any], where: str) -> dict[str, Any]:
        out = {
            key: value for key, value in node.items() if key not in ("parameters", "consumes", "produces", "schemes")
        }
        plain: list[Any] = []
        forms: dict[str, dict[str, Any]] = {}
        body: dict[str, Any] | None = None
        for raw in [*shared, *sequence(node.get("parameters"))]:
            try:
                parameter = mapping(self._refs.follow(raw))
            except BrokenReference:
                plain.append(raw)
                continue
            place = parameter.get("in")
            if place == "body":
                body = parameter
            elif place == "formData":
                forms[string(parameter.get("name"))] = parameter
            else:
                plain.append(self._parameter(parameter))
            self._formats(parameter, where)
        if plain:
            out["parameters"] = plain
        if "schemes" in node and self._root.get("host"):
            out["servers"] = self._servers(node["schemes"], where)
        consumes = [
            media for media in sequence(node.get("consumes", self._root.get("consumes"))) if isinstance(media, str)
        ]
        if forms:
            out["requestBody"] = self._form(list(forms.values()), consumes)
            if body is not None:
                self._note(where, "The operation has both a body and form fields; the form is sent.")
        elif body is not None:
            out["requestBody"] = self._body(body, consumes)
        produces = [
            media for media in sequence(node.get("produces", self._root.get("produces"))) if isinstance(media, str)
        ]
        out["responses"] = {str(status): self._response(raw, produces) for status, raw in items(node.get("responses"))}
        return out

    def _formats(self, parameter: dict[str, Any], where: str) -> None:
        """Say which lists are written otherwise than declared: OpenAPI 3 has fewer ways."""
        name, place, declared = parameter.get("name"), parameter.get("in"), parameter.get("collectionFormat", "csv")
        if place in ("path", "header") and declared != "csv":
            self._note(where, f"The {place} parameter {name} is declared as {declared}; it is sent with commas.")
        inner = mapping(parameter.get("items"))
        if inner.get("type") == "array":
            self._note(where, f"The lists inside {name} are sent as JSON; a list of lists has no form in OpenAPI 3.")

    def _note(self, where: str, sentence: str) -> None:
        self._findings.append(Finding("VER001", "info", where, sentence, "Write the document in OpenAPI 3.1."))

    @staticmethod
    def _schema(parameter: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in parameter.items() if key not in _OUTER and not key.startswith("x-ms-")}

    def _parameter(self, source: dict[str, Any]) -> dict[str, Any]:
        out = {
            key: source[key]
            for key in ("name", "in", "description", "required", "deprecated", "example")
            if key in source
        }
        if "x-example" in source:
            out.setdefault("example", source["x-example"])
        out["schema"] = source["schema"] if isinstance(source.get("schema"), dict) else self._schema(source)
        if source.get("type") == "array":
            style, explode = _STYLES.get(string(source.get("collectionFormat")), ("form", False))
            out |= {"style": style, "explode": explode} if source.get("in") == "query" else {"style": "simple"}
        return out

    @staticmethod
    def _body(source: dict[str, Any], consumes: list[str]) -> dict[str, Any]:
        content = {media: {"schema": source.get("schema", {})} for media in consumes or ["application/json"]}
        out: dict[str, Any] = {"content": content, "required": source.get("required") is True}
        if "description" in source:
            out["description"] = source["description"]
        return out

    def _form(self, fields: list[dict[str, Any]], consumes: list[str]) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        encoding: dict[str, Any] = {}
        for source in fields:
            name = string(source.get("name"))
            words = {"description": source["description"]} if "description" in source else {}
            properties[name] = {**self._schema(source), **words}
            if source.get("type") == "array":
                style, explode = _STYLES.get(string(source.get("collectionFormat")), ("form", False))
                encoding[name] = {"style": style, "explode": explode}
        required = [string(source.get("name")) for source in fields if source.get("required") is True]
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        allowed = [media for media in consumes if "form" in media]
        if any(source.get("type") == "file" for source in fields):
            allowed = ["multipart/form-data"]
        media = allowed or ["application/x-www-form-urlencoded"]
        entries = {name: {"schema": schema, "encoding": encoding} for name in media}
        return {"content": entries, "required": bool(required)}

    def _response(self, raw: object, produces: list[str]) -> Any:
        try:
            source = mapping(self._refs.follow(raw))
        except BrokenReference:
            return raw
        out = {key: value for key, value in source.items() if key not in ("schema", "examples")}
        if "schema" in source:
            out["content"] = {media: {"schema": source["schema"]} for media in produces or ["application/json"]}
        return out

    @staticmethod
    def _scheme(source: dict[str, Any]) -> dict[str, Any]:
        kind = source.get("type")
        if kind == "basic":
            return {"type": "http", "scheme": "basic"}
        if kind != "oauth2":
            return source
        flow = _FLOWS.get(string(source.get("flow")), "implicit")
        return {"type": "oauth2", "flows": {flow: dict(_flow(source))}}


def _flow(source: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key in ("authorizationUrl", "tokenUrl", "scopes"):
        if key in source:
            yield key, source[key]
