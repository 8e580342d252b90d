"""Constants as they stand in kernels: where they are used, unless that writes lanes twice."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr

from vyre_dialect.lowering.opencl.arithmetic import is_i1
from vyre_dialect.lowering.opencl.expressions import Expression
from vyre_dialect.lowering.opencl.literals import literal, vector_literal
from vyre_dialect.lowering.opencl.scope import Scope, StatementScope


def constant(printer: StatementScope, op: arith.ConstantOp) -> None:
    """A literal, which has a variable only where it is long and used twice."""
    constant = _expression(printer, op)
    if constant.type.is_vector and constant.splat is None and op.result.has_more_than_one_use():
        constant = printer.declare(op.result, constant)
    printer.bind(op.result, constant)


def _expression(scope: Scope, op: arith.ConstantOp) -> Expression:
    type = scope.type_of(op.result)
    if isinstance(op.value, DenseIntOrFPElementsAttr):
        lanes = [literal(number, type.scalar) for number in _lanes(op, op.value)]
        return vector_literal(lanes, type) if type.is_vector else lanes[0]
    assert isinstance(op.value, IntegerAttr | FloatAttr)
    return literal(op.value.value.data, type)


def _lanes(op: arith.ConstantOp, dense: DenseIntOrFPElementsAttr) -> list[int | float]:
    """The lanes of a vector constant; true, which is -1 as a signed number, is held as 1."""
    lanes = [number for number in dense.get_values() if isinstance(number, int | float)]
    return [number != 0 for number in lanes] if is_i1(op.result.type) else lanes
