"""The actions of a NEAR transaction, explained: what moves, who gets power, what is deployed or deleted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, cast

from bitte_nb.review.address import is_account_id, is_implicit
from bitte_nb.review.amounts import BadAmount, display, human, parse_uint
from bitte_nb.review.borsh import base58_encode
from bitte_nb.review.card import Amount, Chain
from bitte_nb.review.sheet import Sheet

__all__ = ["ActionScope", "near_amount", "near_recipient", "read_action"]

_ONE_YOCTO = {"ft_transfer", "ft_transfer_call", "nft_transfer", "nft_transfer_call", "nft_approve"}


class ActionScope:
    """What an action is read against: the accounts of its transaction and whether that creates the receiver."""

    def __init__(self, *, signer: str, receiver: str, chain: Chain, creates: bool) -> None:
        self.signer = signer
        self.receiver = receiver
        self.chain = chain
        self.creates = creates


def near_amount(raw: int) -> dict[str, str]:
    """{"raw": yocto, "near": decimal}."""
    return {"raw": str(raw), "near": human(raw, 24)}


def near_recipient(
    sheet: Sheet, account: str, scope: ActionScope, *, token: str | None = None, contract: bool = False
) -> None:
    """Judge where something goes on NEAR; `contract` leaves out what is only about people."""
    ctx = sheet.ctx
    if not is_account_id(account):
        sheet.warn("invalid_address", f"{account[:80]!r} is not a NEAR account id.")
        return
    if network_mismatch(sheet, account, scope.chain):
        return
    if account == scope.signer and not contract:
        sheet.warn("self_transfer", "The recipient is the sending account itself.")
        return
    if not contract and (account == token or ctx.near_token(account) is not None):
        sheet.warn("recipient_is_token_contract", f"{account} is a token contract: what is sent to it is usually lost.")
        return
    if is_implicit(account):
        if not contract and token is None:
            sheet.warn("implicit_account", "The account is named by its key; the first transfer creates it.")
        return
    sheet.lookalike(account)
    if contract or scope.creates or account in ctx.own or account in ctx.contacts:
        return
    if ctx.contacts:
        sheet.warn("first_time_recipient", f"{account} is not among your contacts.")
    else:
        sheet.skip("Whether you know the recipient was not checked: there is no contact list.")


def network_mismatch(sheet: Sheet, account: str, chain: Chain) -> bool:
    """Warn about an account of the other network; ids without a network's ending belong to none."""
    other = {"mainnet": ".testnet", "testnet": ".near"}.get(chain.id)
    if other is None or not account.endswith(other):
        return False
    sheet.warn(
        "network_mismatch", f"{account} is an account of another network than {chain.name}: what is sent may be lost."
    )
    return True


def read_action(action: dict[str, Any], sheet: Sheet, scope: ActionScope) -> tuple[dict[str, Any], str]:
    """(the action in plain form, one sentence); rows, amounts and warnings go to the sheet."""
    return _ACTIONS[action["kind"]](action, sheet, scope)


def _deposit(sheet: Sheet, raw: int, scope: ActionScope, *, label: str) -> str:
    words = display(raw, 24, scope.chain.symbol)
    if raw:
        sheet.amounts.append(Amount("value", "native", str(raw), human(raw, 24), "NEAR", 24, to=scope.receiver))
    proof = "1 yocto: the token deposit that proves a full key signed" if raw == 1 and label != "Amount" else ""
    sheet.row("deposit", label, words, raw=str(raw), kind="amount", symbol="NEAR", note=proof, source="deposit")
    return words


def _create(action: dict[str, Any], sheet: Sheet, scope: ActionScope) -> tuple[dict[str, Any], str]:
    return {"kind": "CreateAccount"}, f"Create the account {scope.receiver}"


