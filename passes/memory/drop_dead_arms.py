"""`vyre-drop-dead-arms`: removes arms whose results are unused, and unused buffers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.effects import buffers_touched, states_effects
from vyre_dialect.ir.interfaces import AccessKind, buffers_of
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import Initial
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import TrapOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive


@dataclass
class DropDeadArms(RewritePattern):
    """
    An arm goes that writes no more than buffers which no later arm and no host code reads, and
    which are not live out. One walk from the last arm to the first finds all of them.
    """

    facts: AnalysisManager

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ProgramOp, rewriter: PatternRewriter, /) -> None:
        seen, integers = _observed(op), self.facts.get(Integers, op)
        for each in reversed(list(op.body.block.ops)):
            if not isinstance(each, RegionOp):
                seen.update(_seen_by_the_host(each))
                continue
            touched = buffers_touched(each.body)
            written = {b for b, kinds in touched.items() if AccessKind.WRITE in kinds}
            if seen.isdisjoint(written) and _can_go(each, integers):
                rewriter.erase(each)
            else:
                seen.update(b for b, kinds in touched.items() if AccessKind.READ in kinds)


class DropUnusedScratch(RewritePattern):
    """Removes an unused buffer that the host neither fills, binds nor reads."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BufferOp, rewriter: PatternRewriter, /) -> None:
        is_scratch = op.live_out is None and op.binding is None
        if is_scratch and op.initial_contents == Initial.UNDEFINED and not op.buffer.uses:
            rewriter.erase(op)


def _observed(program: ProgramOp) -> set[SSAValue]:
    """The buffers that the host looks at after the last arm."""
    seen: set[SSAValue] = {op.buffer for op in program.buffers() if op.live_out is not None}
    seen.update(op.errors for op in ops_inside(program) if isinstance(op, TrapOp))
    return seen


def _seen_by_the_host(op: Operation) -> Iterator[SSAValue]:
    """The buffers whose elements an op between arms may look at."""
    for inner in op.walk():
        if not isinstance(inner, BufferOp | BufLenOp):
            yield from buffers_of(inner)


def _can_go(arm: RegionOp, integers: Integers) -> bool:
    """Whether nothing is lost but what the arm writes: no error of its domain, no unknown op."""
    if not all(states_effects(op) for op in ops_inside(arm.body)):
        return False
    counts = arm.invocations
    is_valid = all(integers.range_at(each, arm.parent).is_non_negative for each in counts)
    return is_valid and (not counts or arm.is_data_parallel)


@dataclass(frozen=True)
class DropDeadArmsPass(RewritePass):
    """
    Removes arms whose results are unused, and then unused buffers. What the host
    supplies or reads back stays, and so does an arm whose domain may be an error at run time.
    """

    name = "vyre-drop-dead-arms"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.ARMS,
        Family.MEMORY,
        invalidates=("vyre-decode-scan-fuse",),
        boundary=Boundary.PROGRAM,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        patterns = ((DropDeadArms(facts), ProgramOp), (DropUnusedScratch(), BufferOp))
        return any(
            [
                drive(pattern, module.body, facts, op_class, apply_recursively=False)
                for pattern, op_class in patterns
            ]
        )
