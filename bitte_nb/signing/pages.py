"""The pages that can reach a wallet: one request goes to the one page that approved, and its answer comes back once.

The wallet itself (EIP-1193, or an injected NEAR wallet) never leaves the page, and no key is ever seen here. Everything
runs on the thread of the loop that asks.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

from bitte_nb.errors import SigningError
from bitte_nb.signing.timing import SystemTiming, Timing

__all__ = ["PageLeft", "Pages", "Seen", "Uncertain", "WalletRefused", "WalletRequest"]

PATIENCE = 300.0
"""Seconds that a wallet may take to answer; a person reads what it shows."""
SILENCE = 150.0
"""Seconds without a sign of life after which a page is taken to be gone; hidden pages are woken once a minute."""
_LOOK = 5.0
_REMEMBERED = 256
T = TypeVar("T")

LEFT = 14
"""Code of a page that was left while its wallet was asked."""


class WalletRefused(SigningError):
    """The wallet, or the page on its behalf, answered with an error (EIP-1193); codes below 1000 are the page's."""

    def __init__(self, message: str, *, code: int, said: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.said = said or message


class Uncertain(SigningError):
    """The wallet may have done what it was asked; nobody knows."""


class PageLeft(SigningError):
    """No answer will come: the page is gone, or the wallet took too long. What the wallet did is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletRequest:
    """What a page is asked to ask its wallet."""

    page: str
    call: str
    """Names the approval that it belongs to."""
    nonce: str
    namespace: Literal["evm", "near"]
    method: str
    params: Any
    network: str
    account: str


@dataclass(slots=True)
class _Open:
    request: WalletRequest
    answer: asyncio.Future[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a page says of its wallets: claims of the page and of the wallets, never facts."""

    wallets: tuple[tuple[str, str], ...] = ()
    """rdns and name of each."""
    accounts: tuple[str, ...] = ()
    """Accounts that the wallet in use shows."""
    network: str = ""
    """EIP-155 chain id in decimal, or empty."""


@dataclass(slots=True)
class _Page:
    heard: float
    seen: Seen = field(default_factory=Seen)


@dataclass(slots=True)
class Pages:
    """See the module.

    Args:
        timing: The source of time.
        patience: Seconds that a wallet may take to answer.
        silence: Seconds without a sign of life after which a page is taken to be gone.
    """

    timing: Timing = field(default_factory=SystemTiming)
    patience: float = PATIENCE
    silence: float = SILENCE
    _pages: OrderedDict[str, _Page] = field(default_factory=OrderedDict[str, _Page], repr=False)
    _senders: dict[str, list[Callable[[WalletRequest], None]]] = field(
        default_factory=dict[str, "list[Callable[[WalletRequest], None]]"], repr=False
    )
    _clicked: OrderedDict[str, str] = field(default_factory=OrderedDict[str, str], repr=False)
    _open: dict[str, _Open] = field(default_factory=dict[str, _Open], repr=False)
    _given_up: OrderedDict[str, WalletRequest] = field(default_factory=OrderedDict[str, WalletRequest], repr=False)
    _late: OrderedDict[str, str] = field(default_factory=OrderedDict[str, str], repr=False)
    _count: int = 0

    # Whoever shows the chat ------------------------------------------------------------------------------------------

    def join(self, chat: str, send: Callable[[WalletRequest], None]) -> Callable[[], None]:
        """Deliver requests of a chat to its pages by `send`; returns the way to stop that."""
        self._senders.setdefault(chat, []).append(send)
        return lambda: self._senders[chat].remove(send)

    def heard(self, page: str) -> None:
        """Take a sign of life of a page."""
        if page:
            self._page(page).heard = self.timing.monotonic()

    def found(self, page: str, seen: Seen) -> None:
        """Keep what a page says of its wallets."""
        if page:
            self.heard(page)
            self._page(page).seen = seen

    def clicked(self, call: str, page: str) -> None:
        """Remember which page approved; only that page will be asked."""
        _keep(self._clicked, call, page)
        self.heard(page)

    def answer(self, nonce: str, page: str, *, result: Any = None, code: int | None = None, message: str = "") -> bool:
        """Take a wallet's answer: a result, or a code and message. False where nobody waits for it (any more)."""
        self.heard(page)
        waiting = self._open.get(nonce)
        if waiting is None or waiting.request.page != page or waiting.answer.done():
            self._take_late(nonce, page, result)
            return False
        if code is None:
            waiting.answer.set_result(result)
        elif code == LEFT:
            waiting.answer.set_exception(PageLeft("The page was closed or loaded again while the wallet was asked."))
        else:
            said = message.strip() or "no reason given"
            waiting.answer.set_exception(WalletRefused(said, code=code, said=said))
        return True

    def _take_late(self, nonce: str, page: str, result: Any) -> None:
        """Keep the hash that a wallet gave after nobody waited any more, for whoever looks the call up."""
        request = self._given_up.get(nonce)
        if request is None or request.page != page:
            return
        if isinstance(result, dict):  # a NEAR wallet's final execution outcome
            transaction: object = cast("dict[str, Any]", result).get("transaction")
            result = cast("dict[str, Any]", transaction).get("hash") if isinstance(transaction, dict) else None
        if isinstance(result, str) and len(result) <= 80:
            _keep(self._late, request.call, f"{self._late.get(request.call, '')} {result}".strip())

    def late(self, call: str) -> str:
        """What a wallet answered for a call after nobody waited for it any more: a hash, or empty. A claim."""
        return self._late.get(call, "")

    # Signers ---------------------------------------------------------------------------------------------------------

    @property
    def seen(self) -> tuple[Seen, ...]:
        """What the pages that are open say of their wallets, the newest page first."""
        return tuple(known.seen for page, known in reversed(self._pages.items()) if self._lives(page))

    async def ask(
        self,
        call: str,
        namespace: Literal["evm", "near"],
        method: str,
        params: Any,
        *,
        network: str,
        account: str,
        patience: float | None = None,
        reads: bool = False,
    ) -> Any:
        """Have the page that approved `call` ask its wallet, and wait for the answer, `patience` seconds at most.

        What only `reads` goes to another page of the chat where that one is gone.

        Raises:
            WalletRefused: the wallet or the page refused.
            PageLeft: no answer will come; what the wallet did is not known.
            SigningError: no page approved it, so none can be asked: nothing happened.
        """
        page = self._clicked.get(call, "")
        if reads and not self._lives(page):
            page = next((one for one in reversed(self._pages) if self._lives(one)), "")
        senders = self._senders.get(call.partition(":")[0], [])
        if not page or not senders:
            raise SigningError(
                "A browser wallet is asked by the page whose Approve button was pressed, and no page approved this. "
                "Nothing was signed or sent."
            )
        self._count += 1
        request = WalletRequest(
            page=page, call=call, nonce=f"{call}#{self._count}", namespace=namespace, method=method, params=params,
            network=network, account=account,
        )  # fmt: skip
        waiting = self._open[request.nonce] = _Open(request, asyncio.get_running_loop().create_future())
        try:
            for send in tuple(senders):
                send(request)
            return await self._answered(waiting, self.patience if patience is None else patience)
        finally:
            del self._open[request.nonce]
            if not reads and not waiting.answer.done():
                _keep(self._given_up, request.nonce, request)

    async def _answered(self, waiting: _Open, patience: float) -> Any:
        end = self.timing.monotonic() + patience
        while True:
            look = asyncio.ensure_future(self.timing.sleep(min(_LOOK, patience)))
            try:
                await asyncio.wait({look, waiting.answer}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                look.cancel()
            if waiting.answer.done():
                return waiting.answer.result()
            now = self.timing.monotonic()
            if now >= end:
                raise PageLeft(f"The wallet did not answer within {patience:g} s.")
            if now - self._page(waiting.request.page).heard > self.silence:
                raise PageLeft("The page that asked the wallet is gone.")

    def _page(self, page: str) -> _Page:
        known = self._pages.get(page)
        if known is None:
            known = _Page(heard=self.timing.monotonic())
            _keep(self._pages, page, known)
        return known

    def _lives(self, page: str) -> bool:
        known = self._pages.get(page)
        return known is not None and self.timing.monotonic() - known.heard <= self.silence


def _keep(entries: OrderedDict[str, T], name: str, value: T) -> None:
    """Add an entry and forget the oldest ones beyond a number."""
    entries[name] = value
    while len(entries) > _REMEMBERED:
        entries.popitem(last=False)
