"""A program that appends to a chat and prints what was acknowledged: `appender.py TARGET CHAT NAME [COUNT]`."""

from __future__ import annotations

import sys

from bitte_nb.core.log import TextAdded
from bitte_nb.errors import ChatConflict
from bitte_nb.history.store import open_store


def main(target: str, chat: str, name: str, *, count: int = 100_000) -> None:
    store = open_store(target)
    head = store.load(chat).head
    for number in range(count):
        # Three entries of one append: all of them or none may ever be seen.
        entries = [TextAdded(at=1, turn=1, step=1, text=f"{name} {number} {part}") for part in range(3)]
        while True:
            try:
                head = store.append(chat, entries, expected=head, durable=number % 2 == 0)
                break
            except ChatConflict:
                head = store.load(chat).head
        print(head, number, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4], **({"count": int(sys.argv[4])} if len(sys.argv) > 4 else {}))
