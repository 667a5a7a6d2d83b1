"""The wallet context that travels with every request: who the person is, never a key."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = ["Wallet"]


class Wallet(BaseModel):
    """Accounts of the person who chats; it holds no key and can be stored and shown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    account_id: str | None = None
    """NEAR account id, for example `alice.near`."""
    evm_address: str | None = None
    """EVM address, `0x` and 40 hex digits."""
    chain_id: int | None = None
    """EVM chain id (EIP-155)."""

    def context(self) -> dict[str, Any]:
        """The known fields by their wire names: accountId, evmAddress, chainId; unknown ones are absent."""
        fields = {"accountId": self.account_id, "evmAddress": self.evm_address, "chainId": self.chain_id}
        return {name: value for name, value in fields.items() if value is not None}

    def metadata(self) -> str:
        """The value of the `mb-metadata` header: `context()` as ASCII-only JSON, safe as a header value."""
        return json.dumps(self.context(), ensure_ascii=True, separators=(",", ":"))
