"""The offline model in whole turns: act, ask or refuse, chain to the primitive, and answer in words."""

from __future__ import annotations

from typing import Any

import pytest

from bitte_nb.core.messages import AssistantMessage, UserMessage
from bitte_nb.core.tool import Tool
from bitte_nb.core.wallet import Wallet
from bitte_nb.model.offline import OfflineModel
from bitte_nb.model.port import Choice, Finished, ModelEvent, ModelRequest, Offer, TextDelta, ThinkingDelta
from tests.model.conversation import ME, Conversation
from tests.model.toolsets import LIBRARY, PARCELS, WALLET, op, primitive, text, whole

A = "0x" + "ab" * 20
PAYLOAD = {"receiverId": "bob.near", "actions": [{"type": "Transfer", "params": {"deposit": "1"}}]}
EVM = {"method": "eth_sendTransaction", "chainId": 10, "params": [{"to": A, "value": "0x1", "data": "0x"}]}


def wallet_agent(name: str, args: dict[str, Any]) -> dict[str, Any]:
    answers: dict[str, Any] = {
        "buildTransfer": {"transactionPayload": PAYLOAD},
        "buildEvmTransfer": {"evmSignRequest": EVM},
        "generate-transaction": {"status": "success", "hashes": ["9xyz"], **args},
        "generate-evm-tx": {"status": "success", "hash": "0xfeed"},
        "rollDice": {"result": 4},
        "getNetworks": [{"name": "Base", "chainId": 8453}, {"name": "NEAR", "chainId": None}],
    }
    return {"data": answers[name]}


async def test_a_payload_goes_on_to_the_declared_primitive_with_the_persons_account():
    said = await Conversation(WALLET, wallet_agent).ask("transfer 0.1 NEAR to bob.near")
    assert said.calls == [
        ("buildTransfer", {"receiverId": "bob.near", "amount": "0.1"}),
        ("generate-transaction", {"transactions": [{**PAYLOAD, "signerId": "alice.near"}]}),
    ]
    assert said.steps == 3
    assert "9xyz" in said.text
    assert "transactionPayload" not in said.text


async def test_an_evm_request_goes_on_unchanged():
    said = await Conversation(WALLET, wallet_agent).ask(f"transfer 0.1 ETH to {A} on chain 10")
    assert said.calls[1] == ("generate-evm-tx", {**EVM, "evmAddress": ME.evm_address})


@pytest.mark.parametrize("key", ["transaction", "evmSignRequest", "request"])
async def test_a_signature_request_under_any_name_goes_on_to_the_primitive(key: str):
    request = {"method": "personal_sign", "chainId": 1, "params": ["0x68", A]}
    tools = [op("prepareSignature", "GET", "/s", "Prepare a signature."), primitive("generate-evm-tx")]
    answers: dict[str, Any] = {
        "prepareSignature": {key: request, "meta": {"text": "h"}},
        "generate-evm-tx": {"signature": "0x"},
    }
    said = await Conversation(tools, lambda name, args: {"data": answers[name]}).ask("prepare a signature")
    assert said.calls == [("prepareSignature", {}), ("generate-evm-tx", {**request, "evmAddress": ME.evm_address})]


async def test_two_payloads_go_on_as_two_calls_each_once():
    said = await Conversation(WALLET, wallet_agent).ask("transfer 0.1 NEAR to bob.near and 0.2 NEAR to carol.near")
    assert [name for name, _ in said.calls] == ["buildTransfer"] * 2 + ["generate-transaction"] * 2
    assert said.steps == 3


async def test_without_its_primitive_a_payload_is_only_shown():
    tools = [tool for tool in WALLET if tool.kind != "primitive"]
    said = await Conversation(tools, wallet_agent).ask("transfer 0.1 NEAR to bob.near")
    assert [name for name, _ in said.calls] == ["buildTransfer"]
    assert "nothing was signed or sent" in said.text


async def test_a_result_that_only_says_something_is_never_taken_for_a_text_to_sign():
    tools = [op("ping", "GET", "/ping", "Ping the server."), primitive("sign-message")]
    said = await Conversation(tools, lambda name, args: {"data": {"message": "pong"}}).ask("ping the server")
    assert [name for name, _ in said.calls] == ["ping"]


