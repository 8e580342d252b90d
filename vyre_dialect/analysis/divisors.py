"""
How powers of two that divide integers follow through ops.

Wrapping around keeps such a divisor, so that nothing needs to be known about overflow. Source:
the congruences of Granger, "Static analysis of arithmetical congruences", restricted to zero
modulo a power of two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

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
