"""The review card: what a person sees before approving, as frozen data that any front end can draw.

A card is a header (title, chain, worst severity), rows, warnings, amounts and nested calls; `to_json()` is its
wire form. Nothing in it is HTML and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Literal, cast

from bitte_nb.core.card_text import card_text
from bitte_nb.review.rules import Severity

if TYPE_CHECKING:
    from bitte_nb.review.derivation import Derivation

__all__ = ["Amount", "Call", "Chain", "ReviewCard", "ReviewWarning", "Row", "RowKind"]

RowKind = Literal["text", "address", "amount", "code", "time", "hash", "url", "message"]


def plain(value: object) -> Any:
    """A frozen card part as JSON values: dataclasses become objects, tuples become arrays."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast("list[object]", value)]
    return value


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the card."""

    id: str
    """Stable name, for example `to` or `arg.spender`; the twelve facts of `rules.FACTS` keep their ids."""
    label: str
    value: str
    """What a person reads, every digit."""
    raw: str = ""
    """The exact value to copy, where it differs from `value`: base units, full address, hex."""
    kind: RowKind = "text"
    symbol: str = ""
    """Unit of an amount row."""
    note: str = ""
    """A remark that belongs to the value: the contact's name, "not checked", what is assumed."""
    source: str = ""
    """Where the value was read: a path in the request or a byte range of the calldata."""


@dataclass(frozen=True, slots=True)
class ReviewWarning:
    """Something the person has to know; ids and severities are those of `rules.RULES`."""

    id: str
    severity: Severity
    sentence: str
    path: str = ""
    """The nested call or action that it is about, for example `calls[1]`; empty for the whole request."""
    action: int | None = None
    """Index of the NEAR action, where it is about one."""


@dataclass(frozen=True, slots=True)
class Amount:
    """What moves or may be moved."""

    role: str
    """value, out, in, min_in, max_out, allowance, allowance_delta, move."""
    token: str
    """`native` or the token contract."""
    raw: str | None = None
    """Base units as a decimal string; None where the request sets no number."""
    human: str | None = None
    """raw / 10**decimals without rounding, "unlimited", or None where the decimals are not known."""
    symbol: str | None = None
    decimals: int | None = None
    token_id: str | None = None
    """Id of a non-fungible token."""
    to: str | None = None

    @property
    def direction(self) -> str:
        """The role under its plain name: out, in, allowance or move."""
        table = {"value": "out", "max_out": "out", "min_in": "in", "allowance_delta": "allowance"}
        return table.get(self.role, self.role)


@dataclass(frozen=True, slots=True)
class Chain:
    """The network that the request is for."""

    namespace: Literal["evm", "near", "none"]
    id: str
    name: str
    symbol: str
    decimals: int
    testnet: bool = False
    known: bool = True
    explorer: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A call or action inside the request, read in full; calls may hold calls."""

    kind: str
    title: str
    to: str | None = None
    value: str = "0"
    """Native base units as a decimal string."""
    operation: str = "call"
    """`call`, `delegatecall` or the kind of a NEAR action."""
    function: str | None = None
    """Canonical signature, or the method name on NEAR; None where it cannot be decoded."""
    selector: str | None = None
    args: tuple[Any, ...] = ()
    arg_names: tuple[str, ...] = ()
    path: str = ""
    source: str = ""
    """Where its data stands: a byte range of the data of the call that holds it, or a path in the request."""
    rows: tuple[Row, ...] = ()
    warnings: tuple[ReviewWarning, ...] = ()
    """Warnings of this call and of the calls inside it."""
    amounts: tuple[Amount, ...] = ()
    calls: tuple[Call, ...] = ()
    severity: Severity = "none"


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """Everything a person needs to decide on one request."""

    kind: str
    title: str
    summary: str
    """One sentence of what happens, made from decoded data only."""
    chain: Chain
    rows: tuple[Row, ...]
    warnings: tuple[ReviewWarning, ...]
    """All warnings, those of nested calls included, gravest first."""
    severity: Severity
    digest: str
    """SHA-256 (hex) of the canonical request; an approval names it."""
    raw: str
    """The canonical request as JSON, to copy."""
    amounts: tuple[Amount, ...] = ()
    calls: tuple[Call, ...] = ()
    actions: tuple[Mapping[str, Any], ...] = ()
    """NEAR actions in one plain form, whichever dialect they came in."""
    function: str | None = None
    selector: str | None = None
    args: tuple[Any, ...] = ()
    arg_names: tuple[str, ...] = ()
    signing_hash: str | None = None
    """What the key signs, where the request fixes it: EIP-191, EIP-712, NEP-413, NEP-366 or a transaction hash."""
    unchecked: tuple[str, ...] = ()
    """What could not be checked here, one sentence each."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Facts for programs: totals, recovered sender, decoded fields."""

    @property
    def facts(self) -> dict[str, Row]:
        """The rows by id; the first of an id wins."""
        found: dict[str, Row] = {}
        for row in self.rows:
            found.setdefault(row.id, row)
        return found

    @property
    def approval(self) -> Literal["plain", "second_act", "blocked"]:
        """What approving takes: a click, a second deliberate act, or it is not offered."""
        if self.severity == "block":
            return "blocked"
        return "second_act" if self.severity == "danger" else "plain"

    def __str__(self) -> str:
        return card_text(self.to_json())

    def _repr_html_(self) -> str:
        """The card as static HTML: text only, so that showing it requests nothing."""
        return f'<pre class="bnb-static">{escape(str(self))}</pre>'

    def explain(self) -> Derivation:
        """Where each row was read from and how; see `bitte_nb.review.explain`."""
        from bitte_nb.review.derivation import explain

        return explain(self)

    def to_json(self) -> dict[str, Any]:
        """The card as JSON values; `approval` and each amount's `direction` and `tokenId` are included."""
        found = cast("dict[str, Any]", plain(self))
        found["approval"] = self.approval
        for amount, shape in zip(self.amounts, cast("list[dict[str, Any]]", found["amounts"]), strict=True):
            shape["direction"] = amount.direction
            shape["tokenId"] = amount.token_id
        return found

    def model_dump(self) -> dict[str, Any]:
        """Same as `to_json()`, under the name that pydantic models have."""
        return self.to_json()
