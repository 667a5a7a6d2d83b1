"""The page's side of the contract, in Python: a snapshot, and the fold of numbered events over it, as plain JSON data.

It says what `js/src/state.ts` must do, in the words of the contract alone; the golden sequences hold both to it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Literal

from bitte_nb.core.fold import ChatState, apply
from bitte_nb.core.log import Entry
from bitte_nb.widget import protocol
from bitte_nb.widget.told import page_events

__all__ = ["Page", "told"]

Data = dict[str, Any]


@dataclass
class Page:
    """What an open page knows."""

    boot: str = ""
    seq: int = 0
    chat: Data | None = None

    def take(self, message: Data) -> Literal["applied", "stale", "gap"]:
        """Take one message of the kernel; a stale one and one after a gap change nothing."""
        if message["type"] == "snapshot":
            if self.chat is not None and message["boot"] == self.boot and message["seq"] < self.seq:
                return "stale"
            self.boot, self.seq, self.chat = message["boot"], message["seq"], copy.deepcopy(message["chat"])
            return "applied"
        last = message["first"] + len(message["events"]) - 1
        if self.chat is None or message["boot"] != self.boot:
            return "gap"
        if last <= self.seq:
            return "stale"
        if message["first"] > self.seq + 1:
            return "gap"
        chat = copy.deepcopy(self.chat)
        for event in message["events"][self.seq + 1 - message["first"] :]:
            _apply(chat, event)
        self.seq, self.chat = last, chat
        return "applied"


def _apply(chat: Data, event: Data) -> None:
    match event["type"]:
        case "text_delta":
            _step(chat, event)["text"] += event["text"]
        case "thinking_delta":
            _step(chat, event)["thinking"] += event["text"]
        case "args_delta":
            chat["invocations"][event["key"]]["args_text"] += event["text"]
        case "path":
            kept = next((place for place, turn in enumerate(chat["turns"]) if turn["turn"] == event["after"]), None)
            assert kept is not None or event["after"] == 0
            chat["turns"] = [*chat["turns"][: 0 if kept is None else kept + 1], *copy.deepcopy(event["turns"])]
            shown = {str(turn["turn"]) for turn in chat["turns"]}
            cards = {**chat["invocations"], **copy.deepcopy(event["invocations"])}
            chat["invocations"] = {key: card for key, card in cards.items() if key.split(".")[0] in shown}
        case "turn":
            known = next((turn for turn in chat["turns"] if turn["turn"] == event["head"]["turn"]), None)
            if known is None:
                chat["turns"].append({**event["head"], "steps": []})
            else:
                known.update(event["head"])
        case "step":
            steps = _turn(chat, event["turn"])["steps"]
            numbers = [step["step"] for step in steps]
            if event["view"]["step"] in numbers:
                steps[numbers.index(event["view"]["step"])] = event["view"]
            else:
                steps.append(event["view"])
        case "invocation":
            chat["invocations"][event["view"]["key"]] = event["view"]
        case other:
            raise AssertionError(f"The contract has no event {other!r}.")


def _turn(chat: Data, number: int) -> Data:
    return next(turn for turn in chat["turns"] if turn["turn"] == number)


def _step(chat: Data, event: Data) -> Data:
    return next(step for step in _turn(chat, event["turn"])["steps"] if step["step"] == event["step"])


def told(state: ChatState, entries: list[Entry]) -> tuple[ChatState, list[protocol.PageEvent]]:
    """The state after the entries, and what an open page is told of them, one by one."""
    events: list[protocol.PageEvent] = []
    for one in entries:
        before, state = state, apply(state, one)
        events += page_events(before, state, one)
    return state, events
