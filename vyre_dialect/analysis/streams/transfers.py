"""How numbers that drift follow from others: what is computed of places, and what of data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation

from vyre_dialect.analysis.streams.drift import Drift, drift, fixed
from vyre_dialect.analysis.streams.evaluation import Evaluation
from vyre_dialect.analysis.value_ranges import Range, bit_width
from vyre_dialect.ir.meaning import Facet

Transfer: TypeAlias = Callable[[Evaluation, Any], Drift | None]
"""The result of an op of which some operands drift; None where it takes them as data."""
DRIFT = Facet[Transfer]("drift")
"""What ops make of numbers that drift; those that do not say it take them as data."""

FALSE, TRUE, EITHER = Range(0, 0), Range(1, 1), Range(0, 1)


def addi(ev: Evaluation, op: arith.AddiOp) -> Drift | None:
    """The sum."""
    return ev.of(op.lhs).plus(ev.of(op.rhs))


def subi(ev: Evaluation, op: arith.SubiOp) -> Drift | None:
    """The difference."""
    return ev.of(op.lhs).plus(ev.of(op.rhs), -1)


def muli(ev: Evaluation, op: arith.MuliOp) -> Drift | None:
    """The product with a number."""
    left, right = ev.of(op.lhs), ev.of(op.rhs)
    if (number := right.number) is not None:
        return left.times(number)
    return None if (number := left.number) is None else right.times(number)


def shli(ev: Evaluation, op: arith.ShLIOp) -> Drift | None:
    """The product with a power of two."""
    amount = ev.of(op.rhs).number
    if amount is None or not 0 <= amount < bit_width(op.result.type):
        return None
    return ev.of(op.lhs).times(1 << amount)


def _divisor(ev: Evaluation, op: Operation) -> int | None:
    by = ev.of(op.operands[1]).number
    return by if by is not None and by > 0 and not ev.of(op.operands[0]).wraps else None


def _divided(ev: Evaluation, number: Drift, by: int, op: Operation) -> Drift | None:
    return number.divided(by) if ev.has_units(number, by, op) else None


def _modulo(ev: Evaluation, number: Drift, by: int, op: Operation) -> Drift | None:
    return number.modulo(by) if ev.has_units(number, by, op) else None


def floor(ev: Evaluation, op: arith.FloorDivSIOp) -> Drift | None:
    """The quotient, rounded down."""
    by = _divisor(ev, op)
    return None if by is None else _divided(ev, ev.of(op.lhs), by, op)


def ceil(ev: Evaluation, op: arith.CeilDivSIOp) -> Drift | None:
    """The quotient, rounded up."""
    by = _divisor(ev, op)
    if by is None:
        return None
    return _divided(ev, ev.of(op.lhs).plus(fixed(Range(by - 1, by - 1))), by, op)


def _is_positive(ev: Evaluation, op: Operation) -> bool:
    return ev.scope.bounds.at_least(ev.of(op.operands[0]), 0)


def quotient(ev: Evaluation, op: arith.DivSIOp | arith.DivUIOp) -> Drift | None:
    """The quotient of what is not negative."""
    by = _divisor(ev, op)
    if by is None or not _is_positive(ev, op):
        return None
    return _divided(ev, ev.of(op.lhs), by, op)


def remainder(ev: Evaluation, op: arith.RemSIOp | arith.RemUIOp) -> Drift | None:
    """What the quotient leaves of what is not negative."""
    by = _divisor(ev, op)
    if by is None or not _is_positive(ev, op):
        return None
    return _modulo(ev, ev.of(op.lhs), by, op)


def shift_right(ev: Evaluation, op: arith.ShRUIOp | arith.ShRSIOp) -> Drift | None:
    """The quotient by a power of two."""
    number, amount = ev.of(op.lhs), ev.of(op.rhs).number
    if number.wraps or amount is None or not 0 <= amount < 62 or not _is_positive(ev, op):
        return None
    return _divided(ev, number, 1 << amount, op)


def mask(ev: Evaluation, op: arith.AndIOp) -> Drift | None:
    """The remainder by a power of two."""
    number, mask = ev.of(op.lhs), ev.of(op.rhs).number
    if number.wraps or mask is None or mask < 0 or mask & (mask + 1):
        return None
    return _modulo(ev, number, mask + 1, op) if _is_positive(ev, op) else None


def cast(ev: Evaluation, op: arith.IndexCastOp | arith.TruncIOp) -> Drift | None:
    """The same number, modulo the width of the result."""
    number, width = ev.of(op.operands[0]), bit_width(op.results[0].type)
    if bit_width(op.operands[0].type) == width == 64:
        return number
    if width > bit_width(op.operands[0].type):
        return None
    return Drift(number.begin, number.end, number.rest, number.cause, wraps=True)


def same_number(ev: Evaluation, op: Operation) -> Drift | None:
    """The number of each lane."""
    return ev.of(op.operands[0])


def extremum(ev: Evaluation, op: Operation) -> Drift | None:
    """The smaller or the larger of two numbers: of numbers that drift together, or the one."""
    left, right = (ev.of(operand) for operand in op.operands)
    if left.wraps or right.wraps or not _compare_as_signed(ev, op, op.name.endswith("ui")):
        return None
    least = isinstance(op, arith.MinSIOp | arith.MinUIOp)
    if (left.begin, left.end) == (right.begin, right.end):
        choose = min if least else max
        low = choose(left.rest.low, right.rest.low)
        high = choose(left.rest.high, right.rest.high)
        return drift(left.begin, left.end, Range(low, high), left.cause or right.cause)
    difference = left.plus(right, -1)
    if ev.scope.bounds.at_most(difference, 0):
        return left if least else right
    if ev.scope.bounds.at_least(difference, 0):
        return right if least else left
    return None


def _compare_as_signed(ev: Evaluation, op: Operation, unsigned: bool) -> bool:
    """Whether an unsigned comparison is the signed one, as nothing that is compared is negative."""
    return not unsigned or all(ev.scope.bounds.at_least(ev.of(each), 0) for each in op.operands[:2])


_NEGATIVE = {  # what predicates are of differences up to -1, or 0; and of differences beyond
    "eq": (-1, FALSE, 1, FALSE),
    "ne": (-1, TRUE, 1, TRUE),
    "lt": (-1, TRUE, 0, FALSE),
    "le": (0, TRUE, 1, FALSE),
    "gt": (0, FALSE, 1, TRUE),
    "ge": (-1, FALSE, 0, TRUE),
}
_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def cmpi(ev: Evaluation, op: arith.CmpiOp) -> Drift | None:
    """The same in all pieces, as what is compared drifts together, or far from where it turns."""
    left, right = ev.of(op.lhs), ev.of(op.rhs)
    predicate = _PREDICATES[op.predicate.value.data]
    if left.wraps or right.wraps or not _compare_as_signed(ev, op, predicate[0] == "u"):
        return None
    difference = left.plus(right, -1)
    if difference.is_same(ev.piece):
        return fixed(EITHER)
    below, then, above, otherwise = _NEGATIVE[predicate[-2:]]
    if ev.scope.bounds.at_most(difference, below):
        return fixed(then)
    return fixed(otherwise) if ev.scope.bounds.at_least(difference, above) else None


def select(ev: Evaluation, op: arith.SelectOp) -> Drift | None:
    """The number that is chosen, or what both have in common."""
    condition = ev.of(op.cond)
    if condition.cause is not None:
        return None
    if (chosen := condition.number) is not None:
        return ev.of(op.lhs if chosen else op.rhs)
    return ev.of(op.lhs).joined(ev.of(op.rhs))


def logic(ev: Evaluation, op: Operation) -> Drift | None:
    """An `and` or `or` that one of the operands decides, whatever the other one is."""
    if not isinstance(op, arith.AndIOp | arith.OrIOp) or not _is_bool(op):
        return None
    decides = 0 if isinstance(op, arith.AndIOp) else 1
    if any(ev.of(operand).number == decides for operand in op.operands):
        return fixed(Range(decides, decides))
    return None


def _is_bool(op: Operation) -> bool:
    type = op.results[0].type
    return isinstance(type, IntegerType) and type.width.data == 1
