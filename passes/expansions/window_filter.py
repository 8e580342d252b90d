"""
A test that most texts fail fast, by vectors: whether some literal may end in a stretch of the text.

A lane of a vector stands for a word of the text in which a literal may end. What half-bytes of it
and of the word in front tell, `literal_windows` says; each is looked up in the lanes of a vector.
The first few are enough for most of the text, and the others are asked where these are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import gcd

from xdsl.dialects.builtin import VectorType, i1, i32, i64

from vyre_dialect.builder import Buffer, Value, constant, constants, for_, if_
from vyre_dialect.passes.expansions.literal_windows import (
    VALUES,
    WINDOWS,
    WORD,
    choose_windows,
)
from vyre_dialect.passes.rewriting.reductions import reduction

LANES = 16
HALF_BYTE = 4
MOST_STRETCHES = 64
"""A bit of an i64 tells of each."""
FEW = 4
"""Where scanning stretches alone takes so great a part of scanning all, all of it is scanned."""
PASSED = 1 / 32
"""How many vectors of random text may pass the windows that are always asked."""
TABLE = VectorType(i32, [VALUES])


class WindowFilter:
    """What tells, of a share of the text of so many bytes, where literals may end."""

    def __init__(self, literals: Sequence[bytes], share: int, warm_up: int):
        """For a share of the text of so many bytes; the automaton starts `warm_up` in front."""
        self._lanes = gcd(LANES, share // WORD)
        vectors = share // (self._lanes * WORD)
        fewest = -(-vectors // MOST_STRETCHES)
        per_stretch = next(each for each in range(fewest, vectors + 1) if vectors % each == 0)
        self.stretch = per_stretch * self._lanes * WORD
        """Bytes of a stretch."""
        self.stretches = vectors // per_stretch
        self._allowance = share // (FEW * (self.stretch + warm_up)) - 1
        self._windows = choose_windows(tuple(literals))
        order = self._windows.order
        enough = (
            count
            for count in range(1, len(order))
            if self._windows.pass_rate(count) * self._lanes <= PASSED
        )
        self._always = next(enough, len(order))

    @property
    def tells_stretches(self) -> bool:
        """Whether the test may find something without giving up."""
        return self._allowance > 1

    def candidates(self, source: Buffer, begin: Value) -> tuple[Value, Value]:
        """
        A bit for each stretch from `begin` on in which a literal may end, an i64; and whether the
        test gave up, an i1, as it found one in the first stretch, several next to each other or
        many altogether.
        """
        with if_(self._passes(source, begin).named("is_first")) as branch:
            branch.yields(constant(0, i64), constant(1, i1))
        with branch.else_():
            found, left = self._candidates_behind_first(source, begin)
            branch.yields(found, left.compare("sle", 0))
        found, gave_up = branch.results
        return found.named("candidates"), gave_up.named("gave_up")

    def _candidates_behind_first(self, source: Buffer, begin: Value) -> tuple[Value, Value]:
        """The bits of stretches, and what is left, above zero, of what they may cost."""
        allowance = constant(max(1, self._allowance), i32)
        carried = [constant(0, i64), constant(2, i64), constant(1, i32), allowance]
        with for_(1, self.stretches, carry=carried) as loop:
            found, bit, price, left = loop.named("candidates", "bit", "price", "left")
            with if_(left.compare("sgt", 0)) as branch:
                place = (begin + loop.counter * self.stretch).named("place")
                passes = self._passes(source, place).named("passes")
                # One right behind the other is twice as dear each time.
                branch.yields(
                    passes.select(found | bit, found),
                    passes.select(price << 1, 1),
                    passes.select(left - price, left),
                )
            with branch.else_():
                branch.yields(found, price, left)
            found, price, left = branch.results
            loop.yields(found, bit << 1, price, left)
        return loop.results[0], loop.results[3]

    def _passes(self, source: Buffer, begin: Value) -> Value:
        """Whether a literal may end in a stretch, an i1."""
        size = self._lanes * WORD
        if size == self.stretch:
            return self._vector_passes(source, begin)
        with for_(0, self.stretch, size, carry=[constant(0, i1)]) as vectors:
            (passes,) = vectors.named("passes")
            place = (begin + vectors.counter).named("place")
            vectors.yields(passes | self._vector_passes(source, place))
        return vectors.results[0]

    def _vector_passes(self, source: Buffer, place: Value) -> Value:
        words = source.load(place, VectorType(i32, [self._lanes])).named("words")
        before = source.load(place - WORD, i32).named("before")
        shifted = [self._lanes, *range(self._lanes - 1)]
        in_front = words.shuffle(before.broadcast(self._lanes), shifted).named("in_front")
        order = self._windows.order
        groups = self._groups(in_front, words, order[: self._always]).named("groups")
        passes = reduction(Value.__or__, groups).ne(0)
        if self._always == len(order):
            return passes
        with if_(passes) as branch:
            groups = groups & self._groups(in_front, words, order[self._always :])
            branch.yields(reduction(Value.__or__, groups.named("groups")).ne(0))
        with branch.else_():
            branch.yields(constant(0, i1))
        return branch.results[0]

    def _groups(self, in_front: Value, words: Value, windows: Sequence[int]) -> Value:
        """In each lane, a bit for each group of literals that some windows let pass."""
        return reduce(
            Value.__and__, [self._looked_up(in_front, words, window) for window in windows]
        )

    def _looked_up(self, in_front: Value, words: Value, window: int) -> Value:
        half = window % (WINDOWS // 2)
        source = words if window * 2 >= WINDOWS else in_front
        position = source >> half * HALF_BYTE if half else source
        return constants(self._windows.table(window), TABLE).look_up(position)
