"""
What each op computes, as a quasi-affine function of what its operands compute, and where the i1
that it computes is set. The first users of the tables `AFFINE` and `CONDITIONS`.
"""

from __future__ import annotations

from collections.abc import Callable

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.affine_values import AffineValues, Condition, Function
from vyre_dialect.analysis.quasi_affine import constant_of, floordiv, is_bool, modulo
from vyre_dialect.ir.implementations import Implementations
from vyre_dialect.ir.types import Axis
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.invocation import InvocationIdOp, LocalIdOp, WorkgroupIdOp
from vyre_dialect.ops.program import BufferOp

AXES = {Axis.X: 0, Axis.Y: 1, Axis.Z: 2}


def _constant(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, arith.ConstantOp)
    if not isinstance(op.value, IntegerAttr):
        return None
    return values.constant(op.value.value.data)


def _add(values: AffineValues, op: Operation) -> isl.PwAff | None:
    a, b = (values.of(operand) for operand in op.operands)
    return None if a is None or b is None else a + b


def _subtract(values: AffineValues, op: Operation) -> isl.PwAff | None:
    a, b = (values.of(operand) for operand in op.operands)
    return None if a is None or b is None else a - b


def _multiply(values: AffineValues, op: Operation) -> isl.PwAff | None:
    a, b = (values.of(operand) for operand in op.operands)
    if a is None or b is None or (constant_of(a) is None and constant_of(b) is None):
        return None
    return a * b


def _division(rounding: Callable[[isl.PwAff], isl.PwAff], *, unsigned: bool) -> Function:
    def function(values: AffineValues, op: Operation) -> isl.PwAff | None:
        read = values.unsigned if unsigned else values.of
        a, divisor = read(op.operands[0]), constant_of(values.of(op.operands[1]))
        if a is None or divisor is None or divisor <= 0:
            return None
        val = isl.Val.read_from_str(a.get_ctx(), str(divisor))
        return rounding(a.scale_down_val(val))

    return function


def _remainder(*, unsigned: bool) -> Function:
    def function(values: AffineValues, op: Operation) -> isl.PwAff | None:
        read = values.unsigned if unsigned else values.of
        a, divisor = read(op.operands[0]), constant_of(values.of(op.operands[1]))
        if a is None or divisor is None or divisor <= 0:
            return None
        if not values.within(a, 0, None):
            return a - _truncated(a, divisor) * values.constant(divisor)
        return modulo(a, divisor)

    return function


def _truncated(function: isl.PwAff, divisor: int) -> isl.PwAff:
    negated = floordiv(function.neg(), divisor).neg()
    positive = function.ge_set(function - function)
    return positive.indicator_function().cond(floordiv(function, divisor), negated)


def _divide_truncating(values: AffineValues, op: Operation) -> isl.PwAff | None:
    a, divisor = values.of(op.operands[0]), constant_of(values.of(op.operands[1]))
    if a is None or divisor is None or divisor <= 0:
        return None
    return floordiv(a, divisor) if values.within(a, 0, None) else _truncated(a, divisor)


def _shift_amount(values: AffineValues, op: Operation) -> int | None:
    """The constant amount of a shift; devices differ in what a shift by the width or more gives."""
    amount = constant_of(values.of(op.operands[1]))
    type = op.results[0].type
    width = type.width.data if isinstance(type, IntegerType) else 63
    return amount if amount is not None and 0 <= amount < min(width, 63) else None


def _shift_left(values: AffineValues, op: Operation) -> isl.PwAff | None:
    a, amount = values.of(op.operands[0]), _shift_amount(values, op)
    return None if a is None or amount is None else a * values.constant(1 << amount)


def _shift_right(*, unsigned: bool) -> Function:
    def function(values: AffineValues, op: Operation) -> isl.PwAff | None:
        read = values.unsigned if unsigned else values.of
        a, amount = read(op.operands[0]), _shift_amount(values, op)
        return None if a is None or amount is None else floordiv(a, 1 << amount)

    return function


