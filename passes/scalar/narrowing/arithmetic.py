"""
What integer arithmetic does in few bits.

An op whose low bits follow from low ones alone has a form for any operands, others for operands
that fit. The order of unsigned numbers stays as it is where the sign is what is cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.guards import PREDICATES, Comparison
from vyre_dialect.analysis.value_ranges import Range, signed_numbers
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.proofs import drop_proofs
from vyre_dialect.passes.scalar.narrowing.forms import Form, Reading, Width

_Binary: TypeAlias = type[arith.SignlessIntegerBinaryOperation]
_Shift: TypeAlias = arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp


def low_bits(width: Width, op: Operation) -> Form:
    """The same op, whose low bits follow from those of all operands that have more bits."""

    def compute(*operands: SSAValue) -> SSAValue:
        type_ = width.type if width.is_exceeded_by(op.results[0]) else op.results[0].type
        made = type(op).create(
            operands=operands,
            result_types=[type_],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        drop_proofs(made)
        return made.results[0]

    return Form(compute, width.places(op), takes_low_bits=True)


def muli(width: Width, op: arith.MuliOp) -> Form | None:
    """The low bits of a product."""
    return None if width.is_of_bytes else low_bits(width, op)


def quotient(width: Width, op: arith.DivUIOp | arith.RemUIOp) -> Form | None:
    """A quotient or remainder of unsigned numbers, by one that is known and not 0."""
    if width.is_of_bytes or not integer_of(op.rhs):
        return None
    return _of_fitting(width, op, unsigned=type(op))


# Shifts by less than so many bits.


def shli(width: Width, op: arith.ShLIOp) -> Form | None:
    """The low bits, shifted."""
    return _shift(width, op, low_bits(width, op))


def shrui(width: Width, op: arith.ShRUIOp) -> Form | None:
    """The same of a number that fits as an unsigned one."""
    return _shift(width, op, _of_fitting(width, op, unsigned=arith.ShRUIOp))


def shrsi(width: Width, op: arith.ShRSIOp) -> Form | None:
    """The same of a number that fits, which has a sign or none."""
    fitting = _of_fitting(width, op, unsigned=arith.ShRUIOp, signed=arith.ShRSIOp)
    return _shift(width, op, fitting)


def _shift(width: Width, op: _Shift, form: Form | None) -> Form | None:
    amount = width.unsigned(op.rhs, op.parent)
    if form is None or not amount.within(Range(0, width.bits - 1)):
        return None
    # Bytes are shifted in words, and masked.
    return replace(form, steps=2 if width.is_of_bytes else 1)


# Order.


def unsigned_extremum(width: Width, op: arith.MinUIOp | arith.MaxUIOp) -> Form | None:
    """The same of numbers that fit either way."""
    return _of_fitting(width, op, unsigned=type(op), signed=type(op))


def minsi(width: Width, op: arith.MinSIOp) -> Form | None:
    """The smaller of numbers that fit."""
    return _of_fitting(width, op, unsigned=arith.MinUIOp, signed=arith.MinSIOp)


def maxsi(width: Width, op: arith.MaxSIOp) -> Form | None:
    """The larger of numbers that fit."""
    return _of_fitting(width, op, unsigned=arith.MaxUIOp, signed=arith.MaxSIOp)


def cmpi(width: Width, op: arith.CmpiOp) -> Form | None:
    """A comparison of numbers that fit."""
    reading = width.reading(op, op.lhs, op.rhs)
    if reading is None:
        return None
    predicate = Comparison.of(op).predicate
    if reading == Reading.UNSIGNED and predicate[0] == "s":
        predicate = f"u{predicate[1:]}"
    number = PREDICATES.index(predicate)

    def compare(lhs: SSAValue, rhs: SSAValue) -> Operation:
        return arith.CmpiOp(lhs, rhs, number)

    return _form(compare)


def absi(width: Width, op: math.AbsIOp) -> Form | None:
    """Of a number whose opposite fits, too."""
    numbers, known = signed_numbers(width.bits), width.signed(op.operand)
    fits = numbers.low < known.low and known.high <= numbers.high
    return _form(math.AbsIOp, (0,)) if fits else None


def _of_fitting(
    width: Width, op: Operation, *, unsigned: _Binary, signed: _Binary | None = None
) -> Form | None:
    """What does the same to numbers that few bits hold, by how these are read."""
    reading = width.reading(op, *op.operands)
    if reading is None:
        return None
    narrow = unsigned if reading == Reading.UNSIGNED else signed
    return None if narrow is None else _form(narrow)


def _form(make: Callable[..., Operation], places: Sequence[int] = (0, 1)) -> Form:
    """An op that is made of all operands."""

    def compute(*operands: SSAValue) -> SSAValue:
        return make(*operands).results[0]

    return Form(compute, places)
