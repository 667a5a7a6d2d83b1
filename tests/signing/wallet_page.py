"""A page with a wallet, as far as a signer can tell: takes requests and answers them by functions of a test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from bitte_nb.core.wallet import Wallet
from bitte_nb.signing.injected import Asking, InjectedSigner
from bitte_nb.signing.pages import WalletRequest

CALL = "chat1:1.1.0"

Answer = Callable[[WalletRequest], Awaitable[Any]]


class Fault(Exception):
    """What a wallet says instead of a result."""

    def __init__(self, code: int, message: str = "no") -> None:
        super().__init__(message)
        self.code = code


@dataclass
class WalletPage:
    """See the module; `answer` may return, raise `Fault`, or wait for ever."""

    signer: InjectedSigner
    answer: Answer
    page: str = "page1"
    asked: list[WalletRequest] = field(default_factory=list[WalletRequest])
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the wallet was asked."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])

    def __post_init__(self) -> None:
        self.signer.pages.join("chat1", self._take)

    def _take(self, request: WalletRequest) -> None:
        if request.page != self.page:
            return
        self.asked.append(request)
        self.opened.set()
        task = asyncio.ensure_future(self._reply(request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _reply(self, request: WalletRequest) -> None:
        try:
            result = await self.answer(request)
        except Fault as fault:
            self.signer.pages.answer(request.nonce, self.page, code=fault.code, message=str(fault))
        else:
            self.signer.pages.answer(request.nonce, self.page, result=result)

    def approve(self, told: list[str] | None = None) -> Asking:
        """Press Approve on this page; the signer for that approval."""
        self.signer.pages.clicked(CALL, self.page)
        return self.signer.at(CALL, (told if told is not None else []).append)

    @property
    def methods(self) -> list[str]:
        return [request.method for request in self.asked]


def page_of(answer: Answer, *, wallet: Wallet | None = None, **options: Any) -> WalletPage:
    return WalletPage(InjectedSigner(wallet=wallet, **options), answer)
