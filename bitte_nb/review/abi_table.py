"""The built-in functions: human-readable ABI of the standards and contracts that the reviewer can explain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from bitte_nb.review.abi_types import Function, TooLarge, parse_function
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.shapes import table

__all__ = ["Known", "built_in", "from_json_abi", "lookup"]


@dataclass(frozen=True, slots=True)
class Known:
    """A function with the reader that explains it and where its ABI comes from."""

    function: Function
    reader: str
    source: str
    """"built-in", "document", "descriptor" or "guess"."""


# reader: functions. A leading `$` marks a payable function, `?` one whose standard is only guessed from the selector.
_TABLE = """
erc20_transfer: transfer(address to,uint256 value)
erc20_transfer_from: transferFrom(address from,address to,uint256 value)
erc20_approve: approve(address spender,uint256 value)
erc20_increase: increaseAllowance(address spender,uint256 addedValue)
erc20_increase: increaseApproval(address spender,uint256 addedValue)
erc20_decrease: decreaseAllowance(address spender,uint256 subtractedValue)
erc20_permit: permit(address owner,address spender,uint256 value,uint256 deadline,uint8 v,bytes32 r,bytes32 s)
dai_permit: permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed,uint8 v,bytes32 r,
    bytes32 s)
erc3009: transferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,
    bytes32 nonce,uint8 v,bytes32 r,bytes32 s)
erc3009: receiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,
    bytes32 nonce,uint8 v,bytes32 r,bytes32 s)
wrap: $deposit()
unwrap: withdraw(uint256 wad)
erc721_transfer: $safeTransferFrom(address from,address to,uint256 tokenId)
erc721_transfer: $safeTransferFrom(address from,address to,uint256 tokenId,bytes data)
approve_all: setApprovalForAll(address operator,bool approved)
erc1155_transfer: safeTransferFrom(address from,address to,uint256 id,uint256 amount,bytes data)
erc1155_batch: safeBatchTransferFrom(address from,address to,uint256[] ids,uint256[] amounts,bytes data)
permit2_approve: approve(address token,address spender,uint160 amount,uint48 expiration)
permit2_transfer: transferFrom(address from,address to,uint160 amount,address token)
permit2_transfer_batch: transferFrom((address from,address to,uint160 amount,address token)[] transferDetails)
permit2_permit: permit(address owner,((address token,uint160 amount,uint48 expiration,uint48 nonce) details,
    address spender,uint256 sigDeadline) permitSingle,bytes signature)
permit2_permit_batch: permit(address owner,((address token,uint160 amount,uint48 expiration,uint48 nonce)[] details,
    address spender,uint256 sigDeadline) permitBatch,bytes signature)
permit2_lockdown: lockdown((address token,address spender)[] approvals)
permit2_nonces: invalidateNonces(address token,address spender,uint48 newNonce)
v2_swap: swapExactTokensForTokens(uint256 amountIn,uint256 amountOutMin,address[] path,address to,uint256 deadline)
v2_swap: swapTokensForExactTokens(uint256 amountOut,uint256 amountInMax,address[] path,address to,uint256 deadline)
v2_swap: $swapExactETHForTokens(uint256 amountOutMin,address[] path,address to,uint256 deadline)
v2_swap: swapTokensForExactETH(uint256 amountOut,uint256 amountInMax,address[] path,address to,uint256 deadline)
v2_swap: swapExactTokensForETH(uint256 amountIn,uint256 amountOutMin,address[] path,address to,uint256 deadline)
v2_swap: $swapETHForExactTokens(uint256 amountOut,address[] path,address to,uint256 deadline)
v2_swap: swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn,uint256 amountOutMin,address[] path,
    address to,uint256 deadline)
v2_swap: $swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin,address[] path,address to,
    uint256 deadline)
v2_swap: swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn,uint256 amountOutMin,address[] path,
    address to,uint256 deadline)
v2_swap: $swapExactTokensForTokens(uint256 amountIn,uint256 amountOutMin,address[] path,address to)
v2_swap: $swapTokensForExactTokens(uint256 amountOut,uint256 amountInMax,address[] path,address to)
v2_add: addLiquidity(address tokenA,address tokenB,uint256 amountADesired,uint256 amountBDesired,uint256 amountAMin,
    uint256 amountBMin,address to,uint256 deadline)
