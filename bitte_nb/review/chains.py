"""The chain table: names, native symbols and explorers of known networks, and their well-known tokens."""

from __future__ import annotations

from dataclasses import dataclass

from bitte_nb.review.card import Chain

__all__ = ["LABELS", "MULTISEND", "PERMIT2", "TOKENS", "Token", "evm_chain", "near_chain"]


@dataclass(frozen=True, slots=True)
class Token:
    """A fungible token: its symbol and decimals are what an amount is shown with."""

    address: str
    symbol: str
    decimals: int
    chain_id: int | None = None


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
    **dict.fromkeys(MULTISEND, "Safe MultiSend"),
}
"""Contracts deployed at one address on every chain that has them, lower case."""

_TOKENS = """
1 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 USDC 6
1 0xdAC17F958D2ee523a2206206994597C13D831ec7 USDT 6
1 0x6B175474E89094C44Da98b954EedeAC495271d0F DAI 18
1 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2 WETH 18
1 0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599 WBTC 8
1 0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984 UNI 18
1 0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84 stETH 18
1 0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0 wstETH 18
1 0x8236a87084f8B84306f72007F36F2618A5634494 LBTC 8
10 0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85 USDC 6
10 0x4200000000000000000000000000000000000006 WETH 18
56 0x55d398326f99059fF775485246999027B3197955 USDT 18
56 0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c WBNB 18
100 0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d WXDAI 18
137 0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359 USDC 6
137 0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174 USDC.e 6
137 0xc2132D05D31c914a87C6611C10748AEb04B58e8F USDT 6
8453 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 USDC 6
8453 0x4200000000000000000000000000000000000006 WETH 18
42161 0xaf88d065e77c8cC2239327C5EDb3A432268e5831 USDC 6
42161 0x82aF49447D8a07e3bd95BD0d56f35241523fBab1 WETH 18
43114 0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E USDC 6
11155111 0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238 USDC 6
84532 0x036CbD53842c5426634e7929541eC2318f3dCF7e USDC 6
"""

TOKENS: dict[tuple[int, str], Token] = {
    (int(chain), address.lower()): Token(address, symbol, int(decimals), int(chain))
    for chain, address, symbol, decimals in (line.split() for line in _TOKENS.split("\n") if line)
}
"""A few tokens by (chain id, lower-case address); the context's own list comes first."""


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
