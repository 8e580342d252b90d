"""
Index arithmetic by cheaper ops, where no number is negative.

- unsigned division, remainder, shift, minimum, maximum and comparison become signed ones, as which
  C computes with indices;
- division and remainder by a power of two become shifts and masks;
- division that rounds up or down becomes division that rounds towards zero;
- a minimum or a maximum that is always one of two is that one;
- what is added to a multiple does not count where it is compared with another multiple;
- division of a multiple of the divisor and a smaller rest gives the factor, the remainder the rest.

Division that rounds down by a power of two becomes a shift for every number and type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.utils.hints import isa

from vyre_dialect.analysis.comparisons import are_in_order
from vyre_dialect.analysis.guards import PREDICATES
from vyre_dialect.analysis.value_ranges import Range, bit_width, full_range
from vyre_dialect.ir.constants import integer_in_lanes
from vyre_dialect.ir.types import scalar_type
from vyre_dialect.passes.scalar.integers.known_operands import KnownOperands


@dataclass
class _Pattern(RewritePattern):
    known: KnownOperands

    def replace(
        self, op: Operation, by: Operation, rewriter: PatternRewriter, *before: Operation
    ) -> None:
        """
        Let `by`, behind ops that do not inherit the name of `op`, do what `op` did. With the same
        operands it has the same ranges, found before any rewriting; of others they are asked once
        a pattern looks at it, as they are then.
        """
        if tuple(by.operands) == tuple(op.operands):
            self.known.inherit(by, op)
        rewriter.insert(before)
        rewriter.replace(op, by)


_SIGNED: dict[type[Operation], type[arith.SignlessIntegerBinaryOperation]] = {
    arith.DivUIOp: arith.DivSIOp,
    arith.RemUIOp: arith.RemSIOp,
    arith.CeilDivUIOp: arith.CeilDivSIOp,
    arith.ShRUIOp: arith.ShRSIOp,
    arith.MinUIOp: arith.MinSIOp,
    arith.MaxUIOp: arith.MaxSIOp,
}
_Unsigned: TypeAlias = (
    arith.DivUIOp
    | arith.RemUIOp
    | arith.CeilDivUIOp
    | arith.ShRUIOp
    | arith.MinUIOp
    | arith.MaxUIOp
)


class UnsignedToSigned(_Pattern):
    """`op_ui x, y --> op_si x, y`, where neither is negative."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: _Unsigned, rewriter: PatternRewriter, /) -> None:
        if self.known.are_non_negative(op):
            self.replace(op, _SIGNED[type(op)](op.lhs, op.rhs), rewriter)


class UnsignedComparison(_Pattern):
    """`cmpi ult x, y --> cmpi slt x, y`, where neither is negative."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.CmpiOp, rewriter: PatternRewriter, /) -> None:
        predicate = PREDICATES[op.predicate.value.data]
        if predicate.startswith("u") and self.known.are_non_negative(op):
            self.replace(op, arith.CmpiOp(op.lhs, op.rhs, predicate.replace("u", "s")), rewriter)


class ComparisonOfMultiples(_Pattern):
    """
    `cmpi slt (x + r), y --> cmpi slt x, y`, where some `d` divides `x` and `y`, `0 <= r < d`, and
    the sum is exact; `cmpi sgt (x + r), y --> cmpi sge x, y` where `0 < r <= d`; their opposites.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.CmpiOp, rewriter: PatternRewriter, /) -> None:
        found = _BESIDE_MULTIPLES.get(PREDICATES[op.predicate.value.data])
        total, integers = op.lhs.owner, self.known.integers
        if found is None or not isinstance(total, arith.AddiOp):
            return
        predicate, least = found
        if not isinstance(op.lhs.type, IndexType) or integers.may_overflow(total, op.parent):
            return
        divisor = min(integers.divisor_at(each, op.parent) for each in (total.lhs, op.rhs))
        rest = integers.range_at(total.rhs, op.parent)
        if rest.within(Range(least, least + divisor - 1)):
            self.replace(op, arith.CmpiOp(total.lhs, op.rhs, predicate), rewriter)


_BESIDE_MULTIPLES = {"slt": ("slt", 0), "sge": ("sge", 0), "sgt": ("sge", 1), "sle": ("slt", 1)}
"""How a multiple compares with another if it does so with less than the next, and from which on."""


