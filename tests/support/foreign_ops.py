"""Ops of a dialect of somebody else's: they say what they do through vyre's interfaces alone."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerAttr, i32
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import Pure

from vyre_dialect.builder.values import Value
from vyre_dialect.ir.interfaces import (
    AccessKind,
    BufferAccess,
    Convergent,
    DependsOn,
    HasAccessesInterface,
    HasCombinerInterface,
    HasExpansionInterface,
    Id,
    OrdersMemoryInterface,
)
from vyre_dialect.ir.types import BufferType, MemorySpace


@irdl_op_definition
class MixOp(IRDLOperation):
    """A function of its operands."""

    name = "acme.mix"

    lhs = operand_def(i32)
    rhs = operand_def(i32)
    result = result_def(i32)

    traits = traits_def(Pure(), DependsOn())
    assembly_format = "$lhs `,` $rhs attr-dict"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[i32])


@irdl_op_definition
class LaneOp(IRDLOperation):
    """An id of an invocation's own."""

    name = "acme.lane"

    id = result_def(IndexType())

    traits = traits_def(Pure(), DependsOn(Id.LOCAL))
    assembly_format = "attr-dict"


@irdl_op_definition
class OwnIdOp(IRDLOperation):
    """The id of an invocation, by which it knows itself which one it is."""

    name = "acme.own_id"

    id = result_def(IndexType())

    traits = traits_def(Pure(), DependsOn(Id.INVOCATION))
    assembly_format = "attr-dict"


@irdl_op_definition
class MysteryOp(IRDLOperation):
    """Pure, but says not what its result depends on."""

    name = "acme.mystery"

    id = result_def(IndexType())

    traits = traits_def(Pure())
    assembly_format = "attr-dict"


@irdl_op_definition
class PairSumOp(IRDLOperation, HasAccessesInterface):
    """The sum of the two elements of a buffer from `index` on."""

    name = "acme.pair_sum"

    buffer = operand_def(BufferType)
    index = operand_def(IndexType())
    sum = result_def(i32)

    assembly_format = "$buffer `[` $index `]` attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue, index: SSAValue):
        super().__init__(operands=[buffer, index], result_types=[i32])

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (BufferAccess(AccessKind.READ, self.buffer, self.index, 2),)


@irdl_op_definition
class StampOp(IRDLOperation, HasAccessesInterface):
    """Writes the index of an element into it, so that one value serves two purposes."""

    name = "acme.stamp"

    value = operand_def(IndexType())
    buffer = operand_def(BufferType)
    index = operand_def(IndexType())

    assembly_format = "$value `,` $buffer `[` $index `]` attr-dict `:` type($buffer)"

    def __init__(self, value: SSAValue, buffer: SSAValue, index: SSAValue):
        super().__init__(operands=[value, buffer, index])

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (BufferAccess(AccessKind.WRITE, self.buffer, self.index),)


@irdl_op_definition
class SaturateOp(IRDLOperation, HasCombinerInterface):
    """Adds the unsigned `value` to an element atomically, but not beyond 100."""

    name = "acme.saturate"

    value = operand_def(i32)
    buffer = operand_def(BufferType)
    index = operand_def(IndexType())

    assembly_format = "$value `,` $buffer `[` $index `]` attr-dict `:` type($buffer)"

    def __init__(self, value: SSAValue, buffer: SSAValue, index: SSAValue):
        super().__init__(operands=[value, buffer, index])

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (BufferAccess(AccessKind.UPDATE, self.buffer, self.index, combiner=SaturateOp.name),)

    @property
    def value_operand(self) -> int:
        return 0

    def get_neutral_value(self) -> IntegerAttr:
        return IntegerAttr(0, i32)

    def combine(self, one: SSAValue, other: SSAValue) -> SSAValue:
        total = Value(one).min(100) + Value(other).min(100)
        return total.min(100).ssa


@irdl_op_definition
class FenceOp(IRDLOperation, OrdersMemoryInterface):
    """Orders the memory of a workgroup, and no other."""

    name = "acme.fence"

    assembly_format = "attr-dict"

    @property
    def ordered_spaces(self) -> frozenset[MemorySpace]:
        return frozenset({MemorySpace.WORKGROUP})


@irdl_op_definition
class MeetOp(IRDLOperation):
    """Something that a whole workgroup does together."""

    name = "acme.meet"

    traits = traits_def(Pure(), DependsOn(), Convergent())
    assembly_format = "attr-dict"


@irdl_op_definition
class Rot13Op(IRDLOperation, HasExpansionInterface):
    """A decoder, which no pattern expands."""

    name = "acme.rot13"

    assembly_format = "attr-dict"

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        return ()


ACME = Dialect(
    "acme",
    [Rot13Op, MixOp, LaneOp, OwnIdOp, MysteryOp, PairSumOp, StampOp, SaturateOp, FenceOp, MeetOp],
)
