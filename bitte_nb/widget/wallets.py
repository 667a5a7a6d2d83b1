"""The line between the signers that ask a browser wallet and the pages of a chat that can reach one."""

from __future__ import annotations

from collections.abc import Callable

from bitte_nb.agent.chat import Chat
from bitte_nb.errors import DecisionRefused
from bitte_nb.signing.injected import InjectedSigner
from bitte_nb.signing.pages import Pages, Seen, WalletRequest
from bitte_nb.widget import protocol as page

__all__ = ["WalletLine"]


class WalletLine:
    """See the module; only for the agent thread.

    Args:
        chat: The chat that the pages show.
        boot: The kernel's run, as the chat's other messages name it.
    """

    def __init__(self, chat: Chat, boot: str) -> None:
        self._chat = chat
        self._boot = boot

    def _pages(self) -> list[Pages]:
        signers = (agent.signer for agent in self._chat.conversation.agents.values())
        found = {id(one.pages): one.pages for one in signers if isinstance(one, InjectedSigner)}
        return list(found.values())

    def join(self, post: Callable[[page.WalletRequest], None]) -> list[Callable[[], object]]:
        """Deliver requests to the pages by `post`; returns the ways to stop that."""

        def send(request: WalletRequest) -> None:
            post(
                page.WalletRequest(
                    boot=self._boot,
                    page=request.page,
                    key=request.call.split(":")[1],
                    nonce=request.nonce,
                    namespace=request.namespace,
                    method=request.method,
                    params=request.params,
                    network=request.network,
                    account=request.account,
                )
            )

        return [pages.join(self._chat.id, send) for pages in self._pages()]

    def heard(self, request: page.Ping | page.Wallets) -> None:
        """Take a sign of life of a page, and what it says of its wallets."""
        for pages in self._pages():
            if isinstance(request, page.Ping):
                pages.heard(request.page)
            else:
                wallets = tuple((one.rdns, one.name) for one in request.found)
                seen = Seen(wallets=wallets, accounts=tuple(request.accounts), network=request.network)
                pages.found(request.page, seen)

    def decided(self, request: page.Decide) -> None:
        """Remember which page approved a call."""
        if request.decision == "approve":
            for pages in self._pages():
                pages.clicked(f"{self._chat.id}:{request.key}", request.page)

    def answered(self, request: page.WalletAnswer) -> None:
        """Hand a wallet's answer to whoever waits for it.

        Raises:
            DecisionRefused: nobody does: it was answered, given up or stopped.
        """
        code, message = (request.error.code, request.error.message) if request.error else (None, "")
        taken = [
            pages.answer(request.nonce, request.page, result=request.result, code=code, message=message)
            for pages in self._pages()
        ]
        if not any(taken):
            raise DecisionRefused(
                "The wallet answered, but nobody waits for it any more. Look at the wallet's activity: what it did is "
                "not recorded here."
            )
