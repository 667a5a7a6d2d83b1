"""What each built-in reader makes of a call or of typed data: kind, amounts with roles, warnings."""

from __future__ import annotations

from typing import Any

import pytest
from test_rules import BOB, DAI, EVE, EVM, MAX, ME, NOW, ROUTER, SAFE, THING, USDC, ZERO, call, order, send, swap, typed

from bitte_nb.review import review
from bitte_nb.review.abi import encode
from bitte_nb.review.abi_types import parse_types

WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
UNIVERSAL = "0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af"
ROUTER2 = "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45"
LATER = NOW + 60
CONTEXT = {
    **EVM,
    "contracts": [*EVM["contracts"], WETH, PERMIT2, UNIVERSAL, ROUTER2],
    "erc721": [THING],
    "tokens": {**EVM["tokens"], "WETH": {"address": WETH, "decimals": 18, "chainId": 1}},
}
SINGLE7 = "(address,address,uint24,address,uint256,uint256,uint160)"
SINGLE8 = "(address,address,uint24,address,uint256,uint256,uint256,uint160)"


def hop(*tokens: str) -> bytes:
    return (3000).to_bytes(3, "big").join(bytes.fromhex(token[2:]) for token in tokens)


def commands(*parts: tuple[int, str, tuple[Any, ...]], value: str = "0") -> dict[str, Any]:
    codes = bytes(code for code, _, _ in parts)
    inputs = [encode(parse_types(types), values) for _, types, values in parts]
    return call("execute(bytes,bytes[],uint256)", codes, inputs, LATER, to=UNIVERSAL, value=value)


def v4(*parts: tuple[int, str, tuple[Any, ...]], value: str = "0") -> dict[str, Any]:
    codes = bytes(code for code, _, _ in parts)
    params = [encode(parse_types(types), values) for _, types, values in parts]
    return commands((0x10, "bytes,bytes[]", (codes, params)), value=value)


V4_ONE_IN = "((address,address,uint24,int24,address),bool,uint128,uint128,bytes)"
V4_IN = "(address,(address,uint24,int24,address,bytes)[],uint128,uint128)"
PAY, GET = "address,uint256", "address,uint256"
POOL = (ZERO, USDC, 500, 10, ZERO)


def execute(mode: bytes, data: bytes) -> dict[str, Any]:
    return call("execute(bytes32,bytes)", mode.ljust(32, b"\0"), data, to=SAFE)


BATCH = "(address,uint256,bytes)[]"
PAYMENT = bytes.fromhex(call("transfer(address,uint256)", BOB, 5)["data"][2:])
V3_IN = "address,uint256,uint256,bytes,bool"
V2_IN = "address,uint256,uint256,address[],bool"
ONE, TWO = "0x" + "00" * 19 + "01", "0x" + "00" * 19 + "02"
PERMIT_TYPES = "((address,uint160,uint48,uint48),address,uint256),bytes"

