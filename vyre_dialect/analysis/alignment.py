"""
Powers of two that divide an integer, whatever the invocation and the iteration.

Wrapping around keeps such a divisor, so that nothing needs to be known about overflow. Source:
the congruences of Granger, "Static analysis of arithmetical congruences", restricted to zero
modulo a power of two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.forward_analysis import (
    Computed,
    Counter,
    ForwardAnalysis,
    Merged,
    Rule,
    origin_of,
)
from vyre_dialect.ir.meaning import Facet

OF_ZERO = 2**63
"""The divisor of zero, which every power of two divides."""

DivisorTransfer: TypeAlias = Callable[[Any, Sequence[int]], int]
"""From an op of one result and the divisors of its operands to that of the result."""

DIVISOR = Facet[DivisorTransfer]("divisor", "vyre_dialect.analysis.by_definition:divisor")
"""What is known about the results of ops; those of an op that does not say it may be odd."""


def power_of_two_divisor(number: int) -> int:
    """The largest power of two that divides `number`."""
    return min(number & -number, OF_ZERO) if number else OF_ZERO


class Divisors(ForwardAnalysis[SSAValue, int]):
    """The largest power of two known to divide each value."""

    start = OF_ZERO

    def of(self, value: SSAValue) -> int:
        """A power of two that divides `value`, an index or an integer."""
        return self.fact(value)

    def rule(self, node: SSAValue) -> Rule[SSAValue, int]:
        """One of several values is divided by what divides all of them."""
        match origin_of(node):
            case Computed(op) if (transfer := _transfer(op)) is not None:
                return Rule(op.operands, lambda divisors: transfer(op, divisors))
            case Merged(sources) if sources:
                return Rule(sources, min)
            case Counter(begin, _, step):
                return Rule((begin, step), min)
            case _:
                return Rule((), lambda _: 1)


def _transfer(op: Operation) -> DivisorTransfer | None:
    return DIVISOR.of(type(op)) if len(op.results) == 1 else None
