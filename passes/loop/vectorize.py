"""
`vyre-vectorize`: neighbouring invocations of a data-parallel arm become the lanes of one.

    out[i] = x[i] ^ k      -->      if (16 * i + 16 <= n) { out[16 * i ...] = x[16 * i ...] ^ k }
                                    else { for (j = 16 * i; j < n; j++) out[j] = x[j] ^ k }

Source: Karrenberg and Hack, "Whole-function vectorization". That an arm is data-parallel makes it
legal: there is no order between its invocations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.handoffs import joint_arms
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.interfaces import ops_outside_arms
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.tuning import Parameter
from vyre_dialect.ir.types import LANES
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.loop.refusal import Refusal, state_refusal
from vyre_dialect.passes.loop.vectorization.refusal import NOT_VECTORIZED, Reason
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of

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
        parameters=(
            Parameter("lanes", CHOICES, 1),
            Parameter("vectors", (False, True), True),
            Parameter("strict", (False, True), False),
        ),
        on_request=True,
    )

    lanes: int = 1
    vectors: bool = True
    """Whether arms whose items compute with vectors as it is have several of them in one."""
    strict: bool = False
    """
    Whether only such arms become lanes as surely gain where hardware runs invocations in lockstep,
    as GPUs do: whose lanes take no turns in loops, and which hand on to, and take from, such arms
    alone. All of these have equal numbers of lanes, few enough for accesses of 16 bytes, and twice
    `lanes` where they compute with bytes alone. Beside arms that hand on vectors of bytes as it is,
    which stay, they have as many lanes.
    """
    tail: Literal["loop", "each"] = "loop"
    """
    What does the items that are left: a `loop` over those, or one over all lanes that asks of
    `each` whether it has an item, so that what arms hand on is at known places, as registers are.
    """
    annotate: bool = False
    """State refusals as attributes of the arms that stay as they are."""

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        if self.lanes not in CHOICES:
            raise PassFailedException(
                f"'{self.name}' expected {', '.join(map(str, CHOICES[:-1]))} or {CHOICES[-1]} "
                f"lanes, got {self.lanes}"
            )
        programs = [child for child in ops_outside_arms(module) if isinstance(child, ProgramOp)]
        groups = [arms for program in programs for arms in self._groups(program)]
        return any([self._rewrite(arms, facts) for arms in groups])

    def _groups(self, program: ProgramOp) -> list[list[RegionOp]]:
        """The arms of which all become lanes, or none."""
        if not self.strict:
            return [[arm] for arm in program.arms()]
        return joint_arms(program)

    def _rewrite(self, arms: Sequence[RegionOp], facts: AnalysisManager) -> bool:
        """Vectorize arms, or state why not; whether anything of them is another than before."""
        refusals = dict[RegionOp, Refusal]()
        if self.lanes > 1 and not any(LANES in arm.attributes for arm in arms):
            refusals = self._vectorize(arms, facts)
            if not refusals:
                return True
        return any([self._state(arm, refusals.get(arm), facts) for arm in arms])

    def _state(self, arm: RegionOp, refusal: Refusal | None, facts: AnalysisManager) -> bool:
        rewriter = rewriter_of(arm, facts)
        state_refusal(arm, NOT_VECTORIZED, refusal if self.annotate else None, rewriter)
        return rewriter.has_done_action

    def _vectorize(
        self, arms: Sequence[RegionOp], facts: AnalysisManager
    ) -> dict[RegionOp, Refusal]:
        """Let the invocations of arms become lanes; else, of each, why not."""
        # Every schedule asks this pass what it is; few run it.
        from vyre_dialect.passes.loop.vectorization.arms import Form, planned, planned_in_lockstep

        form = Form(self.lanes, self.vectors, asks_each=self.tail == "each")
        if self.strict:
            found = planned_in_lockstep(arms, form, facts)
        else:
            found = {arm: planned(arm, form, facts) for arm in arms}
        refusals = {arm: each for arm, each in found.items() if isinstance(each, Refusal)}
        plans = [each for each in found.values() if not isinstance(each, Refusal)]
        for plan in plans:
            if refusals:
                plan.drop(facts)
            else:
                plan.write(facts)
        return {arm: refusals.get(arm) or _beside(refusals) for arm in arms} if refusals else {}


def _beside(refusals: Mapping[RegionOp, Refusal]) -> Refusal:
    """Why an arm stays as it is that could become lanes by itself."""
    other = next(iter(refusals)).generator.data
    return Refusal(Reason.NEIGHBOUR, f"'{other}', with which it shares what it hands on, stays")
