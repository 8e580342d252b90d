"""
Whether a program may be cut along an input, so that it comes to the same in pieces.

The program is evaluated in numbers that drift (`drift.py`) on a first, a middle and a last piece.
What an invocation does is the same in a piece as in all of the input if its accesses follow the
piece and its branches are decided far from the ends that were cut. How far, is a halo: of so many
units more a piece takes in, and so many less each arm does. Effects that cannot be repeated are
left to the piece whose own the invocation is.
"""

from __future__ import annotations

from typing import Self

from xdsl.ir import Operation

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.analysis.streams.plan import StreamPlan
from vyre_dialect.analysis.streams.planning import plan_of
from vyre_dialect.analysis.streams.refusal import LargerUnits, Refusal
from vyre_dialect.analysis.streams.walk import Request
from vyre_dialect.ir.interfaces import HasExpansionInterface
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp

MOST_UNIT = 1 << 22
"""Elements of the input in a unit, at most."""


class Streams(Analysis):
    """How a program may be cut, along each of its inputs."""

    def __init__(self, program: ProgramOp, integers: Integers):
        self._program = program
        self._integers = integers
        self._known: dict[BufferOp, StreamPlan | Refusal] = {}

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        assert isinstance(scope, ProgramOp)
        return cls(scope, facts.get(Integers, scope))

    def along(self, main: BufferOp) -> StreamPlan | Refusal:
        """How to cut the program along `main`, or which op forbids it."""
        if main not in self._known:
            self._known[main] = self._plan(main)
        return self._known[main]

    def inputs(self) -> list[BufferOp]:
        """What the program may be cut along: inputs whose size is what the host gives."""
        return [
            buffer
            for buffer in self._program.buffers()
            if buffer.is_sized_by_host and buffer.type.space == MemorySpace.GLOBAL
        ]

    def _plan(self, main: BufferOp) -> StreamPlan | Refusal:
        for op in self._program.body.block.ops:
            if isinstance(op, HasExpansionInterface):
                return Refusal(op, "is no arm yet: 'vyre-expand' makes it one")
        unit = 1
        cause: Operation = main
        while unit <= MOST_UNIT:
            found = plan_of(Request(self._program, self._integers, main, unit))
            if not isinstance(found, LargerUnits):
                return found
            unit, cause = unit * found.factor, found.op
        return Refusal(cause, f"asks for pieces of {unit} elements, {MOST_UNIT} at most")
