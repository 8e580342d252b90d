"""What forms say of the results of ops: one function for each kind of op, which its row names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import Operation

from vyre_dialect.analysis.forms import MAX_CASES, FormTransfer, LinearForm, Operands, Symbol
from vyre_dialect.analysis.symbol_keys import Quotient
from vyre_dialect.analysis.value_ranges import Range

# Sums and products, where they do not wrap around.

_Combine: TypeAlias = Callable[[LinearForm, LinearForm], LinearForm | None]


def _where_exact(combine: _Combine) -> FormTransfer:
    def transfer(op: Operation, operands: Operands) -> LinearForm | None:
        return None if operands.may_wrap(op) else combine(*operands.forms)

    return transfer


def _product(left: LinearForm, right: LinearForm) -> LinearForm | None:
    if not left.terms:
        return right.times(left.constant)
    return None if right.terms else left.times(right.constant)


def _shifted_left(left: LinearForm, right: LinearForm) -> LinearForm | None:
    is_known = not right.terms and 0 <= right.constant < 64
    return left.times(2**right.constant) if is_known else None


addi = _where_exact(lambda left, right: left.plus(right))
subi = _where_exact(lambda left, right: left.plus(right, -1))
muli = _where_exact(_product)
shli = _where_exact(_shifted_left)


def same_number(op: Operation, operands: Operands) -> LinearForm | None:
    """The operand, where the type of the result holds it."""
    return operands.forms[0] if operands.is_kept(op) else None


# Minimum and maximum.


def minimum(op: Operation, operands: Operands) -> LinearForm | None:
    """A number that is at most each of the operands."""
    return _extremum(operands, 1)


def maximum(op: Operation, operands: Operands) -> LinearForm | None:
    """A number that is at least each of the operands."""
    return _extremum(operands, -1)


def unsigned_minimum(op: Operation, operands: Operands) -> LinearForm | None:
    """The same of unsigned numbers, where none is negative."""
    return _extremum(operands, 1) if _are_unsigned(operands) else None


def unsigned_maximum(op: Operation, operands: Operands) -> LinearForm | None:
    """The same of unsigned numbers, where none is negative."""
    return _extremum(operands, -1) if _are_unsigned(operands) else None


def _are_unsigned(operands: Operands) -> bool:
    return all(map(operands.is_non_negative, range(len(operands.forms))))


def _extremum(operands: Operands, sign: int) -> LinearForm | None:
    if (symbol := operands.symbol()) is None:
        return None
    symbol.facts.extend(symbol.form.plus(form, -1).times(sign) for form in operands.forms)
    cases = [case for form in operands.forms for case in _cases_of(form)]
    symbol.cases.extend(cases if len(cases) <= MAX_CASES else operands.forms)
    return symbol.form


def _cases_of(form: LinearForm) -> Sequence[LinearForm]:
    """The forms one of which a form is equal to: itself, unless it is an extremum of others."""
    if form.constant or len(form.terms) != 1:
        return (form,)
    ((symbol, factor),) = form.terms
    return symbol.cases if factor == 1 and symbol.cases else (form,)


# Quotients and remainders, of what is not negative by a positive constant.


def quotient(op: Operation, operands: Operands) -> LinearForm | None:
    """The quotient, which is rounded down."""
    return _divided(operands, _rounded_down)


def quotient_rounded_up(op: Operation, operands: Operands) -> LinearForm | None:
    """The quotient, which is rounded up."""
    return _divided(operands, lambda number, by: _rounded_down(number.shifted(by - 1), by))


def remainder(op: Operation, operands: Operands) -> LinearForm | None:
    """What the quotient leaves."""
    return _divided(operands, _rest)


def shift_right(op: Operation, operands: Operands) -> LinearForm | None:
    """The quotient by a power of two."""
    amount = operands.constant(1)
    if amount is None or not 0 <= amount < 63 or not operands.is_non_negative(0):
        return None
    return _rounded_down(operands.forms[0], 1 << amount)


def mask(op: Operation, operands: Operands) -> LinearForm | None:
    """The remainder by a power of two, of which the right operand is one less."""
    number = operands.constant(1)
    if number is None or number <= 0 or number & (number + 1) or not operands.is_non_negative(0):
        return None
    return _rest(operands.forms[0], number + 1)


def _divided(
    operands: Operands, divide: Callable[[LinearForm, int], LinearForm]
) -> LinearForm | None:
    divisor = operands.constant(1)
    if divisor is None or divisor <= 0 or not operands.is_non_negative(0):
        return None
    return divide(operands.forms[0], divisor)


def _rest(dividend: LinearForm, divisor: int) -> LinearForm:
    return dividend.plus(_rounded_down(dividend, divisor), -divisor)


def _rounded_down(dividend: LinearForm, divisor: int) -> LinearForm:
    if all(factor % divisor == 0 for _, factor in dividend.terms):
        terms = tuple((symbol, factor // divisor) for symbol, factor in dividend.terms)
        return LinearForm(terms, dividend.constant // divisor)
    highest = min(dividend.highest // divisor, 2**63 - 1)
    key = Quotient(frozenset(dividend.terms), dividend.constant, divisor)
    symbol = Symbol(key, Range(0, max(0, highest)))
    rest = dividend.plus(symbol.form, -divisor)
    symbol.facts.extend((rest.times(-1), rest.shifted(1 - divisor)))
    return symbol.form
