"""
`vyre-split-index-sets`: the interior, where wide accesses lie inside of their buffers, is told from
the tail, so that nothing guards it.

    if (all of it lies inside) { the loads } else { the loads, and what guards them } ... the rest

One test decides on a block. The first branch is what `vyre-prove-accesses` and canonicalisation
make something of: there the test holds. Comparisons that it decides are decided here. With `loops`,
the iterations of the interior get a loop of their own, once that has been made use of:

    for k in 0 .. n { if (inside(k)) { interior } else { tail } }    becomes
    for k in 0 .. m { interior }
    for k in m .. n { tail }

Nothing is tested in the first loop, and no register of it is kept for the tail. A loop over the
lanes of a mask visits those that are set (`splitting/set_bits.py`). Source: J. R. Allen and
K. Kennedy, "Optimizing Compilers for Modern Architectures", 2001, section 5.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.interfaces import HasInvocationsInterface
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.tuning import Parameter
from vyre_dialect.ir.types import ALL_LANES
from vyre_dialect.passes.loop.splitting.blocks import SplitBlocks
from vyre_dialect.passes.loop.splitting.loops import SplitLoop
from vyre_dialect.passes.loop.splitting.set_bits import VisitSetBits
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive


@dataclass(frozen=True)
class SplitIndexSetsPass(RewritePass):
    """
    Splits, in each arm or kernel, the outermost blocks with loads or stores of several elements
    of global memory that may lie outside, if a few comparisons decide that of all of them: one for
    each length that counts, such as those of the columns of a table. So are blocks with lookups in
    a table of any size, where it may have every element that a byte or a code can choose.
    Blocks in which a workgroup does something together stay as they are, and so do those that load
    what it has in common, which may steer that: its invocations need not agree on the test. So does
    what stands in front of a loop that is split: it runs once for all iterations, as where it fills
    the first of the tiles that slide.

    With `loops`, a loop around a block that an earlier run has split becomes two: in the first, the
    test is known no longer, so that what learns from it comes between the runs. So does one around
    the test whether all lanes have an invocation, where no access gains by more. A loop that asks
    each lane of a mask whether to do something visits those that are set, by their bits.
    """

    name = "vyre-split-index-sets"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("vyre-sroa",),
        invalidates=("canonicalize", "vyre-cse", "vyre-prove-accesses", "vyre-form-byte-permutes"),
        parameters=(Parameter("loops", (False, True), False),),
        on_request=True,
    )

    loops: bool = False
    """Split loops, too."""

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        changed = False
        if self.loops:
            changed |= drive(SplitLoop(facts), module.body, facts, scf.ForOp)
            changed |= drive(VisitSetBits(), module.body, facts, scf.ForOp)
        blocks = SplitBlocks(facts)
        changed |= drive(
            blocks, module.body, facts, HasInvocationsInterface, apply_recursively=False
        )
        if self.loops:
            changed |= drive(SplitLoop(facts, ALL_LANES), module.body, facts, scf.ForOp)
        return changed
