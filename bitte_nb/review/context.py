"""What the reviewer may know without a network: accounts, contacts, tokens, labels, the time, cached node answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, cast

from bitte_nb.review.address import is_account_id, is_evm
from bitte_nb.review.amounts import BadAmount, parse_human, parse_uint
from bitte_nb.review.chains import LABELS
from bitte_nb.review.shapes import listed, table
from bitte_nb.review.tokens import TOKENS, Token

__all__ = ["ReviewContext"]


def _sequence(value: object) -> list[Any]:
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else listed(value)


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Mapping):
        return tuple(str(v) for v in cast("Mapping[str, object]", value).values() if isinstance(v, str))
    if isinstance(value, Iterable):
        return tuple(item for item in cast("Iterable[object]", value) if isinstance(item, str))
    return ()


def _units(value: object, decimals: int) -> int | None:
    """Base units from an int or text; "10 DAI" and "1.5" are read as human amounts."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return None
    try:
        return parse_uint(value)
    except BadAmount:
        return parse_human(value.split(" ")[0], decimals)


def _number(value: object) -> int | None:
    return _units(value, 0)


@dataclass(frozen=True, kw_only=True)
class ReviewContext:
    """All local knowledge of one review; every field may be missing, and what is missing is said on the card."""

    now: int | None = None
    """Seconds since 1970; without it deadlines are not judged."""
    evm_account: str | None = None
    near_account: str | None = None
    chain_id: int | None = None
    """The EVM chain that the wallet is on."""
    network: str | None = None
    """The NEAR network that the wallet is on: mainnet or testnet."""
    public_key: str | None = None
    """The NEAR key that signs, `ed25519:...`."""
    own: frozenset[str] = frozenset()
    """All own accounts, EVM ones in lower case; the connected ones are included."""
    contacts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Known account (EVM lower case, or NEAR id) to the person's name for it."""
    contracts: frozenset[str] = frozenset()
    """EVM addresses known to have code, lower case."""
    eoas: frozenset[str] = frozenset()
    """EVM addresses known to have no code, lower case."""
    erc721: frozenset[str] = frozenset()
    erc1155: frozenset[str] = frozenset()
    implementations: Mapping[str, str] = field(default_factory=dict[str, str])
    """Lower-case address of a proxy to that of the code it runs (EIP-1967, EIP-1167)."""
    delegated: Mapping[str, str] = field(default_factory=dict[str, str])
    """Lower-case address of a plain account to that of the code it runs (EIP-7702)."""
    vaults: Mapping[str, str] = field(default_factory=dict[str, str])
    """Lower-case address of a vault to that of its asset (ERC-4626)."""
    tokens: tuple[Token, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """Lower-case EVM address or NEAR id to the name of the contract."""
    abis: Mapping[str, tuple[Any, ...]] = field(default_factory=dict[str, "tuple[Any, ...]"])
    """Lower-case address (or `*`) to JSON ABI entries from the agent's document."""
    descriptors: tuple[Mapping[str, Any], ...] = ()
    """ERC-7730 descriptors that the person supplied."""
    large_deposit: int = 50 * 10**24
    """A NEAR deposit above this (yocto) on a function call is pointed out."""
    origin: str | None = None
    """Host of the site or document that asks."""
    servers: tuple[str, ...] = ()
    """Hosts of the document's servers."""
    tool: str | None = None
    call_id: str | None = None
    claim: str | None = None
    """The agent's own words: shown as a quotation, never used as data."""
    intent: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the tool was asked for: amount, to, token; compared with what was decoded."""
    reviewed_digest: str | None = None
    """Digest of the card that the person decided on."""
    decided: str | None = None
    """Terminal state of this invocation, if it has one."""
    balance: int | None = None
    """Native balance of the signing account in base units."""
    token_balance: Any = None
    allowance: Any = None
    nonce: int | None = None
    """Next nonce of the account at the latest block."""
    pending_nonce: int | None = None
    base_fee: int | None = None
    simulation: Mapping[str, Any] | None = None
    """Result of a simulation: `error`, or `changes` as sentences."""

    @classmethod
    def of(cls, value: ReviewContext | Mapping[str, Any] | None) -> ReviewContext:
        """A context from itself, from a plain mapping (camelCase or snake_case keys) or from nothing."""
        if isinstance(value, ReviewContext):
            return value
        return _parse(dict(table(value)))

    def token(self, chain_id: int | None, address: str) -> Token | None:
        """The token at that EVM address, from the person's list first, then the built-in one."""
        wanted = address.lower()
        for token in self.tokens:
            if token.address.lower() == wanted and token.chain_id in (None, chain_id):
                return token
        return TOKENS.get((chain_id, wanted)) if chain_id is not None else None

    def near_token(self, account_id: str) -> Token | None:
        """The NEP-141 token of that account."""
        return next((token for token in self.tokens if token.address == account_id), None)

    def elsewhere(self, chain_id: int | None, address: str) -> Token | None:
        """The token that this address is on another chain, if it is none on this one."""
        if chain_id is None or self.token(chain_id, address) is not None:
            return None
        wanted = address.lower()
        mine = (t for t in self.tokens if t.address.lower() == wanted and t.chain_id is not None)
        return next(mine, None) or next((t for (_, a), t in TOKENS.items() if a == wanted), None)

    def name(self, account: str) -> str:
        """What the person calls an account, or empty."""
        key = account.lower() if is_evm(account) else account
        if key in self.own:
            return "your account"
        found = self.contacts.get(key) or self.labels.get(key)
        if found == key:
            return "a contact" if key in self.contacts else "a known contract"
        return found or (LABELS.get(key, "") if is_evm(account) else "")

    def known(self, *, near: bool) -> list[str]:
        """Accounts that another could imitate: own, contacts, tokens and labelled contracts."""
        found = [*self.own, *self.contacts, *(token.address for token in self.tokens), *self.labels]
        return [item for item in dict.fromkeys(found) if (is_account_id(item) and not is_evm(item)) is near]

    def holds(self, token: Token | None, address: str) -> int | None:
        """Balance of the token in base units where it is known."""
        return _per_token(self.token_balance, token, address)

    def allows(self, token: Token | None, address: str) -> int | None:
        """Present allowance of the token in base units where it is known."""
        return _per_token(self.allowance, token, address)


def _per_token(value: Any, token: Token | None, address: str) -> int | None:
    if isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        names = [address, address.lower(), *((token.symbol, token.address) if token else ())]
        value = next((table[name] for name in names if name in table), None)
    return _units(value, token.decimals if token else 0)


def _tokens(value: object) -> tuple[Token, ...]:
    found: list[Token] = []
    items: list[tuple[str, object]] = []
    if isinstance(value, Mapping):
        items = [(str(k), v) for k, v in cast("Mapping[object, object]", value).items()]
    elif isinstance(value, list | tuple):
        items = [("", v) for v in cast("list[object]", value)]
    for key, item in items:
        if isinstance(item, Token):
            found.append(item)
        elif isinstance(item, Mapping):
            entry = cast("Mapping[str, Any]", item)
            address = entry.get("address", key)
            symbol = entry.get("symbol", key)
            decimals = _number(entry.get("decimals"))
            if isinstance(address, str) and isinstance(symbol, str) and decimals is not None and 0 <= decimals <= 77:
                found.append(Token(address, symbol, decimals, _number(entry.get("chainId", entry.get("chain_id")))))
    return tuple(found)


def _key(account: str) -> str:
    return account.lower() if is_evm(account) else account


def _contacts(value: object) -> dict[str, str]:
    if isinstance(value, Mapping):
        pairs = [(str(k), v) for k, v in cast("Mapping[object, object]", value).items() if isinstance(v, str)]
        # Either {name: account} or {account: name}; an EVM address decides, else the value is the account.
        return {_key(k) if is_evm(k) else _key(v): v if is_evm(k) else k for k, v in pairs}
    return {_key(account): account for account in _strings(value)}


def _addresses(value: object) -> frozenset[str]:
    return frozenset(_key(item) for item in _strings(value))


def _pairs(value: object) -> dict[str, str]:
    return {key.lower(): one.lower() for key, one in table(value).items() if is_evm(key) and is_evm(one)}


def _near_units(value: object) -> int | None:
    try:
        return int(Decimal(str(value)) * 10**24)
    except (InvalidOperation, ValueError, OverflowError):
        return None


def _parse(raw: dict[str, Any]) -> ReviewContext:
    def get(*names: str) -> Any:
        return next((raw[name] for name in names if raw.get(name) is not None), None)

    def text(*names: str) -> str | None:
        value = get(*names)
        return value if isinstance(value, str) and value else None

    connected = _strings(get("connected") or ())
    evm = text("evm_account", "evmAddress", "evm_address", "address") or next((c for c in connected if is_evm(c)), None)
    near = text("near_account", "accountId", "account_id") or next(
        (c for c in connected if is_account_id(c) and not is_evm(c)), None
    )
    own = {_key(item) for item in (*_strings(get("own", "own_accounts", "accounts") or ()), *connected)}
    own |= {_key(item) for item in (evm, near) if item}
    labels = table(get("labels"))
    abis = table(get("abis"))
    descriptors = get("descriptors")
    intent = get("intent")
    simulation = get("simulation")
    claim = get("claim")
    return ReviewContext(
        now=_number(get("now")),
        evm_account=evm,
        near_account=near,
        chain_id=_number(get("chain_id", "chainId", "walletChainId", "wallet_chain_id", "connectedChainId")),
        network=text("network"),
        public_key=text("public_key", "publicKey"),
        own=frozenset(own),
        contacts=_contacts(get("contacts")),
        contracts=_addresses(get("contracts")),
        eoas=_addresses(get("eoas")),
        erc721=_addresses(get("erc721")),
        erc1155=_addresses(get("erc1155")),
        implementations=_pairs(get("implementations")),
        delegated=_pairs(get("delegated")),
        vaults=_pairs(get("vaults")),
        tokens=_tokens(get("tokens")),
        labels={_key(k): v for k, v in labels.items() if isinstance(v, str)},
        abis={_key(k): tuple(cast("list[Any]", v)) for k, v in abis.items() if isinstance(v, list | tuple)},
        descriptors=tuple(table(d) for d in _sequence(descriptors) if table(d)),
        large_deposit=_near_units(get("large_deposit_near", "largeDepositNear")) or 50 * 10**24,
        origin=text("origin", "host"),
        servers=_strings(get("servers") or ()),
        tool=text("tool", "tool_name", "toolName"),
        call_id=text("call_id", "toolCallId", "tool_call_id"),
        claim=claim if isinstance(claim, str) else None,
        intent=table(intent),
        reviewed_digest=text("reviewed_digest", "reviewedDigest"),
        decided=text("decided"),
        balance=_units(get("balance"), 24 if near and not evm else 18),
        token_balance=get("token_balance", "tokenBalance", "tokenBalances", "token_balances"),
        allowance=get("allowance", "allowances"),
        nonce=_number(get("nonce", "account_nonce", "accountNonce")),
        pending_nonce=_number(get("pending_nonce", "pendingNonce")),
        base_fee=_number(get("base_fee", "baseFee", "baseFeePerGas")),
        simulation={"error": simulation} if isinstance(simulation, str) else table(simulation) or None,
    )
