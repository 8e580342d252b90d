"""Numbers that can only be one become constants, and so do comparisons of numbers."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter

from vyre_dialect.analysis.comparisons import decide_by_ranges
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.ir.effects import effects_of, is_effect_free
from vyre_dialect.ir.interfaces import arms_in, is_convergent
from vyre_dialect.ir.traversal import ops_inside


def constant_of(op: Operation, integers: Integers) -> IntegerAttr | None:
    """The constant that an op without effects always gives, if there is one."""
    if isinstance(op, arith.CmpiOp):
        if not isinstance(op.lhs.type, IntegerType | IndexType):
            return None
        left, right = (integers.range_at(operand, op.parent) for operand in op.operands)
        holds = decide_by_ranges(op, left, right)
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
