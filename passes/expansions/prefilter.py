"""
A test that most texts fail fast: whether some literal may end in a stretch of the text.

A literal of at least m bytes ends with m - 1 pairs of bytes, one of which lies at every (m - 1)-th
place of the text. So it is enough to look at the pairs there, in a table of a bit for each pair of
bytes, as in S. Wu and U. Manber, "A fast algorithm for multi-pattern searching", TR-94-17,
University of Arizona, 1994. A section in which one such pair stands is asked for a hash of the
bytes around it; one with several is taken for full of literals. The test may say yes where nothing
ends, and never no where something does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from math import lcm

from xdsl.dialects.builtin import i1, i32

from vyre_dialect.builder import Buffer, Value, constant, for_, if_, index
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.rewriting.host_side import table

WORD = 4
PAIR = 2
MAX_STRIDE = 4
"""Beyond it, fewer looks save less than what else is done for each word."""
BITS_PER_WORD = 32
PAIRS = 1 << 16
HASH_BITS = 14
"""The bits of a hash: the second table takes 2 KiB, and lets one of hundreds pass by mistake."""
GOLDEN_RATIO = 0x9E3779B1
"""Knuth's multiplier of 32 bits, whose products differ in their upper bits."""


class Prefilter:
    """The tables of some literals, each of at least two bytes, and what tests the text."""

    def __init__(self, program: ProgramOp, patterns: Sequence[bytes]):
        shortest = min(map(len, patterns))
        self.stride = min(shortest - 1, MAX_STRIDE)
        self.hashed_bytes = min(self.stride + 1, WORD)
        self.block = lcm(self.stride, WORD)
        # A bit of a word tells of each pair of a section.
        self.section = BITS_PER_WORD * self.stride
        ends = [pattern[-self.stride - 1 :] for pattern in patterns]
        pairs = {end[place : place + PAIR] for end in ends for place in range(self.stride)}
        self._pairs = _bits(program, "pairs", PAIRS, map(_number, pairs))
        self._hashes = _bits(program, "hashes", 1 << HASH_BITS, map(self._hash_of, ends))

    def _hash_of(self, end: bytes) -> int:
        return (_number(end[: self.hashed_bytes]) * GOLDEN_RATIO % (1 << 32)) >> 32 - HASH_BITS

    def finds(self, source: Buffer, begin: Value, size: int) -> Value:
        """Whether a literal may end in the `size` bytes from `begin` on, an i1."""
        # The first pairs stand in the word in front.
        needed = -(-(size + WORD) // self.block) * self.block
        if needed <= self.section:
            return self._finds_in_section(source, begin, needed)
        with for_(0, needed, self.section, carry=[constant(0, i1)]) as sections:
            (found,) = sections.named("found")
            with if_(found) as branch:
                branch.yields(found)
            with branch.else_():
                place = (begin + sections.counter.named("section")).named("place")
                branch.yields(self._finds_in_section(source, place, self.section))
            sections.yields(branch.results[0])
        return sections.results[0]

    def _finds_in_section(self, source: Buffer, begin: Value, size: int) -> Value:
        listed = self._listed_pairs(source, begin, size).named("listed")
        several = (listed & (listed - 1)).ne(0).named("several")
        with if_(listed.ne(0) & ~several) as branch:
            branch.yields(self._is_hashed_at_pair(source, begin, size, listed))
        with branch.else_():
            branch.yields(several)
        return branch.results[0]

    def _listed_pairs(self, source: Buffer, begin: Value, size: int) -> Value:
        """A bit for each pair of a section that ends a literal; the last one's is the lowest."""
        before = source.load(begin - WORD, i32).named("before")
        with for_(0, size, self.block, carry=[constant(0, i32), before]) as blocks:
            listed, before = blocks.named("listed", "before")
            text = Words([before, *self._words(source, begin + blocks.counter)])
            for place in range(0, self.block, self.stride):
                pair = text.bytes(place, PAIR).named("pair")
                listed = listed << 1 | _bit(self._pairs, pair, PAIRS)
            blocks.yields(listed, text.words[-1])
        return blocks.results[0]

    def _is_hashed_at_pair(self, source: Buffer, begin: Value, size: int, listed: Value) -> Value:
        """Whether a literal may end behind some listed pair of a section, an i1."""
        before = [source.load(begin - offset, i32).named("before") for offset in (2 * WORD, WORD)]
        pairs = self.block // self.stride
        bits = listed << BITS_PER_WORD - size // self.stride
        with for_(0, size, self.block, carry=[constant(0, i32), bits, *before]) as blocks:
            found, bits, *before = blocks.named("found", "bits", "before", "before1")
            text = Words([*before, *self._words(source, begin + blocks.counter)])
            with if_((bits >> BITS_PER_WORD - pairs).ne(0)) as branch:
                places = range(WORD - self.stride + 1, WORD - self.stride + 1 + self.block)
                hashed = [self._is_hashed(text, place) for place in places]
                branch.yields(reduce(Value.__or__, hashed, found))
            with branch.else_():
                branch.yields(found)
            blocks.yields(branch.results[0], bits << pairs, *text.words[-2:])
        return blocks.results[0].ne(0)

    def _words(self, source: Buffer, place: Value) -> list[Value]:
        offsets = range(0, self.block, WORD)
        return [source.load(place + offset, i32).named("word") for offset in offsets]

    def _is_hashed(self, text: Words, place: int) -> Value:
        """Whether some literal's end has the hash of the bytes at `place`: 0 or 1."""
        hashed = text.bytes(place, self.hashed_bytes)
        if self.hashed_bytes < WORD:
            hashed = hashed & ((1 << 8 * self.hashed_bytes) - 1)
        return _bit(self._hashes, hashed * GOLDEN_RATIO >> 32 - HASH_BITS, 1 << HASH_BITS)


class Words:
    """Some text as words, in the order of its bytes."""

    def __init__(self, words: Sequence[Value]):
        self.words = words

    def bytes(self, place: int, count: int) -> Value:
        """`count` bytes from `place` on as a number; bits above them are undefined."""
        word, byte = divmod(place, WORD)
        value = self.words[word] >> 8 * byte if byte else self.words[word]
        if byte + count <= WORD:
            return value
        return value | (self.words[word + 1] << 8 * (WORD - byte))


def _number(text: bytes) -> int:
    return int.from_bytes(text, "little")


def _bits(program: ProgramOp, name: str, count: int, numbers: Iterable[int]) -> Buffer:
    """A table of so many bits, of which those of `numbers` are set."""
    words = [0] * (count // BITS_PER_WORD)
    for number in numbers:
        words[number // BITS_PER_WORD] |= 1 << number % BITS_PER_WORD
    return table(program, name, i32, words)


def _bit(bits: Buffer, number: Value, count: int) -> Value:
    """A bit of a table of `count`, whose number is the lowest bits of a word: 0 or 1."""
    word = (number >> 5) & (count // BITS_PER_WORD - 1)
    return (bits.load(word.to(index), in_bounds=True) >> (number & 31)) & 1
