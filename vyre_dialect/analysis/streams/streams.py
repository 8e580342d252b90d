"""
Whether a program may be cut along an input, so that it comes to the same in pieces.

The program is evaluated in numbers that drift (`drift.py`) on a first, a middle and a last piece.
What an invocation does is the same in a piece as in all of the input if its accesses follow the
piece and its branches are decided far from the ends that were cut. How far, is a halo: of so many
units more a piece takes in, and so many less each arm does. Effects that cannot be repeated are
left to the piece whose own the invocation is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import gcd
from typing import Self

from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.analysis.streams.bounds import MOST_HALO, ArmBounds, HostBounds
from vyre_dialect.analysis.streams.drift import (
    MIDDLE,
    PIECES,
    Drift,
    Piece,
    UnitError,
    drift,
    fixed,
    is_bounded,
)
from vyre_dialect.analysis.streams.evaluation import (
    ArmEffects,
    BufferFacts,
    Evaluation,
    Move,
    described,
)
from vyre_dialect.analysis.streams.kept import kept_buffers, merges_of, parts_of
from vyre_dialect.analysis.streams.plan import ArmPlan, CutInput, Part, StreamPlan
from vyre_dialect.analysis.streams.refusal import Refusal, RefusedError
from vyre_dialect.analysis.streams.steps import Steps
from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.ir.interfaces import HasExpansionInterface
from vyre_dialect.ir.types import Initial, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp, RegionOp

MOST_UNIT = 1 << 22
"""Elements of the input in a unit, at most."""
_MOST_ROUNDS = 8
"""Evaluations until the halos of arms agree."""


class Streams(Analysis):
    """How a program may be cut, along each of its inputs."""

    def __init__(self, program: ProgramOp, integers: Integers):
        self._program = program
        self._integers = integers
        self._known: dict[BufferOp, StreamPlan | Refusal] = {}

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        assert isinstance(scope, ProgramOp)
        return cls(scope, facts.get(Integers, scope))

    def along(self, main: BufferOp) -> StreamPlan | Refusal:
        """How to cut the program along `main`, or which op forbids it."""
        if main not in self._known:
            try:
                self._known[main] = self._plan(main)
            except RefusedError as error:
                self._known[main] = error.refusal
        return self._known[main]

    def inputs(self) -> list[BufferOp]:
        """What the program may be cut along: inputs whose size is what the host gives."""
        return [
            buffer
            for buffer in self._program.buffers()
            if buffer.is_sized_by_host and buffer.type.space == MemorySpace.GLOBAL
        ]

    def _plan(self, main: BufferOp) -> StreamPlan:
        _require_arms(self._program)
        unit = 1
        cause: Operation = main
        while unit <= MOST_UNIT:
            try:
                return _Planner(self._program, self._integers, main, unit).plan()
            except UnitError as error:
                unit, cause = unit * error.factor, error.op
        raise RefusedError(cause, f"asks for pieces of {unit} elements, {MOST_UNIT} at most")


def _require_arms(program: ProgramOp) -> None:
    for op in program.body.block.ops:
        if isinstance(op, HasExpansionInterface):
            raise RefusedError(op, "is no arm yet: 'vyre-expand' makes it one")


@dataclass
class _Walk:
    """What a walk on one piece has come to."""

    buffers: dict[BufferOp, BufferFacts]
    arms: dict[RegionOp, ArmPlan]
    effects: dict[RegionOp, ArmEffects]
    least: int
    moves: list[Move]


@dataclass
class _Planner:
    """Looks for halos with which all pieces come to the same, for units of one size."""

    program: ProgramOp
    integers: Integers
    main: BufferOp
    unit: int
    halos: dict[RegionOp, tuple[int, int]] = field(default_factory=dict[RegionOp, tuple[int, int]])
    """What each arm leaves out at least."""
    kept: set[BufferOp] = field(default_factory=set[BufferOp])
    parts: dict[RegionOp, Part] = field(default_factory=dict[RegionOp, Part])
    moving: set[RegionOp] = field(default_factory=set[RegionOp])
    """The arms that are cut."""

    def plan(self) -> StreamPlan:
        """The plan. Raises RefusedError, and UnitError where units are too small."""
        self._find_kept()
        before = after = 0
        walks = dict[Piece, _Walk]()
        for _ in range(_MOST_ROUNDS):
            walks = {piece: self._walk(piece) for piece in PIECES}
            own = self._own(walks)
            if not self._widen(walks, (before, after)) and own == (before, after):
                return self._planned(walks, before, after)
            before, after = own
        raise self._diverging(walks)

    def _find_kept(self) -> None:
        """Find which arms are cut, which buffers are not, and when arms run that work on those."""
        walk = self._walk(MIDDLE, host_only=True)
        self.moving = {arm for arm, plan in walk.arms.items() if plan.axis is not None}
        if not self.moving:
            raise RefusedError(self.main, "is of no size that any arm has its invocations from")
        cut = {buffer for buffer, facts in walk.buffers.items() if facts.moves}
        self.kept = kept_buffers(self.moving, cut)
        self.parts = parts_of(self.program, self.moving, self.kept)

    def _own(self, walks: Mapping[Piece, _Walk]) -> tuple[int, int]:
        """What a piece takes in beyond its own on both sides, as all arms and results ask for."""
        befores, afters = [0], [0]
        for piece, walk in walks.items():
            for plan in walk.arms.values():
                befores.append(plan.before)
                afters.append(plan.after)
            for facts in _results(walk):
                missing = -(facts.length.rest.low // facts.length.begin)
                befores.append(0 if piece.begins else facts.before)
                afters.append(0 if piece.ends else max(facts.after, missing))
        return max(befores), max(afters)

    def _widen(self, walks: Mapping[Piece, _Walk], own: tuple[int, int]) -> bool:
        """Let arms leave out what any piece asks for; whether any leaves out more."""
        changed = False
        for arm in self.program.arms():
            asked = [walk.arms[arm] for walk in walks.values() if arm in walk.arms]
            halo = (max(each.before for each in asked), max(each.after for each in asked))
            effects = next(walk.effects[arm] for walk in walks.values() if arm in walk.effects)
            if asked[0].axis is not None and self._is_done_once(effects):
                halo = (max(halo[0], own[0]), max(halo[1], own[1]))
            if max(halo) * self.unit > MOST_HALO:
                raise self._diverging(walks)
            changed |= self.halos.get(arm, (0, 0)) != halo
            self.halos[arm] = halo
        return changed

    def _is_done_once(self, effects: ArmEffects) -> bool:
        """Whether an arm has effects that must not happen in two pieces."""
        return any(not op.get_accesses()[place].idempotent for op, place in effects.kept)

    def _diverging(self, walks: Mapping[Piece, _Walk]) -> RefusedError:
        for effects in walks[MIDDLE].effects.values():
            if self._is_done_once(effects):
                op = effects.kept[0][0]
                return RefusedError(
                    op,
                    "must happen once, and its arm writes what arms read beyond their own units: "
                    "give it an arm of its own",
                )
        return RefusedError(self.main, "is read further away with each arm")

    def _planned(self, walks: Mapping[Piece, _Walk], before: int, after: int) -> StreamPlan:
        middle = walks[MIDDLE]
        arms = dict[RegionOp, ArmPlan]()
        for arm in self.program.arms():
            found = next(walk.arms[arm] for walk in walks.values() if arm in walk.arms)
            arms[arm] = ArmPlan(found.part, found.axis, found.rate, *self.halos[arm])
        effects = [each for walk in walks.values() for each in walk.effects.items()]
        lengths = {
            buffer: facts.length.begin for buffer, facts in middle.buffers.items() if facts.moves
        }
        for buffer in lengths:
            if buffer.output_range is not None:
                raise RefusedError(buffer, "is read back in part, by bytes of all of it")
        least = max(before + after + 1, *(walk.least for walk in walks.values()))
        return StreamPlan(
            self.main,
            self._inputs(middle),
            before,
            after,
            least,
            arms,
            merges_of(self.kept, self.moving, effects),
            lengths,
            {piece: walk.moves for piece, walk in walks.items()},
        )

    def _inputs(self, middle: _Walk) -> dict[BufferOp, CutInput]:
        """What is cut: all that moves and that the host may supply."""
        exact = self._walk(MIDDLE, host_only=True, exact=True).buffers
        inputs = {self.main: CutInput(self.unit)}
        for buffer, facts in middle.buffers.items():
            is_given = facts.moves and buffer.initial_contents == Initial.HOST
            if is_given and (rest := exact[buffer].length.rest).is_one:
                inputs.setdefault(buffer, CutInput(facts.length.begin, rest.low))
        return inputs

    # One walk.

    def _walk(self, piece: Piece, *, host_only: bool = False, exact: bool = False) -> _Walk:
        host = HostBounds(piece, self.unit)
        ev = Steps(piece, self.unit, self.integers, host)
        arms, effects = dict[RegionOp, ArmPlan](), dict[RegionOp, ArmEffects]()
        for op in self.program.body.block.ops:
            if isinstance(op, BufferOp):
                self._declare(ev, op, host_only=host_only, exact=exact)
            elif not isinstance(op, RegionOp):
                ev.step(op)
            elif self.parts.get(op, Part.EVERY).is_of(piece):
                plan, ev.bounds = self._enter(ev, op)
                if not host_only:
                    effects[op] = self._run(ev, op)
                    plan = ArmPlan(
                        *(plan.part, plan.axis, plan.rate), ev.bounds.before, ev.bounds.after
                    )
                arms[op] = plan
                ev.arm, ev.axis, ev.bounds = None, None, host
        return _Walk(ev.buffers, arms, effects, host.least, ev.moves)

    def _declare(self, ev: Evaluation, op: BufferOp, *, host_only: bool, exact: bool) -> None:
        if op.type.space != MemorySpace.GLOBAL:
            return
        if op is self.main:
            rest = Range(0, 0 if exact else self.unit - 1)
            length = drift(self.unit, self.unit, rest, None if ev.piece.ends else op)
        elif op.size is not None:
            length = ev.of(op.size)
        else:
            count = op.type.static_count
            length = fixed(Range(0, 1 << 48) if count is None else Range(count, count))
        if length.is_fixed and length.cause is not None:
            raise RefusedError(op, f"has a size that {described(length.cause)}")
        is_cut = length.begin == length.end > 0 and is_bounded(length.rest) and not length.wraps
        if not is_cut and not length.is_fixed:
            raise RefusedError(op, "has a size that shrinks where the input grows")
        is_kept = op in self.kept or (host_only and length.is_fixed and op.type.writable)
        ev.buffers[op] = BufferFacts(length, kept=is_kept)

    def _enter(self, ev: Evaluation, arm: RegionOp) -> tuple[ArmPlan, ArmBounds]:
        """How an arm is cut by its invocations."""
        part = self.parts.get(arm, Part.EVERY)
        counts = [_count_of(ev, each) for each in arm.domain]
        moving = [axis for axis, count in enumerate(counts) if not count.is_fixed]
        for count in counts:
            if count.is_fixed and count.cause is not None:
                raise RefusedError(arm, f"has invocations of which {described(count.cause)}")
        ev.arm, ev.axis, ev.is_complete = arm, None, part == Part.LAST
        if not moving:
            return ArmPlan(part), ArmBounds(ev.piece, self.unit)
        axis, count = moving[0], counts[moving[0]]
        if len(moving) > 1 or not count.begin == count.end > 0 or not is_bounded(count.rest):
            raise RefusedError(arm, "has invocations that do not grow as the input does")
        if not arm.is_data_parallel and count.begin % (size := arm.workgroup[axis]):
            raise UnitError(size // gcd(count.begin, size), arm)
        rate, rest = count.begin, count.rest
        bounds = ArmBounds(ev.piece, self.unit, fewest=-((rest.high - 1) // rate))
        before, after = self.halos.get(arm, (0, 0))
        bounds.ask(before, max(after, -(rest.low // rate)))
        ev.axis, ev.rate = axis, rate
        return ArmPlan(part, axis, rate), bounds

    def _run(self, ev: Evaluation, arm: RegionOp) -> ArmEffects:
        """Evaluate the body of an arm, and what it leaves of its buffers."""
        ev.effects = effects = ArmEffects()
        ev.run(arm.body.block)
        assert isinstance(ev.bounds, ArmBounds)
        for extent in effects.writes:
            facts = ev.buffers[extent.buffer]
            unit = facts.length.begin
            facts.before = max(facts.before, ev.bounds.before + extent.high // unit)
            facts.after = max(facts.after, ev.bounds.after - extent.low // unit)
        return effects


def _count_of(ev: Evaluation, count: SSAValue | int) -> Drift:
    return ev.of(count) if isinstance(count, SSAValue) else fixed(Range(count, count))


def _results(walk: _Walk) -> Iterator[BufferFacts]:
    """Results of which each piece has a part."""
    for buffer, facts in walk.buffers.items():
        if facts.moves and buffer.live_out is not None:
            yield facts
