"""`vyre-merge-barriers`: barriers that order nothing, or nothing that another does not, go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.effects import effects_of, kinds_of_accesses, states_effects
from vyre_dialect.ir.interfaces import AccessKind, accesses_of, arm_of, is_convergent
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import BufferType, MemorySpace, MemorySpaceAttr
from vyre_dialect.ops.invocation import BarrierOp
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive


class MergeWithNext(RewritePattern):
    """
    `barrier; ...; barrier --> ...; barrier` of what either orders: the first one moves down over
    ops that it does not order.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BarrierOp, rewriter: PatternRewriter, /) -> None:
        if not isinstance(arm_of(op), KernelOp) or (other := _next_barrier(op)) is None:
            return
        spaces = op.ordered_spaces | other.ordered_spaces
        other.memory_space = MemorySpaceAttr(*spaces) if len(spaces) == 1 else None
        rewriter.notify_op_modified(other)
        rewriter.erase(op)


@dataclass
class DropIdle(RewritePattern):
    """
    A barrier goes before which, or after which, a kernel touches no memory that invocations share
    and write, and one in a kernel that writes no memory of those that it orders.
    """

    _written: dict[KernelOp, frozenset[MemorySpace] | None] = field(
        default_factory=dict[KernelOp, "frozenset[MemorySpace] | None"], init=False
    )

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BarrierOp, rewriter: PatternRewriter, /) -> None:
        kernel = arm_of(op)
        if isinstance(kernel, KernelOp) and (self._orders_none(op, kernel) or _is_outermost(op)):
            rewriter.erase(op)

    def _orders_none(self, op: BarrierOp, kernel: KernelOp) -> bool:
        if kernel not in self._written:
            self._written[kernel] = _spaces_written(kernel)
        written = self._written[kernel]
        return written is not None and written.isdisjoint(op.ordered_spaces)


def _next_barrier(op: BarrierOp) -> BarrierOp | None:
    """The next barrier of the block, if the two order nothing between them."""
    following = op.next_op
    while following is not None and not isinstance(following, BarrierOp):
        if not _is_quiet(following):
            return None
        following = following.next_op
    return following


def _is_quiet(op: Operation) -> bool:
    """Whether it makes no difference on which side of a barrier `op` stands."""
    return all(_is_unordered(inner) for inner in ops_inside(op))


def _is_unordered(op: Operation) -> bool:
    if is_convergent(type(op)) or not states_effects(op):
        return False
    return all(_is_unshared(access.buffer) for access in accesses_of(op))


def _is_unshared(buffer: SSAValue) -> bool:
    """Whether invocations cannot see through a buffer what others do."""
    assert isinstance(buffer.type, BufferType)
    if buffer.type.space == MemorySpace.PRIVATE:
        return True
    return kinds_of_accesses(buffer) <= {AccessKind.READ}


def _is_outermost(op: BarrierOp) -> bool:
    """Whether a barrier orders nothing that a kernel does before it, or nothing after it."""
    if not isinstance(op.parent_op(), KernelOp):
        return False
    return _are_quiet(op, forward=True) or _are_quiet(op, forward=False)


def _are_quiet(op: Operation, *, forward: bool) -> bool:
    other = op.next_op if forward else op.prev_op
    while other is not None:
        if not _is_quiet(other):
            return False
        other = other.next_op if forward else other.prev_op
    return True


def _spaces_written(kernel: KernelOp) -> frozenset[MemorySpace] | None:
    """The memory spaces that a kernel writes and invocations share; None where it may be any."""
    spaces = set[MemorySpace]()
    for op in kernel.body.walk():
        if accesses := accesses_of(op):
            spaces.update(_spaces(access.buffer for access in accesses if access.writes))
        elif not isinstance(op, BarrierOp) and not op.regions and effects_of(op) != set():
            return None
    return frozenset(spaces - {MemorySpace.PRIVATE})


def _spaces(buffers: Iterable[SSAValue]) -> Iterable[MemorySpace]:
    return (each.type.space for each in buffers if isinstance(each.type, BufferType))


@dataclass(frozen=True)
class MergeBarriersPass(RewritePass):
    """
    Drops barriers of kernels that order nothing, and moves those to the next one that order nothing
    up to there. Memory that is only read, and private memory, needs no order.
    Arms keep theirs: with a barrier, an arm expects whole workgroups.
    """

    name = "vyre-merge-barriers"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.SYNC,
        requires=("canonicalize",),
        invalidates=("canonicalize", "vyre-cse", "vyre-forward-stores"),
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        patterns: list[RewritePattern] = [MergeWithNext(), DropIdle()]
        applier = GreedyRewritePatternApplier(patterns, dce_enabled=False)
        return drive(applier, module.body, facts, BarrierOp)
