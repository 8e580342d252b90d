"""Arguments that several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.paths import file_path

if TYPE_CHECKING:
    # argparse has no public name for it.
    from argparse import _SubParsersAction  # pyright: ignore[reportPrivateUsage]

Subparsers: TypeAlias = "_SubParsersAction[argparse.ArgumentParser]"
"""What commands add their parsers to."""
PLACE = "{}"
"""In the path of an output, what stands for the name of one of many files without its suffix."""


def add_program_arguments(parser: argparse.ArgumentParser) -> None:
    """`FILE`, and `--program NAME` for one that holds several programs."""
    parser.add_argument(
        "file", type=file_path, metavar="FILE", help="a module with a vyre.program, or -"
    )
    parser.add_argument(
        "--program", metavar="NAME", help="which program, where the module has several"
    )


_MOST = 2**63 - 1
"""What a number of 64 bits holds."""


def positive_integer(text: str) -> int:
    """An argument that counts something, at least one."""
    return _integer(text, 1, "a positive integer")


def natural_number(text: str) -> int:
    """An argument that counts something, be it nothing."""
    return _integer(text, 0, "an integer from 0 on")


def _integer(text: str, least: int, expected: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(f"expected {expected}, got '{text}'")
    if value > _MOST:
        raise argparse.ArgumentTypeError(f"expected at most {_MOST}, got '{text}'")
    return value


def positive_number(text: str) -> float:
    """An argument that measures something."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < inf:
        raise argparse.ArgumentTypeError(f"expected a positive number, got '{text}'")
    return value


MOST_SECONDS = 1e9
"""A limit of a longer time is none, and clocks do not count so far."""


def seconds(text: str) -> float:
    """A time that is a positive number. Raises ArgumentTypeError for any other text."""
    return min(positive_number(text), MOST_SECONDS)


def add_timeout_argument(parser: argparse.ArgumentParser) -> None:
    """`--timeout SECONDS`, of a run."""
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="give up a run whose kernels, or what the host computes, take longer",
    )


def add_device_arguments(parser: argparse.ArgumentParser) -> None:
    """`--device NAME`, or `--devices NAMES` for several that share the work."""
    device = parser.add_mutually_exclusive_group()
    device.add_argument(
        "--devices",
        metavar="NAMES",
        help="let several devices share the work: 'all', or names as of --device with commas "
        "between them",
    )
    device.add_argument(
        "--device",
        metavar="NAME",
        help="cpu, gpu, part of a device's name, or 'reference' for the interpreter",
    )


def named_values(option: str, texts: Sequence[str]) -> dict[str, str]:
    """The values of an option of the form `NAME=PATH`, each name given once."""
    values = dict[str, str]()
    for text in texts:
        name, separator, value = text.partition("=")
        if not (name and separator and value):
            raise UsageError(
                f"argument {option}: expected NAME=PATH, got '{text}': the buffer stands in front"
            )
        if name in values:
            raise UsageError(f"argument {option}: buffer '{name}' is given twice")
        values[name] = value
    return values
