"""
Tests of unpacked integers as tests of the packed ones.

    base + u in [a, b]          -->      u in [a - base, b - base]

An integer is made of a packed one by steps that are one to one: zigzag, and a base that is added.
What a set of integers is made of follows exactly, with wrap-around; which packed integers there can
be says the number of bits. The steps move into the query, for what else it does with the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.row_tests import RowTests
from vyre_dialect.analysis.value_sets import ValueSet
from vyre_dialect.builder import Value
from vyre_dialect.ops.packed import BitUnpackOp
from vyre_dialect.passes.expansions.zigzag import unzigzagged
from vyre_dialect.passes.program.predicates.conditions import replace_conditions
from vyre_dialect.passes.program.predicates.encoded_columns import EncodedColumn
from vyre_dialect.passes.program.predicates.outcome import Kept, Moved, Reason, Rule
from vyre_dialect.passes.program.predicates.set_tests import SetTest, parity_test, set_test
from vyre_dialect.passes.rewriting.rewriters import building

MOST_POINTS = 8
"""Packed integers by which the two halves of a zigzag set may differ."""


def move_to_packed(
    column: EncodedColumn, op: BitUnpackOp, tests: RowTests, rewriter: PatternRewriter
) -> Moved | Kept | None:
    """Let the query test packed integers, if a test can be moved; None where it does so already."""
    if not _base(op) and op.zigzag is None:
        return None
    own = [each for each in tests.tests if each.argument is column.argument]
    bits, base, zigzag = op.bits.value.data, _base(op), op.zigzag is not None
    sets = {test: tests.accepted(test) for test in own}
    found = {
        test: None if passing is None else packed_test(passing, bits, base, zigzag=zigzag)
        for test, passing in sets.items()
    }
    moved = {test: each for test, each in found.items() if each is not None}
    if not moved:
        is_known = any(passing is not None for passing in sets.values())
        return _SCATTERED if is_known else _NO_SET
    rule = Rule.FRAME_OF_REFERENCE if op.zigzag is None else Rule.ZIGZAG
    _unpack_in_body(column, op, rewriter)
    with building(rewriter, InsertPoint.at_start(column.query.body.block)):
        values = {test: build(Value(column.argument)) for test, build in moved.items()}
    replace_conditions(column.query, values, rewriter)
    stays = len(own) - len(moved)
    return Moved(rule, f"{stays} of {len(own)} tests stay" if stays else "tests what is packed")


_NO_SET = Kept(Reason.NO_SET, "the test is more than comparisons with constants")
_SCATTERED = Kept(Reason.SCATTERED, "what passes is no range of what is packed")


def packed_test(passing: ValueSet, bits: int, base: int, *, zigzag: bool) -> SetTest | None:
    """
    The test whether a packed integer of so many bits is one of a value that passes; None unless it
    is a short one.
    """
    offsets = passing.shifted(-base)
    if not zigzag:
        return set_test(offsets, 1 << bits)
    halves = zigzag_halves(offsets, bits)
    if bits and halves.is_sign:
        return parity_test(is_odd=not halves.even)
    packed = halves.joined()
    return None if packed is None else set_test(packed, 1 << bits)


class ZigzagHalves(NamedTuple):
    """
    A set of integers, as zigzag has them: the `x` that stand as `2 * x`, and the `~x` of those
    below 0, which stand as `2 * ~x + 1`.
    """

    even: ValueSet
    odd: ValueSet
    all: ValueSet
    """What either may be."""

    @property
    def is_sign(self) -> bool:
        """Whether the set is that of all integers of one sign."""
        return {self.even, self.odd} == {self.all, self.all & ~self.all}

    def joined(self) -> ValueSet | None:
        """What the integers stand as; None where that is not close together."""
        both = self.even & self.odd
        pairs = ((2 * first, 2 * last + 1) for first, last in both.intervals)
        apart = chain(
            (2 * each for each in _numbers(self.even & ~both)),
            (2 * each + 1 for each in _numbers(self.odd & ~both)),
        )
        points = list(islice(apart, MOST_POINTS + 1))
        if len(points) > MOST_POINTS:
            return None
        return ValueSet.of(both.width, [*pairs, *((each, each) for each in points)])


def zigzag_halves(passing: ValueSet, bits: int) -> ZigzagHalves:
    """Of a set, what integers of so many bits stand for."""
    width = passing.width
    evens = ValueSet.below(width, 1 << max(bits - 1, 0))
    odds = evens if bits else ValueSet.of(width, [])
    complement = passing.negated().shifted(-1)
    return ZigzagHalves(passing & evens, complement & odds, evens)


def _numbers(of: ValueSet) -> Iterator[int]:
    return chain.from_iterable(range(first, last + 1) for first, last in of.intervals)


def _unpack_in_body(column: EncodedColumn, op: BitUnpackOp, rewriter: PatternRewriter) -> None:
    """Let the query do what is one to one, where it needs it, and the decoder leave it out."""
    query, argument = column.query, column.argument
    before = set(argument.uses)
    with building(rewriter, InsertPoint.at_start(query.body.block)):
        value = Value(argument)
        if op.zigzag is not None:
            value = unzigzagged(value)
        if base := _base(op):
            value = value + base
    rewriter.replace_uses_with_if(argument, value.ssa, lambda use: use in before)
    op.base = op.zigzag = None
    rewriter.notify_op_modified(op)


def _base(op: BitUnpackOp) -> int:
    return 0 if op.base is None else op.base.value.data
