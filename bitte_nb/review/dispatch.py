"""`review`: from any request that an agent can make to the card that a person decides on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from bitte_nb.errors import ReviewRefused
from bitte_nb.review.canonical import RepeatedName, canonical_json, normalise, sha256_hex, strict_json
from bitte_nb.review.card import ReviewCard
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.draft import Draft
from bitte_nb.review.evm import draft_batch, draft_transaction
from bitte_nb.review.evm_checks import evm_chain_id
from bitte_nb.review.finish import finish
from bitte_nb.review.message import draft_message
from bitte_nb.review.near import draft_near
from bitte_nb.review.near_args import strict_base64
from bitte_nb.review.near_delegate import draft_borsh, draft_delegate
from bitte_nb.review.nep413 import draft_nep413
from bitte_nb.review.permissions import draft_permissions
from bitte_nb.review.raw_transaction import draft_raw
from bitte_nb.review.shapes import listed, table
from bitte_nb.review.typed_data import draft_typed_data

__all__ = ["request_digest", "review"]

_TYPED = ("eth_signTypedData", "eth_signTypedData_v1", "eth_signTypedData_v3", "eth_signTypedData_v4")
_SEND = ("eth_sendTransaction", "eth_signTransaction")
_NEAR = ("actions", "receiverId", "receiver_id", "contractName", "signerId", "signer_id", "methodName")
_WRAPPERS = (
    "evmSignRequest", "tx", "typed_data", "typedData", "wallet_selector", "near_api_js", "rpc_view", "transaction",
    "request",
)  # fmt: skip


def request_digest(request: Any) -> str:
    """SHA-256 (hex) of the canonical request: the `digest` of its card, without reviewing it again."""
    return sha256_hex(canonical_json(normalise(request)))


def review(
    request: Mapping[str, Any] | Sequence[Any] | str, context: ReviewContext | Mapping[str, Any] | None = None
) -> ReviewCard:
    """The card of a transaction, batch, message or typed data, on EVM or NEAR; pure, no network and no clock.

    Takes JSON-RPC requests (`{method, params, chainId}`), bare transactions, `wallet_sendCalls`, EIP-712 data,
    personal_sign params, the arguments of the primitives generate-transaction, generate-evm-tx and sign-message,
    NEAR transactions in four dialects or Borsh, and NEP-413 messages. A request that is malformed gives a card with
    `block` warnings; ReviewRefused is raised only for what cannot be recognised or is too large.
    """
    shape = normalise(request)
    ctx = ReviewContext.of(context)
    raw = canonical_json(shape)
    draft = _dispatch(shape, ctx, 0)
    return finish(draft, raw=raw, digest=sha256_hex(raw))


def _dispatch(value: Any, ctx: ReviewContext, depth: int) -> Draft:
    if depth > 4:
        raise ReviewRefused("The request is wrapped in itself too often.")
    if isinstance(value, str):
        return _text(value, ctx, depth)
    if isinstance(value, list):
        return _list(cast("list[Any]", value), ctx, depth)
    if not isinstance(value, dict):
        raise ReviewRefused("The request is neither an object, a list nor text.")
    request = cast("dict[str, Any]", value)
    method = request.get("method")
    if isinstance(method, str) and ("params" in request or method.startswith(("eth_", "wallet_", "personal_"))):
        return _rpc(method, request, ctx)
    return _shape(request, ctx, depth)


def _shape(r: dict[str, Any], ctx: ReviewContext, depth: int) -> Draft:
    if _has(r, "primaryType") or ("domain" in r and ("types" in r or "message" in r)):
        return draft_typed_data(r, {}, ctx)
    for key in ("borsh_hex", "borshHex", "signed_base64", "signedBase64", "borsh"):
        if isinstance(r.get(key), str) and not _has(r, "actions", "wallet_selector"):
            return _near_bytes(r[key], r, ctx)
    if isinstance(r.get("raw"), str) and not _has(r, "to", "calls"):
        return draft_raw(r["raw"], ctx)
    if isinstance(r.get("transactions"), list):
        transactions = cast("list[Any]", r["transactions"])
        if transactions and all(isinstance(t, dict) and _evm_like(cast("dict[str, Any]", t)) for t in transactions):
            return draft_batch(r, transactions, ctx, atomic=False)
        return draft_near(transactions, r, ctx)
    for key in ("delegateAction", "delegate_action"):
        if isinstance(r.get(key), dict):
            return draft_delegate(r[key], ctx)
    if _has(r, "senderId", "sender_id") and _has(r, "actions"):
        return draft_delegate(r, ctx)
    if _has(r, *_NEAR) and not _has(r, "to", "data", "chainId"):
        return draft_near([r], {}, ctx)
    if isinstance(r.get("calls"), list):
        return _calls(r, r, ctx)
    if isinstance(r.get("params"), list | dict) and not _has(r, "to", "data"):
        params = r["params"]
        if isinstance(params, list):
            return _params(cast("list[Any]", params), r, ctx, depth)
        return _dispatch(params, ctx, depth + 1)
    if _has(r, "message", "nonce_base64") or (_has(r, "recipient") and not _has(r, "to", "value", "data")):
        return draft_nep413(r, ctx)
    for key in _WRAPPERS:
        if isinstance(r.get(key), dict | list | str) and not _has(r, "to"):
            return _dispatch(r[key], ctx, depth + 1)
    if _evm_like(r):
        return draft_transaction(r, ctx)
    raise ReviewRefused(
        "This is no request that can be reviewed: expected a transaction, a batch, typed data or a message, "
        f"found an object with {', '.join(sorted(map(str, r))[:8]) or 'nothing'}."
    )


def _has(request: Mapping[str, Any], *names: str) -> bool:
    return any(request.get(name) is not None for name in names)


def _evm_like(request: Mapping[str, Any]) -> bool:
    names = ("to", "data", "input", "value", "gas", "gasPrice", "maxFeePerGas", "chainId", "authorizationList")
    return any(name in request for name in names)


def _text(value: str, ctx: ReviewContext, depth: int) -> Draft:
    text = value.strip()
    if text[:1] in ("{", "["):
        try:
            return _dispatch(normalise(strict_json(text)), ctx, depth + 1)
        except RepeatedName as error:
            raise ReviewRefused(f"The request is JSON text, but {error}.") from error
        except (ValueError, RecursionError) as error:
            raise ReviewRefused("The request begins like JSON but is not valid JSON.") from error
    if re.fullmatch(r"0x(?:[0-9a-fA-F]{2})+", text):
        return draft_raw(text, ctx)
    if re.fullmatch(r"(?:[0-9a-fA-F]{2})+", text) or strict_base64(text):
        return _near_bytes(text, {}, ctx)
    raise ReviewRefused("The request is text, but neither JSON, a raw transaction nor NEAR bytes.")


def _near_bytes(text: str, request: Mapping[str, Any], ctx: ReviewContext) -> Draft:
    digits = text.removeprefix("0x")
    if re.fullmatch(r"(?:[0-9a-fA-F]{2})+", digits):
        return draft_borsh(bytes.fromhex(digits), request, ctx)
    data = strict_base64(text)
    if data is None:
        raise ReviewRefused("The NEAR bytes are neither hex nor base64.")
    return draft_borsh(data, request, ctx)


def _list(items: list[Any], ctx: ReviewContext, depth: int) -> Draft:
    if len(items) == 1 and isinstance(items[0], dict):
        return _dispatch(items[0], ctx, depth + 1)
    if items and all(isinstance(i, dict) and _evm_like(cast("dict[str, Any]", i)) for i in items):
        return draft_batch(cast("dict[str, Any]", items[0]), items, ctx, atomic=False)
    if items and all(isinstance(i, dict) for i in items):
        return draft_near(items, {}, ctx)
    if len(items) == 2 and all(isinstance(i, str) for i in items):
        return draft_message({}, items, ctx, method="personal_sign")
    raise ReviewRefused("The request is a list, but not of transactions.")


def _params(params: list[Any], request: dict[str, Any], ctx: ReviewContext, depth: int) -> Draft:
    """Params without a method: what they look like decides."""
    if len(params) == 2 and isinstance(params[1], dict | str) and not isinstance(params[0], dict):
        if not isinstance(params[1], str) or params[1].lstrip()[:1] == "{":
            return draft_typed_data(params[1], request, ctx, signer=params[0])
        return draft_message(request, params, ctx, method="personal_sign")
    return _transactions(params, request, ctx)


def _rpc(method: str, request: dict[str, Any], ctx: ReviewContext) -> Draft:
    params = request.get("params", [])
    items = cast("list[Any]", params) if isinstance(params, list) else [params]
    if method in _SEND:
        return _transactions(items, request, ctx)
    if method in ("wallet_sendCalls", "wallet_prepareCalls"):
        return _bundle(items, request, ctx)
    if method == "personal_sign" or method == "eth_sign":
        return draft_message(request, items, ctx, method=method)
    if method in _TYPED:
        first, second = [*items, None, None][:2]
        if isinstance(first, dict | list):
            first, second = second, cast("Any", first)
        return draft_typed_data(second, request, ctx, signer=first)
    if method in ("wallet_grantPermissions", "wallet_requestExecutionPermissions"):
        entries = cast("list[Any]", items[0]) if items and isinstance(items[0], list) else items
        return draft_permissions(entries, request, ctx)
    if method in ("eth_sendRawTransaction", "eth_sendRawTransactionSync"):
        return draft_raw(items[0] if items else None, ctx)
    if method in ("near_signMessage", "signMessage"):
        return draft_nep413(table(items[0] if items else None), ctx)
    if method in ("near_signAndSendTransaction", "signAndSendTransaction"):
        return draft_near(items[:1], request, ctx)
    if method in ("near_signAndSendTransactions", "signAndSendTransactions"):
        bundle = table(items[0] if items else None)
        return draft_near(cast("list[Any]", bundle.get("transactions") or []), request, ctx)
    raise ReviewRefused(f"The method {method[:60]!r} asks for nothing that can be reviewed here.")


def _transactions(items: list[Any], request: dict[str, Any], ctx: ReviewContext) -> Draft:
    if len(items) == 1 and isinstance(items[0], str) and items[0].startswith("0x"):
        return draft_raw(items[0], ctx)
    outer = {name: request[name] for name in ("chainId", "from") if request.get(name) is not None}
    if "from" not in outer and request.get("evmAddress") is not None:
        outer["from"] = request["evmAddress"]  # the primitive generate-evm-tx names the account so
    if len(items) == 1:
        tx = table(items[0] if items else None)
        named, given = tx.get("chainId"), outer.get("chainId")
        draft = draft_transaction({**outer, **tx}, ctx)
        if named is not None and given is not None and evm_chain_id(named) != evm_chain_id(given):
            draft.sheet.warn("chain_mismatch", f"The request is for chain {given}, the transaction in it for {named}.")
        return draft
    first = table(items[0] if items else None)
    return draft_batch({"from": first.get("from"), "chainId": first.get("chainId"), **outer}, items, ctx, atomic=False)


def _bundle(items: list[Any], request: dict[str, Any], ctx: ReviewContext) -> Draft:
    """The batch of wallet_sendCalls (EIP-5792); what the request says beside it must not say something else."""
    bundle = table(items[0] if items else None)
    named, given = bundle.get("chainId"), request.get("chainId")
    draft = _calls({"chainId": given, "from": request.get("evmAddress"), **bundle}, request, ctx)
    if named is not None and given is not None and evm_chain_id(named) != evm_chain_id(given):
        draft.sheet.warn("chain_mismatch", f"The request is for chain {given}, the batch in it for {named}.")
    if len(items) > 1:
        draft.sheet.warn("bad_value", f"{len(items)} batches are asked for at once; a wallet takes one.")
        return draft.invalid("More than one batch")
    return draft


def _calls(bundle: dict[str, Any], request: dict[str, Any], ctx: ReviewContext) -> Draft:
    calls = bundle.get("calls")
    atomic = bundle.get("atomicRequired", request.get("atomicRequired"))
    return draft_batch(
        bundle,
        listed(calls),
        ctx,
        atomic=atomic if isinstance(atomic, bool) else None,
    )
