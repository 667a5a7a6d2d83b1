"""What an injected NEAR wallet is asked, and how its answers are checked against what was reviewed.

The wallets are those that announce themselves to the page by the event `near-wallet-injected` (NEAR Connect). A wallet
that is only a manifest with code to download is never loaded.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from bitte_nb.errors import SigningError
from bitte_nb.signing import nep413
from bitte_nb.signing.near_forms import for_wallets, refuse_other
from bitte_nb.signing.near_rpc import is_near_hash, status_of
from bitte_nb.signing.turns import ending, in_turn

if TYPE_CHECKING:
    from bitte_nb.signing.injected import Asking
    from bitte_nb.signing.requests import NearTransactions, SignMessageRequest

__all__ = ["send", "sign", "why_not_near"]


async def sign(asking: Asking, request: SignMessageRequest) -> dict[str, Any]:
    """See `Signer.sign_message`."""
    account = asking.signer.wallet.account_id
    params = {
        "message": request.message,
        "recipient": request.recipient,
        "nonce": base64.b64encode(request.nonce).decode(),
    }
    optional = {"callbackUrl": request.callback_url, "state": request.state}
    params |= {name: value for name, value in optional.items() if value is not None}
    network = "testnet" if (account or "").endswith(".testnet") else "mainnet"
    answer = await asking.act("near", "signMessage", params, network=network, account=account or "", sends=False)
    fields = cast("dict[str, Any]", answer) if isinstance(answer, dict) else {}
    made = nep413.answered(request, fields, account_id=account, public_key=None, whose="The wallet's answer")
    node = asking.signer.near_node(network)
    if node is None:
        return made
    try:
        belongs = await node.has_full_access(made["accountId"], made["publicKey"])
    except SigningError as error:
        return {**made, "note": f"The signature is right; whose key it is could not be checked: {error}"}
    if not belongs:
        raise SigningError(
            f"The signature is by {made['publicKey']}, which {node.shown} does not know as a full-access key of "
            f"{made['accountId']}. It was not accepted."
        )
    return {**made, "note": f"{node.shown} confirmed that the key belongs to {made['accountId']}."}


def why_not_near(request: NearTransactions) -> str | None:
    """None where an injected NEAR wallet could take the transactions, else a sentence why not."""
    try:
        for_wallets(request, None)
    except SigningError as error:
        return str(error)
    return None


async def send(asking: Asking, request: NearTransactions) -> dict[str, Any]:
    """See `Signer.send_transactions`: one after the other, the next only after all of the one before has run."""
    asked = for_wallets(request, asking.signer.wallet.account_id)
    outcomes = await in_turn(asked, lambda params: _one(asking, request.network, params))
    hashes = [one["hash"] for one in outcomes if one["hash"]]
    result: dict[str, Any] = {"status": outcomes[-1]["status"], "hashes": hashes, "outcomes": outcomes}
    result["verified"] = all(one.get("verified") for one in outcomes)
    return result | ending(outcomes, asked=len(request.transactions))


async def _one(asking: Asking, network: str, params: dict[str, Any]) -> dict[str, Any]:
    answer = await asking.act(
        "near", "signAndSendTransaction", params, network=network, account=params.get("signerId", ""), sends=True
    )
    return await _outcome(asking, answer, params)


async def _outcome(asking: Asking, answer: object, params: Mapping[str, Any]) -> dict[str, Any]:
    """What came of one transaction: by the person's own node where there is one, else by the wallet's words."""
    told = status_of(answer)
    view = cast("dict[str, Any]", told.pop("transaction", {}))
    transaction_hash = view.get("hash") or (answer if isinstance(answer, str) else None)
    if not is_near_hash(transaction_hash):
        return {
            "status": "unknown",
            "hash": None,
            "error": "The wallet's answer names no transaction. Look at its activity before you ask for this again.",
        }
    name = str(transaction_hash)
    refuse_other(name, view, params)
    node = asking.signer.near_node(str(params["network"]))
    if node is None:
        note = "This is what the wallet says; no NEAR node was asked."
        return {**told, "hash": name, "verified": False, "note": note}
    asking.tell(f"Sent as {name}; waiting until all of it has run.")
    sender = str(params.get("signerId") or view.get("signer_id") or "")
    seen = await node.watch(name, sender, timeout=asking.signer.receipt_timeout, timing=asking.signer.timing)
    sent = cast("dict[str, Any]", seen.pop("transaction", {}))
    if sent:
        refuse_other(name, sent, params)
    return {**seen, "verified": bool(sent)}