async def test_without_an_account_a_signer_is_not_made_up():
    said = await Conversation(WALLET, wallet_agent, wallet=Wallet()).ask("transfer 0.1 NEAR to bob.near")
    assert said.calls[1] == ("generate-transaction", {"transactions": [PAYLOAD]})


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("Denied: this call was not run. They said: too much.", "was not run: it was declined"),
        ("Expired: nobody answered in time. This call was not run.", "was not run: nobody answered in time"),
        ("Cancelled: the person stopped before it ran. It was not run.", "was not run: it was cancelled"),
        ("Interrupted while it ran: the outcome is unknown, it may have taken effect.", "nobody knows whether"),
        ("HTTP 409: The name bob is taken; free now: bob-2.", "failed"),
    ],
)
async def test_every_failure_ends_in_its_own_words_and_is_not_repeated(error: str, words: str):
    said = await Conversation(WALLET, lambda name, args: {"error": error}).ask("roll the dice")
    assert said.calls == [("rollDice", {})]
    assert words in said.text
    assert error.split(":")[0] in said.text


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        ("Denied: this call was not run.", "Do not retry it unless the user asks."),
        ("Forbidden by the rule “x”. This call was not run.", "Do not retry it: the rule holds whoever asks."),
        ("Interrupted: the outcome is unknown, it may have taken effect.", "Do not repeat it without asking the user."),
    ],
)
async def test_what_an_error_tells_a_model_to_do_is_not_told_to_the_person(error: str, advice: str):
    failed = {"error": f"{error} {advice} The reason given: too much."}
    said = await Conversation(WALLET, lambda name, args: failed).ask("roll the dice")
    assert error in said.text
    assert "The reason given: too much." in said.text
    assert advice not in said.text
    assert "Do not" not in said.text


async def test_a_denied_primitive_is_not_asked_again():
    def deny(name: str, args: dict[str, Any]) -> dict[str, Any]:
        return {"error": "Denied: this call was not run."} if name.startswith("generate") else wallet_agent(name, args)

    said = await Conversation(WALLET, deny).ask("transfer 0.1 NEAR to bob.near")
    assert [name for name, _ in said.calls] == ["buildTransfer", "generate-transaction"]


@pytest.mark.parametrize(
    ("prompt", "count"),
    [
        ("roll the dice", 1),
        ("roll two dice", 2),
        ("roll 3 dice", 3),
        ("roll the dice twice", 2),
        ("roll the dice 5 times", 5),
        ("roll 9 dice", 0),
    ],
)
async def test_a_number_of_things_is_that_many_calls_in_one_step(prompt: str, count: int):
    said = await Conversation(WALLET, wallet_agent).ask(prompt)
    assert said.calls == [("rollDice", {})] * count
    assert said.steps == (2 if count else 1)


async def test_parts_of_a_message_are_calls_of_one_step():
    said = await Conversation(WALLET, wallet_agent).ask(
        "roll the dice, list the networks; and transfer 1 NEAR to bob.near"
    )
    assert [name for name, _ in said.calls[:3]] == ["rollDice", "getNetworks", "buildTransfer"]
    assert said.steps == 3


async def test_a_part_that_lacks_something_is_asked_after_the_others_ran():
    said = await Conversation(WALLET, wallet_agent).ask("roll the dice and transfer some NEAR to bob.near")
    assert said.calls == [("rollDice", {})]
    assert "`amount`" in said.text
    label = "Build a transfer of NEAR that the user signs afterwards"
    assert said.choices == (Choice("buildTransfer", label, {"receiverId": "bob.near"}, ("amount",)),)


async def test_an_answer_to_the_question_completes_the_request():
    chat = Conversation(WALLET, wallet_agent)
    first = await chat.ask("transfer some NEAR to bob.near")
    assert (first.calls, first.choices[0].missing) == ([], ("amount",))
    second = await chat.ask("0.5")
    assert second.calls[0] == ("buildTransfer", {"receiverId": "bob.near", "amount": "0.5"})


async def test_another_request_drops_the_open_question():
    chat = Conversation(WALLET, wallet_agent)
    await chat.ask("transfer some NEAR to bob.near")
    assert (await chat.ask("roll the dice")).calls == [("rollDice", {})]


async def test_a_missing_text_is_taken_as_the_person_says_it():
    chat = Conversation(WALLET, lambda name, args: {"data": {"signature": "s"}})
    await chat.ask("sign a message")
    assert (await chat.ask("I, Alice, agree and list the networks")).calls == [
        ("sign-message", {"message": "I, Alice, agree and list the networks"})
    ]


