"""Three small agents of unlike domains, as lists of tools: a lending library, a parcel service and a pocket wallet."""

from __future__ import annotations

from typing import Any

from bitte_nb.core.primitives import PRIMITIVES
from bitte_nb.core.tool import Tool

Params = dict[str, tuple[dict[str, Any], bool]]


def op(name: str, method: str, path: str, description: str, **params: tuple[dict[str, Any], bool]) -> Tool:
    """An operation; each parameter is its schema and whether it is required."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {key: value for key, (value, _) in params.items()},
        "required": [key for key, (_, needed) in params.items() if needed],
    }
    return Tool(name=name, description=description, method=method, path=path, input_schema=schema)


def primitive(name: str) -> Tool:
    """A declared primitive."""
    found = PRIMITIVES[name]
    return Tool(name=name, description=found.description, input_schema=found.input_schema, kind="primitive")


def text(description: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def whole(description: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "integer", "description": description, **more}


LIBRARY = [
    op(
        "searchBooks",
        "GET",
        "/books",
        "Search the catalogue for books. Matches titles, authors and subjects.",
        q=(text("Words to look for."), True),
        language=(text("Language of the book.", enum=["english", "german", "french"]), False),
        limit=(whole("How many books to return.", minimum=1, maximum=50), False),
    ),
    op(
        "getBook",
        "GET",
        "/books/{isbn}",
        "Get one book by its ISBN.",
        isbn=(text("ISBN-13, digits only.", pattern="^[0-9]{13}$", example="9780140449136"), True),
    ),
    op(
        "listLoans",
        "GET",
        "/loans",
        "List the loans of the member who is signed in, with their due dates.",
        overdue=({"type": "boolean", "description": "Only loans past their due date."}, False),
    ),
    op(
        "borrowBook",
        "POST",
        "/loans",
        "Borrow a book for the member who is signed in.",
        isbn=(text("ISBN-13, digits only.", pattern="^[0-9]{13}$", example="9780140449136"), True),
        weeks=(whole("How many weeks to keep it.", minimum=1, maximum=8), False),
    ),
    op(
        "renewLoan",
        "POST",
        "/loans/{loanId}/renewals",
        "Renew a loan by two weeks.",
        loanId=(text("Id of the loan.", example="L-204"), True),
    ),
    op(
        "returnBook",
        "DELETE",
        "/loans/{loanId}",
        "Return a borrowed book and end the loan.",
        loanId=(text("Id of the loan.", example="L-204"), True),
    ),
    op(
        "reserveRoom",
        "POST",
        "/rooms/reservations",
        "Reserve a study room for a day.",
        room=(text("Name of the room.", enum=["attic", "garden", "cellar"]), True),
        date=(text("The day.", format="date"), True),
        people=(whole("How many people come.", minimum=1, maximum=12), False),
    ),
    op("openingHours", "GET", "/hours", "Tell the opening hours of the library."),
]

PARCELS = [
    op(
        "track_parcel",
        "GET",
        "/parcels/{tracking_number}",
        "Track a parcel: where it is and when it will arrive.",
        tracking_number=(text("Number printed on the label.", example="PX4471190"), True),
    ),
    op(
        "quote_price",
        "GET",
        "/quotes",
        "Quote the price of sending a parcel.",
        weight=({"type": "number", "description": "Weight in kg.", "minimum": 0.01}, True),
        destination=(text("Country that it goes to.", example="Norway"), True),
        speed=(text("How fast.", enum=["standard", "express"], default="standard"), False),
    ),
    op(
        "create_shipment",
        "POST",
        "/shipments",
        "Create a shipment and print its label.",
        weight=({"type": "number", "description": "Weight in kg."}, True),
        recipient=(
            {
                "type": "object",
                "description": "Who gets it.",
                "properties": {
                    "email": text("Where to announce it.", format="email"),
                    "city": text("City of the recipient.", example="Bergen"),
                },
                "required": ["email", "city"],
            },
            True,
        ),
        insured=({"type": "boolean", "description": "Insure the contents."}, False),
    ),
    op(
        "cancel_shipment",
        "POST",
        "/shipments/{shipment_id}/cancel",
        "Cancel a shipment that has not left yet.",
        shipment_id=(text("Id of the shipment.", format="uuid"), True),
    ),
    op(
        "schedule_pickup",
        "POST",
        "/pickups",
        "Schedule a pickup at your door.",
        date=(text("Day of the pickup.", format="date"), True),
        parcels=(whole("How many parcels there are.", minimum=1), True),
    ),
    op(
        "list_depots",
        "GET",
        "/depots",
        "List the depots where parcels can be left.",
        city=(text("City to look in.", example="Bergen"), True),
    ),
    op("service_status", "GET", "/status", "Report disruptions of the service."),
    op(
        "add_webhook",
        "POST",
        "/webhooks",
        "Add a webhook that is called when a parcel moves.",
        url=(text("Where to post events.", format="uri"), True),
        events=({"type": "array", "items": {"type": "string", "enum": ["delivered", "delayed", "lost"]}}, True),
    ),
]

WALLET = [
    op("getNetworks", "GET", "/networks", "List the networks this wallet helper knows."),
    op(
        "getBalance",
        "GET",
        "/balances/{address}",
        "Get the balance of an EVM address.",
        address=(text("EVM address of the user.", pattern="^0x[0-9a-fA-F]{40}$"), True),
        chainId=(whole("EVM chain id.", minimum=1), True),
    ),
    op(
        "getTokenPrice",
        "GET",
        "/prices/{symbol}",
        "Get the price of a token in dollars.",
        symbol=(text("Ticker of the token.", example="WETH"), True),
    ),
    op(
        "buildTransfer",
        "GET",
        "/transfers/near",
        "Build a transfer of NEAR that the user signs afterwards.",
        receiverId=(text("NEAR account that receives.", example="bob.near"), True),
        amount=(text("Amount in NEAR.", example="0.5"), True),
    ),
    op(
        "buildEvmTransfer",
        "GET",
        "/transfers/evm",
        "Build a transfer of ETH that the user signs afterwards.",
        to=(text("EVM address that receives.", pattern="^0x[0-9a-fA-F]{40}$"), True),
        amount=(text("Amount in ETH.", example="0.5"), True),
        chainId=(whole("EVM chain id.", minimum=1), False),
    ),
    op(
        "revokeApproval",
        "POST",
        "/approvals/revoke",
        "Revoke a token approval that was given to a spender.",
        token=(text("Contract address of the token.", pattern="^0x[0-9a-fA-F]{40}$"), True),
        spender=(text("Contract address of the spender.", pattern="^0x[0-9a-fA-F]{40}$"), True),
    ),
    op("rollDice", "GET", "/dice", "Roll a die and tell the number of eyes."),
    primitive("generate-transaction"),
    primitive("generate-evm-tx"),
    primitive("sign-message"),
]