def _transfer(action: dict[str, Any], sheet: Sheet, scope: ActionScope) -> tuple[dict[str, Any], str]:
    raw = action["deposit"]
    words = _deposit(sheet, raw, scope, label="Amount")
    near_recipient(sheet, scope.receiver, scope)
    if raw == 0:
        sheet.warn("noop_transfer", "The amount is zero: nothing moves.")
        sheet.amounts.append(Amount("value", "native", "0", "0", "NEAR", 24, to=scope.receiver))
    return {"kind": "Transfer", "deposit": near_amount(raw)}, f"Send {words} to {scope.receiver}"


def _stake(action: dict[str, Any], sheet: Sheet, scope: ActionScope) -> tuple[dict[str, Any], str]:
    words = display(action["stake"], 24, "NEAR")
    sheet.amounts.append(Amount("move", "native", str(action["stake"]), human(action["stake"], 24), "NEAR", 24))
    sheet.row("stake", "Stake", words, raw=str(action["stake"]), kind="amount", symbol="NEAR")
    sheet.row("key", "Validator key", action["public_key"], kind="code")
    sheet.warn("stake", f"{words} are locked as the stake of a validator key.")
    plain = {"kind": "Stake", "stake": near_amount(action["stake"]), "public_key": action["public_key"]}
    return plain, f"Stake {words} from {scope.receiver}"


def _add_key(action: dict[str, Any], sheet: Sheet, scope: ActionScope) -> tuple[dict[str, Any], str]:
    key, permission = action["public_key"], action["access_key"]["permission"]
    sheet.row("key", "New key", key, kind="code", source="publicKey")
    plain: dict[str, Any] = {"kind": "AddKey", "public_key": key}
    if permission == "FullAccess":
        sheet.row("permission", "Permission", "full access: everything, for ever", source="accessKey.permission")
        sheet.warn(
            "full_access_key",
            f"Whoever holds {key} controls the account {scope.receiver} fully: its money, its keys, its deletion.",
        )
        return {**plain, "permission": "FullAccess"}, f"Give the key full control of {scope.receiver}"
    receiver, methods, allowance = (permission[name] for name in ("receiver", "methods", "allowance"))
    fees = "unlimited fees" if allowance is None else f"{display(allowance, 24, 'NEAR')} of fees"
    sheet.row(
        "permission", "May call", f"{', '.join(methods) or 'every method'} on {receiver}", source="accessKey.permission"
    )
    sheet.row("allowance", "May spend on fees", fees, raw="" if allowance is None else str(allowance), kind="amount")
    if not is_account_id(receiver):
        sheet.warn("invalid_address", f"{receiver[:80]!r} is not a NEAR account id.")
    else:
        sheet.lookalike(receiver)
        network_mismatch(sheet, receiver, scope.chain)
    if allowance is None:
        sheet.warn("key_allowance_unlimited", "The key may spend any amount of the account's NEAR on fees.")
    if not methods:
        sheet.warn("key_any_method", f"The key may call every method of {receiver}.")
    plain |= {
        "permission": "FunctionCall",
        "receiver": receiver,
        "methods": methods,
        "allowance": "unlimited" if allowance is None else near_amount(allowance),
    }
    return plain, f"Let a key call {', '.join(methods) or 'every method'} on {receiver} with {fees}"


def _delete_key(action: dict[str, Any], sheet: Sheet, scope: ActionScope) -> tuple[dict[str, Any], str]:
    key = action["public_key"]
    sheet.row("key", "Removed key", key, kind="code", source="publicKey")
    if key == sheet.ctx.public_key:
        sheet.warn(
            "delete_key", "This removes the key that signs: you may lose access to the account.", severity="danger"
        )
    else:
        if sheet.ctx.public_key is None:
            sheet.skip("Whether the removed key is the one that signs was not checked: that key is not known here.")
        sheet.warn("delete_key", f"The key {key} loses its access to {scope.receiver}.")
    return {"kind": "DeleteKey", "public_key": key}, f"Remove a key of {scope.receiver}"


