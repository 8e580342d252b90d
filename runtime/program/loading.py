"""Reads modules: from files and text, with every dialect that is installed."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from vyre_dialect import whole_files
from vyre_dialect.analysis.premature_reads import PrematureRead, premature_reads
from vyre_dialect.ir.python_lines import place_of
from vyre_dialect.ir.reading import ReadError, read_module
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.plugins import installed
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.paths import STANDARD_STREAM
from vyre_dialect.whole_files import UnreadableError


def make_context() -> Context:
    """A context that knows every dialect that is installed."""
    context = Context()
    for name, factory in installed().all_dialects.items():
        context.register_dialect(name, factory)
    return context


def load_module(path: Path, context: Context) -> ModuleOp:
    """
    The verified module in the file `path`, or of standard input where that is `-`.

    Raises a VyreError for a file that holds none.
    """
    return parse_module(read_text(path), context, name_of(path))


def read_text(path: Path) -> str:
    """The text of a file, or of standard input for `-`. Raises a VyreError."""
    source = sys.stdin.buffer if str(path) == STANDARD_STREAM else path
    try:
        return whole_files.read_text(source)
    except UnreadableError as error:
        raise VyreError(f"cannot read '{path}': {error}") from error


def name_of(path: Path) -> str:
    """What stands for a file in messages and locations."""
    return "<stdin>" if str(path) == STANDARD_STREAM else str(path)


def parse_module(text: str, context: Context, name: str = "<text>") -> ModuleOp:
    """
    The verified module that `text` holds; `name` stands for it in messages and locations.

    Raises a VyreError that says where, whatever the text is; warns as `warn_of_premature_reads`.
    """
    try:
        module = read_module(text, context, name)
    except ReadError as error:
        refused = VyreError(str(error))
        refused.detail = error.excerpt
        raise refused from error
    warn_of_premature_reads(module)
    return module


def warn_of_premature_reads(module: ModuleOp) -> None:
    """Warn of each buffer that is read before anything has written it."""
    for program in module.ops:
        if isinstance(program, ProgramOp):
            for read in premature_reads(program):
                warnings.warn(_said_of(read), stacklevel=3)


def _said_of(read: PrematureRead) -> str:
    name = read.buffer.sym_name.data
    advice = (
        f"move it behind {_named(read.writer)}"
        if read.writer is not None
        else f"nothing writes it: leave out 'initial undefined' to give '{name}' as an input"
    )
    return f"{_named(read.reader)} reads '{name}' before anything has written it: {advice}"


def _named(step: Operation) -> str:
    name = f"arm '{step.generator.data}'" if isinstance(step, RegionOp) else f"'{step.name}'"
    place = place_of(step.location)
    return name if place is None else f"{name} ({place})"
