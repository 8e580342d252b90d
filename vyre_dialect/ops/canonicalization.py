"""Canonicalisation patterns of the ops, which import them when asked."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32
from xdsl.dialects.utils.dynamic_index_list import split_dynamic_index_list
from xdsl.ir import SSAValue
from xdsl.irdl import AttrSizedOperandSegments
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.ir.types import DYNAMIC, sizes_attr
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import RegionOp


class StaticDomain(RewritePattern):
    """
    An invocation count that is a constant becomes a static one.

    Counts that a static domain may not have stay as they are: they are errors at run time.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RegionOp, rewriter: PatternRewriter, /) -> None:
        whole = (1, 1, 1) if op.is_data_parallel else op.workgroup
        sizes = [_static(*axis) for axis in zip(op.domain, whole, strict=False)]
        if sizes == op.domain:
            return
        static, dynamic = split_dynamic_index_list(sizes, DYNAMIC)
        op.static_invocations = sizes_attr(static)
        op.operands = dynamic
        rewriter.notify_op_modified(op)


class StaticGrid(RewritePattern):
    """A workgroup count that is a constant becomes a static one, unless it is not positive."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LaunchOp, rewriter: PatternRewriter, /) -> None:
        grid = [_static(count) for count in op.workgroups]
        if grid == op.workgroups:
            return
        static, dynamic = split_dynamic_index_list(grid, DYNAMIC)
        arguments = op.arguments
        op.static_grid = sizes_attr(static)
        op.operands = [*dynamic, *arguments]
        segments = DenseArrayBase.from_list(i32, [len(dynamic), len(arguments)])
        op.properties[AttrSizedOperandSegments.attribute_name] = segments
        rewriter.notify_op_modified(op)


def _static(count: SSAValue | int, unit: int = 1) -> SSAValue | int:
    """The integer that `count` is, if it is known and a positive multiple of `unit`."""
    if isinstance(count, int) or not isinstance(count.owner, arith.ConstantOp):
        return count
    value = count.owner.value
    assert isinstance(value, IntegerAttr)
    known = value.value.data
    return known if known > 0 and known % unit == 0 else count
