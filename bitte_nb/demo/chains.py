"""The chains that the demo agent prepares requests for; all EVM ones pay in ETH."""

from __future__ import annotations

from typing import Any

__all__ = ["EVM_CHAINS", "blockchains"]

EVM_CHAINS: dict[int, tuple[str, bool]] = {
    1: ("Ethereum", False),
    10: ("OP Mainnet", False),
    8453: ("Base", False),
    42161: ("Arbitrum One", False),
    11155111: ("Sepolia", True),
    84532: ("Base Sepolia", True),
    31337: ("Local development chain", True),
}
"""EIP-155 chain id to (name, is a test network)."""


def blockchains() -> list[dict[str, Any]]:
    """Every chain as the operation `get-blockchains` lists it, NEAR first."""
    near = [
        {"name": "NEAR", "kind": "near", "symbol": "NEAR", "testnet": False},
        {"name": "NEAR testnet", "kind": "near", "symbol": "NEAR", "testnet": True},
    ]
    evm = [
        {"name": name, "kind": "evm", "chainId": chain_id, "symbol": "ETH", "testnet": testnet}
        for chain_id, (name, testnet) in EVM_CHAINS.items()
    ]
    return near + evm
