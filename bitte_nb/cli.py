"""The command `bitte-nb`: one small function per subcommand, heavy imports inside it."""

from __future__ import annotations

import argparse
import io
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

from bitte_nb.errors import BitteError

if TYPE_CHECKING:
    from bitte_nb.history.store import ChatInfo, Store

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
    search = acts.add_parser("search", help="chats in which all these words were said")
    search.add_argument("words", nargs="+", type=_text)
    acts.add_parser("show", help="print a chat as text").add_argument("chat", type=_text)
    export = acts.add_parser("export", help="write a chat to a file: .jsonl, .json, .core.json, .md or .html")
    export.add_argument("chat", type=_text)
    export.add_argument("file", type=Path, help="the ending says the format: .md and .html to read, .jsonl to import")
    take = acts.add_parser("import", help="add a chat from an export, a CoreMessage array or another program's file")
    take.add_argument("file", type=Path)
    take.add_argument("--title", default="", type=_text, help="instead of the file's own title")
    take.add_argument(
        "--document",
        "--agent",
        default=None,
        metavar="FILE|URL",
        help="who answers when the chat goes on, as an OpenAPI document (default: nobody, loading it names an agent)",
    )
    rename = acts.add_parser("rename", help="give a chat another title")
    rename.add_argument("chat", type=_text)
    rename.add_argument("title", type=_text)
    acts.add_parser("delete", help="remove a chat for good").add_argument("chat", type=_text)
    old = acts.add_parser("prune", help="remove old chats for good, but none that waits for you")
    old.add_argument("--older-than", required=True, type=_days, metavar="DAYS", help="days since it was last used")


def _chats(arguments: argparse.Namespace) -> int:
    from bitte_nb.history.export import attached_files, export, form_of
    from bitte_nb.history.store import open_store

    store = open_store(arguments.history, create=arguments.act == "import")  # to look makes nothing
    match arguments.act:
        case "search":
            hits = store.search(" ".join(arguments.words))
            for found in hits:
                print(f"{_one_line(found.chat)}  {_one_line(found.title)}  …{_one_line(found.snippet)}…")
            if not hits:
                print(f"Nothing found in {_one_line(store.where)}.")
        case "show":
            print(_terminal(export(store.load(arguments.chat), "markdown")), end="")
        case "export":
            chat = store.load(arguments.chat)
            text = export(chat, form_of(arguments.file), attached_files(chat, store))
            arguments.file.write_text(text, encoding="utf-8")
            print(f"Written to {_one_line(str(arguments.file))}.")
        case "import":
            _import(store, arguments.file.read_bytes(), document=arguments.document, title=arguments.title)
        case "rename":
            store.rename(arguments.chat, arguments.title)
        case "delete":
            store.delete(arguments.chat)
        case "prune":
            _prune(store, days=arguments.older_than)
        case _:
            chats = store.chats()
            for chat in chats:
                print(_listed(chat))
            if not chats:
                print(f"No chats yet in {_one_line(store.where)}.")
    return 0


def _import(store: Store, data: bytes, *, document: str | None, title: str) -> None:
    from bitte_nb.agent.agent import Agent
    from bitte_nb.agent.stored import new_chat_id
    from bitte_nb.history.archive import NOBODY, import_chat

    agent = NOBODY
    if document is not None:
        answering = Agent(document)
        agent = answering.record()
        store.put_document(answering.document.digest, answering.document.text, answering.document.url)
    taken = import_chat(store, data, chat_id=new_chat_id(), at=_now(), agent=agent, title=title)
    print(f"{taken.chat}  {_one_line(taken.title) or 'untitled'} ({taken.entries} entries)")
    for note in taken.notes:
        print(_one_line(note))


def _prune(store: Store, *, days: float) -> None:
    from bitte_nb.history.archive import prune

    gone = prune(store, before=_now() - round(days * 86_400_000))
    for chat in gone:
        print(_listed(chat))
    print(f"{len(gone)} {'chat' if len(gone) == 1 else 'chats'} removed.")


def _listed(chat: ChatInfo) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(chat.updated / 1000))
    waits = f", {chat.pending} waiting for you" if chat.pending else ""
    turns = "1 turn" if chat.turns == 1 else f"{chat.turns} turns"
    return f"{_one_line(chat.chat)}  {when}  {_one_line(chat.title) or 'untitled'} ({turns}{waits})"


def _now() -> int:
    return int(time.time() * 1000)


def _text(argument: str) -> str:
    """An argument that is kept or looked for; bytes of it that are no text are replaced."""
    from bitte_nb.history.record import storable

    return storable(argument)


def _days(argument: str) -> float:
    days = float(argument)
    if not 0 <= days <= 36_500:
        raise argparse.ArgumentTypeError(f"{argument} is not a number of days from 0 to 36500")
    return days


_JOINERS = "\u200c\u200d"
"""Marks inside words and emoji that steer nothing."""


