"""Loads from small tables of known contents, which a vector holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, VectorType, i32
from xdsl.ir import SSAValue

from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.builder import Value
from vyre_dialect.builder.values import constants
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.passes.loop.vectorization.body import Body, Recipe
from vyre_dialect.passes.loop.vectorization.lane_values import wide_type
from vyre_dialect.passes.loop.vectorization.planning import Planning

TABLE_LANES = 16
"""Elements of a vector that as many lanes look up in at once."""


@dataclass(frozen=True)
class LookedUp(Recipe):
    """The lanes look their elements up in a vector that holds all of a small table."""

    op: LoadOp
    table: Sequence[int]
    position: SSAValue
    """The number that is the index."""

    def write(self, body: Body) -> None:
        """Look up in numbers of 32 bits, which is one instruction of processors with AVX-512."""
        words, type = VectorType(i32, [TABLE_LANES]), self.op.value.type
        padded = [*self.table, *[0] * (TABLE_LANES - len(self.table))]
        positions = Value(body.value(self.position).wide()).to(words)
        found = constants(padded, words).look_up(positions)
        body.bind_wide(self.op.value, found.to(wide_type(type, body.lanes)).ssa)


def plan_look_up(planning: Planning, op: LoadOp) -> LookedUp | None:
    """How the lanes load elements of a table of known contents that a vector holds."""
    declared, cast, block = op.buffer.owner, op.index.owner, op.parent
    if not isinstance(declared, BufferOp) or not isinstance(cast, arith.IndexCastOp):
        return None
    table = _numbers_of(declared) if planning.lanes == TABLE_LANES and op.elements == 1 else ()
    assert block is not None
    inside = Range(0, len(table) - 1)
    is_inside = table and planning.steps.range_at(op.index, block).within(inside)
    return LookedUp(op, table, cast.input) if is_inside else None


def _numbers_of(declared: BufferOp) -> Sequence[int]:
    """What a table of integers of 32 bits at most holds, where a vector holds as many; or none."""
    contents, element = declared.contents, declared.type.element_type
    if contents is None or len(contents) > TABLE_LANES or not isinstance(element, IntegerType):
        return ()
    numbers = [each for each in contents.get_values() if isinstance(each, int)]
    return numbers if element.width.data <= 32 else ()
