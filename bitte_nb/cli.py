"""The command `bitte-nb`: one small function per subcommand, heavy imports inside it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bitte_nb.errors import BitteError

__all__ = ["main"]


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand: its line in --help, its options, and what it does (returns the exit status)."""

    help: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def _agent_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8787, help="TCP port, 0 for a free one (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=None, help="make the coin fall the same way each time")


def _agent(arguments: argparse.Namespace) -> int:
    from bitte_nb.demo.agent import run

    run(arguments.host, arguments.port, arguments.seed, ready=lambda url: print(url, flush=True))
    return 0


def _chats_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--history", default=None, help="where the chats are kept (default: your own history)")
    acts = parser.add_subparsers(dest="act", metavar="act")
    acts.add_parser("list", help="the chats, the newest first (the default)")
    acts.add_parser("search", help="chats in which all these words were said").add_argument("words", nargs="+")
    acts.add_parser("show", help="print a chat as text").add_argument("chat")
    export = acts.add_parser("export", help="write a chat to a file: .jsonl, .json, .core.json, .md or .html")
    export.add_argument("chat")
    export.add_argument("file", type=Path)
    rename = acts.add_parser("rename", help="give a chat another title")
    rename.add_argument("chat")
    rename.add_argument("title")
    acts.add_parser("delete", help="remove a chat for good").add_argument("chat")


def _chats(arguments: argparse.Namespace) -> int:
    from bitte_nb.history.export import export, form_of
    from bitte_nb.history.store import open_store

    store = open_store(arguments.history)
    match arguments.act:
        case "search":
            for found in store.search(" ".join(arguments.words)):
                print(f"{found.chat}  {_one_line(found.title)}  …{_one_line(found.snippet)}…")
        case "show":
            print(export(store.load(arguments.chat), "markdown"), end="")
        case "export":
            arguments.file.write_text(export(store.load(arguments.chat), form_of(arguments.file)), encoding="utf-8")
        case "rename":
            store.rename(arguments.chat, arguments.title)
        case "delete":
            store.delete(arguments.chat)
        case _:
            for chat in store.chats():
                when = time.strftime("%Y-%m-%d %H:%M", time.localtime(chat.updated / 1000))
                waits = f", {chat.pending} waiting for you" if chat.pending else ""
                print(f"{chat.chat}  {when}  {_one_line(chat.title) or 'untitled'} ({chat.turns} turns{waits})")
    return 0


def _one_line(text: str) -> str:
    """Untrusted text for a terminal: one line, nothing that steers the screen."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _document_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("document", metavar="FILE|URL", help="an OpenAPI document, JSON or YAML")


def _doctor_options(parser: argparse.ArgumentParser) -> None:
    _document_options(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="(default: %(default)s)")


def _doctor(arguments: argparse.Namespace) -> int:
    from bitte_nb.spec.doctor import doctor
    from bitte_nb.spec.doctor.report import as_json, as_text
    from bitte_nb.spec.load import load_document

    found = doctor(load_document(arguments.document))
    print(as_json(found) if arguments.format == "json" else as_text(found, name=arguments.document))
    return int(any(finding.severity == "error" for finding in found))


def _tools_options(parser: argparse.ArgumentParser) -> None:
    from bitte_nb.spec.profiles import PROVIDERS

    _document_options(parser)
    parser.add_argument("--provider", choices=PROVIDERS, default=None, help="as this provider is offered them")


def _tools(arguments: argparse.Namespace) -> int:
    from bitte_nb.spec.doctor.report import tool_list
    from bitte_nb.spec.load import load_document

    print(tool_list(load_document(arguments.document).tools(arguments.provider)))
    return 0


COMMANDS: dict[str, Command] = {
    "chats": Command("list, search, show, export, rename or delete your chats", _chats_options, _chats),
    "agent": Command("serve the demo agent until Ctrl-C and print its document's URL", _agent_options, _agent),
    "doctor": Command("say what is wrong with a document, and what to write instead", _doctor_options, _doctor),
    "tools": Command("show what a model would see of a document, and what it weighs", _tools_options, _tools),
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bitte-nb", description="The notebook workbench for agents made of OpenAPI.")
    subcommands = parser.add_subparsers(dest="command", metavar="command", required=True)
    for name, command in COMMANDS.items():
        command.options(subcommands.add_parser(name, help=command.help, description=command.help))
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; a failure raised on purpose is one line on standard error and status 1."""
    arguments = _parser().parse_args(argv)
    try:
        return COMMANDS[arguments.command].run(arguments)
    except BitteError as error:
        print(f"bitte-nb: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
