"""`vyre-simplify-comparisons`: comparisons with constants take over the arithmetic before them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.guards import PREDICATES
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive

# The rules, as functions of numbers modulo 2^n, by which they are proven as well as applied.
# They are of constants that meet in two ops, and nothing else asks: so they are no part of rows.

Rule = Callable[[Any, Any], Any]
ABSORBED: dict[type[arith.SignlessIntegerBinaryOperation], Rule] = {
    arith.XOrIOp: lambda c, d: d ^ c,
    arith.AddiOp: lambda c, d: d - c,
    arith.SubiOp: lambda c, d: d + c,
}
"""`(x op c) == d` is `x == rule(c, d)`."""
COMBINED: dict[type[arith.SignlessIntegerBinaryOperation], Rule] = {
    arith.XOrIOp: lambda c, d: c ^ d,
    arith.AndIOp: lambda c, d: c & d,
    arith.OrIOp: lambda c, d: c | d,
    arith.AddiOp: lambda c, d: c + d,
    arith.MuliOp: lambda c, d: c * d,
}
"""`(x op c) op d` is `x op rule(c, d)`."""
NEUTRAL: dict[type[arith.SignlessIntegerBinaryOperation], int] = {
    arith.XOrIOp: 0,
    arith.AndIOp: -1,
    arith.OrIOp: 0,
    arith.AddiOp: 0,
    arith.MuliOp: 1,
}
"""`x op c` is `x`, where `c` is this, modulo 2^n."""
DECISIVE: dict[type[arith.SignlessIntegerBinaryOperation], int] = {
    arith.AndIOp: 0,
    arith.OrIOp: -1,
    arith.MuliOp: 0,
}
"""`x op c` is `c`, where `c` is this, modulo 2^n."""
BEYOND = {"eq": False, "ne": True, "ult": True, "ule": True, "ugt": False, "uge": False}
"""What `extui(x) predicate d` gives where `d` is none of the numbers that `x` can be."""
AT_ZERO = {("ult", 1): "eq", ("uge", 1): "ne", ("ule", 0): "eq", ("ugt", 0): "ne"}
"""What `x predicate d` asks of zero."""


class AbsorbArithmetic(RewritePattern):
    """`cmpi eq (x op c), d --> cmpi eq x, rule(c, d)`, and `ne`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.CmpiOp, rewriter: PatternRewriter, /) -> None:
        inner = op.lhs.owner
        rule = ABSORBED.get(type(inner)) if isinstance(inner, _Binary) else None
        if rule is None or _predicate(op) not in ("eq", "ne"):
            return
        assert isinstance(inner, _Binary)
        if (c := _number(inner.rhs)) is not None and (d := _number(op.rhs)) is not None:
            _compare(op, inner.lhs, rule(c, d), _predicate(op), rewriter)


class AbsorbExtension(RewritePattern):
    """`cmpi p (extui x), d --> cmpi p x, d`, or what it always gives."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.CmpiOp, rewriter: PatternRewriter, /) -> None:
        inner, predicate = op.lhs.owner, _predicate(op)
        if not isinstance(inner, arith.ExtUIOp) or predicate not in BEYOND:
            return
        if (d := _number(op.rhs)) is None or not isinstance(inner.input.type, IntegerType):
            return
        if d < 2**inner.input.type.width.data:
            _compare(op, inner.input, d, predicate, rewriter)
        else:
            rewriter.replace(op, arith.ConstantOp(BoolAttr.from_bool(BEYOND[predicate])))


class CompareWithZero(RewritePattern):
    """`cmpi ult x, 1 --> cmpi eq x, 0`, and its like."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.CmpiOp, rewriter: PatternRewriter, /) -> None:
        d = _number(op.rhs)
        predicate = None if d is None else AT_ZERO.get((_predicate(op), d))
        if predicate is not None:
            _compare(op, op.lhs, 0, predicate, rewriter)


