"""By how much numbers differ from lane to lane."""

from __future__ import annotations

from collections.abc import Hashable
from math import gcd
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.forms import LinearForm, Symbol
from vyre_dialect.analysis.guards import PREDICATES
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.symbol_keys import ElementCount, IdAlong, Iteration, Quotient
from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.ir.interfaces import Id

_ID = IdAlong(Id.INVOCATION, 0)
"""The key of the symbol that neighbours differ in."""
SMALL = Range(-(2**61), 2**61)
"""Numbers whose differences do not wrap around."""
MAX_STEP = 2**24
"""Steps whose multiples, for each lane, are an `i32`."""
MAX_NESTED = 4
"""Quotients of quotients that are looked into."""
Offsets: TypeAlias = tuple[int, ...]
"""How much larger numbers are in each lane than in the first."""


def equal_step(offsets: Offsets) -> int | None:
    """By how much numbers grow from lane to lane, if that is always the same."""
    step = offsets[1] - offsets[0]
    grows = all(offset == lane * step for lane, offset in enumerate(offsets))
    return step if grows else None


class Steps:
    """What linear forms say about the values of an arm from lane to lane."""

    def __init__(self, forms: LinearForms, divergence: DivergenceAnalysis, lanes: int):
        self.forms, self.integers, self.lanes = forms, forms.integers, lanes
        self._divergence = divergence
        self._in_step = set[SSAValue]()

    def run_in_step(self, counter: SSAValue) -> None:
        """Note that lanes run the loop of a counter the same number of times."""
        self._in_step.add(counter)

    def range_at(self, value: SSAValue, block: Block) -> Range:
        """What an index can be wherever `block` runs."""
        return self.integers.range_at(value, block)

    def of(self, form: LinearForm) -> int | None:
        """By how much a form grows from lane to lane, if that is always the same."""
        offsets = self.offsets(form)
        return None if offsets is None else equal_step(offsets)

    def of_value(self, value: SSAValue, block: Block) -> int | None:
        """By how much an index grows from lane to lane, if that is always the same."""
        return self.of(self.forms.at(value, block))

    def offsets(self, form: LinearForm, nested: int = 0) -> Offsets | None:
        """How much larger a form is in each lane than in the first, if that is always the same."""
        offsets = [0] * self.lanes
        for symbol, factor in form.terms:
            own = self._offsets_of_symbol(symbol, nested)
            if own is None:
                return None
            offsets = [each + factor * more for each, more in zip(offsets, own, strict=True)]
        return tuple(offsets)

    def _offsets_of_symbol(self, symbol: Symbol, nested: int) -> Offsets | None:
        match symbol.key:
            case key if key == _ID:
                return tuple(range(self.lanes))
            case Quotient() as quotient:
                return self._offsets_of_quotient(quotient, nested + 1)
            case key:
                return (0,) * self.lanes if self._is_the_same(key) else None

    def _offsets_of_quotient(self, quotient: Quotient, nested: int) -> Offsets | None:
        """
        The first lane is invocation k * lanes, so that the dividend is there a multiple of the
        greatest common divisor of all factors, its `unit`, and the constant. Where that is a
        multiple of the divisor, what is left says all; where lanes lie in one unit, the quotient
        is the same.
        """
        if nested > MAX_NESTED:
            return None
        step, divisor, unit = 0, quotient.divisor, quotient.divisor
        for symbol, factor in quotient.terms:
            own = self._offsets_of_symbol(symbol, nested)
            if symbol.key == _ID:
                step, factor = factor, factor * self.lanes
            elif own is None or any(own):
                return None
            unit = gcd(unit, factor)
        inside = [quotient.constant % unit + lane * step for lane in range(self.lanes)]
        if unit == divisor:
            return tuple((each // divisor) - (inside[0] // divisor) for each in inside)
        return (0,) * self.lanes if 0 <= min(inside) and max(inside) < unit else None

    def of_comparison(self, op: arith.CmpiOp) -> tuple[str, Offsets] | None:
        """
        The signed predicate that a comparison of indices asks for, and how much larger the left
        side, less the right one, is in each lane than in the first; None where that is not known.
        """
        block = op.parent
        assert block is not None
        if not isinstance(op.lhs.type, IndexType):
            return None
        ranges = [self.integers.range_at(operand, block) for operand in op.operands]
        if not all(each.within(SMALL) for each in ranges):
            return None
        predicate = PREDICATES[op.predicate.value.data]
        if predicate.startswith("u"):
            if not all(each.is_non_negative for each in ranges):
                return None
            predicate = f"s{predicate[1:]}"
        left, right = (self.forms.at(operand, block) for operand in op.operands)
        offsets = self.offsets(left.plus(right, -1))
        is_small = offsets is not None and max(map(abs, offsets)) <= MAX_STEP * self.lanes
        return (predicate, offsets) if offsets is not None and is_small else None

    def _is_the_same(self, key: Hashable) -> bool:
        match key:
            case SSAValue():
                return not self._divergence.differs_along_x(key)
            case Iteration(counter):
                return counter in self._in_step or not self._divergence.differs_along_x(counter)
            case IdAlong(Id.INVOCATION, axis):
                return axis != 0
            case _:
                return isinstance(key, ElementCount)
