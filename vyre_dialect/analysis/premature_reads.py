"""Which buffers of a program are read before anything can have written them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.ir import Operation
from xdsl.traits import Pure

from vyre_dialect.analysis.live_ranges import point_of, program_points
from vyre_dialect.ir.interfaces import HasAccessesInterface
from vyre_dialect.ir.types import Initial, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp


class PrematureRead(NamedTuple):
    """A step of a program that reads a buffer which holds nothing yet, whatever the inputs are."""

    buffer: BufferOp
    reader: Operation
    """An arm, a library op, or another op of the host."""
    writer: Operation | None
    """The step that writes the buffer, later; None where none does."""


def premature_reads(program: ProgramOp) -> Iterator[PrematureRead]:
    """
    Reads of global buffers that start undefined, by the first step that touches them, where that
    does not write them, too. Elements that are left out by those who write a buffer are not found
    here, but when the program is interpreted (`UndefinedReadChecker`).
    """
    points = program_points(program.body.block)
    steps = list(points)
    for buffer in program.buffers():
        if buffer.type.space != MemorySpace.GLOBAL or buffer.initial_contents != Initial.UNDEFINED:
            continue
        users = {use.operation for use in buffer.buffer.uses if not use.operation.has_trait(Pure)}
        first = min((point_of(user, points) for user in users), default=None)
        writing = (point_of(user, points) for user in users if _may_write(user, buffer))
        written = min(writing, default=None)
        if first is not None and written != first:
            yield PrematureRead(buffer, steps[first], None if written is None else steps[written])


def _may_write(user: Operation, buffer: BufferOp) -> bool:
    """Whether an op writes a buffer, or uses it without saying how."""
    if not isinstance(user, HasAccessesInterface):
        return True
    return any(access.writes for access in user.get_accesses() if access.buffer is buffer.buffer)