class RoundedUpDivision(_Pattern):
    """`ceildivsi x, c --> divsi (x + (c - 1)), c`, where `x` is not negative, and the sum exact."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.CeilDivSIOp, rewriter: PatternRewriter, /) -> None:
        divisor = _positive(op.rhs)
        if divisor is None or not self.known.are_non_negative(op):
            return
        if divisor == 1:
            rewriter.replace(op, (), (op.lhs,))
        elif self.known.of(op)[0].high + (divisor - 1) <= full_range(op.result.type).high:
            rest = _constant(divisor - 1, op.rhs.type)
            rounded = arith.AddiOp(op.lhs, rest.result)
            division = arith.DivSIOp(rounded.result, op.rhs)
            self.replace(op, division, rewriter, rest, rounded)


class FlooredByPowerOfTwo(_Pattern):
    """`floordivsi x, 2^k --> shrsi x, k`, of indices, other integers and vectors of them."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.FloorDivSIOp, rewriter: PatternRewriter, /) -> None:
        divisor = _positive(op.rhs)
        if divisor is not None and divisor & (divisor - 1) == 0:
            amount = _constant(divisor.bit_length() - 1, op.rhs.type)
            self.replace(op, arith.ShRSIOp(op.lhs, amount.result), rewriter, amount)


class Division(_Pattern):
    """`divsi x, 2^k --> shrsi x, k` and `floordivsi x, c --> divsi x, c`, for `x` not negative."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: arith.DivSIOp | arith.FloorDivSIOp, rewriter: PatternRewriter, /
    ) -> None:
        divisor = _positive(op.rhs)
        if divisor is None or not self.known.are_non_negative(op):
            return
        if divisor == 1:
            rewriter.replace(op, (), (op.lhs,))
        elif divisor & (divisor - 1) == 0:
            amount = _constant(divisor.bit_length() - 1, op.rhs.type)
            self.replace(op, arith.ShRSIOp(op.lhs, amount.result), rewriter, amount)
        elif isinstance(op, arith.FloorDivSIOp):
            self.replace(op, arith.DivSIOp(op.lhs, op.rhs), rewriter)


class Remainder(_Pattern):
    """`remsi x, 2^k --> andi x, 2^k - 1`, where `x` is not negative."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.RemSIOp, rewriter: PatternRewriter, /) -> None:
        divisor = _positive(op.rhs)
        if divisor is None or divisor & (divisor - 1) or not self.known.are_non_negative(op):
            return
        mask = _constant(divisor - 1, op.rhs.type)
        self.replace(op, arith.AndIOp(op.lhs, mask.result), rewriter, mask)


_Division: TypeAlias = (
    arith.DivUIOp | arith.DivSIOp | arith.FloorDivSIOp | arith.ShRUIOp | arith.ShRSIOp
)
_Remainder: TypeAlias = arith.RemUIOp | arith.RemSIOp | arith.AndIOp


class DividedMultiple(_Pattern):
    """`(x * (k * c) + r) / c --> x * k + r / c`, where `r >= 0` and nothing wraps around."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: _Division, rewriter: PatternRewriter, /) -> None:
        if (split := _split(op, _divisor(op), self.known)) is None:
            return
        before, quotient = list[Operation](), split.multiplied
        if split.factor != 1:
            factor = _constant(split.factor, op.result.type)
            before += [factor, product := arith.MuliOp(quotient, factor.result)]
            quotient = product.result
        if split.rest is None:
            rewriter.replace(op, before, (quotient,))
            return
        rest = type(op)(split.rest, op.rhs)
        self.replace(op, arith.AddiOp(quotient, rest.result), rewriter, *before, rest)


class RemainderOfMultiple(_Pattern):
    """`(x * (k * c) + r) % c --> r % c`, where `r >= 0` and nothing wraps around."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: _Remainder, rewriter: PatternRewriter, /) -> None:
        if (split := _split(op, _divisor(op), self.known)) is None:
            return
        if split.rest is None:
            rewriter.replace(op, _constant(0, op.result.type))
        else:
            self.replace(op, type(op)(split.rest, op.rhs), rewriter)


