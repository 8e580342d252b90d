"""What updates that commute become: sums, and copies of small buffers, which are flushed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import IndexType, IntegerAttr, UnitAttr, VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.guards import Comparison
from vyre_dialect.analysis.reduced_lanes import reduced_vector, taken_lanes
from vyre_dialect.analysis.update_groups import UpdateGroup
from vyre_dialect.builder import Buffer, Value, constant, for_, if_
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.interfaces import IN_BOUNDS, HasCombinerInterface
from vyre_dialect.ir.types import UNROLL, element_bytes, lane_count
from vyre_dialect.ops.memory import AtomicRMWOp
from vyre_dialect.passes.rewriting.moving import move, take_out
from vyre_dialect.passes.rewriting.reductions import reduction
from vyre_dialect.passes.rewriting.rewriters import building

LINE_BYTES = 64
"""Bytes between private copies: a line of the caches of CPUs."""


@dataclass
class Copies:
    """Updates that are done together at the end."""

    group: UpdateGroup
    rewriter: PatternRewriter

    @property
    def update(self) -> HasCombinerInterface:
        """One of the updates, which says how values combine."""
        return self.group.updates[0]

    @property
    def name(self) -> str:
        """The name of the buffer that is updated."""
        return self.group.name

    def combined(self, *values: Value) -> Value:
        """The combination of some values."""
        return Value(reduce(self.update.combine, [value.ssa for value in values]))

    def neutral(self) -> Value:
        """The value that changes nothing."""
        return Value(arith.ConstantOp(self.update.get_neutral_value()).result)

    def changes(self, value: Value) -> Value:
        """Whether an update by `value` changes anything."""
        return value.ne(self.neutral())

    def flush(self, value: Value, index: SSAValue | int | None) -> None:
        """Update an element by `value`, at the current place."""
        update = self.update.clone()
        update.operands[update.value_operand] = value.ssa
        if isinstance(index, SSAValue):
            update.redirect(update.get_accesses()[0], self.group.buffer, index)

    def flush_element(self, value: Value, element: Value) -> None:
        """Update an element by what copies hold of it, if that changes it."""
        with if_(self.changes(value)):
            self.flush(value, element.ssa)


@dataclass
class Sum(Copies):
    """An element that is updated once at the end, by one value."""

    cells: Buffer | None = None
    """A value for each invocation of the workgroup, unless each invocation updates by its own."""
    lanes: tuple[int, ...] = (1,)
    """Vectors of so many lanes, or numbers, are carried, each for the updates by as many."""

    def part_of(self, op: HasCombinerInterface) -> int:
        """Which of what is carried an update changes."""
        return self.lanes.index(lanes_of(op)) if len(self.lanes) > 1 else 0

    def drop_guards(self) -> None:
        """Take updates out of branches that only ask whether they change anything."""
        for op in self.group.updates:
            while (guard := _guard_of(op)) is not None:
                move([op], InsertPoint.before(guard), self.rewriter)

    def start(self) -> list[Value]:
        """What is carried before the first update."""
        neutral = self.neutral()
        return [neutral.broadcast(lanes) if lanes > 1 else neutral for lanes in self.lanes]

    def total(self, carried: Sequence[Value]) -> Value:
        """What is carried as one value."""
        return self.combined(*map(self._number, carried))

    def flushed(self, total: Value) -> Iterator[tuple[Sum, Value]]:
        """The elements that are updated at the end, and by what."""
        yield self, total

    def _number(self, carried: Value) -> Value:
        is_vector = isinstance(carried.type, VectorType)
        return reduction(self.combined, carried) if is_vector else carried

    def combine(self, op: Operation, slot: int, values: Mapping[int, SSAValue]) -> SSAValue:
        """Combine what `op` updates by with the value before it, in its place."""
        assert isinstance(op, HasCombinerInterface)
        value = values[slot]
        is_vector = isinstance(value.type, VectorType)
        given = vector_of(op) if is_vector else op.operands[op.value_operand]
        assert given is not None
        with building(self.rewriter, InsertPoint.before(op)):
            combined = op.combine(value, given)
        combined.name_hint = value.name_hint
        if op is self.update:
            take_out(op, self.rewriter)  # until the end asks how to update
        else:
            self.rewriter.erase(op)
        return combined


@dataclass
class RowSum(Sum):
    """Elements that are updated once at the end, by the lanes of one vector."""

    parts: Sequence[Sum] = ()
    """The element of each lane."""

    @classmethod
    def of(cls, parts: Sequence[Sum]) -> RowSum:
        """What carries the sums of all lanes of a vector, in their order."""
        updates = [op for part in parts for op in part.group.updates]
        first = parts[0]
        group = UpdateGroup(first.group.buffer, None, first.group.divergence, updates)
        return cls(group, first.rewriter, lanes=(len(parts),), parts=parts)

    def total(self, carried: Sequence[Value]) -> Value:
        """What is carried, lane by lane."""
        return carried[0]

    def flushed(self, total: Value) -> Iterator[tuple[Sum, Value]]:
        """The elements of the lanes, each by its own."""
        yield from ((part, total.lane(lane)) for lane, part in enumerate(self.parts))

    def combine(self, op: Operation, slot: int, values: Mapping[int, SSAValue]) -> SSAValue:
        """Combine the vector with the one before it, in the place of the first lane's update."""
        assert isinstance(op, HasCombinerInterface)
        value, taken = values[slot], lane_taken(op)
        if op is self.update:
            assert taken is not None
            with building(self.rewriter, InsertPoint.before(op)):
                combined = op.combine(value, taken.vector)
            combined.name_hint, value = value.name_hint, combined
        take_out(op, self.rewriter)  # until the end asks how to update
        return value


