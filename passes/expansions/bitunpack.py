"""
`vyre.decode.bitunpack` as one data-parallel arm of 32 values per invocation.

Thirty-two integers of k bits are k whole words. Four of them at a time are shifted out of the
words that hold their low bits and, where they reach into the next word, out of that.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import VectorType, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constants, if_
from vyre_dialect.ops.decode import WORD_BITS, WORD_BYTES, BitUnpackOp
from vyre_dialect.passes.expansions.destination import size_destination

VALUES = 32
"""Values that one invocation unpacks; as many as it takes words for each bit."""
LANES = 4
WORDS = VectorType(i32, [LANES])
PAIR = VectorType(i32, [2])


class ExpandBitUnpack(RewritePattern):
    """Expand `vyre.decode.bitunpack`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BitUnpackOp, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        bits = op.bits.value.data
        size_destination(op, rewriter, lambda: _count(op))
        with ImplicitBuilder(rewriter):
            count = _count(op)
            with arm("decode.bitunpack", count.ceildiv(VALUES).named("invocations")) as i:
                if op.errors is not None:
                    _check_length(i, count, op, Buffer(op.errors))
                packed_start = (i * (bits * WORD_BYTES)).named("packed_start")
                packed = PackedWords.loaded(source, packed_start, bits)
                unpacked_start = (i * VALUES).named("unpacked_start")
                for first in range(0, VALUES, LANES):
                    destination.store(packed.values(first), _after(unpacked_start, first))
        rewriter.erase(op)


def _count(op: BitUnpackOp) -> Value:
    if op.count is not None:
        return Value(op.count)
    return Buffer(op.source).length * 8 // op.bits.value.data


def _check_length(i: Value, count: Value, op: BitUnpackOp, errors: Buffer) -> None:
    length = Buffer(op.source).length.named("length")
    needed = (count * op.bits.value.data).ceildiv(8).named("needed")
    with if_(i.eq(0) & (length < needed)):
        errors.trap("packed input too short", length)


@dataclass(frozen=True)
class PackedWords:
    """The words that one invocation unpacks, in vectors; the last two may overlap."""

    bits: int
    vectors: list[Value]

    @classmethod
    def loaded(cls, source: Buffer, start: Value, bits: int) -> PackedWords:
        """The `bits` words from byte `start` on, and no word besides."""
        if bits < LANES:
            return cls(bits, [_few_words(source, start, bits).named("words0")])
        firsts = [min(first, bits - LANES) for first in range(0, bits, LANES)]
        loads = [source.load(_after(start, WORD_BYTES * first), WORDS) for first in firsts]
        return cls(bits, [load.named(f"words{k}") for k, load in zip(firsts, loads, strict=True)])

    def values(self, first: int) -> Value:
        """Four values, from the first-th on."""
        places = [divmod(self.bits * (first + lane), WORD_BITS) for lane in range(LANES)]
        words = [word for word, _ in places]
        values = self._select(words)
        if any(shift for _, shift in places):
            values = values >> constants([shift for _, shift in places], WORDS)
        crossing = [shift + self.bits > WORD_BITS for _, shift in places]
        if any(crossing):
            values = values | self._high_parts(places, crossing)
        if self.bits < WORD_BITS:
            values = values & (1 << self.bits) - 1
        return values.named(f"values{first}")

    def _high_parts(self, places: list[tuple[int, int]], crossing: list[bool]) -> Value:
        following = [word + reaches for (word, _), reaches in zip(places, crossing, strict=True)]
        # What does not reach into the next word is shifted beyond the bits that are kept.
        shifts = [
            WORD_BITS - shift if reaches else WORD_BITS - 1
            for (_, shift), reaches in zip(places, crossing, strict=True)
        ]
        return self._select(following) << constants(shifts, WORDS)

    def _select(self, words: list[int]) -> Value:
        """A vector of four words, by their numbers."""
        places = [self._place(word) for word in words]
        used = sorted({vector for vector, _ in places})
        first, last = self.vectors[used[0]], self.vectors[used[-1]]
        lanes = [lane + LANES * used.index(vector) for vector, lane in places]
        return first if lanes == [0, 1, 2, 3] else first.shuffle(last, lanes)

    def _place(self, word: int) -> tuple[int, int]:
        """The vector that holds a word, and the lane."""
        vector = word // LANES
        overlap = max(0, LANES * (vector + 1) - self.bits) if self.bits >= LANES else 0
        return vector, word % LANES + overlap


def _after(start: Value, distance: int) -> Value:
    return start + distance if distance else start


def _few_words(source: Buffer, start: Value, bits: int) -> Value:
    """One to three words in a vector of four, the last one repeated."""
    if bits == 1:
        return source.load(start, i32).broadcast(LANES)
    first = source.load(start, PAIR)
    if bits == 2:
        return first.shuffle(first, [0, 1, 1, 1])
    return first.shuffle(source.load(start + WORD_BYTES, PAIR), [0, 1, 3, 3])