v2_add: $addLiquidityETH(address token,uint256 amountTokenDesired,uint256 amountTokenMin,uint256 amountETHMin,
    address to,uint256 deadline)
v2_remove: removeLiquidity(address tokenA,address tokenB,uint256 liquidity,uint256 amountAMin,uint256 amountBMin,
    address to,uint256 deadline)
v2_remove: removeLiquidityETH(address token,uint256 liquidity,uint256 amountTokenMin,uint256 amountETHMin,address to,
    uint256 deadline)
v3_swap: $exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 amountIn,
    uint256 amountOutMinimum,uint160 sqrtPriceLimitX96) params)
v3_swap: $exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 deadline,
    uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96) params)
v3_swap: $exactInput((bytes path,address recipient,uint256 amountIn,uint256 amountOutMinimum) params)
v3_swap: $exactInput((bytes path,address recipient,uint256 deadline,uint256 amountIn,uint256 amountOutMinimum) params)
v3_swap: $exactOutputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 amountOut,
    uint256 amountInMaximum,uint160 sqrtPriceLimitX96) params)
v3_swap: $exactOutputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 deadline,
    uint256 amountOut,uint256 amountInMaximum,uint160 sqrtPriceLimitX96) params)
v3_swap: $exactOutput((bytes path,address recipient,uint256 amountOut,uint256 amountInMaximum) params)
v3_swap: $exactOutput((bytes path,address recipient,uint256 deadline,uint256 amountOut,
    uint256 amountInMaximum) params)
router_multicall: $multicall(bytes[] data)
router_multicall: $multicall(uint256 deadline,bytes[] data)
router_multicall: $multicall(bytes32 previousBlockhash,bytes[] data)
router_payout: $unwrapWETH9(uint256 amountMinimum,address recipient)
router_payout: $unwrapWETH9(uint256 amountMinimum)
router_payout: $sweepToken(address token,uint256 amountMinimum,address recipient)
router_payout: $sweepToken(address token,uint256 amountMinimum)
router_payout: $unwrapWETH9WithFee(uint256 amountMinimum,address recipient,uint256 feeBips,address feeRecipient)
router_payout: $unwrapWETH9WithFee(uint256 amountMinimum,uint256 feeBips,address feeRecipient)
router_payout: $sweepTokenWithFee(address token,uint256 amountMinimum,address recipient,uint256 feeBips,
    address feeRecipient)
router_payout: $sweepTokenWithFee(address token,uint256 amountMinimum,uint256 feeBips,address feeRecipient)
plain: $refundETH()
plain: $wrapETH(uint256 value)
plain: $pull(address token,uint256 value)
plain: $selfPermit(address token,uint256 value,uint256 deadline,uint8 v,bytes32 r,bytes32 s)
universal_router: $execute(bytes commands,bytes[] inputs,uint256 deadline)
universal_router: $execute(bytes commands,bytes[] inputs)
safe_exec: $execTransaction(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,
    uint256 gasPrice,address gasToken,address refundReceiver,bytes signatures)
safe_module: execTransactionFromModule(address to,uint256 value,bytes data,uint8 operation)
safe_module: execTransactionFromModuleReturnData(address to,uint256 value,bytes data,uint8 operation)
multisend: $multiSend(bytes transactions)
multicall3: $aggregate((address target,bytes callData)[] calls)
multicall3: $tryAggregate(bool requireSuccess,(address target,bytes callData)[] calls)
multicall3: $blockAndAggregate((address target,bytes callData)[] calls)
multicall3: $tryBlockAndAggregate(bool requireSuccess,(address target,bytes callData)[] calls)
multicall3: $aggregate3((address target,bool allowFailure,bytes callData)[] calls)
multicall3: $aggregate3Value((address target,bool allowFailure,uint256 value,bytes callData)[] calls)
smart_account: $execute(address to,uint256 value,bytes data)
execution_mode: $execute(bytes32 mode,bytes executionData)
smart_account_batch: $executeBatch((address to,uint256 value,bytes data)[] calls)
admin: transferOwnership(address newOwner)
admin: renounceOwnership()
admin: acceptOwnership()
admin: setOwner(address newOwner)
admin: grantRole(bytes32 role,address account)
admin: revokeRole(bytes32 role,address account)
admin: renounceRole(bytes32 role,address account)
admin: beginDefaultAdminTransfer(address newAdmin)
admin: acceptDefaultAdminTransfer()
admin: upgradeTo(address newImplementation)
admin: $upgradeToAndCall(address newImplementation,bytes data)
admin: upgrade(address proxy,address implementation)
admin: $upgradeAndCall(address proxy,address implementation,bytes data)
admin: changeAdmin(address newAdmin)
admin: changeProxyAdmin(address proxy,address newAdmin)
admin: addOwnerWithThreshold(address owner,uint256 _threshold)
admin: removeOwner(address prevOwner,address owner,uint256 _threshold)
admin: swapOwner(address prevOwner,address oldOwner,address newOwner)
admin: changeThreshold(uint256 _threshold)
admin: enableModule(address module)
admin: disableModule(address prevModule,address module)
admin: setGuard(address guard)
admin: setModuleGuard(address moduleGuard)
admin: setFallbackHandler(address handler)
admin: changeMasterCopy(address _masterCopy)
admin: setup(address[] _owners,uint256 _threshold,address to,bytes data,address fallbackHandler,address paymentToken,
    uint256 payment,address paymentReceiver)
