"""Well-known methods of NEAR contracts: tokens, NFTs, wrapping and swaps."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from bitte_nb.review.address import is_account_id
from bitte_nb.review.amounts import BadAmount, display, human, parse_uint
from bitte_nb.review.card import Amount
from bitte_nb.review.near_scope import ActionScope, near_recipient, network_mismatch
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.text import escape, judge_tricks, one_line

__all__ = ["METHODS", "show_arguments"]


def show_arguments(sheet: Sheet, value: Any) -> None:
    """A row per argument; `msg` is opened one level."""
    if not isinstance(value, dict):
        sheet.row("args", "Arguments", json.dumps(value, ensure_ascii=False), kind="code", source="args")
        return
    for key, item in cast("dict[str, Any]", value).items():
        text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
        kind = "address" if key.endswith(("_id", "Id")) and is_account_id(item) and "token" not in key else "code"
        note = sheet.ctx.name(text) if kind == "address" else ""
        shown, name = escape(text), one_line(key)
        judge_tricks(sheet, key + text, what=f"The argument {name[:60]}")
        raw = text if shown != text else ""
        sheet.row(f"arg.{name}", name, shown, raw=raw, kind=kind, note=note, source=f"args.{name}")
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
        escape(json.dumps(found, ensure_ascii=False, indent=1)),
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


METHODS: dict[str, _Explain] = {
    "ft_transfer": _ft,
    "ft_transfer_call": _ft,
    "nft_transfer": _nft_transfer,
    "nft_transfer_call": _nft_transfer,
    "nft_approve": _nft_approve,
    "near_deposit": _near_deposit,
    "near_withdraw": _near_withdraw,
    "swap": _swap,
}
