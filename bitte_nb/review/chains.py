"""The chain table: names, native symbols and explorers of known networks, and contracts that many of them share."""

from __future__ import annotations

from bitte_nb.review.card import Chain

__all__ = ["LABELS", "MULTISEND", "PERMIT2", "evm_chain", "near_chain"]


# chain id: name, native symbol, testnet, explorer. Symbols as in the ethereum-lists chain registry.
_EVM: dict[int, tuple[str, str, bool, str]] = {
    1: ("Ethereum", "ETH", False, "https://etherscan.io"),
    10: ("Optimism", "ETH", False, "https://optimistic.etherscan.io"),
    25: ("Cronos", "CRO", False, "https://cronoscan.com"),
    56: ("BNB Smart Chain", "BNB", False, "https://bscscan.com"),
    100: ("Gnosis", "XDAI", False, "https://gnosisscan.io"),
    130: ("Unichain", "ETH", False, "https://uniscan.xyz"),
    137: ("Polygon", "POL", False, "https://polygonscan.com"),
    146: ("Sonic", "S", False, "https://sonicscan.org"),
    250: ("Fantom", "FTM", False, "https://ftmscan.com"),
    324: ("ZKsync Era", "ETH", False, "https://explorer.zksync.io"),
    397: ("NEAR (EVM)", "NEAR", False, "https://eth-explorer.near.org"),
    480: ("World Chain", "ETH", False, "https://worldscan.org"),
    1101: ("Polygon zkEVM", "ETH", False, "https://zkevm.polygonscan.com"),
    1284: ("Moonbeam", "GLMR", False, "https://moonscan.io"),
    1313161554: ("Aurora", "ETH", False, "https://explorer.aurora.dev"),
    1313161555: ("Aurora Testnet", "ETH", True, "https://explorer.testnet.aurora.dev"),
    1337: ("Local chain", "ETH", True, ""),
    31337: ("Local chain (anvil)", "ETH", True, ""),
    5000: ("Mantle", "MNT", False, "https://mantlescan.xyz"),
    8453: ("Base", "ETH", False, "https://basescan.org"),
    34443: ("Mode", "ETH", False, "https://explorer.mode.network"),
    42161: ("Arbitrum One", "ETH", False, "https://arbiscan.io"),
    42170: ("Arbitrum Nova", "ETH", False, "https://nova.arbiscan.io"),
    42220: ("Celo", "CELO", False, "https://celoscan.io"),
    43113: ("Avalanche Fuji", "AVAX", True, "https://testnet.snowtrace.io"),
    43114: ("Avalanche", "AVAX", False, "https://snowtrace.io"),
    59144: ("Linea", "ETH", False, "https://lineascan.build"),
    80002: ("Polygon Amoy", "POL", True, "https://amoy.polygonscan.com"),
    81457: ("Blast", "ETH", False, "https://blastscan.io"),
    84532: ("Base Sepolia", "ETH", True, "https://sepolia.basescan.org"),
    421614: ("Arbitrum Sepolia", "ETH", True, "https://sepolia.arbiscan.io"),
    534352: ("Scroll", "ETH", False, "https://scrollscan.com"),
    560048: ("Hoodi", "ETH", True, "https://hoodi.etherscan.io"),
    7777777: ("Zora", "ETH", False, "https://explorer.zora.energy"),
    17000: ("Holesky", "ETH", True, "https://holesky.etherscan.io"),
    11155111: ("Sepolia", "ETH", True, "https://sepolia.etherscan.io"),
    11155420: ("Optimism Sepolia", "ETH", True, "https://sepolia-optimism.etherscan.io"),
    10200: ("Gnosis Chiado", "XDAI", True, "https://gnosis-chiado.blockscout.com"),
}

_NEAR = {
    "mainnet": Chain("near", "mainnet", "NEAR mainnet", "NEAR", 24, explorer="https://nearblocks.io"),
    "testnet": Chain(
        "near", "testnet", "NEAR testnet", "NEAR", 24, testnet=True, explorer="https://testnet.nearblocks.io"
    ),
}

PERMIT2 = "0x000000000022d473030f116ddee9f6b43ac78ba3"

MULTISEND = frozenset(
    {
        "0x8d29be29923b68abfdd21e541b9374737b49cdad",
        "0xa238cbeb142c10ef7ad8442c6d1f9e89e07e7761",
        "0x998739bfdaadde7c933b942a68053933098f9eda",
        "0x40a2accbd92bca938b02010e17a5b8929b49130d",
        "0xa1dabef33b3b82c7814b6d82a79e50f4ac44102b",
        "0x38869bf66a61cf6bdb996a6ae40d5853fd43b526",
        "0x9641d764fc13c8b624c04430c7356c1c7c8102e2",
    }
)
"""Safe's own MultiSend contracts (1.1.1, 1.3.0, 1.4.1), lower case: the only targets expected of a delegatecall."""

LABELS: dict[str, str] = {
    PERMIT2: "Permit2",
    "0xca11bde05977b3631167028862be2a173976ca11": "Multicall3",
    "0x7a250d5630b4cf539739df2c5dacb4c659f2488d": "Uniswap V2 Router",
    "0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45": "Uniswap SwapRouter02",
    "0xe592427a0aece92de3edee1f18e0157c05861564": "Uniswap V3 SwapRouter",
    "0x66a9893cc07d91d95644aedd05d03f95e1dba8af": "Uniswap Universal Router",
    "0x0000000000000068f116a894984e2db1123eb395": "Seaport 1.6",
    "0x00000000000000adc04c56bf30ac9d3c0aaf14dc": "Seaport 1.5",
    "0x9008d19f58aabd9ed0d60971565aa8510560ab41": "CoW Protocol settlement",
    "0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2": "Aave V3 Pool",
    "0x794a61358d6845594f94dc1db02a252b5b4814ad": "Aave V3 Pool",
    "0xa238dd80c259a72e81d7e4664a9801593f98d1c5": "Aave V3 Pool",
    **dict.fromkeys(MULTISEND, "Safe MultiSend"),
}
"""Contracts deployed at one address on every chain that has them, lower case."""


def evm_chain(chain_id: int | None) -> Chain:
    """The chain of an EIP-155 id; an unknown one has the symbol "native" and `known=False`."""
    if chain_id is None:
        return Chain("evm", "", "chain not stated", "native", 18, known=False)
    entry = _EVM.get(chain_id)
    if entry is None:
        return Chain("evm", str(chain_id), f"unknown chain {chain_id}", "native", 18, known=False)
    name, symbol, testnet, explorer = entry
    return Chain("evm", str(chain_id), name, symbol, 18, testnet=testnet, explorer=explorer)


def near_chain(network: str) -> Chain:
    """The NEAR network of that name; never guessed from an account id."""
    return _NEAR.get(network) or Chain("near", network, f"unknown NEAR network {network}", "NEAR", 24, known=False)
