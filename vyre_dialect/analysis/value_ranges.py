"""
Ranges of integers: the smallest and the largest number that a value can be, or that any lane of a
vector can be.

An index is read as a signed number, other integers as unsigned ones. Source: Harrison, "Compiler
Analysis of the Value Ranges for Variables".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Operation

from vyre_dialect.ir.meaning import Facet
from vyre_dialect.ir.types import MAX_COUNT as MAX_COUNT
from vyre_dialect.ir.types import scalar_type

INDEX_LIMIT = 2**63
"""No index reaches this."""
_INDEX_MIN, _INDEX_MAX = -INDEX_LIMIT, INDEX_LIMIT - 1


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from `low` to `high`, both included."""

    low: int
    high: int

    def join(self, other: Range) -> Range:
        """The smallest range that holds both."""
        return Range(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Range) -> Range:
        """What both ranges hold; of disjoint ranges (code that never runs), the other."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Range(low, high) if low <= high else other

    def within(self, other: Range) -> bool:
        """Whether every value of this range lies in the other."""
        return other.low <= self.low and self.high <= other.high

    @property
    def is_one(self) -> bool:
        """Whether it holds one number only."""
        return self.low == self.high

    @property
    def is_non_negative(self) -> bool:
        """Whether no value is negative."""
        return self.low >= 0


UNKNOWN = Range(-(2**200), 2**200)
"""Of a result that may be any number, or is none."""


_INDICES = Range(_INDEX_MIN, _INDEX_MAX)


def full_range(type: Attribute) -> Range:
    """Every number that a value of `type`, or a lane of it, can be; all numbers of no integers."""
    lane = scalar_type(type)
    if isinstance(lane, IntegerType):
        return Range(0, 2**lane.width.data - 1)
    return _INDICES if isinstance(lane, IndexType) else UNKNOWN


def signed_numbers(width: int) -> Range:
    """What integers of so many bits are, read as signed ones."""
    half = 1 << width - 1
    return Range(-half, half - 1)


def full_signed_range(type: Attribute) -> Range:
    """Every number that a scalar integer can be, read as a signed one; all of anything else."""
    if isinstance(type, IntegerType):
        return signed_numbers(type.width.data)
    return _INDICES if isinstance(type, IndexType) else UNKNOWN


def read_as_signed(known: Range, type: Attribute) -> Range | None:
    """
    What a scalar integer in a range is as a signed number, None where that is no range; UNKNOWN of
    anything else.
    """
    numbers = full_signed_range(type)
    if numbers == UNKNOWN:
        return UNKNOWN
    if known.within(numbers):
        return known
    if known.low <= numbers.high or not known.within(full_range(type)):
        return None
    wrapped = 2 * numbers.low
    return Range(known.low + wrapped, known.high + wrapped)


def holds_signed_numbers(type: Attribute) -> bool:
    """Whether ranges of `type` are of signed numbers: those of an index, and of lanes that are."""
    return isinstance(scalar_type(type), IndexType)


def first_past(low: Range, high: Range, step: Range) -> int:
    """The largest number that a loop counter gets when it is advanced to the bound or past it."""
    if low.low == low.high and step.low == step.high > 0:
        trips = max(0, -((low.low - high.high) // step.low))
        return low.low + trips * step.low
    return high.high - 1 + step.high


def bit_width(type: Attribute) -> int:
    """The bits of an integer, or of a lane, 64 of an index."""
    lane = scalar_type(type)
    return lane.width.data if isinstance(lane, IntegerType) else 64


RangeTransfer: TypeAlias = Callable[[Any, Sequence[Range]], Range]
"""From an op of one result and the ranges of its operands to the range of the exact result."""

RANGE = Facet[RangeTransfer]("range", "vyre_dialect.analysis.by_definition:range_")
"""What is known about the results of ops; those of an op that does not say it may be anything."""

SIGNED_RANGE = Facet[RangeTransfer](
    "signed_range", "vyre_dialect.analysis.by_definition:signed_range"
)
"""The same of scalar integers, all of which are read as signed ones."""


def signed_result(op: Operation, known: Range, operands: Sequence[Range]) -> Range:
    """
    The one result of an op read as a signed number, of which something is known: within what the op
    says of the exact number, unless that may wrap around.
    """
    transfer = SIGNED_RANGE.of(type(op))
    if transfer is None:
        return known
    exact = transfer(op, operands)
    return known.meet(exact) if exact.within(full_signed_range(op.results[0].type)) else known


def bounded(predicate: str, bound: Range, known: Range) -> Range:
    """What a signed or unsigned comparison with something in `bound` says about an index."""
    limits = {
        "eq": bound,
        "slt": Range(_INDEX_MIN, bound.high - 1),
        "sle": Range(_INDEX_MIN, bound.high),
        "sgt": Range(bound.low + 1, _INDEX_MAX),
        "sge": Range(bound.low, _INDEX_MAX),
    }
    if bound.is_non_negative:
        # A number that is unsigned below a non-negative one is not negative itself.
        limits["ult"] = Range(0, max(0, bound.high - 1))
        limits["ule"] = Range(0, bound.high)
    return limits.get(predicate, known)
