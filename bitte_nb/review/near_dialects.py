"""The JSON dialects of NEAR actions, brought to the one form that `borsh` reads and writes.

Read are wallet-selector `{type, params}`, near-api-js class fields `{functionCall: {...}, enum}`, nearcore views
`{"FunctionCall": {...}}` and the flat `{contractName, methodName, args, gas, deposit}`. Kinds that are not in the
closed list are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from bitte_nb.review.amounts import BadAmount, parse_uint
from bitte_nb.review.borsh import BorshError, base58_decode, base58_encode, public_key_bytes
from bitte_nb.review.near_args import json_bytes, parse_args
from bitte_nb.review.shapes import listed, table

__all__ = [
    "DEFAULT_GAS",
    "BadAction",
    "Read",
    "as_read",
    "conflict",
    "field",
    "normal_action",
]

DEFAULT_GAS = 30_000_000_000_000
"""What wallets attach to a call that names no gas."""

_PLAIN_KINDS = {
    kind.lower(): kind
    for kind in (
        "CreateAccount", "DeployContract", "FunctionCall", "Transfer", "Stake", "AddKey", "DeleteKey", "DeleteAccount",
        "Delegate", "DeployGlobalContract", "UseGlobalContract",
    )
}  # fmt: skip
_KINDS = _PLAIN_KINDS | {
    "signeddelegate": "Delegate",
    "delegateaction": "Delegate",
    "useglobalcontractbyaccountid": "UseGlobalContract",
}


class BadAction(ValueError):
    """An action cannot be read; `rule` is the id of the warning that says so."""

    def __init__(self, rule: str, sentence: str) -> None:
        super().__init__(sentence)
        self.rule = rule


def field(item: Mapping[str, Any], *names: str) -> Any:
    """The first of the names that is present and not null."""
    return next((item[name] for name in names if item.get(name) is not None), None)


_SAME = {"attacheddeposit": "deposit", "method": "methodname", "argsbase64": "args", "contractname": "receiverid",
         "contractid": "receiverid", "receiver": "receiverid", "beneficiary": "beneficiaryid"}  # fmt: skip
"""Names of a field beside the one that it has in most dialects, folded."""


def conflict(item: Mapping[str, Any]) -> str | None:
    """A sentence where one thing is said under two names with different values: each wallet would read another."""
    held: dict[str, str] = {}
    for name, value in item.items():
        folded = name.lower().replace("_", "")
        other = held.setdefault(_SAME.get(folded, folded), name)
        if value is not None and item[other] is not None and item[other] != value:
            return f"It says {other} and {name}, and they differ: which one counts depends on the wallet."
    return None


def _uint(value: object, what: str, bits: int, default: int | None = None) -> int:
    if value is None and default is not None:
        return default
    try:
        return parse_uint(value, bits=bits)
    except BadAmount as error:
        raise BadAction("bad_value", f"The {what} is not usable: {error}.") from error


def _key(value: object) -> str:
    if isinstance(value, Mapping):
        value = _key_object(cast("Mapping[str, Any]", value))
    if not isinstance(value, str):
        raise BadAction("bad_public_key", "The public key is missing or not text.")
    try:
        public_key_bytes(value)
    except BorshError as error:
        raise BadAction("bad_public_key", f"{value[:60]!r} is not a public key: {error}.") from error
    return value if ":" in value else f"ed25519:{value}"


def _key_object(value: Mapping[str, Any]) -> str | None:
    """near-api-js writes a key as `{ed25519Key: {data: [...]}}` or `{keyType, data}`."""
    inner = table(field(value, "ed25519Key", "secp256k1Key")) or value
    data = json_bytes(inner.get("data"))
    if data is None or len(data) not in (32, 64):
        return None
    return f"{'ed25519' if len(data) == 32 else 'secp256k1'}:{base58_encode(data)}"


def _text(value: object, what: str) -> str:
    if not isinstance(value, str) or len(value) > 1_000:
        raise BadAction("bad_value", f"The {what} is missing or not text.")
    return value


def normal_action(action: object, *, nested: bool = False) -> dict[str, Any]:
    """The action in the one form of `borsh`; BadAction where it cannot be read. FunctionCall gains `json`."""
    name, params, view = _open(action)
    kind = _KINDS.get(name.lower().replace("_", ""))
    if kind is None:
        raise BadAction("unknown_action", f"The action {name[:60]!r} is not known here, so it cannot be signed.")
    p = params
    differ = conflict(p)
    if differ is not None:
        raise BadAction("data_input_conflict", differ)
    match kind:
        case "CreateAccount":
            return {"kind": kind}
        case "DeployContract" | "DeployGlobalContract":
            return _deploy(kind, p, view=view)
        case "FunctionCall":
            data, is_json, found = parse_args(field(p, "args", "argsBase64", "args_base64"), base64_first=view)
            return {
                "kind": kind,
                "method": _text(field(p, "methodName", "method_name", "method"), "method name"),
                "args": data,
                "json": found if is_json else None,
                "is_json": is_json,
                "gas": _uint(field(p, "gas"), "gas", 64, DEFAULT_GAS),
                "deposit": _uint(field(p, "deposit"), "deposit", 128, 0),
            }
        case "Transfer":
            return {"kind": kind, "deposit": _uint(field(p, "deposit", "amount"), "deposit", 128)}
        case "Stake":
            return {
                "kind": kind,
                "stake": _uint(field(p, "stake", "amount"), "stake", 128),
                "public_key": _key(field(p, "publicKey", "public_key")),
            }
        case "AddKey":
            return {
                "kind": kind,
                "public_key": _key(field(p, "publicKey", "public_key")),
                "access_key": _access_key(table(field(p, "accessKey", "access_key"))),
            }
        case "DeleteKey":
            return {"kind": kind, "public_key": _key(field(p, "publicKey", "public_key"))}
        case "DeleteAccount":
            return {"kind": kind, "beneficiary": _text(field(p, "beneficiaryId", "beneficiary_id"), "beneficiary")}
        case "UseGlobalContract":
            return _use_global(kind, p)
        case _:
            if nested:
                raise BadAction("unknown_action", "A delegate action holds another one, which NEAR forbids (NEP-366).")
            return _delegate(p)


def _open(action: object) -> tuple[str, Mapping[str, Any], bool]:
    """(kind as written, its fields, whether it is a nearcore view)."""
    if isinstance(action, str):
        return action, {}, True
    item = table(action)
    named = [key for key in item if key.lower().replace("_", "") in _KINDS and isinstance(item[key], Mapping)]
    stated = [item[key] for key in ("type", "enum") if isinstance(item.get(key), str)]
    if len({_KINDS.get(name.lower().replace("_", ""), name) for name in (*named, *stated)}) > 1:
        # Each wallet would pick another one of them.
        raise BadAction(
            "unknown_action", f"It is written as {' and as '.join(dict.fromkeys((*stated, *named)))} at once."
        )
    if isinstance(item.get("type"), str):
        return item["type"], table(item.get("params")) or item, False
    if isinstance(item.get("enum"), str):
        return item["enum"], table(item.get(item["enum"])), False
    if "methodName" in item or "method_name" in item:
        return "FunctionCall", item, False
    if len(named) == 1:
        return named[0], table(item[named[0]]), named[0][:1].isupper()
    return next(iter(item), "nothing"), {}, False


def _deploy(kind: str, p: Mapping[str, Any], *, view: bool) -> dict[str, Any]:
    code = json_bytes(field(p, "code"))
    if code is None:
        raise BadAction("bad_value", "The contract code is missing or not bytes.")
    if view and len(code) == 32:
        # A nearcore view holds the hash of the code, not the code.
        return {"kind": kind, "code_hash": code}
    if kind == "DeployContract":
        return {"kind": kind, "code": code}
    mode = field(p, "deployMode", "deploy_mode", "mode")
    name = mode if isinstance(mode, str) else str(table(mode).get("enum") or next(iter(table(mode)), "CodeHash"))
    return {"kind": kind, "code": code, "mode": "AccountId" if "account" in name.lower() else "CodeHash"}


def _use_global(kind: str, p: Mapping[str, Any]) -> dict[str, Any]:
    inner = table(field(p, "contractIdentifier", "contract_identifier")) or p
    account = field(inner, "AccountId", "accountId", "account_id")
    if isinstance(account, str):
        return {"kind": kind, "account_id": account}
    code_hash = field(inner, "CodeHash", "codeHash", "code_hash")
    data = json_bytes(code_hash)
    if data is None and isinstance(code_hash, str):
        try:
            data = base58_decode(code_hash)
        except BorshError:
            data = None
    if data is None or len(data) != 32:
        raise BadAction("bad_value", "The global contract is named neither by an account nor by a hash of 32 bytes.")
    return {"kind": kind, "code_hash": data}


def _access_key(key: Mapping[str, Any]) -> dict[str, Any]:
    nonce = _uint(field(key, "nonce"), "key nonce", 64, 0)
    permission = key.get("permission")
    if permission == "FullAccess" or _is_full(table(permission)):
        return {"nonce": nonce, "permission": "FullAccess"}
    box = table(permission)
    box = table(field(box, "functionCall", "FunctionCall")) or box
    receiver = field(box, "receiverId", "receiver_id")
    if not isinstance(receiver, str):
        raise BadAction("unknown_action", "The permission of the new key is not known here, so it cannot be signed.")
    found = field(box, "methodNames", "method_names")
    methods = listed(found)
    if (found is not None and found != methods) or not all(isinstance(m, str) for m in methods):
        raise BadAction("bad_value", "The methods of the new key are not a list of names.")
    allowance = field(box, "allowance")
    return {
        "nonce": nonce,
        "permission": {
            "allowance": None if allowance is None else _uint(allowance, "allowance", 128),
            "receiver": receiver,
            "methods": methods,
        },
    }


def _is_full(permission: Mapping[str, Any]) -> bool:
    return any(name in permission for name in ("fullAccess", "FullAccess")) or permission.get("enum") == "fullAccess"


def _delegate(p: Mapping[str, Any]) -> dict[str, Any]:
    inner = table(field(p, "delegateAction", "delegate_action")) or p
    actions = field(inner, "actions")
    if not isinstance(actions, list):
        raise BadAction("bad_value", "The delegate action holds no list of actions.")
    return {
        "kind": "Delegate",
        "sender": _text(field(inner, "senderId", "sender_id"), "sender"),
        "receiver": _text(field(inner, "receiverId", "receiver_id"), "receiver"),
        "actions": [normal_action(_unwrap(item), nested=True) for item in cast("list[object]", actions)],
        "nonce": _uint(field(inner, "nonce"), "nonce", 64),
        "max_block_height": _uint(field(inner, "maxBlockHeight", "max_block_height"), "max block height", 64),
        "public_key": _key(field(inner, "publicKey", "public_key")),
        "signature": _signature(field(p, "signature")),
    }


def _signature(value: object) -> tuple[int, bytes] | None:
    """(key kind, bytes) of a signature as `ed25519:...` or as near-api-js class fields; None if there is none."""
    if isinstance(value, str):
        curve, _, body = value.rpartition(":")
        try:
            data: bytes | None = base58_decode(body)
        except BorshError:
            return None
        tag = 1 if curve == "secp256k1" else 0
    else:
        box = table(value)
        inner = table(field(box, "ed25519Signature", "secp256k1Signature")) or box
        data = json_bytes(inner.get("data"))
        tag = 1 if "secp256k1Signature" in box or box.get("keyType") == 1 else 0
    return (tag, data) if data is not None and len(data) == (64, 65)[tag] else None


def _unwrap(item: object) -> object:
    """NEP-366's NonDelegateAction wraps an action in a tuple of one."""
    inner = table(item).get("0")
    return inner if inner is not None else item


class Read(dict[str, Any]):
    """An action or delegate action that came from Borsh, so it is in the normal form already; JSON never is one."""


def as_read(action: object) -> dict[str, Any]:
    """The action as it is if it came from Borsh, else brought to the one form."""
    return action if isinstance(action, Read) else normal_action(action)
