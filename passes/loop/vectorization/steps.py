"""By how much numbers grow from one lane to the next."""

from __future__ import annotations

from collections.abc import Hashable

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


class Steps:
    """What linear forms say about the values of an arm from lane to lane."""

    def __init__(self, forms: LinearForms, divergence: DivergenceAnalysis):
        self.forms, self.integers = forms, forms.integers
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
        step = 0
        for symbol, factor in form.terms:
            if symbol.key == _ID:
                step = factor
            elif not self._is_uniform(symbol):
                return None
        return step

    def of_value(self, value: SSAValue, block: Block) -> int | None:
        """By how much an index grows from lane to lane, if that is always the same."""
        return self.of(self.forms.at(value, block))

    def of_comparison(self, op: arith.CmpiOp) -> tuple[str, int] | None:
        """
        The signed predicate that a comparison of indices asks for, and by how much the left side
        grows more than the right one from lane to lane; None where that is not known exactly.
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
        step = self.of(left.plus(right, -1))
        return None if step is None or abs(step) > MAX_STEP else (predicate, step)

    def _is_uniform(self, symbol: Symbol) -> bool:
        """Whether a symbol stands for the same number in all lanes, as far as its key says."""
        pending = [symbol]
        while pending:
            key = pending.pop().key
            if isinstance(key, Quotient):
                pending += [each for each, _ in key.terms]
            elif not self._is_the_same(key):
                return False
        return True

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
