"""
`vyre-stage-tables`: a small buffer that an arm only reads, at places that the data choose, is
copied to workgroup memory first.

Neighbouring invocations that look up different places of global memory wait for as many cache
lines; workgroup memory gives each of its banks a place of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, VectorType, i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import Buffer, Value, barrier, for_
from vyre_dialect.ir.cooperation import unknown_op
from vyre_dialect.ir.effects import states_effects
from vyre_dialect.ir.interfaces import (
    IN_BOUNDS,
    AccessKind,
    BufferAccess,
    HasAccessesInterface,
    accesses_of,
    ops_around,
    ops_outside_arms,
)
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import BufferType, MemorySpace, accessed_elements, element_bytes
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.rewriting.host_side import unique_name
from vyre_dialect.passes.rewriting.invocation_body import detached
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of
from vyre_dialect.passes.rewriting.whole_workgroups import bytes_in, fill_workgroups, lane_in

WORDS = VectorType(i32, [4])


@dataclass(frozen=True)
class StageTablesPass(RewritePass):
    """
    Copies tables to workgroup memory at the start of arms that look up places in them in a loop.

    A table is a buffer of static size that the arm only reads. `budget` is the bytes of workgroup
    memory that an arm may take with all that it has there; the smallest tables go first. Without
    one, nothing is staged: on devices whose workgroup memory is ordinary memory, a copy gains
    nothing. A data-parallel arm becomes cooperative, with whole workgroups of its declared size.
    """

    name = "vyre-stage-tables"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.OUTLINE, Family.UNKNOWN, requires=("vyre-coarsen", "vyre-privatize-reductions")
    )

    budget: int = 0

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        if self.budget < 0:
            raise PassFailedException(
                f"'{self.name}' expected no negative budget, got {self.budget}"
            )
        programs = [child for child in ops_outside_arms(module) if isinstance(child, ProgramOp)]
        known = [(program, facts.get(Integers, program)) for program in programs]
        rewriter = rewriter_of(module, facts)
        for program, integers in known:
            for arm in list(program.arms()):
                if prod(arm.workgroup) > 1 and _says_what_it_does(arm):
                    divergence = facts.get(DivergenceAnalysis, arm)
                    _stage(arm, self.budget, integers, divergence, rewriter)
        return rewriter.has_done_action


@dataclass(frozen=True)
class _Lookup:
    """One access to a buffer."""

    op: HasAccessesInterface
    access: BufferAccess


def _says_what_it_does(arm: RegionOp) -> bool:
    return unknown_op(arm.body) is None and all(map(states_effects, ops_inside(arm.body)))


def _stage(
    arm: RegionOp,
    budget: int,
    integers: Integers,
    divergence: DivergenceAnalysis,
    rewriter: PatternRewriter,
) -> None:
    """Stage what fits, the smallest tables first."""
    free = budget - bytes_in(arm, MemorySpace.WORKGROUP)
    staged = list[tuple[BufferOp, BufferOp]]()
    lookups = _lookups(arm)
    for table in sorted(_tables(lookups, divergence), key=lambda each: each.type.static_bytes or 0):
        count = _padded(table.type)
        size = count * (element_bytes(table.type.element_type) or 0)
        if size > free:
            break
        free -= size
        staged.append((table, _declare(arm, table, count, rewriter)))
    if not staged:
        return
    fill_workgroups(arm, integers, rewriter)
    _copy_all(arm, staged, rewriter)
    for table, cells in staged:
        for lookup in lookups[table.buffer]:
            _redirect(lookup, cells, rewriter)


def _redirect(lookup: _Lookup, cells: BufferOp, rewriter: PatternRewriter) -> None:
    """Let an op read the copy; what lies inside of the table lies inside of that, too."""
    op, index = lookup.op, lookup.access.index
    assert isinstance(index, SSAValue)
    in_bounds = op.properties.get(IN_BOUNDS)
    op.redirect(lookup.access, cells.buffer, index)
    if in_bounds is not None:
        op.properties[IN_BOUNDS] = in_bounds
    rewriter.notify_op_modified(op)


def _tables(
    lookups: Mapping[SSAValue, Sequence[_Lookup]], divergence: DivergenceAnalysis
) -> list[BufferOp]:
    """The buffers that are worth a copy, and can have one."""
    return [
        buffer.owner
        for buffer, found in lookups.items()
        if isinstance(buffer.owner, BufferOp) and _is_table(buffer.owner, found, divergence)
    ]


def _is_table(buffer: BufferOp, lookups: Sequence[_Lookup], divergence: DivergenceAnalysis) -> bool:
    type = buffer.type
    if type.space != MemorySpace.GLOBAL or type.static_bytes is None:
        return False
    if not all(_can_move(lookup) for lookup in lookups):
        return False
    return any(
        not divergence.of(lookup.access.index).is_decided and _is_repeated(lookup.op)
        for lookup in lookups
    )


def _lookups(arm: RegionOp) -> Mapping[SSAValue, Sequence[_Lookup]]:
    """What an arm does with each buffer."""
    found = dict[SSAValue, list[_Lookup]]()
    for op in ops_inside(arm.body):
        for access in accesses_of(op):
            assert isinstance(op, HasAccessesInterface)
            found.setdefault(access.buffer, []).append(_Lookup(op, access))
    return found


def _can_move(lookup: _Lookup) -> bool:
    """Whether an access only reads, and can be told to read from somewhere else."""
    access = lookup.access
    if access.kind != AccessKind.READ or not isinstance(access.index, SSAValue):
        return False
    return lookup.op.can_redirect(access)


def _is_repeated(op: Operation) -> bool:
    return any(isinstance(each, scf.ForOp | scf.WhileOp) for each in ops_around(op))


def _padded(type: BufferType) -> int:
    """The elements of a copy: whole vectors, where elements fill them."""
    count, per_vector = type.static_count or 0, _per_vector(type)
    return -(-count // per_vector) * per_vector


def _per_vector(type: BufferType) -> int:
    return accessed_elements(type, WORDS) or 1


def _declare(arm: RegionOp, table: BufferOp, count: int, rewriter: PatternRewriter) -> BufferOp:
    cells = BufferOp(
        unique_name(arm.program, f"{table.sym_name.data}_of_group"),
        BufferType(count, table.type.element_type, memory_space=MemorySpace.WORKGROUP),
    )
    return rewriter.insert(cells, InsertPoint.before(arm))


def _copy_all(
    arm: RegionOp, staged: list[tuple[BufferOp, BufferOp]], rewriter: PatternRewriter
) -> None:
    """Copy the tables at the start of an arm; past their ends there are zeros, as before."""
    start = Block()
    with ImplicitBuilder(start):
        lane = lane_in(arm.workgroup)
        for table, cells in staged:
            _copy(Buffer(table.buffer), Buffer(cells.buffer), arm, lane)
        barrier(MemorySpace.WORKGROUP)
    rewriter.insert(detached(start), InsertPoint.at_start(arm.body.block))


def _copy(table: Buffer, cells: Buffer, arm: RegionOp, lane: Value) -> None:
    step = _per_vector(table.type)
    type = WORDS if step > 1 else None
    vectors = (cells.type.static_count or 0) // step
    with for_(lane, vectors, prod(arm.workgroup)) as each:
        position = (each.counter * step if step > 1 else each.counter).named("position")
        cells.store(table.load(position, type), position, in_bounds=True)
