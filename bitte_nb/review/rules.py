"""The rules of a review: every warning id with its severity, and the twelve facts that a card always shows."""

from __future__ import annotations

from typing import Literal

__all__ = ["FACTS", "RULES", "SEVERITIES", "Severity", "worst"]

Severity = Literal["none", "info", "warn", "danger", "block"]

SEVERITIES: tuple[Severity, ...] = ("none", "info", "warn", "danger", "block")
"""From harmless to forbidden: danger needs a second act, block disables approval."""

FACTS: tuple[str, ...] = (
    "chain",
    "from",
    "to",
    "value",
    "call",
    "amounts",
    "fee",
    "gas_near",
    "nonce",
    "balance_changes",
    "raw",
    "origin",
)

_BLOCK = """
    from_mismatch chain_mismatch invalid_address unresolved_name missing_recipient bad_value bad_hex
    data_input_conflict bad_fee gas_low gas_over_limit nonce_low insufficient_funds empty_batch unknown_action
    bad_public_key bad_nonce bad_typed_data verifying_contract_is_own_account stale_review already_decided eth_sign
    bad_encoding
"""
_DANGER = """
    network_mismatch approve_unlimited approve_to_eoa approve_all_nfts lookalike_address zero_address burn_address
    recipient_is_token_contract bad_checksum value_to_nonpayable malformed_calldata unsigned_fields
    swap_recipient_not_me no_slippage_limit delegatecall ownership_change eip7702_delegation eip7702_all_chains
    account_delegation unused_approval order_gives_nothing order_proceeds_not_me siwe_domain_mismatch
    siwe_address_mismatch looks_like_hash bidi_control full_access_key delete_account beneficiary_is_self
    deploy_contract message_moves_funds intent_mismatch sim_failed
"""
_WARN = """
    blind_call blind_typed_data self_transfer unknown_chain unknown_token approve_exceeds_balance
    approve_nonzero_to_nonzero approve_hidden_increase never_expires deadline_passed owner_mismatch no_chain_binding
    data_to_eoa trailing_calldata contract_creation safe_gas_refund fee_high nonce_gap not_text empty_message
    newline_flood invisible_chars mixed_script siwe_expired siwe_malformed delete_key key_allowance_unlimited
    key_any_method stake meta_transaction not_atomic large_deposit missing_one_yocto nft_approval weak_nonce
    recipient_is_signer callback_not_https callback_host_mismatch callback_ambiguous message_looks_like_transaction
"""
_INFO = "first_time_recipient implicit_account noop_transfer"

RULES: dict[str, Severity] = {
    **dict.fromkeys(_BLOCK.split(), "block"),
    **dict.fromkeys(_DANGER.split(), "danger"),
    **dict.fromkeys(_WARN.split(), "warn"),
    **dict.fromkeys(_INFO.split(), "info"),
}
"""Warning id to its usual severity; `blind_call` and `delete_key` rise to danger, a SIWE `chain_mismatch` is a warn."""


def worst(severities: list[Severity]) -> Severity:
    """The gravest of the severities; "none" of an empty list."""
    return max([*severities, "none"], key=SEVERITIES.index)
