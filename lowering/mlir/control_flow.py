"""Branches and loops, as `scf` has them in both."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.types import NO_WRAP
from vyre_dialect.lowering.mlir.writer import Writer, type_text


def _results(writer: Writer, op: Operation) -> str:
    """The names of the results of an op with regions, and `=`; they stand for the results."""
    if not op.results:
        return ""
    name = writer.fresh(op.results[0].name_hint)
    if len(op.results) == 1:
        writer.bind(op.results[0], name)
        return f"{name} = "
    for number, result in enumerate(op.results):
        writer.bind(result, f"{name}#{number}")
    return f"{name}:{len(op.results)} = "


def _types(op: Operation, values: Sequence[SSAValue]) -> str:
    return ", ".join(type_text(op, each.type) for each in values)


def _body(writer: Writer, region: Region) -> None:
    with writer.indented():
        writer.block(region.block)


def _arguments(writer: Writer, block: Block) -> list[str]:
    """Names for the arguments of a block."""
    names = [writer.fresh(each.name_hint or "carried") for each in block.args]
    for argument, name in zip(block.args, names, strict=True):
        writer.bind(argument, name)
    return names


def if_op(writer: Writer, op: scf.IfOp) -> None:
    """Branches."""
    given = f" -> ({_types(op, op.output)})" if op.output else ""
    condition = writer.value(op.cond)
    writer.line(f"{_results(writer, op)}scf.if {condition}{given} {{")
    _body(writer, op.true_region)
    if op.false_region.blocks:
        writer.line("} else {")
        _body(writer, op.false_region)
    writer.line("}")


def for_op(writer: Writer, op: scf.ForOp) -> None:
    """
    A counted loop. MLIR's counter may wrap around past the bound, and its step must be positive:
    where neither is ruled out, iterations are counted, and the counter follows from their number.
    """
    block, type = op.body.block, type_text(op, op.lb.type)
    low, high, step = writer.values((op.lb, op.ub, op.step))
    is_plain = NO_WRAP in op.attributes or integer_of(op.step) == 1
    bounds = (low, high, step) if is_plain else _counted(writer, type, low, high, step)
    initial = writer.values(op.iter_args)
    results = _results(writer, op)
    counter, *carried = _arguments(writer, block)
    number = counter if is_plain else writer.fresh("number")
    pairs = ", ".join(f"{a} = {b}" for a, b in zip(carried, initial, strict=True))
    suffix = f" iter_args({pairs}) -> ({_types(op, op.res)})" if carried else ""
    of_type = "" if type == "index" else f" : {type}"
    head = f"scf.for {number} = {bounds[0]} to {bounds[1]} step {bounds[2]}{suffix}{of_type}"
    writer.line(f"{results}{head} {{")
    with writer.indented():
        if not is_plain:
            distance = writer.let(f"arith.muli {number}, {step} : {type}")
            writer.line(f"{counter} = arith.addi {low}, {distance} : {type}")
        writer.block(block)
    writer.line("}")


def _counted(writer: Writer, type: str, low: str, high: str, step: str) -> tuple[str, str, str]:
    """From 0 to the number of iterations, by 1."""
    zero, one = writer.constant(0, type), writer.constant(1, type)
    is_before = writer.let(f"arith.cmpi slt, {low}, {high} : {type}")
    is_positive = writer.let(f"arith.cmpi sgt, {step}, {zero} : {type}")
    runs = writer.let(f"arith.andi {is_before}, {is_positive} : i1")
    divisor = writer.let(f"arith.select {is_positive}, {step}, {one} : {type}")
    distance = writer.let(f"arith.subi {high}, {low} : {type}")
    last = writer.let(f"arith.subi {distance}, {one} : {type}")
    steps = writer.let(f"arith.divui {last}, {divisor} : {type}")
    count = writer.let(f"arith.addi {steps}, {one} : {type}")
    return zero, writer.let(f"arith.select {runs}, {count}, {zero} : {type}"), one


def while_op(writer: Writer, op: scf.WhileOp) -> None:
    """A loop that goes on while a condition holds."""
    initial = writer.values(op.arguments)
    results = _results(writer, op)
    before, after = op.before_region, op.after_region
    names = _arguments(writer, before.block)
    pairs = ", ".join(f"{a} = {b}" for a, b in zip(names, initial, strict=True))
    taken = f"({pairs})" if pairs else ""
    signature = f"({_types(op, op.arguments)}) -> ({_types(op, op.res)})"
    writer.line(f"{results}scf.while {taken} : {signature} {{")
    _body(writer, before)
    writer.line("} do {")
    carried = _arguments(writer, after.block)
    typed = zip(carried, after.block.args, strict=True)
    if carried:
        listed = ", ".join(f"{name}: {type_text(op, each.type)}" for name, each in typed)
        writer.line(f"^bb0({listed}):")
    _body(writer, after)
    writer.line("}")


def index_switch(writer: Writer, op: scf.IndexSwitchOp) -> None:
    """A choice among cases."""
    given = f" -> {_types(op, op.output)}" if op.output else ""
    value = writer.value(op.arg)
    writer.line(f"{_results(writer, op)}scf.index_switch {value}{given}")
    for number, region in zip(op.cases.get_values(), op.case_regions, strict=True):
        writer.line(f"case {number} {{")
        _body(writer, region)
        writer.line("}")
    writer.line("default {")
    _body(writer, op.default_region)
    writer.line("}")


def execute_region(writer: Writer, op: scf.ExecuteRegionOp) -> None:
    """A region that runs once."""
    given = f" -> ({_types(op, op.results)})" if op.results else ""
    writer.line(f"{_results(writer, op)}scf.execute_region{given} {{")
    _body(writer, op.regions[0])
    writer.line("}")


def yield_op(writer: Writer, op: scf.YieldOp) -> None:
    """What comes out of a region."""
    given = f" {', '.join(writer.values(op.operands))} : {_types(op, op.operands)}"
    writer.line(f"scf.yield{given if op.operands else ''}")


def condition(writer: Writer, op: scf.ConditionOp) -> None:
    """Whether a loop goes on, and with what."""
    chosen, *carried = op.operands
    given = f" {', '.join(writer.values(carried))} : {_types(op, carried)}" if carried else ""
    writer.line(f"scf.condition({writer.value(chosen)}){given}")