@dataclass(frozen=True)
class TakenLane:
    """A lane of a vector."""

    vector: SSAValue
    lane: int


def lane_taken(op: HasCombinerInterface) -> TakenLane | None:
    """The lane of a vector that an update is by, if it is by one, and combines vectors, too."""
    if not isinstance(op, AtomicRMWOp) or op.combination is None:
        return None
    taken = op.operands[op.value_operand].owner
    if not isinstance(taken, vector.ExtractOp) or not (lanes := taken_lanes(taken)):
        return None
    return TakenLane(taken.vector, *lanes)


def rows_of(sums: Sequence[Sum]) -> list[Sum]:
    """The sums, those together that the lanes of one vector update, each lane by one update."""
    rows = dict[Hashable, dict[int, Sum]]()
    for each in sums:
        taken = lane_taken(each.update)
        if taken is not None and len(each.group.updates) == 1 and each.cells is None:
            (access,) = each.update.get_accesses()
            key = each.update.parent, taken.vector, access.buffer, access.combiner
            rows.setdefault(key, {})[taken.lane] = each
    whole = [
        [row[lane] for lane in range(len(row))]
        for row in rows.values()
        if (taken := lane_taken(row[min(row)].update)) and len(row) == lane_count(taken.vector.type)
    ]
    joined = {id(part) for row in whole for part in row}
    return [*(each for each in sums if id(each) not in joined), *map(RowSum.of, whole)]


def _guard_of(op: HasCombinerInterface) -> scf.IfOp | None:
    """The branch that an update stands in, if all it asks is whether that changes anything."""
    guard = op.parent_op()
    if not isinstance(guard, scf.IfOp) or op.parent_region() is not guard.true_region:
        return None
    if any(_is_computed_beside(operand, op) for operand in op.operands):
        return None
    value, condition = op.operands[op.value_operand], guard.cond.owner
    if not isinstance(condition, arith.CmpiOp) or Comparison.of(condition).predicate != "ne":
        return None
    asked = {condition.lhs: condition.rhs, condition.rhs: condition.lhs}.get(value)
    neutral = op.get_neutral_value().value.data
    return guard if asked is not None and integer_of(asked) == neutral else None


def _is_computed_beside(value: SSAValue, op: Operation) -> bool:
    return isinstance(value.owner, Operation) and value.owner.parent is op.parent


def lanes_of(op: HasCombinerInterface) -> int:
    """How many lanes of a vector `op` updates by, combined; 1 where it updates by no vector."""
    vector = vector_of(op)
    return 1 if vector is None else lane_count(vector.type)