class QuotientOfLess(_Pattern):
    """`x / c --> 0` and `x % c --> x`, where `0 <= x < c`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: _Division | _Remainder, rewriter: PatternRewriter, /) -> None:
        divisor = _divisor(op)
        if divisor is None or not self.known.of(op)[0].within(Range(0, divisor - 1)):
            return
        if isinstance(op, _Remainder):
            rewriter.replace(op, (), (op.lhs,))
        else:
            rewriter.replace(op, _constant(0, op.result.type))


class _Split(NamedTuple):
    """A number as `multiplied * factor * c + rest`, for the `c` that it is divided by."""

    multiplied: SSAValue
    factor: int
    rest: SSAValue | None


def _split(op: Operation, divisor: int | None, known: KnownOperands) -> _Split | None:
    """The first operand of an op that divides it, if a part of it is a multiple of the divisor."""
    if divisor is None or not known.are_non_negative(op):
        return None
    dividend = op.operands[0].owner
    if (whole := _multiple(dividend, divisor, op, known)) is not None:
        return _Split(*whole, None)
    if not isinstance(dividend, arith.AddiOp) or known.integers.may_overflow(dividend, op.parent):
        return None
    for multiple, rest in ((dividend.lhs, dividend.rhs), (dividend.rhs, dividend.lhs)):
        if not known.integers.range_at(rest, op.parent).is_non_negative:
            continue
        if (whole := _multiple(multiple.owner, divisor, op, known)) is not None:
            return _Split(*whole, rest)
    return None


def _multiple(
    op: Operation | Block, divisor: int, user: Operation, known: KnownOperands
) -> tuple[SSAValue, int] | None:
    """What is multiplied in `op` by a constant, and that over `divisor`, a factor of it."""
    if not isinstance(op, arith.MuliOp | arith.ShLIOp):
        return None
    constant = integer_in_lanes(op.rhs)
    if constant is None or constant <= 0:
        return None
    factor = 1 << constant if isinstance(op, arith.ShLIOp) else constant
    if factor % divisor or known.integers.may_overflow(op, user.parent):
        return None
    return op.lhs, factor // divisor


def _divisor(op: Operation) -> int | None:
    """By which positive number an op divides."""
    number = _positive(op.operands[1])
    if number is None:
        return None
    if isinstance(op, arith.ShRUIOp | arith.ShRSIOp):
        is_within = number < bit_width(scalar_type(op.result.type)) - 1
        return 1 << number if is_within else None
    if isinstance(op, arith.AndIOp):
        return number + 1 if number & (number + 1) == 0 else None
    return number


_Extremum: TypeAlias = arith.MinUIOp | arith.MaxUIOp | arith.MinSIOp | arith.MaxSIOp


class DecidedExtremum(_Pattern):
    """
    `min x, y --> x`, where no `x` is above any `y`, and such of maxima; lane by lane, too. And of
    `x` and itself.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: _Extremum, rewriter: PatternRewriter, /) -> None:
        if op.lhs is op.rhs:
            rewriter.replace(op, (), (op.lhs,))
            return
        left, right = self.known.of(op)
        signedness = "signed" if isinstance(op, arith.MinSIOp | arith.MaxSIOp) else "unsigned"
        if not are_in_order(op.result.type, signedness, left, right):
            return
        if left.high <= right.low:
            smaller, larger = op.lhs, op.rhs
        elif right.high <= left.low:
            smaller, larger = op.rhs, op.lhs
        else:
            return
        is_minimum = isinstance(op, arith.MinUIOp | arith.MinSIOp)
        rewriter.replace(op, (), (smaller if is_minimum else larger,))


REDUCIBLE = (
    *(*_SIGNED, arith.MinSIOp, arith.MaxSIOp, arith.ShRSIOp, arith.AndIOp),
    *(arith.CmpiOp, arith.CeilDivSIOp, arith.DivSIOp, arith.FloorDivSIOp, arith.RemSIOp),
)
"""The ops that patterns of this family match."""


def patterns_of_strength(known: KnownOperands) -> list[RewritePattern]:
    """The patterns of this family."""
    return [
        DecidedExtremum(known),
        QuotientOfLess(known),
        DividedMultiple(known),
        RemainderOfMultiple(known),
        UnsignedToSigned(known),
        UnsignedComparison(known),
        ComparisonOfMultiples(known),
        RoundedUpDivision(known),
        FlooredByPowerOfTwo(known),
        Division(known),
        Remainder(known),
    ]


def _positive(value: SSAValue) -> int | None:
    """The number that `value` is in every lane, read as a signed one, if it is positive."""
    number = integer_in_lanes(value)
    if number is None:
        return None
    half = 2 ** (bit_width(scalar_type(value.type)) - 1)
    number = (number + half) % (2 * half) - half
    return number if number > 0 else None


def _constant(number: int, type: Attribute) -> arith.ConstantOp:
    """A number of an integer type, in every lane of a vector."""
    if isa(type, VectorType[IntegerType] | VectorType[IndexType]):
        return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, [number]))
    assert isinstance(type, IndexType | IntegerType)
    return arith.ConstantOp(IntegerAttr(number, type))