async def test_an_id_of_an_earlier_result_serves_what_points_back_and_nothing_else():
    chat = Conversation(LIBRARY, lambda name, args: {"data": {"loanId": "L-5"}})
    await chat.ask("borrow 9780140449136")
    assert (await chat.ask("renew the loan")).calls == []
    assert (await chat.ask("renew that loan")).calls == [("renewLoan", {"loanId": "L-5"})]


async def test_words_of_an_earlier_result_are_never_signed():
    chat = Conversation(WALLET, lambda name, args: {"data": {"message": "hello", "signature": "s"}})
    await chat.ask("sign the message 'hello'")
    assert (await chat.ask("prove that I own this account")).calls == []


async def test_a_missing_choice_offers_one_button_for_each_value():
    said = await Conversation(LIBRARY).ask("reserve a study room on 2026-03-04")
    assert [choice.args["room"] for choice in said.choices] == ["attic", "garden", "cellar"]
    assert all(choice.missing == () and choice.args["date"] == "2026-03-04" for choice in said.choices)


async def test_unclear_words_offer_the_nearest_three():
    said = await Conversation(LIBRARY).ask("book")
    assert said.calls == []
    assert len({choice.tool for choice in said.choices} & {"searchBooks", "getBook", "borrowBook", "returnBook"}) == 3


@pytest.mark.parametrize("prompt", ["order a pizza", "what is 2 + 2?", "translate hello into French", "🙂", "?"])
async def test_what_fits_nothing_is_refused_without_a_call_or_a_choice_of_calls(prompt: str):
    said = await Conversation(LIBRARY).ask(prompt)
    assert said.calls == []
    assert said.text


@pytest.mark.parametrize(
    "prompt", ["who are you?", "are you an AI?", "What can you do?", "help", "which model is this?"]
)
async def test_it_says_what_it_is(prompt: str):
    said = await Conversation(PARCELS).ask(prompt)
    assert said.calls == []
    assert "offline model" in said.text
    assert "no language model" in said.text
    assert "track\\_parcel" in said.text or "track_parcel" in said.text


async def test_a_question_about_an_operation_is_answered_from_the_document():
    said = await Conversation(PARCELS).ask("how do I cancel a shipment?")
    assert said.calls == []
    assert "Cancel a shipment that has not left yet." in said.text
    assert said.choices[0].tool == "cancel_shipment"


async def test_a_question_never_changes_anything():
    said = await Conversation(LIBRARY).ask("is the garden room reserved on 2026-03-04?")
    assert said.calls == []


@pytest.mark.parametrize("prompt", ["don't roll the dice", "please do not roll the dice", "never roll the dice"])
async def test_a_negation_calls_nothing(prompt: str):
    assert (await Conversation(WALLET, wallet_agent).ask(prompt)).calls == []


async def test_the_syntax_of_a_form_always_picks_its_tool():
    chat = Conversation(WALLET, wallet_agent)
    said = await chat.ask('use buildTransfer with receiverId="bob.near", amount="0.1"')
    assert said.calls[0] == ("buildTransfer", {"receiverId": "bob.near", "amount": "0.1"})
    missing = await chat.ask("use buildTransfer with amount=2")
    assert missing.calls == []
    assert missing.choices[0].missing == ("receiverId",)
    assert (await chat.ask("use nothing with a=1")).text.startswith("This agent has no operation called")
    assert "does not fit" in (await chat.ask(f"use getBalance with address={A}, chainId=many")).text


async def test_the_last_step_ends_in_words_although_a_call_is_due():
    said = await Conversation(WALLET, wallet_agent, cap=2).ask("transfer 0.1 NEAR to bob.near")
    assert [name for name, _ in said.calls] == ["buildTransfer"]
    assert "nothing was signed or sent" in said.text


async def test_no_tools_at_all_still_ends_in_words():
    assert (await Conversation([]).ask("hello")).text


async def test_the_same_request_streams_the_same_events():
    request = ModelRequest(system="", messages=[UserMessage(content="roll two dice")], tools=WALLET, wallet=ME)
    runs = [[event async for event in OfflineModel(delay=0).stream(request)] for _ in range(2)]
    assert runs[0] == runs[1]
    assert any(isinstance(event, ThinkingDelta) for event in runs[0])


