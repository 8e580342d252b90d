"""
How passes change a program: by rewriters that tell of every change, so that no fact outlives it,
and that know afterwards whether there was any.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.passes.rewriting.class_walker import ClassWalker


def rewriter_of(root: Operation, facts: AnalysisManager | None) -> PatternRewriter:
    """
    A rewriter for what is changed in `root` without patterns; `has_done_action` says whether
    anything is. Without `facts`, it is for marks that say what is known anyway.
    """
    region = next(region for region in root.regions if region.blocks)
    rewriter = PatternRewriter(InsertPoint.at_end(region.blocks[-1]))
    rewriter.extend_from_listener(_listener(facts))
    return rewriter


def drive(
    pattern: RewritePattern,
    region: Region,
    facts: AnalysisManager | None,
    *op_classes: type[object],
    apply_recursively: bool = True,
    walk_regions_first: bool = False,
) -> bool:
    """
    Apply a pattern to the ops of `region` that are of one of `op_classes`, and again to what comes
    of that, unless not `apply_recursively`, to a fixpoint; whether it changed anything. Without
    `facts`, it is for marks that say what is known anyway.
    """
    walker = ClassWalker(
        pattern,
        op_classes=op_classes or (Operation,),
        apply_recursively=apply_recursively,
        walk_regions_first=walk_regions_first,
        listener=_listener(facts),
    )
    return walker.rewrite_region(region)


@contextmanager
def building(rewriter: PatternRewriter, place: InsertPoint) -> Generator[None]:
    """Let what is built inside stand at `place`."""
    before, rewriter.insertion_point = rewriter.insertion_point, place
    try:
        with ImplicitBuilder(rewriter):
            yield
    finally:
        rewriter.insertion_point = before


def after_definition(value: SSAValue) -> InsertPoint:
    """The first place where a value is known."""
    definition = value.owner
    if isinstance(definition, Block):
        return InsertPoint.at_start(definition)
    return InsertPoint.after(definition)


def _listener(facts: AnalysisManager | None) -> PatternRewriterListener:
    return PatternRewriterListener() if facts is None else facts.listener()
