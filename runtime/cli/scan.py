"""`vyre scan`: decode files and search them for literals."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import Subparsers, add_device_arguments
from vyre_dialect.runtime.cli.scheduler import add_scheduler_argument, scan_on_scheduler
from vyre_dialect.runtime.errors import UsageError, VyreError
from vyre_dialect.runtime.paths import file_path

if TYPE_CHECKING:
    from vyre_dialect.runtime.scanning.reports.report import Report, Wanted

FOUND, NOT_FOUND, TROUBLE = 0, 1, 2
"""The exit statuses, as grep has them."""


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "scan", help="search encoded files", description=__doc__, allow_abbrev=False
    )
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file, a folder, in which hidden, binary and ignored files are passed over, or - "
        "for standard input",
    )
    parser.add_argument(
        "--decode",
        default="",
        metavar="CHAIN",
        help="how the files are encoded, the outermost first, separated by commas: base64, "
        "base64url, hex, xor:KEY, xor-hex:DIGITS",
    )
    parser.add_argument(
        "--literal",
        action="append",
        default=[],
        metavar="TEXT",
        help="what to look for; may be given several times",
    )
    parser.add_argument(
        "--patterns",
        action="append",
        default=[],
        type=file_path,
        metavar="FILE",
        help="look for each line of a file",
    )
    _add_output_arguments(parser)
    parser.add_argument("--hidden", action="store_true", help="go into hidden files and folders")
    parser.add_argument(
        "--no-ignore", action="store_true", help="go into what .gitignore, .ignore name, too"
    )
    parser.add_argument(
        "--text", action="store_true", help="search binary files of folders, too; as --decode does"
    )
    add_device_arguments(parser)
    add_scheduler_argument(parser)
    parser.set_defaults(execute=execute)


def _add_output_arguments(parser: argparse.ArgumentParser) -> None:
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument(
        "--count", action="store_true", help="print how many lines match, for each file"
    )
    wanted.add_argument(
        "--files-with-matches", action="store_true", help="print the names of files alone"
    )
    wanted.add_argument("--sarif", action="store_true", help="print a log of SARIF 2.1.0")


def execute(arguments: argparse.Namespace) -> int:
    """Carry the subcommand out; gives the exit status of grep."""
    from vyre_dialect.runtime.scanning.chain import parse_chain
    from vyre_dialect.runtime.scanning.errors import ScanError
    from vyre_dialect.runtime.scanning.literals import literals_of

    if arguments.json and arguments.sarif:
        raise UsageError("argument --sarif: not allowed with argument --json")
    chain = parse_chain(arguments.decode)
    literals = literals_of(arguments.literal, arguments.patterns)
    try:
        from vyre_dialect.runtime.scanning.scan import scan
        from vyre_dialect.runtime.scanning.walk import Problem, Walker

        walker = Walker(arguments.hidden, arguments.no_ignore)
        report = _report(arguments, literals)
        skips_binary = not (chain or arguments.text)
        sources = walker.sources(arguments.paths)
        if arguments.scheduler is not None:
            results = scan_on_scheduler(
                arguments, sources, chain, literals, skips_binary=skips_binary
            )
        else:
            results = scan(
                *(sources, chain, literals, arguments.device),
                devices=arguments.devices,
                skips_binary=skips_binary,
            )
        has_matches = has_problems = False
        for result in results:
            if isinstance(result, Problem):
                has_problems = True
                report.problem(result)
            else:
                has_matches |= result.count > 0
                report.add(result)
        report.end()
    except VyreError as error:
        if error.exit_status != 1:
            raise
        raise ScanError(str(error)) from error
    if has_problems:
        return TROUBLE
    return FOUND if has_matches else NOT_FOUND


def _report(arguments: argparse.Namespace, literals: tuple[bytes, ...]) -> Report:
    """What tells of the files, in the form that is asked for."""
    wanted = _wanted(arguments)
    if arguments.sarif:
        from vyre_dialect.runtime.scanning.reports.sarif import SarifReport

        return SarifReport(literals, sys.stdout)
    if arguments.json:
        from vyre_dialect.runtime.scanning.reports.json_lines import JsonLines

        return JsonLines(literals, sys.stdout, wanted)
    from vyre_dialect.runtime.scanning.reports.text import TextReport

    return TextReport(literals, sys.stdout, wanted)


def _wanted(arguments: argparse.Namespace) -> Wanted:
    from vyre_dialect.runtime.scanning.reports.report import Wanted

    if arguments.count:
        return Wanted.COUNTS
    return Wanted.NAMES if arguments.files_with_matches else Wanted.MATCHES
