"""What symbols of forms stand for, where that is no value of the program: their keys."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import BlockArgument, SSAValue

from vyre_dialect.analysis.forms import Symbol
from vyre_dialect.ir.interfaces import Id


@dataclass(frozen=True)
class ElementCount:
    """How many elements a buffer has."""

    buffer: SSAValue


@dataclass(frozen=True)
class IdAlong:
    """An id along an axis."""

    id: Id
    axis: int


@dataclass(frozen=True)
class Iteration:
    """How many iterations the loop of a counter has done."""

    counter: BlockArgument


@dataclass(frozen=True)
class Quotient:
    """A form that is not negative, divided by a positive number and rounded down."""

    terms: frozenset[tuple[Symbol, int]]
    constant: int
    divisor: int


@dataclass(frozen=True)
class Intermediate:
    """What the definition of an op computes by its op at a position."""

    result: SSAValue
    position: int