def _mask(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """`a & mask` for a mask of consecutive ones, or of all ones but the lowest."""
    a, mask = values.of(op.operands[0]), constant_of(values.of(op.operands[1]))
    if mask is None:
        a, mask = values.of(op.operands[1]), constant_of(values.of(op.operands[0]))
    if a is None or mask is None:
        return None
    if mask < 0:
        low = ~mask + 1
        return a - modulo(a, low) if low & (low - 1) == 0 else None
    if mask == 0:
        return values.constant(0)
    low = mask & -mask
    ones = mask // low + 1
    if ones & (ones - 1):
        return None
    return modulo(floordiv(a, low), ones) * values.constant(low)


def _or_disjoint(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """`a | c` where the bits of the constant are provably clear in `a`, which is a sum."""
    a, bits = values.of(op.operands[0]), constant_of(values.of(op.operands[1]))
    if bits is None:
        a, bits = values.of(op.operands[1]), constant_of(values.of(op.operands[0]))
    if a is None or bits is None or bits < 0:
        return None
    low = modulo(a, 1 << bits.bit_length())
    return a + values.constant(bits) if values.within(low, 0, 0) else None


def _complement(values: AffineValues, op: Operation) -> isl.PwAff | None:
    a, mask = values.of(op.operands[0]), constant_of(values.of(op.operands[1]))
    return values.constant(-1) - a if a is not None and mask == -1 else None


def _extremum(name: str, *, unsigned: bool) -> Function:
    def function(values: AffineValues, op: Operation) -> isl.PwAff | None:
        read = values.unsigned if unsigned else values.of
        a, b = (read(operand) for operand in op.operands)
        return None if a is None or b is None else getattr(a, name)(b)

    return function


def _select(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, arith.SelectOp)
    return _choice(values, op.cond, values.of(op.lhs), values.of(op.rhs))


def _choice(
    values: AffineValues, condition: SSAValue, a: isl.PwAff | None, b: isl.PwAff | None
) -> isl.PwAff | None:
    where = values.holds(condition)
    if where is None or a is None or b is None:
        return None
    return where.indicator_function().cond(a, b)


def _if_result(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, scf.IfOp)
    if len(op.results) != 1:
        return None
    then, other = op.true_region.block.last_op, op.false_region.block.last_op
    assert then is not None
    assert other is not None
    return _choice(values, op.cond, values.of(then.operands[0]), values.of(other.operands[0]))


def _same(values: AffineValues, op: Operation) -> isl.PwAff | None:
    return values.of(op.operands[0])


def _zero_extend(values: AffineValues, op: Operation) -> isl.PwAff | None:
    return values.unsigned(op.operands[0])


def _sign_extend(values: AffineValues, op: Operation) -> isl.PwAff | None:
    source = values.of(op.operands[0])
    if source is not None and is_bool(op.operands[0]):
        return source.neg()
    return source


def _invocation_id(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, InvocationIdOp)
    return values.dimension(AXES[op.axis.data])


def _workgroup_id(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, WorkgroupIdOp)
    axis = AXES[op.axis.data]
    return floordiv(values.dimension(axis), values.arm.workgroup[axis])


def _local_id(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, LocalIdOp)
    axis = AXES[op.axis.data]
    return modulo(values.dimension(axis), values.arm.workgroup[axis])


def _length(values: AffineValues, op: Operation) -> isl.PwAff | None:
    assert isinstance(op, BufLenOp)
    buffer = op.buffer.owner
    return values.length(buffer) if isinstance(buffer, BufferOp) else None


FUNCTIONS = Implementations[Function](
    {
        arith.ConstantOp: _constant,
        arith.AddiOp: _add,
        arith.SubiOp: _subtract,
        arith.MuliOp: _multiply,
        arith.DivUIOp: _division(isl.PwAff.floor, unsigned=True),
        arith.CeilDivUIOp: _division(isl.PwAff.ceil, unsigned=True),
        arith.FloorDivSIOp: _division(isl.PwAff.floor, unsigned=False),
        arith.CeilDivSIOp: _division(isl.PwAff.ceil, unsigned=False),
        arith.DivSIOp: _divide_truncating,
        arith.RemUIOp: _remainder(unsigned=True),
        arith.RemSIOp: _remainder(unsigned=False),
        arith.ShLIOp: _shift_left,
        arith.ShRUIOp: _shift_right(unsigned=True),
        arith.ShRSIOp: _shift_right(unsigned=False),
        arith.AndIOp: _mask,
        arith.OrIOp: _or_disjoint,
        arith.XOrIOp: _complement,
        arith.MinSIOp: _extremum("min", unsigned=False),
        arith.MaxSIOp: _extremum("max", unsigned=False),
        arith.MinUIOp: _extremum("min", unsigned=True),
        arith.MaxUIOp: _extremum("max", unsigned=True),
        arith.SelectOp: _select,
        arith.ExtUIOp: _zero_extend,
        arith.ExtSIOp: _sign_extend,
        arith.TruncIOp: _same,
        arith.IndexCastOp: _sign_extend,
        scf.IfOp: _if_result,
        InvocationIdOp: _invocation_id,
        WorkgroupIdOp: _workgroup_id,
        LocalIdOp: _local_id,
        BufLenOp: _length,
    }
)
"""The ops that compute integers, and the function that each is of its operands."""

SIGNED_COMPARISONS = {
    0: "eq_set",
    1: "ne_set",
    2: "lt_set",
    3: "le_set",
    4: "gt_set",
    5: "ge_set",
}
UNSIGNED_COMPARISONS = {6: "lt_set", 7: "le_set", 8: "gt_set", 9: "ge_set"}


CONDITIONS = Implementations[Condition]()
"""The ops that compute an i1, and where each is set."""


@CONDITIONS.impl(arith.ConstantOp)
def _everywhere_or_nowhere(values: AffineValues, op: arith.ConstantOp) -> isl.Set | None:
    if not isinstance(op.value, IntegerAttr):
        return None
    everywhere = isl.Set.universe(values.space)
    return everywhere if op.value.value.data else everywhere.complement()


@CONDITIONS.impl(arith.AndIOp, arith.OrIOp, arith.XOrIOp)
def _connective(values: AffineValues, op: Operation) -> isl.Set | None:
    a, b = (values.holds(operand) for operand in op.operands)
    if a is None or b is None:
        return None
    if isinstance(op, arith.AndIOp):
        return a.intersect(b)
    if isinstance(op, arith.OrIOp):
        return a.union(b)
    return a.subtract(b).union(b.subtract(a))


@CONDITIONS.impl(arith.CmpiOp)
def _comparison(values: AffineValues, op: arith.CmpiOp) -> isl.Set | None:
    predicate = op.predicate.value.data
    if is_bool(op.lhs) and SIGNED_COMPARISONS.get(predicate) not in (None, "eq_set", "ne_set"):
        return None
    if predicate in SIGNED_COMPARISONS:
        a, b = values.of(op.lhs), values.of(op.rhs)
        name = SIGNED_COMPARISONS[predicate]
        return None if a is None or b is None else getattr(a, name)(b)
    return _unsigned_comparison(values, op, UNSIGNED_COMPARISONS[predicate])


def _unsigned_comparison(values: AffineValues, op: arith.CmpiOp, name: str) -> isl.Set | None:
    a, b = values.unsigned(op.lhs), values.unsigned(op.rhs)
    if a is not None and b is not None:
        return getattr(a, name)(b)
    signed, limit = values.of(op.lhs), values.unsigned(op.rhs)
    if signed is None or limit is None or name != "lt_set":
        return None
    # A negative index is a huge unsigned one, and so not below a limit that is not negative.
    return signed.ge_set(values.constant(0)).intersect(signed.lt_set(limit))