def _delete_account(action: dict[str, Any], sheet: Sheet, scope: ActionScope) -> tuple[dict[str, Any], str]:
    to = action["beneficiary"]
    sheet.account("beneficiary", "What is left goes to", to, source="beneficiaryId")
    sheet.warn(
        "delete_account",
        f"The account {scope.receiver} is deleted. Its NEAR goes to {to}; tokens and NFTs are not moved and are lost.",
    )
    if to == scope.receiver:
        sheet.warn("beneficiary_is_self", "The beneficiary is the deleted account itself: its balance is burnt.")
    elif not is_account_id(to):
        sheet.warn("invalid_address", f"{to[:80]!r} is not a NEAR account id.")
    else:
        sheet.lookalike(to)
        network_mismatch(sheet, to, scope.chain)
    return {"kind": "DeleteAccount", "beneficiary": to}, f"Delete {scope.receiver}, the rest goes to {to}"


def _deploy(action: dict[str, Any], sheet: Sheet, scope: ActionScope) -> tuple[dict[str, Any], str]:
    kind = action["kind"]
    plain: dict[str, Any] = {"kind": kind}
    if "code" in action:
        size, digest = len(action["code"]), hashlib.sha256(action["code"]).digest()
        plain["code_bytes"] = size
        sheet.row("code", "Code", f"{size} bytes", raw="0x" + action["code"].hex(), kind="code", source="code")
    else:
        digest = action["code_hash"]
    sheet.row("code.hash", "Code hash (SHA-256)", base58_encode(digest), kind="hash")
    plain["code_hash"] = base58_encode(digest)
    where = "for every account to use" if kind == "DeployGlobalContract" else f"on {scope.receiver}"
    if kind == "DeployGlobalContract" or scope.receiver == scope.signer or not scope.creates:
        sheet.warn("deploy_contract", f"New code is deployed {where}; what it does cannot be read here.")
    return plain, f"Deploy a contract {where}"


def _use_global(action: dict[str, Any], sheet: Sheet, scope: ActionScope) -> tuple[dict[str, Any], str]:
    name = action.get("account_id")
    if name is not None:
        sheet.account("code", "Code of", name, source="contractIdentifier")
        if not is_account_id(name):
            sheet.warn("invalid_address", f"{name[:80]!r} is not a NEAR account id.")
        plain: dict[str, Any] = {"kind": "UseGlobalContract", "account_id": name}
    else:
        plain = {"kind": "UseGlobalContract", "code_hash": base58_encode(action["code_hash"])}
        sheet.row("code.hash", "Code hash", plain["code_hash"], kind="hash")
    shown = name or plain["code_hash"]
    if scope.receiver == scope.signer or not scope.creates:
        sheet.warn("deploy_contract", f"{scope.receiver} will run the shared code of {shown}.")
    return plain, f"Run the shared code of {shown} on {scope.receiver}"


def _call(action: dict[str, Any], sheet: Sheet, scope: ActionScope) -> tuple[dict[str, Any], str]:
    method, raw = action["method"], action["deposit"]
    sheet.row("call", "Method", method, kind="code", note=scope.receiver, source="methodName")
    _deposit(sheet, raw, scope, label="Attached deposit")
    tgas = human(action["gas"], 12)
    sheet.row("gas", "Gas", f"{tgas} TGas", raw=str(action["gas"]), source="gas")
    if action["gas"] == 0:
        sheet.warn("gas_low", "The call has no gas and cannot run. Ask for a request with gas.")
    if raw > sheet.ctx.large_deposit:
        sheet.warn("large_deposit", f"{display(raw, 24, 'NEAR')} leave the account with this call.")
    if method in _ONE_YOCTO and raw == 0:
        sheet.warn("missing_one_yocto", f"{method} needs a deposit of exactly 1 yocto and will fail without it.")
    network_mismatch(sheet, scope.receiver, scope.chain)
    sheet.lookalike(scope.receiver)
    plain: dict[str, Any] = {
        "kind": "FunctionCall",
        "method": method,
        "args": action["json"] if action["is_json"] else "0x" + action["args"].hex(),
        "gas": {"raw": str(action["gas"]), "tgas": tgas},
        "deposit": near_amount(raw),
    }
    if not action["is_json"]:
        sheet.row("args", "Arguments", "0x" + action["args"].hex(), kind="code", note="cannot be decoded: not JSON")
        sheet.warn(
            "blind_call",
            f"The arguments of {method} are not JSON and cannot be read: signing means trusting them blindly.",
            severity="danger" if raw > 1 else None,
        )
        return plain, f"Call {method} on {scope.receiver} with unreadable arguments"
    _arguments(sheet, action["json"])
    explain = _METHODS.get(method)
    args = cast("dict[str, Any]", action["json"]) if isinstance(action["json"], dict) else {}
    sentence = explain(args, plain, sheet, scope, action) if explain else None
    paid = f" with {display(raw, 24, 'NEAR')}" if raw > 1 else ""
    return plain, sentence or f"Call {method} on {scope.receiver}{paid}"


