"""A real server of two operations, one that reads and one that writes, with whatever body a test gives it."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import bitte_nb as bn
from bitte_nb.spec.load import Document


class Bodies:
    """A real server that answers every request with the next body it was given."""

    def __init__(self, body: bytes = b"{}") -> None:
        bodies = self
        self.body = body
        self.most = self.now = self.count = 0
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with lock:
                    bodies.count += 1
                    bodies.now += 1
                    bodies.most = max(bodies.most, bodies.now)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(bodies.body)))
                self.end_headers()
                self.wfile.write(bodies.body)
                with lock:
                    bodies.now -= 1

            do_POST = do_GET  # noqa: N815

            def log_message(self, *_args: Any) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            request_queue_size = 600

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self) -> Bodies:
        return self

    def __exit__(self, *_reason: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def document(self, **operations: Any) -> Document:
        ok = {"responses": {"200": {"description": "ok"}}}
        anything = {"type": "object", "additionalProperties": True}
        paths: dict[str, Any] = {
            "/read": {
                "get": {
                    "operationId": "read",
                    "parameters": [{"name": "n", "in": "query", "schema": {"type": "integer"}}],
                    **ok,
                }
            },
            "/write": {
                "post": {
                    "operationId": "write",
                    "requestBody": {"content": {"application/json": {"schema": anything}}},
                    **ok,
                }
            },
            **operations,
        }
        return bn.load_document(
            {
                "openapi": "3.1.0",
                "info": {"title": "Bodies", "version": "1"},
                "servers": [{"url": f"http://127.0.0.1:{self.server.server_address[1]}"}],
                "paths": paths,
            }
        )
