"""
`vyre-transpose-handoffs`: what decoders write in lanes is kept lane after lane, and read so.

    block 0: rows of lanes           block 0: lanes of rows
    0 32 64 … | 1 33 65 … |    -->   0 1 2 … | 32 33 34 … |

An invocation that decodes one lane of a block writes elements that lie apart, so that no
neighbouring invocations of a scanner read what it wrote. Nobody sees the layout of a handoff, nor
the order of a data-parallel arm's invocations: once both are transposed, block by block, so many
neighbours read just what one invocation writes, and it stays in their registers. Source: data
layout transformation by index sets, as in Lu et al., "Data layout transformation for enhancing
data locality on NUCA chip multiprocessors", 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.access_relations import AccessRelation
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import Value, invocation_id
from vyre_dialect.builder.values import ceildiv, scalar
from vyre_dialect.ir.interfaces import arm_of, ops_outside_arms
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import Axis
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import InvocationIdOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.fusion.block_layouts import BlockLayouts, Blocks, Group
from vyre_dialect.passes.fusion.decode_scan_fuse import fuse_program
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.options import Home, Options
from vyre_dialect.passes.rewriting.invocation_body import guard_rest
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import building, rewriter_of
from vyre_dialect.passes.rewriting.whole_workgroups import is_multiple, set_domain


@dataclass(frozen=True, eq=False)
class _Transposition:
    """Carries out what a group asks for."""

    layouts: BlockLayouts
    rewriter: PatternRewriter

    def carry_out(self, group: Group) -> None:
        """Transpose the handoffs of a group, and the invocations of its arms."""
        accesses = [
            access
            for handoff in group.handoffs
            for arm in self.layouts.analysis.users(handoff).arms
            for access in self.layouts.accesses(arm, handoff)
        ]
        for handoff in group.handoffs:
            if not group.blocks.are_whole(handoff, self.layouts.integers):
                self._grow(handoff, group.blocks)
        for arm in group.arms:
            self._reorder(arm, group.blocks)
        for access in accesses:
            self._redirect(access, group)

    def _grow(self, handoff: BufferOp, blocks: Blocks) -> None:
        """Give a handoff room for whole blocks; its length stays what it was for all who ask."""
        assert handoff.size is not None
        for use in list(handoff.buffer.uses):
            if isinstance(use.operation, BufLenOp):
                self.rewriter.replace(use.operation, [], [handoff.size])
        with building(self.rewriter, InsertPoint.before(handoff)):
            whole = Value(handoff.size).ceildiv(blocks.size) * blocks.size
        handoff.operands = [whole.ssa]
        self.rewriter.notify_op_modified(handoff)

    def _reorder(self, arm: RegionOp, blocks: Blocks) -> None:
        """Let the invocations of a lane follow each other, and fill the last block."""
        (count,) = arm.domain
        ids = [op for op in ops_inside(arm.body) if _is_number(op)]
        is_whole = is_multiple(count, blocks.size, self.layouts.integers)
        with building(self.rewriter, InsertPoint.at_start(arm.body.block)):
            element = blocks.element(invocation_id()).named("i")
            exists = None if is_whole else element < scalar(count)
        for each in ids:
            self.rewriter.replace(each, [], [element.ssa])
        if exists is None:
            return
        guard_rest(exists, self.rewriter)
        with building(self.rewriter, InsertPoint.before(arm)):
            whole = ceildiv(scalar(count), blocks.size) * blocks.size
        set_domain(arm, [whole], self.rewriter)

    def _redirect(self, access: AccessRelation, group: Group) -> None:
        """Let an op access its element where it stands in a transposed handoff."""
        op, found = access.op, access.op.get_accesses()[access.place]
        with building(self.rewriter, InsertPoint.before(op)):
            place = invocation_id()
            if arm_of(op) not in group.arms:
                assert isinstance(found.index, SSAValue)
                place = group.blocks.place_of(Value(found.index), place)
        op.redirect(found, access.buffer.buffer, place.named("place").ssa)
        self.rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class TransposeHandoffsPass(RewritePass):
    """
    Keeps what decoders write in lanes lane after lane, and lets scanners read it so, where
    `vyre-decode-scan-fuse` then keeps it in private values, which is tried on a copy.
    """

    name = "vyre-transpose-handoffs"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.EXPAND,
        Family.FUSION,
        requires=("vyre-expand",),
        invalidates=("vyre-decode-scan-fuse",),
        boundary=Boundary.PROGRAM,
        on_request=True,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        programs = [each for each in ops_outside_arms(module) if isinstance(each, ProgramOp)]
        return any([_transpose(program, facts) for program in programs])


def _is_number(op: Operation) -> bool:
    """Whether an op is the number of an invocation; along axes that an arm lacks, it is zero."""
    return isinstance(op, InvocationIdOp) and op.axis.data == Axis.X


def _transpose(program: ProgramOp, facts: AnalysisManager) -> bool:
    """Transpose the handoffs of a program that fuse by that; whether there are any."""
    tried, changed = set[BufferOp](), False
    for handoff in list(program.buffers()):
        if handoff in tried or (group := _layouts(program, facts).group_of(handoff)) is None:
            continue
        tried |= group.handoffs.keys()
        if _is_fused_by(program, group):
            _carry_out(group, program, facts)
            changed = True
    return changed


def _is_fused_by(program: ProgramOp, group: Group) -> bool:
    """Whether the handoffs of a group are kept in private values once they are transposed."""
    copy = program.clone()
    ModuleOp([copy])
    copies = dict(zip(program.body.block.ops, copy.body.block.ops, strict=True))
    _carry_out(group.of_copy(copies), copy, AnalysisManager())
    outcome = fuse_program(copy, Options())
    kept = {name for plan in outcome.plans if plan.home is Home.REGISTERS for name in plan.tiles}
    return all(handoff.sym_name.data in kept for handoff in group.handoffs)


def _carry_out(group: Group, program: ProgramOp, facts: AnalysisManager) -> None:
    layouts, rewriter = _layouts(program, facts), rewriter_of(program, facts)
    _Transposition(layouts, rewriter).carry_out(group)


def _layouts(program: ProgramOp, facts: AnalysisManager) -> BlockLayouts:
    return BlockLayouts(facts.get(ProgramAnalysis, program), facts.get(Integers, program))
