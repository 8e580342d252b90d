"""Arms that follow each other and do not depend on each other, and how two become one."""

from __future__ import annotations

from itertools import islice

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.ir.effects import buffers_touched, effects_of, states_effects
from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.program import BufferOp, RegionOp
from vyre_dialect.passes.rewriting.invocation_body import detached

MOST_OPS = 512
"""Operations beyond which an arm stays by itself: kernels that do much need many registers."""


def arm_before(arm: RegionOp) -> RegionOp | None:
    """The arm before `arm`, if nothing that has effects is between the two."""
    other = arm.prev_op
    while other is not None and not isinstance(other, RegionOp):
        if not isinstance(other, BufferOp | BufLenOp) and effects_of(other) != set():
            return None
        other = other.prev_op
    return other


def are_independent(first: RegionOp, second: RegionOp) -> bool:
    """Whether two arms may run in any order, and at once, with workgroups of one size."""
    if first.workgroup != second.workgroup or not (_is_plain(first) and _is_plain(second)):
        return False
    touched = [buffers_touched(arm.body) for arm in (first, second)]
    return all(
        AccessKind.WRITE not in kinds and AccessKind.WRITE not in touched[1][buffer]
        for buffer, kinds in touched[0].items()
        if buffer in touched[1]
    )


def _is_plain(arm: RegionOp) -> bool:
    ops = list(islice(ops_inside(arm.body), MOST_OPS + 1))
    return len(ops) <= MOST_OPS and arm.is_data_parallel and all(map(states_effects, ops))


def shared_inputs(first: RegionOp, second: RegionOp) -> set[SSAValue]:
    """The buffers that two independent arms both read."""
    return set(buffers_touched(first.body)) & set(buffers_touched(second.body))


def join(first: RegionOp, second: RegionOp, rewriter: PatternRewriter) -> None:
    """
    Let `first` do what `second` does, after what it does itself; `second` goes. What is between
    the two, which has no effects, comes before both.
    """
    while (between := first.next_op) is not None and between is not second:
        between.detach()
        rewriter.insert(between, InsertPoint.before(first))
    first.body.block.add_ops(detached(second.body.block))
    first.generator = StringAttr(f"{first.generator.data}+{second.generator.data}")
    rewriter.notify_op_modified(first)
    rewriter.erase(second)