CASES: list[tuple[str, dict[str, Any], str, list[tuple[str, str, str | None]], set[str]]] = [
    ("unwrap", call("withdraw(uint256)", 5, to=WETH), "unwrap", [("out", "5", "WETH"), ("in", "5", "ETH")], set()),
    ("withdraw of something else", call("withdraw(uint256)", 5, to=ROUTER), "contract_call", [], set()),
    (
        "deposit to something else",
        call("deposit()", to=ROUTER, value="5"),
        "contract_call",
        [("value", "5", "ETH")],
        set(),
    ),
    (
        "decrease",
        call("decreaseAllowance(address,uint256)", ROUTER, 5),
        "erc20_decrease_allowance",
        [("allowance_delta", "5", "USDC")],
        set(),
    ),
    (
        "permit",
        call(
            "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
            ME,
            ROUTER,
            5,
            LATER,
            27,
            b"\1" * 32,
            b"\2" * 32,
        ),
        "erc20_permit",
        [("allowance", "5", "USDC")],
        set(),
    ),
    (
        "3009",
        call(
            "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
            ME,
            BOB,
            5,
            0,
            LATER,
            b"\0" * 32,
            27,
            b"\1" * 32,
            b"\2" * 32,
        ),
        "erc3009_transfer",
        [("out", "5", "USDC")],
        set(),
    ),
    (
        "nft by transferFrom",
        call("transferFrom(address,address,uint256)", ME, BOB, 7, to=THING),
        "erc721_transfer",
        [("out", None, None)],
        set(),
    ),
    (
        "nft with data",
        call("safeTransferFrom(address,address,uint256,bytes)", ME, BOB, 7, b"x", to=THING),
        "erc721_transfer",
        [("out", None, None)],
        set(),
    ),
    (
        "nft revoke",
        call("approve(address,uint256)", ZERO, 7, to=THING),
        "erc721_approve",
        [("allowance", None, None)],
        set(),
    ),
    ("operator revoked", call("setApprovalForAll(address,bool)", EVE, False, to=THING), "nft_revoke_all", [], set()),
    (
        "1155",
        call("safeTransferFrom(address,address,uint256,uint256,bytes)", ME, BOB, 7, 2, b"", to=ROUTER),
        "erc1155_transfer",
        [("out", "2", None)],
        set(),
    ),
    (
        "1155 batch",
        call(
            "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", ME, BOB, [1, 2], [3, 4], b"", to=ROUTER
        ),
        "erc1155_transfer",
        [("out", "3", None), ("out", "4", None)],
        set(),
    ),
    (
        "1155 batch, lengths differ",
        call("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", ME, BOB, [1, 2], [3], b"", to=ROUTER),
        "erc1155_transfer",
        [("out", "3", None)],
        {"malformed_calldata"},
    ),
    (
        "money coming in",
        call("transferFrom(address,address,uint256)", EVE, ME, 7),
        "erc20_transfer_from",
        [("in", "7", "USDC")],
        set(),
    ),
    (
        "permit2 approve",
        call("approve(address,address,uint160,uint48)", USDC, UNIVERSAL, 5, LATER, to=PERMIT2),
        "permit2_approve",
        [("allowance", "5", "USDC")],
        set(),
    ),
    (
        "permit2 revoke",
        call("approve(address,address,uint160,uint48)", USDC, UNIVERSAL, 0, 0, to=PERMIT2),
        "permit2_revoke",
        [("allowance", "0", "USDC")],
        set(),
    ),
    (
        "permit2 batch",
        call("transferFrom((address,address,uint160,address)[])", [(ME, BOB, 5, USDC), (ME, BOB, 6, DAI)], to=PERMIT2),
        "permit2_transfer",
        [("out", "5", "USDC"), ("out", "6", "DAI")],
        set(),
    ),
    (
        "permit2 permit",
        call(
            "permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)",
            ME,
            ((USDC, 5, LATER, 0), UNIVERSAL, LATER),
            b"\1" * 65,
            to=PERMIT2,
        ),
        "permit2",
        [("allowance", "5", "USDC")],
        set(),
    ),
    (
        "permit2 nonces",
        call("invalidateNonces(address,address,uint48)", USDC, UNIVERSAL, 5, to=PERMIT2),
        "permit2_revoke",
        [],
        set(),
    ),
    (
        "v2 exact out",
        call(
            "swapTokensForExactTokens(uint256,uint256,address[],address,uint256)",
            5,
            9,
            [USDC, DAI],
            ME,
            LATER,
            to=ROUTER,
        ),
        "swap",
        [("max_out", "9", "USDC"), ("in", "5", "DAI")],
        set(),
    ),
    (
        "v2 to native",
        call(
            "swapExactTokensForETH(uint256,uint256,address[],address,uint256)", 5, 9, [USDC, WETH], ME, LATER, to=ROUTER
        ),
        "swap",
        [("out", "5", "USDC"), ("min_in", "9", "ETH")],
        set(),
    ),
    (
        "v2 fee on transfer",
        call(
            "swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)",
            0,
            [WETH, USDC],
            EVE,
            LATER,
            to=ROUTER,
            value="5",
        ),
        "swap",
        [("value", "5", "ETH"), ("min_in", "0", "USDC")],
        {"no_slippage_limit", "swap_recipient_not_me"},
    ),
    (
        "v2 one token",
        call("swapExactTokensForTokens(uint256,uint256,address[],address,uint256)", 5, 9, [USDC], ME, LATER, to=ROUTER),
        "contract_call",
        [],
        {"malformed_calldata"},
    ),
    ("swap for ever", swap(until=MAX), "swap", [("out", "5", "USDC"), ("min_in", "1", "DAI")], {"never_expires"}),
    (
        "v3 single",
        call(f"exactInputSingle({SINGLE7})", (USDC, DAI, 500, ME, 5, 6, 0), to=ROUTER2),
        "swap",
        [("out", "5", "USDC"), ("min_in", "6", "DAI")],
        set(),
    ),
    (
        "v3 single, first router",
        call(f"exactInputSingle({SINGLE8})", (USDC, DAI, 500, ME, NOW - 5, 5, 6, 0), to=ROUTER2),
        "swap",
        [("out", "5", "USDC"), ("min_in", "6", "DAI")],
        {"deadline_passed"},
    ),
    (
        "v3 exact out",
        call(f"exactOutputSingle({SINGLE7})", (USDC, DAI, 500, ME, 5, 6, 0), to=ROUTER2),
        "swap",
        [("max_out", "6", "USDC"), ("in", "5", "DAI")],
        set(),
    ),
    (
        "v3 exact out by path",
        call("exactOutput((bytes,address,uint256,uint256))", (hop(DAI, WETH, USDC), ME, 5, 6), to=ROUTER2),
        "swap",
        [("max_out", "6", "USDC"), ("in", "5", "DAI")],
        set(),
    ),
    (
        "v3 torn path",
        call("exactInput((bytes,address,uint256,uint256))", (b"\1" * 30, ME, 5, 6), to=ROUTER2),
        "contract_call",
        [],
        {"malformed_calldata"},
    ),
    (
        "v3 paid natively",
        call(f"exactInputSingle({SINGLE7})", (WETH, USDC, 500, ME, 5, 6, 0), to=ROUTER2, value="5"),
        "swap",
        [("value", "5", "ETH"), ("min_in", "6", "USDC")],
        set(),
    ),
    (
        "router by v3",
        commands((0x00, V3_IN, (ONE, 5, 6, hop(USDC, DAI), True))),
        "swap",
        [("out", "5", "USDC"), ("min_in", "6", "DAI")],
        set(),
    ),
    (
        "router by v2 to a thief",
        commands((0x08, V2_IN, (EVE, 5, 6, [USDC, DAI], True))),
        "swap",
        [("out", "5", "USDC"), ("min_in", "6", "DAI")],
        {"swap_recipient_not_me"},
    ),
    (
        "router, swept",
        commands((0x00, V3_IN, (TWO, 5, 0, hop(USDC, DAI), True)), (0x04, "address,address,uint256", (DAI, ONE, 6))),
        "swap",
        [("out", "5", "USDC"), ("min_in", "6", "DAI")],
        set(),
    ),
    (
        "router without a minimum",
        commands((0x00, V3_IN, (ONE, 5, 0, hop(USDC, DAI), True))),
        "swap",
        [("out", "5", "USDC"), ("min_in", "0", "DAI")],
        {"no_slippage_limit"},
    ),
    (
        "router, unwrapped",
        commands((0x00, V3_IN, (TWO, 5, 0, hop(USDC, WETH), True)), (0x0C, "address,uint256", (ME, 6))),
        "swap",
        [("out", "5", "USDC"), ("min_in", "6", "ETH")],
        set(),
    ),
    (
        "router with a permit",
        commands((0x0A, PERMIT_TYPES, (((USDC, 2**160 - 1, LATER, 0), UNIVERSAL, LATER), b"\1" * 65))),
        "swap",
        [("allowance", str(2**160 - 1), "USDC")],
        {"approve_unlimited"},
    ),
    (
        "v4, one pool, paid natively",
        v4(
            (0x06, V4_ONE_IN, ((POOL, True, 5, 6, b""),)),
            (0x0C, PAY, (ZERO, 5)),
            (0x0F, GET, (USDC, 6)),
            value="5",
        ),
        "swap",
        [("value", "5", "ETH"), ("min_in", "6", "USDC")],
        set(),
    ),
    (
        "v4 by a path, all of what is owed",
        v4(
            (0x07, V4_IN, ((USDC, [(DAI, 100, 1, ZERO, b"")], 5, 6),)),
            (0x0B, "address,uint256,bool", (USDC, 0, True)),
            (0x0E, "address,address,uint256", (DAI, ONE, 0)),
        ),
        "swap",
        [("out", "5", "USDC"), ("min_in", "6", "DAI")],
        set(),
    ),
    (
        "v4 exact out",
        v4(
            (0x09, V4_IN, ((DAI, [(USDC, 100, 1, ZERO, b"")], 6, 5),)),
            (0x0C, PAY, (USDC, 5)),
            (0x0F, GET, (DAI, 6)),
        ),
        "swap",
        [("max_out", "5", "USDC"), ("in", "6", "DAI")],
        set(),
    ),
    (
        "v4 to a thief and without a minimum",
        v4(
            (0x07, V4_IN, ((USDC, [(DAI, 100, 1, ZERO, b"")], 5, 0),)),
            (0x0C, PAY, (USDC, 5)),
            (0x0E, "address,address,uint256", (DAI, EVE, 0)),
        ),
        "swap",
        [("out", "5", "USDC"), ("min_in", "0", "DAI")],
        {"swap_recipient_not_me", "no_slippage_limit"},
    ),
    ("v4, unknown action", v4((0x02, "uint256", (1,))), "swap", [], {"blind_call"}),
    ("v4, torn", commands((0x10, "bytes,bytes[]", (b"\x06", [b"\1"]))), "swap", [], {"malformed_calldata"}),
    ("v4, lengths differ", commands((0x10, "bytes,bytes[]", (b"\x06", []))), "swap", [], {"malformed_calldata"}),
    (
        "router, a plan in a plan",
        commands(
            (0x21, "bytes,bytes[]", (b"\x00", [encode(parse_types(V3_IN), (ONE, 5, 6, hop(USDC, DAI), True))])),
        ),
        "swap",
        [("out", "5", "USDC"), ("min_in", "6", "DAI")],
        set(),
    ),
    ("router, unknown command", commands((0x3F, "uint256", (1,))), "swap", [], {"blind_call"}),
    (
        "router, lengths differ",
        call("execute(bytes,bytes[],uint256)", b"\0\0", [b""], LATER, to=UNIVERSAL),
        "contract_call",
        [],
        {"malformed_calldata"},
    ),
    (
        "router multicall",
        call(
            "multicall(uint256,bytes[])",
            LATER,
            [
                bytes.fromhex(call(f"exactInputSingle({SINGLE7})", (USDC, WETH, 500, TWO, 5, 6, 0))["data"][2:]),
                bytes.fromhex(call("unwrapWETH9(uint256,address)", 6, ME)["data"][2:]),
            ],
            to=ROUTER2,
        ),
        "multicall",
        [("out", "5", "USDC"), ("min_in", "6", "WETH"), ("min_in", "6", "ETH")],
        set(),
    ),
    (
        "pay out to a thief",
        call("unwrapWETH9(uint256,address)", 6, EVE, to=ROUTER2),
        "contract_call",
        [("min_in", "6", "ETH")],
        {"swap_recipient_not_me"},
    ),
    (
        "liquidity",
        call(
            "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)",
            USDC,
            DAI,
            5,
            6,
            0,
            0,
            ME,
            LATER,
            to=ROUTER,
        ),
        "liquidity",
        [("max_out", "5", "USDC"), ("max_out", "6", "DAI")],
        {"no_slippage_limit"},
    ),
    (
        "module",
        call("execTransactionFromModule(address,uint256,bytes,uint8)", USDC, 5, b"", 0, to=SAFE),
        "safe_exec",
        [("value", "5", "ETH")],
        {"recipient_is_token_contract"},
    ),
    (
        "safe, unknown operation",
        call("execTransactionFromModule(address,uint256,bytes,uint8)", USDC, 5, b"", 9, to=SAFE),
        "safe_exec",
        [],
        {"malformed_calldata"},
    ),
    (
        "smart account",
        call("execute(address,uint256,bytes)", BOB, 5, b"", to=SAFE),
        "smart_account",
        [("value", "5", "ETH")],
        set(),
    ),
    (
        "execution mode, single",
        execute(b"\x00", bytes.fromhex(USDC[2:]) + (0).to_bytes(32, "big") + PAYMENT),
        "smart_account",
        [("out", "5", "USDC")],
        set(),
    ),
    (
        "execution mode, batch",
        execute(b"\x01", encode(parse_types(BATCH), ([(USDC, 0, PAYMENT), (BOB, 7, b"")],))),
        "smart_account",
        [("out", "5", "USDC"), ("value", "7", "ETH")],
        set(),
    ),
    (
        "execution mode, batch with operation data",
        execute(b"\x01", encode(parse_types(f"{BATCH},bytes"), ([(USDC, 0, PAYMENT)], b"\1"))),
        "smart_account",
        [("out", "5", "USDC")],
        set(),
    ),
    (
        "execution mode, batch of batches",
        execute(
            bytes.fromhex("01000000000078210002"),
            encode(parse_types("bytes[]"), ([encode(parse_types(BATCH), ([(USDC, 0, PAYMENT)],))] * 2,)),
        ),
        "smart_account",
        [("out", "5", "USDC")] * 2,
        set(),
    ),
    (
        "execution mode, delegatecall",
        execute(b"\xff", bytes.fromhex(ROUTER[2:]) + b"\1\2\3\4"),
        "smart_account",
        [],
        {"delegatecall", "blind_call"},
    ),
    ("execution mode, torn", execute(b"\x01", b"\1" * 32), "smart_account", [], {"malformed_calldata"}),
    ("execution mode, unknown", execute(b"\x05", b"\1" * 60), "smart_account", [], {"blind_call"}),
    (
        "delegations redeemed",
        call(
            "redeemDelegations(bytes[],bytes32[],bytes[])",
            [b""],
            [b"\0" * 32],
            [bytes.fromhex(USDC[2:]) + (0).to_bytes(32, "big") + PAYMENT],
            to=SAFE,
        ),
        "delegation",
        [("out", "5", "USDC")],
        set(),
    ),
    ("vault by a guess", call("deposit(uint256,address)", 5, ME, to=ROUTER), "vault", [], {"blind_call"}),
    ("empty batch", call("multiSend(bytes)", b"", to=SAFE), "multisend", [], {"empty_batch"}),
]


