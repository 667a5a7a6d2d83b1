"""Signers by name, so that a chat can be loaded again without a key ever having been stored."""

from __future__ import annotations

from collections.abc import Mapping

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import SigningError
from bitte_nb.signing.protocol import Signer

__all__ = ["SIGNERS", "resolve_signer"]

SIGNERS = ("review-only", "development", "injected")


def resolve_signer(signer: str | Signer, wallet: Wallet, rpc: Mapping[int | str, str] | None = None) -> Signer:
    """The signer of that name for these accounts, or the object itself.

    Args:
        signer: "review-only", "development" (published keys; sends on local chains), "injected" (the wallet of the
            person's browser), or a signer object.
        wallet: The person's accounts.
        rpc: EIP-155 chain id, or NEAR network, to the URL of a node; a named signer sends or checks outcomes there.

    Raises:
        SigningError: there is no signer of that name; a signer that holds keys must be given as an object.
    """
    if not isinstance(signer, str):
        return signer
    if signer == "review-only":
        from bitte_nb.signing.review_only import ReviewOnlySigner

        return ReviewOnlySigner()
    if signer == "development":
        from bitte_nb.signing.development import EVM_ADDRESSES, LOCAL_CHAINS, DevelopmentSigner

        address = wallet.evm_address or EVM_ADDRESSES[0]
        index = next((n for n, own in enumerate(EVM_ADDRESSES) if own.lower() == address.lower()), None)
        if index is None:
            raise SigningError(f"The development signer has no key for {address}; use one of its published addresses.")
        local = [url for chain, url in (rpc or {}).items() if chain in LOCAL_CHAINS]
        return DevelopmentSigner(account_id=wallet.account_id, evm_index=index, rpc_url=local[0] if local else None)
    if signer == "injected":
        from bitte_nb.signing.injected import InjectedSigner

        return InjectedSigner(wallet=wallet, rpc=rpc)
    raise SigningError(f"There is no signer named {signer!r}. Known: {', '.join(SIGNERS)}; or give a signer object.")
