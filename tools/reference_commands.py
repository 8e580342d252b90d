"""
Prints docs/reference-commands.md: each subcommand of `vyre` with its arguments.

    python tools/reference_commands.py > docs/reference-commands.md
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from vyre_dialect.runtime.cli import COMMANDS

HEAD = """\
# Every command and option

The arguments of each subcommand of `vyre`, as `vyre COMMAND --help` has them. Made from the
command line itself by `make reference`; a test compares. Each takes `--json`, which prints JSON
for machines, and `--debug`, which shows where in vyre an error came up.
[The command line](command-line.md) shows them at work, and has the exit statuses and variables of
the environment.
"""


def main() -> None:
    """Print the page."""
    print(HEAD)
    subparsers = argparse.ArgumentParser(prog="vyre").add_subparsers()
    for command in COMMANDS:
        command.add_parser(subparsers)
    for name, parser in subparsers.choices.items():
        print_command(name, parser)


def print_command(name: str, parser: argparse.ArgumentParser) -> None:
    """A subcommand: what it does, and its arguments."""
    print(f"## `vyre {name}`\n")
    if parser.description:
        print(f"{cell(parser.description)}\n")
    print("| argument | |\n|---|---|")
    print("\n".join(rows_of(parser)) + "\n")


def rows_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    """A row for each argument."""
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        if action.help != argparse.SUPPRESS and "--help" not in action.option_strings:
            yield f"| `{cell(written(action))}` | {cell(said_of(action, parser.prog))} |"


def written(action: argparse.Action) -> str:
    """How an argument is written."""
    value = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    )
    if not action.option_strings:
        return str(value)
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {value}"


def said_of(action: argparse.Action, prog: str) -> str:
    """What its help says."""
    values = vars(action) | {"prog": prog}
    return (action.help or "") % values


def cell(text: str) -> str:
    """Text as it stands in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    main()
