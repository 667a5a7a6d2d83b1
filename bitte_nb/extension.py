"""The magics: `%load_ext bitte_nb`, then `%bitte use DOCUMENT` and cells that begin with `%%bitte`."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUntypedFunctionDecorator=false, reportUntypedClassDecorator=false, reportMissingTypeStubs=false
# IPython ships no complete types.
from __future__ import annotations

import argparse
import shlex
import time
from pathlib import Path
from typing import Any, NoReturn, cast

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class

from bitte_nb.agent.agent import Agent
from bitte_nb.agent.chat import Chat as AnyChat
from bitte_nb.errors import BitteError, ChatNotFound
from bitte_nb.history.store import open_store
from bitte_nb.widget.cell import say
from bitte_nb.widget.chat import Chat
from bitte_nb.widget.jupyter import show
from bitte_nb.widget.part import Parts

__all__ = ["HELP", "BitteMagics", "load"]

HELP = """\
%bitte use DOCUMENT [--model NAME] [--title TITLE]
                     begin a chat with the agent of an OpenAPI document: a path, an address, or a variable that holds a
                     document, an agent or a chat
%%bitte              say the cell's text in that chat and show what comes of it; later cells go on with it
%bitte chat          the whole chat; chat = %bitte chat keeps it in a variable
%bitte chats [WORDS] the chats of your history, or those in which the words were said
%bitte open ID       show a chat of your history and go on with it
%bitte tools         what the agent can do
%bitte help          this"""

_COMMANDS = ("use", "chat", "chats", "open", "tools", "help")


class _Options(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n{HELP}")


_USE = _Options(prog="%bitte use", add_help=False)
_USE.add_argument("document")
_USE.add_argument("--model")
_USE.add_argument("--title", default="")


@magics_class
class BitteMagics(Magics):
    """One current chat per kernel; see the module."""

    chat: Chat | None = None

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._parts: dict[str, Parts] = {}
        """What the cells of this kernel said, by the chat's id."""

    @line_cell_magic
    def bitte(self, line: str, cell: str | None = None) -> Any:
        """Chat with the agent of an OpenAPI document; `%bitte help` says how."""
        try:
            if cell is not None:
                return self._say(f"{line}\n{cell}".strip())
            command, _, rest = line.strip().partition(" ")
            return self._command(command or "help", rest.strip())
        except (BitteError, OSError, ValueError) as error:
            raise UsageError(str(error)) from error

    def _command(self, command: str, rest: str) -> Any:
        match command:
            case "use":
                self._use(rest)
            case "chat":
                return self._current()
            case "chats":
                _print_chats(rest)
            case "open":
                if not rest:
                    raise UsageError("Which chat? `%bitte chats` lists their ids.")
                try:
                    self.chat = cast("Chat", Chat.load(rest))
                except ChatNotFound:
                    said = f"No chat has the id {rest!r}. `%bitte chats` shows those that are there."
                    raise UsageError(said) from None
                show(self.chat)
            case "tools":
                for tool in self._current().agent.tools:
                    print(f"{tool.name:<28} {' '.join(tool.description.split())[:90]}")
            case "help":
                print(HELP)
            case _:
                raise UsageError(f"There is no `%bitte {command}`.\n{HELP}")
        return None

    def _use(self, rest: str) -> None:
        options = _USE.parse_args(shlex.split(rest))
        named: dict[str, Any] = self.shell.user_ns if self.shell is not None else {}
        found: Any = named.get(options.document, options.document) if options.document.isidentifier() else None
        found = options.document if found is None else found
        if isinstance(found, AnyChat):
            if options.model or options.title:
                raise UsageError(f"{options.document} is a chat: it has its model and title.")
            if not isinstance(found, Chat):
                raise UsageError(f"{options.document} is no bitte_nb.Chat; make it one to show it here.")
            self.chat = found
        elif isinstance(found, Agent):
            if options.model:
                raise UsageError(f"{options.document} is an agent: it has its model.")
            self.chat = Chat(found, title=options.title)
        else:
            model = {"model": options.model} if options.model else {}
            self.chat = Chat(Agent(found, **model), title=options.title)
        agent = self.chat.agent
        print(f"{agent.name}: {len(agent.tools)} tools. Say something in a cell that begins with %%bitte.")

    def _current(self) -> Chat:
        if self.chat is None:
            raise UsageError("There is no agent yet: run `%bitte use DOCUMENT` first (a path, an address, a variable).")
        return self.chat

    def _say(self, text: str) -> None:
        """Say it, show the answer while it comes, and end when it is complete or needs a person.

        The next cell would take away what waits for a decision, as in Run All; so it says so instead.
        """
        chat = self._current()
        if not text:
            raise UsageError("There is nothing to say: write the message below %%bitte.")
        waiting = chat.pending
        if waiting:
            names = ", ".join(one.call.tool for one in waiting)
            raise UsageError(f"The chat waits for your decision on {names}. Decide there, then run this cell again.")
        turn, cell = say(chat, self._parts.setdefault(chat.id, Parts(chat.id)), text)
        show(cell)
        try:
            turn.wait()
        except KeyboardInterrupt:
            chat.stop()
            raise


def _print_chats(words: str) -> None:
    store = open_store()
    if words:
        for hit in store.search(words):
            print(f"{hit.chat}  {_line(hit.title) or 'untitled'}  …{_line(hit.snippet)}…")
        return
    chats = store.chats()
    for one in chats:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.updated / 1000))
        waits = f", {one.pending} waiting for you" if one.pending else ""
        print(f"{one.chat}  {when}  {_line(one.title) or 'untitled'} ({one.turns} turns{waits})")
    if not chats:
        print(f"No chats yet in {store.where}.")


def _line(text: str) -> str:
    """Untrusted text for one line."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())


def complete(magics: BitteMagics, line: str, word: str) -> list[str]:
    """What may come next in a `%bitte` line whose last word so far is `word`."""
    words = line.split()
    before = words[1:] if not word else words[1:-1]
    match before:
        case []:
            return [one for one in _COMMANDS if one.startswith(word)]
        case ["use", *_] if word.startswith("-"):
            return [one for one in ("--model", "--title") if one.startswith(word)]
        case ["use"]:
            return _documents(magics, word)
        case ["open"]:
            return [one.chat for one in open_store().chats() if one.chat.startswith(word)]
        case _:
            return []


def _documents(magics: BitteMagics, word: str) -> list[str]:
    from bitte_nb.spec.document import Document

    names = [
        name
        for name, value in (magics.shell.user_ns if magics.shell is not None else {}).items()
        if name.startswith(word) and not name.startswith("_") and isinstance(value, Agent | Chat | Document | dict)
    ]
    folder, _, start = word.rpartition("/")
    here = Path(folder or ("/" if word.startswith("/") else "."))
    paths = [
        f"{word[: len(word) - len(start)]}{path.name}{'/' if path.is_dir() else ''}"
        for path in (sorted(here.iterdir()) if here.is_dir() else [])
        if path.name.startswith(start)
        and (start.startswith(".") or not path.name.startswith("."))
        and (path.is_dir() or path.suffix in {".json", ".yaml", ".yml"})
    ]
    return sorted(names) + paths


def load(shell: Any) -> None:
    """Make the magics and their completion known to a shell of IPython."""
    magics = BitteMagics(shell)
    shell.register_magics(magics)

    def completer(_self: object, event: Any) -> list[str]:
        return complete(magics, str(event.text_until_cursor), str(event.symbol))

    shell.set_hook("complete_command", completer, str_key="%bitte")
