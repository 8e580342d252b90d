"""`vyre-decode-scan-fuse`: arms that hand a buffer on share tiles of it, where that is proved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import GreedyRewritePatternApplier
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.interfaces import ops_outside_arms
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ir.tuning import Parameter
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.handoff_patterns import handoff_patterns
from vyre_dialect.passes.fusion.tiling.annotations import annotate
from vyre_dialect.passes.fusion.tiling.options import (
    CACHE_BUDGET,
    DEFAULT_BUDGET,
    LocalMemory,
    Options,
    Strategy,
)
from vyre_dialect.passes.fusion.tiling.outcome import Outcome, Progress
from vyre_dialect.passes.rewriting.class_walker import ClassWalker
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of


def fuse_program(
    program: ProgramOp, options: Options, facts: AnalysisManager | None = None
) -> Outcome:
    """Fuse every handoff of `program` that `options` allow, and all that this frees."""
    facts = facts or AnalysisManager()
    progress = Progress(program, facts, options)
    applier = GreedyRewritePatternApplier(handoff_patterns(progress), dce_enabled=False)
    walker = ClassWalker(
        applier, walk_reverse=True, listener=facts.listener(), op_classes=(BufferOp,)
    )
    walker.rewrite_region(program.body)
    return progress.outcome()


def candidate_handoffs(program: ProgramOp, options: Options | None = None) -> dict[str, int | None]:
    """
    The handoffs that `vyre-decode-scan-fuse` would promote in `program`, with their element
    counts (None: known at run time). Leaves `program` as it is.
    """
    module = ModuleOp([program.clone()])
    copy = module.body.block.first_op
    assert isinstance(copy, ProgramOp)
    return fuse_program(copy, options or Options()).promoted


def count_opportunities(program: ProgramOp, options: Options | None = None) -> int:
    """How many handoffs `vyre-decode-scan-fuse` would promote in `program`."""
    return len(candidate_handoffs(program, options))


@dataclass(frozen=True)
class DecodeScanFusePass(RewritePass):
    """
    Fuses decoders and scanners over tiles of the buffer that one hands to the other.

    The tile lives in workgroup memory, in private values, or, on CPUs, in the cache of a core;
    what cannot be proved legal by isl stays as it is, with a reason (`vyre explain`, or attributes
    with `annotate=true`).
    """

    name = "vyre-decode-scan-fuse"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.ARMS,
        Family.FUSION,
        boundary=Boundary.PROGRAM,
        parameters=(
            Parameter("strategy", ("auto", "private", "workgroup"), "auto"),
            Parameter("tile", (0, 1024, 2048, 4096, 8192), 0),
            Parameter("steps", (1, 16, 64, 256), 1),
        ),
    )

    strategy: Strategy = "auto"
    """
    Where tiles live; `auto` prefers private values where they are cheap, and takes workgroup
    memory otherwise, or a cache where workgroup memory is `global`.
    """
    budget: int = DEFAULT_BUDGET
    """Bytes of workgroup memory for all promoted buffers of an arm together, and of no other."""
    tile: int = 0
    """Elements of the handoff per tile of a workgroup; 0 lets the planner choose."""
    local_memory: LocalMemory = "dedicated"
    """What workgroup memory is on the device; `auto` puts no tiles into it where it is `global`."""
    steps: int = 1
    """
    Consecutive private tiles that an invocation does in a loop, if that spares it what the tile
    before has decoded; 1 makes every tile an invocation of its own.
    """
    cache_budget: int = CACHE_BUDGET
    """Bytes for all tiles of an arm in the cache of a core; the first takes a quarter of them."""
    annotate: bool = False
    """State as attributes of buffers why they are not promoted, or do not slide."""

    @property
    def options(self) -> Options:
        """What the planner is asked for; raises PassFailedException where it makes no sense."""
        try:
            return Options(
                self.strategy,
                self.budget,
                self.tile,
                self.local_memory,
                self.steps,
                self.cache_budget,
            )
        except ValueError as error:
            raise PassFailedException(f"'{self.name}' {error}") from error

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        options, rewriter, changed = self.options, rewriter_of(module, facts), False
        for program in [each for each in ops_outside_arms(module) if isinstance(each, ProgramOp)]:
            outcome = fuse_program(program, options, facts)
            annotate(program, outcome if self.annotate else None, rewriter)
            changed |= bool(outcome.promoted)
        return changed or rewriter.has_done_action
