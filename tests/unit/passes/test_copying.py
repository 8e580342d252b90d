"""Copies of ops are what `clone` makes of them, with one walk less."""

from __future__ import annotations

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from benchmarks.compile_time import expanded_examples
from vyre_dialect.ir.interfaces import arms_in
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.passes.rewriting.copying import copied
from vyre_dialect.runtime.program.compilation import make_context, parse_module

EXAMPLES = expanded_examples()

JUMPS = """
func.func @jumps(%start: i32) {
  "cf.br"(%start) [^later] : (i32) -> ()
^later(%number: i32):
  func.return
}
"""


def hints(op: Operation) -> list[str | None]:
    return [result.name_hint for inner in ops_inside(op) for result in inner.results]


@pytest.mark.parametrize("name", EXAMPLES)
def test_copies_of_arms_are_clones(name: str) -> None:
    for arm in arms_in(EXAMPLES[name]):
        values = dict[SSAValue, SSAValue]()
        copy = copied(arm, values)
        assert copy.is_structurally_equivalent(arm.clone())
        assert hints(copy) == hints(arm)
        inside = [result for op in ops_inside(arm) for result in op.results]
        assert [values[each] for each in inside] == [
            result for op in ops_inside(copy) for result in op.results
        ]


def test_copies_use_other_values() -> None:
    for arm in arms_in(EXAMPLES["base64_literal"]):
        for op in arm.body.block.ops:
            other = {value: Block(arg_types=[value.type]).args[0] for value in op.operands}
            copy = copied(op, dict[SSAValue, SSAValue](other))
            assert list(copy.operands) == [other[value] for value in op.operands]


def test_regions_of_several_blocks_are_copied_too() -> None:
    module = parse_module(JUMPS, make_context())
    (jumps,) = module.ops
    copy = copied(jumps, {})
    assert copy.is_structurally_equivalent(jumps)


def test_regions_without_a_block_stay_empty() -> None:
    declared = func.FuncOp("declared", FunctionType.from_lists([], []), Region())
    module = ModuleOp([declared])
    assert copied(module, {}).is_structurally_equivalent(module)
