"""Keeps the open pages of a chat in step with it: numbers events, sends at most 30 messages a second, answers requests.

One snapshot answers every gap, so a reload, a second view and a view opened late all show the same. Requests of a page
are validated, put on the agent thread's queue and acknowledged there; nothing is handled on the thread they come in on.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, cast

from pydantic import ValidationError

from bitte_nb.agent import versions
from bitte_nb.agent.chat import Chat
from bitte_nb.core.fold import ChatState, apply
from bitte_nb.core.log import ChatOpened, Entry, Renamed
from bitte_nb.errors import BitteError, DecisionRefused
from bitte_nb.review.derivation import explain
from bitte_nb.widget import protocol as page
from bitte_nb.widget.view import chat_view, page_events
from bitte_nb.widget.wallets import WalletLine
from bitte_nb.widget.wire import browser_data

__all__ = ["FLUSH_EVERY", "Driver"]

_log = logging.getLogger(__name__)

FLUSH_EVERY = 1 / 30
"""Seconds between two messages to the pages of a chat."""
_REMEMBERED = 256
"""Acknowledgements of acts kept, so that a repeated act is answered again and not carried out again."""


class Driver:
    """See the module; `send` delivers one message to all pages of the chat and may be called from the agent thread."""

    def __init__(self, chat: Chat, send: Callable[[dict[str, Any]], None]) -> None:
        self.chat = chat
        self.boot = chat.conversation.boot
        self.seq = 0
        """Number of the newest event."""
        self._send = send
        self._events: list[page.PageEvent] = []
        self._acks: OrderedDict[str, page.Ack] = OrderedDict()
        self._checking: set[str] = set()
        self._snapshot_due = False
        self._timer: asyncio.TimerHandle | None = None
        self._flushed = 0.0
        self._state = ChatState()
        """The state up to which this driver was told; the chat may be ahead of it while a listener acts."""
        self._wallets = WalletLine(chat, self.boot)
        self._leave: Callable[[], object] = lambda: None
        chat.thread.call(self._join)

    def _join(self) -> None:
        self._state = self.chat.state
        conversation = self.chat.conversation
        left = [conversation.subscribe(self._appended)]
        left += self._wallets.join(self._ask_wallet)
        self._leave = lambda: [leave() for leave in left]

    def close(self) -> None:
        """Send nothing any more."""
        self.chat.thread.post(self._close)

    def _close(self) -> None:
        self._leave()
        self._leave = lambda: None
        self._send = _nowhere

    def snapshot(self) -> dict[str, Any]:
        """The state now, for a page that opens; on any thread."""
        return _wire(self.chat.thread.call(self._snapshot))

    def _snapshot(self) -> page.Snapshot:
        self._flush_events()
        return page.Snapshot(boot=self.boot, seq=self.seq, chat=chat_view(self._state, notice=self.chat.notice))

    def _ask_wallet(self, request: page.WalletRequest) -> None:
        self._flush_events()  # the page sees that the call runs before it opens a wallet for it
        self._post(request)

    # Kernel to page --------------------------------------------------------------------------------------------------

    def _appended(self, before: ChatState, entries: tuple[Entry, ...], after: ChatState) -> None:
        if entries and after.seq <= self._state.seq:
            return  # it was there already when this driver joined
        if not entries or any(isinstance(one, ChatOpened | Renamed) for one in entries):
            self._snapshot_due = True  # what belongs to the chat as a whole is rare; pages get it anew
        state = before
        for one in entries:  # each event is told from the state right after its entry
            told, state = state, after if one is entries[-1] else apply(state, one)
            for event in page_events(told, state, one):
                _add(self._events, event)
        if entries:
            self._state = after
        if self._timer is None:
            loop = self.chat.thread.loop
            self._timer = loop.call_later(max(0.0, self._flushed + FLUSH_EVERY - loop.time()), self._flush)

    def _flush(self) -> None:
        self._timer = None
        self._flushed = self.chat.thread.loop.time()
        if self._snapshot_due:
            self._snapshot_due = False
            self._post(self._snapshot())
        else:
            self._flush_events()

    def _flush_events(self) -> None:
        events, self._events = self._events, []
        if events:
            first, self.seq = self.seq + 1, self.seq + len(events)
            self._post(page.Events(boot=self.boot, first=first, events=events))

    def _post(self, message: page.ToPage) -> None:
        self._send(_wire(message))

    # Page to kernel --------------------------------------------------------------------------------------------------

    def receive(self, content: object) -> None:
        """Take a page's message, on whatever thread it comes in; a malformed one is acknowledged as refused."""
        self.chat.clicks_off_main = threading.current_thread() is not threading.main_thread()
        self.chat.thread.post(lambda: self._receive(content))

    def _receive(self, content: object) -> None:
        try:
            request = page.to_kernel.validate_python(content)
        except ValidationError as error:
            mid = cast("dict[str, object]", content).get("mid") if isinstance(content, dict) else None
            if isinstance(mid, str) and mid:
                self._answer(mid[:64], ok=False, code="malformed", message=_first(error))
            return
        match request:
            case page.Ping() | page.Wallets():
                self._wallets.heard(request)
                self._answer(request.mid)
            case page.Resync():
                self._post(self._snapshot())
                self._answer(request.mid)
            case page.Explain():
                self._question(request)
            case _:
                self._act(request)

    def _question(self, request: page.Question) -> None:
        """Answer what only reads, as often as it is asked."""
        try:
            data = self._found(request)
        except Exception as error:  # whatever went wrong, a page that asked gets its answer
            code, message = _reason(error)
            self._answer(request.mid, ok=False, code=code, message=message)
        else:
            self._answer(request.mid, data=data)

    def _found(self, request: page.Question) -> Any:
        call = self.chat.conversation.call(request.key)
        return explain(call.prepared.review if call.prepared else None)

    def _act(self, request: page.Act) -> None:
        known = self._acks.get(request.mid)
        if known is not None:
            self._acks.move_to_end(request.mid)
            self._post(known)
            return
        if isinstance(request, page.Respond):
            if request.mid not in self._checking:
                self._checking.add(request.mid)
                self.chat.thread.spawn(self._respond(request))
            return
        try:
            self._carry_out(request)
        except Exception as error:  # whatever went wrong, a page that asked gets its answer
            self._refuse(request.mid, error)
        else:
            self._acknowledge(request.mid)

    def _carry_out(self, request: page.Act) -> None:
        chat = self.chat.conversation
        match request:
            case page.Send(text=text):
                if not text.strip():
                    raise ValueError("There is nothing to send: the message is empty.")
                chat.ask(text)
            case page.EditMessage(turn=turn, text=text):
                if not text.strip():
                    raise ValueError("There is nothing to send: the message is empty.")
                versions.edit(chat, turn, text)
            case page.Regenerate(turn=turn):
                versions.regenerate(chat, turn)
            case page.Choose(turn=turn):
                versions.choose(chat, turn)
            case page.Decide():
                chat.decide(
                    request.key,
                    request.decision,
                    digest=request.digest,
                    version=request.version,
                    actor="page",
                    reason=request.reason,
                )
                self._wallets.decided(request)
            case page.Stop():
                chat.stop()
            case page.Retry(turn=turn):
                chat.retry(turn)
            case page.Continue(turn=turn):
                chat.extend(turn)
            case page.Undo(key=key):
                chat.undo(key)
            case page.WalletAnswer():
                self._wallets.answered(request)
            case page.Respond():
                pass

    async def _respond(self, request: page.Respond) -> None:
        try:
            await self.chat.conversation.respond(
                request.key, request.text, digest=request.digest, version=request.version, actor="page"
            )
        except Exception as error:  # whatever went wrong, a page that asked gets its answer
            self._refuse(request.mid, error)
        else:
            self._acknowledge(request.mid)
        finally:
            self._checking.discard(request.mid)

    def _refuse(self, mid: str, error: Exception) -> None:
        code, message = _reason(error)
        self._acknowledge(mid, ok=False, code=code, message=message)

    def _acknowledge(self, mid: str, *, ok: bool = True, code: str = "", message: str = "") -> None:
        """Answer an act and remember the answer."""
        self._acks[mid] = self._answer(mid, ok=ok, code=code, message=message)
        while len(self._acks) > _REMEMBERED:
            self._acks.popitem(last=False)

    def _answer(self, mid: str, *, ok: bool = True, code: str = "", message: str = "", data: Any = None) -> page.Ack:
        self._flush_events()  # the page must not learn that its act was taken before it sees what came of it
        ack = page.Ack(mid=mid, boot=self.boot, seq=self.seq, ok=ok, code=code, message=message, data=data)
        self._post(ack)
        return ack


def _reason(error: Exception) -> tuple[str, str]:
    """Code and sentence for a request that could not be carried out."""
    match error:
        case DecisionRefused():
            return error.code, str(error)
        case BitteError() | ValueError():
            return "refused", str(error)
        case _:
            _log.error("A page's request failed.", exc_info=error)
            return "internal", f"Internal error: {type(error).__name__}: {error}"


def _nowhere(_message: dict[str, Any]) -> None:
    pass


def _wire(message: page.ToPage) -> dict[str, Any]:
    return browser_data(message.model_dump())


def _add(events: list[page.PageEvent], event: page.PageEvent) -> None:
    """Add an event; text that goes on where the last one ended becomes part of it."""
    last = events[-1] if events else None
    match last, event:
        case (page.TextDelta(), page.TextDelta()) | (page.ThinkingDelta(), page.ThinkingDelta()) if (
            last.turn,
            last.step,
        ) == (event.turn, event.step):
            events[-1] = last.model_copy(update={"text": last.text + event.text})
        case page.ArgsDelta(), page.ArgsDelta() if last.key == event.key:
            events[-1] = last.model_copy(update={"text": last.text + event.text})
        case _:
            events.append(event)


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"The page sent something that is not part of the contract: {where}: {first['msg']}."