@pytest.mark.parametrize(("request_", "kind", "amounts", "rules"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_a_call_is_explained(request_: dict[str, Any], kind: str, amounts: list[Any], rules: set[str]) -> None:
    card = review(request_, CONTEXT)
    assert card.kind == kind
    assert [(a.role, a.raw, a.symbol) for a in card.amounts] == amounts
    assert {w.id for w in card.warnings} == rules
    assert card.summary


ADMIN = [
    ("renounceOwnership()", ()),
    ("upgradeTo(address)", (BOB,)),
    ("changeAdmin(address)", (BOB,)),
    ("addOwnerWithThreshold(address,uint256)", (BOB, 1)),
    ("removeOwner(address,address,uint256)", (BOB, EVE, 1)),
    ("swapOwner(address,address,address)", (BOB, EVE, ME)),
    ("changeThreshold(uint256)", (1,)),
    ("enableModule(address)", (BOB,)),
    ("setGuard(address)", (BOB,)),
    ("setFallbackHandler(address)", (BOB,)),
    ("grantRole(bytes32,address)", (b"\0" * 32, BOB)),
]


@pytest.mark.parametrize(("fragment", "values"), ADMIN)
def test_a_change_of_control_is_a_danger(fragment: str, values: tuple[Any, ...]) -> None:
    card = review(call(fragment, *values, to=SAFE), CONTEXT)
    assert (card.kind, [w.id for w in card.warnings]) == ("admin", ["ownership_change"])
    for value in values:
        assert str(value) in str([row.value for row in card.rows]) or isinstance(value, bytes)


DOMAIN = {"name": "n", "chainId": 1, "verifyingContract": PERMIT2}
TYPED: list[tuple[str, dict[str, Any], str, list[tuple[str, str | None, str | None]], set[str]]] = [
    (
        "dai permit",
        typed(
            "Permit",
            "address holder,address spender,uint256 nonce,uint256 expiry,bool allowed",
            {"holder": ME, "spender": ROUTER, "nonce": 0, "expiry": 0, "allowed": True},
            chainId=1,
            verifyingContract=DAI,
        ),
        "erc20_permit",
        [("allowance", None, "DAI")],
        {"approve_unlimited", "never_expires"},
    ),
    (
        "dai permit taken back",
        typed(
            "Permit",
            "address holder,address spender,uint256 nonce,uint256 expiry,bool allowed",
            {"holder": ME, "spender": ROUTER, "nonce": 0, "expiry": 0, "allowed": False},
            chainId=1,
            verifyingContract=DAI,
        ),
        "erc20_permit",
        [("allowance", "0", "DAI")],
        set(),
    ),
    (
        "nft permit",
        typed(
            "Permit",
            "address spender,uint256 tokenId,uint256 nonce,uint256 deadline",
            {"spender": EVE, "tokenId": 7, "nonce": 0, "deadline": LATER},
            chainId=1,
            verifyingContract=THING,
        ),
        "nft_permit",
        [("allowance", None, None)],
        {"approve_to_eoa"},
    ),
    (
        "receive with authorization",
        typed(
            "ReceiveWithAuthorization",
            "address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce",
            {"from": ME, "to": BOB, "value": 0, "validAfter": 0, "validBefore": LATER, "nonce": "0x" + "00" * 32},
        ),
        "erc3009_transfer",
        [("out", "0", "USDC")],
        {"noop_transfer"},
    ),
    (
        "cow order",
        typed(
            "Order",
            "address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount,uint32 validTo",
            {"sellToken": USDC, "buyToken": DAI, "receiver": EVE, "sellAmount": 5, "buyAmount": 0, "validTo": LATER},
        ),
        "swap_order",
        [("out", "5", "USDC"), ("min_in", "0", "DAI")],
        {"swap_recipient_not_me", "no_slippage_limit"},
    ),
    (
        "safe message in words",
        typed("SafeMessage", "bytes message", {"message": "0x68656c6c6f"}, chainId=1, verifyingContract=SAFE),
        "safe_message",
        [],
        set(),
    ),
    (
        "order with a fee",
        order(ME, EVE),
        "nft_order",
        [("out", "1", None), ("in", "5", "ETH"), ("move", "5", "ETH")],
        set(),
    ),
    (
        "a name alone is not a permit",
        typed("Permit", "string note", {"note": "hi"}),
        "unknown_typed_data",
        [],
        {"blind_typed_data"},
    ),
    (
        "chain id in hex",
        typed("Vote", "uint256 x", {"x": "0x5"}, chainId="0x1", verifyingContract=THING),
        "unknown_typed_data",
        [],
        {"blind_typed_data"},
    ),
]


@pytest.mark.parametrize(("data", "kind", "amounts", "rules"), [c[1:] for c in TYPED], ids=[c[0] for c in TYPED])
def test_typed_data_is_explained(data: dict[str, Any], kind: str, amounts: list[Any], rules: set[str]) -> None:
    card = review(data, CONTEXT)
    assert card.kind == kind
    assert [(a.role, a.raw, a.symbol) for a in card.amounts] == amounts
    assert {w.id for w in card.warnings} == rules


INVALID = [
    typed("A", "uint8 x", {"x": 256}),
    typed("A", "int8 x", {"x": 128}),
    typed("A", "bytes4 x", {"x": "0x01"}),
    typed("A", "bool x", {"x": "true"}),
    typed("A", "uint256[2] x", {"x": [1]}),
    typed("A", "uint257 x", {"x": 1}),
    typed("A", "B x", {"x": {}}),
    typed("A", "string x", {"x": 5}),
    typed("A", "uint256 x,uint256 x", {"x": 5}),
    {**typed("A", "uint256 x", {"x": 5}), "message": None},
    {**typed("A", "uint256 x", {"x": 5}), "types": []},
]


@pytest.mark.parametrize("data", INVALID)
def test_typed_data_that_cannot_be_signed_is_blocked(data: dict[str, Any]) -> None:
    card = review(data, CONTEXT)
    assert (card.kind, [w.id for w in card.warnings]) == ("invalid", ["bad_typed_data"])


def test_lists_of_lists_and_empty_structs_are_hashed() -> None:
    data = typed("A", "uint256[][] x", {"x": [[1, 2], []]})
    assert review(data, CONTEXT).signing_hash is not None


def test_a_domain_without_a_type_is_said_to_be_ambiguous() -> None:
    data = typed("A", "uint256 x", {"x": 5})
    del data["types"]["EIP712Domain"]
    assert any("empty domain" in sentence for sentence in review(data, CONTEXT).unchecked)


AAVE = "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2"


def test_a_lending_pool_moves_its_asset() -> None:
    supply = review(call("supply(address,uint256,address,uint16)", USDC, 1500000, ME, 0, to=AAVE), CONTEXT)
    assert (supply.kind, supply.summary, supply.warnings) == ("lending", "Supply 1.5 USDC", ())
    everything = review(call("withdraw(address,uint256,address)", USDC, MAX, EVE, to=AAVE), CONTEXT)
    assert everything.summary == f"Withdraw all USDC for {EVE}"
    assert [w.id for w in everything.warnings] == ["swap_recipient_not_me"]
    unknown = review(call("supply(address,uint256,address,uint16)", USDC, 5, ME, 0, to=SAFE), CONTEXT)
    assert [w.id for w in unknown.warnings] == ["blind_call"]


def test_a_delegation_by_7702_names_the_code() -> None:
    card = review(send(ME, "0", authorizationList=[{"chainId": 1, "address": THING}]), CONTEXT)
    assert card.kind == "set_code"
    assert card.facts["delegation"].value == THING
    assert card.title == f"Let your account run the code at {THING}"


def grant(**more: Any) -> dict[str, Any]:
    return {
        "chainId": "0x1",
        "expiry": LATER,
        "signer": {"type": "account", "data": {"address": BOB}},
        "permissions": [
            {"type": "native-token-transfer", "data": {"allowance": "0x0de0b6b3a7640000", "maxAmount": "1000000000"}}
        ],
        **more,
    }


@pytest.mark.parametrize("method", ["wallet_grantPermissions", "wallet_requestExecutionPermissions"])
def test_permissions_over_the_account_are_a_danger_with_their_limits(method: str) -> None:
    card = review({"method": method, "params": [grant()]}, CONTEXT)
    assert (card.kind, card.approval) == ("account_delegation", "second_act")
    assert [w.id for w in card.warnings] == ["account_delegation"]
    shown = {row.id: row.value for row in card.rows}
    assert shown["to"] == BOB
    assert shown["permission"] == "native-token-transfer"
    assert shown["limit.maxAmount"] == "0.000000001 ETH"
    assert "deadline" in shown


def test_permissions_without_limits_or_end_say_so() -> None:
    endless = grant(permissions=[{"type": {"custom": "anything"}}], signer={"type": "wallet"})
    del endless["expiry"]
    card = review({"method": "wallet_grantPermissions", "params": [[endless]]}, CONTEXT)
    [warning] = card.warnings
    assert "without any limit for ever" in warning.sentence
    of_another = review({"method": "wallet_grantPermissions", "params": [grant(address=EVE)]}, CONTEXT)
    assert of_another.approval == "blocked"
    assert review({"method": "wallet_grantPermissions", "params": []}, CONTEXT).approval == "blocked"
