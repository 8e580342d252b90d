"""
`vyre-aggregate-atomics`: updates of global memory that commute are combined before they are done.

    per invocation   one value, carried through branches and loops
    per workgroup    the values of its invocations by a tree in workgroup memory
                     (G. E. Blelloch, "Prefix sums and their applications", 1990),
                     or a copy of a small buffer whose elements the data choose
    at the end       one update of each element that is not neutral
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from math import prod
from typing import ClassVar, Literal

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, UnitAttr, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.builder import Buffer, Value, barrier, constant, for_, if_, local_id
from vyre_dialect.cooperation import unknown_op
from vyre_dialect.interfaces import IN_BOUNDS, HasCombinerInterface
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.ops.program import BufferOp, ProgramOp, RegionOp
from vyre_dialect.passes.analysis.update_groups import UpdateGroup, update_groups
from vyre_dialect.passes.analysis.variance import Variance, Variances
from vyre_dialect.passes.carried_values import Step, carry
from vyre_dialect.passes.expansions.host_side import unique_name
from vyre_dialect.passes.invocation_body import detached
from vyre_dialect.passes.whole_workgroups import fill_workgroups, lane_in, workgroup_bytes
from vyre_dialect.scheduling import Family, PassMetadata, Phase
from vyre_dialect.tuning import Parameter
from vyre_dialect.types import Axis, BufferType, MemorySpace, element_bytes

DEFAULT_BUDGET = 16384
"""Bytes of workgroup memory for all that an arm keeps there."""
MAX_COPIES = 16


@dataclass(frozen=True)
class AggregateAtomicsPass(ModulePass):
    """
    Combines updates of global buffers that commute and whose old values nobody sees.

    `scope` says how far: over what an invocation does, which leaves a data-parallel arm
    data-parallel, or over its workgroup. `copies` of a small buffer are kept by lane, so that
    neighbours who choose one element rarely wait for each other. `budget` is the bytes of
    workgroup memory that an arm may take. Updates by floats are left as they are unless
    `floats`, since their results depend on the order.
    """

    name = "vyre-aggregate-atomics"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.OUTLINE,
        Family.UNKNOWN,
        requires=("vyre-coarsen",),
        parameters=(
            Parameter("scope", ("invocation", "workgroup"), "invocation"),
            Parameter("copies", (1, 2, 4, 8, 16), 1),
        ),
    )

    scope: Literal["invocation", "workgroup"] = "invocation"
    copies: int = 1
    budget: int = DEFAULT_BUDGET
    floats: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self._verify_options()
        programs = [child for child in op.walk() if isinstance(child, ProgramOp)]
        for arm in [arm for program in programs for arm in program.arms()]:
            if unknown_op(arm.body) is None:
                _Aggregation(arm, self).apply()

    def _verify_options(self) -> None:
        if not 1 <= self.copies <= MAX_COPIES or self.copies & (self.copies - 1):
            raise PassFailedException(
                f"'{self.name}' expected copies to be a power of two up to {MAX_COPIES}, "
                f"got {self.copies}"
            )
        if self.budget < 0:
            raise PassFailedException(
                f"'{self.name}' expected no negative budget, got {self.budget}"
            )


@dataclass
class _Sum:
    """An element that is updated once at the end, by one value."""

    group: UpdateGroup
    cells: Buffer | None = None
    """A value for each invocation of the workgroup, unless each invocation updates by its own."""

    @property
    def update(self) -> HasCombinerInterface:
        """One of the updates, which says how values combine."""
        return self.group.updates[0]

    def combined(self, one: Value, other: Value) -> Value:
        """The combination of two values."""
        return Value(self.update.combine(one.ssa, other.ssa))

    def neutral(self) -> Value:
        """The value that changes nothing."""
        return _neutral(self.update)


@dataclass
class _Copy:
    """A small buffer of which each workgroup has copies, element by element."""

    group: UpdateGroup
    cells: Buffer
    count: int
    """Elements of the buffer."""
    copies: int

    @property
    def update(self) -> HasCombinerInterface:
        """One of the updates, which says how values combine."""
        return self.group.updates[0]


@dataclass
class _Aggregation:
    """Aggregates the updates of one arm."""

    arm: RegionOp
    options: AggregateAtomicsPass
    sums: list[_Sum] = field(default_factory=list[_Sum])
    copies: list[_Copy] = field(default_factory=list[_Copy])

    def __post_init__(self) -> None:
        self.size = prod(self.arm.workgroup)
        self.variances = Variances(self.arm)
        self.free = self.options.budget - workgroup_bytes(self.arm)

    def apply(self) -> None:
        """Aggregate what can be, if there is anything."""
        for group in update_groups(self.arm, floats=self.options.floats):
            self._plan(group)
        if not self.copies and not self.sums:
            return
        if self._is_cooperative:
            fill_workgroups(self.arm)
        body = self.arm.body.block
        start = Block()
        with ImplicitBuilder(start):
            self._begin_copies()
            initial = [each.neutral().named(_name(each.group)) for each in self.sums]
        assert body.first_op is not None
        Rewriter.insert_op(detached(start), InsertPoint.before(body.first_op))
        values = carry(body, [value.ssa for value in initial], self._steps())
        with ImplicitBuilder(body):
            self._finish([Value(value) for value in values])

    @property
    def _is_cooperative(self) -> bool:
        """Whether the invocations of a workgroup combine what they have."""
        return bool(self.copies) or any(each.cells for each in self.sums)

    # What to do with each group.

    def _plan(self, group: UpdateGroup) -> None:
        if group.variance == Variance.WORKGROUP and self._is_shared(group):
            cells = self._cells(group, self.size)
            if cells is not None:
                self.sums.append(_Sum(group, cells))
                return
        if group.variance <= Variance.INVOCATION and group.is_repeated:
            self.sums.append(_Sum(group))
        if group.variance == Variance.DATA and self._may_share:
            self._plan_copy(group)

    @property
    def _may_share(self) -> bool:
        return self.options.scope == "workgroup" and self.size > 1

    def _is_shared(self, group: UpdateGroup) -> bool:
        return self._may_share and not group.by_one_invocation(self.arm.workgroup)

    def _plan_copy(self, group: UpdateGroup) -> None:
        type = group.buffer.type
        assert isinstance(type, BufferType)
        count = type.static_count
        can_redirect = all(op.can_redirect(op.get_accesses()[0]) for op in group.updates)
        value = group.updates[0].operands[group.updates[0].value_operand]
        if count is None or not can_redirect or value.type != type.element_type:
            return
        copies = self.options.copies
        if (cells := self._cells(group, count * copies)) is not None:
            self.copies.append(_Copy(group, cells, count, copies))

    def _cells(self, group: UpdateGroup, count: int) -> Buffer | None:
        """Workgroup memory for `count` values, or None where there is not enough."""
        update = group.updates[0]
        type = update.operands[update.value_operand].type
        size = element_bytes(type)
        if size is None or size * count > self.free:
            return None
        self.free -= size * count
        cells = BufferOp(
            unique_name(self.arm.program, f"{_name(group)}_of_group"),
            BufferType(count, type, memory_space=MemorySpace.WORKGROUP),
        )
        Rewriter.insert_op(cells, InsertPoint.before(self.arm))
        return Buffer(cells.buffer)

    # What happens to the updates.

    def _begin_copies(self) -> None:
        """Set the copies to what changes nothing, and let the updates go to them."""
        if not self.copies:
            return
        lane = lane_in(self.arm.workgroup)
        for each in self.copies:
            neutral = _neutral(each.update)
            with for_(lane, each.cells.type.static_count or 0, self.size) as cells:
                _store(each.cells, neutral, cells.counter.named("cell"))
        barrier(MemorySpace.WORKGROUP)
        for each in self.copies:
            copy = None if each.copies == 1 else (lane % each.copies).named("copy")
            for op in each.group.updates:
                _redirect_to_copy(op, each, copy)

    def _steps(self) -> dict[Operation, Step]:
        """What each of the updates does to the value that is carried in its place."""
        return {
            op: Step(slot, partial(_combine, each, op, slot))
            for slot, each in enumerate(self.sums)
            for op in each.group.updates
        }

    # The end of the arm.

    def _finish(self, values: Sequence[Value]) -> None:
        """Combine the values of a workgroup, and update each element once."""
        shared = [each for each in self.sums if each.cells is not None]
        if self._is_cooperative:
            lane = lane_in(self.arm.workgroup)
            for each, value in zip(self.sums, values, strict=True):
                if each.cells is not None:
                    _store(each.cells, value, lane)
            barrier(MemorySpace.WORKGROUP)
            if shared:
                self._combine_lanes(shared, lane)
            for each in self.copies:
                self._flush_copy(each, lane)
        if shared:
            with if_(self._is_first()):
                for each in shared:
                    assert each.cells is not None
                    self._flush(each, _load(each.cells, constant(0)).named(_name(each.group)))
        for each, value in zip(self.sums, values, strict=True):
            if each.cells is None:
                self._flush(each, value)

    def _combine_lanes(self, shared: Sequence[_Sum], lane: Value) -> None:
        """Combine the upper half of the values with the lower one until one is left."""
        with for_(0, (self.size - 1).bit_length(), carry=[self.size]) as steps:
            (left,) = steps.named("left")
            half = ((left + 1) >> 1).named("half")
            with if_(lane < left - half):
                for each in shared:
                    assert each.cells is not None
                    other = _load(each.cells, lane + half)
                    _store(each.cells, each.combined(_load(each.cells, lane), other), lane)
            barrier(MemorySpace.WORKGROUP)
            steps.yields(half)

    def _is_first(self) -> Value:
        """Whether the invocation is the first one of its workgroup."""
        sizes = zip(Axis, self.arm.workgroup, strict=True)
        return reduce(Value.__and__, [local_id(axis).eq(0) for axis, size in sizes if size > 1])

    def _flush(self, sum: _Sum, value: Value) -> None:
        """Update the element of a sum by `value`, if that changes it."""
        with if_(value.ne(sum.neutral())):
            index = sum.group.index
            if isinstance(index, SSAValue):
                index = self.variances.computed_again(index)
            _update(sum.update, value, sum.group.buffer, index)
        sum.update.erase()

    def _flush_copy(self, copy: _Copy, lane: Value) -> None:
        """Update each element of a buffer by what its copies hold."""
        if copy.count == self.size:
            self._flush_element(copy, lane)
        elif copy.count < self.size:
            with if_(lane < copy.count):
                self._flush_element(copy, lane)
        else:
            with for_(lane, copy.count, self.size) as elements:
                self._flush_element(copy, elements.counter.named("element"))

    def _flush_element(self, copy: _Copy, element: Value) -> None:
        value = _load_copies(copy, element).named(_name(copy.group))
        with if_(value.ne(_neutral(copy.update))):
            _update(copy.update, value, copy.group.buffer, element.ssa)


def _name(group: UpdateGroup) -> str:
    assert isinstance(group.buffer.owner, BufferOp)
    return group.buffer.owner.sym_name.data


def _neutral(update: HasCombinerInterface) -> Value:
    return Value(arith.ConstantOp(update.get_neutral_value()).result)


def _combine(sum: _Sum, op: Operation, slot: int, values: Mapping[int, SSAValue]) -> SSAValue:
    """Combine what `op` updates by with the value before it, in its place."""
    assert isinstance(op, HasCombinerInterface)
    value = values[slot]
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        combined = op.combine(value, op.operands[op.value_operand])
    combined.name_hint = value.name_hint
    if op is sum.update:
        op.detach()  # until the end asks how to update
    else:
        Rewriter.erase_op(op)
    return combined


def _update(
    like: HasCombinerInterface, value: Value, buffer: SSAValue, index: SSAValue | int | None
) -> None:
    """An update of an element by `value`, at the current place."""
    update = like.clone()
    update.operands[update.value_operand] = value.ssa
    if isinstance(index, SSAValue):
        update.redirect(update.get_accesses()[0], buffer, index)


def _redirect_to_copy(op: HasCombinerInterface, copy: _Copy, number: Value | None) -> None:
    """Let `op` update a copy instead; what lies outside of the buffer lies outside of that."""
    (access,) = op.get_accesses()
    assert isinstance(access.index, SSAValue)
    in_bounds = IN_BOUNDS in op.properties
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        index = Value(access.index)
        if number is not None:
            if not in_bounds:  # where the product might wrap around
                index = Value(arith.MinUIOp(index.ssa, constant(copy.count).ssa).result)
            index = index * copy.copies + number
    op.redirect(access, copy.cells.ssa, index.ssa)
    if in_bounds:
        op.properties[IN_BOUNDS] = UnitAttr()


def _load_copies(copy: _Copy, element: Value) -> Value:
    """The combination of what the copies of an element hold."""
    if copy.copies == 1:
        return _load(copy.cells, element)
    lanes = VectorType(copy.cells.type.element_type, [copy.copies])
    values = _load(copy.cells, element * copy.copies, lanes)
    combine = copy.update.combine
    each = [values.lane(number).ssa for number in range(copy.copies)]
    return Value(reduce(combine, each))


def _load(cells: Buffer, position: Value, type: Attribute | None = None) -> Value:
    """Load from a position that lies inside."""
    load = LoadOp(cells.ssa, position.ssa, type)
    load.in_bounds = UnitAttr()
    return Value(load.value)


def _store(cells: Buffer, value: Value, position: Value) -> None:
    """Store to a position that lies inside."""
    StoreOp(value.ssa, cells.ssa, position.ssa).in_bounds = UnitAttr()