async def test_words_come_in_pieces_and_wait_at_most_the_budget():
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    model = OfflineModel(delay=0.05, budget=0.5, sleep=sleep)
    request = ModelRequest(system="", messages=[UserMessage(content="what can you do?")], tools=LIBRARY)
    events: list[ModelEvent] = [event async for event in model.stream(request)]
    assert sum(isinstance(event, TextDelta) for event in events) > 20
    assert 0 < sum(slept) <= 0.5
    assert isinstance(events[-2], Offer)
    assert isinstance(events[-1], Finished)


async def test_history_may_begin_with_an_assistants_greeting():
    chat = Conversation(WALLET, wallet_agent)
    chat.messages.append(AssistantMessage(content="Hello, how can I help?"))
    assert (await chat.ask("roll the dice")).calls == [("rollDice", {})]


async def test_a_result_is_markdown_that_nothing_in_it_can_break():
    rows = [
        {"name": f"a|b *{n}*\n<b>", "link": "https://x.example/a", "deep": {"x": [1]}, "none": None} for n in range(12)
    ]
    tool = Tool(name="list_rows", description="List the rows.", method="GET", input_schema={"type": "object"})
    said = await Conversation([tool], lambda name, args: {"data": {"rows": rows, "total": 12}}).ask("list the rows")
    assert "| a\\|b \\*0\\* \\<b> | <https://x.example/a> |" in said.text
    assert "10 of 12 rows are shown" in said.text
    assert "**total**: 12" in said.text
    assert "none" not in said.text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("[x](javascript:alert(1))", r"[x]\(javascript:alert(1))"),
        ("<img src=x onerror=y>", r"\<img src=x onerror=y>"),
        ("snake_case_name _emphasis_", r"snake_case_name \_emphasis\_"),
        ("# not a heading", r"\# not a heading"),
        ("a `code` b", r"a \`code\` b"),
    ],
)
async def test_text_of_a_result_is_shown_and_never_read_as_markup(value: str, shown: str):
    tool = Tool(name="get_it", description="Get the thing.", method="GET", input_schema={"type": "object"})
    said = await Conversation([tool], lambda name, args: {"data": value}).ask("use get_it")
    assert said.text == f"`get_it`: {shown}"


async def test_an_error_with_a_json_body_is_its_sentence():
    error = 'HTTP 409 Conflict: {"error": {"message": "The name bob is taken."}, "suggestions": ["bob-2"]}'
    said = await Conversation(WALLET, lambda name, args: {"error": error}).ask("roll the dice")
    assert "> HTTP 409 Conflict: The name bob is taken.\n" in said.text


async def test_a_credential_is_never_taken_from_loose_words():
    tools = [op("openVault", "GET", "/vault", "Open the vault.", password=(text("The password."), True))]
    assert (await Conversation(tools).ask("open the vault hunter2 please")).calls == []
    assert (await Conversation(tools).ask("open the vault password=hunter2")).calls == [
        ("openVault", {"password": "hunter2"})
    ]


async def test_the_operations_own_words_choose_no_option_in_it():
    by = ({"type": "string", "enum": ["loan", "member"]}, False)
    tools = [op("listLoans", "GET", "/loans", "List the loans.", sort=by)]
    assert (await Conversation(tools).ask("list the loans")).calls == [("listLoans", {})]
    assert (await Conversation(tools).ask("list the loans by member")).calls == [("listLoans", {"sort": "member"})]


async def test_the_label_of_a_button_is_its_operation():
    said = await Conversation(LIBRARY).ask("Tell the opening hours of the library")
    assert said.calls == [("openingHours", {})]


@pytest.mark.parametrize("data", [0, False, "", None, [], {}, 1.5, "text", [1, 2], [[1]], {"a": {"b": {"c": 1}}}])
async def test_every_kind_of_data_is_an_answer(data: Any):
    tool = Tool(name="get_it", description="Get the thing.", method="GET", input_schema={"type": "object"})
    said = await Conversation([tool], lambda name, args: {"data": data}).ask("use get_it")
    assert "`get_it`" in said.text
    assert len(said.text) > len("`get_it`: ")


async def test_fields_that_repeat_the_arguments_are_left_out_of_the_answer():
    tools = [
        op("keep", "POST", "/keep", "Keep a text.", text=(text("What to keep."), True), n=(whole("How often."), False))
    ]
    said = await Conversation(tools, lambda name, args: {"data": {"id": "k-1", **args}}).ask("keep the text 'buy milk'")
    assert said.calls == [("keep", {"text": "buy milk"})]
    assert said.text == "`keep`: id k-1"
