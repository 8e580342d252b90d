"""What follows about integers from the definition of an op in others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.analysis.affine_values import AffineValues, Condition, Function
from vyre_dialect.analysis.divisors import DIVISOR, DivisorTransfer
from vyre_dialect.analysis.forms import (
    LINEAR,
    ExactOperands,
    FormTransfer,
    LinearForm,
    Operands,
    Symbol,
)
from vyre_dialect.analysis.isl import isl
from vyre_dialect.analysis.symbol_keys import Intermediate
from vyre_dialect.analysis.value_ranges import (
    RANGE,
    UNKNOWN,
    Range,
    RangeTransfer,
    full_range,
    full_signed_range,
    holds_signed_numbers,
    read_as_signed,
    signed_result,
)
from vyre_dialect.builder.definition import Defined, defined
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.meaning import Definition

Fact = TypeVar("Fact")


def range_(definition: Definition) -> RangeTransfer:
    """Interval arithmetic over the ops of the definition, each of which wraps around."""

    def transfer(op: Operation, operands: Sequence[Range]) -> Range:
        return _follow(defined(definition, op), operands, _exact_range, _wrapped)

    return transfer


class Readings(NamedTuple):
    """The numbers that a value can be, as ranges have them and all read as signed ones."""

    unsigned: Range
    signed: Range


def signed_range(definition: Definition) -> RangeTransfer:
    """Interval arithmetic over the ops of the definition, by both readings of what each makes."""

    def transfer(op: Operation, operands: Sequence[Range]) -> Range:
        made = defined(definition, op)
        known = map(_of_signed, operands, op.operand_types)
        return readings_within(made, list(known))[made.result].signed

    return transfer


def readings_within(made: Defined, operands: Sequence[Readings]) -> dict[SSAValue, Readings]:
    """The numbers that what a definition computes can be, from those of the operands."""
    return _facts_of(made, operands, _readings, lambda _, known: known)


def _of_signed(known: Range, type: Attribute) -> Readings:
    is_read_alike = known.is_non_negative or holds_signed_numbers(type)
    return Readings(known if is_read_alike else full_range(type), known)


def _readings(op: Operation, operands: list[Readings]) -> Readings:
    (result,) = op.results
    unsigned = _wrapped(result, _exact_range(op, [each.unsigned for each in operands]))
    known = read_as_signed(unsigned, result.type) or full_signed_range(result.type)
    if known == UNKNOWN:
        return Readings(unsigned, known)
    return Readings(unsigned, signed_result(op, known, [each.signed for each in operands]))


def divisor(definition: Definition) -> DivisorTransfer:
    """What divides the results of the ops of the definition, one after the other."""

    def transfer(op: Operation, operands: Sequence[int]) -> int:
        return _follow(defined(definition, op), operands, _divisor, lambda _, known: known)

    return transfer


def linear(definition: Definition) -> FormTransfer:
    """The forms of the indices of the definition, each a symbol where it is no sum."""

    def transfer(op: Operation, operands: Operands) -> LinearForm | None:
        if not isinstance(operands, ExactOperands):
            return None
        made = defined(definition, op)
        places = {each: place for place, each in enumerate(made.block.ops)}

        def known_of(inner: Operation, known: list[_Known]) -> _Known:
            found = _wrapped(inner.results[0], _exact_range(inner, [each.range for each in known]))
            is_last = inner.results[0] is made.result
            key = Intermediate(op.results[0], places[inner])
            symbol = operands.result if is_last else lambda: Symbol(key, found)
            return _Known(_form(inner, known, symbol), found)

        arguments = list(map(_Known, operands.forms, operands.ranges()))
        return _follow(made, arguments, known_of, lambda _, known: known).form

    return transfer


class _Known(NamedTuple):
    """What is known of one number of a definition."""

    form: LinearForm
    range: Range


def _form(op: Operation, operands: Sequence[_Known], symbol: Callable[[], Symbol]) -> LinearForm:
    """The form of what a definition computes by `op`; `symbol` stands for it where it has none."""
    (result,) = op.results
    if (number := integer_of(result)) is not None:
        return LinearForm((), number)
    transfer = LINEAR.of(type(op)) if isinstance(result.type, IndexType) else None
    forms = [each.form for each in operands]
    known = ExactOperands(forms, lambda: [each.range for each in operands], symbol)
    form = None if transfer is None else transfer(op, known)
    return symbol().form if form is None else form


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
    return _facts_of(made, operands, of_op, kept)[made.result]


def _facts_of(
    made: Defined,
    operands: Sequence[Fact],
    of_op: Callable[[Operation, list[Fact]], Fact],
    kept: Callable[[SSAValue, Fact], Fact],
) -> dict[SSAValue, Fact]:
    """From facts about operands to those of all that the definition computes of them."""
    facts = dict[SSAValue, Fact](zip(made.block.args, operands, strict=True))
    for op in made.block.ops:
        (result,) = op.results
        fact = of_op(op, [facts[operand] for operand in op.operands])
        facts[result] = fact if result is made.result else kept(result, fact)
    return facts


def _exact_range(op: Operation, operands: list[Range]) -> Range:
    transfer = RANGE.of(type(op))
    return full_range(op.results[0].type) if transfer is None else transfer(op, operands)


def _wrapped(value: SSAValue, exact: Range) -> Range:
    full = full_range(value.type)
    return exact if exact.within(full) else full


def _divisor(op: Operation, operands: list[int]) -> int:
    transfer = DIVISOR.of(type(op))
    return 1 if transfer is None else transfer(op, operands)
