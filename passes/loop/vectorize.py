"""
`vyre-vectorize`: neighbouring invocations of a data-parallel arm become the lanes of one.

    out[i] = x[i] ^ k      -->      if (16 * i + 16 <= n) { out[16 * i ...] = x[16 * i ...] ^ k }
                                    else { for (j = 16 * i; j < n; j++) out[j] = x[j] ^ k }

Source: Karrenberg and Hack, "Whole-function vectorization". That an arm is data-parallel makes it
legal: there is no order between its invocations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.interfaces import ops_outside_arms
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.tuning import Parameter
from vyre_dialect.ir.types import LANES
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.loop.refusal import Refusal, state_refusal
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of
from vyre_dialect.passes.rewriting.whole_workgroups import is_multiple

NOT_VECTORIZED = "vyre.not_vectorized"
"""Attribute of an arm: why its invocations did not become lanes."""
CHOICES = (1, 4, 8, 16)
"""Lanes that vectors may have; 1 leaves everything as it is."""


@dataclass(frozen=True)
class VectorizePass(RewritePass):
    """
    Lets each invocation of a data-parallel arm do what several neighbours along x did, in vectors
    of at most `lanes` lanes: as many items as such a vector holds of the widest one that an item
    computes with. The last invocation does what is left one by one. `vyre.lanes` says how many
    items an invocation does; an arm that has it is left.
    """

    name = "vyre-vectorize"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.EXPAND,  # as what is fused after has the loads of all lanes
        Family.UNKNOWN,
        requires=("vyre-expand",),
        invalidates=("canonicalize", "vyre-cse", "vyre-prove-accesses"),
        parameters=(Parameter("lanes", CHOICES, 1), Parameter("vectors", (False, True), True)),
        on_request=True,
    )

    lanes: int = 1
    vectors: bool = True
    """Whether arms whose items compute with vectors as it is have several of them in one."""
    annotate: bool = False
    """State refusals as attributes of the arms that stay as they are."""

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        if self.lanes not in CHOICES:
            raise PassFailedException(
                f"'{self.name}' expected {', '.join(map(str, CHOICES[:-1]))} or {CHOICES[-1]} "
                f"lanes, got {self.lanes}"
            )
        programs = [child for child in ops_outside_arms(module) if isinstance(child, ProgramOp)]
        arms = [arm for program in programs for arm in program.arms()]
        return any([self._rewrite(arm, facts) for arm in arms])

    def _rewrite(self, arm: RegionOp, facts: AnalysisManager) -> bool:
        """Vectorize an arm, or state why not; whether anything of it is another than before."""
        refusal, rewriter = None, rewriter_of(arm, facts)
        if self.lanes > 1 and LANES not in arm.attributes:
            refusal = vectorize(arm, self.lanes, facts, vectors=self.vectors)
            if refusal is None:
                return True
        state_refusal(arm, NOT_VECTORIZED, refusal if self.annotate else None, rewriter)
        return rewriter.has_done_action


def vectorize(
    arm: RegionOp, lanes: int, facts: AnalysisManager, *, vectors: bool = True
) -> Refusal | None:
    """Let neighbouring invocations of an arm become lanes; why not, where that is not done."""
    # Every schedule asks this pass what it is; few run it.
    from vyre_dialect.passes.loop.vectorization.definitions import defined_copy

    rewriter = rewriter_of(arm, facts)
    if (copy := defined_copy(arm, facts, rewriter)) is None:
        return _vectorize(arm, lanes, facts, rewriter, vectors=vectors)
    refusal = _vectorize(copy, lanes, facts, rewriter, vectors=vectors)
    rewriter.erase(copy if refusal is not None else arm)
    return refusal


def _vectorize(
    arm: RegionOp,
    lanes: int,
    facts: AnalysisManager,
    rewriter: PatternRewriter,
    *,
    vectors: bool,
) -> Refusal | None:
    from vyre_dialect.passes.loop.vectorization.plan import plan_for
    from vyre_dialect.passes.loop.vectorization.writer import replace_body

    plan = plan_for(arm, lanes, facts, vectors=vectors)
    if isinstance(plan, Refusal):
        return plan
    is_whole = is_multiple(arm.domain[0], plan.items, facts.get(Integers, arm))
    replace_body(plan, rewriter, is_whole=is_whole)
    arm.attributes.pop(NOT_VECTORIZED, None)
    arm.attributes[LANES] = IntegerAttr(plan.items, i64)
    rewriter.notify_op_modified(arm)
    return None
