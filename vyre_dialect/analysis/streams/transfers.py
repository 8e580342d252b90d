"""How numbers that drift follow from others: what is computed of places, and what of data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation

from vyre_dialect.analysis.streams.drift import Drift, drift, fixed
from vyre_dialect.analysis.streams.evaluation import Evaluation
from vyre_dialect.analysis.value_ranges import Range, bit_width

Transfer: TypeAlias = "Callable[[Evaluation, Any], Drift | None]"
"""The result of an op of which some operands drift; None where it takes them as data."""

FALSE, TRUE, EITHER = Range(0, 0), Range(1, 1), Range(0, 1)


def _addi(ev: Evaluation, op: arith.AddiOp) -> Drift | None:
    return ev.of(op.lhs).plus(ev.of(op.rhs))


def _subi(ev: Evaluation, op: arith.SubiOp) -> Drift | None:
    return ev.of(op.lhs).plus(ev.of(op.rhs), -1)


def _muli(ev: Evaluation, op: arith.MuliOp) -> Drift | None:
    left, right = ev.of(op.lhs), ev.of(op.rhs)
    if (number := right.number) is not None:
        return left.times(number)
    return None if (number := left.number) is None else right.times(number)


def _shli(ev: Evaluation, op: arith.ShLIOp) -> Drift | None:
    amount = ev.of(op.rhs).number
    if amount is None or not 0 <= amount < bit_width(op.result.type):
        return None
    return ev.of(op.lhs).times(1 << amount)


def _divisor(ev: Evaluation, op: Operation) -> int | None:
    by = ev.of(op.operands[1]).number
    return by if by is not None and by > 0 and not ev.of(op.operands[0]).wraps else None


def _floor(ev: Evaluation, op: arith.FloorDivSIOp) -> Drift | None:
    by = _divisor(ev, op)
    return None if by is None else ev.of(op.lhs).divided(by, op)


def _ceil(ev: Evaluation, op: arith.CeilDivSIOp) -> Drift | None:
    by = _divisor(ev, op)
    if by is None:
        return None
    return ev.of(op.lhs).plus(fixed(Range(by - 1, by - 1))).divided(by, op)


def _is_positive(ev: Evaluation, op: Operation) -> bool:
    return ev.bounds.at_least(ev.of(op.operands[0]), 0)


def _quotient(ev: Evaluation, op: arith.DivSIOp | arith.DivUIOp) -> Drift | None:
    by = _divisor(ev, op)
    return ev.of(op.lhs).divided(by, op) if by is not None and _is_positive(ev, op) else None


def _remainder(ev: Evaluation, op: arith.RemSIOp | arith.RemUIOp) -> Drift | None:
    by = _divisor(ev, op)
    return ev.of(op.lhs).modulo(by, op) if by is not None and _is_positive(ev, op) else None


def _shift_right(ev: Evaluation, op: arith.ShRUIOp | arith.ShRSIOp) -> Drift | None:
    number, amount = ev.of(op.lhs), ev.of(op.rhs).number
    if number.wraps or amount is None or not 0 <= amount < 62 or not _is_positive(ev, op):
        return None
    return number.divided(1 << amount, op)


def _mask(ev: Evaluation, op: arith.AndIOp) -> Drift | None:
    number, mask = ev.of(op.lhs), ev.of(op.rhs).number
    if number.wraps or mask is None or mask < 0 or mask & (mask + 1):
        return None
    return number.modulo(mask + 1, op) if _is_positive(ev, op) else None


def _cast(ev: Evaluation, op: arith.IndexCastOp | arith.TruncIOp) -> Drift | None:
    number, width = ev.of(op.operands[0]), bit_width(op.results[0].type)
    if bit_width(op.operands[0].type) == width == 64:
        return number
    if width > bit_width(op.operands[0].type):
        return None
    return Drift(number.begin, number.end, number.rest, number.cause, wraps=True)


def _same(ev: Evaluation, op: Operation) -> Drift | None:
    return ev.of(op.operands[0])


def _extremum(ev: Evaluation, op: Operation) -> Drift | None:
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
    if ev.bounds.at_most(difference, 0):
        return left if least else right
    if ev.bounds.at_least(difference, 0):
        return right if least else left
    return None


def _compare_as_signed(ev: Evaluation, op: Operation, unsigned: bool) -> bool:
    """Whether an unsigned comparison is the signed one, as nothing that is compared is negative."""
    return not unsigned or all(ev.bounds.at_least(ev.of(each), 0) for each in op.operands[:2])


_NEGATIVE = {  # what predicates are of differences up to -1, or 0; and of differences beyond
    "eq": (-1, FALSE, 1, FALSE),
    "ne": (-1, TRUE, 1, TRUE),
    "lt": (-1, TRUE, 0, FALSE),
    "le": (0, TRUE, 1, FALSE),
    "gt": (0, FALSE, 1, TRUE),
    "ge": (-1, FALSE, 0, TRUE),
}
_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def _cmpi(ev: Evaluation, op: arith.CmpiOp) -> Drift | None:
    """The same in all pieces, as what is compared drifts together, or far from where it turns."""
    left, right = ev.of(op.lhs), ev.of(op.rhs)
    predicate = _PREDICATES[op.predicate.value.data]
    if left.wraps or right.wraps or not _compare_as_signed(ev, op, predicate[0] == "u"):
        return None
    difference = left.plus(right, -1)
    if difference.is_same(ev.piece):
        return fixed(EITHER)
    below, then, above, otherwise = _NEGATIVE[predicate[-2:]]
    if ev.bounds.at_most(difference, below):
        return fixed(then)
    return fixed(otherwise) if ev.bounds.at_least(difference, above) else None


def _select(ev: Evaluation, op: arith.SelectOp) -> Drift | None:
    condition = ev.of(op.cond)
    if condition.cause is not None:
        return None
    if (chosen := condition.number) is not None:
        return ev.of(op.lhs if chosen else op.rhs)
    return ev.of(op.lhs).joined(ev.of(op.rhs))


TRANSFERS: dict[type[Operation], Transfer] = {
    arith.AddiOp: _addi,
    arith.SubiOp: _subi,
    arith.MuliOp: _muli,
    arith.ShLIOp: _shli,
    arith.FloorDivSIOp: _floor,
    arith.CeilDivSIOp: _ceil,
    arith.DivSIOp: _quotient,
    arith.DivUIOp: _quotient,
    arith.RemSIOp: _remainder,
    arith.RemUIOp: _remainder,
    arith.ShRUIOp: _shift_right,
    arith.ShRSIOp: _shift_right,
    arith.AndIOp: _mask,
    arith.IndexCastOp: _cast,
    arith.TruncIOp: _cast,
    arith.MinSIOp: _extremum,
    arith.MaxSIOp: _extremum,
    arith.MinUIOp: _extremum,
    arith.MaxUIOp: _extremum,
    arith.CmpiOp: _cmpi,
    arith.SelectOp: _select,
    vector.BroadcastOp: _same,
}


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


def is_integer(type: object) -> bool:
    """Whether numbers of a type are followed."""
    return isinstance(type, IndexType | IntegerType)
