"""Small documents for the tests of this folder."""

from __future__ import annotations

from typing import Any

from bitte_nb.spec.document import Document
from bitte_nb.spec.load import load_document
from bitte_nb.spec.operation import Operation


def document(paths: dict[str, Any], /, *, url: str | None = None, **root: Any) -> Document:
    base = {"openapi": "3.1.0", "info": {"title": "Test", "version": "1"}, "servers": [{"url": "https://api.test"}]}
    return load_document({**base, **root, "paths": paths}, url=url)


def operation(
    path: str = "/t",
    method: str = "get",
    *,
    params: list[dict[str, Any]] | None = None,
    body: Any = None,
    url: str | None = None,
    root: dict[str, Any] | None = None,
    **extra: Any,
) -> Operation:
    node: dict[str, Any] = {"operationId": "op", "parameters": params or [], "responses": {}, **extra}
    if body is not None:
        node["requestBody"] = body
    return document({path: {method: node}}, url=url, **(root or {})).operation("op")


def json_body(schema: Any, *, required: bool = True, media: str = "application/json", **entry: Any) -> dict[str, Any]:
    return {"required": required, "content": {media: {"schema": schema, **entry}}}
