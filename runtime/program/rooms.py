"""What is said where a device has no room for an input."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.runtime.errors import OutOfMemoryError


@contextmanager
def explained_rooms(arms: Callable[[], ProgramOp]) -> Generator[None]:
    """Let an OutOfMemoryError say which op of `arms` forbids to run them on pieces of an input."""
    try:
        yield
    except OutOfMemoryError as error:
        error.args = (f"{error}; {_advice(arms())}",)
        raise


def _advice(program: ProgramOp) -> str:
    """Which op forbids to run a program on pieces of its input, or how that is done."""
    from vyre_dialect.analysis.manager import AnalysisManager  # which loads analyses
    from vyre_dialect.analysis.streams.refusal import Refusal
    from vyre_dialect.passes.program.stream import plan_along

    found = plan_along(program, AnalysisManager())
    if found is None:
        return "buffers are taken whole: the size of no input is what the host gives"
    if isinstance(found[1], Refusal):
        return f"buffers are taken whole: {found[1]}"
    return "run it on pieces of the input, with --stream or 'stream' of a compiled program"
