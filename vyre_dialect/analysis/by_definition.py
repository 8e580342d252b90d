"""What follows about integers from the definition of an op in others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import islpy as isl
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.affine_values import AffineValues, Condition, Function
from vyre_dialect.analysis.divisors import DIVISOR, DivisorTransfer
from vyre_dialect.analysis.value_ranges import RANGE, Range, RangeTransfer, full_range
from vyre_dialect.builder.definition import Defined, defined
from vyre_dialect.ir.meaning import Definition

Fact = TypeVar("Fact")


def range_(definition: Definition) -> RangeTransfer:
    """Interval arithmetic over the ops of the definition, each of which wraps around."""

    def transfer(op: Operation, operands: Sequence[Range]) -> Range:
        return _follow(defined(definition, op), operands, _exact_range, _wrapped)

    return transfer


def divisor(definition: Definition) -> DivisorTransfer:
    """What divides the results of the ops of the definition, one after the other."""

    def transfer(op: Operation, operands: Sequence[int]) -> int:
        return _follow(defined(definition, op), operands, _divisor, lambda _, known: known)

    return transfer


def affine(definition: Definition) -> Function:
    """The function that the ops of the definition are together."""

    def function(values: AffineValues, op: Operation) -> isl.PwAff | None:
        return values.of(_bound(values, definition, op))

    return function


def condition(definition: Definition) -> Condition:
    """Where the ops of the definition set an i1 together."""

    def where(values: AffineValues, op: Operation) -> isl.Set | None:
        return values.holds(_bound(values, definition, op))

    return where


def _bound(values: AffineValues, definition: Definition, op: Operation) -> SSAValue:
    """What stands for the result, of arguments that stand for the operands."""
    made = defined(definition, op)
    for argument, operand in zip(made.block.args, op.operands, strict=True):
        values.bind(argument, operand)
    return made.result


def _follow(
    made: Defined,
    operands: Sequence[Fact],
    of_op: Callable[[Operation, list[Fact]], Fact],
    kept: Callable[[SSAValue, Fact], Fact],
) -> Fact:
    """From facts about operands to that of the result, which is not `kept` in its type."""
    facts = dict[SSAValue, Fact](zip(made.block.args, operands, strict=True))
    for op in made.block.ops:
        (result,) = op.results
        fact = of_op(op, [facts[operand] for operand in op.operands])
        facts[result] = fact if result is made.result else kept(result, fact)
    return facts[made.result]


def _exact_range(op: Operation, operands: list[Range]) -> Range:
    transfer = RANGE.of(type(op))
    return full_range(op.results[0].type) if transfer is None else transfer(op, operands)


def _wrapped(value: SSAValue, exact: Range) -> Range:
    full = full_range(value.type)
    return exact if exact.within(full) else full


def _divisor(op: Operation, operands: list[int]) -> int:
    transfer = DIVISOR.of(type(op))
    return 1 if transfer is None else transfer(op, operands)
