"""The rules of `vyre-push-down-predicates` are proven, as they are applied."""

from __future__ import annotations

import operator
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from support.proofs import require_always, z3
from xdsl.dialects.builtin import IntegerType, i32, i64

from vyre_dialect.analysis.value_sets import Arc, ValueSet
from vyre_dialect.builder import Value
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.passes.expansions.zigzag import unzigzagged
from vyre_dialect.passes.program.predicates.block_bounds import MOST_DIFFERENCE, Bounds
from vyre_dialect.passes.program.predicates.packed_integers import packed_test, zigzag_halves
from vyre_dialect.passes.program.predicates.set_tests import set_test

WIDTHS = (8, 16, 32, 64)
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    **{"eq": operator.eq, "ne": operator.ne},
    **{"ult": z3.ULT, "ule": z3.ULE, "ugt": z3.UGT, "uge": z3.UGE},
}


class Word:
    """An unknown integer, which the rules compute with as with a value of a program."""

    def __init__(self, bits: Any):
        self.bits = bits

    def _of(self, other: Any) -> Any:
        return other.bits if isinstance(other, Word) else z3.BitVecVal(other, self.bits.size())

    def __add__(self, other: Any) -> Word:
        return Word(self.bits + self._of(other))

    def __sub__(self, other: Any) -> Word:
        return Word(self.bits - self._of(other))

    def __rsub__(self, other: Any) -> Word:
        return Word(self._of(other) - self.bits)

    def __and__(self, other: Any) -> Word:
        return Word(self.bits & self._of(other))

    def __xor__(self, other: Any) -> Word:
        return Word(self.bits ^ self._of(other))

    def __invert__(self) -> Word:
        return Word(~self.bits)

    def __lshift__(self, other: Any) -> Word:
        return Word(self.bits << self._of(other))

    def __rshift__(self, other: Any) -> Word:
        return Word(z3.LShR(self.bits, self._of(other)))

    def __rrshift__(self, other: Any) -> Word:
        return Word(z3.LShR(self._of(other), self.bits))

    def __mul__(self, other: int) -> Word:
        return Word(self.bits * other)

    def to(self, type: Any, *, signed: bool = False) -> Word:
        """The same in more bits, or in fewer."""
        width, own = type.width.data, self.bits.size()
        if width < own:
            return Word(z3.Extract(width - 1, 0, self.bits))
        return Word((z3.SignExt if signed else z3.ZeroExt)(width - own, self.bits))

    def minsi(self, other: Word) -> Word:
        """The smaller of two signed integers."""
        return Word(z3.If(self.bits < other.bits, self.bits, other.bits))

    def maxsi(self, other: Word) -> Word:
        """The larger of two signed integers."""
        return Word(z3.If(self.bits > other.bits, self.bits, other.bits))

    def compare(self, predicate: str, other: Any) -> Truth:
        """What `arith.cmpi` gives."""
        return Truth(COMPARISONS[predicate](self.bits, self._of(other)))

    def ne(self, other: Any) -> Truth:
        """Whether they differ."""
        return self.compare("ne", other)


class Truth:
    """What a comparison gives."""

    def __init__(self, holds: Any):
        self.holds = holds

    def __or__(self, other: Truth) -> Truth:
        return Truth(z3.Or(self.holds, other.holds))

    def __and__(self, other: Truth) -> Truth:
        return Truth(z3.And(self.holds, other.holds))

    def select(self, true: Word, false: Value) -> Word:
        """One of two integers, of which the other is a constant."""
        number = integer_of(false.ssa)
        return Word(z3.If(self.holds, true.bits, z3.BitVecVal(number, true.bits.size())))


def truth(test: Any, of: Any) -> Any:
    """What a test that a rule has built says of an integer."""
    found = test(Word(of))
    return z3.BoolVal(integer_of(found.ssa) != 0) if isinstance(found, Value) else found.holds


