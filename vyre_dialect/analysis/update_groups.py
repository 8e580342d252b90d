"""Updates of an arm that may be done together: which they are, and what makes them differ."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from vyre_dialect.analysis.divergence import Divergence, DivergenceAnalysis
from vyre_dialect.analysis.guards import Comparison
from vyre_dialect.analysis.nesting import can_carry_to, is_in_loop
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.effects import states_effects
from vyre_dialect.ir.interfaces import (
    BufferAccess,
    HasAccessesInterface,
    HasCombinerInterface,
    accesses_of,
    buffers_of,
    ops_around,
)
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import Axis, BufferType, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import LocalIdOp
from vyre_dialect.ops.program import RegionOp


@dataclass
class UpdateGroup:
    """
    Updates that commute: of one element, or, where what it is depends on the iteration or on
    memory, of elements of one buffer.
    """

    buffer: SSAValue
    index: SSAValue | int | None
    divergence: Divergence
    """What can make the element differ; of several elements, that of the first."""
    updates: list[HasCombinerInterface] = field(default_factory=list[HasCombinerInterface])

    @property
    def name(self) -> str:
        """The name of the buffer."""
        assert isinstance(self.buffer.owner, BufferOp)
        return self.buffer.owner.sym_name.data

    @property
    def value_type(self) -> Attribute:
        """The type of what elements are updated by."""
        update = self.updates[0]
        return update.operands[update.value_operand].type

    @property
    def count(self) -> int | None:
        """How many elements the buffer has, if known, and of the type of what updates them."""
        type = self.buffer.type
        assert isinstance(type, BufferType)
        return type.static_count if self.value_type == type.element_type else None

    @property
    def is_repeated(self) -> bool:
        """Whether an invocation may update the element several times."""
        return len(self.updates) > 1 or any(map(is_in_loop, self.updates))

    @property
    def comes_back(self) -> bool:
        """Whether a loop of an invocation updates again what it has updated before."""
        return any(_is_where_it_was(op) for op in self.updates)

    def by_one_invocation(self, workgroup: Sequence[int]) -> bool:
        """Whether of a workgroup of these sizes only one invocation may update."""
        return all(_is_in_one_invocation(op, workgroup) for op in self.updates)


def update_groups(
    arm: RegionOp, analysis: DivergenceAnalysis, *, floats: bool = False
) -> list[UpdateGroup]:
    """
    The updates of global buffers that the arm does nothing else with than updating in any order.
    Additions of floats depend on the order, so that they count only if asked for.
    """
    groups = dict[Hashable, UpdateGroup]()
    commuting = _commuting_buffers(arm)
    for op in ops_inside(arm.body):
        if not isinstance(op, HasCombinerInterface) or not _is_plain(op, floats=floats):
            continue
        (access,) = op.get_accesses()
        if access.buffer in commuting:
            divergence = analysis.of(access.index)
            place = _place(access.index, divergence)
            key = access.buffer, divergence.is_decided, place, op.name
            group = UpdateGroup(access.buffer, access.index, divergence)
            groups.setdefault(key, group).updates.append(op)
    return list(groups.values())


def _commuting_buffers(arm: RegionOp) -> set[SSAValue]:
    """The global buffers of which an arm sees nothing, and which it changes by one combiner."""
    combiners = dict[SSAValue, set[Hashable]]()
    for op in ops_inside(arm.body):
        for buffer in buffers_of(op):
            combiners.setdefault(buffer, set()).update(_combiners(op, buffer))
    return {
        buffer
        for buffer, found in combiners.items()
        if len(found) == 1 and None not in found and _is_global(buffer)
    }


def _combiners(op: Operation, buffer: SSAValue) -> Iterator[Hashable]:
    """What `op` updates a buffer by; None for anything else that it may do with it."""
    if not states_effects(op):
        yield None
    for access in accesses_of(op):
        if access.buffer is buffer:
            yield access.combiner


def _is_global(buffer: SSAValue) -> bool:
    return isinstance(buffer.type, BufferType) and buffer.type.space == MemorySpace.GLOBAL


def _is_plain(op: HasCombinerInterface, *, floats: bool) -> bool:
    """Whether an op does one update, whose value and place can be told from each other."""
    accesses = op.get_accesses()
    if len(accesses) != 1 or op.regions or any(result.uses for result in op.results):
        return False
    (access,) = accesses
    value = op.operands[op.value_operand]
    known = [value, access.buffer, access.index]
    return (
        access.count == 1
        and _has_place(op, access)
        and all(any(operand is each for each in known) for operand in op.operands)
        and isinstance(value.type, (IntegerType, AnyFloat) if floats else IntegerType)
        and can_carry_to(op)
    )


def _has_place(op: HasAccessesInterface, access: BufferAccess) -> bool:
    return isinstance(access.index, int) or (access.index is not None and op.can_redirect(access))


def _place(index: SSAValue | int | None, divergence: Divergence) -> Hashable:
    """What is equal for updates of one element; nothing tells elements apart that iterations do."""
    if isinstance(index, int) or not divergence.is_invariant:
        return index if isinstance(index, int) else None
    assert index is not None
    number = integer_of(index)
    return index if number is None else number


def _is_where_it_was(op: HasCombinerInterface) -> bool:
    """Whether the place of an update is the same in all iterations of a loop around it."""
    (access,) = op.get_accesses()
    loops = (parent for parent in ops_around(op) if isinstance(parent, scf.ForOp))
    return any(not _depends_on(access.index, loop) for loop in loops)


def _depends_on(value: SSAValue | int | None, loop: scf.ForOp) -> bool:
    """Whether a value may be another one in each iteration of a loop."""
    pending, seen = [value], set[SSAValue | int | None]()
    while pending:
        if (value := pending.pop()) in seen or not isinstance(value, SSAValue):
            continue
        seen.add(value)
        owner = value.owner
        made_by = owner.parent_op() if isinstance(owner, Block) else owner
        if made_by is None or not loop.is_ancestor(made_by):
            continue
        is_counter = isinstance(made_by, scf.ForOp) and value is made_by.body.block.args[0]
        if made_by is loop or (made_by.regions and not is_counter):
            return True
        pending.extend(made_by.operands)
    return False


def _is_in_one_invocation(op: Operation, workgroup: Sequence[int]) -> bool:
    axes = {axis for axis, size in zip(Axis, workgroup, strict=False) if size > 1}
    inner = op
    for parent in ops_around(op):
        if isinstance(parent, scf.IfOp) and inner.parent_region() is parent.true_region:
            axes -= set(_fixed_axes(parent.cond))
        inner = parent
    return not axes


def _fixed_axes(condition: SSAValue) -> Iterator[Axis]:
    """The axes along which only one invocation of a workgroup fulfils a condition."""
    pending = [condition]
    while pending:
        op = pending.pop().owner
        if isinstance(op, arith.AndIOp):
            pending.extend(op.operands)
        if isinstance(op, arith.CmpiOp) and Comparison.of(op).predicate == "eq":
            ids = [each.owner for each in (op.lhs, op.rhs) if isinstance(each.owner, LocalIdOp)]
            if len(ids) == 1 and None is not (integer_of(op.rhs) if ids[0].id is op.lhs else None):
                yield ids[0].axis.data
