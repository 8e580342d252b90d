"""`vyre-hoist-loads`: a load that gives the same in every iteration of a loop happens before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.effects import states_effects
from vyre_dialect.ir.interfaces import (
    AccessKind,
    HasInvocationsInterface,
    OrdersMemoryInterface,
    accesses_of,
    arm_of,
)
from vyre_dialect.ir.proofs import drop_proofs
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.passes.rewriting.moving import move
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive


@dataclass
class HoistLoads(RewritePattern):
    """
    Moves loads out of a loop whose place it does not compute and whose buffer it does not write.

    A load may run where it did not: outside of its buffer it is zero. Nobody else may write the
    place meanwhile, or there would be a race, unless by atomics or across a barrier. What was
    proven of the place inside of the loop is dropped.
    """

    _updated: dict[HasInvocationsInterface, frozenset[SSAValue]] = field(
        default_factory=dict[HasInvocationsInterface, "frozenset[SSAValue]"], init=False
    )

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        if (arm := arm_of(op)) is None or _runs_at_most_once(op):
            return
        loads = [each for each in op.body.block.ops if isinstance(each, LoadOp)]
        if not loads or (changing := _written_in(op)) is None:
            return
        changing |= self._updated_in(arm)
        for load in loads:
            if load.buffer not in changing and _is_outside(load.index, op):
                drop_proofs(load)
                move([load], InsertPoint.before(op), rewriter)
                rewriter.notify_op_modified(op)

    def _updated_in(self, arm: HasInvocationsInterface) -> frozenset[SSAValue]:
        if arm not in self._updated:
            accesses = (access for op in ops_inside(arm.body) for access in accesses_of(op))
            updated = (each.buffer for each in accesses if each.kind == AccessKind.UPDATE)
            self._updated[arm] = frozenset(updated)
        return self._updated[arm]


def _runs_at_most_once(op: scf.ForOp) -> bool:
    first, end, step = (integer_of(value) for value in (op.lb, op.ub, op.step))
    return first is not None and end is not None and step is not None and first + step >= end


def _written_in(loop: scf.ForOp) -> frozenset[SSAValue] | None:
    """The buffers that a loop writes; None where it may be any, also by other invocations."""
    written = set[SSAValue]()
    for op in loop.body.walk():
        if isinstance(op, OrdersMemoryInterface) or not states_effects(op):
            return None
        written.update(access.buffer for access in accesses_of(op) if access.writes)
    return frozenset(written)


def _is_outside(value: SSAValue, loop: Operation) -> bool:
    owner = value.owner
    return not loop.is_ancestor(owner)


@dataclass(frozen=True)
class HoistLoadsPass(RewritePass):
    """Moves loads out of loops in which they always give the same."""

    name = "vyre-hoist-loads"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.LOOP,
        requires=("licm",),
        invalidates=(
            *("licm", "vyre-cse", "vyre-tighten-bounds", "vyre-prove-accesses"),
            "vyre-forward-stores",
        ),
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        return drive(HoistLoads(), module.body, facts, scf.ForOp, walk_regions_first=True)
