"""What fusion knows of a program stays what it would find afresh, whatever a rewriter changes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from support.fusion import program_of
from support.generated.drawing import Draws, for_each
from support.generated.programs import Sample, programs
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern

from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import program
from vyre_dialect.ir.interfaces import AccessKind, ops_outside_arms
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.decode_scan_fuse import fuse_program
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.options import Options, Strategy
from vyre_dialect.passes.fusion.tiling.users import Users

Touched = Mapping[str, Mapping[BufferOp, frozenset[AccessKind]]]


def _known(analysis: ProgramAnalysis) -> tuple[dict[BufferOp, Users], Touched, list[Operation]]:
    """Who touches each buffer, what each arm touches, and all ops in order."""
    program = analysis.program
    ops = [op for op in program.body.block.ops]
    return (
        {buffer: analysis.users(buffer) for buffer in program.buffers()},
        {arm.generator.data: analysis.touches(arm) for arm in program.arms()},
        sorted(ops, key=analysis.position),
    )


def _copies() -> ModuleOp:
    with program("copies") as p:
        one, other = p.buffer("one", i32, 64), p.buffer("other", i32, 64)
        copy = p.buffer("copy", i32, 64, live_out=True)
        with p.arm("fill", 64) as i:
            one[i] = 1
            other[i] = 2
        with p.arm("copy", 64) as i:
            copy[i] = one[i]
    return p.module


class _LoadOther(RewritePattern):
    """Lets a load read another buffer, in place or by another load."""

    def __init__(self, op: ProgramOp, *, in_place: bool):
        other = op.buffer("other")
        assert other is not None
        self.other, self.in_place = other.buffer, in_place

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, LoadOp) or op.buffer is self.other:
            return
        if self.in_place:
            op.operands = [self.other, *op.operands[1:]]
            rewriter.notify_op_modified(op)
        else:
            rewriter.replace(op, op.clone({op.buffer: self.other}))


@pytest.mark.parametrize("in_place", [True, False])
def test_users_and_accesses_follow_an_operand(in_place: bool) -> None:
    op, facts = program_of(_copies()), AnalysisManager()
    analysis = facts.get(ProgramAnalysis, op)
    _, arm = op.arms()
    _known(analysis)
    before = analysis.accesses(arm)
    pattern = _LoadOther(op, in_place=in_place)
    assert PatternRewriteWalker(pattern, listener=facts.listener()).rewrite_region(op.body)
    assert facts.get(ProgramAnalysis, op) is analysis
    assert _known(analysis) == _known(AnalysisManager().get(ProgramAnalysis, op))
    after = analysis.accesses(arm)
    assert isinstance(before, ArmAccesses) and isinstance(after, ArmAccesses)
    assert [each.sym_name.data for each in after.buffers()] == ["other", "copy"]


def test_a_change_elsewhere_leaves_it() -> None:
    module, facts = _copies(), AnalysisManager()
    second = program_of(_copies())
    second.detach()
    second.properties["sym_name"] = type(second.sym_name)("second")
    module.body.block.add_op(second)
    analysis = facts.get(ProgramAnalysis, program_of(module))
    accesses = [analysis.accesses(arm) for arm in analysis.program.arms()]
    pattern = _LoadOther(second, in_place=True)
    assert PatternRewriteWalker(pattern, listener=facts.listener()).rewrite_region(second.body)
    assert facts.get(ProgramAnalysis, analysis.program) is analysis
    assert all(
        analysis.accesses(arm) is known
        for arm, known in zip(analysis.program.arms(), accesses, strict=True)
    )


@pytest.mark.parametrize("strategy", ["auto", "workgroup"])
def test_after_fusion_it_is_as_computed_afresh(strategy: Strategy, draws: Draws) -> None:
    compared = 0

    def check(sample: Sample) -> None:
        nonlocal compared
        module = sample.module.clone()
        for op in [each for each in ops_outside_arms(module) if isinstance(each, ProgramOp)]:
            facts = AnalysisManager()
            _known(analysis := facts.get(ProgramAnalysis, op))
            promoted = fuse_program(op, Options(strategy=strategy), facts).promoted
            assert facts.get(ProgramAnalysis, op) is analysis
            assert _known(analysis) == _known(AnalysisManager().get(ProgramAnalysis, op))
            compared += bool(promoted)

    for_each(programs(), check, examples=draws(64))
    assert 8 * compared > draws(64)
