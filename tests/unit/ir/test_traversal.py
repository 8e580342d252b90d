"""The ops inside of others, in the order of xDSL's `walk`."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from benchmarks.compile_time import expanded_examples
from vyre_dialect.ir.traversal import ops_inside


@pytest.mark.parametrize(("name", "module"), expanded_examples().items())
def test_ops_come_in_the_order_of_walk(name: str, module: ModuleOp) -> None:
    assert ops_inside(module) == list(module.walk())
    assert ops_inside(module.body) == list(module.body.walk()), name


def test_nesting_may_be_deep() -> None:
    module = ModuleOp([])
    for _ in range(5000):
        module = ModuleOp([module])
    assert sum(1 for _ in ops_inside(module)) == 5001


def test_an_empty_module_has_only_itself() -> None:
    module = ModuleOp([])
    assert ops_inside(module) == [module]
    assert not ops_inside(module.body)
