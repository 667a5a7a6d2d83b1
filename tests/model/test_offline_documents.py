"""The offline model on real documents of others: right when it acts, and never broken by what is in them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bitte_nb.core.messages import UserMessage
from bitte_nb.core.tool import Tool
from bitte_nb.errors import BitteError
from bitte_nb.model.offline import OfflineModel
from bitte_nb.model.plan import plan
from bitte_nb.model.port import Finished, ModelRequest
from bitte_nb.model.retrieval import Index
from bitte_nb.spec.load import load_document
from tests.model.conversation import ME

DATA = Path(__file__).parents[3] / "shared" / "data" / "openapi"
UUID = "1725ff48-ab45-4bb5-9d02-88745177dedb"
B = "0x" + "cd" * 20

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the real documents are not beside the repository")

HOS, VEAX, STARS = (
    "NEARgovernance__HoS-Bitte-agent.json",
    "Teckas-Technologies__veax-bitte-agent.raw.json",
    "od_spacetraders.io.json",
)
LIDO, PETS, TRAIN = "Teckas-Technologies__lido-bitte-agent.raw.json", "petstore3_openapi.yaml", "train-travel31.yaml"
BOILER, REDDIT, MEME = (
    "BitteProtocol__agent-next-boilerplate.json",
    "microchipgnu__reddit-bitte-agent.json",
    "BitteProtocol__meme.cooking-bitte-agent.json",
)
DISCORD, STRIPE, ALERTS, PAPERS = (
    "discord_openapi31.json",
    "stripe_spec3_2020.json",
    "alertmanager_swagger2.yaml",
    "semanticscholar_swagger2.json",
)

CASES: list[tuple[str, str, tuple[str, dict[str, Any]] | None]] = [
    (HOS, "get proposal 12", ("getProposal", {"proposalId": "12"})),
    (HOS, "search proposals about treasury", ("searchProposal", {"q": "treasury"})),
    (HOS, "what is my veNEAR balance?", ("getVeNearBalance", {"accountId": "alice.near"})),
    (HOS, "list 5 recent active proposals", ("getRecentActiveProposals", {"count": 5})),
    (HOS, "approve proposal 7", ("approveProposal", {"proposalId": 7, "accountId": "alice.near"})),
    (HOS, "create a proposal", None),
    (HOS, "tell me a joke", None),
    (HOS, "withdraw", None),
    (LIDO, "stake 0.5 ETH", ("stakeETH", {"amount": "0.5", "evmAddress": ME.evm_address})),
    (LIDO, f"ETH balance of {B}", ("balanceETH", {"evmAddress": B})),
    (LIDO, "stake some ETH", None),
    (VEAX, "get the price of NEAR token", ("getTokenPrice", {"tokenSymbol": "NEAR"})),
    (VEAX, "show the best pools", ("getBestPools", {})),
    (VEAX, "position details for position 44", ("getPositionDetails", {"positionId": "44"})),
    (VEAX, "my balance of USDC", ("getBalance", {"tokenSymbol": "USDC", "walletAddress": "alice.near"})),
    (VEAX, "add liquidity", None),
    (MEME, "latest block height", ("get-last-block-height", {})),
    (MEME, "create a memecoin called Foo", None),
    (REDDIT, "get reddit posts", ("get-reddit-posts", {})),
    (REDDIT, "profile of reddit user spez", ("get-reddit-user", {"username": "spez"})),
    (BOILER, "flip a coin", ("coinFlip", {})),
    (BOILER, "send 0.3 NEAR to bob.near", ("createNearTransaction", {"receiverId": "bob.near", "amount": "0.3"})),
    (BOILER, "send NEAR", None),
    (PETS, "find pets with status sold", ("findPetsByStatus", {"status": "sold"})),
    (PETS, "get pet 10", ("getPetById", {"petId": 10})),
    (PETS, "delete order 3", ("deleteOrder", {"orderId": 3})),
    (PETS, "get user bob", ("getUserByName", {"username": "bob"})),
    (PETS, "log out", ("logoutUser", {})),
    (PETS, "place an order", None),
    (PETS, "update pet", None),
    (PETS, "delete everything", None),
    (TRAIN, "list stations", ("get-stations", {})),
    (TRAIN, "get a list of train trips", None),
    (TRAIN, f"get booking {UUID}", ("get-booking", {"bookingId": UUID})),
    (TRAIN, "what's the weather", None),
    (STARS, "list my ships", ("get-my-ships", {})),
    (STARS, "dock ship ALPHA-1", ("dock-ship", {"shipSymbol": "ALPHA-1"})),
    (STARS, "get faction COSMIC", ("get-faction", {"factionSymbol": "COSMIC"})),
    (STARS, "sell cargo", None),
    (ALERTS, "list silences", ("getSilences", {})),
    (ALERTS, f"delete silence {UUID}", ("deleteSilence", {"silenceID": UUID})),
    (ALERTS, "post alerts", None),
    (PAPERS, "search for author Hinton", ("get_graph_get_author_search", {"query": "Hinton"})),
    (DISCORD, "list my guilds", ("list_my_guilds", {})),
    (DISCORD, "leave guild 123456", ("leave_guild", {"guild_id": "123456"})),
    (DISCORD, "delete message 5 in channel 9", ("delete_message", {"channel_id": "9", "message_id": "5"})),
    (
        DISCORD,
        "create a message saying hi in channel 12345",
        ("create_message", {"channel_id": "12345", "content": "hi"}),
    ),
    (DISCORD, "what's the capital of France", None),
    (STRIPE, "retrieve my balance", ("GetBalance", {})),
    (STRIPE, "get customer cus_123", ("GetCustomersCustomer", {"customer": "cus_123"})),
    (STRIPE, "list 3 products", ("GetProducts", {"limit": 3})),
    (STRIPE, "delete coupon SUMMER", ("DeleteCouponsCoupon", {"coupon": "SUMMER"})),
    (STRIPE, "create a refund", None),
]


@cache
def index_of(name: str) -> Index:
    return Index(load_document(next(DATA.rglob(name))).tools())


def test_automatic_calls_on_real_documents_are_right_nine_times_in_ten():
    right = wrong = 0
    trouble: list[str] = []
    for name, prompt, expected in CASES:
        calls = [(c.tool.name, c.args) for c in plan([UserMessage(content=prompt)], index_of(name), wallet=ME).calls]
        if calls == ([expected] if expected else []):
            right += bool(calls)
        else:
            wrong += bool(calls)
            trouble.append(f"{name} {prompt!r}: {calls or 'asked'}")
    needed = sum(expected is not None for _, _, expected in CASES)
    print(f"\n{right} of {right + wrong} automatic calls right, {right} of {needed} served at once")
    print("\n".join(trouble))
    assert right / (right + wrong) >= 0.9
    assert right / needed >= 0.8


PROMPTS = [
    "hello",
    "list everything",
    f"get 5 of {UUID} at https://example.org/x for bob.near, {B} and 'a quote' {{\"a\": [1]}}",
    "create one named Rex with status=open, limit: 3",
    "delete it",
]


def documents() -> list[Path]:
    if not DATA.exists():
        return []
    return sorted(p for p in DATA.rglob("*") if p.suffix in (".json", ".yaml", ".yml") and p.stat().st_size < 400_000)


@pytest.mark.parametrize("path", [p for p in documents() if p.name != "wire_cases.json"], ids=lambda path: path.name)
async def test_no_document_breaks_it(path: Path):
    try:
        tools: list[Tool] = load_document(path).tools()
    except BitteError:
        pytest.skip("the document cannot be loaded")
    model = OfflineModel(delay=0)
    for prompt in PROMPTS:
        request = ModelRequest(system="", messages=[UserMessage(content=prompt)], tools=tools, wallet=ME)
        events = [event async for event in model.stream(request)]
        assert isinstance(events[-1], Finished)
