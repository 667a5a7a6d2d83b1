"""A signer with published development keys: real signatures that are worth nothing, and sending on local chains."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Iterable
from typing import Any

from nacl.signing import SigningKey

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import SigningError
from bitte_nb.signing import evm, nep413
from bitte_nb.signing.eth import eth_account
from bitte_nb.signing.requests import EvmSignRequest, NearTransactions, SigningRequest, SignMessageRequest
from bitte_nb.signing.rpc import Node
from bitte_nb.signing.sending import Sender
from bitte_nb.signing.transactions import read_transactions, why_not_in_turn

__all__ = ["EVM_ADDRESSES", "LOCAL_CHAINS", "DevelopmentSigner"]

LOCAL_CHAINS = frozenset({31337, 1337})
"""Chain ids that local nodes use by default (anvil and hardhat; ganache and geth --dev)."""

EVM_ADDRESSES = (
    "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
    "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
    "0x976EA74026E726554dB657fA54763abd0C3a0aa9",
    "0x14dC79964da2C08b23698B3D3cc7Ca32193d9955",
    "0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f",
    "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720",
)
"""The first accounts of the test mnemonic, as local nodes print them when they start (BIP-44, m/44'/60'/0'/0/i)."""

_MNEMONIC = "test test test test test test test test test test test junk"
_NEAR_PHRASE = "bitte_nb development key, published, never fund it"


class DevelopmentSigner:
    """Signs with keys that everybody knows: for notebooks, tests and local chains, never for anything of worth.

    The EVM account is one of the test mnemonic's; the NEAR key is ed25519 with the seed
    SHA-256(phrase, newline, account id), and both recipes are in this file. Transactions are sent only where `rpc_url`
    names a node; they and typed data only for `LOCAL_CHAINS` or chain ids that `allow_chains` names.

    Args:
        account_id: NEAR account whose name the NEP-413 results carry.
        evm_index: Which of `EVM_ADDRESSES` signs.
        rpc_url: HTTP URL of a local EVM node, or None to sign only.
        allow_chains: Further chain ids to send to and sign typed data for; an explicit act, since the keys are public.
        receipt_timeout: Seconds to wait for each receipt before the outcome is called unknown.
    """

    name = "Development keys (published, worth nothing)"

    def __init__(
        self,
        *,
        account_id: str | None = "alice.near",
        evm_index: int = 0,
        rpc_url: str | None = None,
        allow_chains: Iterable[int] = (),
        receipt_timeout: float = 30.0,
    ) -> None:
        if not 0 <= evm_index < len(EVM_ADDRESSES):
            raise SigningError(f"evm_index must be from 0 to {len(EVM_ADDRESSES) - 1}, not {evm_index}.")
        self.account_id = account_id
        self.evm_address = EVM_ADDRESSES[evm_index]
        self._index = evm_index
        self._chains = LOCAL_CHAINS | frozenset(allow_chains)
        self._sender = None if rpc_url is None else Sender(Node(rpc_url), receipt_timeout=receipt_timeout)
        self._sending = asyncio.Lock()

    def __repr__(self) -> str:
        return f"DevelopmentSigner(account_id={self.account_id!r}, evm_address={self.evm_address!r})"

    @property
    def near_public_key(self) -> str | None:
        """`ed25519:` and base58, or None where there is no NEAR account."""
        if self.account_id is None:
            return None
        return nep413.public_key_text(bytes(_near_key(self.account_id).verify_key))

    @property
    def accounts(self) -> Wallet:
        """The accounts that its keys belong to."""
        return self.wallet()

    def wallet(self, *, chain_id: int | None = None) -> Wallet:
        """The wallet context of these accounts."""
        return Wallet(account_id=self.account_id, evm_address=self.evm_address, chain_id=chain_id)

    def can(self, request: SigningRequest) -> str | None:
        """None where the request can be signed or sent here, else a sentence why not."""
        match request:
            case SignMessageRequest():
                return None if self.account_id else "This signer has no NEAR account to sign with."
            case NearTransactions():
                return "The development signer sends no NEAR transactions: there is no local NEAR node to send them to."
            case EvmSignRequest() if request.sends:
                return self._can_send(request)
            case EvmSignRequest(method="eth_sign"):
                return (
                    "eth_sign is refused: it signs 32 bytes that nobody can read and that may be a transaction. Ask "
                    "for personal_sign or eth_signTypedData_v4."
                )
            case EvmSignRequest():
                return self._can_sign(request)

    def _can_sign(self, request: EvmSignRequest) -> str | None:
        if request.method not in evm.SIGNATURE_METHODS:
            return f"The development signer does not know {request.method}."
        try:
            asked = evm.read_signable(request).address
        except SigningError as error:
            return str(error)
        # Typed data moves value as a transaction does; a text only shows who holds a key that everybody holds.
        if request.method != "personal_sign" and request.chain_id not in self._chains:
            return self._elsewhere("signs no typed data for", request.chain_id)
        return self._own(asked)

    def _elsewhere(self, does: str, chain_id: int) -> str:
        known = ", ".join(str(one) for one in sorted(self._chains))
        return (
            f"The development signer {does} chain {chain_id}: its keys are public, so it works only for chain {known}. "
            "Name the chain in allow_chains if it is a test network of yours."
        )

    def _can_send(self, request: EvmSignRequest) -> str | None:
        if self._sender is None:
            return "The development signer has no node to send to: give it rpc_url, the address of a local node."
        if request.chain_id not in self._chains:
            return self._elsewhere("does not send to", request.chain_id)
        try:
            why_not, transactions = why_not_in_turn(request), read_transactions(request)
        except SigningError as error:
            return str(error)
        if why_not is not None:
            return why_not
        senders = [one["from"] for one in transactions if "from" in one]
        return next((why for sender in senders if (why := self._own(sender))), None)

    def _own(self, asked: str) -> str | None:
        if evm.same_address(asked, self.evm_address):
            return None
        return f"The request asks {asked} to sign, but this signer holds {self.evm_address}."

    def _refuse_unless_able(self, request: SigningRequest) -> None:
        why_not = self.can(request)
        if why_not is not None:
            raise SigningError(why_not)

    async def sign_message(self, request: SignMessageRequest) -> dict[str, Any]:
        """Sign a NEP-413 message with the published NEAR key."""
        self._refuse_unless_able(request)
        key = _near_key(self.account_id or "")
        return nep413.result(
            request,
            account_id=self.account_id or "",
            public_key=nep413.public_key_text(bytes(key.verify_key)),
            signature=base64.b64encode(key.sign(nep413.digest(request)).signature).decode(),
        )

    async def send_transactions(self, request: NearTransactions) -> dict[str, Any]:
        """Refuse: there is no local NEAR node."""
        self._refuse_unless_able(request)
        raise SigningError("The development signer sends no NEAR transactions.")

    async def evm(self, request: EvmSignRequest) -> dict[str, Any]:
        """Sign a text or typed data, or send transactions to the local node and wait for their receipts."""
        self._refuse_unless_able(request)
        if request.sends and self._sender is not None:
            account = await asyncio.to_thread(_evm_account, self._index)
            async with self._sending:  # two at once would take the same nonce
                return await self._sender.send(request, account)
        return await asyncio.to_thread(self._signature, request)

    async def look_up(self, transaction_hash: str) -> dict[str, Any]:
        """Ask the node once more about a transaction whose outcome is unknown; sends nothing.

        Returns:
            hash and status: mined, failed, submitted (known but not included) or unknown.

        Raises:
            SigningError: there is no node, or it does not answer.
        """
        if self._sender is None:
            raise SigningError("There is no node to ask: this signer was made without rpc_url.")
        return await self._sender.look_up(transaction_hash)

    def _signature(self, request: EvmSignRequest) -> dict[str, Any]:
        message = evm.encoded(evm.read_signable(request))
        signed = _evm_account(self._index).sign_message(message)
        return evm.signature_result(request, "0x" + bytes(signed.signature).hex())


def _near_key(account_id: str) -> SigningKey:
    return SigningKey(hashlib.sha256(f"{_NEAR_PHRASE}\n{account_id}".encode()).digest())


def _evm_account(index: int) -> Any:
    """The local account; imports eth-account, which takes about a second the first time."""
    accounts: Any = eth_account().Account
    accounts.enable_unaudited_hdwallet_features()
    account = accounts.from_mnemonic(_MNEMONIC, account_path=f"m/44'/60'/0'/0/{index}")
    if not evm.same_address(account.address, EVM_ADDRESSES[index]):
        raise SigningError("The development account could not be derived: the installed eth-account behaves otherwise.")
    return account
