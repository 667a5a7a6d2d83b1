"""Signers by name, so that a chat can be loaded again without a key ever having been stored."""

from __future__ import annotations

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import SigningError
from bitte_nb.signing.protocol import Signer

__all__ = ["SIGNERS", "resolve_signer"]

SIGNERS = ("review-only", "development")


def resolve_signer(signer: str | Signer, wallet: Wallet) -> Signer:
    """The signer of that name for these accounts, or the object itself.

    Raises:
        SigningError: there is no signer of that name; a signer that holds keys must be given as an object.
    """
    if not isinstance(signer, str):
        return signer
    if signer == "review-only":
        from bitte_nb.signing.review_only import ReviewOnlySigner

        return ReviewOnlySigner()
    if signer == "development":
        from bitte_nb.signing.development import EVM_ADDRESSES, DevelopmentSigner

        address = wallet.evm_address or EVM_ADDRESSES[0]
        index = next((n for n, own in enumerate(EVM_ADDRESSES) if own.lower() == address.lower()), None)
        if index is None:
            raise SigningError(f"The development signer has no key for {address}; use one of its published addresses.")
        return DevelopmentSigner(account_id=wallet.account_id, evm_index=index)
    raise SigningError(f"There is no signer named {signer!r}. Known: {', '.join(SIGNERS)}; or give a signer object.")