def _arguments(sheet: Sheet, value: Any) -> None:
    if not isinstance(value, dict):
        sheet.row("args", "Arguments", json.dumps(value, ensure_ascii=False), kind="code", source="args")
        return
    for key, item in cast("dict[str, Any]", value).items():
        text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
        kind = "address" if key.endswith(("_id", "Id")) and is_account_id(item) and "token" not in key else "code"
        note = sheet.ctx.name(text) if kind == "address" else ""
        sheet.row(f"arg.{key}", key, text, kind=kind, note=note, source=f"args.{key}")
        if key == "msg" and isinstance(item, str):
            _message(sheet, item)


def _message(sheet: Sheet, text: str) -> None:
    """A `msg` is often JSON in text: it is opened one level, and swaps without a minimum are found in it."""
    try:
        found = json.loads(text, parse_float=str)
    except (ValueError, RecursionError):
        return
    if not isinstance(found, dict | list):
        return
    sheet.row(
        "arg.msg.decoded",
        "msg, decoded",
        json.dumps(found, ensure_ascii=False, indent=1),
        kind="code",
        source="args.msg",
    )
    if any(value in ("0", 0) for value in _find(found, ("min_amount_out", "minAmountOut", "min_output_amount"), 0)):
        sheet.warn("no_slippage_limit", "The swap sets no minimum: you may get nothing for what you give.")


def _find(value: Any, names: tuple[str, ...], depth: int) -> list[Any]:
    if depth > 8:
        return []
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        found = [item for key, item in table.items() if key in names and not isinstance(item, bool)]
        return found + [hit for item in table.values() for hit in _find(item, names, depth + 1)]
    if isinstance(value, list):
        return [hit for item in cast("list[Any]", value) for hit in _find(item, names, depth + 1)]
    return []


def _units(args: dict[str, Any], sheet: Sheet, what: str) -> int | None:
    try:
        return parse_uint(args.get("amount"), bits=128)
    except BadAmount as error:
        sheet.warn("bad_value", f"The amount of {what} is not usable: {error}.")
        return None


def _ft(
    args: dict[str, Any], plain: dict[str, Any], sheet: Sheet, scope: ActionScope, action: dict[str, Any]
) -> str | None:
    raw, to = _units(args, sheet, action["method"]), args.get("receiver_id")
    if raw is None or not isinstance(to, str):
        return None
    contract = scope.receiver
    token = sheet.ctx.near_token(contract)
    words = sheet.token_amount("out", token, contract, raw, label="Token amount", to=to, source="args.amount")
    plain["token"] = {
        "id": contract,
        "symbol": token.symbol if token else None,
        "decimals": token.decimals if token else None,
        "raw": str(raw),
        "human": human(raw, token.decimals) if token else None,
        "to": to,
    }
    calls = action["method"] == "ft_transfer_call"
    near_recipient(sheet, to, scope, token=contract, contract=calls)
    if raw == 0:
        sheet.warn("noop_transfer", "The amount is zero: nothing moves.")
    return f"Send {words} to {to}{' and call it' if calls else ''}"


