"""The demo agent as a real HTTP server: routing, headers and JSON on tornado, in a thread or blocking."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, cast
from urllib.parse import parse_qsl, unquote

from tornado import httputil
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

from bitte_nb.demo.document import document
from bitte_nb.demo.exchange import Ask, Operation, Reply, State, answer
from bitte_nb.demo.reading import Refusal
from bitte_nb.demo.tools import OPERATIONS
from bitte_nb.errors import BitteError

__all__ = ["DOCUMENT_PATH", "DemoAgent", "document", "run", "serve"]

DOCUMENT_PATH = "/.well-known/ai-plugin.json"
_BODY_BYTES = 64 * 1024


class _Handler(RequestHandler):
    """What every route shares: JSON in, JSON out, CORS, and an error body that is a sentence."""

    def set_default_headers(self) -> None:
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.set_header("Access-Control-Allow-Origin", "*")
        self.set_header("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
        self.set_header("Access-Control-Allow-Headers", "Content-Type, Authorization, mb-metadata, Idempotency-Key")
        self.set_header("Server", "bitte_nb demo agent")

    def options(self, *_args: str, **_kwargs: str) -> None:
        self.set_status(204)

    def reply(self, status: int, body: dict[str, Any]) -> None:
        self.set_status(status)
        self.write(json.dumps(body, ensure_ascii=False))  # pyright: ignore[reportUnknownMemberType] - tornado's dict

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        where = f"{self.request.method} {self.request.path}"
        known = self.settings["document_url"]
        if status_code in {404, 405}:
            error = f"There is no operation at {where}. The document at {known} lists them."
        else:
            error = f"{where} failed inside the demo agent ({status_code}). Its terminal shows why."
        self.reply(status_code, {"error": error})


class _Document(_Handler):
    def get(self) -> None:
        self.reply(200, self.settings["document"])


class _Nothing(_Handler):
    """Any other path, and the greeting at the root."""

    def prepare(self) -> None:
        if self.request.method == "GET" and self.request.path == "/":
            self.reply(200, {"agent": "bitte_nb demo agent", "document": self.settings["document_url"]})
            self.finish()  # pyright: ignore[reportUnknownMemberType] - tornado's dict
        elif self.request.method != "OPTIONS":
            self.send_error(404)


class _Tools(_Handler):
    """One path with its operations by method."""

    operations: dict[str, Operation]
    state: State
    _task: asyncio.Task[Reply] | None = None

    def initialize(self, operations: dict[str, Operation], state: State) -> None:
        self.operations = operations
        self.state = state

    async def get(self, **path: str) -> None:
        await self._answer(path)

    async def post(self, **path: str) -> None:
        await self._answer(path)

    async def delete(self, **path: str) -> None:
        await self._answer(path)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        if status_code == 405:
            self.set_header("Allow", ", ".join([*self.operations, "OPTIONS"]))
        super().write_error(status_code, **kwargs)

    def on_connection_close(self) -> None:
        """Stop working for a caller that hung up."""
        if self._task is not None:
            self._task.cancel()

    async def _answer(self, path: dict[str, str]) -> None:
        operation = self.operations.get(self.request.method or "")
        if operation is None:
            self.send_error(405)
            return
        self.state.count_request(operation.id)
        try:
            self._task = asyncio.ensure_future(answer(self.state, operation, _ask(self.request, operation, path)))
            reply = await self._task
        except Refusal as refusal:
            self.reply(refusal.status, refusal.body)
        except asyncio.CancelledError:
            self.clear()
        else:
            if reply.replayed:
                self.set_header("Idempotent-Replayed", "true")
            self.reply(reply.status, reply.body)


def _ask(request: httputil.HTTPServerRequest, operation: Operation, path: dict[str, str]) -> Ask:
    """Split a request by location, refusing what cannot be read without doubt."""
    pairs = parse_qsl(request.query, keep_blank_values=True)
    for name, count in Counter(name for name, _ in pairs).items():
        if count > 1:
            raise Refusal(400, f"The query parameter {name!r} is given {count} times. Give it once.")
    return Ask(
        path={name: unquote(value) for name, value in path.items()},
        query=dict(pairs),
        body=_body(request) if operation.body else {},
        wallet=_wallet(request.headers.get("mb-metadata")),
        idempotency_key=request.headers.get("Idempotency-Key", ""),
    )


def _body(request: httputil.HTTPServerRequest) -> dict[str, Any]:
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, f"The body must be sent as application/json, not {kind or 'without a Content-Type'}.")
    try:
        body: object = json.loads(request.body)
    except ValueError as error:
        raise Refusal(400, f"The body is not JSON: {error}.") from None
    if not isinstance(body, dict):
        raise Refusal(400, "The body must be a JSON object.")
    return cast("dict[str, Any]", body)


def _wallet(header: str | None) -> dict[str, Any] | None:
    if header is None:
        return None
    try:
        wallet: object = json.loads(header)
    except ValueError:
        wallet = None
    if not isinstance(wallet, dict):
        raise Refusal(400, "The mb-metadata header is not a JSON object with accountId, evmAddress or chainId.")
    return cast("dict[str, Any]", wallet)


def _silent(_handler: RequestHandler) -> None:
    """Keep requests out of the terminal: `count-effects` counts them."""


def _application(base_url: str, state: State) -> Application:
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    routes: list[Any] = [(DOCUMENT_PATH, _Document)]
    for path, operations in by_path.items():
        pattern = path.replace("{", "(?P<").replace("}", ">[^/]+)")
        routes.append((pattern, _Tools, {"operations": operations, "state": state}))
    return Application(
        routes,
        default_handler_class=_Nothing,
        document=document(base_url),
        document_url=base_url + DOCUMENT_PATH,
        log_function=_silent,
    )


class DemoAgent:
    """A demo agent that is serving; a context manager that ends it."""

    def __init__(self, *, host: str, port: int, seed: int | None) -> None:
        self.url = ""
        """Base URL, without a trailing slash."""
        self._host = host
        self._port = port
        self._seed = seed
        self._failure: Exception | None = None
        self._listening = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="bitte_nb demo agent", daemon=True)
        self._thread.start()
        self._listening.wait()
        self._raise_failure()

    @property
    def document_url(self) -> str:
        """Where the agent's OpenAPI document is."""
        return self.url + DOCUMENT_PATH

    def close(self) -> None:
        """Stop listening, drop what is open and wait for the thread; calling it again does nothing."""
        if self._loop is not None and self._end is not None:
            with suppress(RuntimeError):  # the loop is closed already
                self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(timeout=10)

    def __enter__(self) -> DemoAgent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"DemoAgent({self.url!r})"

    def _raise_failure(self) -> None:
        if isinstance(self._failure, OSError):
            raise BitteError(
                f"The demo agent cannot listen on {self._host} port {self._port}: {self._failure}. Give another port, "
                "or port 0 for one that is free."
            ) from self._failure
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:
            self._failure = error
        finally:
            self._listening.set()

    async def _serve(self) -> None:
        sockets = bind_sockets(self._port, address=self._host)
        shown = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self._host, self._host)
        if ":" in shown and not shown.startswith("["):
            shown = f"[{shown}]"
        self.url = f"http://{shown}:{sockets[0].getsockname()[1]}"
        state = State(coin=random.Random(self._seed))
        server = HTTPServer(_application(self.url, state), max_body_size=_BODY_BYTES)
        server.add_sockets(sockets)
        self._loop = asyncio.get_running_loop()
        self._end = asyncio.Event()
        self._listening.set()
        await self._end.wait()
        server.stop()
        await server.close_all_connections()


def serve(*, host: str = "127.0.0.1", port: int = 0, seed: int | None = None) -> DemoAgent:
    """Serve the demo agent in a thread of its own; it listens when this returns.

    Args:
        host: Address to listen on.
        port: TCP port; 0 takes a free one.
        seed: Makes the coin fall the same way each time.

    Raises:
        BitteError: the port cannot be had.
    """
    return DemoAgent(host=host, port=port, seed=seed)


def run(host: str, port: int, seed: int | None, *, ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM, in the main thread; `ready` is called once with the document's URL.

    Raises:
        BitteError: the port cannot be had.
    """
    stopped = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopped.set()

    with serve(host=host, port=port, seed=seed) as agent:
        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            ready(agent.document_url)
            while not stopped.wait(timeout=1):  # a wait without a timeout cannot be interrupted on Windows
                pass
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
