"""The `vyre` command. Each subcommand is a file here; what it needs is imported when it runs."""

from __future__ import annotations

import argparse
import atexit
import codecs
import errno
import gc
import os
import sys
import traceback
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING, NoReturn, cast

from vyre_dialect.runtime.cli import compile as compile_command
from vyre_dialect.runtime.cli import (
    devices,
    explain,
    hot_paths,
    lsp,
    plan,
    query,
    report,
    run,
    scan,
    schedule,
    tune,
)
from vyre_dialect.runtime.cli.dialect_files import look_for_dialects_in_packages_only
from vyre_dialect.runtime.cli.lines import print_line
from vyre_dialect.runtime.cli.places import check_places
from vyre_dialect.runtime.errors import (
    INTERRUPTED,
    OutOfMemoryError,
    UsageError,
    VyreError,
    did_you_mean,
    first_line,
    is_interrupt,
    on_one_line,
)
from vyre_dialect.runtime.opencl.waiting import leave
from vyre_dialect.runtime.paths import file_path
from vyre_dialect.runtime.tuning.mode import check_environment

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

COMMANDS = (
    devices,
    compile_command,
    run,
    scan,
    query,
    tune,
    hot_paths,
    explain,
    report,
    schedule,
    plan,
    lsp,
)
"""The subcommands: modules whose `add_parser(subparsers)` sets `execute(arguments) -> int`."""

SHELLS = ("bash", "zsh")
"""Shells that complete arguments."""

INTERNAL_ERROR = 70
"""The exit status of an internal error: `EX_SOFTWARE` of sysexits.h."""

_ESCAPED = "vyre-escaped"
"""How outputs treat what their encoding lacks."""

_COMMAND = "command"
"""What argparse keeps the name of the subcommand under."""

_UNPRINTABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF}
"""
What printing may come to, the last where the output is closed; files are written under names of
their own.
"""


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the arguments, and what may have been meant."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message if message.endswith("?") else f"{message}; {self._advice}")

    @property
    def _advice(self) -> str:
        return f"'{self.prog} --help' says more"

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        parsed, unknown = super().parse_known_args(args, namespace or argparse.Namespace())
        option = next((each for each in unknown if each.startswith("-") and each != "-"), None)
        if option is not None:
            name = option.partition("=")[0]
            hint = did_you_mean(name, self._option_string_actions, self._advice)
            raise UsageError(f"unknown argument '{name}': {hint}")
        # argparse takes files on one side of the options only.
        for positional in self._get_positional_actions():
            if unknown and positional.nargs == "+":
                getattr(parsed, positional.dest).extend(unknown)
                unknown = []
        if unknown:
            raise UsageError(f"unexpected argument '{unknown[0]}': {self._advice}")
        return parsed, unknown

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        (file or sys.stderr).write(message)  # argparse's own hides what goes wrong

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is None or value in action.choices:
            return
        known = list(map(str, action.choices))
        hint = did_you_mean(str(value), known, f"expected one of {', '.join(known)}")
        if action.dest == _COMMAND:
            raise UsageError(f"unknown command '{value}': {hint}")
        raise argparse.ArgumentError(action, f"unknown value '{value}': {hint}")


class _PrintVersion(argparse.Action):
    """Prints the version, which takes a while to find out."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from vyre_dialect.runtime.opencl.kernel_cache import vyre_version

        print(f"vyre {vyre_version()}")
        parser.exit()


class _PrintCompletion(argparse.Action):
    """Prints what teaches a shell to complete the arguments."""

    def __call__(
        self, parser: argparse.ArgumentParser, _: object, values: object, *__: object
    ) -> None:
        import shtab

        for subparser in _subparsers(parser):
            for action in subparser._actions:  # pyright: ignore[reportPrivateUsage]
                if action.type is file_path:
                    action.complete = shtab.FILE  # pyright: ignore[reportAttributeAccessIssue]
        print(shtab.complete(parser, str(values)))
        parser.exit()


def _subparsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        if isinstance(action.choices, dict):
            yield from cast(dict[str, argparse.ArgumentParser], action.choices).values()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (else the process's) ask for; returns the exit status.

    0 only when the work was done, 2 for a usage error, 1 for any other that a user can cause, and
    70 for an error of vyre itself.
    """
    if arguments is not None:
        return _status(arguments)
    _start_no_threads()
    _collect_rarely()
    look_for_dialects_in_packages_only()
    _escape_what_has_no_character()
    leave.status = _status(sys.argv[1:])
    return leave.status


