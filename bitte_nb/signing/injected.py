"""The browser wallet of the page: an EVM wallet (EIP-1193, found by EIP-6963) or an injected NEAR wallet.

The page that approved asks the wallet once; whatever comes back is checked here before it is a result. A wallet may
choose nonce, gas and fees, and nothing else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeVar

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import SigningError
from bitte_nb.signing import evm
from bitte_nb.signing.injected_evm import carry_out, look_at
from bitte_nb.signing.injected_near import send, sign, why_not_near
from bitte_nb.signing.near_rpc import NearNode
from bitte_nb.signing.pages import PageLeft, Pages, Uncertain, WalletRefused
from bitte_nb.signing.requests import EvmSignRequest, NearTransactions, SigningRequest, SignMessageRequest
from bitte_nb.signing.rpc import Node
from bitte_nb.signing.timing import SystemTiming, Timing
from bitte_nb.signing.transactions import read_transactions

__all__ = ["Asking", "InjectedSigner"]

T = TypeVar("T", SignMessageRequest, NearTransactions, EvmSignRequest)

RECEIPT_TIMEOUT = 90.0
"""Seconds to wait for a receipt before an outcome is called unknown."""
READ_PATIENCE = 10.0
"""Seconds that a wallet may take to answer what only reads."""

_DECLINED, _UNAUTHORIZED, _UNSUPPORTED, _BUSY = 4001, 4100, 4200, -32002
_NOT_DONE = frozenset({_UNAUTHORIZED, _UNSUPPORTED, _BUSY, 4902, 5700, 5710, 5720, 5730, 5740, 5750, 5760})
"""Errors by which a wallet says that it did not do what it was asked (EIP-1193, EIP-1474, EIP-3085, EIP-5792)."""

_NO_PAGE = (
    "A browser wallet is asked by the page whose Approve button was pressed, and no page approved this. Nothing was "
    "signed or sent."
)


class InjectedSigner:
    """Signs and sends with the wallet of the person's browser; it holds no key and never sees one.

    Args:
        wallet: The accounts that must sign; an empty field means whichever the wallet is connected with.
        rpc: EIP-155 chain id, or NEAR network, to the URL of a node to check outcomes on; without one the wallet's own
            node is asked, through the page.
        pages: How pages are reached; by default an own set.
        receipt_timeout: Seconds to wait for each receipt before an outcome is called unknown.
        timing: The source of time.
    """

    name = "Browser wallet"

    def __init__(
        self,
        *,
        wallet: Wallet | None = None,
        rpc: Mapping[int | str, str] | None = None,
        pages: Pages | None = None,
        receipt_timeout: float = RECEIPT_TIMEOUT,
        timing: Timing | None = None,
    ) -> None:
        self.wallet = wallet or Wallet()
        self.timing: Timing = timing or SystemTiming()
        self.pages = pages or Pages(timing=self.timing)
        self.receipt_timeout = receipt_timeout
        self._nodes: dict[str, Node] = {str(chain): Node(url) for chain, url in (rpc or {}).items()}

    def __repr__(self) -> str:
        return f"InjectedSigner({self.wallet!r}, nodes={sorted(self._nodes)})"

    @property
    def accounts(self) -> Wallet:
        """The accounts that must sign; an empty field means any."""
        return self.wallet.model_copy(update={"chain_id": None})

    def node(self, network: int | str) -> Node | None:
        """The node that was given for a chain or NEAR network."""
        return self._nodes.get(str(network))

    def near_node(self, network: str) -> NearNode | None:
        """The same for a NEAR network."""
        node = self.node(network)
        return None if node is None else NearNode(node)

    def can(self, request: SigningRequest) -> str | None:
        """None where a browser wallet could be asked, else a sentence why not. Whether there is one, the page says."""
        match request:
            case SignMessageRequest():
                return None
            case NearTransactions():
                return why_not_near(request)
            case EvmSignRequest(method="eth_sign"):
                return (
                    "eth_sign is refused: it signs 32 bytes that nobody can read and that may be a transaction. Ask "
                    "for personal_sign or eth_signTypedData_v4."
                )
            case EvmSignRequest() if request.sends or request.method in evm.SIGNATURE_METHODS:
                return self._why_not_evm(request)
            case EvmSignRequest():
                return f"A browser wallet is not asked for {request.method} here: its answer could not be checked."

    def _why_not_evm(self, request: EvmSignRequest) -> str | None:
        try:
            transactions = read_transactions(request) if request.sends else []
            asked = [one["from"] for one in transactions if "from" in one]
            if not request.sends:
                asked = [evm.read_signable(request).address]
        except SigningError as error:
            return str(error)
        if any(one.get("authorizationList") for one in transactions):
            return "Browser wallets take no EIP-7702 authorization from a page; use the wallet's own button."
        own = self.wallet.evm_address
        other = next((one for one in asked if own and not evm.same_address(one, own)), None)
        return f"The request asks {other} to sign, but the wallet is {own}." if other else None

    def at(self, call: str, tell: Callable[[str], object]) -> Asking:
        """The signer for one approved call: `tell` takes signs of life to show and keep while it runs."""
        return Asking(self, call, tell)

    async def look(
        self, call: str, request: EvmSignRequest, hashes: list[str], *, more: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """Ask once what became of the transactions of a call: the given node, else the wallet's own through a page.

        Args:
            call: Its name, `chat:key`.
            request: What was reviewed.
            hashes: What the wallet named, in order.
            more: What else each of them must be; see `outcome.differs`.

        Raises:
            OtherTransaction: one of them is not what was reviewed.
            SigningError: nobody answers.
        """
        return await look_at(self.at(call, _unheard), request, hashes, more=more)

    async def sign_message(self, request: SignMessageRequest) -> dict[str, Any]:
        """Refuse: no page approved."""
        raise SigningError(_NO_PAGE)

    async def send_transactions(self, request: NearTransactions) -> dict[str, Any]:
        """Refuse: no page approved."""
        raise SigningError(_NO_PAGE)

    async def evm(self, request: EvmSignRequest) -> dict[str, Any]:
        """Refuse: no page approved."""
        raise SigningError(_NO_PAGE)


def _unheard(_note: str) -> None:
    pass


class Asking:
    """An `InjectedSigner` that carries out one approved call; see `signing.protocol.Signer`."""

    def __init__(self, signer: InjectedSigner, call: str, tell: Callable[[str], object]) -> None:
        self.signer = signer
        self.tell = tell
        self._call = call

    @property
    def name(self) -> str:
        """As the signer's."""
        return self.signer.name

    @property
    def accounts(self) -> Wallet:
        """As the signer's."""
        return self.signer.accounts

    def can(self, request: SigningRequest) -> str | None:
        """As the signer's."""
        return self.signer.can(request)

    async def sign_message(self, request: SignMessageRequest) -> dict[str, Any]:
        """Have a NEP-413 message signed and verify it."""
        return await self._settled(request, sign)

    async def send_transactions(self, request: NearTransactions) -> dict[str, Any]:
        """Have NEAR transactions signed and sent."""
        return await self._settled(request, send)

    async def evm(self, request: EvmSignRequest) -> dict[str, Any]:
        """Have a text or typed data signed, or transactions sent."""
        return await self._settled(request, carry_out)

    async def _settled(self, request: T, work: Callable[[Asking, T], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
        why_not = self.can(request)
        if why_not is not None:
            raise SigningError(why_not)
        try:
            return await work(self, request)
        except Uncertain as error:
            return {"status": "unknown", "error": str(error)}

    async def act(
        self, namespace: Literal["evm", "near"], method: str, params: Any, *, network: str, account: str, sends: bool
    ) -> Any:
        """Have the wallet sign or send.

        Raises:
            Uncertain: it may have done so.
            SigningError: it did not; the sentence says why.
        """
        pages = self.signer.pages
        try:
            return await pages.ask(self._call, namespace, method, params, network=network, account=account)
        except PageLeft as error:
            what = "sent this" if sends else "signed this; nothing was sent by it"
            raise Uncertain(
                f"{error} It may still be open and may have {what}. Close its window, and look at its activity "
                "before you ask for this again."
            ) from None
        except WalletRefused as error:
            raise _refusal(error, namespace=namespace, sends=sends) from None

    async def read(self, method: str, params: list[Any], *, network: str) -> Any:
        """Ask the wallet's own node through the page; the person is not asked."""
        return await self.signer.pages.ask(
            self._call, "evm", method, params, network=network, account="", patience=READ_PATIENCE, reads=True
        )


_REJECTIONS = ("reject", "declin", "denied", "cancel", "closed the window", "closed window", "user closed")


def _refusal(error: WalletRefused, *, namespace: str, sends: bool) -> SigningError:
    """What an error of a wallet means; a wallet that does not clearly say no leaves a sending uncertain."""
    said, code, nothing = error.said.rstrip("."), error.code, "Nothing was signed or sent"
    # NEAR wallets have no codes: only their words tell that the person said no.
    if code == _DECLINED or (namespace == "near" and any(one in said.lower() for one in _REJECTIONS)):
        return SigningError(f"Declined in the wallet ({said}). {nothing}.")
    if code == _BUSY:
        return SigningError(
            f"The wallet has another request open ({said}). Open the wallet, answer that one, and ask again. {nothing}."
        )
    if code == _UNAUTHORIZED:
        return SigningError(f"The wallet does not let this page use the account ({said}). {nothing}.")
    if code == _UNSUPPORTED:
        return SigningError(f"The wallet cannot do this ({said}). {nothing}.")
    if 0 < code < 1000:  # the page looked before it asked the wallet
        return SigningError(f"{said}. {nothing}.")
    node_refused = -32099 <= code <= -32000 or code in {-32700, -32602, -32601, -32600}
    if code in _NOT_DONE or node_refused or not sends:
        return SigningError(f"The wallet refused: {said} (code {code}). {nothing}.")
    if code in {4900, 4901}:
        said = f"it lost its connection: {said}"
    return Uncertain(
        f"The wallet answered with an error ({said}, code {code}), which does not say whether it sent the transaction. "
        "Look at the wallet's activity before you ask for this again."
    )
