"""
Access relations: for each access of an arm, which invocation touches which element, as an
exact isl relation `{ I[i0, i1, i2] -> E[e] }`, or the op that keeps it unknown.

The polyhedral model of Feautrier (1991), with isl (Verdoolaege, ICMS 2010) as its engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from vyre_dialect.analysis.affine_values import AffineValues
from vyre_dialect.analysis.bounded_effort import next_question
from vyre_dialect.analysis.guards import block_around
from vyre_dialect.analysis.isl import isl
from vyre_dialect.analysis.iteration_space import ID_AXES
from vyre_dialect.analysis.quasi_affine import constant_of
from vyre_dialect.analysis.symbols import Symbols
from vyre_dialect.ir.interfaces import (
    AccessKind,
    BufferAccess,
    HasAccessesInterface,
    accesses_of,
    ops_around,
)
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import RegionOp


@dataclass(frozen=True, eq=False)
class AccessRelation:
    """One access by an op of an arm, and the elements of the buffer that invocations touch."""

    op: HasAccessesInterface
    place: int
    """Where the access stands among those of the op."""
    access: BufferAccess
    """What the op says of it."""
    buffer: BufferOp
    reach: isl.Map | None
    """
    Invocation to element, whether the invocation exists and the element lies inside the buffer
    or not; a superset unless `exact`. Of existing invocations only, where the arm's index
    arithmetic is understood for those alone.
    """
    invocations: isl.Set
    """The invocations that exist."""
    elements: isl.Set
    """The elements inside the buffer."""
    exact: bool
    """Whether every pair of the relation really occurs."""
    by_iteration: isl.Map | None = None
    """`reach` before its loop counters are dropped."""
    counters: frozenset[int] = frozenset()
    """The dimensions of the counters of the loops that the op is in."""
    pieces: tuple[isl.Aff, ...] = ()
    """
    The first element touched, over ids and loop counters: one of these, where it is touched, in the
    first iteration of loops that begin by ids.
    """
    cause: Operation | None = None
    """The op that makes the relation unknown or inexact."""

    @cached_property
    def touched(self) -> isl.Map | None:
        """The part of `reach` that happens."""
        if self.reach is None:
            return None
        return self.reach.intersect_domain(self.invocations).intersect_range(self.elements)

    def stays_inside(self, symbols: Symbols) -> bool:
        """Whether no invocation touches anything outside the buffer."""
        if self.reach is None:
            return False
        happens = self.reach.intersect_domain(self.invocations).range()
        return symbols.is_within(happens, self.elements)

    @cached_property
    def may_repeat(self) -> bool:
        """Whether an invocation may touch an element more than once by this op."""
        around = list(ops_around(self.op))
        if not any(isinstance(op, scf.ForOp | scf.WhileOp) for op in around):
            return False
        if self.by_iteration is None or any(isinstance(op, scf.WhileOp) for op in around):
            return True
        by_iteration = self.by_iteration
        for place in reversed(range(ID_AXES, by_iteration.dim(isl.dim_type.in_))):
            if place not in self.counters:
                by_iteration = by_iteration.project_out(isl.dim_type.in_, place, 1)
        space = by_iteration.get_space().domain()
        ids = isl.Map.identity(space.map_from_set()).project_out(
            isl.dim_type.out, ID_AXES, space.dim(isl.dim_type.set) - ID_AXES
        )
        return not by_iteration.range_product(ids).is_injective()

    @property
    def kind(self) -> AccessKind:
        """What is done to the elements."""
        return self.access.kind

    @property
    def writes(self) -> bool:
        """Whether elements may change."""
        return self.access.writes

    @property
    def can_redirect(self) -> bool:
        """Whether the op can be told to access another buffer instead, from another index on."""
        return self.op.can_redirect(self.access)


@dataclass
class _SureWrites:
    """What is written whatever the data, by buffer: relations over ids and loop counters."""

    by_buffer: dict[BufferOp, isl.Map] = field(default_factory=dict[BufferOp, "isl.Map"])

    def add(self, buffer: BufferOp, written: isl.Map) -> None:
        """Another write happens, too."""
        known = self.by_buffer.get(buffer)
        self.by_buffer[buffer] = written if known is None else known.union(written)

    def include(self, other: _SureWrites) -> None:
        """All of `other` happens, too."""
        for buffer, written in other.by_buffer.items():
            self.add(buffer, written)

    def common(self, other: _SureWrites, counters: range) -> _SureWrites:
        """What both write, whatever the loop counters in `counters` are on the way."""
        kept = _SureWrites()
        for buffer in self.by_buffer.keys() & other.by_buffer.keys():
            one, two = (
                some.by_buffer[buffer].eliminate(isl.dim_type.in_, counters.start, len(counters))
                for some in (self, other)
            )
            kept.add(buffer, one.intersect(two))
        return kept


class Reaches:
    """Where the parts of an arm or a kernel run, and which elements they reach from there."""

    def __init__(self, values: AffineValues):
        self.values = values
        self._where: dict[Block, isl.Set] = {}

    def number(self, value: SSAValue | int | None) -> isl.PwAff | None:
        """A number that an op names, as a function of ids and loop counters, or None."""
        if isinstance(value, SSAValue):
            return self.values.of(value)
        return None if value is None else self.values.space.constant(value)

    def run(self, first: isl.PwAff, count: isl.PwAff) -> isl.Map:
        """The relation from each point to the `count` elements from `first` on."""
        start = isl.Map.from_pw_aff(first).set_tuple_name(isl.dim_type.out, "E")
        if (elements := constant_of(count)) == 1:
            return start
        if elements is not None:
            step = f"{{ E[e] -> E[f] : e <= f < e + {elements} }}"
            return start.apply_range(self.values.symbols.relation(step))
        end = isl.Map.from_pw_aff(first + count)
        inside = self.values.symbols.relation("{ [E[b] -> [c]] -> E[e] : b <= e < c }")
        return start.range_product(end).apply_range(inside)

    def begun(self, function: isl.PwAff, op: Operation) -> isl.PwAff:
        """A function as `op` has it in the first iteration of the loops that begin by ids."""
        places = self.values.space.places
        for loop in ops_around(op):
            place = places.get(loop) if isinstance(loop, scf.ForOp) else None
            if place is None or not function.involves_dims(isl.dim_type.in_, place, 1):
                continue
            begin = self.values.of(loop.operands[0])
            if begin is not None and begin.involves_dims(isl.dim_type.in_, 0, ID_AXES):
                function = self.values.space.substituted(function, place, begin)
        return function

    def constraint(self, op: Operation, region: int) -> isl.Set | None:
        """Where the given region of `op` runs, exactly once for each point; or None."""
        if isinstance(op, scf.IfOp):
            condition = self.values.holds(op.cond)
            if condition is None:
                return None
            return condition if region == 0 else condition.complement()
        if isinstance(op, scf.ForOp):
            return self.values.iterations(op)
        return None

    def where(self, block: Block) -> isl.Set:
        """The points at which a block runs, and more where its guards are not understood."""
        around = list[Block]()
        at: Block | None = block
        while at is not None and at not in self._where:
            around.append(at)
            at = block_around(at)
        where = self.values.domain if at is None else self._where[at]
        for each in reversed(around):
            parent, region = each.parent_op(), each.parent
            assert parent is not None
            assert region is not None
            known = self.constraint(parent, parent.get_region_index(region))
            where = self._where[each] = where if known is None else where.intersect(known)
        return where


class ArmAccesses:
    """The accesses of one arm, and its invocations as an isl set."""

    def __init__(self, arm: RegionOp, symbols: Symbols):
        self.arm = arm
        self.symbols = symbols
        self.values = AffineValues(arm, symbols)
        self._reaches = Reaches(self.values)
        self.accesses: list[AccessRelation] = []
        self._inside: dict[BufferOp, isl.Set] = {}
        self._nothing = symbols.relation("{ I[i, j, k] -> E[e] : false }")
        everywhere = self.values.space.universe
        self._sure = self._collect(arm.body, everywhere, exact=True, cause=None)
        self._by_buffer: dict[BufferOp, list[AccessRelation]] = {}
        for access in self.accesses:
            self._by_buffer.setdefault(access.buffer, []).append(access)

    def to(self, buffer: BufferOp) -> list[AccessRelation]:
        """The accesses to one buffer."""
        return self._by_buffer.get(buffer, [])

    def reads_of(self, buffer: BufferOp) -> list[AccessRelation]:
        """The loads from one buffer."""
        return [access for access in self.to(buffer) if access.kind == AccessKind.READ]

    def writes_to(self, buffer: BufferOp) -> list[AccessRelation]:
        """The stores to one buffer."""
        return [access for access in self.to(buffer) if access.kind == AccessKind.WRITE]

    def reach(self, accesses: Iterable[AccessRelation]) -> isl.Map:
        """What `accesses` of this arm reach, as far as it is known, as one relation."""
        return self._union(access.reach for access in accesses)

    def touched(self, accesses: Iterable[AccessRelation]) -> isl.Map:
        """What `accesses` of this arm touch, as far as it is known, as one relation."""
        return self._union(access.touched for access in accesses)

    def surely_written(self, buffer: BufferOp) -> isl.Map:
        """The stores to one buffer that happen whatever the data."""
        written = self._sure.by_buffer.get(buffer)
        if written is None:
            return self._nothing
        happens = self._drop_map_counters(written).intersect_domain(self.invocations)
        return happens.intersect_range(self._elements(buffer)).coalesce()

    def buffers(self) -> Iterator[BufferOp]:
        """The buffers that the arm touches."""
        return iter(self._by_buffer)

    @cached_property
    def is_data_parallel(self) -> bool:
        """Whether the arm's result is the same for every workgroup size."""
        return self.arm.is_data_parallel

    @cached_property
    def invocations(self) -> isl.Set:
        """The arm's invocations, `{ I[i0, i1, i2] }`."""
        return self._drop_counters(self.values.domain)

    def _collect(
        self, region: Region, where: isl.Set, *, exact: bool, cause: Operation | None
    ) -> _SureWrites:
        """Find the accesses of a region that runs in `where`; returns what it surely writes."""
        sure = _SureWrites()
        for op in region.block.ops if region.blocks else ():
            next_question(self.symbols.context)
            for place, access in enumerate(accesses_of(op)):
                assert isinstance(op, HasAccessesInterface)
                found = self._relation(op, place, access, where, exact=exact, cause=cause)
                self.accesses.append(found)
                if found.kind == AccessKind.WRITE and found.by_iteration is not None:
                    sure.add(found.buffer, found.by_iteration)
            if op.regions:
                sure.include(self._collect_branches(op, where, exact=exact, cause=cause))
        return sure

    def _collect_branches(
        self, op: Operation, where: isl.Set, *, exact: bool, cause: Operation | None
    ) -> _SureWrites:
        constraints = [self._reaches.constraint(op, place) for place in range(len(op.regions))]
        sure = list[_SureWrites]()
        for region, constraint in zip(op.regions, constraints, strict=True):
            known = constraint is not None
            inner = where.intersect(constraint) if known else where
            reason = cause if known else cause or op
            sure.append(self._collect(region, inner, exact=exact and known, cause=reason))
        if all(constraint is not None for constraint in constraints):
            for other in sure[1:]:
                sure[0].include(other)
            return sure[0]
        if isinstance(op, scf.IfOp):
            return sure[0].common(sure[1], self.values.space.counters_inside(op))
        return _SureWrites()

    def _relation(
        self,
        op: HasAccessesInterface,
        place: int,
        access: BufferAccess,
        where: isl.Set,
        *,
        exact: bool,
        cause: Operation | None,
    ) -> AccessRelation:
        buffer = access.buffer.owner
        assert isinstance(buffer, BufferOp)
        first, count = self._reaches.number(access.index), self._reaches.number(access.count)
        reach = by_iteration = None
        pieces = tuple[isl.Aff, ...]()
        if first is None or count is None:
            exact, cause = False, self._cause(access) or op
        else:
            possible = self.values.space.ids.intersect(where)
            pieces = tuple(self._pieces(self._reaches.begun(first, op), possible))
            by_iteration = self._reaches.run(first, count).intersect_domain(possible)
            reach = self._drop_map_counters(by_iteration).coalesce()
        return AccessRelation(
            op,
            place,
            access,
            buffer,
            reach,
            self.invocations,
            self._elements(buffer),
            exact,
            by_iteration=by_iteration,
            counters=frozenset(self.values.space.counters_around(op)),
            pieces=pieces,
            cause=cause,
        )

    def _cause(self, access: BufferAccess) -> Operation | None:
        """The op that keeps the elements of an access unknown, if it is another."""
        values = (each for each in (access.index, access.count) if isinstance(each, SSAValue))
        return next((cause for each in values if (cause := self.values.cause(each))), None)

    def _pieces(self, function: isl.PwAff, possible: isl.Set) -> Iterator[isl.Aff]:
        """The pieces of `function` that it has where it is asked for."""
        pieces = function.get_pieces()
        if len(pieces) == 1:
            yield pieces[0][1]
            return
        possible = self.symbols.restricted(possible)
        for domain, piece in pieces:
            if not domain.intersect(possible).is_empty():
                yield piece

    def _elements(self, buffer: BufferOp) -> isl.Set:
        """The elements inside `buffer`."""
        if buffer not in self._inside:
            length = isl.Map.from_pw_aff(self.values.length(buffer)).range()
            inside = self.symbols.relation("{ [n] -> E[e] : 0 <= e < n }")
            self._inside[buffer] = length.apply(inside)
        return self._inside[buffer]

    def _union(self, relations: Iterable[isl.Map | None]) -> isl.Map:
        known = [relation for relation in relations if relation is not None]
        if len(known) == 1:
            return known[0]
        total = self._nothing
        for relation in known:
            total = total.union(relation)
        return total.coalesce()

    def _drop_counters(self, domain: isl.Set) -> isl.Set:
        counters = domain.dim(isl.dim_type.set) - ID_AXES
        dropped = domain.project_out(isl.dim_type.set, ID_AXES, counters)
        return dropped.set_tuple_name("I")

    def _drop_map_counters(self, relation: isl.Map) -> isl.Map:
        counters = relation.dim(isl.dim_type.in_) - ID_AXES
        dropped = relation.project_out(isl.dim_type.in_, ID_AXES, counters)
        return dropped.set_tuple_name(isl.dim_type.in_, "I")
