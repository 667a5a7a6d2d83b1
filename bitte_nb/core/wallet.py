"""The wallet context that travels with every request: who the person is, never a key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator

from bitte_nb.core.nearest import nearest
from bitte_nb.errors import WalletError

__all__ = ["Wallet"]


_NEAR = re.compile(r"(?=.{2,64}\Z)[a-z0-9]+(?:[-_.][a-z0-9]+)*", re.ASCII)
"""The grammar of NEAR account ids: nomicon.io/DataStructures/Account."""
_EVM = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)


class Wallet(BaseModel):
    """Accounts of the person who chats; it holds no key and can be stored and shown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    account_id: str | None = None
    """NEAR account id, for example `alice.near`."""
    evm_address: str | None = None
    """EVM address, `0x` and 40 hex digits."""
    chain_id: int | None = None
    """EVM chain id (EIP-155)."""

    @model_validator(mode="wrap")
    @classmethod
    def _told(cls, given: object, read: ModelWrapValidatorHandler[Wallet]) -> Wallet:
        """What is no wallet at all, as a sentence."""
        try:
            return read(given)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            name = ".".join(map(str, first["loc"])) or "a wallet"
            if first["type"] != "extra_forbidden":
                raise WalletError(f"{name} cannot be used: {first['msg']}.") from error
            near = nearest(name, cls.model_fields)
            advice = f"Did you mean {near}?" if near else f"It has {', '.join(cls.model_fields)}."
            raise WalletError(f"A wallet has no {name}. {advice}") from error

    @model_validator(mode="after")
    def _accounts(self) -> Wallet:
        if self.account_id is not None and not _NEAR.fullmatch(self.account_id):
            raise WalletError(
                f"account_id is {self.account_id!r}, which is no NEAR account id: 2 to 64 lower-case letters and "
                "digits, with single -, _ or . between them, for example 'alice.near'."
            )
        if self.evm_address is not None and not _EVM.fullmatch(self.evm_address):
            raise WalletError(f"evm_address is {self.evm_address!r}, which is no EVM address: 0x and 40 hex digits.")
        return self

    @classmethod
    def stored(cls, record: object, read: Callable[[object], Wallet]) -> Wallet:
        """A wallet as it was stored, whatever its accounts look like."""
        try:
            return read(record)
        except WalletError as error:
            if error.__cause__ is not None:  # not an account that reads otherwise, but no wallet
                raise ValueError(str(error)) from error
            fields = record.model_dump() if isinstance(record, Wallet) else cast("dict[str, Any]", record)
            return cls.model_construct(**fields)

    @classmethod
    def of(cls, wallet: object) -> Wallet:
        """The wallet that was given.

        Raises:
            WalletError: it is something else; the sentence says how to write it.
        """
        if isinstance(wallet, Wallet):
            return wallet
        text = wallet if isinstance(wallet, str) else ""
        said = f"evm_address={text!r}" if _EVM.fullmatch(text) else f"account_id={text or 'alice.near'!r}"
        raise WalletError(f"wallet must be a bn.Wallet: bn.Wallet({said}); it is {type(wallet).__name__}.")

    def context(self) -> dict[str, Any]:
        """The known fields by their wire names: accountId, evmAddress, chainId; unknown ones are absent."""
        fields = {"accountId": self.account_id, "evmAddress": self.evm_address, "chainId": self.chain_id}
        return {name: value for name, value in fields.items() if value is not None}

    def metadata(self) -> str:
        """The value of the `mb-metadata` header: `context()` as ASCII-only JSON, safe as a header value."""
        return json.dumps(self.context(), ensure_ascii=True, separators=(",", ":"))
