"""Requests that no handed vector holds: exactly these warnings, this kind, these amounts and no others."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from test_readers import CONTEXT as WIDE
from test_readers import (
    ONE,
    PERMIT2,
    PERMIT_TYPES,
    ROUTER2,
    SINGLE7,
    SINGLE8,
    TWO,
    UNIVERSAL,
    V3_IN,
    WETH,
    commands,
    hop,
)
from test_rules import (
    BOB,
    DAI,
    EVE,
    FT,
    KEY,
    MAX,
    ME,
    NEAR,
    NOW,
    OWN_KEY,
    ROUTER,
    SAFE,
    THING,
    TOKEN,
    USDC,
    USDT,
    ZERO,
    act,
    approve,
    call,
    ft,
    login,
    method,
    near,
    note,
    order,
    permit,
    send,
    sign,
    swap,
    typed,
)  # fmt: skip

from bitte_nb.review import review

LATER = NOW + 60
CREATION = "0x6001600055"
CALL_ONLY = "0x40A2aCCbd92BCA938b02010E17A5b8929b49130D"
CTX = {**WIDE, "erc721": [], "tokens": {**WIDE["tokens"], "USDT": {"address": USDT, "decimals": 6, "chainId": 1}}}
NFT = {**CTX, "erc721": [THING]}
Case = tuple[str, dict[str, Any], dict[str, Any], str, set[str], list[tuple[str, str | None, str | None]] | None]


def raw(request: dict[str, Any]) -> bytes:
    return bytes.fromhex(request["data"][2:])


def packed(*calls: tuple[int, str, int, bytes]) -> bytes:
    return b"".join(
        bytes([op]) + bytes.fromhex(to[2:]) + value.to_bytes(32, "big") + len(data).to_bytes(32, "big") + data
        for op, to, value, data in calls
    )


def multisend(*calls: tuple[int, str, int, bytes], to: str = CALL_ONLY) -> dict[str, Any]:
    return call("multiSend(bytes)", packed(*calls), to=to)


def exec_(to: str, data: bytes = b"", *, value: int = 0, operation: int = 0, **more: Any) -> dict[str, Any]:
    fragment = "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)"
    return call(
        fragment, to, value, data, operation, 0, 0, 0, more.get("token", ZERO), more.get("receiver", ZERO), b"", to=SAFE
    )


def batch(*calls: dict[str, Any], atomic: bool | None = True) -> dict[str, Any]:
    bundle = {"version": "2.0.0", "from": ME, "chainId": "0x1", "atomicRequired": atomic, "calls": list(calls)}
    return {"method": "wallet_sendCalls", "params": [bundle]}


def pay(to: str, amount: int, token: str = USDC) -> dict[str, Any]:
    return call("transfer(address,uint256)", to, amount, to=token)


def single(spender: str, amount: int, until: int, *, name: str = "PermitSingle") -> dict[str, Any]:
    item = {"token": USDC, "amount": str(amount), "expiration": until, "nonce": 0}
    many = name == "PermitBatch"
    data = typed(
        name,
        f"PermitDetails{'[]' if many else ''} details,address spender,uint256 sigDeadline",
        {"details": [item, item] if many else item, "spender": spender, "sigDeadline": LATER},
        name="Permit2",
        chainId=1,
        verifyingContract=PERMIT2,
    )
    fields = (("token", "address"), ("amount", "uint160"), ("expiration", "uint48"), ("nonce", "uint48"))
    data["types"]["PermitDetails"] = [{"name": n, "type": k} for n, k in fields]
    return data


def transfer_from(spender: str, *amounts: int, witness: bool = False) -> dict[str, Any]:
    many = len(amounts) > 1
    name = f"Permit{'Batch' if many else ''}{'Witness' if witness else ''}TransferFrom"
    items = [{"token": USDC, "amount": str(amount)} for amount in amounts]
    fields = f"TokenPermissions{'[]' if many else ''} permitted,address spender,uint256 nonce,uint256 deadline"
    message: dict[str, Any] = {
        "permitted": items if many else items[0],
        "spender": spender,
        "nonce": 1,
        "deadline": LATER,
    }
    if witness:
        fields, message = f"{fields},bytes32 witness", {**message, "witness": "0x" + "11" * 32}
    data = typed(name, fields, message, name="Permit2", chainId=1, verifyingContract=PERMIT2)
    data["types"]["TokenPermissions"] = [{"name": "token", "type": "address"}, {"name": "amount", "type": "uint256"}]
    return data


SAFE_TX = (
    "address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,"
    "address gasToken,address refundReceiver,uint256 nonce"
)


def safe_tx(to: str, data: bytes = b"", *, operation: int = 0, price: int = 0) -> dict[str, Any]:
    message = {
        "to": to, "value": "0", "data": "0x" + data.hex(), "operation": operation, "safeTxGas": 0, "baseGas": 0,
        "gasPrice": price, "gasToken": ZERO, "refundReceiver": ZERO, "nonce": 4,
    }  # fmt: skip
    return typed("SafeTx", SAFE_TX, message, chainId=1, verifyingContract=SAFE)


def cow(receiver: str = ZERO, bought: int = 9, until: int = LATER) -> dict[str, Any]:
    fields = (
        "address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount,uint32 validTo,"
        "bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable,string sellTokenBalance,"
        "string buyTokenBalance"
    )
    message = {
        "sellToken": USDC, "buyToken": DAI, "receiver": receiver, "sellAmount": "7000000", "buyAmount": str(bought),
        "validTo": until, "appData": "0x" + "00" * 32, "feeAmount": "0", "kind": "sell", "partiallyFillable": False,
        "sellTokenBalance": "erc20", "buyTokenBalance": "erc20",
    }  # fmt: skip
    return typed("Order", fields, message, name="Gnosis Protocol", version="v2", chainId=1, verifyingContract=THING)


def authorization(name: str = "TransferWithAuthorization", **changed: Any) -> dict[str, Any]:
    fields = "address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce"
    message = {
        "from": ME, "to": BOB, "value": "2500000", "validAfter": 0, "validBefore": LATER, "nonce": "0x" + "01" * 32,
        **changed,
    }  # fmt: skip
    return typed(name, fields, message)


def dai(allowed: bool, expiry: int = LATER) -> dict[str, Any]:
    fields = "address holder,address spender,uint256 nonce,uint256 expiry,bool allowed"
    message = {"holder": ME, "spender": ROUTER, "nonce": 0, "expiry": expiry, "allowed": allowed}
    return typed("Permit", fields, message, name="Dai Stablecoin", version="1", chainId=1, verifyingContract=DAI)


def intents(*items: dict[str, Any]) -> dict[str, Any]:
    return note(json.dumps({"signer_id": "alice.near", "intents": list(items)}), "intents.near")


def nft(fragment: str, *values: Any) -> dict[str, Any]:
    return call(fragment, *values, to=THING)


def path_in(until: bool, to: str, low: int = 9) -> dict[str, Any]:
    head = ("bytes,address,uint256,uint256,uint256", (hop(USDC, DAI, WETH), to, LATER, 5, low))
    short = ("bytes,address,uint256,uint256", (hop(USDC, DAI, WETH), to, 5, low))
    types, values = head if until else short
    return call(f"exactInput(({types}))", values, to=ROUTER2)


AUTH = {"address": THING, "nonce": "0x0"}
DEAD = "0x000000000000000000000000000000000000dEaD"
PERMIT_MANY = "((address,uint160,uint48,uint48)[],address,uint256),bytes"

CASES: list[Case] = [
    # plain transfers and fields
    (
        "legacy",
        send(gasPrice="0x1", gas="0x5208"),
        CTX,
        "native_transfer",
        set(),
        [("value", "1000000000000000000", "ETH")],
    ),
    (
        "2930",
        send(type="0x1", gasPrice="1", gas="30000", accessList=[{"address": USDC, "storageKeys": []}]),
        CTX,
        "native_transfer",
        set(),
        None,
    ),
    (
        "1559",
        send(type="0x2", gas="0x5208", maxFeePerGas="0x77359400", maxPriorityFeePerGas="0x1"),
        CTX,
        "native_transfer",
        set(),
        None,
    ),
    ("value one wei below 2**256", send(value=str(MAX)), CTX, "native_transfer", set(), [("value", str(MAX), "ETH")]),
    ("value 2**256", send(value=str(MAX + 1)), CTX, "invalid", {"bad_value"}, []),
    ("value with a sign", send(value="+1"), CTX, "invalid", {"bad_value"}, []),
    ("value with a leading zero", send(value="01"), CTX, "invalid", {"bad_value"}, []),
    ("value in other digits", send(value="\uff11"), CTX, "invalid", {"bad_value"}, []),
    ("value with a blank", send(value=" 1"), CTX, "invalid", {"bad_value"}, []),
    ("value as true", send(value=True), CTX, "invalid", {"bad_value"}, []),
    ("value as a float", send(value=1.0), CTX, "invalid", {"bad_value"}, []),
    ("value 2**53 as a number", send(value=2**53), CTX, "native_transfer", set(), [("value", str(2**53), "ETH")]),
    ("hex without digits after an odd nibble", send(data="0x1"), CTX, "invalid", {"bad_hex"}, []),
    ("hex with a capital X", send(data="0X12"), CTX, "invalid", {"bad_hex"}, []),
    ("to with 39 digits", send(BOB[:-1]), CTX, "invalid", {"invalid_address"}, []),
    ("to as a number", send(5), CTX, "invalid", {"invalid_address"}, []),
    ("to a domain", send("pay.example.com"), CTX, "invalid", {"unresolved_name"}, []),
    (
        "equal data and input",
        send(USDC, "0", data=pay(BOB, 5)["data"], input=pay(BOB, 5)["data"]),
        CTX,
        "erc20_transfer",
        set(),
        [("out", "5", "USDC")],
    ),
    ("burn ffff", send("0x" + "ff" * 20), CTX, "native_transfer", {"burn_address"}, None),
    ("precompile 0x11", send("0x" + "00" * 19 + "11"), CTX, "native_transfer", {"burn_address"}, None),
    ("not a precompile 0x12", send("0x" + "00" * 19 + "12"), CTX, "native_transfer", {"first_time_recipient"}, None),
    ("polygon", send(chainId="137"), CTX, "native_transfer", set(), [("value", "1000000000000000000", "POL")]),
    ("wallet elsewhere", send(chainId="0xa"), {**CTX, "chain_id": 1}, "native_transfer", {"chain_mismatch"}, None),
    (
        "create with value",
        send(None, "5", data=CREATION),
        CTX,
        "contract_creation",
        {"contract_creation"},
        [("value", "5", "ETH")],
    ),
    (
        "create with little gas",
        send(None, "0", data=CREATION, gas="53000"),
        CTX,
        "contract_creation",
        {"contract_creation", "gas_low"},
        None,
    ),
    # EIP-7702
    (
        "7702 on this chain",
        send(ME, "0", authorizationList=[{**AUTH, "chainId": 1}]),
        CTX,
        "set_code",
        {"eip7702_delegation"},
        None,
    ),
    (
        "7702 on all",
        send(ME, "0", authorizationList=[{**AUTH, "chainId": "0x0"}]),
        CTX,
        "set_code",
        {"eip7702_delegation", "eip7702_all_chains"},
        None,
    ),
    (
        "7702 with a hidden call",
        {**approve(ROUTER, MAX), "authorizationList": [{**AUTH, "chainId": 1}]},
        CTX,
        "set_code",
        {"eip7702_delegation", "approve_unlimited"},
        [("allowance", str(MAX), "USDC")],
    ),
    (
        "7702 revoked",
        send(ME, "0", authorizationList=[{"address": ZERO, "chainId": 1, "nonce": 1}]),
        CTX,
        "set_code",
        set(),
        None,
    ),
    (
        "7702 bad address",
        send(ME, "0", authorizationList=[{"address": "0x12", "chainId": 1}]),
        CTX,
        "set_code",
        {"invalid_address"},
        None,
    ),
    # tokens
    ("transfer max", pay(BOB, MAX), CTX, "erc20_transfer", set(), [("out", str(MAX), "USDC")]),
    ("transfer nothing", pay(BOB, 0), CTX, "erc20_transfer", {"noop_transfer"}, [("out", "0", "USDC")]),
    ("transfer dead", pay(DEAD, 1), CTX, "erc20_transfer", {"burn_address"}, None),
    ("transfer to DAI", pay(DAI, 1), CTX, "erc20_transfer", {"recipient_is_token_contract"}, None),
    (
        "transferFrom another to me",
        call("transferFrom(address,address,uint256)", BOB, ME, 5),
        CTX,
        "erc20_transfer_from",
        set(),
        [("in", "5", "USDC")],
    ),
    (
        "transferFrom between others",
        call("transferFrom(address,address,uint256)", EVE, BOB, 5),
        CTX,
        "erc20_transfer_from",
        set(),
        [("move", "5", "USDC")],
    ),
    (
        "approve below the edge",
        approve(ROUTER, 2**255 - 1),
        CTX,
        "erc20_approve",
        set(),
        [("allowance", str(2**255 - 1), "USDC")],
    ),
    (
        "approve uint128",
        approve(ROUTER, 2**128 - 1),
        CTX,
        "erc20_approve",
        {"approve_unlimited"},
        [("allowance", str(2**128 - 1), "USDC")],
    ),
    ("approve uint160 less one", approve(ROUTER, 2**160 - 2), CTX, "erc20_approve", set(), None),
    (
        "increase by max",
        call("increaseAllowance(address,uint256)", ROUTER, MAX),
        CTX,
        "erc20_increase_allowance",
        {"approve_hidden_increase", "approve_unlimited"},
        None,
    ),
    (
        "set USDT to zero",
        approve(ROUTER, 0, to=USDT),
        {**CTX, "allowance": "5"},
        "erc20_revoke",
        set(),
        [("allowance", "0", "USDT")],
    ),
    ("value with approve", approve(ROUTER, 1, value="7"), CTX, "erc20_approve", {"value_to_nonpayable"}, None),
    ("unknown token", pay(BOB, 77, THING), CTX, "erc20_transfer", {"unknown_token"}, [("out", "77", None)]),
    (
        "USDC of another chain",
        {**pay(BOB, 5), "chainId": 10},
        CTX,
        "erc20_transfer",
        {"unknown_token"},
        [("out", "5", None)],
    ),
    (
        "nft to zero",
        nft("transferFrom(address,address,uint256)", ME, ZERO, 7),
        NFT,
        "erc721_transfer",
        {"zero_address"},
        [("out", None, None)],
    ),
    (
        "nft to itself",
        nft("safeTransferFrom(address,address,uint256)", ME, THING, 7),
        NFT,
        "erc721_transfer",
        {"recipient_is_token_contract"},
        None,
    ),
    (
        "1155 batch of nothing",
        nft("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", ME, BOB, [1, 2], [0, 0], b""),
        CTX,
        "erc1155_transfer",
        {"noop_transfer"},
        None,
    ),
    (
        "1155 batch torn",
        nft("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", ME, BOB, [1, 2], [3], b""),
        CTX,
        "erc1155_transfer",
        {"malformed_calldata"},
        None,
    ),
    (
        "operator is a contract",
        nft("setApprovalForAll(address,bool)", ROUTER, True),
        NFT,
        "nft_approve_all",
        {"approve_all_nfts"},
        [],
    ),
    ("wrap nothing", call("deposit()", to=WETH), CTX, "wrap", {"noop_transfer"}, None),
    (
        "unwrap",
        call("withdraw(uint256)", 10**17, to=WETH),
        CTX,
        "unwrap",
        set(),
        [("out", str(10**17), "WETH"), ("in", str(10**17), "ETH")],
    ),
    # Permit2
    (
        "permit2 approve 160",
        call("approve(address,address,uint160,uint48)", USDC, ROUTER, 2**160 - 1, LATER, to=PERMIT2),
        CTX,
        "permit2_approve",
        {"approve_unlimited"},
        None,
    ),
    (
        "permit2 approve this block",
        call("approve(address,address,uint160,uint48)", USDC, ROUTER, 5, 0, to=PERMIT2),
        CTX,
        "permit2_approve",
        set(),
        [("allowance", "5", "USDC")],
    ),
    (
        "permit2 approve expired",
        call("approve(address,address,uint160,uint48)", USDC, ROUTER, 5, NOW - 1, to=PERMIT2),
        CTX,
        "permit2_approve",
        {"deadline_passed"},
        None,
    ),
    (
        "permit2 transfer to zero",
        call("transferFrom(address,address,uint160,address)", ME, ZERO, 5, USDC, to=PERMIT2),
        CTX,
        "permit2_transfer",
        {"zero_address"},
        [("out", "5", "USDC")],
    ),
    # swaps
    (
        "v2 to 0x1 is no word of the first router",
        swap(to=ONE),
        CTX,
        "swap",
        {"swap_recipient_not_me", "burn_address"},
        None,
    ),
    ("v2 to zero", swap(to=ZERO), CTX, "swap", {"swap_recipient_not_me", "zero_address"}, None),
    (
        "v2 without a deadline to 0x1",
        call("swapExactTokensForTokens(uint256,uint256,address[],address)", 5, 1, [USDC, DAI], ONE, to=ROUTER2),
        CTX,
        "swap",
        set(),
        [("out", "5", "USDC"), ("min_in", "1", "DAI")],
    ),
    (
        "v3 single to Eve without minimum",
        call(f"exactInputSingle({SINGLE7})", (USDC, WETH, 500, EVE, 5, 0, 0), to=ROUTER2),
        CTX,
        "swap",
        {"swap_recipient_not_me", "no_slippage_limit"},
        None,
    ),
    (
        "v3 single with deadline passed",
        call(f"exactInputSingle({SINGLE8})", (USDC, WETH, 500, ME, NOW - 5, 5, 1, 0), to=ROUTER2),
        CTX,
        "swap",
        {"deadline_passed"},
        None,
    ),
    (
        "v3 output single",
        call(f"exactOutputSingle({SINGLE7})", (USDC, WETH, 500, ME, 7, 9, 0), to=ROUTER2),
        CTX,
        "swap",
        set(),
        [("max_out", "9", "USDC"), ("in", "7", "WETH")],
    ),
    (
        "v3 path to the sender word",
        path_in(False, ONE),
        CTX,
        "swap",
        set(),
        [("out", "5", "USDC"), ("min_in", "9", "WETH")],
    ),
    (
        "v3 path of the first router to 0x1",
        path_in(True, ONE),
        CTX,
        "swap",
        {"swap_recipient_not_me", "burn_address"},
        None,
    ),
    (
        "v3 torn path",
        call("exactInput((bytes,address,uint256,uint256))", (hop(USDC, DAI)[:-1], ME, 5, 9), to=ROUTER2),
        CTX,
        "contract_call",
        {"malformed_calldata"},
        None,
    ),
    (
        "v3 pay out with a large fee",
        call(
            "multicall(bytes[])",
            [
                raw(path_in(False, TWO)),
                raw(call("unwrapWETH9WithFee(uint256,address,uint256,address)", 9, ME, 9000, EVE)),
            ],
            to=ROUTER2,
        ),
        CTX,
        "multicall",
        {"swap_recipient_not_me"},
        None,
    ),
    (
        "v3 pay out with a small fee",
        call(
            "multicall(bytes[])",
            [
                raw(path_in(False, TWO)),
                raw(call("unwrapWETH9WithFee(uint256,address,uint256,address)", 9, ME, 25, EVE)),
            ],
            to=ROUTER2,
        ),
        CTX,
        "multicall",
        set(),
        None,
    ),
    (
        "universal: minimum of another token is none",
        commands((0x00, V3_IN, (TWO, 5, 0, hop(USDC, WETH), True)), (0x04, "address,address,uint256", (DAI, ONE, 1))),
        CTX,
        "swap",
        {"no_slippage_limit"},
        None,
    ),
    (
        "universal: minimum before the swap is none",
        commands((0x0C, "address,uint256", (ONE, 9)), (0x00, V3_IN, (TWO, 5, 0, hop(USDC, WETH), True))),
        CTX,
        "swap",
        {"no_slippage_limit"},
        None,
    ),
    (
        "universal: what goes to me is not paid out later",
        commands((0x00, V3_IN, (ONE, 5, 0, hop(USDC, WETH), True)), (0x0C, "address,uint256", (ONE, 9))),
        CTX,
        "swap",
        {"no_slippage_limit"},
        None,
    ),
    (
        "universal: unwrap bounds the swap",
        commands((0x00, V3_IN, (TWO, 5, 0, hop(USDC, WETH), True)), (0x0C, "address,uint256", (ONE, 9))),
        CTX,
        "swap",
        set(),
        [("out", "5", "USDC"), ("min_in", "9", "ETH")],
    ),
    (
        "universal: output to zero",
        commands((0x00, V3_IN, (ZERO, 5, 9, hop(USDC, WETH), True))),
        CTX,
        "swap",
        {"swap_recipient_not_me", "zero_address"},
        None,
    ),
    (
        "universal: batch of transfers",
        commands((0x0D, "(address,address,uint160,address)[]", ([(ME, EVE, 5, USDC), (ME, ME, 6, DAI)],))),
        CTX,
        "swap",
        {"swap_recipient_not_me"},
        [("out", "5", "USDC"), ("out", "6", "DAI")],
    ),
    (
        "universal: all to a portion",
        commands((0x06, "address,address,uint256", (USDC, EVE, 10_000))),
        CTX,
        "swap",
        {"swap_recipient_not_me"},
        None,
    ),
    ("universal: a fee", commands((0x06, "address,address,uint256", (USDC, EVE, 25))), CTX, "swap", set(), None),
    (
        "universal: permit for this block",
        commands((0x0A, PERMIT_TYPES, (((USDC, 5, 0, 0), UNIVERSAL, LATER), b"\1" * 65))),
        CTX,
        "swap",
        set(),
        [("allowance", "5", "USDC")],
    ),
    (
        "universal: permits",
        commands((0x03, PERMIT_MANY, (([(USDC, 2**160 - 1, LATER, 0), (DAI, 0, 0, 0)], EVE, LATER), b""))),
        CTX,
        "swap",
        {"approve_unlimited", "approve_to_eoa"},
        None,
    ),
    ("universal: unknown command", commands((0x3F, "uint256", (1,))), CTX, "swap", {"blind_call"}, None),
    # Safe, MultiSend, Multicall3, control
    ("safe sends tokens", exec_(USDC, raw(pay(BOB, 5))), CTX, "safe_exec", set(), [("out", "5", "USDC")]),
    (
        "safe runs multisend",
        exec_(CALL_ONLY, raw(multisend((0, USDC, 0, raw(pay(BOB, 5))), (0, BOB, 7, b""))), operation=1),
        CTX,
        "safe_exec",
        set(),
        [("out", "5", "USDC"), ("value", "7", "ETH")],
    ),
    (
        "safe runs multisend with a delegatecall in it",
        exec_(CALL_ONLY, raw(multisend((0, BOB, 7, b""), (1, THING, 0, b"\1\2\3\4"))), operation=1),
        CTX,
        "safe_exec",
        {"delegatecall", "blind_call"},
        None,
    ),
    (
        "safe runs a foreign multisend",
        exec_(THING, raw(multisend((0, BOB, 7, b""))), operation=1),
        CTX,
        "safe_exec",
        {"delegatecall"},
        None,
    ),
    ("safe operation 2", exec_(USDC, raw(pay(BOB, 5)), operation=2), CTX, "safe_exec", {"malformed_calldata"}, None),
    ("safe refund receiver", exec_(USDC, raw(pay(BOB, 5)), receiver=EVE), CTX, "safe_exec", {"safe_gas_refund"}, None),
    (
        "safe module",
        exec_(SAFE, raw(call("enableModule(address)", THING, to=SAFE))),
        CTX,
        "safe_exec",
        {"ownership_change"},
        None,
    ),
    (
        "multisend with a tail",
        multisend((0, BOB, 7, b""))
        | {"data": call("multiSend(bytes)", packed((0, BOB, 7, b"")) + b"\0", to=CALL_ONLY)["data"]},
        CTX,
        "contract_call",
        {"malformed_calldata"},
        None,
    ),
    ("multisend of nothing", multisend(), CTX, "multisend", {"empty_batch:warn"}, None),
    (
        "multicall hides an approval for all",
        call("multicall(bytes[])", [raw(nft("setApprovalForAll(address,bool)", EVE, True))], to=THING),
        NFT,
        "multicall",
        {"approve_all_nfts", "approve_to_eoa"},
        None,
    ),
    (
        "try aggregate",
        call("tryAggregate(bool,(address,bytes)[])", False, [(USDC, raw(pay(BOB, 5)))], to=THING),
        CTX,
        "multicall",
        set(),
        [("out", "5", "USDC")],
    ),
    (
        "grantRole",
        call("grantRole(bytes32,address)", b"\0" * 32, EVE, to=THING),
        CTX,
        "admin",
        {"ownership_change"},
        None,
    ),
    (
        "upgrade with a call inside",
        call("upgradeToAndCall(address,bytes)", THING, raw(call("transferOwnership(address)", EVE)), to=SAFE),
        CTX,
        "admin",
        {"ownership_change"},
        None,
    ),
    ("setFallbackHandler", call("setFallbackHandler(address)", EVE, to=SAFE), CTX, "admin", {"ownership_change"}, None),
    # batches
    (
        "batch approve and use",
        batch(approve(ROUTER, 5), swap()),
        CTX,
        "batch",
        set(),
        [("allowance", "5", "USDC"), ("out", "5", "USDC"), ("min_in", "1", "DAI")],
    ),
    (
        "batch two approvals, one used",
        batch(approve(ROUTER, 5), approve(THING, 5, to=DAI), swap()),
        CTX,
        "batch",
        {"unused_approval"},
        None,
    ),
    ("batch revoke last", batch(send(), approve(ROUTER, 0)), CTX, "batch", set(), None),
    (
        "batch collection for nobody",
        batch(nft("setApprovalForAll(address,bool)", ROUTER, True), send()),
        NFT,
        "batch",
        {"approve_all_nfts", "unused_approval"},
        None,
    ),
    (
        "batch increase for nobody",
        batch(call("increaseAllowance(address,uint256)", ROUTER, 5), send()),
        CTX,
        "batch",
        {"approve_hidden_increase", "unused_approval"},
        None,
    ),
    ("batch not atomic", batch(send(), send(), atomic=False), CTX, "batch", {"not_atomic"}, None),
    ("batch with another chain", batch({**send(), "chainId": 10}, send()), CTX, "batch", {"chain_mismatch"}, None),
    ("batch with a bad call", batch(send(value="x"), send()), CTX, "invalid", {"bad_value"}, None),
    # malformed data
    (
        "dirty address word",
        send(USDC, "0", data="0xa9059cbb" + "11" * 32 + "00" * 31 + "05"),
        CTX,
        "contract_call",
        {"malformed_calldata"},
        None,
    ),
    (
        "bytes padded with ones",
        send(CALL_ONLY, "0", data="0x8d80ff0a" + "00" * 31 + "20" + "00" * 31 + "01" + "00" + "11" * 31),
        CTX,
        "contract_call",
        {"malformed_calldata"},
        None,
    ),
    (
        "offset beyond the end",
        send(CALL_ONLY, "0", data="0x8d80ff0a" + "ff" * 32),
        CTX,
        "contract_call",
        {"malformed_calldata"},
        None,
    ),
    ("three bytes", send(THING, "0", data="0xa9059c"), CTX, "contract_call", {"blind_call:warn"}, None),
    (
        "tail of one byte",
        {**pay(BOB, 5), "data": pay(BOB, 5)["data"] + "ff"},
        CTX,
        "erc20_transfer",
        {"trailing_calldata"},
        [("out", "5", "USDC")],
    ),
    # messages
    ("text", sign("Hello"), CTX, "personal_sign", set(), None),
    ("32 letters are text", sign("a" * 32), CTX, "personal_sign", set(), None),
    ("33 bytes", sign(b"\xfe" * 33), CTX, "personal_sign", {"not_text"}, None),
    ("31 bytes", sign(b"\xfe" * 31), CTX, "personal_sign", {"not_text"}, None),
    ("three blank lines", sign("a\n\n\n\nb"), CTX, "personal_sign", set(), None),
    ("four blank lines", sign("a\n\n\n\n\nb"), CTX, "personal_sign", {"newline_flood"}, None),
    ("blank lines of blanks", sign("a\n \n\t\n \n \nb"), CTX, "personal_sign", {"newline_flood"}, None),
    ("blank lines of U+2028", sign("a" + "\u2028" * 6 + "b"), CTX, "personal_sign", {"newline_flood"}, None),
    ("blank lines first", sign("\n\n\n\nb"), CTX, "personal_sign", {"newline_flood"}, None),
    ("carriage returns", sign("a\r\n\r\n\r\n\r\n\r\nb"), CTX, "personal_sign", {"newline_flood"}, None),
    ("40 lines", sign("\n".join("x" * 40)), CTX, "personal_sign", set(), None),
    ("41 lines", sign("\n".join("x" * 41)), CTX, "personal_sign", {"newline_flood"}, None),
    ("isolates", sign("a\u2066b\u2069"), CTX, "personal_sign", {"bidi_control"}, None),
    ("tag letters", sign("a\U000e0041"), CTX, "personal_sign", {"invisible_chars"}, None),
    ("soft hyphen", sign("pass\u00adword"), CTX, "personal_sign", {"invisible_chars"}, None),
    ("greek in latin", sign("p\u03b1y"), CTX, "personal_sign", {"mixed_script"}, None),
    ("nul", sign("a\0b"), CTX, "personal_sign", {"not_text"}, None),
    ("eth_sign", {"method": "eth_sign", "params": [ME, "0x" + "12" * 32]}, CTX, "eth_sign", {"eth_sign"}, None),
    (
        "login not yet valid",
        sign(bytes.fromhex(login()["params"][0][2:]).decode() + "\nNot Before: 2026-02-01T00:00:00Z"),
        CTX,
        "siwe",
        {"siwe_expired"},
        None,
    ),
    (
        "login with a foreign first line",
        sign("example.com wants you to sign in with your Ethereum account:\nnobody"),
        CTX,
        "personal_sign",
        {"siwe_malformed"},
        None,
    ),
    (
        "login for a subdomain",
        login(domain="login.example.com"),
        {**CTX, "origin": "example.com"},
        "siwe",
        {"siwe_domain_mismatch"},
        None,
    ),
    # typed data
    (
        "permit max and for ever",
        permit(value=str(MAX), deadline=str(MAX)),
        CTX,
        "erc20_permit",
        {"approve_unlimited", "never_expires"},
        [("allowance", str(MAX), "USDC")],
    ),
    ("permit to an own account", permit(spender=ME), CTX, "erc20_permit", {"approve_to_eoa"}, None),
    (
        "permit as text",
        {"method": "eth_signTypedData_v4", "params": [ME, json.dumps(permit())]},
        CTX,
        "erc20_permit",
        set(),
        [("allowance", "1", "USDC")],
    ),
    ("permit hex value", permit(value="0x10"), CTX, "erc20_permit", set(), [("allowance", "16", "USDC")]),
    ("permit over 256 bits", permit(value=str(MAX + 1)), CTX, "invalid", {"bad_typed_data"}, []),
    ("dai for ever", dai(True, 0), CTX, "erc20_permit", {"approve_unlimited", "never_expires"}, None),
    ("dai revoked", dai(False), CTX, "erc20_permit", set(), [("allowance", "0", "DAI")]),
    ("permit2 one", single(UNIVERSAL, 5, LATER), CTX, "permit2", set(), [("allowance", "5", "USDC")]),
    (
        "permit2 many, unlimited, for ever",
        single(EVE, 2**160 - 1, 2**48 - 1, name="PermitBatch"),
        CTX,
        "permit2",
        {"approve_unlimited", "approve_to_eoa", "never_expires"},
        None,
    ),
    ("permit2 once", transfer_from(UNIVERSAL, 5), CTX, "permit2_transfer", set(), [("out", "5", "USDC")]),
    (
        "permit2 many once",
        transfer_from(UNIVERSAL, 5, 6),
        CTX,
        "permit2_transfer",
        set(),
        [("out", "5", "USDC"), ("out", "6", "USDC")],
    ),
    (
        "permit2 witness for Eve",
        transfer_from(EVE, MAX, witness=True),
        CTX,
        "permit2_transfer",
        {"approve_unlimited", "approve_to_eoa"},
        None,
    ),
    ("safe tx", safe_tx(USDC, raw(pay(BOB, 5))), CTX, "safe_tx", set(), [("out", "5", "USDC")]),
    (
        "safe tx multisend",
        safe_tx(CALL_ONLY, raw(multisend((0, USDC, 0, raw(approve(EVE, MAX))))), operation=1),
        CTX,
        "safe_tx",
        {"approve_unlimited", "approve_to_eoa"},
        None,
    ),
    (
        "safe tx swaps an owner and pays",
        safe_tx(SAFE, raw(call("swapOwner(address,address,address)", ONE, ME, EVE, to=SAFE)), price=1),
        CTX,
        "safe_tx",
        {"ownership_change", "safe_gas_refund"},
        None,
    ),
    (
        "safe message text",
        typed("SafeMessage", "bytes message", {"message": "0x" + b"Hello".hex()}, chainId=1, verifyingContract=SAFE),
        CTX,
        "safe_message",
        set(),
        None,
    ),
    ("3009", authorization(), CTX, "erc3009_transfer", set(), [("out", "2500000", "USDC")]),
    (
        "3009 receive from Eve",
        authorization("ReceiveWithAuthorization", **{"from": EVE, "to": ME}),
        CTX,
        "erc3009_transfer",
        {"owner_mismatch"},
        None,
    ),
    ("3009 expired", authorization(validBefore=NOW - 1), CTX, "erc3009_transfer", {"deadline_passed"}, None),
    ("cow", cow(), CTX, "swap_order", set(), [("out", "7000000", "USDC"), ("min_in", "9", "DAI")]),
    (
        "cow to Eve for nothing, expired",
        cow(EVE, 0, NOW - 1),
        CTX,
        "swap_order",
        {"swap_recipient_not_me", "no_slippage_limit", "deadline_passed"},
        None,
    ),
    ("seaport to me and a fee", order(ME, EVE), NFT, "nft_order", set(), None),
    (
        "no domain",
        {**permit(), "types": {**permit()["types"], "EIP712Domain": []}, "domain": {}},
        CTX,
        "unknown_typed_data",
        {"no_chain_binding", "blind_typed_data"},
        None,
    ),
    (
        "hidden field in a struct",
        (lambda d: {**d, "message": {**d["message"], "details": {**d["message"]["details"], "note": "safe"}}})(
            single(UNIVERSAL, 5, LATER)
        ),
        CTX,
        "permit2",
        {"unsigned_fields"},
        None,
    ),
    (
        "version 1",
        {"method": "eth_signTypedData", "params": [[{"type": "string", "name": "m", "value": "Hi"}], ME]},
        CTX,
        "unknown_typed_data",
        {"no_chain_binding", "blind_typed_data"},
        None,
    ),
    ("version 3", {"method": "eth_signTypedData_v3", "params": [ME, permit()]}, CTX, "erc20_permit", set(), None),
    # NEAR
    (
        "near one yocto",
        near(act("Transfer", deposit="1"), to="bob.near"),
        NEAR,
        "near_transfer",
        set(),
        [("value", "1", "NEAR")],
    ),
    ("near max", near(act("Transfer", deposit=str(2**128 - 1)), to="bob.near"), NEAR, "near_transfer", set(), None),
    (
        "near deposit with a fraction",
        near(act("Transfer", deposit="1.5"), to="bob.near"),
        NEAR,
        "invalid",
        {"bad_value"},
        None,
    ),
    (
        "near to a lookalike key",
        near(act("Transfer", deposit="1"), to="1720" + "ab" * 28 + "33a1"),
        {
            **NEAR,
            "tokens": {
                "17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1": {"symbol": "USDC", "decimals": 6}
            },
        },
        "near_transfer",
        {"implicit_account", "lookalike_address"},
        None,
    ),
    (
        "near eth account",
        near(act("Transfer", deposit="1"), to="0x" + "ab" * 20),
        NEAR,
        "near_transfer",
        {"implicit_account"},
        None,
    ),
    ("near stake", near(act("Stake", stake="5", publicKey=KEY)), NEAR, "near_stake", {"stake"}, None),
    (
        "near action written twice",
        near({"type": "Transfer", "params": {"deposit": "1"}, "functionCall": {"methodName": "x"}}, to="bob.near"),
        NEAR,
        "invalid",
        {"unknown_action"},
        None,
    ),
    (
        "near class fields",
        near({"enum": "transfer", "transfer": {"deposit": "5"}}, to="bob.near"),
        NEAR,
        "near_transfer",
        set(),
        [("value", "5", "NEAR")],
    ),
    (
        "near view",
        near({"Transfer": {"deposit": "5"}}, to="bob.near"),
        NEAR,
        "near_transfer",
        set(),
        [("value", "5", "NEAR")],
    ),
    (
        "near flat",
        {
            "contractName": TOKEN,
            "methodName": "ft_transfer",
            "args": FT,
            "gas": "30000000000000",
            "deposit": "1",
            "network": "mainnet",
        },
        NEAR,
        "near_function_call",
        set(),
        [("value", "1", "NEAR"), ("out", "5", "USDt")],
    ),
    (
        "near args in UTF-16",
        near(method("go", base64.b64encode('{"a":1}'.encode("utf-16-le")).decode(), "0"), to="x.near"),
        NEAR,
        "near_function_call",
        {"blind_call:warn"},
        None,
    ),
    (
        "near blind with money",
        near(method("go", "AAECAw==", "5" + "0" * 24), to="x.near"),
        NEAR,
        "near_function_call",
        {"blind_call:danger"},
        None,
    ),
    (
        "near call with a large deposit",
        near(method("go", {}, "51" + "0" * 24), to="x.near"),
        NEAR,
        "near_function_call",
        {"large_deposit"},
        None,
    ),
    (
        "near exactly the limit",
        near(method("go", {}, "50" + "0" * 24), to="x.near"),
        NEAR,
        "near_function_call",
        set(),
        None,
    ),
    (
        "near ft to oneself",
        near(ft(receiver_id="alice.near"), to=TOKEN),
        NEAR,
        "near_function_call",
        {"self_transfer"},
        None,
    ),
    (
        "near ft amount as a number",
        near(method("ft_transfer", {**FT, "amount": 2**60}), to=TOKEN),
        NEAR,
        "near_function_call",
        {"bad_value"},
        None,
    ),
    (
        "near nft call",
        near(method("nft_transfer_call", {"receiver_id": "m.near", "token_id": "9", "msg": ""}), to="n.near"),
        NEAR,
        "near_function_call",
        set(),
        None,
    ),
    (
        "near full key and delete",
        near(
            act("AddKey", publicKey=KEY, accessKey={"permission": "FullAccess"}),
            act("DeleteAccount", beneficiaryId="eve.near"),
        ),
        NEAR,
        "near_actions",
        {"full_access_key", "delete_account"},
        None,
    ),
    (
        "near two keys of gas",
        near(method("go", gas="150" + "0" * 12), method("go", gas="150" + "0" * 12), to="x.near"),
        NEAR,
        "near_actions",
        set(),
        None,
    ),
    (
        "near delegate with a key",
        {
            "senderId": "alice.near",
            "receiverId": "alice.near",
            "actions": [act("AddKey", publicKey=KEY, accessKey={"permission": "FullAccess"})],
            "nonce": "1",
            "maxBlockHeight": "9",
            "publicKey": OWN_KEY,
        },
        NEAR,
        "near_delegate",
        {"meta_transaction", "full_access_key"},
        None,
    ),
    (
        "near delegate in a delegate",
        near(
            act(
                "Delegate",
                senderId="alice.near",
                receiverId="b.near",
                nonce="1",
                maxBlockHeight="2",
                publicKey=KEY,
                actions=[act("Delegate", actions=[])],
            )
        ),
        NEAR,
        "invalid",
        {"unknown_action"},
        None,
    ),
    (
        "near two of which one is bad",
        {
            "transactions": [
                near(act("Transfer", deposit="1"), to="bob.near"),
                near(act("Transfer", deposit="x"), to="bob.near"),
            ],
            "network": "mainnet",
        },
        NEAR,
        "invalid",
        {"not_atomic", "bad_value"},
        None,
    ),
    # NEP-413 and intents
    (
        "413 nonce as numbers",
        {**note(), "nonce_base64": None, "nonce": list(range(32))},
        NEAR,
        "nep413_message",
        set(),
        None,
    ),
    (
        "413 nonce as a buffer",
        {**note(), "nonce_base64": None, "nonce": {"type": "Buffer", "data": list(range(32))}},
        NEAR,
        "nep413_message",
        set(),
        None,
    ),
    (
        "413 nonce base64url",
        {**note(), "nonce_base64": base64.urlsafe_b64encode(b"\xff\xfe" * 16).decode().rstrip("=")},
        NEAR,
        "nep413_message",
        set(),
        None,
    ),
    ("413 nonce in hex", {**note(), "nonce_base64": "ab" * 32}, NEAR, "invalid", {"bad_nonce"}, None),
    (
        "413 nonce with a number too large",
        {**note(), "nonce_base64": None, "nonce": [256] * 32},
        NEAR,
        "invalid",
        {"bad_nonce"},
        None,
    ),
    (
        "413 callback hides its host",
        note(recipient="app.example", callbackUrl="https://evil.example\\@app.example/x"),
        NEAR,
        "nep413_message",
        {"callback_host_mismatch"},
        None,
    ),
    (
        "413 callback with a user",
        note(recipient="app.example", callbackUrl="https://app.example@evil.example/x"),
        NEAR,
        "nep413_message",
        {"callback_host_mismatch"},
        None,
    ),
    (
        "413 callback over ftp",
        note(recipient="app.example", callbackUrl="ftp://app.example/x"),
        NEAR,
        "nep413_message",
        {"callback_not_https"},
        None,
    ),
    ("413 null callback", note(callbackUrl=None), NEAR, "nep413_message", set(), None),
    (
        "intents diff",
        intents({"intent": "token_diff", "diff": {f"nep141:{TOKEN}": "-5000000", "nep141:wrap.near": "2" + "0" * 24}}),
        NEAR,
        "near_intents",
        {"message_moves_funds"},
        [("out", "5000000", "USDt"), ("in", "2" + "0" * 24, "wNEAR")],
    ),
    (
        "intents withdraw",
        intents({"intent": "ft_withdraw", "token": TOKEN, "receiver_id": "bob.near", "amount": "7"}),
        NEAR,
        "near_intents",
        {"message_moves_funds"},
        [("out", "7", "USDt")],
    ),
    (
        "intents native",
        intents({"intent": "native_withdraw", "receiver_id": "b0b.near", "amount": "7"}),
        NEAR,
        "near_intents",
        {"message_moves_funds", "lookalike_address"},
        None,
    ),
    (
        "intents transfer without a receiver gives nothing",
        intents({"intent": "transfer", "tokens": {f"nep141:{TOKEN}": "7"}}),
        NEAR,
        "near_intents",
        {"message_moves_funds"},
        [("out", "7", "USDt")],
    ),
    (
        "intents key",
        intents({"intent": "add_public_key", "public_key": KEY}),
        NEAR,
        "near_intents",
        {"message_moves_funds"},
        [],
    ),
]


@pytest.mark.parametrize(
    ("request_", "context", "kind", "warnings", "amounts"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_a_request_gives_exactly_this_card(
    request_: dict[str, Any],
    context: dict[str, Any],
    kind: str,
    warnings: set[str],
    amounts: list[tuple[str, str | None, str | None]] | None,
) -> None:
    card = review(request_, context)
    found = {f"{w.id}:{w.severity}" if any(x.startswith(f"{w.id}:") for x in warnings) else w.id for w in card.warnings}
    assert found == warnings, [w.sentence for w in card.warnings]
    assert card.kind == kind
    if amounts is not None:
        assert [(a.role, a.raw, a.symbol) for a in card.amounts] == amounts
    assert json.loads(json.dumps(card.to_json())) == card.to_json()
