"""Names that mean something to a runtime: the primitives that agents declare, and tools that runtimes bring."""

from __future__ import annotations

__all__ = ["BUILT_IN", "KNOWN"]

KNOWN = frozenset({
    "aftermath-sui-swap", "create-drop", "data-retrieval", "generate-cardano-tx", "generate-evm-tx", "generate-image",
    "generate-sol-tx", "generate-sui-tx", "generate-transaction", "get-portfolio", "get-sui-balances",
    "getSwapTransactions", "getTokenMetadata", "render-chart", "share-twitter", "sign-message", "submit-query",
    "sui-lst", "transfer-ft",
})  # fmt: skip
"""Primitive types of the Bitte runtime."""

BUILT_IN = frozenset({
    "code_execution", "code_interpreter", "computer_use", "file_search", "google_search", "multi_tool_use",
    "text_editor", "web_search",
})  # fmt: skip
"""Names under which model providers bring tools of their own."""
