"""What one run of an op makes a device do."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import IndexType, IntegerAttr, UnitAttr, VectorType, f32, i8, i32, i64
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.analysis.work import NO_WORK, Work, total, work_of
from vyre_dialect.ir.types import BufferType, MemorySpace
from vyre_dialect.ops.invocation import BarrierOp
from vyre_dialect.ops.memory import LoadOp, StoreOp


def value(type: Attribute) -> SSAValue:
    return AnyOp(result_types=[type]).results[0]


def buffer(
    element: Attribute, space: MemorySpace = MemorySpace.GLOBAL, count: int = 64
) -> SSAValue:
    return value(BufferType(count, element, memory_space=space))


def constant(number: int) -> SSAValue:
    return arith.ConstantOp.from_int_and_width(number, IndexType()).result


def in_bounds(op: LoadOp | StoreOp) -> Operation:
    op.in_bounds = UnitAttr()
    return op


LANES = VectorType(i32, [16])


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (arith.AddiOp(value(i32), value(i32)), Work(scalar_ops=1)),
        (arith.MulfOp(value(f32), value(f32)), Work(scalar_ops=1)),
        (arith.AddiOp(value(i64), value(i64)), Work(wide_ops=1)),
        (arith.AddiOp(value(IndexType()), value(IndexType())), Work(wide_ops=1)),
        (arith.DivUIOp(value(i32), value(i32)), Work(divisions=1)),
        (arith.DivUIOp(value(IndexType()), constant(10)), Work(wide_ops=4)),
        (arith.AddiOp(value(LANES), value(LANES)), Work(vector_ops=1, lane_ops=16)),
        (
            arith.AddiOp(value(VectorType(i64, [16])), value(VectorType(i64, [16]))),
            Work(vector_ops=2, lane_ops=16),
        ),
        (arith.DivUIOp(value(LANES), value(LANES)), Work(divisions=16)),
        (vector.BroadcastOp(value(i32), LANES), Work(shuffles=1)),
        (arith.ConstantOp.from_int_and_width(1, i32), NO_WORK),
        (arith.ExtUIOp(value(i8), i32), NO_WORK),
        (BarrierOp(), Work(barriers=1)),
    ],
    ids=lambda each: each.name if isinstance(each, Operation) else "",
)
def test_what_computes(op: Operation, expected: Work):
    assert work_of(op) == expected


def test_a_guard_is_counted_where_an_access_may_be_outside():
    load = LoadOp(buffer(i32), value(IndexType()))
    guarded = work_of(load)
    assert (guarded.branches, guarded.wide_ops) == (1, 2)
    assert work_of(in_bounds(load)) == Work(traffic_bytes=4, global_vectors=1, global_words=1)


def test_bytes_that_are_not_known_to_be_aligned_are_words_of_their_own():
    load = LoadOp(buffer(i8), value(IndexType()), VectorType(i32, [4]))
    assert work_of(in_bounds(load)) == Work(traffic_bytes=16, global_vectors=1, global_words=16)


def test_private_buffers_at_a_constant_index_may_be_registers():
    private = buffer(i8, MemorySpace.PRIVATE)
    known = StoreOp(value(LANES), private, constant(0))
    unknown = LoadOp(private, value(IndexType()))
    several = StoreOp(value(LANES), private, value(IndexType()))
    assert work_of(known) == Work(private_moves=1)
    assert work_of(unknown) == Work(private_accesses=1)
    assert work_of(several) == Work(private_vectors=1, private_splits=1)
    several.alignment = IntegerAttr(64, i64)
    assert work_of(several) == Work(private_vectors=1)


def test_work_adds_up_and_is_multiplied():
    parts = [Work(scalar_ops=1, read_bytes=3).times(2), Work(scalar_ops=4)]
    assert total(parts) == Work(scalar_ops=6, read_bytes=6)
    assert total(parts).as_dict() == {"scalar_ops": 6, "read_bytes": 6}
