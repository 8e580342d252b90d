"""Conditions of a query's body, replaced by others."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.row_tests import RowTest
from vyre_dialect.builder import Value, constant
from vyre_dialect.ops.query import QueryOp
from vyre_dialect.passes.rewriting.rewriters import building


def replace_conditions(
    query: QueryOp, values: Mapping[RowTest, Value], rewriter: PatternRewriter
) -> None:
    """Let values stand for tests, each for all that has to hold, and drop what is then unused."""
    with building(rewriter, InsertPoint.at_start(query.body.block)):
        true = constant(1, i1).ssa
    for test, value in values.items():
        first, *others = test.conditions
        rewriter.replace_all_uses_with(first, value.ssa)
        for other in others:
            _let_hold(other, true, rewriter)
    drop_unused(query, rewriter)


def _let_hold(condition: SSAValue, true: SSAValue, rewriter: PatternRewriter) -> None:
    """Replace a condition by one that always holds, where that leaves something to be tested."""
    for use in list(condition.uses):
        op = use.operation
        if isinstance(op, arith.AndIOp):
            rewriter.replace_all_uses_with(op.result, op.operands[1 - use.index])
    rewriter.replace_all_uses_with(condition, true)


def drop_unused(query: QueryOp, rewriter: PatternRewriter) -> None:
    """Drop what no result of the body needs; its ops have no effects."""
    for op in reversed(list(query.body.block.ops)):
        if op is not query.end and not any(result.uses for result in op.results):
            rewriter.erase(op)
