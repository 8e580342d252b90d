"""
What makes a value of an arm differ: from one invocation to another, or from one time to the next.

One lattice for all who ask: barriers (is control flow uniform in a workgroup?), vectors (do
neighbours differ?), loops over work-items (does one computation serve a workgroup?), and code that
moves (can it be computed anywhere?). A fact is the set of all that may make a value differ, joined
by union, so that the largest claims that hold together are found, also through loops. Source:
Karrenberg and Hack, "Whole-function vectorization".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from enum import Flag, IntEnum, auto
from functools import cached_property, reduce
from typing import Self

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from vyre_dialect.analysis.forward_analysis import (
    Computed,
    Counter,
    ForwardAnalysis,
    Merged,
    Rule,
    origin_of,
    steering_of,
)
from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.ir.effects import is_total, states_effects
from vyre_dialect.ir.interfaces import (
    AccessKind,
    AlongAxis,
    BufferAccess,
    Convergent,
    HasAccessesInterface,
    HasInvocationsInterface,
    Id,
    UniformOperands,
    accesses_of,
    ids_of,
    is_convergent,
    ops_around,
)
from vyre_dialect.ir.traversal import free_operands, ops_inside
from vyre_dialect.ir.types import Axis, AxisAttr, BufferType, MemorySpace
from vyre_dialect.ir.verification import reject


class Scope(IntEnum):
    """Groups of invocations, each inside of the one before it."""

    PROGRAM = 0
    """All invocations of an arm or launch."""
    WORKGROUP = 1
    SUBGROUP = 2
    INVOCATION = 3
    """A single one."""


class Divergence(Flag):
    """What may make a value differ. Among invocations, those are compared that compute it alike."""

    UNIFORM = 0
    WORKGROUP = auto()
    """The workgroup that an invocation is in."""
    SUBGROUP = auto()
    """The subgroup that it is in."""
    X = auto()
    """Its place along x, in the workgroup or the domain."""
    Y = auto()
    Z = auto()
    PLACE = auto()
    """
    Where it is computed: the iteration of a loop, or the path; or it may be computed nowhere else.
    """
    DATA = auto()
    """What memory, or another invocation, holds."""
    WRITES = auto()
    """When memory is read that is written between the same two barriers."""

    INVOCATION = X | Y | Z
    ANY = WORKGROUP | SUBGROUP | X | Y | Z | PLACE | DATA | WRITES

    @property
    def scope(self) -> Scope:
        """The largest group whose invocations have the same value."""
        if self & Divergence.INVOCATION:
            return Scope.INVOCATION
        if self & Divergence.SUBGROUP:
            return Scope.SUBGROUP
        return Scope.WORKGROUP if self & Divergence.WORKGROUP else Scope.PROGRAM

    @property
    def is_invariant(self) -> bool:
        """
        Whether it is the same in all that an invocation does, and computed by ops without regions
        or effects, so that it can be computed anywhere in the arm.
        """
        return not self & (Divergence.PLACE | Divergence.DATA)

    @property
    def is_decided(self) -> bool:
        """Whether ids, paths and loop counters decide it, whatever memory holds."""
        return not self & Divergence.DATA


_ALONG_X = Divergence.WORKGROUP | Divergence.SUBGROUP | Divergence.X | Divergence.WRITES
_ALONG = {Axis.X: Divergence.X, Axis.Y: Divergence.Y, Axis.Z: Divergence.Z}
_OF_IDS = {
    Id.WORKGROUP: Divergence.WORKGROUP,
    Id.SUBGROUP: Divergence.SUBGROUP,
    Id.LANE: Divergence.INVOCATION,
    Id.LOCAL: Divergence.INVOCATION,
    Id.INVOCATION: Divergence.INVOCATION,
}
_OF_SPACES = {
    MemorySpace.PRIVATE: Divergence.INVOCATION,
    MemorySpace.WORKGROUP: Divergence.WORKGROUP,
}


class DivergenceAnalysis(ForwardAnalysis[SSAValue, int], Analysis):
    """
    What makes the values of one arm or kernel differ. Values from around it are the host's, and
    uniform.

    With `together`, values are those of workgroups that become one invocation each: a workgroup
    goes through these ops together, and each of its invocations through any other by itself, which
    is then done as a whole, and for all only if one doing serves all.
    """

    start = Divergence.UNIFORM.value
    """Facts are kept as numbers, since `Flag` takes thirty times as long to join."""

    def __init__(
        self, arm: HasInvocationsInterface, together: AbstractSet[Operation] | None = None
    ):
        super().__init__()
        self._arm = arm
        self._together = together
        self._written = dict[Operation, AbstractSet[SSAValue]]()
        """The buffers that are written between the same two barriers as each op."""

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        """The values of an arm or kernel."""
        assert isinstance(scope, HasInvocationsInterface)
        return cls(scope)

    def of(self, value: SSAValue | int | None) -> Divergence:
        """What may make `value` differ; None is an unknown value."""
        if value is None:
            return Divergence.ANY
        return Divergence.UNIFORM if isinstance(value, int) else Divergence(self.fact(value))

    def is_uniform(self, value: SSAValue, scope: Scope = Scope.WORKGROUP) -> bool:
        """Whether all invocations of a group that get to `value` compute the same."""
        return self.of(value).scope <= scope

    def is_shared(self, value: SSAValue) -> bool:
        """Whether one computation of `value`, anywhere between two barriers, serves a workgroup."""
        divergence = self.of(value)
        return divergence.scope <= Scope.WORKGROUP and not divergence & Divergence.WRITES

    def differs_along_x(self, value: SSAValue) -> bool:
        """Whether neighbours along x may differ in `value`, whenever each of them computes it."""
        return bool(self.of(value) & _ALONG_X)

    def takes_one_path(self, op: Operation) -> bool:
        """Whether all invocations of a workgroup go through the regions of `op` alike."""
        steering = steering_of(op)
        return steering is not None and all(map(self.is_uniform, steering))

    def rule(self, node: SSAValue) -> Rule[SSAValue, int]:
        """At least what its op says, and what it is computed from."""
        if not is_computed_in(self._arm, node):
            return _joined((), Divergence.UNIFORM)
        op = node.owner.parent_op() if isinstance(node.owner, Block) else node.owner
        assert op is not None
        if self._together is None or op in self._together:
            return self._value_rule(node)
        if isinstance(node, BlockArgument):
            return _joined((), Divergence.ANY)
        own = reduce(Divergence.__or__, map(self._own_when_done_once, ops_inside(op)))
        return _joined(free_operands(op), own)

    def _value_rule(self, value: SSAValue) -> Rule[SSAValue, int]:
        match origin_of(value):
            case Computed(op):
                own = self._own(op)
                return _joined(op.operands, own, without=_evened_out(op))
            case Counter(begin, end, step):
                return _joined((begin, end, step), Divergence.PLACE)
            case Merged(sources, steering):
                return _joined((*steering, *sources), Divergence.PLACE)
            case _:
                return _joined((), Divergence.ANY)

    def _own_when_done_once(self, op: Operation) -> Divergence:
        """As `_own`, of an op that one invocation would run for all, and only once."""
        if not states_effects(op) or any(access.writes for access in accesses_of(op)):
            return Divergence.ANY
        return self._own(op)

    def _own(self, op: Operation) -> Divergence:
        """What makes the results of `op` differ, whatever its operands do."""
        if (ids := ids_of(op)) is None:
            return Divergence.ANY
        found = Divergence.UNIFORM if is_total(op) else Divergence.PLACE
        if ids:
            found |= _of_ids(op, ids)
        if isinstance(op, HasAccessesInterface) or is_convergent(type(op)):
            found |= Divergence.DATA
        for access in accesses_of(op):
            found |= self._of_access(op, access)
        return found

    def _of_access(self, op: Operation, access: BufferAccess) -> Divergence:
        if access.kind == AccessKind.UPDATE:
            return Divergence.INVOCATION | Divergence.WRITES
        assert isinstance(access.buffer.type, BufferType)
        found = _OF_SPACES.get(access.buffer.type.space, Divergence.UNIFORM)
        return found | Divergence.WRITES if access.buffer in self._written_beside(op) else found

    def _written_beside(self, op: Operation) -> AbstractSet[SSAValue]:
        """The buffers that are written between the same two barriers."""
        while (parent := op.parent_op()) is not self._arm and parent not in self._cuts:
            assert parent is not None
            op = parent
        if op not in self._written:
            assert op.parent is not None
            self._look_at_pieces(op.parent)
        return self._written[op]

    def _look_at_pieces(self, block: Block) -> None:
        written = set[SSAValue]()
        for op in block.ops:
            if op in self._cuts:
                written = set[SSAValue]()
            self._written[op] = written
            accesses = (access for inner in ops_inside(op) for access in accesses_of(inner))
            written.update(access.buffer for access in accesses if access.writes)

    @cached_property
    def _cuts(self) -> AbstractSet[Operation]:
        """What a workgroup does together, and what stands around that."""
        return convergent_ops(self._arm) if self._together is None else self._together


def convergent_ops(arm: HasInvocationsInterface) -> set[Operation]:
    """The ops of an arm that its workgroups run together, and those around them."""
    found = set[Operation]()
    for op in ops_inside(arm.body):
        if is_convergent(type(op)):
            found.update((op, *ops_around(op)))
    return found


def is_computed_in(arm: HasInvocationsInterface, value: SSAValue) -> bool:
    """Whether an arm computes `value`, rather than sees it or is given it."""
    return value.owner is not arm.body.block and arm.body.is_ancestor(value.owner)


def _joined(
    sources: Sequence[SSAValue],
    own: Divergence,
    without: Divergence = Divergence.UNIFORM,
) -> Rule[SSAValue, int]:
    """All of what sources may differ by, but for what is evened out, and what a value adds."""
    added, kept = own.value, ~without.value

    def join(facts: Iterable[int]) -> int:
        found = 0
        for fact in facts:
            found |= fact
        return found & kept | added

    return Rule(sources, join)


def _of_ids(op: Operation, ids: Iterable[Id]) -> Divergence:
    found = reduce(Divergence.__or__, (_OF_IDS[each] for each in ids))
    axis = op.properties.get("axis") if op.has_trait(AlongAxis) else None
    if isinstance(axis, AxisAttr):
        found &= ~Divergence.INVOCATION | _ALONG[axis.data]
    return found


def _evened_out(op: Operation) -> Divergence:
    """What operands may differ by, but the results do not: a subgroup agrees on its own results."""
    return Divergence.INVOCATION if _is_of_subgroups(op) else Divergence.UNIFORM


def _is_of_subgroups(op: Operation) -> bool:
    """Whether a subgroup computes together what is the same in each of its lanes."""
    ids = ids_of(op) or ()
    return is_convergent(type(op)) and Id.SUBGROUP in ids and _AMONG_LANES.isdisjoint(ids)


_AMONG_LANES = frozenset({Id.LANE, Id.LOCAL, Id.INVOCATION})


# What a workgroup does together.


def verify_convergence(arm: HasInvocationsInterface) -> None:
    """
    Raise VerifyException unless the invocations of a workgroup reach each `Convergent` op of
    `arm` together, and give it the same operands where it asks for that.
    """
    analysis = DivergenceAnalysis(arm)
    for op in ops_inside(arm.body):
        if op.has_trait(Convergent):
            _verify_uniform_path(analysis, op)
        if op.has_trait(UniformOperands) and not all(map(analysis.is_uniform, op.operands)):
            reject(
                op,
                "expected operands that are the same in the whole workgroup, got one that "
                "differs between its invocations",
            )


def _verify_uniform_path(analysis: DivergenceAnalysis, op: Operation) -> None:
    for parent in ops_around(op):
        if not analysis.takes_one_path(parent):
            reject(
                op,
                f"expected uniform control flow, got a '{parent.name}' that the invocations of a "
                "workgroup may take differently",
            )
