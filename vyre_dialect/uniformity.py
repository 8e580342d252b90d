"""Which values are the same in all invocations of a workgroup, and where control flow is."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.interfaces import (
    AccessKind,
    Convergent,
    HasInvocationsInterface,
    Id,
    UniformOperands,
    accesses_of,
    ids_of,
)
from vyre_dialect.types import BufferType, MemorySpace

_DIVERGENT = frozenset({Id.INVOCATION, Id.LOCAL, Id.SUBGROUP})


def verify_convergence(arm: HasInvocationsInterface) -> None:
    """
    Raise VerifyException unless the invocations of a workgroup reach each `Convergent` op of
    `arm` together, and give it the same operands where it asks for that.
    """
    analysis = Uniformity()
    for op in arm.body.walk():
        if op.has_trait(Convergent):
            _verify_uniform_path(analysis, op)
        if op.has_trait(UniformOperands) and not all(map(analysis.is_uniform, op.operands)):
            raise VerifyException(
                f"'{op.name}' expected operands that are the same in the whole workgroup, "
                "got one that differs between its invocations"
            )


def _verify_uniform_path(analysis: Uniformity, op: Operation) -> None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, HasInvocationsInterface):
        if not analysis.takes_one_path(parent):
            raise VerifyException(
                f"'{op.name}' expected uniform control flow, got a '{parent.name}' that "
                "the invocations of a workgroup may take differently"
            )
        parent = parent.parent_op()


class Uniformity:
    """
    Decides for values of one arm whether all invocations of a workgroup agree on them.

    Values in a cycle through a loop are uniform unless something divergent flows into the
    cycle (the optimistic fixpoint of Karrenberg and Hack, "Whole-function vectorization").
    What an op that is unknown here computes may differ; so may a load from private memory.
    """

    def __init__(self) -> None:
        self._known: dict[SSAValue, bool] = {}

    def is_uniform(self, value: SSAValue) -> bool:
        """Whether all invocations of a workgroup that get to `value` compute the same."""
        if value not in self._known:
            self._decide(value)
        return self._known[value]

    def takes_one_path(self, op: Operation) -> bool:
        """Whether all invocations of a workgroup go through the regions of `op` alike."""
        steering = _steering(op)
        return steering is not None and all(self.is_uniform(value) for value in steering)

    def _decide(self, value: SSAValue) -> None:
        seen, pending = {value}, [value]
        while pending:
            sources = _sources(pending.pop())
            if sources is None or any(self._known.get(source) is False for source in sources):
                self._known[value] = False
                return
            fresh = {source for source in sources if source not in self._known} - seen
            seen |= fresh
            pending.extend(fresh)
        self._known.update((visited, True) for visited in seen)


def _steering(op: Operation) -> Sequence[SSAValue] | None:
    """The values that decide the path through the regions of `op`, or None when unknown."""
    match op:
        case scf.IfOp():
            return [op.cond]
        case scf.IndexSwitchOp():
            return [op.arg]
        case scf.ForOp():
            return [op.lb, op.ub, op.step]
        case scf.WhileOp():
            return [_condition(op).condition]
        case scf.ExecuteRegionOp():
            return []
        case _:
            return None


def _condition(op: scf.WhileOp) -> scf.ConditionOp:
    terminator = op.before_region.block.last_op
    assert isinstance(terminator, scf.ConditionOp)
    return terminator


def _sources(value: SSAValue) -> Sequence[SSAValue] | None:
    """What `value` depends on, or None when it may differ between invocations by itself."""
    if isinstance(value.owner, Block):
        return _sources_of_argument(value.owner, value.owner.args.index(value))
    assert isinstance(value, OpResult)
    op = value.op
    if op.regions:
        return _sources_of_result(op, value.index)
    ids = ids_of(op)
    if ids is None or ids & _DIVERGENT or _differs_in_memory(op):
        return None
    return op.operands


def _differs_in_memory(op: Operation) -> bool:
    """Whether invocations may see different contents at one index."""
    return any(
        access.kind == AccessKind.UPDATE or _is_private(access.buffer) for access in accesses_of(op)
    )


def _is_private(value: SSAValue) -> bool:
    return isinstance(value.type, BufferType) and value.type.space == MemorySpace.PRIVATE


def _sources_of_result(op: Operation, index: int) -> Sequence[SSAValue] | None:
    steering = _steering(op)
    if steering is None or not all(len(region.blocks) <= 1 for region in op.regions):
        return None
    if isinstance(op, scf.WhileOp):
        return [*steering, _condition(op).args[index]]
    initial = [op.iter_args[index]] if isinstance(op, scf.ForOp) else []
    return [*steering, *initial, *_yielded(op.regions, index)]


def _sources_of_argument(block: Block, index: int) -> Sequence[SSAValue] | None:
    parent = block.parent_op()
    if parent is None or isinstance(parent, HasInvocationsInterface):
        return []
    match parent:
        case scf.ForOp() if index == 0:
            return [parent.lb, parent.ub, parent.step]
        case scf.ForOp():
            carried = index - 1
            return [parent.iter_args[carried], *_yielded([parent.body], carried)]
        case scf.WhileOp() if block is parent.before_region.block:
            return [parent.arguments[index], *_yielded([parent.after_region], index)]
        case scf.WhileOp():
            return [_condition(parent).args[index]]
        case _:
            return None


def _yielded(regions: Sequence[Region], index: int) -> list[SSAValue]:
    terminators = [block.last_op for region in regions for block in region.blocks]
    return [op.operands[index] for op in terminators if op is not None]
