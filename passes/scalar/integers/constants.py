"""Numbers that can only be one become constants, and so do comparisons of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter

from vyre_dialect.analysis.guards import PREDICATES
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.value_ranges import Range, bit_width, holds_signed_numbers
from vyre_dialect.ir.effects import effects_of, is_effect_free
from vyre_dialect.ir.interfaces import arms_in, is_convergent
from vyre_dialect.ir.traversal import ops_inside

_HOLDS: dict[str, Callable[[Range, Range], bool]] = {
    "eq": lambda left, right: left.low == left.high == right.low == right.high,
    "ne": lambda left, right: left.high < right.low or right.high < left.low,
    "lt": lambda left, right: left.high < right.low,
    "le": lambda left, right: left.high <= right.low,
    "gt": lambda left, right: left.low > right.high,
    "ge": lambda left, right: left.low >= right.high,
}
"""Whether a comparison holds of all numbers of two ranges, by predicate."""
_NEGATED = {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}


_Ordering: TypeAlias = arith.CmpiOp | arith.MinUIOp | arith.MaxUIOp | arith.MinSIOp | arith.MaxSIOp


def decided(op: arith.CmpiOp, left: Range, right: Range) -> bool | None:
    """What a comparison gives for all numbers of the ranges of its operands, if that is one."""
    predicate = PREDICATES[op.predicate.value.data]
    name = predicate[-2:]
    if predicate != name and not are_in_order(op, predicate[0], left, right):
        return None
    if _HOLDS[name](left, right):
        return True
    return False if _HOLDS[_NEGATED[name]](left, right) else None


def are_in_order(op: _Ordering, signedness: str, left: Range, right: Range) -> bool:
    """
    Whether a comparison, a minimum or a maximum orders numbers, or lanes, as their ranges do, which
    are of signed or of unsigned numbers: both agree where no sign bit is set.
    """
    type = op.lhs.type
    if signedness == ("s" if holds_signed_numbers(type) else "u"):
        return True
    positive = Range(0, 2 ** (bit_width(type) - 1) - 1)
    return left.within(positive) and right.within(positive)


def constant_of(op: Operation, integers: Integers) -> IntegerAttr | None:
    """The constant that an op without effects always gives, if there is one."""
    if isinstance(op, arith.CmpiOp):
        if not isinstance(op.lhs.type, IntegerType | IndexType):
            return None
        left, right = (integers.range_at(operand, op.parent) for operand in op.operands)
        holds = decided(op, left, right)
        return None if holds is None else BoolAttr.from_bool(holds)
    known = integers.range_at(op.results[0], op.parent)
    return _attribute(known.low, op.results[0].type) if known.low == known.high else None


def _attribute(number: int, type: Attribute) -> IntegerAttr | None:
    if type == i1:
        return BoolAttr.from_bool(bool(number))
    if isinstance(type, IndexType):
        return IntegerAttr(number, type)
    assert isinstance(type, IntegerType)
    half = 2 ** (type.width.data - 1)
    return IntegerAttr(number - 2 * half if number >= half else number, type)


def _may_fold(op: Operation) -> bool:
    if len(op.results) != 1 or op.regions or isinstance(op, arith.ConstantOp):
        return False
    if not isinstance(op.results[0].type, IntegerType | IndexType) or is_convergent(type(op)):
        return False
    return is_effect_free(type(op)) or effects_of(op) == set()


def fold_constants(root: Operation, integers: Integers, rewriter: PatternRewriter) -> None:
    """Make constants of what arms and kernels compute, where only one number is possible."""
    found = [
        (each, constant)
        for arm in arms_in(root)
        for each in ops_inside(arm)
        if _may_fold(each) and (constant := constant_of(each, integers)) is not None
    ]
    for each, constant in found:
        rewriter.replace(each, arith.ConstantOp(constant))