def inside(value: Any, wanted: ValueSet) -> Any:
    """Whether an integer is in a set."""
    width = value.size()
    intervals = (
        z3.And(z3.UGE(value, z3.BitVecVal(a, width)), z3.ULE(value, z3.BitVecVal(b, width)))
        for a, b in wanted.intervals
    )
    return z3.Or(*intervals)


def in_arc(value: Any, first: Any, extent: Any) -> Any:
    return z3.ULE(value - first, extent)


def sets(width: int, random: Random) -> list[ValueSet]:
    """Some sets: nothing, everything, and up to three intervals at ends and anywhere."""
    turn = 1 << width
    found = [ValueSet.of(width, []), ValueSet.everything(width)]
    for count in (1, 1, 1, 2, 3):
        anywhere = [random.randrange(turn) for _ in range(2)]
        ends = [0, 1, turn // 2 - 1, turn // 2, turn - 1, *anywhere]
        pairs = (sorted(random.choices(ends, k=2)) for _ in range(count))
        found.append(ValueSet.of(width, [(a, b) for a, b in pairs]))
    return found


# What sets are taken through.


@pytest.mark.parametrize("width", WIDTHS)
def test_sums_and_differences_turn_arcs(width: int) -> None:
    x, c, first, extent = z3.BitVecs("x c first extent", width)
    require_always(in_arc(x + c, first, extent) == in_arc(x, first - c, extent))
    require_always(in_arc(x - c, first, extent) == in_arc(x, first + c, extent))
    # c - x is in the arc as far from its begin as x is from the end of the other one.
    require_always(z3.ULE(x, extent) == z3.ULE(extent - x, extent))


@pytest.mark.parametrize("width", WIDTHS)
def test_zigzag_is_one_to_one_in_halves(width: int) -> None:
    u = z3.BitVec("u", width)
    value = unzigzagged(Word(u)).bits  # pyright: ignore
    half = z3.LShR(u, 1)
    require_always(value == z3.If(u & 1 == 0, half, ~half))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("zigzag", [False, True])
def test_tests_of_packed_integers(width: int, zigzag: bool) -> None:
    random, u, moved = Random(width), z3.BitVec("u", width), 0
    for bits in (0, 1, 2, width // 2, width - 1, width):
        is_packed = z3.ULE(u, z3.BitVecVal((1 << bits) - 1, width))
        for base in (0, 1, -1, 1 << width - 1, random.randrange(1 << width)):
            packed = Word(u)
            value = (unzigzagged(packed) if zigzag else packed) + base  # pyright: ignore
            for passing in sets(width, random):
                test = packed_test(passing, bits, base, zigzag=zigzag)
                if test is None:
                    continue
                moved += 1
                claim = truth(test, u) == inside(value.bits, passing)  # pyright: ignore
                require_always(z3.Implies(is_packed, claim))
    assert moved > 60


@pytest.mark.parametrize("count", [1, 5, 32, 64, 200])
def test_tests_of_codes(count: int) -> None:
    random, u = np.random.default_rng(count), z3.BitVec("u", 16)
    for _ in range(10):
        codes = [(c, c) for c in range(count) if random.integers(3) == 0]
        wanted = ValueSet.of(16, codes)
        test = set_test(wanted, count)
        assert (test is None) == (count > 64)
        if test is not None:
            require_always(z3.Implies(z3.ULT(u, count), truth(test, u) == inside(u, wanted)))


def test_halves_of_zigzag_at_8_bits() -> None:
    """All sets of one interval, against every number."""
    numbers = np.arange(256, dtype=np.uint8)
    values = (numbers >> 1) ^ (0 - (numbers & 1)).astype(np.uint8)
    for first in range(0, 256, 5):
        for last in range(first, 256, 7):
            passing = ValueSet.of(8, [(first, last)])
            for bits in (0, 1, 5, 8):
                found = zigzag_halves(passing, bits)
                expected = numbers[(values >= first) & (values <= last)][: 1 << bits]
                expected = {int(each) for each in expected if each < 1 << bits}
                halves = (found.even, found.odd)
                got = {
                    2 * half + parity
                    for parity, each in enumerate(halves)
                    for interval in each.intervals
                    for half in range(interval.first, interval.last + 1)
                }
                assert got == expected
                if (joined := found.joined()) is not None:
                    assert {each for each in range(256) if each in joined} == expected


# What blocks say.


@pytest.mark.one_in(8)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("zigzag", [False, True])
def test_blocks_that_are_ruled_out_hold_nothing_that_passes(width: int, zigzag: bool) -> None:
    u, base, bits, first, length = z3.BitVecs("u base bits first length", width)
    extent = ~(z3.BitVecVal(-1, width) << bits)
    fits = z3.And(z3.ULE(bits, width), z3.ULE(u, extent))
    packed, zero = Word(u), Word(z3.BitVecVal(0, width))
    bounds = Bounds.of(Word(base), Word(extent), zigzag=zigzag)  # pyright: ignore
    meets = bounds.meets(Arc(Word(first), Word(length))).holds  # pyright: ignore
    for each in (packed, zero):  # zeros stand for what is not read
        value = ((unzigzagged(each) if zigzag else each) + Word(base)).bits  # pyright: ignore
        passes = in_arc(value, first, length)
        require_always(z3.Implies(z3.And(fits, passes), meets))


@pytest.mark.parametrize("width", WIDTHS)
def test_blocks_that_are_not_ruled_out_may_hold_what_passes(width: int) -> None:
    """By a number that does: where either arc begins."""
    base, extent, first, length = z3.BitVecs("base extent first length", width)
    bounds = Bounds(Word(base), Word(extent))  # pyright: ignore
    meets = bounds.meets(Arc(Word(first), Word(length))).holds  # pyright: ignore
    both = (z3.And(in_arc(x, base, extent), in_arc(x, first, length)) for x in (base, first))
    require_always(z3.Implies(meets, z3.Or(*both)))


def test_multiples_lie_between_the_first_and_the_last() -> None:
    """Of any difference, and so those of the least and the largest one."""
    difference, count, j = z3.Ints("difference count j")
    multiples = z3.And(1 <= j, j <= count)
    least = z3.If(difference < 0, count * difference, difference)
    require_always(z3.Implies(multiples, least <= j * difference))
    require_always(z3.Implies(count >= 1, least <= difference))


@pytest.mark.parametrize("type", [i32, i64])
@pytest.mark.parametrize("count", [1, 32, 1 << 16])
def test_sums_of_differences_are_within_bounds(type: IntegerType, count: int) -> None:
    """The sum of any is from the least multiple of the lowest to the largest of the highest."""
    width = type.width.data
    base, low, length = z3.BitVecs("base low length", width)
    total = z3.BitVec("total", 64)
    bounds = Bounds(Word(low), Word(length)).summed(Word(base), count, type)  # pyright: ignore
    wide_low = z3.SignExt(64 - width, low)
    wide_high = wide_low + z3.ZeroExt(64 - width, length)
    # No overflow, with so few and so small differences: 2^41 * 2^16 is less than 2^63.
    limit = z3.BitVecVal(MOST_DIFFERENCE, 64)
    is_small = z3.And(-limit <= wide_low, wide_low <= limit, wide_high <= 2 * limit)
    is_small = z3.And(is_small, -limit <= wide_high)
    above = z3.Or(wide_low <= total, wide_low * count <= total)
    below = z3.Or(total <= wide_high, total <= wide_high * count)
    value = base + z3.Extract(width - 1, 0, total)
    inside = in_arc(value, bounds.first.bits, bounds.extent.bits)  # pyright: ignore
    require_always(z3.Implies(z3.And(is_small, above, below), inside))