def vector_of(op: HasCombinerInterface) -> SSAValue | None:
    """The vector of the lanes that `op` updates by, if it updates by all of them combined."""
    if not isinstance(op, AtomicRMWOp) or (combination := op.combination) is None:
        return None
    return reduced_vector(op.value, combination)


@dataclass
class SharedCopies(Copies):
    """
    A small buffer of which a workgroup has copies, element by element. Neighbours update different
    ones, so that those who choose one element rarely wait for each other.
    """

    cells: Buffer
    count: int
    """Elements of the buffer."""
    copies: int

    def nothing(self) -> Value:
        """What copies hold at first."""
        return self.neutral()

    def begin(self, lane: Value, size: int) -> None:
        """Set the copies to what changes nothing, together with the others of `size` lanes."""
        neutral = self.nothing()
        with for_(lane, self.count * self.copies, size) as cells:
            self.cells.store(neutral, cells.counter.named("cell"), in_bounds=True)

    def take_updates(self, lane: Value) -> None:
        """Let all updates go to the copy of the lane."""
        copy = None if self.copies == 1 else (lane % self.copies).named("copy")
        for op in self.group.updates:
            self._redirect(op, copy)

    def _redirect(self, op: HasCombinerInterface, copy: Value | None) -> None:
        """Let `op` update a copy."""
        is_inside = self.is_inside(op)
        with building(self.rewriter, InsertPoint.before(op)):
            index = self.of_copy(op, copy)
        op.redirect(op.get_accesses()[0], self.cells.ssa, index.ssa)
        if is_inside:
            op.properties[IN_BOUNDS] = UnitAttr()
        self.rewriter.notify_op_modified(op)

    def is_inside(self, op: HasCombinerInterface) -> bool:
        """Whether what `op` updates is known to lie in the buffer."""
        return IN_BOUNDS in op.properties

    def of_copy(self, op: HasCombinerInterface, copy: Value | None) -> Value:
        """The place of what `op` updates in a copy; outside of that if outside of the buffer."""
        index = Value(chosen_by(op))
        if copy is None:
            return index
        if not self.is_inside(op):  # where the product might wrap around
            index = Value(arith.MinUIOp(index.ssa, constant(self.count).ssa).result)
        return index * self.copies + copy

    def copy_in_turn(self, turn: Value, element: Value) -> Value:
        """The copy to look at: each element begins with another, as first ones may share a bank."""
        return (turn + element) % self.copies

    def end(self, lane: Value, size: int) -> None:
        """Update each element by what the copies hold, together with the others."""
        if self.count == size:
            self.end_element(lane)
        elif self.count < size:
            with if_(lane < self.count):
                self.end_element(lane)
        else:
            with for_(lane, self.count, size) as elements:
                self.end_element(elements.counter.named("element"))

    def end_element(self, element: Value) -> None:
        """Update an element by what all copies hold of it."""
        self.flush_element(self.held(element).named(self.name), element)

    def held(self, element: Value) -> Value:
        """The combination of what the copies of an element hold."""
        if self.copies == 1:
            return self.cells.load(element, in_bounds=True)
        lanes = VectorType(self.cells.type.element_type, [self.copies])
        values = self.cells.load(element * self.copies, lanes, in_bounds=True)
        return self.combined(*(values.lane(number) for number in range(self.copies)))


def chosen_by(op: HasCombinerInterface) -> SSAValue:
    """What chooses the element that is updated."""
    (access,) = op.get_accesses()
    assert isinstance(access.index, SSAValue)
    return access.index


def _loop_in_turns(op: Operation) -> scf.ForOp | None:
    """The loop that does an op once in an iteration at most, if several run side by side."""
    loop = op.parent_op()
    while isinstance(loop, scf.IfOp):
        loop = loop.parent_op()
    if not isinstance(loop, scf.ForOp) or integer_of(loop.step) != 1:
        return None
    factor = loop.attributes.get(UNROLL)
    is_several = isinstance(factor, IntegerAttr) and factor.value.data != 1
    return loop if is_several and isinstance(loop.lb.type, IndexType) else None


