"""Names of ops of a module are looked up among those that it has now."""

from __future__ import annotations

from support.counting import function_calls
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Operation
from xdsl.traits import SymbolTable

from vyre_dialect.ir.symbols import lookup_symbol
from vyre_dialect.ops.program import ProgramOp


def named(*names: str) -> ModuleOp:
    return ModuleOp([ProgramOp(name) for name in names])


def looked_up(module: Operation, name: str) -> Operation | None:
    found = lookup_symbol(module, SymbolRefAttr(name))
    assert found is SymbolTable.lookup_symbol(module, name)
    return found


def test_each_name_is_found_and_no_other() -> None:
    module = named("first", "second")
    assert [looked_up(module, name) for name in ("first", "second")] == list(module.body.block.ops)
    assert looked_up(module, "third") is None


def test_an_op_that_joins_later_is_found() -> None:
    module = named("first")
    assert looked_up(module, "late") is None
    module.body.block.add_op(late := ProgramOp("late"))
    assert looked_up(module, "late") is late


def test_an_op_that_has_left_is_not_found() -> None:
    module = named("first", "second")
    first = looked_up(module, "first")
    assert first is not None
    first.detach()
    assert looked_up(module, "first") is None


def test_an_op_is_found_by_the_name_that_it_has_now() -> None:
    module = named("before", "other")
    op = looked_up(module, "before")
    assert op is not None
    op.properties["sym_name"] = StringAttr("after")
    assert looked_up(module, "before") is None
    assert looked_up(module, "after") is op


def test_another_op_takes_over_a_name() -> None:
    module = named("one", "two")
    one, two = module.body.block.ops
    assert looked_up(module, "one") is one
    one.properties["sym_name"], two.properties["sym_name"] = StringAttr("x"), StringAttr("one")
    assert looked_up(module, "one") is two


def test_an_op_that_moved_to_another_module_is_found_there() -> None:
    before, after = named("moves"), named()
    op = looked_up(before, "moves")
    assert op is not None
    op.detach()
    after.body.block.add_op(op)
    assert looked_up(before, "moves") is None
    assert looked_up(after, "moves") is op


def test_a_nested_name_is_looked_up_as_xdsl_does() -> None:
    inner = named("leaf")
    module = ModuleOp([ModuleOp([], sym_name=StringAttr("inner"))])
    nested = module.body.block.first_op
    assert isinstance(nested, ModuleOp)
    leaf = inner.body.block.first_op
    assert leaf is not None
    leaf.detach()
    nested.body.block.add_op(leaf)
    assert lookup_symbol(module, SymbolRefAttr("inner", ["leaf"])) is leaf


def test_looking_up_every_name_is_linear_in_their_number() -> None:
    def calls(count: int) -> int:
        names = [f"p{number}" for number in range(count)]
        module = named(*names)
        return function_calls(
            lambda: [lookup_symbol(module, SymbolRefAttr(name)) for name in names]
        )

    calls(2)  # what is done once only is done now
    assert calls(400) < 1.2 * 4 * calls(100)
