"""The actions of a NEAR transaction, explained: what moves, who gets power, what is deployed or deleted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any, cast

from bitte_nb.review.address import is_account_id
from bitte_nb.review.amounts import display, human
from bitte_nb.review.borsh import base58_encode
from bitte_nb.review.card import Amount
from bitte_nb.review.near_args import repeats_a_name
from bitte_nb.review.near_methods import METHODS, show_arguments
from bitte_nb.review.near_scope import ActionScope, near_amount, near_recipient, network_mismatch
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.text import judge_tricks, one_line

__all__ = ["read_action"]

_METHOD = re.compile(r"[A-Za-z0-9_.$:-]{1,256}")
_ONE_YOCTO = {"ft_transfer", "ft_transfer_call", "nft_transfer", "nft_transfer_call", "nft_approve"}


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
    method, raw = one_line(action["method"]), action["deposit"]
    sheet.row("call", "Method", method, raw=action["method"], kind="code", note=scope.receiver, source="methodName")
    if not _METHOD.fullmatch(action["method"]):
        judge_tricks(sheet, action["method"], what="The name of the method")
        sheet.warn(
            "malformed_calldata",
            f"{method[:120]!r} holds characters that names of methods do not have: it may imitate another method.",
        )
    _deposit(sheet, raw, scope, label="Attached deposit")
    tgas = human(action["gas"], 12)
    sheet.row("gas", "Gas", f"{tgas} TGas", raw=str(action["gas"]), source="gas")
    if action["gas"] == 0:
        sheet.warn("gas_low", "The call has no gas and cannot run. Ask for a request with gas.")
    if raw > sheet.ctx.large_deposit:
        sheet.warn("large_deposit", f"{display(raw, 24, 'NEAR')} leave the account with this call.")
    if method in _ONE_YOCTO and raw == 0:
        sheet.warn("missing_one_yocto", f"{method} needs a deposit of exactly 1 yocto and will fail without it.")
    if method in _ONE_YOCTO and method != "nft_approve" and raw > 1:  # an approval pays for its own storage
        sheet.warn(
            "value_to_nonpayable",
            f"{method} takes 1 yocto, and {display(raw, 24, 'NEAR')} are attached: it fails, or they are lost.",
        )
    network_mismatch(sheet, scope.receiver, scope.chain)
    sheet.lookalike(scope.receiver)
    plain: dict[str, Any] = {
        "kind": "FunctionCall",
        "method": action["method"],
        "args": action["json"] if action["is_json"] else "0x" + action["args"].hex(),
        "gas": {"raw": str(action["gas"]), "tgas": tgas},
        "deposit": near_amount(raw),
    }
    if not action["is_json"]:
        sheet.row("args", "Arguments", "0x" + action["args"].hex(), kind="code", note="cannot be decoded: not JSON")
        if repeats_a_name(action["args"]):
            sheet.warn(
                "malformed_calldata",
                f"The arguments of {method} say one name twice: contracts may read another value than this notebook.",
            )
        sheet.warn(
            "blind_call",
            f"The arguments of {method} are not JSON and cannot be read: signing means trusting them blindly.",
            severity="danger" if raw > 1 else None,
        )
        return plain, f"Call {method} on {scope.receiver} with unreadable arguments"
    show_arguments(sheet, action["json"])
    explain = METHODS.get(action["method"])
    args = cast("dict[str, Any]", action["json"]) if isinstance(action["json"], dict) else {}
    sentence = explain(args, plain, sheet, scope, action) if explain else None
    paid = f" with {display(raw, 24, 'NEAR')}" if raw > 1 and method != "near_deposit" else ""
    return plain, f"{sentence or f'Call {method} on {scope.receiver}'}{paid}"


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