class CombineConstants(RewritePattern):
    """`(x op c) op d --> x op rule(c, d)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: arith.XOrIOp | arith.AndIOp | arith.OrIOp | arith.AddiOp | arith.MuliOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        inner = op.lhs.owner
        if not isinstance(inner, _Binary) or type(inner) is not type(op):
            return
        if (c := _number(inner.rhs)) is not None and (d := _number(op.rhs)) is not None:
            constant = _constant(COMBINED[type(op)](c, d), op.rhs)
            rewriter.insert(constant)
            rewriter.replace(op, type(op)(inner.lhs, constant.result))


class DropConstants(RewritePattern):
    """`x op c --> x`, and `x op c --> c`, for a constant `c` on either side."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: arith.XOrIOp | arith.AndIOp | arith.OrIOp | arith.AddiOp | arith.MuliOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        for constant, other in ((op.rhs, op.lhs), (op.lhs, op.rhs)):
            if (c := _number(constant)) is None:
                continue
            if c == _modulo(NEUTRAL[type(op)], constant):
                return rewriter.replace(op, [], [other])
            if type(op) in DECISIVE and c == _modulo(DECISIVE[type(op)], constant):
                return rewriter.replace(op, [], [constant])


class KnownInBranch(RewritePattern):
    """`scf.if c { … c … } --> scf.if c { … true … }`, and `false` in the other branch."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(op.cond.owner, arith.ConstantOp):
            return
        for use in list(op.cond.uses):
            if (branch := _branch_around(use.operation, op)) is None:
                continue
            known = arith.ConstantOp(BoolAttr.from_bool(branch is op.true_region))
            rewriter.insert(known, InsertPoint.at_start(branch.block))
            use.operation.operands[use.index] = known.result
            rewriter.notify_op_modified(use.operation)


def _branch_around(inner: Operation, op: scf.IfOp) -> Region | None:
    """The branch of `op` in which another op stands, if it does."""
    region = inner.parent_region()
    while region is not None and region.parent is not op:
        region = None if region.parent is None else region.parent.parent_region()
    return region


_Binary = arith.SignlessIntegerBinaryOperation


def _predicate(op: arith.CmpiOp) -> str:
    return PREDICATES[op.predicate.value.data]


def _number(value: SSAValue) -> int | None:
    """The unsigned number that an integer constant is."""
    op = value.owner
    if not isinstance(op, arith.ConstantOp) or not isinstance(value.type, IntegerType):
        return None
    assert isinstance(op.value, IntegerAttr)
    return _modulo(op.value.value.data, value)


def _modulo(number: int, like: SSAValue) -> int:
    """A number modulo 2^n, as unsigned values of the type of another are."""
    type = like.type
    assert isinstance(type, IntegerType)
    return number % 2**type.width.data


def _constant(number: int, like: SSAValue) -> arith.ConstantOp:
    """A number, modulo 2^n, as a constant of the type of another value."""
    type = like.type
    assert isinstance(type, IntegerType)
    width = type.width.data
    number %= 2**width
    if width == 1:
        return arith.ConstantOp(BoolAttr.from_bool(bool(number)))
    return arith.ConstantOp(IntegerAttr(number - (number >> (width - 1) << width), type))


def _compare(
    op: Operation, value: SSAValue, number: int, predicate: str, rewriter: PatternRewriter
) -> None:
    """Replace a comparison by one of a value with a number."""
    constant = _constant(number, value)
    rewriter.insert(constant)
    rewriter.replace(op, arith.CmpiOp(value, constant.result, predicate))


@dataclass(frozen=True)
class SimplifyComparisonsPass(RewritePass):
    """
    Comparisons of integers with constants take over what was added, subtracted, xored or zero
    extended before them, and chains of one op with constants become one op, or none. What an
    `scf.if` asks is known in its branches.
    """

    name = "vyre-simplify-comparisons"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.SCALAR,
        requires=("vyre-cse",),
        invalidates=("canonicalize", "vyre-cse"),
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        patterns: list[RewritePattern] = [
            AbsorbArithmetic(),
            AbsorbExtension(),
            CompareWithZero(),
            CombineConstants(),
            DropConstants(),
            KnownInBranch(),
        ]
        applier = GreedyRewritePatternApplier(patterns, dce_enabled=False)
        return drive(applier, module.body, facts, arith.CmpiOp, scf.IfOp, *COMBINED)
