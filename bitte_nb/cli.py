"""The command `bitte-nb`: one small function per subcommand, heavy imports inside it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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


COMMANDS: dict[str, Command] = {
    "agent": Command("serve the demo agent until Ctrl-C and print its document's URL", _agent_options, _agent),
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
