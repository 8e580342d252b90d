"""A walk of a program on one piece of its input: what becomes of buffers, and how arms are cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from xdsl.ir import SSAValue

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.streams.bounds import ArmBounds, HostBounds
from vyre_dialect.analysis.streams.drift import Drift, Piece, drift, fixed, is_bounded
from vyre_dialect.analysis.streams.evaluation import (
    ArmEffects,
    BufferFacts,
    Evaluation,
    Move,
    Scope,
    Shared,
    described,
)
from vyre_dialect.analysis.streams.plan import ArmPlan, Turn
from vyre_dialect.analysis.streams.refusal import LargerUnits, Refusal
from vyre_dialect.analysis.streams.steps import Steps
from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp, RegionOp

Halos = Mapping[RegionOp, tuple[int, int]]
"""Units that each arm leaves out at least, at the begin and at the end of a piece."""


@dataclass(frozen=True)
class Request:
    """What is to be cut along which input, in units of one size."""

    program: ProgramOp
    integers: Integers
    main: BufferOp
    unit: int


@dataclass(frozen=True)
class Cut:
    """Which arms are cut, and when the others run."""

    moving: frozenset[RegionOp] = frozenset()
    """The arms that are cut."""
    kept: frozenset[BufferOp] = frozenset()
    """Buffers that pieces hand on to each other."""
    turns: Mapping[RegionOp, Turn] = field(default_factory=dict[RegionOp, Turn])

    def turn(self, arm: RegionOp) -> Turn:
        """Which pieces an arm runs on."""
        return self.turns.get(arm, Turn.EVERY)


@dataclass(frozen=True)
class Walk:
    """What a walk on one piece has come to."""

    buffers: Mapping[BufferOp, BufferFacts]
    arms: Mapping[RegionOp, ArmPlan]
    effects: Mapping[RegionOp, ArmEffects]
    least: int
    """Units that the piece has at least."""
    moves: list[Move]


def walk_of_host(
    request: Request, piece: Piece, cut: Cut | None = None, *, exact: bool = False
) -> Walk | Refusal | LargerUnits:
    """
    What the host computes: the sizes of buffers, and how many invocations arms have. With `exact`,
    the input has no elements behind its last unit.
    """
    return _Walker(request, cut or Cut(), {}, piece, exact=exact, host_only=True).walked()


def walk_of(request: Request, cut: Cut, halos: Halos, piece: Piece) -> Walk | Refusal | LargerUnits:
    """What the whole program comes to."""
    return _Walker(request, cut, halos, piece).walked()


@dataclass(frozen=True)
class _Walker:
    request: Request
    cut: Cut
    halos: Halos
    piece: Piece
    exact: bool = False
    host_only: bool = False

    def walked(self) -> Walk | Refusal | LargerUnits:
        """The walk, or what it ended with."""
        bounds, shared = HostBounds(self.piece, self.request.unit), Shared()
        host = Steps(self.piece, self.request.unit, self.request.integers, Scope(bounds), shared)
        arms, effects = dict[RegionOp, ArmPlan](), dict[RegionOp, ArmEffects]()
        for op in self.request.program.body.block.ops:
            if isinstance(op, BufferOp):
                self._declare(host, op)
            elif not isinstance(op, RegionOp):
                host.step(op)
            elif self.cut.turn(op).is_of(self.piece):
                self._arm(host, op, arms, effects)
            if shared.ending is not None:
                return shared.ending
        return Walk(shared.buffers, arms, effects, bounds.least, host.moves)

    def _declare(self, ev: Evaluation, op: BufferOp) -> None:
        if op.type.space != MemorySpace.GLOBAL:
            return
        length = self._length(ev, op)
        is_cut = length.begin == length.end > 0 and is_bounded(length.rest) and not length.wraps
        if length.is_fixed and length.cause is not None:
            ev.refuse(op, f"has a size that {described(length.cause)}")
        elif not is_cut and not length.is_fixed:
            ev.refuse(op, "has a size that shrinks where the input grows")
        is_kept = op in self.cut.kept or (self.host_only and length.is_fixed and op.type.writable)
        ev.buffers[op] = BufferFacts(length, kept=is_kept)

    def _length(self, ev: Evaluation, op: BufferOp) -> Drift:
        """How many elements a buffer has."""
        unit = self.request.unit
        if op is self.request.main:
            rest = Range(0, 0 if self.exact else unit - 1)
            return drift(unit, unit, rest, None if self.piece.ends else op)
        if op.size is not None:
            return ev.of(op.size)
        count = op.type.static_count
        return fixed(Range(0, 1 << 48) if count is None else Range(count, count))

    def _arm(
        self,
        host: Evaluation,
        arm: RegionOp,
        arms: dict[RegionOp, ArmPlan],
        effects: dict[RegionOp, ArmEffects],
    ) -> None:
        """Note how an arm is cut, and what it does."""
        scope = self._scope(host, arm)
        turn = self.cut.turn(arm)
        arms[arm] = plan = ArmPlan(turn, scope.axis, scope.rate)
        if self.host_only or host.shared.ending is not None:
            return
        host.inside(scope).run(arm.body.block)
        assert isinstance(scope.bounds, ArmBounds)
        before, after = scope.bounds.before, scope.bounds.after
        for extent in scope.effects.writes:
            facts = host.buffers[extent.buffer]
            unit = facts.length.begin
            facts.before = max(facts.before, before + extent.high // unit)
            facts.after = max(facts.after, after - extent.low // unit)
        arms[arm] = replace(plan, before=before, after=after)
        effects[arm] = scope.effects

    def _scope(self, ev: Evaluation, arm: RegionOp) -> Scope:
        """How an arm is cut by its invocations; refuses one whose number is not a piece's own."""
        is_complete = self.cut.turn(arm) == Turn.LAST
        whole = Scope(ArmBounds(self.piece, self.request.unit), arm, is_complete=is_complete)
        counts = [_count_of(ev, each) for each in arm.domain]
        moving = [axis for axis, count in enumerate(counts) if not count.is_fixed]
        for count in counts:
            if count.is_fixed and count.cause is not None:
                ev.refuse(arm, f"has invocations of which {described(count.cause)}")
        if not moving:
            return whole
        axis, count = moving[0], counts[moving[0]]
        if len(moving) > 1 or not count.begin == count.end > 0 or not is_bounded(count.rest):
            ev.refuse(arm, "has invocations that do not grow as the input does")
            return whole
        size = arm.workgroup[axis]
        if not arm.is_data_parallel and not ev.has_units(count, size, arm):
            return whole
        bounds = self._bounds(arm, count)
        return Scope(bounds, arm, axis, count.begin, is_complete)

    def _bounds(self, arm: RegionOp, count: Drift) -> ArmBounds:
        """What an arm of so many invocations leaves to other pieces before it is looked at."""
        rate, rest = count.begin, count.rest
        bounds = ArmBounds(self.piece, self.request.unit, fewest=-((rest.high - 1) // rate))
        before, after = self.halos.get(arm, (0, 0))
        bounds.ask(before, max(after, -(rest.low // rate)))
        return bounds


def _count_of(ev: Evaluation, count: SSAValue | int) -> Drift:
    return ev.of(count) if isinstance(count, SSAValue) else fixed(Range(count, count))
