"""The arguments of a primitive as a signing request, and that request as a page or a person carries it to a wallet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import SigningError
from bitte_nb.review.chains import evm_chain
from bitte_nb.signing.requests import (
    EvmSignRequest,
    NearTransactions,
    SigningRequest,
    SignMessageRequest,
    read_evm,
    read_near,
    read_sign_message,
)

__all__ = ["carried", "read_request"]


def read_request(primitive: str, args: Mapping[str, Any], *, account: str | None) -> SigningRequest | SigningError:
    """What the arguments ask to sign or send, or why they do not; `account` is the NEAR account."""
    try:
        match primitive:
            case "sign-message":
                return read_sign_message(args, fresh_nonce=b"", default_recipient=account)
            case "generate-transaction" | "transfer-ft":
                return read_near(args)
            case _:
                return read_evm(args)
    except SigningError as error:
        return error


def carried(
    request: SigningRequest | SigningError, wallet: Wallet, *, asks: bool, rpc: Mapping[int | str, str]
) -> dict[str, Any] | None:
    """What a page needs to ask a wallet, or a person to carry the request to one elsewhere.

    Returns:
        asks (the page's wallet is asked), namespace, network, account, copy (the request as text), bring (what to bring
        back) and add (parameters of wallet_addEthereumChain, or None); None where there is no request.
    """
    from bitte_nb.signing.paste import NOT_LOOKED_UP, slip

    if isinstance(request, SigningError):
        return None
    written, bring = slip(request), ""
    if isinstance(request, NearTransactions):
        bring = "" if request.network in rpc else NOT_LOOKED_UP
    elif isinstance(request, EvmSignRequest) and request.sends:
        bring = "" if str(request.chain_id) in rpc else NOT_LOOKED_UP
    shown = {"asks": asks, "copy": written.copy, "bring": f"{written.bring} {bring}".strip()}
    match request:
        case SignMessageRequest():
            return {**shown, "namespace": "near", "network": "", "account": wallet.account_id or ""}
        case NearTransactions(network=network, transactions=transactions):
            account = transactions[0].get("signerId") or wallet.account_id or ""
            return {**shown, "namespace": "near", "network": network, "account": account}
        case EvmSignRequest():
            account = _asked(request) or wallet.evm_address or ""
            network = _network(request)
            add = _chain_to_add(request.chain_id, rpc.get(network, "")) if asks and network else None
            return {**shown, "namespace": "evm", "network": network, "account": account, "add": add}


def _chain_to_add(chain_id: int, url: str) -> dict[str, Any] | None:
    """What a wallet needs to learn a chain (EIP-3085), where it is known and its node's address may be given away.

    An address with a name, a path or a query may hold a key, so it never leaves the kernel.
    """
    chain, place = evm_chain(chain_id), urlsplit(url)
    bare = place.scheme in {"http", "https"} and place.path in {"", "/"} and not (place.query or place.fragment)
    if not chain.known or not bare or not place.hostname or "@" in place.netloc:
        return None
    return {
        "chainId": hex(chain_id),
        "chainName": chain.name,
        "nativeCurrency": {"name": chain.symbol, "symbol": chain.symbol, "decimals": chain.decimals},
        "rpcUrls": [f"{place.scheme}://{place.netloc}"],
        "blockExplorerUrls": [chain.explorer] if chain.explorer else [],
    }


def _network(request: EvmSignRequest) -> str:
    """The chain that a wallet must be on, or empty where any will do."""
    from bitte_nb.signing.evm import bound_chain

    try:
        return str(bound_chain(request) or "")
    except SigningError:
        return ""


def _asked(request: EvmSignRequest) -> str:
    """The account that an EVM request names, or empty."""
    for one in request.params:
        given: object = cast("dict[str, Any]", one).get("from") if isinstance(one, dict) else one
        if isinstance(given, str) and re.fullmatch(r"0x[0-9a-fA-F]{40}", given):
            return given
    return ""
