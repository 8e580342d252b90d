"""
`vyre-merge-branches`: neighbours that ask the same become one branch.

    %x = scf.if %c { ... } else { ... }      -->     %r = scf.if %c { ... } else { ... }
    %r = scf.if %c { %x ... } else { %x ... }

What the first hands to the second then passes no end of a branch, and keeps its form. Source:
MLIR's canonicalization of `scf.if`, which combines them as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.effects import is_effect_free
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.passes.rewriting.moving import move
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive


@dataclass(frozen=True)
class MergeBranchesPass(RewritePass):
    """
    Lets one `scf.if` do what two of a block do on the same condition, where nothing stands between
    them but ops without effects that take nothing from the first.
    """

    name = "vyre-merge-branches"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("canonicalize", "vyre-cse"),
        invalidates=("canonicalize", "vyre-cse", "vyre-prove-accesses"),
        on_request=True,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        return drive(MergeBranches(), module.body, facts, scf.IfOp)


class MergeBranches(RewritePattern):
    """Merges a branch with the one before it that asks the same."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /) -> None:
        between = list[Operation]()
        first = op.prev_op
        while first is not None and is_effect_free(type(first)) and not first.regions:
            between.insert(0, first)
            first = first.prev_op
        if not isinstance(first, scf.IfOp) or not _ask_the_same(first, op):
            return
        if any(operand.owner is first for each in between for operand in each.operands):
            return
        move(between, InsertPoint.before(first), rewriter)
        _merge(first, op, rewriter)


def _ask_the_same(first: scf.IfOp, second: scf.IfOp) -> bool:
    """Whether both have the same condition, and the same marks, and an alternative, or none."""
    has_alternative = [bool(each.false_region.blocks) for each in (first, second)]
    is_same = first.cond is second.cond and first.attributes == second.attributes
    return is_same and has_alternative[0] == has_alternative[1]


def _merge(first: scf.IfOp, second: scf.IfOp, rewriter: PatternRewriter) -> None:
    """Let one branch, where the first stands, do what both do."""
    kept = [
        result
        for result in first.results
        if not all(second.is_ancestor(use.operation) for use in result.uses)
    ]
    for one, other in zip(first.regions, second.regions, strict=True):
        if one.blocks:
            _append(other.block, one.block, first, kept, rewriter)
    types = [result.type for result in (*kept, *second.results)]
    true, false = (first.detach_region(each) for each in tuple(first.regions))
    merged = scf.IfOp(first.cond, types, true, false, dict(first.attributes))
    rewriter.insert(merged, InsertPoint.before(first))
    for result, old in zip(merged.results, (*kept, *second.results), strict=True):
        result.name_hint = old.name_hint
        rewriter.replace_all_uses_with(old, result)
    rewriter.erase(second)
    rewriter.erase(first)


def _append(
    block: Block,
    to: Block,
    first: scf.IfOp,
    kept: Sequence[SSAValue],
    rewriter: PatternRewriter,
) -> None:
    """Move a block of the second behind one of the first, whose results it takes as they are."""
    passed, more = (_without_end(each, rewriter) for each in (to, block))
    for result, value in zip(first.results, passed, strict=True):
        rewriter.replace_uses_with_if(
            result, value, lambda use: block.find_ancestor_op_in_block(use.operation) is not None
        )
    handed = dict[SSAValue, SSAValue](zip(first.results, passed, strict=True))
    move(tuple(block.ops), InsertPoint.at_end(to), rewriter)
    yielded = [*(handed[result] for result in kept), *(handed.get(each, each) for each in more)]
    rewriter.insert(scf.YieldOp(*yielded), InsertPoint.at_end(to))


def _without_end(block: Block, rewriter: PatternRewriter) -> list[SSAValue]:
    """Take the terminator off a block; what it passed on."""
    end = block.last_op
    assert isinstance(end, scf.YieldOp)
    passed = list[SSAValue](end.operands)
    rewriter.erase(end)
    return passed
