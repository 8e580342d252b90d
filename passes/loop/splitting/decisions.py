"""Comparisons that are decided where an interior begins."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1
from xdsl.ir import Block
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.comparisons import condition_of, decide
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.ir.traversal import ops_inside


def decide_comparisons(block: Block, forms: LinearForms, rewriter: PatternRewriter) -> None:
    """Replace the comparisons in a block, and conditions, that are always true, or never."""
    for op in ops_inside(block):
        comparison = op if isinstance(op, arith.CmpiOp) else condition_of(op)
        if comparison is None or not isinstance(comparison.lhs.type, IndexType):
            continue
        assert op.parent is not None
        if (known := decide(comparison, op.parent, forms)) is None:
            continue
        decided = arith.ConstantOp(IntegerAttr(int(known), i1))
        if op is comparison:
            rewriter.replace(op, decided)
        else:
            rewriter.insert(decided, InsertPoint.before(op))
            op.operands[0] = decided.result
            rewriter.notify_op_modified(op)
