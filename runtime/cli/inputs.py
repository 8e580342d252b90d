"""What `--input NAME=…` may say: a file, standard input, or data written or made there and then."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import named_values
from vyre_dialect.runtime.errors import UsageError, VyreError
from vyre_dialect.runtime.paths import file_path

if TYPE_CHECKING:
    from vyre_dialect.runtime.interpreter.arrays import Array

MANY_FILES = " many files in turn by a pattern ('*.b64') or a URL (s3://bucket/*),"
"""Of the help, what only commands say that take many files."""


def add_input_argument(parser: argparse.ArgumentParser, *, takes_many: bool = False) -> None:
    """`--input NAME=…`, any number of times."""
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="contents of a buffer: a file of bytes, a .npy file, - for standard input,"
        f"{MANY_FILES if takes_many else ''} or data without a file: text:TEXT, hex:DIGITS, "
        "zeros:SIZE or random:SIZE:SEED (./text:x is a file)",
    )


def named_inputs(arguments: argparse.Namespace) -> dict[str, str]:
    """What is given for each buffer. Raises a UsageError for standard input that is read twice."""
    inputs = named_values("--input", arguments.input)
    if [str(arguments.file), *inputs.values()].count("-") > 1:
        raise UsageError("expected one '-' among FILE and --input: standard input is read once")
    return inputs


def read_inputs(named: Mapping[str, str]) -> dict[str, Array]:
    """The contents of each buffer, as `read_input` gives them."""
    return {name: read_input(name, given) for name, given in named.items()}


def read_input(name: str, given: str) -> Array:
    """
    The contents that `given` names for the buffer `name`.

    Raises a UsageError for data that makes no sense and for many files, and a VyreError for a file
    that cannot be read.
    """
    from vyre_dialect.runtime.interpreter.arrays import open_input

    if means_many(given):
        raise UsageError(
            f"argument --input: {name}={given}: expected one file, got a pattern or a URL, which "
            "only 'vyre run' takes"
        )
    if not is_made(given):
        return open_input(file_path(given))
    kind, _, data = given.partition(":")
    try:
        return _MAKERS[kind](data)
    except ValueError as error:
        raise UsageError(f"argument --input: {name}={given}: {error}") from error
    except MemoryError as error:
        raise VyreError(f"argument --input: {name}={given} does not fit the memory") from error


def means_many(given: str) -> bool:
    """Whether `given` stands for many files, as a pattern or a URL, and is neither data nor one."""
    from vyre_dialect.runtime.program.input_files import is_many

    return not is_made(given) and is_many(given)


def is_made(given: str) -> bool:
    """Whether `given` says data rather than a file."""
    return ":" in given and given.partition(":")[0] in _MAKERS


_MAX_DIGITS = 19
"""Of numbers in data that is made; no memory has as many bytes."""


def _text(data: str) -> Array:
    import numpy as np

    return np.frombuffer(data.encode(errors="surrogateescape"), np.uint8)


def _hex(data: str) -> Array:
    import numpy as np

    try:
        return np.frombuffer(bytes.fromhex(data), np.uint8)
    except ValueError as error:
        raise ValueError("expected pairs of hexadecimal digits") from error


def _zeros(data: str) -> Array:
    import numpy as np

    return np.zeros(_number("SIZE", data), np.uint8)


def _random(data: str) -> Array:
    import numpy as np

    size, separator, seed = data.partition(":")
    if not separator:
        raise ValueError("expected random:SIZE:SEED")
    generator = np.random.default_rng(_number("SEED", seed))
    return generator.integers(0, 256, _number("SIZE", size), np.uint8)


def _number(role: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise ValueError(
            f"expected {role} to be a whole number of 1 to {_MAX_DIGITS} digits without a sign, "
            f"got '{text}'"
        )
    return int(text)


_MAKERS = {"text": _text, "hex": _hex, "zeros": _zeros, "random": _random}
