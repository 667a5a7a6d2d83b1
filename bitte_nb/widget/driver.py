"""Keeps the open pages of a chat in step with it: numbers events, sends at most 30 messages a second, answers requests.

One snapshot answers every gap, so a reload, a second view and a view opened late all show the same. Requests of a page
are validated, put on the agent thread's queue and acknowledged there; nothing is handled on the thread they come in on.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any, cast

from pydantic import ValidationError

from bitte_nb.agent.chat import Chat
from bitte_nb.agent.stream import FLUSH_EVERY
from bitte_nb.core.fold import ChatState, apply, turn_of
from bitte_nb.core.log import ChatOpened, Entry, Renamed, RuleGranted, RuleRevoked
from bitte_nb.errors import DecisionRefused
from bitte_nb.widget import protocol as page
from bitte_nb.widget.acting import carry_out, carry_out_later, found, reason
from bitte_nb.widget.batch import add_event, events_data
from bitte_nb.widget.drawer import answer
from bitte_nb.widget.files import Drafts, attaching, file_part
from bitte_nb.widget.pace import Pace
from bitte_nb.widget.part import Part
from bitte_nb.widget.told import page_events
from bitte_nb.widget.view import chat_view
from bitte_nb.widget.wallets import WalletLine
from bitte_nb.widget.wire import browser_data

__all__ = ["Driver"]

_log = logging.getLogger(__name__)

_WHOLE = frozenset({ChatOpened, Renamed, RuleGranted, RuleRevoked})
"""Entries about the chat as a whole."""
_REMEMBERED = 256
"""Acknowledgements of acts kept, so that a repeated act is answered again and not carried out again."""
_ANOTHER = "Another chat was opened in this place meanwhile, so this was not done. Look at it again."


class Driver:
    """See the module; `send` delivers one message to all pages of the chat and may be called from the agent thread.

    With a part it tells of that part only, and of no other chat that takes the place of its own.
    """

    def __init__(self, chat: Chat, send: Callable[[dict[str, Any]], None], part: Part | None = None) -> None:
        self.chat = chat
        self.part = part
        self.boot = secrets.token_hex(4)
        """Names the run of numbers; another chat in the place of the one that was open begins a new one."""
        self.seq = 0
        """Number of the newest event."""
        self._send = send
        self._events: list[page.PageEvent] = []
        self._acks: OrderedDict[str, page.Ack] = OrderedDict()
        self._checking: set[str] = set()
        self._drafts = Drafts()
        self._snapshot_due = False
        self._timer: asyncio.TimerHandle | None = None
        self._flushed = 0.0
        self._state = ChatState()
        """The state up to which this driver was told; the chat may be ahead of it while a listener acts."""
        self._leave: Callable[[], object] = lambda: None
        chat.thread.call(self._join)

    def _join(self) -> None:
        leave = self.chat.watch(self._appended)
        self._begin()
        self._leave = lambda: (leave(), self._leave_wallets(), self._pace.leave())

    def _begin(self) -> None:
        """Start anew with the chat that is open now."""
        self._conversation = self.chat.conversation
        self._state = self.chat.state
        self._events = []
        self._attach = attaching(self._conversation)
        self._pace = Pace(self._conversation)
        self._wallets = WalletLine(self.chat, self.boot)
        left = self._wallets.join(self._ask_wallet)
        self._leave_wallets: Callable[[], object] = lambda: [leave() for leave in left]

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
        return page.Snapshot(boot=self.boot, seq=self.seq, chat=self._view())

    def _view(self) -> page.ChatView:
        chat = self.chat
        return chat_view(
            self._shown(self._state),
            notice=chat.notice,
            elsewhere=chat.elsewhere,
            attach=self._attach,
            part=self.part.view(self._state) if self.part else None,
        )

    def shows(self, key: str) -> bool:
        """Whether pages have the call of that key."""
        return turn_of(key) not in self._shown(self._state).elsewhere

    def _shown(self, state: ChatState) -> ChatState:
        return self.part.of(state) if self.part else state

    def _astray(self) -> bool:
        """Whether another chat is open in the place of the one that the part is of."""
        return self.part is not None and self.part.parts.chat != self.chat.id

    def _ask_wallet(self, request: page.WalletRequest) -> None:
        self._flush_events()  # the page sees that the call runs before it opens a wallet for it
        self._post(request)

    # Kernel to page --------------------------------------------------------------------------------------------------

    def _appended(self, before: ChatState, entries: tuple[Entry, ...], after: ChatState) -> None:
        if self._astray():
            return
        if self.chat.conversation is not self._conversation:
            self._leave_wallets()
            self._pace.leave()
            self.boot, self.seq = secrets.token_hex(4), 0
            self._begin()
        if entries and after.seq <= self._state.seq:
            return  # it was there already when this driver joined
        if not entries or not _WHOLE.isdisjoint(map(type, entries)):
            self._snapshot_due = True  # what belongs to the chat as a whole is rare; pages get it anew
        if self.part and self.part.view(before) != self.part.view(after):
            self._snapshot_due = True
        state = before
        for one in entries:  # each event is told from the state right after its entry
            told, state = state, after if one is entries[-1] else apply(state, one)
            for event in page_events(self._shown(told), self._shown(state), one):
                add_event(self._events, event)
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
            self._send({"type": "events", "boot": self.boot, "first": first, "events": events_data(events)})

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
        if isinstance(request, page.QuickQuestion):
            self._question(request)
            return
        match request:
            case page.Ping() | page.Wallets():
                self._wallets.heard(request)
                self._answer(request.mid)
            case page.Painted(page=name, behind=behind):
                self._pace.told(name, behind)
            case page.Unfold(unfolded=unfolded):
                if self.part:
                    self.part.unfolded = unfolded
                self._post(self._snapshot())
                self._answer(request.mid)
            case page.Resync():
                self._post(self._snapshot())
                self._answer(request.mid)
            case page.FetchFile():
                self._later(request.mid, file_part(self._conversation, request), remember=False)
            case page.ListChats() | page.ExportChat():
                self._later(request.mid, answer(self.chat, request), remember=False)
            case _:
                self._act(request)

    def _question(self, request: page.QuickQuestion) -> None:
        """Answer what changes nothing of the chat, as often as it is asked."""
        try:
            data = found(self._conversation, self._drafts, request)
        except Exception as error:  # whatever went wrong, a page that asked gets its answer
            code, message = reason(error)
            self._answer(request.mid, ok=False, code=code, message=message)
        else:
            self._answer(request.mid, data=data)

    def _act(self, request: page.Act | page.ShelfAct) -> None:
        known = self._acks.get(request.mid)
        if known is not None:
            self._acks.move_to_end(request.mid)
            self._post(known)
            return
        numbered = not isinstance(request, page.ShelfAct | page.WalletAnswer)
        if self._astray() or (numbered and request.boot not in ("", self.boot)):
            self._refuse(request.mid, DecisionRefused(_ANOTHER))
            return
        if isinstance(request, page.SlowAct):
            self._later(request.mid, carry_out_later(self.chat.conversation, request))
            return
        if isinstance(request, page.ShelfAct):
            self._later(request.mid, answer(self.chat, request))
            return
        try:
            carry_out(self.chat.conversation, self._wallets, self._drafts, request)
        except Exception as error:  # whatever went wrong, a page that asked gets its answer
            self._refuse(request.mid, error)
        else:
            self._acknowledge(request.mid)

    def _later(self, mid: str, answer: Coroutine[Any, Any, Any], *, remember: bool = True) -> None:
        """Answer a request once its coroutine is done; asked again meanwhile, it is not carried out again."""
        if mid in self._checking:
            answer.close()
            return
        self._checking.add(mid)
        self.chat.thread.spawn(self._answered(mid, answer, remember=remember))

    async def _answered(self, mid: str, answer: Coroutine[Any, Any, Any], *, remember: bool) -> None:
        give = self._acknowledge if remember else self._answer
        try:
            data = await answer
        except Exception as error:  # whatever went wrong, a page that asked gets its answer
            code, message = reason(error)
            give(mid, ok=False, code=code, message=message)
        else:
            give(mid, data=data)
        finally:
            self._checking.discard(mid)

    def _refuse(self, mid: str, error: Exception) -> None:
        code, message = reason(error)
        self._acknowledge(mid, ok=False, code=code, message=message)

    def _acknowledge(self, mid: str, *, ok: bool = True, code: str = "", message: str = "", data: Any = None) -> None:
        """Answer an act and remember the answer."""
        self._acks[mid] = self._answer(mid, ok=ok, code=code, message=message, data=data)
        while len(self._acks) > _REMEMBERED:
            self._acks.popitem(last=False)

    def _answer(self, mid: str, *, ok: bool = True, code: str = "", message: str = "", data: Any = None) -> page.Ack:
        # The page must not learn that its act was taken before it sees what came of it.
        if self._snapshot_due:
            self._snapshot_due = False
            self._post(self._snapshot())
        self._flush_events()
        ack = page.Ack(mid=mid, boot=self.boot, seq=self.seq, ok=ok, code=code, message=message, data=data)
        self._post(ack)
        return ack


def _nowhere(_message: dict[str, Any]) -> None:
    pass


def _wire(message: page.ToPage) -> dict[str, Any]:
    return browser_data(message.model_dump())


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"The page sent something that is not part of the contract: {where}: {first['msg']}."
