"""
The proof for a handoff that only one arm touches: what its workgroups, or its invocations, hand
to themselves need not leave them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from xdsl.dialects import scf
from xdsl.ir import Operation

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.ir.interfaces import AccessKind, OrdersMemoryInterface, ops_around
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import BarrierOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.cost import bytes_of
from vyre_dialect.passes.fusion.tiling.counterexamples import unordered_read
from vyre_dialect.passes.fusion.tiling.handoffs import (
    refusal_of,
    refusal_of_ops,
    refusal_of_redirect,
    unknown_elements,
)
from vyre_dialect.passes.fusion.tiling.intervals import Interval, Pace, Stage, slope_of
from vyre_dialect.passes.fusion.tiling.obligations import (
    Asked,
    Obligation,
    Question,
    because,
    prove,
)
from vyre_dialect.passes.fusion.tiling.options import Home, Options
from vyre_dialect.passes.fusion.tiling.past_the_end import collides_outside, unguardable
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal
from vyre_dialect.passes.fusion.tiling.summary import PlanSummary


@dataclass(frozen=True, eq=False)
class InArmPlan:
    """A promotion inside one arm that is proved legal."""

    stage: Stage
    """The arm, tile by tile: a workgroup each, or an invocation."""
    home: Home
    footprints: dict[BufferOp, Interval]
    overhangs: bool
    """Whether tiles must hold zeros outside of the handoff."""
    colliding: frozenset[BufferOp]
    obligations: tuple[Obligation, ...]
    """The questions that were asked, all of them answered with yes."""

    @property
    def space(self) -> MemorySpace:
        """The memory space of the tiles."""
        return self.home.space

    @property
    def summary(self) -> PlanSummary:
        """The plan as people are told of it."""
        size = self.stage.arm.arm.workgroup[0]
        stages = [self.stage]
        return PlanSummary.of_stages(self.home, size, self.footprints, stages, self.obligations)


def plan_in_arm(
    analysis: ProgramAnalysis, handoff: BufferOp, options: Options
) -> InArmPlan | Refusal:
    """How `handoff`, which one arm touches, may leave global memory; or why it may not."""
    users = analysis.users(handoff)
    (arm,) = users.arms
    if (refusal := refusal_of(analysis, handoff)) is not None:
        return refusal
    if reads := (*users.host_loads, *users.probes):
        return Refusal(Reason.HOST_READ, "the host reads an element of it", cause=reads[0])
    if (refusal := refusal_of_ops(analysis.facts(arm))) is not None:
        return refusal
    if len(arm.domain) != 1:
        return Refusal(
            Reason.UNSUPPORTED_DOMAIN, f"'{arm.generator.data}' has {len(arm.domain)} axes"
        )
    accesses = analysis.accesses(arm)
    if isinstance(accesses, Refusal):
        return accesses
    return analysis.ask(lambda: _plan(_InArm.of(analysis, handoff, accesses, options)))


@dataclass(frozen=True, eq=False)
class _Order:
    """In which order the ops of an arm run, as far as that is told by where they stand."""

    places: Mapping[Operation, int]
    ordering: Sequence[Operation]
    """The ops of its body that order what becomes a tile."""

    @classmethod
    def of(cls, arm: RegionOp) -> _Order:
        """The order of the ops of an arm."""
        ordering = [op for op in arm.body.block.ops if _orders_tiles(op)]
        return cls({op: place for place, op in enumerate(ops_inside(arm.body))}, ordering)

    def precedes(self, write: Operation, read: Operation) -> bool:
        """Whether the write stands before the read, and no loop leads back between them."""
        if self.places[write] > self.places[read]:
            return False
        return _loops_around(write).isdisjoint(_loops_around(read))

    def has_barrier_between(self, write: Operation, read: Operation) -> bool:
        """Whether all invocations of a workgroup wait between the two."""
        begin, end = self.places[write], self.places[read]
        return any(begin < self.places[op] < end for op in self.ordering)


@dataclass(frozen=True, eq=False)
class _InArm:
    """One handoff and its arm, of which the same is asked again and again."""

    analysis: ProgramAnalysis
    handoff: BufferOp
    options: Options
    stage: Stage
    is_private: bool
    order: _Order

    @classmethod
    def of(
        cls, analysis: ProgramAnalysis, handoff: BufferOp, accesses: ArmAccesses, options: Options
    ) -> _InArm:
        """What is to be proved of an arm whose invocations, or workgroups, are tiles."""
        arm, is_private = accesses.arm, accesses.arm.is_data_parallel
        stage = analysis.tiles.equal_shares(accesses, 1 if is_private else arm.workgroup[0])
        return cls(analysis, handoff, options, stage, is_private, _Order.of(arm))

    @property
    def accesses(self) -> ArmAccesses:
        return self.stage.arm

    @property
    def arm(self) -> RegionOp:
        return self.stage.arm.arm

    @property
    def home(self) -> Home:
        return Home.REGISTERS if self.is_private else Home.WORKGROUP

    @property
    def name(self) -> str:
        return f"'@{self.handoff.sym_name.data}'"

    @property
    def is_whole_buffer(self) -> bool:
        """Whether the tile of the one workgroup is just as long as the handoff."""
        one_workgroup = not self.is_private and self.arm.domain[0] == self.arm.workgroup[0]
        return one_workgroup and self.handoff.type.static_count is not None


def _plan(case: _InArm) -> InArmPlan | Refusal:
    """The plan, once everything is proved."""
    ordered = prove(_of_order(case))
    if isinstance(ordered, Refusal):
        return ordered
    overhangs = bool(_overhanging(case)) and not case.is_whole_buffer
    footprint = _footprint(case)
    if isinstance(footprint, Refusal):
        return because(Question.IS_SIZED, footprint)
    footprints = {case.handoff: footprint}
    fits = prove([Asked(Question.FITS, case.name, lambda: _over_budget(case, footprints))])
    if isinstance(fits, Refusal):
        return fits
    colliding = frozenset({case.handoff} if _collides(case) else ())
    sized = Obligation(Question.IS_SIZED, case.name)
    proof = (*ordered, sized, *fits)
    return InArmPlan(case.stage, case.home, footprints, overhangs, colliding, proof)


def _of_order(case: _InArm) -> Iterator[Asked]:
    """What is asked of the accesses, in the order in which they stand."""
    for access in case.accesses.to(case.handoff):
        yield Asked(Question.IS_AFFINE, case.name, lambda access=access: _misused(case, access))
    for read in case.accesses.reads_of(case.handoff):
        yield Asked(Question.IS_WRITTEN_BEFORE, case.name, lambda read=read: _unwritten(case, read))
    yield Asked(Question.IS_WRITTEN_BEFORE, case.name, lambda: _read_past_the_end(case))
    yield Asked(Question.STAYS_APART, case.name, lambda: _unguardable(case))


def _read_past_the_end(case: _InArm) -> Refusal | None:
    if len(_overhanging(case)) <= 1 or case.is_whole_buffer:
        return None
    return Refusal(Reason.NOT_COVERED, "what is stored past the end would be read from the tile")


def _unguardable(case: _InArm) -> Refusal | None:
    return unguardable(case.accesses, case.handoff) if _collides(case) else None


def _misused(case: _InArm, access: AccessRelation) -> Refusal | None:
    name = case.arm.generator.data
    if access.kind == AccessKind.UPDATE:
        return Refusal(
            Reason.READS_INITIAL_CONTENTS,
            f"'{name}' updates the handoff atomically",
            cause=access.op,
        )
    if access.reach is None or (access.writes and not access.exact):
        return Refusal(
            Reason.NON_AFFINE,
            unknown_elements(access, name),
            cause=access.cause,
        )
    return refusal_of_redirect(access)


def _unwritten(case: _InArm, read: AccessRelation) -> Refusal | None:
    """
    The refusal unless every element that an invocation reads was written before, by itself,
    or by its workgroup on the other side of a barrier.
    """
    assert read.touched is not None
    writes = [
        access
        for access in case.accesses.writes_to(case.handoff)
        if case.order.precedes(access.op, read.op)
    ]
    left = read.touched.subtract(case.accesses.touched(writes))
    left = case.analysis.symbols.restricted(left)
    if left.is_empty():
        return None
    ordered = [write for write in writes if case.order.has_barrier_between(write.op, read.op)]
    shared = case.stage.runs.apply_range(case.accesses.touched(ordered))
    missing = case.stage.runs.apply_range(left).subtract(shared)
    if missing.is_empty():
        return None
    writes = case.accesses.writes_to(case.handoff)
    return unordered_read(case.analysis, case.stage, read, left, missing, writes)


def _footprint(case: _InArm) -> Interval | Refusal:
    tiles, count = case.analysis.tiles, case.handoff.type.static_count
    if count is not None and case.is_whole_buffer:
        return tiles.interval(tiles.constant(0), count, Pace(Fraction(0)))
    reads = case.accesses.reads_of(case.handoff)
    slope = slope_of(reads)
    footprint = None
    if slope is not None and not slope.per_parameter:
        reached = case.stage.spread.apply_range(case.accesses.reach(reads))
        footprint = tiles.fit(reached, slope.elements_at(case.stage.share.pace))
    if footprint is not None:
        return footprint
    return Refusal(
        Reason.CROSS_WORKGROUP,
        f"what a tile reads of '@{case.handoff.sym_name.data}' has no constant extent",
    )


def _over_budget(case: _InArm, footprints: dict[BufferOp, Interval]) -> Refusal | None:
    """Of what the arm keeps in the tiles' memory space, the new tile included."""
    touched = case.analysis.touches(case.arm)
    present = (buffer for buffer in touched if buffer.type.space == case.home.space)
    total = bytes_of(footprints) + sum(buffer.type.static_bytes or 0 for buffer in present)
    return case.options.over_budget(total, case.home)


def _collides(case: _InArm) -> bool:
    if case.is_private or case.is_whole_buffer:
        return False
    return collides_outside(case.accesses, case.handoff, runs_beyond=False)


def _overhanging(case: _InArm) -> set[AccessKind]:
    """Which kinds of access may lie outside the handoff."""
    return {
        access.kind
        for access in case.accesses.to(case.handoff)
        if not access.stays_inside(case.analysis.symbols)
    }


def _orders_tiles(op: Operation) -> bool:
    """Whether `op` orders what becomes a tile, or can be told to."""
    if not isinstance(op, OrdersMemoryInterface) or MemorySpace.GLOBAL not in op.ordered_spaces:
        return False
    return isinstance(op, BarrierOp) or MemorySpace.WORKGROUP in op.ordered_spaces


def _loops_around(op: Operation) -> set[Operation]:
    """The ops with regions around `op` that may run their regions more than once."""
    return {each for each in ops_around(op) if isinstance(each, scf.ForOp | scf.WhileOp)}
