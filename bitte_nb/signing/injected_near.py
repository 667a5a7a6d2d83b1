"""What an injected NEAR wallet is asked, and how its answers are checked against what was reviewed.

The wallets are those that announce themselves to the page by the event `near-wallet-injected` (NEAR Connect). Their
actions are `{type, params}`; a wallet that is only a manifest with code to download is never loaded.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from bitte_nb.errors import SigningError
from bitte_nb.signing import nep413
from bitte_nb.signing.injected_turns import ending, in_turn
from bitte_nb.signing.near_rpc import is_near_hash, status_of
from bitte_nb.signing.outcome import OtherTransaction

if TYPE_CHECKING:
    from bitte_nb.signing.injected import Asking
    from bitte_nb.signing.requests import NearTransactions, SignMessageRequest

__all__ = ["send", "sign", "why_not_near"]

_KINDS = frozenset(
    {
        "CreateAccount", "DeployContract", "FunctionCall", "Transfer", "Stake", "AddKey", "DeleteKey", "DeleteAccount",
    }
)  # fmt: skip


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
    for index, transaction in enumerate(request.transactions):
        where = f"transactions[{index}]"
        if not isinstance(transaction.get("receiverId"), str):
            return f"{where} has no receiverId."
        actions = transaction.get("actions")
        if not isinstance(actions, list | tuple) or not actions:
            return f"{where} has no actions."
        for number, action in enumerate(cast("list[object]", actions)):
            try:
                _for_wallet(action, f"{where}.actions[{number}]")
            except SigningError as error:
                return str(error)
    return None


def _for_wallet(action: object, where: str) -> dict[str, Any]:
    """The action as wallets take it: `{type, params}`, the arguments of a call as an object.

    Raises:
        SigningError: it is in another form.
    """
    given = cast("dict[str, Any]", action) if isinstance(action, dict) else {}
    kind, params = given.get("type"), given.get("params", {})
    if kind not in _KINDS or not isinstance(params, dict):
        raise SigningError(f"{where} is not in the form {{type, params}} that wallets in a page take.")
    if kind != "FunctionCall":
        return {"type": kind, "params": params} if params else {"type": kind}
    fields = cast("dict[str, Any]", params)
    args = fields.get("args", {})
    if isinstance(args, str):
        args = _json_args(args)
    if not isinstance(args, dict):
        raise SigningError(f"{where}.params.args are not a JSON object, which is all that wallets in a page take.")
    return {"type": kind, "params": {**fields, "args": args}}


def _json_args(text: str) -> object:
    for read in (lambda: text, lambda: base64.b64decode(text, validate=True).decode()):
        try:
            return json.loads(read())
        except (ValueError, binascii.Error):
            continue
    return None


async def send(asking: Asking, request: NearTransactions) -> dict[str, Any]:
    """See `Signer.send_transactions`: one after the other, the next only after all of the one before has run."""
    outcomes = await in_turn(_asked(asking, request), lambda params: _one(asking, request.network, params))
    hashes = [one["hash"] for one in outcomes if one["hash"]]
    result: dict[str, Any] = {"status": outcomes[-1]["status"], "hashes": hashes, "outcomes": outcomes}
    result["verified"] = all(one.get("verified") for one in outcomes)
    return result | ending(outcomes, asked=len(request.transactions))


def _asked(asking: Asking, request: NearTransactions) -> Iterator[dict[str, Any]]:
    """What the wallet is asked for each transaction, made only when its turn comes."""
    for index, transaction in enumerate(request.transactions):
        signer = str(transaction.get("signerId") or asking.signer.wallet.account_id or "")
        actions = [_for_wallet(one, f"transactions[{index}]") for one in transaction["actions"]]
        params = {"receiverId": transaction["receiverId"], "actions": actions, "network": request.network}
        yield {**params, "signerId": signer} if signer else params


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
    _refuse_other(name, view, params)
    node = asking.signer.near_node(str(params["network"]))
    if node is None:
        note = "This is what the wallet says; no NEAR node was asked."
        return {**told, "hash": name, "verified": False, "note": note}
    asking.tell(f"Sent as {name}; waiting until all of it has run.")
    sender = str(params.get("signerId") or view.get("signer_id") or "")
    seen = await node.watch(name, sender, timeout=asking.signer.receipt_timeout, timing=asking.signer.timing)
    sent = cast("dict[str, Any]", seen.pop("transaction", {}))
    if sent:
        _refuse_other(name, sent, params)
    return {**seen, "verified": bool(sent)}


def _refuse_other(name: str, view: Mapping[str, Any], params: Mapping[str, Any]) -> None:
    """Compare a transaction as nearcore tells it with what was reviewed.

    Raises:
        OtherTransaction: they differ.
    """
    if not view:
        return
    why = ""
    if params.get("signerId") and view.get("signer_id") != params["signerId"]:
        why = f"its signer is {view.get('signer_id')}, not {params['signerId']}"
    elif view.get("receiver_id") != params["receiverId"]:
        why = f"its receiver is {view.get('receiver_id')}, not {params['receiverId']}"
    else:
        meant = [_plain(one) for one in params["actions"]]
        sent = [_viewed(one) for one in cast("list[object]", view.get("actions") or [])]
        if len(meant) != len(sent):
            why = f"it has {len(sent)} actions, not {len(meant)}"
        elif meant != sent:
            number = next(index for index, pair in enumerate(zip(meant, sent, strict=True)) if pair[0] != pair[1])
            why = f"its action {number + 1} is {_short(sent[number])}, not {_short(meant[number])}"
    if why:
        raise OtherTransaction(
            f"The wallet sent another transaction than the one that was reviewed: {why}. Its hash is {name}; look it "
            "up in an explorer."
        )


def _plain(action: Mapping[str, Any]) -> tuple[str, Any]:
    """An action that was asked for, as far as it can be compared."""
    kind, params = str(action["type"]), cast("dict[str, Any]", action.get("params") or {})
    match kind:
        case "Transfer":
            return kind, str(params.get("deposit"))
        case "FunctionCall":
            asked = (params.get("methodName"), params.get("args"))
            return kind, (*asked, str(params.get("gas")), str(params.get("deposit", "0")))
        case "Stake":
            return kind, (str(params.get("stake")), params.get("publicKey"))
        case "AddKey":
            access = cast("dict[str, Any]", params.get("accessKey") or {})
            return kind, (params.get("publicKey"), _permission(access.get("permission")))
        case "DeleteKey":
            return kind, params.get("publicKey")
        case "DeleteAccount":
            return kind, params.get("beneficiaryId")
        case _:
            return kind, None


def _permission(value: object) -> Any:
    """FullAccess, or receiver, methods and allowance, whichever dialect it is in."""
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    fields = cast("dict[str, Any]", fields.get("FunctionCall") or fields)
    methods: Any = fields.get("methodNames") or fields.get("method_names") or []
    allowance = fields.get("allowance")
    receiver = fields.get("receiverId") or fields.get("receiver_id")
    return receiver, tuple(methods), None if allowance is None else str(allowance)


def _viewed(action: object) -> tuple[str, Any]:
    """An action as nearcore tells it, in the terms of `_plain`."""
    if isinstance(action, str):
        return action, None
    if not isinstance(action, dict) or len(cast("dict[str, Any]", action)) != 1:
        return "unknown", None
    kind, given = next(iter(cast("dict[str, Any]", action).items()))
    params = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    match kind:
        case "Transfer":
            return kind, str(params.get("deposit"))
        case "FunctionCall":
            args = _json_args(str(params.get("args", "")))
            return kind, (params.get("method_name"), args, str(params.get("gas")), str(params.get("deposit")))
        case "Stake":
            return kind, (str(params.get("stake")), params.get("public_key"))
        case "AddKey":
            access = cast("dict[str, Any]", params.get("access_key") or {})
            return kind, (params.get("public_key"), _permission(access.get("permission")))
        case "DeleteKey":
            return kind, params.get("public_key")
        case "DeleteAccount":
            return kind, params.get("beneficiary_id")
        case _:
            return kind, None


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:200]}…"
