"""The primitives that a service carries out; an operation or a Python function of the same name supplies it."""

from __future__ import annotations

from typing import Any

from bitte_nb.core.primitive import Primitive

__all__ = ["SERVICE_PRIMITIVES"]


def _service(name: str, needs: str, description: str, result: str, /, **properties: dict[str, Any] | str) -> Primitive:
    """A primitive; a property that is a text is a required string, a mapping with `optional` is not required."""
    schemas = {
        key: {"type": "string", "description": value} if isinstance(value, str) else dict(value)
        for key, value in properties.items()
    }
    required = [key for key, schema in schemas.items() if not schema.pop("optional", False)]
    schema: dict[str, Any] = {"type": "object", "properties": schemas, "additionalProperties": False}
    return Primitive(
        name=name,
        executor="local",
        description=description,
        input_schema={**schema, "required": required} if required else schema,
        result_hint=result,
        needs=needs,
    )


def _optional(description: str, **schema: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, "optional": True, **schema}


_NETWORK = _optional("mainnet if absent.", enum=["mainnet", "testnet"])

SERVICE_PRIMITIVES = (
    _service(
        "generate-image",
        "an image generator",
        "Make an image from a description and show it to the person.",
        "{url, hash}",
        prompt="What the image shows.",
    ),
    _service(
        "create-drop",
        "an NFT drop service",
        "Create an NFT drop that people can claim.",
        "the drop's id",
        title="The drop's title.",
        description="What the drop is about.",
        accountId="The NEAR account that owns it.",
        mediaHash="The Arweave hash of the image, as generate-image returned it.",
    ),
    _service(
        "submit-query",
        "a Mintbase GraphQL endpoint",
        "Ask the Mintbase indexer about NFTs on NEAR with a GraphQL query.",
        "the GraphQL data",
        query="The GraphQL query.",
        network=_NETWORK,
    ),
    _service(
        "get-portfolio",
        "a portfolio service",
        "List the tokens that an address holds, with balances, prices and values.",
        "{portfolioValue, significantAssets}",
        address="A NEAR account or an EVM address.",
    ),
    _service(
        "getSwapTransactions",
        "a swap service",
        "Prepare the NEAR transactions of a token swap. Review and send them with generate-transaction.",
        "NEAR transactions",
        tokenIn="The token that is sold: symbol or contract.",
        tokenOut="The token that is bought: symbol or contract.",
        quantity="How many tokens are sold, in human units.",
    ),
    _service(
        "getTokenMetadata",
        "a token list",
        "Look up a NEAR token: contract, symbol, decimals.",
        "the token's metadata",
        token="A token's symbol, name or contract.",
    ),
    _service(
        "generate-sui-tx",
        "a Sui node and wallet",
        "Prepare a Sui transaction: from its bytes, or a transfer of SUI.",
        "{suiTransactionBytes}",
        transactionBytes=_optional("The transaction's bytes in base64; then nothing else is needed."),
        recipientAddress=_optional("Who receives SUI."),
        senderAddress=_optional("Who sends it."),
        amountInSui=_optional("How much, in SUI."),
        network=_optional("Sui network, mainnet if absent."),
    ),
    _service(
        "generate-sol-tx",
        "a Solana node and wallet",
        "Show the person a Solana transaction to approve.",
        "{transactionBytes}",
        transactionBytes="The transaction's bytes in base64.",
    ),
    _service(
        "generate-cardano-tx",
        "a Cardano node and wallet",
        "Show the person a Cardano transaction to approve.",
        "{cardanoSignRequest}",
        unsignedTransaction="The unsigned transaction in CBOR, as hexadecimal.",
        network=_optional("Cardano network, mainnet if absent."),
    ),
    _service(
        "aftermath-sui-swap",
        "the Aftermath service on Sui",
        "Prepare a token swap on Sui. Review and send it with generate-sui-tx.",
        "{suiTransactionBytes}",
        fromCoin="The coin type that is sold.",
        toCoin="The coin type that is bought.",
        amount="How much is sold, in human units.",
        slippage={"type": "number", "description": "Allowed slippage as a fraction.", "optional": True},
        address=_optional("The person's Sui address."),
    ),
    _service(
        "sui-lst",
        "a Sui staking service",
        "Prepare staking or unstaking of SUI with a validator.",
        "{suiTransactionBytes}",
        address="The person's Sui address.",
        amount="How much SUI.",
        validator="The validator's address.",
        operation={"type": "string", "enum": ["stake", "unstake"], "description": "Which way."},
    ),
    _service(
        "get-sui-balances",
        "a Sui node",
        "List the coins that a Sui address holds, with values.",
        "{balances, totalUsdValue}",
        address="A Sui address.",
    ),
)
