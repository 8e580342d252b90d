"""Ops that have no vector form of their own, replaced by those that define them."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder.definition import defined
from vyre_dialect.ir.meaning import DEFINITION
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.rewriting.vector_forms import VECTOR_FORM


def defined_copy(
    arm: RegionOp, facts: AnalysisManager, rewriter: PatternRewriter
) -> RegionOp | None:
    """
    A copy of an arm, behind it, with the definitions of ops that have no vector form of their own
    in their place; None where there is no such op.
    """
    if not _narrow_ops(arm, facts):
        return None
    copy = arm.clone()
    rewriter.insert(copy, InsertPoint.after(arm))
    while narrow := _narrow_ops(copy, facts):
        for op in narrow:
            _inline(op, rewriter)
    return copy


def _inline(op: Operation, rewriter: PatternRewriter) -> None:
    definition = DEFINITION.of(type(op))
    assert definition is not None
    made = defined(definition, op)
    result = made.result
    if result in made.block.args:
        result = op.operands[made.block.args.index(result)]
    rewriter.inline_block(made.block, InsertPoint.before(op), op.operands)
    rewriter.replace(op, [], [result])


def _narrow_ops(arm: RegionOp, facts: AnalysisManager) -> list[Operation]:
    """Ops that give lanes different values, have a definition, and do not say their vector form."""
    narrow = [
        op
        for op in ops_inside(arm.body)
        if not VECTOR_FORM.is_stated(type(op)) and DEFINITION.of(type(op)) is not None
    ]
    divergence = facts.get(DivergenceAnalysis, arm)
    return [op for op in narrow if divergence.differs_along_x(op.results[0])]
