"""The `vyre` command. Each subcommand is a file here; what it needs is imported when it runs."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

from vyre_dialect.runtime.cli import compile as compile_command
from vyre_dialect.runtime.cli import devices, explain, plan, run
from vyre_dialect.runtime.errors import UsageError, VyreError

COMMANDS = (devices, compile_command, run, explain, plan)
"""The subcommands: modules whose `add_parser(subparsers)` sets `execute(arguments) -> int`."""

_INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the arguments."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; '{self.prog} --help' says more")


class _PrintVersion(argparse.Action):
    """Prints the version, which takes a while to find out."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from vyre_dialect.runtime.opencl.kernel_cache import vyre_version

        print(f"vyre {vyre_version()}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (else the process's) ask for; returns the exit status.

    0 only when the work was done, 2 for a usage error, 1 for any other that a user can cause.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        parsed = _make_parser().parse_args(given)
        status = parsed.execute(parsed)
        sys.stdout.flush()
        return status
    except VyreError as error:
        return _fail(error, debug="--debug" in given)
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("vyre: interrupted", file=sys.stderr)
        return _INTERRUPTED


def _make_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="vyre",
        description="Compile and run decode → scan programs on OpenCL devices.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_PrintVersion, nargs=0, help="print the version")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for command in COMMANDS:
        command.add_parser(subparsers)
    for subparser in subparsers.choices.values():
        subparser.add_argument("--json", action="store_true", help="print JSON, for machines")
        subparser.add_argument(
            "--debug", action="store_true", help="on an error, show where in vyre it came up"
        )
    return parser


def _fail(error: VyreError, *, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    print(f"vyre: error: {error}", file=sys.stderr)
    if log := getattr(error, "log", None):
        print(log, file=sys.stderr)
    return error.exit_status
