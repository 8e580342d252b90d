"""A package as somebody writes it: ops inside arms, each of which says once what it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IndexType, IntegerAttr, i64
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from support.lisp import Writer
from vyre_dialect.analysis.interval_arithmetic import at_corners
from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.builder import Value
from vyre_dialect.ir.meaning import Meaning, Meanings
from vyre_dialect.lowering.opencl.forms import Expression, Scope, overloaded
from vyre_dialect.passes.rewriting.vector_forms import lane_by_lane
from vyre_dialect.runtime.interpreter import Array

OPS = Meanings()


@irdl_op_definition
class SlotOp(IRDLOperation):
    """Where in a ring of `size` elements a number is, which `turn` others precede."""

    name = "ring.slot"

    number = operand_def(IndexType())
    turn = prop_def(IntegerAttr.constr(i64))
    size = prop_def(IntegerAttr.constr(i64))
    slot = result_def(IndexType())

    traits = traits_def(Pure())
    assembly_format = "$number `turn` $turn `of` $size attr-dict"

    def __init__(self, number: SSAValue, turn: int, size: int):
        super().__init__(
            operands=[number],
            properties={"turn": IntegerAttr(turn, i64), "size": IntegerAttr(size, i64)},
            result_types=[IndexType()],
        )


@OPS.describe(SlotOp)
class Slot(Meaning):
    """All follows from the definition: range, affine form, vectors, NumPy and OpenCL C."""

    def definition(self, op: SlotOp, number: Value) -> Value:
        size = op.size.value.data
        return ((number + op.turn.value.data) % size + size) % size


@irdl_op_definition
class LapOp(IRDLOperation):
    """The number with which the lap begins that a number is in, of a ring of `size` elements."""

    name = "ring.lap"

    number = operand_def(IndexType())
    size = prop_def(IntegerAttr.constr(i64))
    first = result_def(IndexType())

    traits = traits_def(Pure())
    assembly_format = "$number `of` $size attr-dict"

    def __init__(self, number: SSAValue, size: int):
        super().__init__(
            operands=[number],
            properties={"size": IntegerAttr(size, i64)},
            result_types=[IndexType()],
        )


@OPS.describe(LapOp)
class Lap(Meaning):
    """That it is at most the number, and how far from it, no range says: its linear form does."""

    def definition(self, op: LapOp, number: Value) -> Value:
        return number - number % op.size.value.data


@irdl_op_definition
class AddSatOp(IRDLOperation):
    """The sum of unsigned bytes, or of their lanes, and at most 255."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    name = "ring.add_sat"

    a = operand_def(T)
    b = operand_def(T)
    sum = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$a `,` $b attr-dict `:` type($sum)"

    def __init__(self, a: SSAValue, b: SSAValue):
        super().__init__(operands=[a, b], result_types=[a.type])


def capped(a: int, b: int) -> int:
    """The sum, and at most 255."""
    return min(a + b, 255)


@OPS.describe(AddSatOp)
class AddSat(Meaning):
    """OpenCL C has a function for it, and it does with vectors what it does with bytes."""

    def range(self, op: AddSatOp, operands: Sequence[Range]) -> Range:
        return at_corners(capped, *operands)

    def numpy(self, op: AddSatOp) -> Callable[[Array, Array], Array]:
        return lambda a, b: np.minimum(a.astype(np.uint16) + b, 255).astype(np.uint8)

    def expression(self, scope: Scope, op: AddSatOp) -> Expression:
        return overloaded("add_sat", scope.type_of(op.sum), scope.value(op.a), scope.value(op.b))

    def text_lisp(self, writer: Writer, op: AddSatOp) -> str:
        return f"(min {writer.call('+', op)} 255)"

    lanes = staticmethod(lane_by_lane)


RING = Dialect("ring", [SlotOp, LapOp, AddSatOp])
