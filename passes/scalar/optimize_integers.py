"""`vyre-optimize-integers`: what the numbers that values can be make simpler, by one analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import GreedyRewritePatternApplier

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_of_classes
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive, rewriter_of
from vyre_dialect.passes.scalar.integers.constants import fold_constants
from vyre_dialect.passes.scalar.integers.known_operands import KnownOperands
from vyre_dialect.passes.scalar.integers.overflow import MARKABLE, patterns_of_overflow
from vyre_dialect.passes.scalar.integers.strength import REDUCIBLE, patterns_of_strength


@dataclass(frozen=True)
class OptimizeIntegersPass(RewritePass):
    """
    Simplifies integer arithmetic by what is known of buffer lengths, ids, loop counters and guards.

    - What can only be one number is a constant, in arms and kernels; `canonicalize` then drops
      branches that never run.
    - Ops on indices that are not negative become cheaper ones: shifts, masks, signed ones.
    - Arithmetic, shifts and loops that provably never wrap around say so.

    Facts are those before the pass. A proof may rest on the conditions around an op: who moves the
    op out of an `scf.if` drops its flags.
    """

    name = "vyre-optimize-integers"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("vyre-prove-accesses",),
        invalidates=("canonicalize", "vyre-cse", "vyre-prove-accesses"),
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        known = [(root, facts.get(Integers, root)) for root in module.body.block.ops]
        return any([_optimize(root, integers, facts) for root, integers in known])


def _optimize(root: Operation, integers: Integers, facts: AnalysisManager) -> bool:
    """Optimize a program or a kernel; whether anything of it is another than before."""
    if not any(region.blocks for region in root.regions):
        return False
    classes = (*REDUCIBLE, *MARKABLE)
    known = KnownOperands(ops_of_classes(root, classes), integers)
    rewriter = rewriter_of(root, facts)
    fold_constants(root, integers, rewriter)
    changed = rewriter.has_done_action
    cheaper = GreedyRewritePatternApplier(patterns_of_strength(known))
    marked = GreedyRewritePatternApplier(patterns_of_overflow(known), dce_enabled=False)
    for region in root.regions:
        changed |= drive(cheaper, region, facts, *REDUCIBLE)
        changed |= drive(marked, region, facts, *MARKABLE)
    return changed
