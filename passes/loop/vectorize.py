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
from typing import TYPE_CHECKING, ClassVar, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.handoffs import joint_arms
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.interfaces import ops_outside_arms
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.tuning import Parameter
from vyre_dialect.ir.types import CLANG_LANES, LANES
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.loop.refusal import Refusal, state_refusal
from vyre_dialect.passes.loop.vectorization.refusal import NOT_VECTORIZED, Reason
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of

if TYPE_CHECKING:
    from vyre_dialect.passes.loop.vectorization.arms import Planned

CHOICES = (1, 4, 8, 16)
"""Lanes that vectors may have; 1 leaves everything as it is."""
OF_BYTES = (1, 16, *CLANG_LANES)
"""Lanes of arms that compute with bytes alone, if these are more."""


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
            Parameter("lanes_of_bytes", OF_BYTES, 1),
            Parameter("vectors", (False, True), True),
            Parameter("strict", (False, True), False),
        ),
        on_request=True,
    )

    lanes: int = 1
    lanes_of_bytes: int = 1
    """
    Those of arms that compute with bytes alone and do nothing lane by lane, if these are more:
    where vectors may be so wide.
    """
    vectors: bool = True
    """Whether arms whose items compute with vectors as it is have several of them in one."""
    strict: bool = False
    """
    Whether only such arms become lanes as surely gain where hardware runs invocations in lockstep,
    as GPUs do: whose lanes take no turns in loops, and which hand on to, and take from, such arms
    alone. All of these have equal numbers of lanes, few enough for accesses of 16 bytes, and twice
    `lanes` where they compute with bytes alone; where they hand on to the same invocation alone, as
    many as load 16 bytes together, in two accesses at least. Beside arms that hand on vectors of
    bytes as it is, which stay, they have as many lanes.
    """
    tail: Literal["loop", "each"] = "loop"
    """
    What does the items that are left: a `loop` over those, or one over all lanes that asks of
    `each` whether it has an item, so that what arms hand on is at known places, as registers are.
    """
    annotate: bool = False
    """State refusals as attributes of the arms that stay as they are."""

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        self._check("lanes", self.lanes, CHOICES)
        self._check("lanes_of_bytes", self.lanes_of_bytes, OF_BYTES)
        programs = [child for child in ops_outside_arms(module) if isinstance(child, ProgramOp)]
        groups = [arms for program in programs for arms in joint_arms(program)]
        return any([self._rewrite(arms, facts) for arms in groups])

    def _check(self, option: str, given: int, choices: Sequence[int]) -> None:
        if given not in choices:
            expected = f"{', '.join(map(str, choices[:-1]))} or {choices[-1]}"
            raise PassFailedException(f"'{self.name}' expected {expected} {option}, got {given}")

    def _rewrite(self, arms: Sequence[RegionOp], facts: AnalysisManager) -> bool:
        """
        Vectorize arms that hand on to each other, or state why not; whether anything of them is
        another than before.
        """
        scalar = [arm for arm in arms if LANES not in arm.attributes]
        if self.strict and len(scalar) < len(arms):
            scalar = []
        found = self._planned(scalar, facts)
        refusals = self._refusals(found)
        for arm, plan in found.items():
            if not isinstance(plan, Refusal):
                (plan.drop if arm in refusals else plan.write)(facts)
        left = [arm for arm in arms if arm in refusals or arm not in found]
        stated = [self._state(arm, refusals.get(arm), facts) for arm in left]
        return any(stated) or len(found) > len(refusals)

    def _state(self, arm: RegionOp, refusal: Refusal | None, facts: AnalysisManager) -> bool:
        rewriter = rewriter_of(arm, facts)
        state_refusal(arm, NOT_VECTORIZED, refusal if self.annotate else None, rewriter)
        return rewriter.has_done_action

    def _planned(
        self, arms: Sequence[RegionOp], facts: AnalysisManager
    ) -> Mapping[RegionOp, Planned | Refusal]:
        """How the invocations of arms become lanes, to be written or dropped; or why not."""
        if self.lanes == 1 or not arms:
            return {}
        # Every schedule asks this pass what it is; few run it.
        from vyre_dialect.passes.loop.vectorization.arms import (
            Form,
            planned_by_width,
            planned_in_lockstep,
        )

        form = Form(self.lanes, self.vectors, asks_each=self.tail == "each")
        if self.strict:
            return planned_in_lockstep(arms, form, facts)
        return planned_by_width(arms, form, self.lanes_of_bytes, facts)

    def _refusals(self, found: Mapping[RegionOp, Planned | Refusal]) -> Mapping[RegionOp, Refusal]:
        """Why arms stay as they are; where this is `strict`, all of them or none."""
        refusals = {arm: each for arm, each in found.items() if isinstance(each, Refusal)}
        if not self.strict or not refusals:
            return refusals
        return {arm: refusals.get(arm) or _beside(refusals) for arm in found}


def _beside(refusals: Mapping[RegionOp, Refusal]) -> Refusal:
    """Why an arm stays as it is that could become lanes by itself."""
    other = next(iter(refusals)).generator.data
    return Refusal(Reason.NEIGHBOUR, f"'{other}', with which it shares what it hands on, stays")