def _nft_transfer(
    args: dict[str, Any], plain: dict[str, Any], sheet: Sheet, scope: ActionScope, action: dict[str, Any]
) -> str | None:
    to, token_id = args.get("receiver_id"), args.get("token_id")
    if not isinstance(to, str) or not isinstance(token_id, str):
        return None
    sheet.amounts.append(Amount("out", scope.receiver, token_id=token_id, to=to))
    sheet.row("amount.out", "NFT", f"NFT {token_id} of {scope.receiver}", raw=token_id, kind="amount")
    near_recipient(sheet, to, scope, token=scope.receiver, contract=action["method"].endswith("_call"))
    return f"Send NFT {token_id} of {scope.receiver} to {to}"


def _nft_approve(
    args: dict[str, Any], plain: dict[str, Any], sheet: Sheet, scope: ActionScope, action: dict[str, Any]
) -> str | None:
    account, token_id = args.get("account_id"), args.get("token_id")
    sheet.warn("nft_approval", f"{account} may move NFT {token_id} of {scope.receiver} from now on.")
    if isinstance(account, str) and is_account_id(account):
        sheet.lookalike(account)
        network_mismatch(sheet, account, scope.chain)
    sheet.amounts.append(Amount("allowance", scope.receiver, token_id=str(token_id), to=str(account)))
    return f"Let {account} move NFT {token_id} of {scope.receiver}"


def _wraps(sheet: Sheet, scope: ActionScope) -> bool:
    token = sheet.ctx.near_token(scope.receiver)
    return scope.receiver in ("wrap.near", "wrap.testnet") or (token is not None and token.symbol.lower() == "wnear")


def _near_deposit(
    args: dict[str, Any], plain: dict[str, Any], sheet: Sheet, scope: ActionScope, action: dict[str, Any]
) -> str | None:
    if not _wraps(sheet, scope):
        return None
    raw = action["deposit"]
    sheet.amounts.append(Amount("in", scope.receiver, str(raw), human(raw, 24), "wNEAR", 24))
    sheet.row("amount.in", "You get", display(raw, 24, "wNEAR"), raw=str(raw), kind="amount", symbol="wNEAR")
    return f"Wrap {display(raw, 24, 'NEAR')}"


def _near_withdraw(
    args: dict[str, Any], plain: dict[str, Any], sheet: Sheet, scope: ActionScope, action: dict[str, Any]
) -> str | None:
    raw = _units(args, sheet, "near_withdraw")
    if raw is None or not _wraps(sheet, scope):
        return None
    sheet.amounts.append(Amount("out", scope.receiver, str(raw), human(raw, 24), "wNEAR", 24))
    sheet.amounts.append(Amount("in", "native", str(raw), human(raw, 24), "NEAR", 24))
    sheet.row("amount.in", "You get", display(raw, 24, "NEAR"), raw=str(raw), kind="amount", symbol="NEAR")
    return f"Unwrap {display(raw, 24, 'NEAR')}"


def _swap(
    args: dict[str, Any], plain: dict[str, Any], sheet: Sheet, scope: ActionScope, action: dict[str, Any]
) -> str | None:
    if any(value in ("0", 0) for value in _find(args, ("min_amount_out", "minAmountOut"), 0)):
        sheet.warn("no_slippage_limit", "The swap sets no minimum: you may get nothing for what you give.")
    return f"Swap on {scope.receiver}"


_Explain = Callable[[dict[str, Any], dict[str, Any], Sheet, ActionScope, dict[str, Any]], "str | None"]
_METHODS: dict[str, _Explain] = {
    "ft_transfer": _ft,
    "ft_transfer_call": _ft,
    "nft_transfer": _nft_transfer,
    "nft_transfer_call": _nft_transfer,
    "nft_approve": _nft_approve,
    "near_deposit": _near_deposit,
    "near_withdraw": _near_withdraw,
    "swap": _swap,
}

_ACTIONS: dict[str, Callable[[dict[str, Any], Sheet, ActionScope], tuple[dict[str, Any], str]]] = {
    "CreateAccount": _create,
    "DeployContract": _deploy,
    "DeployGlobalContract": _deploy,
    "FunctionCall": _call,
    "Transfer": _transfer,
    "Stake": _stake,
    "AddKey": _add_key,
    "DeleteKey": _delete_key,
    "DeleteAccount": _delete_account,
    "UseGlobalContract": _use_global,
}