def turns_side_by_side(op: Operation) -> int:
    """How many iterations of such a loop run side by side; one without it."""
    loop = _loop_in_turns(op)
    factor = None if loop is None else loop.attributes[UNROLL]
    return factor.value.data if isinstance(factor, IntegerAttr) else 1


def counter_of_turns(op: Operation) -> Value | None:
    """The counter of such a loop."""
    loop = _loop_in_turns(op)
    return None if loop is None else Value(loop.body.block.args[0])


@dataclass
class PrivateCopies(Copies):
    """
    A small buffer of which each invocation has copies, one behind the other in one buffer. Its
    updates take turns, so that one that chooses the element of the one before rarely waits for
    what that has stored. Compilers keep to the turns of updates of one buffer; those of several,
    they may sort by buffer. Between the copies there is room for what lies outside, and so that
    places of an element in them do not agree in the low bits by which CPUs tell addresses apart.
    """

    cells: Buffer
    count: int
    """Elements of the buffer, and of each copy."""
    copies: int

    @staticmethod
    def distance(count: int, copies: int, element_bytes: int) -> int:
        """How many elements a copy takes, with the room behind it."""
        return count + max(LINE_BYTES // element_bytes, 1) if copies > 1 else count

    @property
    def _distance(self) -> int:
        size = element_bytes(self.group.value_type)
        assert size is not None
        return self.distance(self.count, self.copies, size)

    def begin(self) -> None:
        """Set the copies to what changes nothing."""
        neutral = self.neutral()
        with for_(0, self._distance * self.copies, unroll=1) as cells:
            self.cells.store(neutral, cells.counter.named("cell"), in_bounds=True)

    def take_updates(self) -> None:
        """Let each update go to the copy behind that of the one before."""
        counters = list(map(counter_of_turns, self.group.updates))
        loops = [None if each is None else each.ssa for each in counters]
        beside = Counter(loops)
        before = Counter[SSAValue | None]()
        updates = zip(self.group.updates, counters, loops, strict=True)
        for number, (op, counter, loop) in enumerate(updates):
            turn = number if counter is None else before[loop]
            with building(self.rewriter, InsertPoint.before(op)):
                self._update(op, self._turn(counter, turn, beside[loop]))
            before[loop] += 1
            take_out(op, self.rewriter)  # until the end asks how to update

    def _turn(self, counter: Value | None, turn: int, beside: int) -> Value | int:
        """
        The copy that an update goes to, of several `beside` each other in a loop: behind that of
        the one before, also from one iteration to the next.
        """
        # Where each iteration would come to the same copies, it begins with the first.
        if counter is None or beside % self.copies == 0:
            return turn % self.copies
        return (counter * beside + turn) & (self.copies - 1)

    def _update(self, op: HasCombinerInterface, copy: Value | int) -> None:
        """Do to a copy what `op` does; what lies outside of the buffer lies outside of that."""
        index, in_bounds = Value(chosen_by(op)), IN_BOUNDS in op.properties
        if self.copies > 1 and not in_bounds:  # the gaps between the copies are never read
            index = Value(arith.MinUIOp(index.ssa, constant(self.count).ssa).result)
            in_bounds = True
        index = self._of_copy(index, copy)
        before = self.cells.load(index, in_bounds=in_bounds).named(self.name)
        value = self.combined(before, Value(op.operands[op.value_operand])).named(self.name)
        self.cells.store(value, index, in_bounds=in_bounds)

    def _of_copy(self, element: Value, copy: Value | int) -> Value:
        """The place of an element in a copy."""
        is_first = isinstance(copy, int) and copy == 0
        return element if is_first else element + copy * self._distance

    def end(self) -> None:
        """Update each element by what the copies hold."""
        with for_(0, self.count, unroll=1) as elements:
            element = elements.counter.named("element")
            places = [self._of_copy(element, copy) for copy in range(self.copies)]
            values = [self.cells.load(place, in_bounds=True) for place in places]
            self.flush_element(self.combined(*values).named(self.name), element)
        for op in self.group.updates:
            self.rewriter.erase(op)
