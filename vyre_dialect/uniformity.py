"""Which values are the same in all invocations of a workgroup, and where control flow is."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

DIVERGENT_OPS = frozenset(
    {
        "vyre.invocation_id",
        "vyre.local_id",
        "vyre.subgroup_lane",
        "vyre.subgroup_id",
        "vyre.subgroup_shuffle",
        "vyre.subgroup_reduce",
        "vyre.atomic_rmw",
        "vyre.atomic_cas",
    }
)
ARMS = frozenset({"vyre.region", "vyre.kernel"})


def divergent_ancestor(op: Operation) -> Operation | None:
    """The nearest op around `op`, inside its arm, that invocations may take differently."""
    analysis = Uniformity()
    parent = op.parent_op()
    while parent is not None and parent.name not in ARMS:
        if not analysis.takes_one_path(parent):
            return parent
        parent = parent.parent_op()
    return None


class Uniformity:
    """
    Decides for values of one arm whether all invocations of a workgroup agree on them.

    Values in a cycle through a loop are uniform unless something divergent flows into the
    cycle (the optimistic fixpoint of Karrenberg and Hack, "Whole-function vectorization").
    """

    def __init__(self) -> None:
        self._known: dict[SSAValue, bool] = {}

    def is_uniform(self, value: SSAValue) -> bool:
        """Whether all invocations of a workgroup compute the same `value`."""
        if value in self._known:
            return self._known[value]
        if self._reaches_divergence(value):
            self._known[value] = False
            return False
        return True

    def takes_one_path(self, op: Operation) -> bool:
        """Whether all invocations of a workgroup go through the regions of `op` alike."""
        if isinstance(op, scf.IfOp):
            return self.is_uniform(op.cond)
        if isinstance(op, scf.ForOp):
            return all(self.is_uniform(bound) for bound in (op.lb, op.ub, op.step))
        if isinstance(op, scf.WhileOp):
            return self.is_uniform(_while_condition(op).cond)
        if isinstance(op, scf.IndexSwitchOp):
            return self.is_uniform(op.arg)
        return all(self.is_uniform(operand) for operand in op.operands)

    def _reaches_divergence(self, value: SSAValue) -> bool:
        seen, pending = {value}, [value]
        while pending:
            sources = _sources(pending.pop())
            if sources is None:
                return True
            fresh = [source for source in sources if source not in seen]
            seen.update(fresh)
            pending.extend(fresh)
        self._known.update((visited, True) for visited in seen)
        return False


def _while_condition(op: scf.WhileOp) -> scf.ConditionOp:
    terminator = op.before_region.block.last_op
    assert isinstance(terminator, scf.ConditionOp)
    return terminator


def _sources(value: SSAValue) -> list[SSAValue] | None:
    """What `value` depends on, or None when it differs between invocations by itself."""
    owner = value.owner
    if isinstance(owner, Block):
        assert isinstance(value, BlockArgument)
        return _sources_of_argument(value, owner)
    assert isinstance(value, OpResult)
    if owner.name in DIVERGENT_OPS:
        return None
    sources = list(owner.operands)
    for region in owner.regions:
        for block in region.blocks:
            if block.last_op is not None:
                sources.extend(block.last_op.operands)
    return sources


def _sources_of_argument(argument: BlockArgument, block: Block) -> list[SSAValue]:
    parent = block.parent_op()
    if parent is None or parent.name in ARMS:
        return []
    sources = list(parent.operands)
    for region in parent.regions:
        last = region.block.last_op
        if last is not None:
            sources.extend(last.operands)
    return sources
