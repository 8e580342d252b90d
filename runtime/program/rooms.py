"""What is said where a device has no room for an input."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.runtime.errors import OutOfMemoryError


@contextmanager
def explained_rooms(arms: Callable[[], ProgramOp]) -> Generator[None]:
    """Let an OutOfMemoryError say what in the program `arms` keeps it from running on parts."""
    try:
        yield
    except OutOfMemoryError as error:
        from vyre_dialect.runtime.program.parts import obstacle_to_parts  # loads analyses

        obstacle = obstacle_to_parts(arms())
        why = "run it on parts of the input, and join results" if obstacle is None else obstacle
        error.args = (f"{error}; buffers are taken whole: {why}",)
        raise