delegation: $redeemDelegations(bytes[] _permissionContexts,bytes32[] _modes,bytes[] _executionCallDatas)
plain: approveHash(bytes32 hashToApprove)
vault: ?deposit(uint256 assets,address receiver)
vault: ?mint(uint256 shares,address receiver)
vault: ?withdraw(uint256 assets,address receiver,address owner)
vault: ?redeem(uint256 shares,address receiver,address owner)
lending: ?supply(address asset,uint256 amount,address onBehalfOf,uint16 referralCode)
lending: ?withdraw(address asset,uint256 amount,address to)
lending: ?borrow(address asset,uint256 amount,uint256 interestRateMode,uint16 referralCode,address onBehalfOf)
lending: ?repay(address asset,uint256 amount,uint256 interestRateMode,address onBehalfOf)
plain: ?stake(uint256 amount)
plain: ?claim()
plain: ?mint(address to,uint256 amount)
plain: ?burn(uint256 amount)
"""


@cache
def built_in() -> Mapping[bytes, Known]:
    """Selector to function, for everything the table lists; no two share a selector."""
    found: dict[bytes, Known] = {}
    for line in _TABLE.replace("\n    ", "").strip().splitlines():
        reader, _, text = line.partition(": ")
        payable, guess = text.startswith("$"), text.startswith("?")
        function = parse_function(text.lstrip("$?"), payable=None if guess else payable)
        key = function.selector
        if key in found:
            raise AssertionError(f"{function.signature} and {found[key].function.signature} share a selector")
        found[key] = Known(function, reader, "guess" if guess else "built-in")
    return found


def from_json_abi(entries: tuple[Any, ...]) -> dict[bytes, Known]:
    """Functions of a JSON ABI (at most 500); entries that are not functions or too large are left out."""
    found: dict[bytes, Known] = {}
    for entry in entries[:500]:
        if not isinstance(entry, Mapping):
            continue
        item = cast("Mapping[str, Any]", entry)
        if item.get("type", "function") != "function" or not isinstance(item.get("name"), str):
            continue
        try:
            function = parse_function(
                f"{item['name']}({_inputs(item.get('inputs'), 0)})", payable=item.get("stateMutability") == "payable"
            )
        except TooLarge:
            continue
        found[function.selector] = Known(function, "plain", "document")
    return found


def _inputs(value: object, depth: int) -> str:
    if depth > 8 or not isinstance(value, list):
        return ""
    parts: list[str] = []
    for entry in cast("list[object]", value):
        item = table(entry)
        kind, name = str(item.get("type", "")), str(item.get("name", ""))
        if kind.startswith("tuple"):
            kind = f"({_inputs(item.get('components'), depth + 1)}){kind[5:]}"
        parts.append(f"{kind} {name}".strip())
    return ",".join(parts)


def lookup(ctx: ReviewContext, to: str | None, selector: bytes) -> Known | None:
    """The function behind a selector: built-in, then the ABI of the contract or of the code it runs, then guesses."""
    known = built_in().get(selector)
    if known is not None and known.source != "guess":
        return known
    address = (to or "").lower()
    for key in (address, ctx.implementations.get(address, address), ctx.delegated.get(address, address), "*"):
        if key in ctx.abis:
            found = from_json_abi(ctx.abis[key]).get(selector)
            if found is not None:
                return found
    return known
