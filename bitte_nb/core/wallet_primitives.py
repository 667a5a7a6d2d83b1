"""The primitives that a wallet carries out: each is reviewed, decided by the person, then signed or sent."""

from __future__ import annotations

from typing import Any

from bitte_nb.core.primitive import Primitive

__all__ = ["WALLET_PRIMITIVES"]

_NETWORK: dict[str, Any] = {
    "type": "string",
    "enum": ["mainnet", "testnet"],
    "description": "NEAR network, mainnet if absent.",
}

_NEAR_ACTION: dict[str, Any] = {
    "type": "object",
    "description": "One NEAR action.",
    "properties": {
        "type": {"type": "string", "description": "Kind of action, for example Transfer or FunctionCall."},
        "params": {
            "type": "object",
            "description": "Transfer: {deposit}. FunctionCall: {methodName, args, gas, deposit}. Amounts are "
            "strings of yoctoNEAR, gas is a string of gas units.",
        },
    },
    "required": ["type"],
}

_SIGN_MESSAGE = Primitive(
    name="sign-message",
    description="Ask the person to sign a text message with their NEAR account (NEP-413), for example to prove that "
    "they own it. The person sees the exact message and decides. Nothing is sent to a chain.",
    input_schema={
        "type": "object",
        "properties": {
            "message": {"type": "string", "minLength": 1, "description": "The exact text to sign."},
            "recipient": {"type": "string", "description": "Who the signature is for: an account or a domain."},
            "nonce": {"type": "string", "description": "32 random bytes in base64; made fresh if absent."},
            "callbackUrl": {"type": "string", "description": "Where a redirecting wallet returns to."},
        },
        "required": ["message"],
        "additionalProperties": False,
    },
    result_hint="{accountId, publicKey, signature, message, nonce, recipient}",
    declined="User declined to sign",
)

_GENERATE_TRANSACTION = Primitive(
    name="generate-transaction",
    description="Show the person a review of NEAR transactions to approve with their wallet. Use it with the payload "
    "that an operation returned; getting the payload alone sends nothing.",
    input_schema={
        "type": "object",
        "properties": {
            "transactions": {
                "type": "array",
                "minItems": 1,
                "description": "The transactions, in order.",
                "items": {
                    "type": "object",
                    "properties": {
                        "signerId": {"type": "string", "description": "The person's NEAR account."},
                        "receiverId": {"type": "string", "description": "The receiving account or contract."},
                        "actions": {"type": "array", "minItems": 1, "items": _NEAR_ACTION},
                    },
                    "required": ["receiverId", "actions"],
                },
            },
            "network": _NETWORK,
        },
        "required": ["transactions"],
        "additionalProperties": False,
    },
    result_hint="{transactions, status, hashes}",
)

_GENERATE_EVM_TX = Primitive(
    name="generate-evm-tx",
    description="Show the person a review of an EVM transaction or signature request to approve with their wallet. Use "
    "it with the request that an operation returned; getting the request alone sends nothing.",
    input_schema={
        "type": "object",
        "properties": {
            "method": {
                "type": "string",
                "enum": [
                    "eth_sendTransaction",
                    "wallet_sendCalls",
                    "personal_sign",
                    "eth_sign",
                    "eth_signTypedData",
                    "eth_signTypedData_v4",
                ],
                "description": "The wallet method (EIP-1193).",
            },
            "chainId": {"type": "integer", "minimum": 1, "description": "EVM chain id (EIP-155)."},
            "params": {
                "type": "array",
                "minItems": 1,
                "description": "Transactions {to, value, data, from} for eth_sendTransaction, one batch {version, "
                "chainId, atomicRequired, calls: [{to, value, data}]} for wallet_sendCalls (EIP-5792), else the "
                "method's own list of strings.",
                "items": {},
            },
            "evmAddress": {"type": "string", "description": "The person's EVM address."},
            "accountId": {"type": "string", "description": "The person's NEAR account, where it controls the address."},
        },
        "required": ["method", "chainId", "params"],
        "additionalProperties": False,
    },
    result_hint="{evmSignRequest, status, hash or signature}",
)

_TRANSFER_FT = Primitive(
    name="transfer-ft",
    description="Show the person a review of a NEAR token transfer (NEP-141) to approve with their wallet. Give the "
    "token and the amount as the person said them; the transactions are made from them.",
    input_schema={
        "type": "object",
        "properties": {
            "signerId": {"type": "string", "description": "The person's NEAR account; the wallet's if absent."},
            "receiverId": {"type": "string", "minLength": 2, "description": "The receiving NEAR account."},
            "tokenIdentifier": {
                "type": "string",
                "minLength": 1,
                "description": "The token's symbol or its contract, for example usdc or wrap.near.",
            },
            "amount": {"type": "string", "description": "How many tokens in human units, for example 12.5."},
            "network": _NETWORK,
        },
        "required": ["receiverId", "tokenIdentifier", "amount"],
        "additionalProperties": False,
    },
    result_hint="{transactions, status, hashes}",
)

WALLET_PRIMITIVES = (_GENERATE_TRANSACTION, _TRANSFER_FT, _GENERATE_EVM_TX, _SIGN_MESSAGE)
