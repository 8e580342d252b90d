"""What fusion knows of a program stays what it would find afresh, whatever a rewriter changes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from support.fusion import program_of
from support.generated.drawing import Draws, for_each
from support.generated.programs import Sample, programs
from support.schedules import CONTEXT
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, ModuleOp, UnregisteredOp, i32
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint

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
from vyre_dialect.passes.fusion.tiling.refusal import Reason
from vyre_dialect.passes.fusion.tiling.request import untileable
from vyre_dialect.passes.fusion.tiling.users import Users
from vyre_dialect.passes.rewriting.rewriters import rewriter_of
from vyre_dialect.passes.scalar.cse import CommonSubexpressionEliminationPass
from vyre_dialect.runtime.program.compilation import parse_module

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


# What stands between arms, on the host.

REVERSED = """
vyre.program @reversed {
  %text = vyre.buffer @text : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi32, read_only>
  %two = arith.constant 2 : index
  %half = arith.ceildivsi %n, %two : index
  %again = arith.ceildivsi %n, %two : index
  %out = vyre.buffer @out[%half] live_out : !vyre.buffer<?xi32, read_write>
  %middle = vyre.buffer @middle[%again] initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.region "decode" invocations [%again] {
    %i = vyre.invocation_id x
    %x = vyre.load %text[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %x, %middle[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "scan" invocations [%again] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %length = vyre.buf_len %middle : !vyre.buffer<?xi32, read_write>
    %last = arith.subi %length, %one : index
    %j = arith.subi %last, %i : index
    %x = vyre.load %middle[%j] : !vyre.buffer<?xi32, read_write> -> i32
    vyre.store %x, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
"""


def test_parameters_stand_for_values_that_are_there() -> None:
    module, facts = parse_module(REVERSED, CONTEXT), AnalysisManager()
    op = program_of(module)
    assert not fuse_program(op, Options(strategy="workgroup", budget=1), facts).promoted
    assert CommonSubexpressionEliminationPass().rewrite(CONTEXT, module, facts)
    assert fuse_program(op, Options(), facts).promoted
    module.verify()


def test_a_length_is_that_of_the_size_that_a_buffer_has() -> None:
    module, facts = parse_module(REVERSED, CONTEXT), AnalysisManager()
    op, rewriter = program_of(module), rewriter_of(module, facts)
    middle, decode = op.buffer("middle"), next(op.arms())
    assert middle is not None

    def is_inside() -> bool:
        analysis = facts.get(ProgramAnalysis, op)
        accesses = analysis.accesses(decode)
        assert isinstance(accesses, ArmAccesses)
        (write,) = accesses.to(middle)
        return write.stays_inside(analysis.symbols)

    assert is_inside()
    constant = arith.ConstantOp.from_int_and_width(1, IndexType())
    one = rewriter.insert(constant, InsertPoint.before(middle))
    middle.operands = [one.result]
    rewriter.notify_op_modified(middle)
    assert not is_inside()


def test_arms_that_come_for_one_op_stand_in_their_order() -> None:
    module, facts = parse_module(REVERSED, CONTEXT), AnalysisManager()
    op, rewriter = program_of(module), rewriter_of(module, facts)
    _known(facts.get(ProgramAnalysis, op))
    first, _ = op.arms()
    arms = [first.clone() for _ in range(3)]
    rewriter.replace(first, arms)
    analysis = facts.get(ProgramAnalysis, op)
    assert [analysis.position(arm) for arm in arms] == sorted(map(analysis.position, arms))
    assert len(set(map(analysis.position, op.arms()))) == 4


def test_what_was_found_of_a_handoff_goes_with_an_op_that_comes_into_its_arm() -> None:
    module, facts = parse_module(REVERSED, CONTEXT), AnalysisManager()
    op, rewriter = program_of(module), rewriter_of(module, facts)
    middle, arm = op.buffer("middle"), next(op.arms())
    assert middle is not None
    assert untileable(facts.get(ProgramAnalysis, op), middle) is None
    unknown = UnregisteredOp.with_name("test.unknown").create()
    rewriter.insert(unknown, InsertPoint.at_end(arm.body.block))
    refusal = untileable(facts.get(ProgramAnalysis, op), middle)
    assert refusal is not None and refusal.reason == Reason.UNKNOWN_EFFECTS


def test_a_load_of_the_host_is_followed_into_regions() -> None:
    nested = """
  %zero = arith.constant 0 : index
  %other = vyre.buffer @other initial undefined : !vyre.buffer<4xi32, read_write>
  %any = arith.constant true
  %read = scf.if %any -> (i32) {
    %x = vyre.load %middle[%zero] : !vyre.buffer<?xi32, read_write> -> i32
    scf.yield %x : i32
  } else {
    %x = arith.constant 0 : i32
    scf.yield %x : i32
  }
}
"""
    module, facts = parse_module(REVERSED.rstrip()[:-1] + nested, CONTEXT), AnalysisManager()
    op, rewriter = program_of(module), rewriter_of(module, facts)
    middle, other = op.buffer("middle"), op.buffer("other")
    assert middle is not None and other is not None
    (load,) = facts.get(ProgramAnalysis, op).users(middle).host_loads
    load.operands = [other.buffer, load.index]
    rewriter.notify_op_modified(load)
    analysis = facts.get(ProgramAnalysis, op)
    assert _known(analysis) == _known(AnalysisManager().get(ProgramAnalysis, op))
