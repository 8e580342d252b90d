"""`vyre-escape-analysis`: marks what only the arms of a program know, and why the rest escapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from vyre_dialect.analysis.escape import Escapes
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.interfaces import ops_outside_arms
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ir.types import EscapeAttr, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive


@dataclass
class MarkBuffer(RewritePattern):
    """A buffer is `non_escaping`, or `escaping` with its cause."""

    escapes: Mapping[ProgramOp, Escapes]

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


@dataclass(frozen=True)
class EscapeAnalysisPass(RewritePass):
    """Marks each global buffer `non_escaping`, or `escaping` with the use that makes it so."""

    name = "vyre-escape-analysis"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.UNKNOWN,
        requires=("vyre-optimize-integers",),
        invalidates=("vyre-scratch-reuse",),
        boundary=Boundary.PROGRAM,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        programs = [each for each in ops_outside_arms(module) if isinstance(each, ProgramOp)]
        escapes = {program: facts.get(Escapes, program) for program in programs}
        return drive(MarkBuffer(escapes), module.body, facts, BufferOp)
