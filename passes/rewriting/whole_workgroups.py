"""Domains of whole workgroups, as cooperative arms have them, and what these share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.utils.dynamic_index_list import split_dynamic_index_list
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.builder import Value, invocation_id, local_id
from vyre_dialect.builder.values import ceildiv, scalar, ssa
from vyre_dialect.ir.types import Axis, MemorySpace, sizes_attr, three_axes_of
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.rewriting.invocation_body import guarded, replaced_body
from vyre_dialect.passes.rewriting.rewriters import building


def set_domain(
    arm: RegionOp, domain: Sequence[Value | SSAValue | int], rewriter: PatternRewriter
) -> None:
    """Give an arm another number of invocations along each axis."""
    counts = [each if isinstance(each, int) else ssa(each) for each in domain]
    static, dynamic = split_dynamic_index_list(counts, DYNAMIC_INDEX)
    arm.operands = dynamic
    arm.static_invocations = sizes_attr(static)
    rewriter.notify_op_modified(arm)


def is_multiple(count: SSAValue | int, size: int, integers: Integers) -> bool:
    """Whether an invocation count is known to be a multiple of `size`."""
    divisor = count if isinstance(count, int) else integers.divisor_at(count, None)
    return divisor % size == 0


def fill_workgroups(arm: RegionOp, integers: Integers, rewriter: PatternRewriter) -> None:
    """
    Give a data-parallel arm, whose workgroup size is fixed thereby, whole workgroups: those
    invocations that it did not have do nothing.
    """
    counts, sizes = three_axes_of(arm.domain), arm.workgroup
    axes = max(len(arm.domain), *(n for n, size in enumerate(sizes, 1) if size > 1), 1)
    arm.workgroup_size = sizes_attr(sizes[:axes])
    rewriter.notify_op_modified(arm)
    partial = [
        (axis, count, size)
        for axis, count, size in zip(Axis, counts, sizes, strict=True)
        if not is_multiple(count, size, integers)
    ]
    if not partial or not arm.is_data_parallel:
        return
    with replaced_body(arm.body.block, rewriter) as (body, ops):
        with ImplicitBuilder(body):
            exists = reduce(Value.__and__, [_is_below(axis, count) for axis, count, _ in partial])
        guarded(body, exists, ops)
    whole = {axis: _rounded_up(arm, count, size, rewriter) for axis, count, size in partial}
    each = [whole.get(axis, count) for axis, count in zip(Axis, counts, strict=True)]
    set_domain(arm, each[:axes], rewriter)


def _is_below(axis: Axis, count: SSAValue | int) -> Value:
    return invocation_id(axis) < scalar(count)


def _rounded_up(
    arm: RegionOp, count: SSAValue | int, size: int, rewriter: PatternRewriter
) -> Value | int:
    with building(rewriter, InsertPoint.before(arm)):
        return ceildiv(scalar(count), size) * size


def lane_in(workgroup: Sequence[int]) -> Value:
    """The number of the invocation in a workgroup of these sizes, at the current place."""
    lane: Value | None = None
    for axis, size in reversed(list(zip(Axis, workgroup, strict=False))):
        if size > 1:
            own = local_id(axis)
            lane = own if lane is None else lane * size + own
    return (local_id() if lane is None else lane).named("lane")


def bytes_in(arm: RegionOp, space: MemorySpace) -> int:
    """The bytes of workgroup memory, or of private memory of an invocation, that an arm takes."""
    buffers = {buffer for _, buffer in arm.accesses()}
    types = [buffer.type for buffer in buffers if buffer.type.space == space]
    return sum(type.static_bytes or 0 for type in types)