def _terminal(text: str) -> str:
    """Untrusted text for a terminal: nothing that steers the screen, or turns the direction of writing."""
    return "".join(one if one.isprintable() or one in "\n\t" or one in _JOINERS else " " for one in text)


def _one_line(text: str) -> str:
    """Untrusted text for one line of a terminal."""
    return " ".join(_terminal(text).split())


def _document_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("document", metavar="FILE|URL", help="an OpenAPI document, JSON or YAML")


def _doctor_options(parser: argparse.ArgumentParser) -> None:
    _document_options(parser)
    parser.add_argument("--format", choices=("text", "lines", "json"), default="text", help="(default: %(default)s)")


def _doctor(arguments: argparse.Namespace) -> int:
    from bitte_nb.spec.doctor import doctor
    from bitte_nb.spec.doctor.report import report
    from bitte_nb.spec.load import load_document

    found = doctor(load_document(arguments.document))
    print(report(found, arguments.format, name=arguments.document))
    return int(any(finding.severity == "error" for finding in found))


def _tools_options(parser: argparse.ArgumentParser) -> None:
    from bitte_nb.spec.profiles import PROVIDERS

    _document_options(parser)
    parser.add_argument("--provider", choices=PROVIDERS, default=None, help="as this provider is offered them")


def _tools(arguments: argparse.Namespace) -> int:
    from bitte_nb.agent.agent import Agent
    from bitte_nb.spec.budget import text_size, tokens
    from bitte_nb.spec.doctor.report import tool_list

    agent = Agent(arguments.document)
    document, system = agent.document, agent.system
    print(_terminal(f"The system text, about {tokens(text_size(system))} tokens:\n{indent(system, '    ')}\n"))
    print(tool_list(document.tools(arguments.provider)))
    if document.quarantined:
        print(f"\n{len(document.quarantined)} left out, see `bitte-nb doctor`:")
    for finding in document.quarantined.values():
        print(f"    {_one_line(finding.message)} {_one_line(finding.fix)}")
    return 0


def _policy_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", metavar="POLICY", help="a policy, YAML or JSON")
    _document_options(parser)


def _policy(arguments: argparse.Namespace) -> int:
    from bitte_nb.agent.policy import Policy
    from bitte_nb.spec.load import load_document

    table = Policy.load(arguments.policy).explain(load_document(arguments.document))
    print(_terminal(str(table)))
    return 0


def _measure_options(parser: argparse.ArgumentParser) -> None:
    _document_options(parser)
    parser.add_argument("cases", help="prompts and the calls that are expected: .yaml, .json, .jsonl or .csv")
    parser.add_argument("--model", default="offline", help="as in bn.Agent(..., model=...) (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=1, help="how often each prompt is said (default: %(default)s)")
    parser.add_argument("--against", metavar="OLD", help="compare with a saved measurement")
    parser.add_argument("--save", metavar="NEW", help="write the measurement, as JSON")
    parser.epilog = (
        "Status: 0 all passed, 1 some missed (with --against: became worse), 3 only a model or check failed."
    )


def _measure(arguments: argparse.Namespace) -> int:
    from bitte_nb.measuring.measure import measure
    from bitte_nb.measuring.measurement import Measurement

    before = Measurement.load(arguments.against) if arguments.against else None
    found = measure(arguments.document, arguments.cases, model=arguments.model, runs=arguments.runs)
    compared = found.compare(before) if before else None
    if arguments.save:
        found.save(arguments.save)
    print(_terminal("\n\n".join(str(one) for one in (found, compared) if one)))
    if len(found.trials) < found.planned:
        return 130  # interrupted
    missed = compared.count("worse") if compared else found.count("missed")
    return 1 if missed else 3 if found.count("error") else 0


COMMANDS: dict[str, Command] = {
    "chats": Command("list, search, show, export, import, rename, delete or prune your chats", _chats_options, _chats),
    "agent": Command("serve the demo agent until Ctrl-C and print its document's URL", _agent_options, _agent),
    "doctor": Command("say what is wrong with a document, and what to write instead", _doctor_options, _doctor),
    "measure": Command("check which calls a model makes for your prompts, sending none", _measure_options, _measure),
    "policy": Command("say what a policy allows, asks and denies of a document", _policy_options, _policy),
    "tools": Command("show what a model would see of a document, and what it weighs", _tools_options, _tools),
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bitte-nb", description="The notebook workbench for agents made of OpenAPI.")
    subcommands = parser.add_subparsers(dest="command", metavar="command", required=True)
    for name, command in COMMANDS.items():
        command.options(subcommands.add_parser(name, help=command.help, description=command.help))
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; a failure raised on purpose, or of a file, is one line on standard error and status 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    arguments = _parser().parse_args(argv)
    try:
        status = COMMANDS[arguments.command].run(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Who read this has seen enough (`| head`). What is still buffered is for nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except BitteError as error:
        sentence = str(error)
    except OSError as error:
        where = f"{error.filename} cannot be read or written" if error.filename else "This did not work"
        sentence = f"{where}: {error.strerror or error}."
    print(f"bitte-nb: {_one_line(sentence)}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
