"""
What ops compute, as a quasi-affine function of what their operands compute, and where the i1 that
they compute is set. Which op is which stands in `vyre_dialect/meanings/`.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.affine_values import AffineValues, Function
from vyre_dialect.analysis.isl import isl
from vyre_dialect.analysis.quasi_affine import constant_of, floordiv, is_bool, modulo
from vyre_dialect.ir.types import Axis
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import InvocationIdOp, LocalIdOp, WorkgroupIdOp

AXES = {Axis.X: 0, Axis.Y: 1, Axis.Z: 2}


def constant(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """A number."""
    assert isinstance(op, arith.ConstantOp)
    if not isinstance(op.value, IntegerAttr):
        return None
    return values.space.constant(op.value.value.data)


def addi(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """A sum."""
    a, b = (values.of(operand) for operand in op.operands)
    return None if a is None or b is None else a + b


def subi(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """A difference."""
    a, b = (values.of(operand) for operand in op.operands)
    return None if a is None or b is None else a - b


def muli(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """A multiple by a number that is known."""
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
            return a - _truncated(a, divisor) * values.space.constant(divisor)
        return modulo(a, divisor)

    return function


def _truncated(function: isl.PwAff, divisor: int) -> isl.PwAff:
    negated = floordiv(function.neg(), divisor).neg()
    positive = function.ge_set(function - function)
    return positive.indicator_function().cond(floordiv(function, divisor), negated)


def divsi(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """A quotient by a number that is known, rounded towards zero."""
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


def shli(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """A multiple by a power of two that is known."""
    a, amount = values.of(op.operands[0]), _shift_amount(values, op)
    return None if a is None or amount is None else a * values.space.constant(1 << amount)


def _shift_right(*, unsigned: bool) -> Function:
    def function(values: AffineValues, op: Operation) -> isl.PwAff | None:
        read = values.unsigned if unsigned else values.of
        a, amount = read(op.operands[0]), _shift_amount(values, op)
        return None if a is None or amount is None else floordiv(a, 1 << amount)

    return function


def andi(values: AffineValues, op: Operation) -> isl.PwAff | None:
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
        return values.space.constant(0)
    low = mask & -mask
    ones = mask // low + 1
    if ones & (ones - 1):
        return None
    return modulo(floordiv(a, low), ones) * values.space.constant(low)


def ori(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """`a | c` where the bits of the constant are provably clear in `a`, which is a sum."""
    a, bits = values.of(op.operands[0]), constant_of(values.of(op.operands[1]))
    if bits is None:
        a, bits = values.of(op.operands[1]), constant_of(values.of(op.operands[0]))
    if a is None or bits is None or bits < 0:
        return None
    low = modulo(a, 1 << bits.bit_length())
    return a + values.space.constant(bits) if values.within(low, 0, 0) else None


def xori(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """`-1 - a`, where all bits are flipped."""
    a, mask = values.of(op.operands[0]), constant_of(values.of(op.operands[1]))
    return values.space.constant(-1) - a if a is not None and mask == -1 else None


def _extremum(name: str, *, unsigned: bool) -> Function:
    def function(values: AffineValues, op: Operation) -> isl.PwAff | None:
        read = values.unsigned if unsigned else values.of
        a, b = (read(operand) for operand in op.operands)
        return None if a is None or b is None else getattr(a, name)(b)

    return function


def select(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """One of two functions, by where a condition holds."""
    assert isinstance(op, arith.SelectOp)
    return _choice(values, op.cond, values.of(op.lhs), values.of(op.rhs))


def _choice(
    values: AffineValues, condition: SSAValue, a: isl.PwAff | None, b: isl.PwAff | None
) -> isl.PwAff | None:
    where = values.holds(condition)
    if where is None or a is None or b is None:
        return None
    return where.indicator_function().cond(a, b)


def if_op(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """What one of the branches yields, by where the condition holds."""
    assert isinstance(op, scf.IfOp)
    if len(op.results) != 1:
        return None
    then, other = op.true_region.block.last_op, op.false_region.block.last_op
    assert then is not None
    assert other is not None
    return _choice(values, op.cond, values.of(then.operands[0]), values.of(other.operands[0]))


def same(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """The same number, which the width of the result may cut."""
    return values.of(op.operands[0])


def extui(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """The operand read as an unsigned number."""
    return values.unsigned(op.operands[0])


def extsi(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """The operand read as a signed number."""
    source = values.of(op.operands[0])
    if source is not None and is_bool(op.operands[0]):
        return source.neg()
    return source


def invocation_id(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """The position in the domain."""
    assert isinstance(op, InvocationIdOp)
    return values.space.dimension(AXES[op.axis.data])


def workgroup_id(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """The position of the workgroup."""
    assert isinstance(op, WorkgroupIdOp)
    axis = AXES[op.axis.data]
    return floordiv(values.space.dimension(axis), values.arm.workgroup[axis])


def local_id(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """The position in the workgroup."""
    assert isinstance(op, LocalIdOp)
    axis = AXES[op.axis.data]
    return modulo(values.space.dimension(axis), values.arm.workgroup[axis])


def length(values: AffineValues, op: Operation) -> isl.PwAff | None:
    """The length of a buffer, which is a parameter where it is not known."""
    assert isinstance(op, BufLenOp)
    buffer = op.buffer.owner
    return values.length(buffer) if isinstance(buffer, BufferOp) else None


SIGNED_COMPARISONS = {
    0: "eq_set",
    1: "ne_set",
    2: "lt_set",
    3: "le_set",
    4: "gt_set",
    5: "ge_set",
}
UNSIGNED_COMPARISONS = {6: "lt_set", 7: "le_set", 8: "gt_set", 9: "ge_set"}


def constant_condition(values: AffineValues, op: arith.ConstantOp) -> isl.Set | None:
    """Everywhere or nowhere."""
    if not isinstance(op.value, IntegerAttr):
        return None
    everywhere = values.space.universe
    return everywhere if op.value.value.data else everywhere.complement()


def connective(values: AffineValues, op: Operation) -> isl.Set | None:
    """Where both, either or one of two conditions hold."""
    a, b = (values.holds(operand) for operand in op.operands)
    if a is None or b is None:
        return None
    if isinstance(op, arith.AndIOp):
        return a.intersect(b)
    if isinstance(op, arith.OrIOp):
        return a.union(b)
    return a.subtract(b).union(b.subtract(a))


def cmpi(values: AffineValues, op: arith.CmpiOp) -> isl.Set | None:
    """Where a predicate holds of two functions."""
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
    return signed.ge_set(values.space.constant(0)).intersect(signed.lt_set(limit))


# Quotients, remainders, shifts to the right and extrema, by how the operands are read.

divui = _division(isl.PwAff.floor, unsigned=True)
ceildivui = _division(isl.PwAff.ceil, unsigned=True)
floordivsi = _division(isl.PwAff.floor, unsigned=False)
ceildivsi = _division(isl.PwAff.ceil, unsigned=False)
remui = _remainder(unsigned=True)
remsi = _remainder(unsigned=False)
shrui = _shift_right(unsigned=True)
shrsi = _shift_right(unsigned=False)
minsi = _extremum("min", unsigned=False)
maxsi = _extremum("max", unsigned=False)
minui = _extremum("min", unsigned=True)
maxui = _extremum("max", unsigned=True)
