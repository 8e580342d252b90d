"""Snapshots of a module are equal just where it is structurally equal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from support.counting import function_calls
from support.schedules import CONTEXT
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i32, i64
from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from benchmarks.compile_time import many_pairs
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.passes.schedule.snapshot import Snapshot
from vyre_dialect.runtime.program.compilation import parse_module

PROGRAM = """
vyre.program @p workgroup_size [4] {
  %in = vyre.buffer @in : !vyre.buffer<16xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<16xi32, read_write>
  vyre.region "a" invocations [16] {
    %i = vyre.invocation_id x
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %x = vyre.load %in[%i] : !vyre.buffer<16xi32, read_only> -> i32
    %y = vyre.load %in[%0] : !vyre.buffer<16xi32, read_only> -> i32
    scf.for %k = %0 to %i step %1 {
      %d = arith.subi %x, %y : i32
      vyre.store %d, %out[%k] : i32, !vyre.buffer<16xi32, read_write>
    }
  }
}
"""


def module() -> ModuleOp:
    return parse_module(PROGRAM, CONTEXT)


Op = TypeVar("Op", bound=Operation)


def op_of(module: ModuleOp, op_class: type[Op]) -> Op:
    return next(op for op in ops_inside(module) if isinstance(op, op_class))


def swap_operands(module: ModuleOp) -> None:
    subtract = op_of(module, arith.SubiOp)
    subtract.operands = list(reversed(subtract.operands))


def widen_a_result(module: ModuleOp) -> None:
    Rewriter.replace_value_with_new_type(op_of(module, arith.SubiOp).results[0], i64)


def widen_an_argument(module: ModuleOp) -> None:
    loop = op_of(module, scf.ForOp)
    Rewriter.replace_value_with_new_type(loop.regions[0].block.args[0], i32)


def change_a_property(module: ModuleOp) -> None:
    op_of(module, arith.ConstantOp).properties["value"] = IntegerAttr.from_index_int_value(7)


def add_an_attribute(module: ModuleOp) -> None:
    op_of(module, arith.SubiOp).attributes["vyre.some"] = UnitAttr()


def make_a_property_of_an_attribute(module: ModuleOp) -> None:
    op = op_of(module, arith.ConstantOp)
    op.attributes["value"] = op.properties.pop("value")


def move_out_of_a_loop(module: ModuleOp) -> None:
    subtract, loop = op_of(module, arith.SubiOp), op_of(module, scf.ForOp)
    subtract.detach()
    assert isinstance(loop.parent, Block)
    loop.parent.insert_op_before(subtract, loop)


def move_the_last_op_behind_its_loop(module: ModuleOp) -> None:
    """The order in which ops are met stays."""
    loop = op_of(module, scf.ForOp)
    last = loop.regions[0].block.last_op
    assert last is not None and loop.parent is not None
    last.detach()
    loop.parent.insert_op_after(last, loop)


def replace_by_another_op(module: ModuleOp) -> None:
    subtract = op_of(module, arith.SubiOp)
    Rewriter.replace_op(subtract, arith.AddiOp(subtract.lhs, subtract.rhs))


CHANGES = (
    swap_operands,
    widen_a_result,
    widen_an_argument,
    change_a_property,
    add_an_attribute,
    make_a_property_of_an_attribute,
    move_out_of_a_loop,
    move_the_last_op_behind_its_loop,
    replace_by_another_op,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_is_seen(change: Callable[[ModuleOp], None]) -> None:
    changed = module()
    before = Snapshot(changed)
    change(changed)
    assert Snapshot(changed) != before


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_is_seen_where_no_op_is_the_same(change: Callable[[ModuleOp], None]) -> None:
    changed = module()
    change(changed)
    assert Snapshot(changed) != Snapshot(module())


def test_an_equal_module_of_other_ops_is_the_same() -> None:
    one = module()
    assert Snapshot(one) == Snapshot(one.clone())
    assert Snapshot(one) == Snapshot(module())


def test_an_op_that_an_equal_one_replaces_is_no_change() -> None:
    changed = module()
    before = Snapshot(changed)
    subtract = op_of(changed, arith.SubiOp)
    Rewriter.replace_op(subtract, arith.SubiOp(subtract.lhs, subtract.rhs))
    assert Snapshot(changed) == before


def test_names_of_values_do_not_count() -> None:
    changed = module()
    before = Snapshot(changed)
    op_of(changed, arith.SubiOp).results[0].name_hint = "other"
    assert Snapshot(changed) == before


def test_a_snapshot_is_of_the_module_as_it_then_was() -> None:
    changed = module()
    before, copy = Snapshot(changed), changed.clone()
    op_of(changed, scf.ForOp).detach()
    assert before == Snapshot(copy)


def test_work_is_linear() -> None:
    few, many = many_pairs(4), many_pairs(16)

    def work(module: ModuleOp) -> int:
        other = module.clone()
        return function_calls(lambda: Snapshot(module) == Snapshot(other))

    assert work(many) < 4.2 * work(few)
