"""What a signer's result means for the call, and looking up later what came of a transaction."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from bitte_nb.agent.bindings.binding import Outcome
from bitte_nb.core.invocation import Invocation
from bitte_nb.errors import SigningError
from bitte_nb.signing.protocol import Signer
from bitte_nb.signing.requests import EvmSignRequest, NearTransactions, SigningRequest

if TYPE_CHECKING:
    from bitte_nb.signing.injected import InjectedSigner

__all__ = ["answer_name", "answers_another", "call_name", "look_again", "next_nonce", "outcome"]


def outcome(data: dict[str, Any]) -> Outcome:
    """The outcome of a signer's result; `status` is one of `signing.protocol.Status`."""
    status = data.get("status")
    if status in ("failed", "replaced"):
        reason = str(data.get("error") or data.get("reason") or "it failed on the chain").rstrip(".")
        return Outcome(kind="error", error=f"Not successful: {reason}. {json.dumps(data, default=str)}")
    if status in ("unknown", "dropped"):
        return Outcome(
            kind="unknown", error=f"Whether it took effect is not known yet: {json.dumps(data, default=str)}"
        )
    return Outcome(kind="result", data=data)


def next_nonce(call: Invocation) -> int | None:
    """The sending account's next nonce when the card was made, where a node told it: what has a lower one is older."""
    review = call.prepared.review if call.prepared is not None else None
    told = cast("dict[str, Any]", (review or {}).get("extra") or {}).get("next_nonce")
    return int(told) if isinstance(told, str) and told.isdecimal() else None


def answers_another(call: Invocation, others: Sequence[Invocation]) -> Callable[[str], bool]:
    """Whether a hash is the outcome of another call: of this chat's history, or of any chat of this process."""
    from bitte_nb.signing.claims import holder

    told = [f"{one.result} {one.progress} {one.reason}" for one in others]

    def taken(transaction_hash: str) -> bool:
        held = holder(transaction_hash)
        return any(transaction_hash in words for words in told) or (held is not None and held != answer_name(call))

    return taken


def answer_name(call: Invocation) -> str:
    """The name under which the hashes of a person's answer are kept in this process."""
    return f"{call.key} of {call.started_at}"


def call_name(idempotency_key: str) -> str:
    """`chat:key`, as pages and signers name a call; the key of its dispatch begins with it."""
    return ":".join(idempotency_key.split(":")[:2])


async def look_again(
    call: Invocation, request: SigningRequest | SigningError, rpc: Mapping[int | str, str], signer: Signer
) -> Outcome:
    """Ask the node of the request's network once what became of what was sent; nothing is signed or sent.

    Args:
        call: The call whose outcome is unknown; its words name the hashes.
        request: What it asked for.
        rpc: EIP-155 chain id or NEAR network, as text, to the URL of its node.
        signer: Where there is no such node, a browser wallet's own is asked through a page.
    """
    from bitte_nb.signing.injected import InjectedSigner

    name = call_name(call.idempotency_key)
    injected = signer if isinstance(signer, InjectedSigner) else None
    words = f"{call.reason} {call.progress} {injected.pages.late(name) if injected else ''}"
    match request:
        case EvmSignRequest(chain_id=chain_id) if request.sends:
            network = str(chain_id)
            hashes = list(dict.fromkeys(re.findall(r"(?<![0-9a-zA-Z])0x[0-9a-f]{64}(?![0-9a-zA-Z])", words)))
        case NearTransactions(network=network):
            hashes = _near_hashes(words)
        case _:
            return Outcome(
                kind="unknown", error="A signature leaves no trace on a chain, so there is nothing to look up."
            )
    if not hashes:
        return Outcome(
            kind="unknown",
            error="No transaction hash is known, so there is nothing to look up. The wallet's own activity shows "
            "whether it sent something.",
        )
    url = rpc.get(network)
    nonce = next_nonce(call)
    more = {} if nonce is None else {"nonceFrom": nonce}
    if isinstance(request, EvmSignRequest) and injected is not None:
        return await _wallets(injected, name, request, hashes, more)
    if url is None:
        return Outcome(
            kind="unknown",
            error=f"There is no node to ask: give the agent rpc={{{network!r}: URL}}. The hash is {hashes[-1]}.",
        )
    if isinstance(request, EvmSignRequest):
        return await _evm(request, hashes, url, more)
    return await _near(request, hashes, url)


async def _wallets(
    signer: InjectedSigner, name: str, request: EvmSignRequest, hashes: list[str], more: Mapping[str, Any]
) -> Outcome:
    from bitte_nb.signing.outcome import OtherTransaction
    from bitte_nb.signing.transactions import read_transactions

    try:
        outcomes = await signer.look(name, request, hashes, more=more)
    except OtherTransaction as error:
        return Outcome(kind="error", error=str(error))
    except SigningError as error:
        return Outcome(kind="unknown", error=f"{error} The hash is {hashes[-1]}.")
    return _together(outcomes, len(read_transactions(request)), {"chainId": request.chain_id})


async def _evm(request: EvmSignRequest, hashes: list[str], url: str, more: Mapping[str, Any]) -> Outcome:
    from bitte_nb.signing.outcome import OtherTransaction, look
    from bitte_nb.signing.rpc import Node
    from bitte_nb.signing.transactions import read_transactions

    node, transactions = Node(url), read_transactions(request)
    outcomes: list[dict[str, Any]] = []
    for transaction_hash, transaction in zip(hashes, transactions, strict=False):
        meant = {**transaction, "chainId": request.chain_id, **more}
        try:
            outcomes.append(await look(node, transaction_hash, reviewed=meant))
        except OtherTransaction as error:
            return Outcome(kind="error", error=str(error))
    return _together(outcomes, len(transactions), {"chainId": request.chain_id})


async def _near(request: NearTransactions, hashes: list[str], url: str) -> Outcome:
    from bitte_nb.signing.near_rpc import NearNode
    from bitte_nb.signing.rpc import Node

    node = NearNode(Node(url))
    outcomes: list[dict[str, Any]] = []
    for name, transaction in zip(hashes, request.transactions, strict=False):
        told = await node.look(name, str(transaction.get("signerId") or ""))
        told.pop("transaction", None)
        outcomes.append(told)
    return _together(outcomes, len(request.transactions), {"transactions": [dict(one) for one in request.transactions]})


def _together(outcomes: list[dict[str, Any]], wanted: int, more: dict[str, Any]) -> Outcome:
    last = outcomes[-1]
    hashes = [one["hash"] for one in outcomes]
    found = {**more, "status": last["status"], "hash": hashes[-1], "hashes": hashes, "outcomes": outcomes}
    if last["status"] == "mined" and len(outcomes) < wanted:
        count = f"{wanted - len(outcomes)} of the {wanted} transactions"
        return Outcome(kind="error", error=f"What was sent succeeded, but {count} were not sent: {json.dumps(found)}")
    if last["status"] == "submitted":
        return Outcome(kind="unknown", error=f"{last['hash']} is known to the node, but not included yet.")
    if last["status"] == "unknown":
        return Outcome(kind="unknown", error=f"The node does not know {last['hash']} (yet). It may still run.")
    return outcome({**found, **({"error": last["error"]} if "error" in last else {})})


def _near_hashes(words: str) -> list[str]:
    from bitte_nb.signing.near_rpc import is_near_hash

    found = re.findall(r"(?<![0-9a-zA-Z])[1-9A-HJ-NP-Za-km-z]{43,44}(?![0-9a-zA-Z])", words)
    return list(dict.fromkeys(one for one in found if is_near_hash(one)))
