"""`arith` ops with two results: sums with their carry, and products of twice the width."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import arith
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.lowering.opencl.arithmetic import (
    from_signed,
    is_i1,
    product,
    to_signed,
    to_unsigned,
)
from vyre_dialect.lowering.opencl.expressions import (
    Expression,
    Form,
    binary,
    exact,
    overloaded,
)
from vyre_dialect.lowering.opencl.scope import StatementScope
from vyre_dialect.lowering.opencl.types import BOOL


def _unsigned_operands(printer: StatementScope, op: Any) -> tuple[Expression, Expression]:
    if is_i1(op.lhs.type):
        raise DiagnosticException(f"'{op.name}' of i1 has no OpenCL form")
    left, right = (exact(to_unsigned(printer.value(operand))) for operand in (op.lhs, op.rhs))
    return left, right


def add_extended(printer: StatementScope, op: arith.AddUIExtendedOp) -> None:
    """A sum, and whether it has wrapped around."""
    left, right = _unsigned_operands(printer, op)
    type = left.type
    if type.is_vector:
        raise DiagnosticException(f"'{op.name}' of vectors has no OpenCL form")
    form = Form.WRAPPING if type.is_small else Form.EXACT
    total = printer.declare(op.sum, exact(binary(left, "+", right, type, form)), "sum")
    printer.bind(op.sum, from_signed(total, printer.type_of(op.sum)))
    if op.overflow.uses:
        carry = binary(total, "<", left, BOOL, Form.PROMOTED)
        printer.bind(op.overflow, printer.declare(op.overflow, carry, "carry"))


def multiply_extended(
    printer: StatementScope, op: arith.MulUIExtendedOp | arith.MulSIExtendedOp
) -> None:
    """The two halves of a product."""
    left, right = _unsigned_operands(printer, op)
    type = left.type
    low = product(left, right, type)
    high = overloaded("mul_hi", type, left, right)
    if isinstance(op, arith.MulSIExtendedOp):
        signed = (exact(to_signed(printer.value(operand))) for operand in (op.lhs, op.rhs))
        high = from_signed(overloaded("mul_hi", type.signed, *signed), type)
    for result, value, role in ((op.low, low, "low"), (op.high, high, "high")):
        if result.uses:
            known = from_signed(value, printer.type_of(result))
            printer.bind(result, printer.declare(result, known, role))
