"""
What comparisons in a loop say of its counter: that it lies on one side of a number, which is known
before the loop begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.forms import LinearForm, Sums, Symbol, inequalities
from vyre_dialect.analysis.guards import Comparison
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.value_ranges import INDEX_LIMIT, Range
from vyre_dialect.builder.values import Value, constant

MAX_TERMS = 4
"""Values that a bound is computed from: it must cost less than the comparisons that it saves."""


@dataclass(frozen=True)
class Number:
    """A number that a bound may be: `form / divisor`, rounded down."""

    form: LinearForm
    """Of values of the program, which are the keys of its symbols."""
    divisor: int = 1

    @staticmethod
    def of(value: SSAValue, known: Range) -> Number:
        """A value of the program, of which a range is known."""
        return Number(Symbol(value, known).form)

    @cached_property
    def range(self) -> Range:
        """What it can be."""
        lowest = -self.form.times(-1).highest
        return Range(lowest // self.divisor, self.form.highest // self.divisor)

    @property
    def fits(self) -> bool:
        """Whether nothing wraps around on the way to it, in whatever order it is summed up."""
        if self.form.constant == 0 and [factor for _, factor in self.form.terms] == [1]:
            return True
        most = sum(
            abs(factor) * max(abs(symbol.bounds.low), abs(symbol.bounds.high))
            for symbol, factor in self.form.terms
        )
        return most + abs(self.form.constant) < INDEX_LIMIT

    @property
    def is_known(self) -> bool:
        """Whether it is one number."""
        return self.range.low == self.range.high

    def emit(self) -> Value:
        """The number, computed at the current place."""
        if self.is_known:
            return constant(self.range.low)
        terms = sorted(self.form.terms, key=lambda term: term[1] < 0)
        total = _multiple(*terms[0])
        for symbol, factor in terms[1:]:
            part = _multiple(symbol, abs(factor))
            total = total - part if factor < 0 else total + part
        total = total + self.form.constant if self.form.constant else total
        if self.divisor.bit_count() == 1:
            return total >> self.divisor.bit_length() - 1 if self.divisor > 1 else total
        return total // self.divisor


def _multiple(symbol: Symbol, factor: int) -> Value:
    assert isinstance(symbol.key, SSAValue)
    value = Value(symbol.key)
    return value if factor == 1 else value * factor


@dataclass(frozen=True)
class CounterBound:
    """That the counter of a loop is at least a number, or is below it."""

    number: Number
    is_end: bool
    """Whether it is below."""


class CounterBounds:
    """
    What comparisons say of the counter of one loop. They compare sums of multiples of it and of
    values from outside of the loop, none of which wraps around.
    """

    def __init__(self, loop: scf.ForOp, integers: Integers):
        self._loop, self._ranges, self._sums = loop, integers, _Sums(loop, integers)

    def of(self, guard: Comparison) -> Sequence[CounterBound] | None:
        """
        The bounds that all hold exactly where a comparison does, none where that is always; None
        where no bounds say that.
        """
        left, right = self._sums.fact(guard.left), self._sums.fact(guard.right)
        forms = list(inequalities(guard, left, right, self._is_non_negative))
        found = list[CounterBound]()
        for form in forms:
            factor = form.factors.get(self._sums.counter, 0)
            if factor == 0 and form.highest <= 0:
                continue
            if (bound := self._bound(form, factor)) is None:
                return None
            found.append(bound)
        return found if forms else None

    def _bound(self, form: LinearForm, factor: int) -> CounterBound | None:
        """What `form <= 0` says of the counter, whose factor is given; None if that is no bound."""
        rest = form.plus(self._sums.counter.form, -factor)
        if factor == 0 or not self._is_invariant(rest):
            return None
        size = abs(factor)
        is_end = factor > 0
        number = rest.times(-1).shifted(size) if is_end else rest.shifted(size - 1)
        bound = CounterBound(Number(number, size), is_end)
        return bound if bound.number.fits else None

    def _is_invariant(self, form: LinearForm) -> bool:
        values = (symbol.key for symbol, _ in form.terms)
        return len(form.terms) <= MAX_TERMS and not any(map(self._sums.is_inside, values))

    def _is_non_negative(self, value: SSAValue) -> bool:
        return self._ranges.range_at(value, self._loop.body.block).is_non_negative


class _Sums(Sums):
    """What a loop computes, as sums of multiples of its counter and of values from outside."""

    def __init__(self, loop: scf.ForOp, integers: Integers):
        super().__init__()
        self._loop, self._ranges = loop, integers
        self.counter = self.symbol(loop.body.block.args[0])

    def is_inside(self, value: object) -> bool:
        """Whether a value is computed in the loop."""
        assert isinstance(value, SSAValue)
        return self._loop.is_ancestor(value.owner)

    def is_taken_apart(self, op: Operation) -> bool:
        return self._loop.is_ancestor(op) and not self._ranges.may_overflow(op)

    def symbol(self, value: SSAValue) -> Symbol:
        return Symbol(value, self._ranges.range_at(value, self._loop.parent))
