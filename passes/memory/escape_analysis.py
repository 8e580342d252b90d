"""`vyre-escape-analysis`: marks what only the arms of a program know, and why the rest escapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, SymbolRefAttr, UnitAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from vyre_dialect.analysis.escape import RECYCLES, Escapes
from vyre_dialect.ir.interfaces import HasInvocationsInterface
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ir.types import EscapeAttr, MemorySpace
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import BufferOp, ProgramOp


class _EscapesOfPrograms(dict[ProgramOp, Escapes]):
    """What escapes of each program, found once."""

    def __missing__(self, program: ProgramOp) -> Escapes:
        self[program] = Escapes(program)
        return self[program]


@dataclass
class MarkBuffer(RewritePattern):
    """A buffer is `non_escaping`, or `escaping` with its cause."""

    escapes: _EscapesOfPrograms

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BufferOp, rewriter: PatternRewriter, /) -> None:
        program = op.parent_op()
        if not isinstance(program, ProgramOp) or op.type.space != MemorySpace.GLOBAL:
            return
        cause = self.escapes[program].cause(op)
        escaping = None if cause is None else EscapeAttr(cause)
        non_escaping = UnitAttr() if cause is None else None
        if (op.escaping, op.non_escaping) == (escaping, non_escaping):
            return
        op.escaping, op.non_escaping = escaping, non_escaping
        if cause is not None:
            op.arena_offset = None
        rewriter.notify_op_modified(op)


@dataclass
class MarkArm(RewritePattern):
    """An arm or a launch names the buffers that it touches and that escape nowhere."""

    escapes: _EscapesOfPrograms

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, HasInvocationsInterface | LaunchOp):
            return
        if not isinstance(program := op.parent_op(), ProgramOp):
            return
        names = [SymbolRefAttr(each.sym_name) for each in self.escapes[program].recyclable_by(op)]
        recycled = ArrayAttr(names) if names else None
        if op.attributes.get(RECYCLES) == recycled:
            return
        if recycled is None:
            if RECYCLES not in op.attributes:
                return
            del op.attributes[RECYCLES]
        else:
            op.attributes[RECYCLES] = recycled
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class EscapeAnalysisPass(ModulePass):
    """
    Marks each global buffer `non_escaping`, or `escaping` with the use that makes it so, and each
    arm and launch with the buffers that it may recycle (`vyre.recycles`).
    """

    name = "vyre-escape-analysis"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("vyre-optimize-integers",),
        invalidates=("vyre-scratch-reuse",),
        boundary=Boundary.PROGRAM,
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        escapes = _EscapesOfPrograms()
        patterns: list[RewritePattern] = [MarkBuffer(escapes), MarkArm(escapes)]
        applier = GreedyRewritePatternApplier(patterns, dce_enabled=False)
        PatternRewriteWalker(applier).rewrite_module(op)
