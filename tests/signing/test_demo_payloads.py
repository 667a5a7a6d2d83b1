"""What the demo agent prepares can be signed and sent as it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bitte_nb.core.result import ToolData
from bitte_nb.demo.agent import serve
from bitte_nb.signing.development import EVM_ADDRESSES, DevelopmentSigner
from bitte_nb.signing.requests import read_evm, read_near
from bitte_nb.spec.document import Document
from bitte_nb.spec.load import load_document


@pytest.fixture
def document() -> Iterator[Document]:
    with serve(seed=1) as agent:
        yield load_document(agent.document_url)


async def prepared(document: Document, operation_id: str, args: dict[str, Any], signer: DevelopmentSigner) -> Any:
    result = await document.operation(operation_id).call(args, wallet=signer.wallet(chain_id=31337))
    assert isinstance(result, ToolData), result
    return result.data


@pytest.mark.parametrize("method", ["personal_sign", "eth_signTypedData_v4"])
async def test_a_prepared_text_is_signed_by_the_wallets_account(document: Document, method: str):
    signer = DevelopmentSigner()
    made = await prepared(document, "create-evm-sign-request", {"method": method, "message": "I agree ☃"}, signer)
    result = await signer.evm(read_evm(made["transaction"]))
    assert (result["status"], result["address"]) == ("signed", EVM_ADDRESSES[0])


async def test_a_prepared_transfer_is_mined_with_the_amount_that_was_asked(
    document: Document, anvil: str, rpc: Callable[..., Any]
):
    signer = DevelopmentSigner(rpc_url=anvil)
    args = {"to": EVM_ADDRESSES[3], "amount": "0.123456789012345678"}
    made = await prepared(document, "create-evm-transaction", args, signer)
    before = int(rpc("eth_getBalance", EVM_ADDRESSES[3], "latest"), 16)
    assert (await signer.evm(read_evm(made["evmSignRequest"])))["status"] == "mined"
    assert int(rpc("eth_getBalance", EVM_ADDRESSES[3], "latest"), 16) - before == 123456789012345678


async def test_a_prepared_near_transfer_is_read_but_not_sent(document: Document):
    signer = DevelopmentSigner()
    made = await prepared(document, "create-near-transaction", {"receiverId": "bob.near", "amount": "1"}, signer)
    request = read_near({"transactions": [{"signerId": signer.account_id, **made["transactionPayload"]}]})
    assert "no local NEAR node" in (signer.can(request) or "")