def _status(given: Sequence[str]) -> int:
    debug = "--debug" in given
    _open_standard_streams()
    try:
        with _warnings_in_one_line():
            parsed = _parsed(given)
            check_environment()
            check_places(parsed)
            status = parsed.execute(parsed)
        sys.stdout.flush()
        return status
    except VyreError as error:
        _flush_or_discard_output()
        return _fail(error, debug=debug)
    except BrokenPipeError:  # whoever read the output has seen enough
        _discard_output()
        return 1
    except KeyboardInterrupt:
        return _interrupted()
    except MemoryError:
        return _fail(OutOfMemoryError("the memory of this machine is not enough"), debug=debug)
    except Exception as error:
        if is_interrupt(error):
            return _interrupted()
        if isinstance(error, OSError) and error.errno in _UNPRINTABLE:
            _discard_output()
            of_input = error.errno == errno.EBADF and not _is_readable(0)
            what = "read standard input" if of_input else "write standard output"
            return _fail(VyreError(f"cannot {what}: {error.strerror}"), debug=debug)
        return _report(error, debug=debug)


def _parsed(given: Sequence[str]) -> argparse.Namespace:
    try:
        return _make_parser().parse_args(given)
    finally:
        sys.stdout.flush()  # of help and the version, after which the process ends


def _start_no_threads() -> None:
    """Let NumPy start no threads for products of matrices, of which no command has large ones."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _collect_rarely() -> None:
    """
    Let garbage wait in a process that ends with the command, where nearly all that is made stays:
    looking for it took a seventh of the time of `vyre run`, half of that at the end.
    """
    gc.set_threshold(500_000)
    atexit.register(gc.freeze)


def _escape_what_has_no_character() -> None:
    """Let what the encoding of an output lacks be escaped, and bytes of names be what they are."""
    codecs.register_error(_ESCAPED, _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors=_ESCAPED)


def _escaped(error: UnicodeError) -> tuple[str | bytes, int]:
    try:
        return codecs.lookup_error("surrogateescape")(error)
    except UnicodeError:
        return codecs.lookup_error("backslashreplace")(error)


def _open_standard_streams() -> None:
    """
    Give a process that was started without them streams, lest a file take their place. What is
    printed to such an output is an error, and errors go nowhere.
    """
    for name, descriptor, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            assert opened == descriptor, "the lowest descriptors are given out first"
            setattr(sys, name, open(descriptor, mode, closefd=False))


@contextmanager
def _warnings_in_one_line() -> Generator[None]:
    """Show what Python's warnings say, and not where they were issued."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        print(on_one_line(f"vyre: warning: {message}"), file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def _flush_or_discard_output() -> None:
    """Write what is still to be written, or let it go nowhere where the output is closed."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()


def _is_readable(descriptor: int) -> bool:
    """Whether a descriptor was opened to be read."""
    try:
        os.read(descriptor, 0)
    except OSError as error:
        return error.errno != errno.EBADF
    return True


def _discard_output() -> None:
    """Let what is still to be written to standard output go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _make_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="vyre",
        description="Compile and run decode → scan programs on OpenCL devices.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_PrintVersion, nargs=0, help="print the version")
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        choices=SHELLS,
        help="print the completion of arguments for a shell",
    )
    subparsers = parser.add_subparsers(
        dest=_COMMAND, metavar="COMMAND", required=True, parser_class=_Parser
    )
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
    advice = "" if error.advice is None else f"; {error.advice}"
    print(on_one_line(f"vyre: error: {error}{advice}"), file=sys.stderr)
    if error.detail is not None:
        for line in error.detail.splitlines():
            print_line(line, file=sys.stderr)
    return error.exit_status


def _interrupted() -> int:
    print("vyre: interrupted", file=sys.stderr)
    return INTERRUPTED


def _report(error: Exception, *, debug: bool) -> int:
    """Say in one line whose error this is, vyre's or a package's, and how to see more of it."""
    from vyre_dialect.ir.broken_descriptions import DescriptionError  # and with it xDSL

    if isinstance(error, DescriptionError):
        told = VyreError(str(error))
        told.__cause__ = error
        return _fail(told, debug=debug)
    if debug:
        traceback.print_exception(error)
    hint = "please report it" if debug else "run with --debug to see where, and please report it"
    what = f"{type(error).__name__}: {first_line(error)}"
    print(on_one_line(f"vyre: internal error: {what}; {hint}"), file=sys.stderr)
    return INTERNAL_ERROR
