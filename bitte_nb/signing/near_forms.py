"""NEAR transactions as wallets in a page take them, and as nearcore tells them: converted, and compared."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from bitte_nb.errors import SigningError
from bitte_nb.signing.outcome import OtherTransaction

if TYPE_CHECKING:
    from bitte_nb.signing.requests import NearTransactions

__all__ = ["for_wallets", "refuse_other"]

_KINDS: dict[str, tuple[str, ...]] = {
    "CreateAccount": (),
    "DeployContract": ("code",),
    "FunctionCall": ("methodName", "args", "gas", "deposit"),
    "Transfer": ("deposit",),
    "Stake": ("stake", "publicKey"),
    "AddKey": ("publicKey", "accessKey"),
    "DeleteKey": ("publicKey",),
    "DeleteAccount": ("beneficiaryId",),
}
"""The kinds of action that wallets in a page take, each with its params: all of them, and no others."""

_CALL: dict[str, Any] = {"args": {}, "gas": "30000000000000", "deposit": "0"}
"""What a call has where it does not say, as the review shows it."""

_AMOUNTS = ("deposit", "gas", "stake")
"""Whole numbers that wallets take as text."""


def for_wallets(request: NearTransactions, account: str | None) -> list[dict[str, Any]]:
    """The params of signAndSendTransaction for each transaction: receiverId, actions, network and, if known, signerId.

    Args:
        request: What was reviewed.
        account: Who signs where a transaction does not say.

    Raises:
        SigningError: one of them cannot be put into the words of a wallet; the sentence names its place.
    """
    made: list[dict[str, Any]] = []
    for index, transaction in enumerate(request.transactions):
        where = f"transactions[{index}]"
        receiver, actions = transaction.get("receiverId"), transaction.get("actions")
        if not isinstance(receiver, str):
            raise SigningError(f"{where} has no receiverId.")
        if not isinstance(actions, list | tuple) or not actions:
            raise SigningError(f"{where} has no actions.")
        read = [_action(one, f"{where}.actions[{at}]") for at, one in enumerate(cast("list[object]", actions))]
        params: dict[str, Any] = {"receiverId": receiver, "actions": read, "network": request.network}
        signer = str(transaction.get("signerId") or account or "")
        made.append({**params, "signerId": signer} if signer else params)
    return made


def _action(action: object, where: str) -> dict[str, Any]:
    """The action as `{type, params}`, amounts as text and the arguments of a call as an object.

    Raises:
        SigningError: it is in another form, or lacks something.
    """
    given = cast("dict[str, Any]", action) if isinstance(action, dict) else {}
    kind, params = given.get("type"), given.get("params", {})
    if kind not in _KINDS or not isinstance(params, dict):
        raise SigningError(f"{where} is not in the form {{type, params}} that wallets in a page take.")
    fields = {name: one for name, one in cast("dict[str, Any]", params).items() if one is not None}
    if kind == "FunctionCall":
        fields = {**_CALL, **fields}
        if isinstance(fields["args"], str):
            fields["args"] = _json_args(fields["args"])
        if not isinstance(fields["args"], dict):
            raise SigningError(f"{where}.params.args are not a JSON object, which is all that wallets in a page take.")
    names = _KINDS[kind]
    if fields.keys() != set(names):
        lacking = [f"has no {name}" for name in names if name not in fields]
        more = [f"has the field {str(name)[:60]}" for name in fields if name not in names]
        raise SigningError(f"{where}.params {[*more, *lacking][0]}, so no wallet is asked for this {kind}.")
    fields |= {name: str(fields[name]) for name in _AMOUNTS if isinstance(fields.get(name), int)}
    return {"type": kind, "params": fields} if fields else {"type": kind}


def _json_args(text: str) -> object:
    for read in (lambda: text, lambda: base64.b64decode(text, validate=True).decode()):
        try:
            return json.loads(read())
        except (ValueError, binascii.Error):
            continue
    return None


def refuse_other(name: str, view: Mapping[str, Any], params: Mapping[str, Any]) -> None:
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
