"""Aggregation takes updates of other packages by what they say of themselves, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.foreign_ops import ACME, SaturateOp, StampOp
from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, FloatAttr, IndexType, ModuleOp, f32, i32
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def

from vyre_dialect.builder import Buffer, Value, constant, for_, index, program
from vyre_dialect.ir.interfaces import (
    AccessKind,
    BufferAccess,
    HasAccessesInterface,
    HasCombinerInterface,
)
from vyre_dialect.ir.types import Access, AtomicKind, BufferType
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

CONTEXT = make_context()
CONTEXT.load_dialect(ACME)
N = 40
Update = Callable[[Value, Buffer, Value], object]


@irdl_op_definition
class AddFloatOp(IRDLOperation, HasCombinerInterface):
    """Adds a float to an element."""

    name = "acme.addf"

    value = operand_def(Float32Type)
    buffer = operand_def(BufferType)
    index = operand_def(IndexType())

    def __init__(self, value: SSAValue, buffer: SSAValue, index: SSAValue):
        super().__init__(operands=[value, buffer, index])

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (BufferAccess(AccessKind.UPDATE, self.buffer, self.index, combiner=self.name),)

    @property
    def value_operand(self) -> int:
        return 0

    def get_neutral_value(self) -> FloatAttr:
        return FloatAttr(0.0, f32)

    def combine(self, one: SSAValue, other: SSAValue) -> SSAValue:
        return arith.AddfOp(one, other).result


@irdl_op_definition
class MergeOp(IRDLOperation, HasAccessesInterface):
    """Commutes, but says not how values combine."""

    name = "acme.merge"

    value = operand_def(i32)
    buffer = operand_def(BufferType)
    index = operand_def(IndexType())

    def __init__(self, value: SSAValue, buffer: SSAValue, index: SSAValue):
        super().__init__(operands=[value, buffer, index])

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (BufferAccess(AccessKind.UPDATE, self.buffer, self.index, combiner=self.name),)


def updated_in_a_loop(update: Update, *others: Update) -> ModuleOp:
    """Each invocation updates element 0 of a buffer in each iteration of a loop."""
    with program("foreign", workgroup_size=[8]) as p:
        data = p.buffer("data", i32, N, access=Access.READ_ONLY)
        result = p.buffer("result", i32, 4, live_out=True)
        with p.arm("update", N) as i, for_(0, 3) as loop:
            value = data[i + loop.counter]
            for each in (update, *others):
                each(value, result, constant(0))
    return p.module


def aggregated(module: ModuleOp, options: str = "") -> list[str]:
    """The names of the ops at the top of the arm, and those of what updates, in order."""
    apply_pipeline(module, f"vyre-privatize-reductions{{scope=workgroup {options}}}", CONTEXT)
    module.verify()
    (arm,) = (op for op in module.walk() if isinstance(op, RegionOp))
    return [op.name for op in arm.body.walk()]


def saturate(value: Value, buffer: Buffer, index: Value) -> None:
    SaturateOp(value.ssa, buffer.ssa, index.ssa)


def test_an_update_of_another_package_that_says_how_it_combines_is_aggregated():
    names = aggregated(updated_in_a_loop(saturate))
    # Two minima and a sum in the loop, and again in the tree; one update behind the barriers.
    assert names.count("arith.addi") >= 2
    assert names.count("arith.minui") == 6
    assert names.count("acme.saturate") == 1
    assert names.index("acme.saturate") > max(
        place for place, name in enumerate(names) if name == "vyre.barrier"
    )


def test_an_update_that_does_not_say_how_it_combines_is_left():
    module = updated_in_a_loop(lambda v, b, i: MergeOp(v.ssa, b.ssa, i.ssa))
    before = str(module)
    aggregated(module)
    assert str(module) == before


OTHERS: dict[str, Update] = {
    "write": lambda v, b, i: StampOp(i.ssa, b.ssa, i.ssa),
    "read": lambda v, b, i: b.load(1),
    "other combiner": lambda v, b, i: b.atomic(AtomicKind.MAXU, v, 2),
}


@pytest.mark.parametrize("other", OTHERS)
def test_nothing_is_aggregated_in_a_buffer_that_the_arm_does_more_with(other: str):
    module = updated_in_a_loop(saturate, OTHERS[other])
    before = str(module)
    aggregated(module)
    assert str(module) == before


def float_sums() -> ModuleOp:
    with program("floats", workgroup_size=[8]) as p:
        data = p.buffer("data", f32, N, access=Access.READ_ONLY)
        total = p.buffer("sum", f32, 1, live_out=True)
        with p.arm("sum", N) as i:
            AddFloatOp(data[i].ssa, total.ssa, constant(0, index).ssa)
    return p.module


def test_floats_are_added_in_another_order_only_if_asked_for():
    assert "vyre.barrier" not in aggregated(float_sums())
    assert "vyre.barrier" in aggregated(float_sums(), "floats=true")


def chosen_by_data(update: Update) -> ModuleOp:
    """Each invocation updates, in each iteration of a loop, an element that the data choose."""
    with program("foreign", workgroup_size=[8]) as p:
        data = p.buffer("data", i32, N, access=Access.READ_ONLY)
        result = p.buffer("result", i32, 4, live_out=True)
        with p.arm("update", 4) as i, for_(0, N, 4) as loop:
            value = data[i + loop.counter]
            update(value, result, value.to(index))
    return p.module


def privatised(module: ModuleOp) -> list[str]:
    """The names of the ops of the arm, in order, behind aggregation by invocation."""
    apply_pipeline(module, "vyre-privatize-reductions{scope=invocation}", CONTEXT)
    module.verify()
    (arm,) = (op for op in module.walk() if isinstance(op, RegionOp))
    return [op.name for op in arm.body.walk()]


def test_an_update_of_another_package_goes_to_a_private_copy():
    names = privatised(chosen_by_data(saturate))
    # The copy is cleared, updated in the loop, and flushed.
    clear, update = (place for place, name in enumerate(names) if name == "vyre.store")
    combine = [place for place, name in enumerate(names) if name == "arith.minui"]
    flush = names.index("acme.saturate")
    assert len(combine) == 3 and names.count("acme.saturate") == 1
    assert clear < min(combine) and max(combine) < update < flush


def test_an_update_that_does_not_say_how_it_combines_gets_no_copy():
    module = chosen_by_data(lambda v, b, i: MergeOp(v.ssa, b.ssa, i.ssa))
    before = str(module)
    privatised(module)
    assert str(module) == before
