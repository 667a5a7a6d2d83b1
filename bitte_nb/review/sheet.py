"""The sheet that a reader fills while it reads: rows, warnings, amounts and nested calls of one level."""

from __future__ import annotations

from dataclasses import dataclass, field

from bitte_nb.review.address import checksum, checksum_fails, evm_lookalike, is_burn, is_evm, is_zero, near_lookalike
from bitte_nb.review.amounts import display, human, is_unlimited
from bitte_nb.review.card import Amount, Call, ReviewWarning, Row, RowKind
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.rules import RULES, SEVERITIES, Severity
from bitte_nb.review.tokens import Token

__all__ = ["Sheet", "merge_warnings"]


@dataclass
class Sheet:
    """A mutable collector, private to one review; what it holds becomes frozen card parts."""

    ctx: ReviewContext
    path: str = ""
    action: int | None = None
    rows: list[Row] = field(default_factory=list[Row])
    warnings: list[ReviewWarning] = field(default_factory=list[ReviewWarning])
    amounts: list[Amount] = field(default_factory=list[Amount])
    calls: list[Call] = field(default_factory=list[Call])
    unchecked: list[str] = field(default_factory=list[str])

    def warn(self, rule: str, sentence: str, *, severity: Severity | None = None) -> None:
        """Note a warning under its rule's id; `severity` only where the rule itself knows two."""
        entry = ReviewWarning(rule, severity or RULES[rule], sentence, self.path, self.action)
        if entry not in self.warnings:
            self.warnings.append(entry)

    def row(
        self,
        row_id: str,
        label: str,
        value: str,
        *,
        raw: str = "",
        kind: RowKind = "text",
        symbol: str = "",
        note: str = "",
        source: str = "",
    ) -> None:
        """Add a line."""
        self.rows.append(Row(row_id, label, value, raw, kind, symbol, note, source))

    def skip(self, sentence: str) -> None:
        """Say that something was not checked."""
        if sentence not in self.unchecked:
            self.unchecked.append(sentence)

    def account(self, row_id: str, label: str, address: str, *, note: str = "", source: str = "") -> None:
        """Add an address line: checksummed, with the person's name for it."""
        shown = checksum(address) if is_evm(address) else address
        name = self.ctx.name(address)
        self.row(row_id, label, shown, kind="address", note="; ".join(filter(None, (name, note))), source=source)

    def token_amount(
        self,
        role: str,
        token: Token | None,
        address: str,
        raw: int,
        *,
        label: str,
        to: str | None = None,
        source: str = "",
    ) -> str:
        """Add an amount and its line; returns the amount in words for sentences."""
        unlimited = role == "allowance" and is_unlimited(raw)
        shown = checksum(address) if is_evm(address) else address
        if token is None:
            self.warn("unknown_token", f"The token {shown} is not known here, so the amount is in its raw base units.")
            words = "unlimited tokens" if unlimited else f"{raw} base units of an unknown token"
            amount = Amount(role, shown, str(raw), "unlimited" if unlimited else None, to=to)
            self.row(f"amount.{role}", label, words, raw=str(raw), kind="amount", note=shown, source=source)
        else:
            if token.claimed:
                self.warn(
                    "unknown_token",
                    f"The token {shown} is not known here: that it has {token.decimals} decimals is its own word.",
                )
            words = f"unlimited {token.symbol}" if unlimited else display(raw, token.decimals, token.symbol)
            number = "unlimited" if unlimited else human(raw, token.decimals)
            amount = Amount(role, shown, str(raw), number, token.symbol, token.decimals, to=to)
            self.row(
                f"amount.{role}",
                label,
                words,
                raw=str(raw),
                kind="amount",
                symbol=token.symbol,
                note=shown,
                source=source,
            )
        self.amounts.append(amount)
        return words

    def lookalike(self, account: str) -> bool:
        """Warn if the account imitates a known one."""
        if is_evm(account):
            other = evm_lookalike(account, self.ctx.known(near=False))
            if other is None:
                return False
            marked = _marked(account, other)
            name = self.ctx.name(other)
            self.warn(
                "lookalike_address",
                f"{checksum(account)} looks like {name or 'a known address'} {checksum(other)} but is another address: "
                f"it differs at {marked}.",
            )
            return True
        other = near_lookalike(account, self.ctx.known(near=True))
        if other is None:
            return False
        self.warn("lookalike_address", f"{account} looks like {other}, which you know, but is another account.")
        return True

    def recipient(self, account: str, *, sender: str | None, chain_id: int | None, token: str | None = None) -> None:
        """Judge where something goes: zero, burn, token contract, look-alike, oneself, first time."""
        if not is_evm(account):
            return
        key = account.lower()
        shown = checksum(account)
        if checksum_fails(account):
            self.warn(
                "bad_checksum", f"The capitals of {account} do not fit its digits (EIP-55): a digit may be mistyped."
            )
        if is_zero(account):
            self.warn("zero_address", "The recipient is the zero address: what is sent there is lost.")
            return
        if is_burn(account):
            self.warn(
                "burn_address", f"{shown} belongs to nobody (burn or precompile address): what is sent there is lost."
            )
            return
        if sender is not None and key == sender.lower():
            self.warn("self_transfer", "The recipient is the sending account itself.")
            return
        if (token is not None and key == token.lower()) or self.ctx.token(chain_id, account) is not None:
            self.warn(
                "recipient_is_token_contract", f"{shown} is a token contract: tokens sent to it are usually lost."
            )
            return
        self.lookalike(account)
        if key not in self.ctx.own and key not in self.ctx.contacts and not self.ctx.name(account):
            if self.ctx.contacts:
                self.warn("first_time_recipient", f"{shown} is not among your contacts.")
            else:
                self.skip("Whether you know the recipient was not checked: there is no contact list.")


def _marked(account: str, other: str) -> str:
    a, b = account[2:].lower(), other[2:].lower()
    places = [i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y]
    return f"digits {places[0] + 1} to {places[-1] + 1}" if len(places) > 1 else f"digit {places[0] + 1}"


def merge_warnings(*groups: list[ReviewWarning] | tuple[ReviewWarning, ...]) -> tuple[ReviewWarning, ...]:
    """All warnings once, gravest first; one rule that fires at several places keeps its gravest and first mention."""
    best: dict[str, ReviewWarning] = {}
    places: dict[str, int] = {}
    for entry in (entry for group in groups for entry in group):
        held = best.get(entry.id)
        places[entry.id] = places.get(entry.id, 0) + 1
        if held is None or SEVERITIES.index(entry.severity) > SEVERITIES.index(held.severity):
            best[entry.id] = entry
    ordered = sorted(best.values(), key=lambda entry: -SEVERITIES.index(entry.severity))
    return tuple(ReviewWarning(w.id, w.severity, _counted(w.sentence, places[w.id]), w.path, w.action) for w in ordered)


def _counted(sentence: str, places: int) -> str:
    return sentence if places < 2 else f"{sentence} ({places - 1} more of this kind below.)"
